import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { NEW_TEST, NOW, NOWHERE, PROMISE, REFRESH, type SeedThread, seedThread } from '../../demo/seed-thread.ts'
import { checkRow, DAY, HOUR, trunkRow } from '../store/checks/check-rows.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'
import { type CiDatabaseServer, startCiDatabase, variablesOfCi } from './ci-database.ts'

/** Failing tests from a CI database that others fill: the failures of a real pull request and what must not be counted. */

const CONFIG = `
ledger:
  table: default.checks
  playUrl: https://play.example.org/play?user=play
  lookbackDays: 30
`

let setting: BotSetting
let database: CiDatabaseServer
let clock = NOW
const folder = mkdtempSync(join(tmpdir(), 'perf-triage-ci-database-'))

beforeAll(async () => {
  database = await startCiDatabase(folder)
})
// The ledger of each is its own: what one test's failures were, or a clock that went on, is not in the next one's counts.
beforeEach(async () => {
  clock = NOW
  setting = await makeBotSetting({
    files: { '.github/perf-triage.yml': CONFIG },
    bot: { now: () => clock },
    env: variablesOfCi(database),
  })
})
afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.close()
})
afterAll(async () => {
  await database.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

let opened = 0

/** A pull request of a fork that adds a test; its CI has failed as in the thread, and its performance run is in. */
async function failedPullRequest(run = rawRun('sum', [{ old: STEADY, new: STEADY }])): Promise<PullRequest> {
  const { github, repo } = setting
  opened += 1
  const pull = github.openPullRequest({
    repo,
    head: `reserve-${opened}`,
    fork: { owner: `dev-${opened}` },
    files: {
      [`tests/queries/0_stateless/${NEW_TEST}.sql`]: 'SELECT 1',
      'src/Interpreters/Aggregator.cpp': 'int main() {}',
    },
  })
  const thread = threadOf(pull)
  await database.command('TRUNCATE TABLE default.checks')
  await database.fill(thread.rows)
  await turnRed(pull, thread.redChecks)
  const performance = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(performance, {
    artifacts: [{ name: 'performance-results', zip: zipOf({ 'sum-raw.tsv': run }) }],
  })
  await setting.settled()
  return pull
}

function threadOf(pull: PullRequest): SeedThread {
  return seedThread({
    number: pull.number,
    head: pull.head.sha,
    headRef: pull.head.ref,
    headRepo: `dev-${opened}/engine`,
  })
}

async function turnRed(pull: PullRequest, names: readonly string[]): Promise<void> {
  const { github, repo } = setting
  for (const name of names) {
    github.finishCheckRun(github.startCheckRun(repo, { name, headSha: pull.head.sha }), 'failure')
  }
  await setting.settled()
}

/** Wakes the triage of a pull request as an event would. */
async function lookAgain(pull: PullRequest): Promise<void> {
  const { inbox, worker } = setting.bot
  const { installationId, owner, repo } = (await inbox.installations.list())[0]!
  await inbox.triages.wake(
    { installationId, repositoryId: setting.repo.id, owner, repo, pullRequestNumber: pull.number, head: null },
    clock,
  )
  worker.poke()
  await setting.settled()
}

/** The visible text of the rows of the section, without the addresses of links; days as DAY. */
function failingTestsOf(pull: PullRequest): string {
  const [comment] = botComments(pull)
  const open = /^\| look at these [\s\S]*?(?=\n\n)/m.exec(comment!.body)?.[0] ?? ''
  const known = /known failures?.*<\/summary>\n\n([\s\S]*?)\n\n<\/details>/.exec(comment!.body)?.[1] ?? ''
  const notKnown = /^\*\*Not known:\*\* .*$/m.exec(comment!.body)?.[0] ?? ''
  const days = /(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s\d+(?:, \d{4})?/g
  return [open, known, notKnown]
    .filter((part) => part !== '')
    .join('\n\n')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(days, 'DAY')
}

test('the failures of the thread: every count exact, every sentence as a maintainer writes it', async () => {
  const pull = await failedPullRequest()
  expect(botComments(pull)).toHaveLength(1)
  const { body } = botComments(pull)[0]!
  expect(body.split('\n')[1]).toMatchInlineSnapshot(
    `"### Your new test fails, 1 more looks like yours; 3 are known failures. No slowdown found in 1 query"`,
  )
  expect(failingTestsOf(pull)).toMatchInlineSnapshot(`
    "| look at these |
    | --- |
    | \`03999_my_new_test\` in [\`Stateless tests (amd_debug)\`]<br>\`Code: 47. DB::Exception: Unknown identifier x\` · new in this PR · [evidence] |
    | \`\`test_storage \\| it's/test.py::test_quotes[a-\`b\`-1]\`\` in [\`Integration tests (amd_asan, 3/6)\`]<br>\`AssertionError: assert 5 == 7\` · new error: 0 of 245 executions elsewhere had it · the test failed in 5 other PRs with other errors · [evidence] |

    | failing test |
    | --- |
    | \`Hung check failed, possible deadlock found\` in [\`Stress test (amd_msan)\`]<br>**chronic**: 212 unrelated pull requests, 340 hits, 61 on the main branch in 30 days, since DAY · failed in 61 of 65 runs on the main branch, 85–98% · last pass on the main branch [\`0000000\`] (DAY) · [evidence] · no issue yet, [report it] |
    | \`future_error 'promise has been destructed'\` (STID 2508-38c6) in [\`Stress test (arm_tsan)\`]<br>**chronic**: 7 unrelated pull requests, 8 hits, 0 on the main branch, since DAY · failed in 0 of 4 runs on the main branch · last pass on the main branch [\`0000000\`] (DAY) · 20 failures in 1 hour of mass failure not counted · [evidence] · no issue yet, [report it] |
    | \`Logical error 'Unexpected exception in refresh scheduling'\` (STID 2508-3e7b) in [\`Stress test (arm_msan)\`]<br>**chronic**: 4 unrelated pull requests, 5 hits, 1 on the main branch, since DAY · failed in 1 of 5 runs on the main branch, 4–62% · last pass on the main branch [\`0000000\`] (DAY) · [evidence] · no issue yet, [report it] · with its fallout: \`Cannot start clickhouse-server\`, \`Check failed\` |

    **7 red checks**
    - may be yours: [\`Integration tests (amd_asan, 3/6)\`] and [\`Stateless tests (amd_debug)\`]
    - known failures: [\`Stress test (amd_msan)\`], [\`Stress test (arm_msan)\`] and [\`Stress test (arm_tsan)\`]
    - red only because other checks are: [\`PR\`] and [\`Mergeable Check\`]"
  `)
  // The statement behind the link can be run as it is.
  const sql = Buffer.from(/play\?user=play#([A-Za-z0-9+/=]+)\)/.exec(body)![1]!, 'base64').toString()
  await database.command(sql)
})

test('the ledger keeps an entry of what is chronic, and closes it when it has been quiet', async () => {
  await failedPullRequest()
  const { store } = setting.bot
  const open = await store.ledger.of(setting.repo.id)
  expect(
    open
      .map(({ testName, state, unrelatedPullRequests, hits30, trunkHits }) => [
        testName,
        state,
        unrelatedPullRequests,
        hits30,
        trunkHits,
      ])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  ).toMatchInlineSnapshot(`
    [
      [
        "Hung check failed, possible deadlock found",
        "open",
        213,
        341,
        61,
      ],
      [
        "Logical error 'Unexpected exception in refresh scheduling' (STID: 2508-3e7b)",
        "open",
        5,
        6,
        1,
      ],
      [
        "future_error 'promise has been destructed' (STID: 2508-38c6)",
        "open",
        8,
        15,
        0,
      ],
    ]
  `)

  clock += 40 * 24 * 3600_000
  setting.bot.worker.poke()
  await setting.settled()
  const later = await store.ledger.of(setting.repo.id)
  expect(new Set(later.map(({ state }) => state))).toEqual(new Set(['closed']))
})

test('a database that is down, slow or strange is said, nothing is called flaky, and the comment is completed', async () => {
  database.line.off()
  // The rows are written past the line that is cut.
  const pull = await failedPullRequest(rawRun('sum', [{ old: STEADY, new: SLOWER }]))
  const [said] = botComments(pull)
  expect(said!.body).toContain('because the CI results database can’t be reached')
  expect(said!.body).not.toMatch(/chronic|flaky|known failure|like yours/)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ conclusion: 'neutral' }])

  database.line.isOn = true
  await database.command('ALTER TABLE default.checks RENAME COLUMN test_status TO other')
  await lookAgain(pull)
  expect(botComments(pull)[0]!.body).toContain('lacks a column')
  expect(botComments(pull)[0]!.body).not.toMatch(/chronic|flaky|known failure|like yours/)

  await database.command('ALTER TABLE default.checks RENAME COLUMN other TO test_status')
  await lookAgain(pull)
  expect(failingTestsOf(pull)).toContain('7 unrelated pull requests, 8 hits, 0 on the main branch')
  expect(botComments(pull)).toHaveLength(1)
})

test('an empty CI database: nothing of the red checks is known, and that is what is said', async () => {
  const { github, repo } = setting
  await database.command('TRUNCATE TABLE default.checks')
  const pull = github.openPullRequest({ repo, head: 'nothing-known' })
  await turnRed(pull, ['Stress test (arm_tsan)'])
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, {
    artifacts: [
      { name: 'performance-results', zip: zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) }) },
    ],
  })
  await setting.settled()
  const { body } = botComments(pull)[0]!
  expect(body).toContain('Stress test (arm_tsan)')
  expect(body).not.toMatch(/chronic|flaky|accounted/)
})

