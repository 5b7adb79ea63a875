import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Comment, PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import type { TrunkRow } from '../../src/intake/imports/history/trunk-row.ts'
import { openClickHouse } from '../../src/store/client.ts'
import { perfTriage } from '../cli/commands/capture.ts'
import { type OwnDatabase, serverVariablesOf } from '../store/embedded/engine-fixture.ts'
import {
  type BotSetting,
  botChecks,
  botComments,
  environmentVariables,
  makeBotSetting,
  rawRun,
  STEADY,
  writes,
} from './bot-setting.ts'

const GATING = 'mode: gating\nworkflows: [performance.yml]\nchecks: [perf]\nresults: [{ artifact: results }]\n'
const PATH = '.github/perf-triage.yml'

let setting: BotSetting
let opened = 0

beforeAll(async () => {
  setting = await makeBotSetting({ files: { [PATH]: GATING } })
  for (const name of ['maria', 'nora']) setting.github.setPermission(setting.repo, name, 'write')
})
afterEach(() => {
  expect(setting.github.violations).toEqual([])
  // GitHub takes 80 writes a minute, which are counted anew.
  setting.github.advance(60_000)
})
afterAll(() => setting.close())

function open(repo = setting.repo): PullRequest {
  opened += 1
  return setting.github.openPullRequest({
    repo,
    head: `work-${opened}`,
    author: 'alice',
    files: { 'a.cpp': `${opened}` },
  })
}

const times = (factor: number) => STEADY.map((value) => value * factor)

/** Results of two tests, each slower by its factor. */
async function measured(pull: PullRequest, sum: number, hash = 1, oldCommit?: string, test = 'sum'): Promise<void> {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({
    [`${test}-raw.tsv`]: rawRun(test, [{ old: STEADY, new: times(sum) }]),
    'hash-raw.tsv': rawRun('hash', [{ old: STEADY, new: times(hash) }]),
    ...(oldCommit !== undefined && { 'left-commit.txt': `${oldCommit}\n` }),
  })
  const check = github.startCheckRun(repo, { name: 'perf', headSha: pull.head.sha, workflowRun: run })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'results', zip }] })
  github.finishCheckRun(check, 'success')
  await setting.settled()
}

async function push(pull: PullRequest): Promise<void> {
  opened += 1
  setting.github.push(pull, { 'a.cpp': `${opened}` })
  await setting.settled()
}

async function say(pull: PullRequest, by: string, body: string): Promise<Comment> {
  const comment = setting.github.comment(pull, by, body)
  await setting.settled()
  return comment
}

const reactionsTo = ({ reactions }: Comment) => reactions.map(({ content }) => content)
const conclusion = ({ head }: PullRequest) => botChecks(setting, head.sha).at(-1)?.conclusion
const report = (pull: PullRequest) => botComments(pull).find(({ body }) => body.includes('perf-triage:v1'))!.body

