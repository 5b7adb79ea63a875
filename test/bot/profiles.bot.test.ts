import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import type { TriageReport } from '../../src/report/report.ts'
import { type BotSetting, botComments, makeBotSetting, PUBLIC_URL, rawRun, STEADY } from './bot-setting.ts'

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

/** The query has the name of the branch: one that is flagged in every pull request is nobody's regression. */
async function told(
  head: string,
  files: Files,
  hasProfiles: boolean,
  commits: readonly Files[] = [],
  backups = 0,
): Promise<{ readonly report: TriageReport; readonly body: string; readonly pull: PullRequest }> {
  const { github, repo, bot } = setting
  const pull = github.openPullRequest({ repo, head, files })
  for (const more of commits) github.commit(repo, { branch: head, files: more, message: 'More' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({
    [`${head}-raw.tsv`]: rawRun(head, [{ old: OLD, new: OVERLAPPING }]),
    'same-raw.tsv': rawRun('same', [{ old: STEADY, new: STEADY }]),
    ...(hasProfiles && profilesOf(head, backups)),
  })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  await setting.settled()
  const report = await bot.store.reportOf(repo.id, pull.number)
  return { report: report!, body: botComments(pull)[0]!.body, pull }
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
  expect(body).toContain(
    '`Aggregator::executeImpl` 31\u00a0% → 44\u00a0% of the stack samples, which the pull request changes',
  )
  expect(body).toContain('- `MergeTreeReader::readRows` 69\u00a0% → 56\u00a0% (-13.0\u00a0points)')
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
    '**Inside this pull request:** 3 commits, 2 of which can change the binary; one build would find',
  )
  expect(body).toContain(`/commit/${report.head}) touches the query’s path.`)
})

test('a change elsewhere asks for a rerun where all of it is known, and excuses nothing', async () => {
  const files = { 'src/Backup.cpp': source('Backup', 'copyFile', 'fresh();') }
  const { report, body } = await told('innocent', files, true, [], 200)
  expect(kindsOf(report)).toContain('off-path')
  expect(rowOf(report).verdict).toBe('needs-rerun')
  expect(body).toContain(
    'the one function that the pull request changes is not in the stacks of the 1 function that grew in the profile',
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
