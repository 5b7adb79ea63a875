import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PullRequest, Repository } from '../../../demo/github/state.ts'
import { REFUSAL_WORDS, type Refusal } from '../../../src/bot/action/border.ts'
import { decisionText } from '../../../src/bot/action/decisions.ts'
import { parsePosted } from '../../../src/bot/action/posted.ts'
import { noGateSummary, POSTING_WORDS } from '../../../src/bot/action/summary.ts'
import { historyLine, parseHistoryLines } from '../../../src/intake/imports/history/history-lines.ts'
import type { MeasureFile } from '../../../src/intake/measurement/formats/measure-file.ts'
import { commentMarker } from '../../../src/report/render/comment.ts'
import { DAY } from '../../../src/text/time.ts'
import { rawRun, SLOWER, STEADY } from '../../intake/measurement/raw-run.ts'
import {
  type ActionSetting,
  artifact,
  historyFiles,
  JUDGES,
  jobCheck,
  jobComments,
  MEASURES,
  makeActionSetting,
  WORKFLOWS,
} from './action-setting.ts'

// The bot without a server: a run of the measuring workflow, one judging job, and what stands on GitHub then.

const CONFIG = '.github/perf-triage.yml'

let setting: ActionSetting

beforeAll(async () => {
  setting = await makeActionSetting()
})
afterEach(() => {
  expect(setting.github.violations).toEqual([])
  setting.github.requests.length = 0
  // GitHub takes 80 writes a minute, which are counted anew.
  setting.github.advance(60_000)
})
afterAll(() => setting.close())

const results = (fresh: readonly number[], more: Readonly<Record<string, string>> = {}) =>
  artifact({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: fresh }]), ...more })

const judged = async (pull: PullRequest, fresh: readonly number[]) =>
  await setting.judge(await setting.measured(pull, [results(fresh)]))

test('a slower pull request gets a comment, a check and a summary with its rows', async () => {
  const pull = setting.open(setting.repository())
  const summary = await judged(pull, SLOWER)
  expect(jobComments(pull)).toHaveLength(1)
  expect(jobComments(pull)[0]).toMatch(/^<!-- perf-triage:v1 github-actions -->\n### Query `sum #0` got slower/)
  expect(jobCheck(pull)).toMatchObject({ status: 'completed', conclusion: 'neutral' })
  expect(jobCheck(pull)?.detailsUrl).toMatch(/\/actions\/runs\/77$/)
  expect(summary).toContain(POSTING_WORDS.posted)
  expect(summary).toContain('### 1 query')
  expect(summary).not.toContain('<!--')
})

test('one comment: judged again it is edited, and a comment that others wrote under the marker stays theirs', async () => {
  const pull = setting.open(setting.repository())
  const forged = setting.github.comment(pull, 'mallory', `${commentMarker('github-actions')}\nAll is fine`)
  await judged(pull, SLOWER)
  await judged(pull, STEADY)
  await judged(pull, STEADY)
  expect(jobComments(pull)).toHaveLength(1)
  expect(jobComments(pull)[0]).not.toContain('got slower')
  expect(forged.body).toContain('All is fine')
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'success' })
})