test('an intended slowdown: red, accepted, green, green after a push within its size, red beyond it; after the merge the next one is not blamed', {
  timeout: 240_000,
}, async () => {
  const pull = open()
  await measured(pull, 1.5)
  expect(conclusion(pull)).toBe('failure')
  expect(report(pull)).toContain('/perf accept')

  expect(reactionsTo(await say(pull, 'alice', '/perf accept all "I like it"'))).toEqual(['confused'])
  expect(conclusion(pull)).toBe('failure')

  expect(reactionsTo(await say(pull, 'maria', '/perf accept sum #0 "reads more columns"'))).toEqual(['+1'])
  expect(conclusion(pull)).toBe('success')
  expect(report(pull)).toContain('accepted by maria at +50.0')
  expect(report(pull)).toContain('reads more columns')
  expect(report(pull)).toMatch(
    /```yaml\ntests:\n {2}- \{"test":"sum","query":0,"accepted":0\.5,"reason":"reads more columns","until":"\d{4}-\d\d-\d\d"\}\n```/,
  )

  await push(pull)
  await measured(pull, 1.52)
  expect(conclusion(pull)).toBe('success')

  await push(pull)
  await measured(pull, 1.8)
  expect(conclusion(pull)).toBe('failure')
  expect(report(pull)).toContain('accepted by maria at +50.0')
  expect(report(pull)).toContain('grown beyond')

  await say(pull, 'maria', '/perf accept all "that too"')
  expect(conclusion(pull)).toBe('success')
  await say(pull, 'maria', '/perf unaccept')
  expect(conclusion(pull)).toBe('failure')
  await say(pull, 'maria', '/perf accept all "that too"')
  expect(conclusion(pull)).toBe('success')

  // The merge, with the trunk's runs of the twenty commits on each side of it.
  const { github, repo, bot } = setting
  const before = commitsOf(20)
  github.closePullRequest(pull, { merge: true, by: 'maria' })
  const after = [pull.mergeCommitSha!, ...commitsOf(19)]
  await bot.store.trunkHistory.save(repo.id, trunkOf(before, after, 1.8))
  await setting.settled()

  // Once on the pull request, whatever the trunk does then.
  for (const message of ['a', 'b']) {
    await trunkMoves(message)
    await expect.poll(() => aboutMerge(pull).length).toBe(1)
    await setting.settled()
  }
  expect(aboutMerge(pull)).toEqual([
    expect.stringMatching(
      /- `sum #0`, \+80\.0% here: confirmed, \+80\.\d% on the main branch \(between .*; 5 runs since, 19 before\)$/,
    ),
  ])

  // Beside what they are of they can be counted.
  const clickhouse = await openClickHouse(setting.database)
  const counted =
    'SELECT kind, actor, reason FROM decisions FINAL WHERE pull_request_number = {pull:UInt32} ORDER BY decision_id'
  const row = z.object({ kind: z.string(), actor: z.string(), reason: z.string() })
  expect(await clickhouse.read('decisions', counted, { pull: pull.number }, row)).toEqual([
    { kind: 'accept', actor: 'maria', reason: 'reads more columns' },
    { kind: 'accept', actor: 'maria', reason: 'that too' },
    { kind: 'unaccept', actor: 'maria', reason: '' },
    { kind: 'accept', actor: 'maria', reason: 'that too' },
  ])
  await clickhouse.close()

  const next = open()
  await measured(next, 1.8, 1, before.at(-1))
  expect(conclusion(next)).toBe('success')
  expect(botComments(next)).toEqual([])
  const known = (await bot.store.reports.of(repo.id, next.number))!
  expect(known.rows.find(({ test }) => test === 'sum')).toMatchObject({ verdict: 'already-on-trunk', guarded: false })
  const step = { lastGood: { commit: before.at(-1) }, firstBad: { commit: pull.mergeCommitSha } }
  const acceptedIn = { pullRequestNumber: pull.number, actor: 'maria', reason: 'that too' }
  expect(known.windows).toMatchObject([{ step, acceptedIn }])

  // A size that nobody accepted is not waved through.
  const worse = open()
  await measured(worse, 2.2, 1, before.at(-1))
  expect(conclusion(worse)).toBe('failure')

  // One whose old build has the step as well is compared with it.
  const later = open()
  await measured(later, 1, 1, after.at(-1))
  expect(conclusion(later)).toBe('success')
  expect(botComments(later)).toEqual([])
})