test('a check that is run again and passes is no failure any more', async () => {
  const pull = await failedPullRequest(rawRun('sum', [{ old: STEADY, new: SLOWER }]))
  expect(failingTestsOf(pull)).toContain(PROMISE.slice(0, 20))
  const { github, repo } = setting
  github.finishCheckRun(
    github.startCheckRun(repo, { name: 'Stress test (arm_tsan)', headSha: pull.head.sha }),
    'success',
  )
  await lookAgain(pull)
  expect(failingTestsOf(pull)).not.toContain('promise has been destructed')
  expect(failingTestsOf(pull)).toContain(REFRESH.slice(15, 40))
  expect(failingTestsOf(pull)).toContain(NOWHERE.slice(0, 10))
})

test('a check that was run again and is red again is not judged by its first attempt', async () => {
  const pull = await failedPullRequest(rawRun('sum', [{ old: STEADY, new: SLOWER }]))
  const { github } = setting
  // Less than a token lives.
  github.advance(40 * 60_000)
  await turnRed(pull, ['Stress test (arm_tsan)'])
  await lookAgain(pull)
  expect(failingTestsOf(pull)).not.toContain('promise has been destructed')
  expect(botComments(pull)[0]!.body).toContain('Stress test (arm_tsan)')
  expect(botComments(pull)[0]!.body).not.toContain('Every red check is accounted for')
})

