import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'

// Whose word counts where a check gates: anybody may open a pull request from a fork, and its workflow uploads what it likes.

const GATING = 'mode: gating\nchecks: [perf]\nresults: [{ artifact: results }]\n'
const TEST = 'Unit tests'

let setting: BotSetting

beforeAll(async () => {
  setting = await makeBotSetting({ files: { '.github/perf-triage.yml': GATING } })
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

function open(owner: string, head: string): PullRequest {
  const { github, repo } = setting
  return github.openPullRequest({ repo, head, fork: { owner } })
}

/** Measurements of the query, and a job in which the test fails with the message. */
async function run(pull: PullRequest, message: string): Promise<void> {
  const { github, repo } = setting
  const tests = github.startWorkflowRun(repo, { name: 'CI', pull })
  const check = github.startCheckRun(repo, { name: TEST, headSha: tests.headSha, workflowRun: tests })
  github.finishCheckRun(check, 'failure')
  const failure = `<testcase name="cache.evicts" time="0.1"><failure message="${message}">${message}</failure></testcase>`
  const report = `<testsuites><testsuite name="unit">${failure}</testsuite></testsuites>`
  await github.finishWorkflowRun(tests, {
    conclusion: 'failure',
    artifacts: [{ name: 'junit-unit-tests', zip: zipOf({ 'report.xml': report }) }],
  })
  await measure('sum', pull)
}

/** A pull request of the person that was merged before. */
async function mergedBefore(owner: string): Promise<void> {
  const { github } = setting
  const pull = open(owner, 'earlier')
  await setting.settled()
  github.closePullRequest(pull, { merge: true, by: 'maria' })
  await setting.settled()
}

/** The measurements of the query alone. */
async function measure(query: string, pull?: PullRequest, fresh = SLOWER): Promise<void> {
  const { github, repo } = setting
  const perf = github.startWorkflowRun(repo, { name: 'Performance', ...(pull !== undefined && { pull }) })
  const measured = github.startCheckRun(repo, { name: 'perf', headSha: perf.headSha, workflowRun: perf })
  github.finishCheckRun(measured, 'success')
  const raw = rawRun(query, [{ old: STEADY, new: fresh }])
  await github.finishWorkflowRun(perf, { artifacts: [{ name: 'results', zip: zipOf({ [`${query}-raw.tsv`]: raw }) }] })
  await setting.settled()
}

const bodyOf = (pull: PullRequest): string => botComments(pull).at(-1)!.body

test('three strangers who fail alike excuse nobody, and three who have merged before do', {
  timeout: 240_000,
}, async () => {
  for (const owner of ['eve', 'mallory', 'trudy']) await run(open(owner, `of-${owner}`), 'lost the lock of eviction')
  const first = open('victim', 'fix')
  await run(first, 'lost the lock of eviction')
  expect(bodyOf(first)).not.toMatch(/\| chronic \|/)
  expect(bodyOf(first)).toContain('not counted')

  for (const owner of ['ada', 'grace', 'barbara']) {
    await mergedBefore(owner)
    await run(open(owner, `of-${owner}`), 'lost the lock of eviction')
  }
  const second = open('victim', 'another-fix')
  await run(second, 'lost the lock of eviction')
  expect(bodyOf(second)).toMatch(/\| `unit cache\.evicts` in .*<br>\*\*chronic\*\*/)
})

const conclusionOf = (pull: PullRequest) => botChecks(setting, pull.head.sha).at(-1)?.conclusion

test('two strangers with made-up artifacts change no verdict of a third, and two who have merged before ask for a rerun', {
  timeout: 240_000,
}, async () => {
  await measure('join', undefined, STEADY)
  for (const owner of ['oscar', 'sybil']) await measure('join', open(owner, `of-${owner}`))
  const alone = open('victim', 'join-faster')
  await measure('join', alone)
  expect(bodyOf(alone)).not.toContain('flagged in')
  expect(bodyOf(alone)).toContain('"verdict":"regression"')
  expect(conclusionOf(alone)).toBe('failure')

  const flagged: PullRequest[] = []
  for (const owner of ['edsger', 'tony']) {
    await mergedBefore(owner)
    flagged.push(open(owner, `of-${owner}`))
    await measure('join', flagged.at(-1))
  }
  const among = open('victim', 'join-again')
  await measure('join', among)
  expect(bodyOf(among)).toContain('flagged in 2 other pull requests')
  expect(bodyOf(among)).toContain('"verdict":"needs-rerun"')
  // It asks for a rerun, and the gate stays closed.
  expect(conclusionOf(among)).toBe('failure')

  // A person calls one of the two real.
  setting.github.setPermission(setting.repo, 'maria', 'maintain')
  setting.github.comment(flagged[1]!, 'maria', '/perf accept "the new hash"')
  await setting.settled()
  const after = open('victim', 'join-once-more')
  await measure('join', after)
  expect(bodyOf(after)).not.toContain('flagged in')
  expect(bodyOf(after)).toContain('"verdict":"regression"')
})