test('the next push is compared with the one before, also where it is judged again', async () => {
  const pull = setting.open(setting.repository())
  const measured = (sum: readonly number[], product: readonly number[]) =>
    artifact({
      'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: sum }]),
      'product-raw.tsv': rawRun('product', [{ old: STEADY, new: product }]),
    })
  await setting.judge(await setting.measured(pull, [measured(SLOWER, STEADY)]))
  expect(jobComments(pull)[0]).not.toContain('Since ')
  const before = pull.head.sha.slice(0, 7)
  setting.github.push(pull, { 'src/a.cpp': '2' })
  const run = await setting.measured(pull, [measured(STEADY, SLOWER)])
  await setting.judge(run)
  expect(jobComments(pull)[0]).toContain(`Since \`${before}\`: 1 new, 1 resolved (\`sum #0\`).`)
  await setting.judge(await setting.measuredAgain(run, [measured(STEADY, SLOWER)]))
  expect(jobComments(pull)[0]).toContain(`Since \`${before}\`: 1 new, 1 resolved (\`sum #0\`).`)
  expect([...historyFiles(pull.repo).keys()].toSorted()).toEqual(['posted.jsonl', `reports/${pull.number}.jsonl.gz`])

  // What somebody has damaged is not there; a month without a post ends it.
  setting.github.commit(pull.repo, { branch: 'perf-triage-history', files: { 'reports/77.jsonl.gz': 'no gzip' } })
  const push = await setting.measured(pull.repo, [results(STEADY)])
  const now = setting.github.state.now().getTime()
  const reportsAt = async (days: number) => {
    await setting.judge(push, { now: () => now + days * DAY })
    return [...historyFiles(pull.repo).keys()].filter((path) => path.startsWith('reports/'))
  }
  expect(await reportsAt(1)).toHaveLength(2)
  expect(await reportsAt(2)).toEqual([`reports/${pull.number}.jsonl.gz`])
  expect(await reportsAt(31)).toEqual([])
})

test('a finding stands until two later attempts or runs of the head take it back, also where another slower one is between', async () => {
  const pull = setting.open(setting.repository())
  const run = await setting.measured(pull, [results(SLOWER)])
  await setting.judge(run)
  const conclusions: unknown[] = []
  for (const fresh of [STEADY, SLOWER, STEADY, STEADY]) {
    await setting.judge(await setting.measuredAgain(run, [results(fresh)]))
    conclusions.push(jobCheck(pull)?.conclusion)
  }
  expect(conclusions).toEqual(['neutral', 'neutral', 'neutral', 'success'])

  const other = setting.open(pull.repo)
  await judged(other, SLOWER)
  await judged(other, STEADY)
  expect(jobCheck(other)).toMatchObject({ conclusion: 'neutral' })
  expect(jobCheck(other)?.output.summary).toContain('an earlier run of this commit')
  await judged(other, STEADY)
  expect(jobCheck(other)).toMatchObject({ conclusion: 'success' })
})

test('a comment of the job that the history does not hold is adopted, where its body begins with the marker', async () => {
  const pull = setting.open(setting.repository())
  await judged(pull, SLOWER)
  setting.github.forcePush(pull.repo, 'perf-triage-history', pull.repo.branches.get('main')!)
  await judged(pull, STEADY)
  expect(jobComments(pull)).toHaveLength(1)
})

test('what a person decides while a run is judged is in what the job posts', async () => {
  const pull = setting.open(setting.repository(), { fork: 'mallory' })
  const run = await setting.measured(pull, [results(STEADY)])
  await setting.judge(run)
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
  setting.github.requests.length = 0
  let isSaid = false
  await setting.judge(run, {
    now: () => {
      const isRead = setting.github.requests.some(({ path }) =>
        decodeURIComponent(path).endsWith('/heads/perf-triage-history'),
      )
      if (isRead && !isSaid) {
        isSaid = true
        accept(pull)
      }
      return setting.github.state.now().getTime()
    },
  })
  expect(isSaid).toBe(true)
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'success' })
})

test('where the history can’t be written a comment and a check are posted, and the summary says so', async () => {
  const pull = setting.open(setting.repository())
  const run = await setting.measured(pull, [results(SLOWER)])
  const permissions = { actions: 'read', checks: 'write', contents: 'read', pull_requests: 'write' } as const
  const summary = await setting.judge(run, { permissions })
  expect(summary).toContain('can’t be written')
  expect(jobComments(pull)).toHaveLength(1)
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
  setting.github.violations.length = 0
})