test('after a merge a slowdown that the trunk does not show is said once; where the pull request is muted, it is only looked for', async () => {
  const { github, repo, bot } = setting
  const before = commitsOf(8)
  const [said, muted] = [open(), open()]
  for (const pull of [said, muted]) {
    await measured(pull, 1, 1.5)
    if (pull === muted) await say(pull, 'nora', '/perf mute')
    github.closePullRequest(pull, { merge: true, by: 'maria' })
  }
  const after = [said.mergeCommitSha!, muted.mergeCommitSha!, ...commitsOf(5)]
  await bot.store.trunkHistory.save(repo.id, trunkOf(before, after, 1, 'hash'))
  await setting.settled()
  // GitHub takes the comment, and its answer is lost.
  const path = new RegExp(`/issues/${said.number}/comments$`)
  github.fault({ path, method: 'POST', kind: 'truncate', times: 1 })
  await trunkMoves('c')
  await expect.poll(() => bot.inbox.merges.waiting(repo.id, 9), { timeout: 60_000 }).toEqual([])
  expect(aboutMerge(muted)).toEqual([])
  const looked = (await bot.inbox.merges.shown(repo.id)).filter(
    ({ pullRequestNumber }) => pullRequestNumber >= said.number,
  )
  expect(looked.map(({ shown }) => shown.map(({ test, outcome }) => [test, outcome]))).toEqual([
    [['hash', 'did-not-appear']],
    [['hash', 'did-not-appear']],
  ])
  expect(aboutMerge(said)).toEqual([
    expect.stringMatching(
      /- `hash #0`, \+50\.0% here: did not appear: [+−]?0\.\d% on the main branch \(between .*; 5 runs since, 7 before\)$/,
    ),
  ])
})

const aboutMerge = (pull: PullRequest) =>
  botComments(pull)
    .map(({ body }) => body)
    .filter((body) => body.startsWith('<!-- perf-triage-after-merge'))

function commitsOf(count: number): string[] {
  const { github, repo } = setting
  const files = (index: number) => ({ 'docs.md': `${index} of ${count}` })
  return Array.from({ length: count }, (_, index) => github.commit(repo, { files: files(index) }).sha)
}

/** A workflow on a new commit of the trunk ends, which wakes the bot. */
async function trunkMoves(message: string): Promise<void> {
  const { github, repo } = setting
  const { sha } = github.commit(repo, { files: { 'docs.md': message } })
  await github.finishWorkflowRun(github.startWorkflowRun(repo, { name: 'Performance', headSha: sha }))
}

/** Runs of the trunk every four hours in which the test takes `factor` times as long from the first of `after` on. */
function trunkOf(before: readonly string[], after: readonly string[], factor: number, name = 'sum'): TrunkRow[] {
  const commits = [...before, ...after]
  const level = (index: number) => (index < before.length ? 0.103 : 0.103 * factor)
  // A little noise, the same at each start.
  const wobble = (index: number) => 1 + (((index * 7919) % 13) - 6) / 1000
  return commits.slice(1).map((commit, position): TrunkRow => {
    const index = position + 1
    const old = level(position) * wobble(2 * index)
    const fresh = level(index) * wobble(2 * index + 1)
    return {
      source: 'own',
      time: Date.now() - (commits.length - index) * 4 * 3_600_000,
      oldCommit: commits[position]!,
      newCommit: commit,
      test: name,
      queryIndex: 0,
      queryName: `SELECT 0 FROM ${name}`,
      metric: 'client_time',
      architecture: '',
      old,
      new: fresh,
      difference: (fresh - old) / old,
      threshold: 0.03,
      workflowName: 'Performance',
      baseBranch: 'master',
      reportUrl: '',
      instanceType: '',
      instanceId: '',
    }
  })
}

test('a row that was not named stays open; a name that is none is answered with the one that was meant', async () => {
  const pull = open()
  await measured(pull, 1.5, 1.6)
  await say(pull, 'maria', '/perf accept sum "known"')
  expect(conclusion(pull)).toBe('failure')
  const wrong = await say(pull, 'maria', '/perf accept hsh "known"')
  expect(reactionsTo(wrong)).toEqual(['confused'])
  expect(botComments(pull).at(-1)!.body).toContain('Did you mean `hash`?')
  setting.github.editComment(wrong, 'maria', '/perf accept hash "known"')
  await setting.settled()
  expect(conclusion(pull)).toBe('success')
})

