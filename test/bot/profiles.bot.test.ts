import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { zipOf } from '../../demo/github/zip.ts'
import type { TriageReport } from '../../src/report/report.ts'
import { flameGraphPath } from '../../src/report/urls.ts'
import { type BotSetting, botComments, makeBotSetting, PUBLIC_URL, rawRun, STEADY } from './bot-setting.ts'
import { startCiDatabase, variablesOfCi } from './ci-database.ts'

/** What the profiles in an archive and the diff of the pull request say together. */

const OLD = [...STEADY, ...STEADY.slice(1)]
/** Slower by a fifth, with one repetition among the old ones: surely slower, and the samples overlap. */
const OVERLAPPING = [...OLD.slice(1).map((value) => value * 1.2), 104]

const GROUP = 'main;DB::executeQuery(int);void DB::Aggregator::executeImpl<DB::Method>(unsigned long) const'
const BACKUP = 'thread;DB::Backup::copyFile(unsigned long) const'
const READ = 'main;DB::executeQuery(int);DB::MergeTreeReader::readRows(unsigned long)'

/** One table of a side: test, index, trace type, name, stack, count. */
function stacks(query: string, counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([stack, count]) => `${query}\t0\tCPU\tSELECT 0 FROM ${query}\t${stack}\t${count}\n`)
    .join('')
}

/** `backups`: stack samples a side of a thread that has nothing to do with the query. */
const profilesOf = (query: string, backups: number) => ({
  'report/stacks.left.tsv': stacks(query, { [GROUP]: 310, [READ]: 690 - backups, [BACKUP]: backups }),
  'report/stacks.right.tsv': stacks(query, { [GROUP]: 440, [READ]: 560 - backups, [BACKUP]: backups }),
})

/** A class of which one method is long enough that a change in it shows no more than its name. */
const source = (name: string, method: string, line: string) => `#include "${name}.h"

void ${name}::prepare()
{
    a();
}

void ${name}::${method}(size_t rows) const
{
    b();
    c();
    d();
    ${line}
    e();
}
`

let setting: BotSetting