test('two jobs at once create one comment', async () => {
  const pull = setting.open(setting.repository())
  const run = await setting.measured(pull, [results(SLOWER)])
  await Promise.all([setting.judge(run), setting.judge(run)])
  expect(jobComments(pull)).toHaveLength(1)
  expect(pull.repo.checkRuns.filter(({ name }) => name === 'perf-triage')).toHaveLength(1)
})

test('of what was posted the latest is kept', async () => {
  const pull = setting.open(setting.repository())
  await judged(pull, SLOWER)
  const posted = () => historyFiles(pull.repo).get('posted.jsonl')!.toString('utf8')
  const other = { v: 1, pull: 9999, kind: 'labels', id: null, hash: null, head: 'a', labels: ['slower'], at: 1 }
  const [broken, first] = ['{"v":2}\n', `${JSON.stringify(other)}\n`]
  const files = { 'posted.jsonl': broken + first + posted().repeat(50) }
  setting.github.commit(pull.repo, { branch: 'perf-triage-history', files })
  await judged(pull, STEADY)
  await judged(pull, STEADY)
  const lines = posted().split('\n')
  expect(lines.slice(0, 2)).toEqual([broken.trim(), first.trim()])
  expect(lines.filter((line) => line.includes(`"pull":${pull.number},`))).toHaveLength(20)
  expect(jobComments(pull)).toHaveLength(1)
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'success' })
})

test('one check, also where a hundred jobs of others have its name', async () => {
  const pull = setting.open(setting.repository())
  await judged(pull, SLOWER)
  const own = jobCheck(pull)!
  for (let index = 0; index < 120; index += 1)
    setting.github.startCheckRun(pull.repo, { name: 'perf-triage', headSha: pull.head.sha })
  await judged(pull, STEADY)
  await judged(pull, STEADY)
  expect(own).toMatchObject({ conclusion: 'success' })
  expect(jobCheck(pull)?.output.summary ?? '').toBe('')
})

test('a fork’s pull request is judged, and its check is neutral until a maintainer accepts the samples of that run', async () => {
  const pull = setting.open(setting.repository(), { fork: 'mallory' })
  const run = await setting.measured(pull, [results(STEADY)])
  await setting.judge(run)
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
  expect(jobCheck(pull)?.output.summary).toContain('**Neutral because a fork measured this:**')
  accept(pull)
  await setting.judge(run)
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'success' })
  // Another run of the same head may print other numbers, as does its next attempt.
  const other = await setting.measured(pull, [results(STEADY)])
  await setting.judge(other)
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
  accept(pull)
  await setting.judge(await setting.measuredAgain(other, [results(STEADY)]))
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
  setting.github.push(pull, { 'src/a.cpp': '2' })
  await judged(pull, STEADY)
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
})

test('what results say of other commits is no name in a comment and no green check; the merge of the head is the head', async () => {
  const repo = setting.repository()
  const base = repo.branches.get('main')!
  const other = setting.open(repo)
  const judgedAs = async (old: string, fresh: (head: string) => string, fork?: string) => {
    const pull = setting.open(repo, fork === undefined ? {} : { fork })
    const files = { 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]) }
    const json = measuredFile(old, fresh(pull.head.sha))
    await setting.judge(await setting.measured(pull, [artifact({ ...files, 'measure.json': json })]))
    const { conclusion, output } = jobCheck(pull)!
    return { conclusion, title: output.title, said: `${output.summary}${output.text}` }
  }
  const merged = (head: string) =>
    setting.github.commit(repo, { branch: 'merged', files: { 'src/b.cpp': '1' }, parents: [base, head] }).sha
  expect(await judgedAs(base, merged)).toMatchObject({ conclusion: 'success' })
  for (const fork of [undefined, 'mallory']) {
    const wrong = await judgedAs(base, () => other.head.sha, fork)
    expect(wrong).toMatchObject({
      conclusion: 'neutral',
      title: expect.stringContaining('The wrong builds were compared'),
    })
    expect(wrong.said).toContain(`its new build is of \`${other.head.sha.slice(0, 7)}\`, which this head is not in`)
  }
  const named = await judgedAs('main', () => '<script>', 'mallory')
  expect(named.conclusion).toBe('neutral')
  expect(named.said).not.toMatch(/script|`main`/)
  const unknown = await judgedAs('d'.repeat(40), () => 'e'.repeat(40), 'mallory')
  expect(unknown.conclusion).toBe('neutral')
  expect(unknown.said).not.toContain('eeeeeee')
  expect(unknown.said).not.toContain('/commit/ddddddd')
})