test('while a new head is measured, what the comment still shows of the one before can be accepted', async () => {
  const pull = open()
  await measured(pull, 1.5)
  await push(pull)
  const check = setting.github.startCheckRun(setting.repo, { name: 'perf', headSha: pull.head.sha })
  await setting.settled()
  expect(report(pull)).toContain('is being measured')
  expect(reactionsTo(await say(pull, 'maria', '/perf accept sum "known"'))).toEqual(['+1'])
  setting.github.finishCheckRun(check, 'cancelled')
  await measured(pull, 1.5)
  expect(conclusion(pull)).toBe('success')
})

test('what a report said before the comment is accepted, not what came after it', async () => {
  const pull = open()
  expect(reactionsTo(await say(pull, 'maria', '/perf accept all "all of it"'))).toEqual(['confused'])
  await measured(pull, 1.5)
  expect(conclusion(pull)).toBe('failure')
})

test('a mute in gating leaves one line of the comment and the check red; it does not come back when it is deleted', async () => {
  const pull = open()
  await measured(pull, 1.5)
  await say(pull, 'maria', '/perf mute "an experiment"')
  expect(botComments(pull)).toHaveLength(1)
  expect(report(pull).split('\n')).toHaveLength(2)
  expect(report(pull)).toContain('Muted by maria: `an experiment`')
  expect(conclusion(pull)).toBe('failure')
  setting.github.deleteComment(botComments(pull)[0]!, 'maria')
  await say(pull, 'alice', '/perf refresh')
  expect(botComments(pull)).toHaveLength(0)
  await say(pull, 'maria', '/perf unmute')
  expect(report(pull)).toContain('got slower: ')
})

test('a label that a maintainer sets accepts, removing it takes that back; of anybody else it is answered, without effect', async () => {
  const { github } = setting
  const pull = open()
  await measured(pull, 1.5)
  expect(setting.repo.labels.get('perf: accepted')).toMatchObject({ color: '0e8a16' })

  github.addLabel(pull, 'alice', 'perf: accepted')
  await setting.settled()
  expect(conclusion(pull)).toBe('failure')
  expect(botComments(pull).at(-1)!.body).toContain(
    '`perf: accepted (alice): accept all`\n\n`accept` is for people with the role `write`; GitHub says that alice has `read`. Remove the label first',
  )
  github.removeLabel(pull, 'alice', 'perf: accepted')
  github.addLabel(pull, 'helper[bot]', 'Perf: Accepted')
  await setting.settled()
  expect(conclusion(pull)).toBe('failure')
  expect(botComments(pull).at(-1)!.body).toContain('A label changed by a bot has no effect')
  github.removeLabel(pull, 'maria', 'perf: accepted')
  await setting.settled()
  github.requests.length = 0
  for (const by of ['helper[bot]', 'alice']) {
    github.addLabel(pull, by, 'perf: accepted')
    await setting.settled()
    github.removeLabel(pull, by, 'perf: accepted')
    await setting.settled()
  }
  // Who was answered once is not answered again.
  expect(writes(setting)).toEqual([])

  github.addLabel(pull, 'maria', 'perf: accepted')
  await setting.settled()
  expect(conclusion(pull)).toBe('success')
  expect(report(pull)).toContain('accepted by maria at +50.0')
  expect(report(pull)).toContain('`by label perf: accepted`')
  github.removeLabel(pull, 'alice', 'perf: accepted')
  await setting.settled()
  expect(conclusion(pull)).toBe('success')
  expect(botComments(pull).some(({ body }) => body.includes('What the label did still applies.'))).toBe(true)
  github.addLabel(pull, 'alice', 'perf: accepted')
  github.removeLabel(pull, 'maria', 'perf: accepted')
  await setting.settled()
  expect(conclusion(pull)).toBe('failure')
  // What was said in a comment stands without the label.
  await say(pull, 'maria', '/perf accept all "meant"')
  github.addLabel(pull, 'maria', 'perf: accepted')
  github.removeLabel(pull, 'maria', 'perf: accepted')
  await setting.settled()
  expect(conclusion(pull)).toBe('success')
})