beforeAll(async () => {
  setting = await makeBotSetting({
    files: {
      'src/Aggregator.cpp': source('Aggregator', 'executeImpl', 'old();'),
      'src/Backup.cpp': source('Backup', 'copyFile', 'old();'),
    },
  })
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

type Files = Readonly<Record<string, string>>

const resultsOf = (queries: readonly (readonly [query: string, fresh: readonly number[]])[], profiles: Files = {}) => {
  const raw = queries.map(([query, fresh]) => [
    `${query}-raw.tsv`,
    rawRun(query, [{ old: query === 'same' ? STEADY : OLD, new: fresh }]),
  ])
  return { artifacts: [{ name: 'performance-results', zip: zipOf({ ...Object.fromEntries(raw), ...profiles }) }] }
}

/** The query has the name of the branch: one that is flagged in every pull request is nobody's regression. */
async function told(head: string, files: Files, hasProfiles: boolean, commits: readonly Files[] = [], backups = 0) {
  const { github, repo, bot } = setting
  const pull = github.openPullRequest({ repo, head, files })
  for (const more of commits) github.commit(repo, { branch: head, files: more, message: 'More' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const results = resultsOf(
    [
      [head, OVERLAPPING],
      ['same', STEADY],
    ],
    hasProfiles ? profilesOf(head, backups) : {},
  )
  await github.finishWorkflowRun(run, results)
  await setting.settled()
  const report = await bot.store.reports.of(repo.id, pull.number)
  return { report: report!, body: botComments(pull)[0]!.body, pull, run }
}

const rowOf = ({ rows }: TriageReport) => rows.find(({ test: name }) => name !== 'same')!
const kindsOf = (report: TriageReport) => rowOf(report).evidence.map(({ kind }) => kind)

test('the function that grew is the one that the diff changes', async () => {
  const { report, body, pull } = await told(
    'guilty',
    { 'src/Aggregator.cpp': source('Aggregator', 'executeImpl', 'fresh();') },
    true,
  )
  expect(rowOf(report)).toMatchObject({ verdict: 'regression', profile: { traceType: 'CPU', architecture: null } })
  expect(rowOf(report).evidence.find(({ kind }) => kind === 'on-path')).toEqual({
    kind: 'on-path',
    architecture: null,
    functions: [{ name: 'DB::Aggregator::executeImpl', file: 'src/Aggregator.cpp', oldShare: 0.31, newShare: 0.44 }],
  })
  expect(body).toContain('`Aggregator::executeImpl`, which this PR changes, grew from 31% to 44% of CPU samples')
  expect(body).toContain('- `MergeTreeReader::readRows` 69% → 56% (−13.0\u00a0points)')
  expect(body).toContain(
    `[flame graph](${PUBLIC_URL}/r/acme/engine/pull/${pull.number}/${report.head}/flame/q-guilty-0-`,
  )
  expect(report.pullRequestWindow).toBeNull()
  expect(body).not.toContain('Inside this pull request')
})

test('the commits of the pull request that touch it', async () => {
  const { report, body } = await told('several', { 'src/Backup.cpp': source('Backup', 'copyFile', 'fresh();') }, true, [
    { 'docs/index.md': 'words\n' },
    { 'src/Aggregator.cpp': source('Aggregator', 'executeImpl', 'fresh();') },
  ])
  expect(kindsOf(report)).toContain('on-path')
  const window = report.pullRequestWindow!
  expect(window).toMatchObject({ setAside: 1, steps: 1, filesUnknown: 0 })
  expect([window.commits.length, window.functional.length, window.onPath?.length]).toEqual([3, 2, 1])
  expect(window.onPath![0]!.sha).toBe(report.head)
  expect(body).toContain(
    '**Inside this pull request:** 3 commits; 2 can change the binary; one build would find the cause: ',
  )
  expect(body).toContain(`/commit/${report.head}) touches the query’s path.`)
})

test('a change elsewhere asks for a rerun where all of it is known, and excuses nothing', async () => {
  const files = { 'src/Backup.cpp': source('Backup', 'copyFile', 'fresh();') }
  const { report, body } = await told('innocent', files, true, [], 200)
  expect(kindsOf(report)).toContain('off-path')
  expect(rowOf(report).verdict).toBe('needs-rerun')
  expect(body).toContain(
    'the only function that the pull request changes is not in the stacks of the 1 function that grew in the profile',
  )
})

test('a changed function that no stack has may be compiled into the one that grew: nothing is said', async () => {
  const files = { 'src/Backup.cpp': source('Backup', 'copyFile', 'other();') }
  const { report } = await told('hidden', files, true)
  expect(kindsOf(report)).not.toContain('off-path')
  expect(rowOf(report).verdict).toBe('regression')
})

test('a changed header may be compiled into anything: nothing is said', async () => {
  const { report } = await told(
    'header',
    { 'src/Backup.cpp': source('Backup', 'copyFile', 'fresh();'), 'src/Arena.h': 'int a;\n' },
    true,
    [],
    200,
  )
  expect(kindsOf(report)).not.toContain('off-path')
  expect(rowOf(report).verdict).toBe('regression')
})

test('an archive without profiles is a report without them', async () => {
  const { report, body } = await told(
    'without',
    { 'src/Aggregator.cpp': source('Aggregator', 'executeImpl', 'other();') },
    false,
  )
  expect(rowOf(report)).toMatchObject({ verdict: 'regression', profile: null })
  expect(body).not.toMatch(/flame graph|Where the time went/)
})

test('a link of the comment still answers after a rerun without a profile, and after one without the query', async () => {
  const { github, repo, bot } = setting
  const files = { 'src/Aggregator.cpp': source('Aggregator', 'executeImpl', 'again();') }
  const { body, run, report: first } = await told('again', files, true)
  const link = new RegExp(`\\[flame graph\\]\\(${PUBLIC_URL}([^)]*)\\)`).exec(body)![1]!
  const fetched = async (path: string) => {
    const answer = await fetch(bot.url + path)
    return { status: answer.status, text: await answer.text() }
  }
  const stacksAt = async () => await fetched(`${link}?format=tsv`)
  const before = await stacksAt()
  expect(before.text).toContain(`${GROUP}\t310\t440`)
  expect((await fetched(link)).text).not.toContain('from an earlier run')

  const after = async (results: ReturnType<typeof resultsOf>) => {
    github.rerunWorkflow(run)
    await github.finishWorkflowRun(run, results)
    await setting.settled()
    return (await bot.store.reports.of(repo.id, first.pullRequest.number))!
  }
  const second = await after(
    resultsOf([
      ['again', OVERLAPPING],
      ['same', STEADY],
    ]),
  )
  expect(second.replacedRuns).toHaveLength(1)
  const wanted = { ...rowOf(second), repositoryId: repo.id, head: second.head, architecture: null }
  expect(await bot.store.profiles.summariesOf(wanted)).toEqual([])
  expect(await stacksAt()).toEqual(before)
  expect((await fetched(link)).text).toContain('This profile is from an earlier run of this commit')
  expect((await fetched(`${link}/flame-graph.svg`)).status).toBe(200)

  const third = await after(resultsOf([['same', STEADY]]))
  expect(third.rows.map(({ test: name }) => name)).toEqual(['same'])
  expect(await stacksAt()).toEqual(before)
  expect((await fetched(link.replace('/flame/', '/query/'))).status).toBe(200)
})

test('the flame graph of a judged row stays when the CI database is gone, as long as the operator allows it', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-profiles-'))
  const database = await startCiDatabase(folder)
  await database.command(
    `CREATE TABLE default.perf_flamegraph_stacks_v1 (check_start_time DateTime('UTC'), new_sha String, arch String,
       baseline_kind String, test String, query_index UInt32, query_display_name String, side String, trace_type String,
       stack String, samples UInt64) ENGINE = MergeTree ORDER BY test`,
  )
  const env = variablesOfCi(database)
  const other = await makeBotSetting({ env })
  const { github, repo } = other
  try {
    const pull = github.openPullRequest({ repo, head: 'copied', files: { 'src/a.cpp': 'a' } })
    const { head } = pull
    const counts = Object.entries({ [GROUP]: [310, 440], [READ]: [690, 560] })
    const rows = ['copied', 'same'].flatMap((name) =>
      counts.flatMap(([stack, sides]) =>
        sides.map((count, side) => {
          const sideName = side === 0 ? 'baseline' : 'candidate'
          return `(${Math.floor(Date.now() / 1000)}, '${head.sha}', '', 'master_head', '${name}', 0, 'SELECT 0 FROM ${name}', '${sideName}', 'CPU', '${stack}', ${count})`
        }),
      ),
    )
    await database.command(`INSERT INTO default.perf_flamegraph_stacks_v1 VALUES ${rows.join(', ')}`)
    const zip = zipOf({
      'copied-raw.tsv': rawRun('copied', [{ old: OLD, new: OVERLAPPING }]),
      'same-raw.tsv': rawRun('same', [{ old: STEADY, new: STEADY }]),
    })
    await github.finishWorkflowRun(github.startWorkflowRun(repo, { name: 'Performance', pull }), {
      artifacts: [{ name: 'performance-results', zip }],
    })
    await other.settled()
    const report = (await other.bot.store.reports.of(repo.id, pull.number))!
    expect(rowOf(report)).toMatchObject({ test: 'copied', verdict: 'regression', profile: { traceType: 'CPU' } })

    const same = report.rows.find(({ test: name }) => name === 'same')!
    const flame = async (row = rowOf(report)) => {
      const path = flameGraphPath({ owner: 'acme', repo: 'engine', number: pull.number, head: report.head }, row)
      const response = await fetch(`${other.bot.url}${path}?format=tsv`)
      return response.ok ? (await response.text()).split('\n').toSorted() : response.status
    }
    const there = await flame()
    expect(there).toContain(`${GROUP}\t310\t440`)
    expect(await flame(same)).toContain(`${READ}\t690\t560`)

    // A row without a verdict is asked live.
    database.line.isOn = false
    await other.restart()
    expect(await flame()).toEqual(there)
    expect(await flame(same)).toBe(404)

    // Judged again while the CI database has dropped it, it keeps its profile.
    database.line.isOn = true
    await database.command('TRUNCATE TABLE default.perf_flamegraph_stacks_v1')
    github.requests.length = 0
    await github.finishWorkflowRun(github.startWorkflowRun(repo, { name: 'Style', pull }))
    await other.settled()
    expect(github.requests.map(({ path }) => path)).toContain(`/repos/acme/engine/pulls/${pull.number}/files`)
    const again = (await other.bot.store.reports.of(repo.id, pull.number))!
    expect(rowOf(again).profile).toEqual(rowOf(report).profile)
    expect(await flame()).toEqual(there)

    await other.bot.historySync.round()
    expect(await other.bot.store.profileCopies.sources()).toEqual([
      { repositoryId: repo.id, copiedFrom: `${database.url}/perf_flamegraph_stacks_v1` },
    ])
    env['CIDB_REPOSITORIES'] = 'acme/another'
    await other.restart()
    expect(await flame()).toBe(404)
    await other.bot.historySync.round()
    expect(await other.bot.store.profileCopies.sources()).toEqual([])
    expect(github.violations).toEqual([])
  } finally {
    await other.close()
    await database.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})

test('a profile of Go beside its results is the flame graph of each benchmark', async () => {
  const { github, repo, bot } = setting
  const pull = github.openPullRequest({ repo, head: 'go', files: { 'words.go': 'package words' } })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const file = (path: string) => readFileSync(new URL(`../data/profile-go/${path}`, import.meta.url))
  const old = Array.from({ length: 7 }, (_, place) => `BenchmarkCount-2 100 ${100 + place} ns/op\n`).join('')
  const zip = zipOf({
    'old/bench.txt': `pkg: example.com/words\n${old}`,
    'new/bench.txt': `pkg: example.com/words\n${old.replaceAll('100 1', '100 2')}`,
    'old/cpu.pprof': file('old/cpu.pprof'),
    'new/cpu.pprof': file('new/cpu.pprof'),
  })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-go', zip }] })
  await setting.settled()
  const report = (await bot.store.reports.of(repo.id, pull.number))!
  const [row] = report.rows
  expect(row).toMatchObject({ queryName: 'BenchmarkCount-2', verdict: 'regression', profile: { traceType: 'CPU' } })
  const address = { owner: 'acme', repo: 'engine', number: pull.number, head: pull.head.sha }
  const page = await fetch(`${bot.url}${flameGraphPath(address, row!)}`)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('strings.ToUpper')
  expect(botComments(pull)[0]!.body).toContain('flame graph')
})