/** As `perf-triage measure` writes it, without turns. */
function measuredFile(base: string, head: string): string {
  const of = (commit: string) => ({ given: 'HEAD', commit, build: null, run: './bench' })
  const machine = { cpu: 'x', cpus: 1, governor: null, memoryBytes: 1, os: 'x', architecture: 'x64' }
  const file: MeasureFile = {
    ...{ schemaVersion: 1, document: 'perf-triage measure', version: '0.1.0', base: of(base), head: of(head), seed: 1 },
    ...{ startedAt: '2026-11-20T10:00:00.000Z', endedAt: null, end: 'precise', unmeasured: null },
    settings: { budgetSeconds: 60, turnLimitSeconds: 60, show: 0.05, filter: null, copies: false },
    environment: { ...machine, toolchain: [], variables: {} },
    ...{ turns: [], failures: [], unmeasured: null, buildsAreEqual: false, equalBuilds: [] },
  }
  return JSON.stringify(file)
}

/** Accepts what the last check had to accept. */
function accept({ number, repo, head: { sha: head } }: PullRequest): void {
  const saidAt = setting.github.state.now().getTime()
  const said = { reason: 'seen', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt } as const
  const textOf = (path: string) => historyFiles(repo).get(path)?.toString('utf8') ?? ''
  const shown = parsePosted(textOf('posted.jsonl')).lines.findLast(({ pull, seen }) => pull === number && seen)
  const { measurement } = shown!.seen!.findings
  const subject = { head, rows: [], suites: [], unknowns: [], measurement }
  const before = textOf('decisions.jsonl')
  const files = { 'decisions.jsonl': before + decisionText(number, { kind: 'accept', ...said, subject }) }
  setting.github.commit(repo, { branch: 'perf-triage-history', files })
}

test('a pull request that changes the measuring workflow is judged, and the report says so', async () => {
  const repo = setting.repository({ [CONFIG]: 'mode: gating\n' })
  const pull = setting.open(repo, { files: { [MEASURES]: `${WORKFLOWS[MEASURES]!}# fewer\n` }, fork: 'mallory' })
  const summary = await judged(pull, STEADY)
  expect(summary).toContain(MEASURES)
  expect(summary).toContain(noGateSummary())
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
})

test.each<[string, string, keyof typeof POSTING_WORDS]>([
  ['shadow', 'mode: shadow\n', 'shadow'],
  ['a switched-off bot', 'enabled: false\n', 'switched-off'],
])('%s writes its summary alone', async (_, config, posting) => {
  const pull = setting.open(setting.repository({ [CONFIG]: config }))
  const summary = await judged(pull, SLOWER)
  expect(summary).toContain(POSTING_WORDS[posting])
  expect(summary.includes('got slower')).toBe(posting === 'shadow')
  expect(setting.writes()).toEqual([])
  expect(pull.repo.branches.has('perf-triage-history')).toBe(false)
})

test('where the App has reported on the head the job writes its summary alone', async () => {
  const pull = setting.open(setting.repository())
  const { number, head } = pull
  setting.github.startCheckRun(pull.repo, {
    name: 'perf-triage',
    headSha: head.sha,
    app: 'perf-triage',
    externalId: `pull request ${number}`,
  })
  expect(await judged(pull, SLOWER)).toContain(POSTING_WORDS['app-reported'])
  expect(setting.writes()).toEqual([])
})