test.each([
  ['a label', 'a report'],
  ['a label', 'no report'],
  ['a comment', 'no report'],
])('%s accepts what a comment has accepted and undone, with %s in between', async (again, between) => {
  const { github } = setting
  const pull = open()
  await measured(pull, 1.5)
  const accepted = github.comment(pull, 'nora', '/perf accept all "meant"')
  await setting.settled()
  expect(conclusion(pull)).toBe('success')
  github.comment(pull, 'nora', '/perf unaccept all')
  if (between === 'a report') {
    await setting.settled()
    expect(conclusion(pull)).toBe('failure')
  }
  if (again === 'a label') github.addLabel(pull, 'nora', 'perf: accepted')
  else github.comment(pull, 'nora', '/perf accept all "meant after all"')
  await setting.settled()
  expect(conclusion(pull)).toBe('success')
  expect(report(pull)).toContain('accepted by nora at +50.0')
  expect(reactionsTo(accepted)).toEqual(['+1'])
})

test('the button of the check accepts for a maintainer; for anybody else it is answered', async () => {
  const { github } = setting
  const pull = open()
  await measured(pull, 1.5)
  const check = botChecks(setting, pull.head.sha).at(-1)!
  // What was accepted in other pull requests is no flag here, so that nothing asks for a rerun.
  const identifiers = ['accept', 'explain'].map((name) => expect.stringMatching(`^${name}:[0-9a-f]{8}$`))
  expect(check.actions.map(({ identifier }) => identifier)).toEqual(identifiers)
  github.requestAction(check, 'bob', 'explain')
  await setting.settled()
  expect(botComments(pull).at(-1)!.body).toMatch(
    /Explain \(bob[\s\S]*\*\*`sum #0`: slower\.\*\* No evidence of noise\./,
  )
  expect(conclusion(pull)).toBe('failure')
  github.requestAction(check, 'alice', 'accept')
  await setting.settled()
  expect(conclusion(pull)).toBe('failure')
  expect(botComments(pull).at(-1)!.body).toContain('`accept` is for people with the role `write`')
  github.requestAction(check, 'maria', 'accept')
  await setting.settled()
  expect(conclusion(pull)).toBe('success')
  expect(report(pull)).toContain('`by button`')
  expect(botChecks(setting, pull.head.sha).at(-1)!.actions).toEqual([])

  await push(pull)
  await measured(pull, 2)
  github.requestAction(check, 'maria', 'accept')
  await setting.settled()
  expect(conclusion(pull)).toBe('failure')
})

test('a button accepts what stood above it when it was pressed, and no row that came before the bot heard of it', async () => {
  const { github } = setting
  const pull = open()
  await measured(pull, 1.5)
  const { identifier } = botChecks(setting, pull.head.sha).at(-1)!.actions[0]!
  github.advance(2000)
  await measured(pull, 1.5, 1.9)
  github.requestAction(botChecks(setting, pull.head.sha).at(-1)!, 'maria', identifier)
  await setting.settled()
  expect(report(pull)).toContain('accepted by maria at +50.0')
  expect(conclusion(pull)).toBe('failure')
})

test('an acceptance that is heard after it was taken back stays taken back', async () => {
  const { github } = setting
  const pull = open()
  await measured(pull, 1.5)
  github.advance(2000)
  github.pauseDeliveries()
  github.comment(pull, 'maria', '/perf accept all "meant"')
  github.advance(5000)
  github.comment(pull, 'maria', '/perf unaccept all')
  github.resumeDeliveries((waiting) => waiting.toReversed())
  await setting.settled()
  expect(botComments(pull).at(-1)!.body).toContain('Nothing is accepted')
  expect(conclusion(pull)).toBe('failure')
})

test('two people accept at once, and the same webhooks once more change nothing', async () => {
  const { github } = setting
  const pull = open()
  await measured(pull, 1.5, 1.6)
  github.comment(pull, 'maria', '/perf accept sum "one"')
  github.comment(pull, 'maria', '/perf accept hash "two"')
  await setting.settled()
  expect(conclusion(pull)).toBe('success')
  github.requests.length = 0
  for (const { guid, event } of [...github.deliveries]) if (event === 'issue_comment') github.redeliver(guid)
  await setting.settled()
  expect(writes(setting)).toEqual([])
})

test('replay judges stored runs anew and lists what another threshold or file would change', async () => {
  const { github, dataDir, database } = setting
  const [small, accepted] = [open(), open()]
  await measured(small, 1.08, 1, undefined, 'small')
  await measured(accepted, 1.4, 1, undefined, 'accepted')
  await say(accepted, 'nora', '/perf accept all "reads more columns"')
  expect([small, accepted].map(conclusion), report(small)).toEqual(['failure', 'success'])

  const env = { ...environmentVariables(github, dataDir), ...serverVariablesOf(database as OwnDatabase) }
  const replay = async (...argv: readonly string[]) => await perfTriage(['replay', ...argv], { env })
  const of = (pull: PullRequest) => ['--pr', String(pull.number)]
  expect(await replay(...of(accepted), '--fail-on', 'changed')).toEqual({
    code: 0,
    stdout: '1 report judged again, 0 would differ\n',
    stderr: '',
  })
  // Earlier tests measured several pull requests a second, and stored history of days before: what was flagged by then, and said of
  // the history, may be another thing. What was measured is not.
  const all = JSON.parse((await replay('--json')).stdout)
  expect(all).toMatchObject({ leftOut: [] })
  expect(all.judged).toBeGreaterThan(10)
  const outcomes = all.reports.flatMap(({ rows }: { rows: Record<'before' | 'after', { outcome: string } | null>[] }) =>
    rows.filter(({ before, after }) => before?.outcome !== after?.outcome),
  )
  expect(outcomes).toEqual([])

  // The trunk showed one of three slowdowns after its merge: those of the first two tests.
  const record = JSON.parse((await perfTriage(['record', '--json'], { env })).stdout)
  expect(record.witnesses).toContainEqual(expect.objectContaining({ name: 'trunk', real: 1, noise: 2 }))

  const { code, stdout } = await replay(...of(small), '--changed-threshold', '0.2', '--fail-on', 'changed')
  expect(code).toBe(1)
  const cells = stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
  // What is the same in each row stands once above them.
  expect(cells.slice(0, 2)).toEqual([
    [`pull request: acme/engine#${small.number}`],
    ['what', 'was', 'would be', 'D', 'T', 'query'],
  ])
  expect(cells).toContainEqual(['comment', 'post', 'keep'])
  expect(cells).toContainEqual(['conclusion', 'failure', 'success'])
  expect(cells).toContainEqual(['row', 'regression', 'too-small', '+8.0%', expect.any(String), 'small #0'])
  expect(stdout).toContain('1 report judged again, 1 would differ')

  const file = join(dataDir, 'changed.yml')
  writeFileSync(file, GATING.replace('gating', 'advisory'))
  const document = JSON.parse((await replay(...of(small), '--config', file, '--json')).stdout)
  expect(document.reports).toContainEqual(
    expect.objectContaining({
      pullRequest: small.number,
      head: small.head.sha,
      rows: [],
      decisions: [{ part: 'conclusion', before: 'failure', after: 'neutral' }],
    }),
  )
  writeFileSync(file, 'modus: gating\n')
  expect(await replay('--config', file)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/:1: /) })
  for (const of of [
    ['--repository', 'acme/none'],
    ['--pr', '999'],
  ]) {
    expect(await replay(...of)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^.*no report of [^\n]* is stored\n$/),
    })
  }
})
