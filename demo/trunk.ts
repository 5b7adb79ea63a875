import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { TrunkRow } from '../src/intake/imports/history/trunk-row.ts'
import { randomizationTest } from '../src/judge/statistics/randomization-test.ts'
import type { FileChanges } from './github/commit-graph.ts'
import type { LocalGitHub } from './github/local-github.ts'
import type { Repository } from './github/state.ts'

/** Where the engine of the shop is recorded: its versions, and what was measured of them. */
export const SHOP_ENGINE = new URL('recording/shop-engine/', import.meta.url)

const HOURS_BETWEEN = 4
const HOUR = 3600_000

/** The run that measured the first commit with the step, as it was recorded. */
const STEP_AT = 25

/** The trunk's past: 40 measured commits, and in one of the gaps the commits among which one made a query slower. */
export interface Past {
  /** The measured commits, the oldest first. */
  readonly measured: readonly string[]
  /** The commit of the step. */
  readonly step: string
  readonly rows: readonly TrunkRow[]
}

/** Commits the past to the trunk, in GitHub's time of then; nothing hears of it. */
export function layPast(github: LocalGitHub, repo: Repository): Past {
  const runs = recordedRuns()
  const count = Math.max(...runs.map(({ point }) => point))
  github.advance(-(count + 1) * HOURS_BETWEEN * HOUR)
  const commit = (message: string, files: FileChanges, author = 'alice') => {
    github.advance(HOUR / 4)
    return github.commit(repo, { files, message, author }).sha
  }
  let last = commit('The engine of the shop', engineFiles('base', 'table', 'join', 'aggregate', 'sort', 'queries'))
  let step = ''
  const times: number[] = []
  const measured = Array.from({ length: count }, (_, index) => {
    const point = index + 1
    const begin = github.state.now().getTime()
    if (point === STEP_AT) {
      commit('The guide says how to load orders (#412)', { 'docs/load.md': '# Load orders\n' }, 'bob')
      step = commit('Rows of one value keep their order (#415)', engineFiles('step', 'sort'), 'carol')
      last = commit('Name the maintainers (#417)', { 'MAINTAINERS.md': 'maria\n' }, 'bob')
    } else {
      last = commit(
        `Words of the guide, part ${point} (#${380 + point})`,
        { 'docs/guide.md': `Part ${point}\n` },
        'bob',
      )
    }
    github.advance(begin + HOURS_BETWEEN * HOUR - github.state.now().getTime())
    times.push(github.state.now().getTime())
    return last
  })
  // The rest of the way to the present.
  github.advance(Date.now() - github.state.now().getTime())
  const [first] = repo.graph.ancestors(measured[0]!)[0]!.parents
  const names = queryNames()
  const rows = runs.map(({ point, test, query, sides }) => {
    const { oldMedian, newMedian, difference, threshold } = randomizationTest(...sides)
    return {
      source: 'own' as const,
      time: times[point - 1]!,
      oldCommit: measured[point - 2] ?? first!,
      newCommit: measured[point - 1]!,
      test,
      queryIndex: query,
      queryName: names.get(`${test} ${query}`)!,
      metric: 'client_time',
      architecture: '',
      old: oldMedian,
      new: newMedian,
      difference,
      threshold,
      workflowName: 'Performance',
      baseBranch: repo.defaultBranch,
      reportUrl: '',
      instanceType: '',
      instanceId: '',
    }
  })
  return { measured, step, rows }
}

/** Files of a recorded version of the engine, as they stand in the repository. */
export function engineFiles(version: 'base' | 'step' | 'pull', ...names: readonly string[]): FileChanges {
  return Object.fromEntries(
    names.map((name) => [`src/${name}.js`, readFileSync(new URL(`${version}/src/${name}.js`, SHOP_ENGINE), 'utf8')]),
  )
}

interface RecordedRun {
  readonly point: number
  readonly test: string
  readonly query: number
  /** Seconds of the old and of the new build. */
  readonly sides: readonly [number[], number[]]
}

export function recordedRuns(): RecordedRun[] {
  const lines = gunzipSync(readFileSync(new URL('trunk.tsv.gz', SHOP_ENGINE)))
    .toString('utf8')
    .trimEnd()
    .split('\n')
  const runs = new Map<string, RecordedRun>()
  for (const line of lines.slice(1)) {
    const [point, , , test, query, side, , seconds] = line.split('\t')
    const key = `${point} ${test} ${query}`
    const run: RecordedRun = runs.get(key) ?? {
      point: Number(point),
      test: test!,
      query: Number(query),
      sides: [[], []],
    }
    run.sides[side === '0' ? 0 : 1].push(Number(seconds))
    runs.set(key, run)
  }
  return [...runs.values()]
}

/** Their texts, by test and position. */
function queryNames(): Map<string, string> {
  const folder = new URL('pull-4/', SHOP_ENGINE)
  const files = readdirSync(folder).filter((file) => file.endsWith('-raw.tsv'))
  return new Map(
    files.flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^display-name\t(\d+)\t(.*)$/gm)].map(
        ([, query, text]) => [`${file.replace('-raw.tsv', '')} ${query}`, text!] as const,
      ),
    ),
  )
}