test('a head that is pushed to while its results are read gets nothing', async () => {
  const pull = setting.open(setting.repository())
  const run = await setting.measured(pull, [results(SLOWER)])
  let asked = 0
  const summary = await setting.judge(run, {
    now: () => {
      // The clock is read when the configuration is, which is after the pull request was.
      asked += 1
      if (asked === 3) setting.github.push(pull, { 'src/a.cpp': '3' })
      return setting.github.state.now().getTime()
    },
  })
  expect(summary).toContain(POSTING_WORDS.superseded)
  expect(setting.writes()).toEqual([])
})

test.each<[string, Refusal, (repo: Repository) => Promise<string>]>([
  [
    'a pull request that was pushed to before',
    'no-pull-request',
    async (repo) => {
      const pull = setting.open(repo)
      const run = await setting.measured(pull, [results(SLOWER)])
      setting.github.push(pull, { 'src/a.cpp': '4' })
      return await setting.judge(run)
    },
  ],
  [
    'a pull request that was closed',
    'no-pull-request',
    async (repo) => {
      const pull = setting.open(repo)
      const run = await setting.measured(pull, [results(SLOWER)])
      setting.github.closePullRequest(pull)
      return await setting.judge(run)
    },
  ],
  [
    'one head for two bases',
    'several-pull-requests',
    async (repo) => {
      setting.github.commit(repo, { branch: 'stable', files: { 'src/b.cpp': '0' } })
      const pull = setting.open(repo)
      setting.github.openPullRequest({ repo, head: pull.head.ref, base: 'stable' })
      return await setting.judge(await setting.measured(pull, [results(SLOWER)]))
    },
  ],
  [
    'a workflow that a fork has added under the name',
    'other-workflow',
    async (repo) => {
      const path = '.github/workflows/evil.yml'
      const pull = setting.open(repo, { fork: 'mallory', files: { [path]: WORKFLOWS[MEASURES]! } })
      return await setting.judge(await setting.measured(pull, [results(SLOWER)], { path }))
    },
  ],
  [
    'pull_request_target',
    'other-event',
    async (repo) => {
      const pull = setting.open(repo, { fork: 'mallory' })
      return await setting.judge(await setting.measured(pull, [results(SLOWER)], { event: 'pull_request_target' }))
    },
  ],
  [
    'the judging workflow’s own run',
    'other-workflow',
    async (repo) => {
      const pull = setting.open(repo)
      return await setting.judge(await setting.measured(pull, [results(SLOWER)], { path: JUDGES, name: 'perf-triage' }))
    },
  ],
  [
    'a push of another branch',
    'not-the-trunk',
    async (repo) => {
      const { sha } = setting.github.commit(repo, { branch: 'other', files: { 'src/a.cpp': '5' } })
      const run = setting.github.startWorkflowRun(repo, {
        name: 'perf-triage-measure',
        path: MEASURES,
        branch: 'other',
        headSha: sha,
      })
      await setting.github.finishWorkflowRun(run, { artifacts: [results(SLOWER)] })
      return await setting.judge(run)
    },
  ],
])('%s is refused, the summary says why, and nothing is written', async (_, refusal, job) => {
  const repo = setting.repository()
  expect(await job(repo)).toContain(REFUSAL_WORDS[refusal])
  expect(setting.writes()).toEqual([])
  expect(repo.branches.has('perf-triage-history')).toBe(false)
})