test('a failure that the trunk has left behind names the pull request that was merged for it, and never what a title claims beside the trunk', async () => {
  const { github, repo } = setting
  const FIXED = '02999_merged_fix'
  const CHECK = 'Stateless tests (amd_debug)'
  const start = Date.now()
  // Its build is from before the trunk failed.
  const pull = github.openPullRequest({ repo, head: 'own', fork: { owner: 'dev' } })
  const commitOf = (message: string) => github.commit(repo, { files: { 'src/a.c': message }, message }).sha
  const broken = ['one', 'two', 'three', 'four'].map(commitOf)
  const fix = commitOf(`Fix flaky ${FIXED} (#77)`)
  const after = Array.from({ length: 40 }, (_, at) => github.commit(repo, { files: { 'src/b.c': `${at}` } }).sha)
  // A stranger's branch has such a title too.
  const stranger = github.openPullRequest({ repo, head: 'claims', fork: { owner: 'mallory' }, title: `Fix ${FIXED}` })
  clock = start + 2 * DAY
  const failing = broken.map((commitSha, at) => ({ commitSha, checkStartTime: start - (9 - 2 * at) * DAY }))
  const passing = [
    ...failing.map(({ checkStartTime }, at) => ({ commitSha: `between-${at}`, checkStartTime: checkStartTime - DAY })),
    ...[fix, ...after].map((commitSha, at) => ({ commitSha, checkStartTime: start + (at + 1) * HOUR })),
  ]
  const of = {
    checkName: CHECK,
    testName: FIXED,
    baseRepo: 'acme/engine',
    headRepo: 'acme/engine',
    headRef: repo.defaultBranch,
  }
  const output = { testContextRaw: 'Code: 42. the merge of one part never came' }
  await database.command('TRUNCATE TABLE default.checks')
  await database.fill([
    ...failing.map((run) => trunkRow({ ...of, ...output, ...run })),
    ...passing.map((run) => trunkRow({ ...of, ...run, checkStatus: 'success', testStatus: 'OK' })),
    checkRow({
      ...of,
      ...output,
      headRepo: 'dev/engine',
      headRef: 'own',
      pullRequestNumber: pull.number,
      commitSha: pull.head.sha,
      checkStartTime: clock - HOUR,
    }),
  ])
  await turnRed(pull, [CHECK])
  const performance = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]) })
  await github.finishWorkflowRun(performance, { artifacts: [{ name: 'performance-results', zip }] })
  await setting.settled()
  const said = botChecks(setting, pull.head.sha).at(-1)!.output.text!
  expect(said).toContain(FIXED)
  expect(said).toContain('update the branch (`#77`, merged in between, names it)')
  expect(said).not.toContain(`#${stranger.number}`)
})