test('pushes of the trunk are lines of a day, each once; closed days are packed into their month, and a closed month is squashed', async () => {
  const repo = setting.repository()
  const base = repo.branches.get('main')!
  const push = async (text: string) => {
    setting.github.commit(repo, { files: { 'src/a.cpp': text } })
    return await setting.measured(repo, [results(STEADY, { 'ref-commit.txt': `${base}\n` })])
  }
  const commits = () => repo.graph.ancestors(repo.branches.get('perf-triage-history')!).length
  const paths = () => [...historyFiles(repo).keys()].toSorted()
  const first = await push('6')
  const noon = Date.parse('2031-03-30T12:00:00Z')
  expect(await setting.judge(first, { now: () => noon })).toContain('The results of 1 check are in the main branch’s')
  await setting.judge(first, { now: () => noon })
  await setting.judge(await push('7'), { now: () => noon })
  expect(paths()).toEqual(['history/2031-03-30.jsonl'])
  const parsed = parseHistoryLines(historyFiles(repo).get('history/2031-03-30.jsonl')!.toString('utf8'))
  expect(parsed.problems.size).toBe(0)
  expect(parsed.runs.map(({ run, commit }) => [run, commit])).toEqual([
    [first.id, first.headSha],
    [expect.any(Number), repo.branches.get('main')],
  ])
  expect(parsed.duplicates).toBe(1)

  await setting.judge(await push('8'), { now: () => noon + DAY })
  expect(paths()).toEqual(['history/2031-03-31.jsonl', 'history/2031-03.jsonl.gz'])
  expect(commits()).toBe(5)
  await setting.judge(await push('9'), { now: () => noon + 2 * DAY })
  expect(paths()).toEqual(['history/2031-03.jsonl.gz', 'history/2031-04-01.jsonl'])
  expect(commits()).toBe(1)
  const closed = parseHistoryLines(gunzipSync(historyFiles(repo).get('history/2031-03.jsonl.gz')!).toString('utf8'))
  expect(closed.problems.size).toBe(0)
  expect(closed.runs.slice(0, 2)).toEqual(parsed.runs)
  expect(closed.runs).toHaveLength(3)
  expect(setting.writes().filter((write) => !write.includes('/git/'))).toEqual([])
})

test('a push tells what is lastingly slower on the trunk, and nothing where it has recovered', async () => {
  const repo = setting.repository()
  const now = setting.github.state.now().getTime()
  const commitAt = (place: number) => `${place}`.padStart(40, 'c')
  const levelsAt = (place: number) => [place < 20 ? 1 : 1.3, place >= 10 && place < 20 ? 1.3 : 1]
  const lineAt = (place: number) =>
    historyLine({
      ...{ run: place, attempt: 1, check: 'performance-results', shard: null, shards: null, branch: 'main', url: '' },
      ...{ commit: commitAt(place), base: commitAt(place - 1), time: now - (40 - place) * DAY, architecture: null },
      metric: 'client_time',
      rows: levelsAt(place).map((level, query) => {
        const noise = (at: number) => 1 + ((at * 7919) % 13) / 2000
        const [old, fresh] = [levelsAt(place - 1)[query]! * noise(place), level * noise(place + 1)]
        const sides = { old, new: fresh, difference: (fresh - old) / old, threshold: 0.02 }
        return { test: `sum${query}`, queryName: null, queryIndex: 0, ...sides, repetitions: 7, processes: 7 }
      }),
    })
  const lines = Array.from({ length: 38 }, (_, place) => lineAt(place + 1))
  const contents = gzipSync(lines.map((line) => `${line}\n`).join(''))
  const month = new Date(now).toISOString().slice(0, 7)
  setting.github.commit(repo, {
    branch: 'perf-triage-history',
    parents: [],
    files: { [`history/${month}.jsonl.gz`]: contents },
  })
  setting.github.commit(repo, { files: { 'src/a.cpp': '6' } })
  const summary = await setting.judge(await setting.measured(repo, [results(STEADY)]))
  expect(summary).toContain('### Slower on the main branch, and not recovered')
  expect(summary).toMatch(/\| `sum0 #0` \| `ccccccc` to `ccccccc` \| 1\.00\s→\s1\.30\ss<br>\*\*\+30\.0%\*\* \|/)
  expect(summary).not.toContain('sum1')
})
