import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting, rawRun, STEADY } from './bot-setting.ts'

const GATING = 'mode: gating\nworkflows: [perf.yml]\nchecks: [perf]\nresults: [{ artifact: results }]\n'
const NAME = 'tests/unit/test_cache.py::test_evicts'
const FOR_A_WHILE = '"new disks" until 2999-12-31'

let setting: BotSetting
let pull: PullRequest

beforeAll(async () => {
  setting = await makeBotSetting({ files: { '.github/perf-triage.yml': GATING } })
  setting.github.setPermission(setting.repo, 'maria', 'write')
  pull = setting.github.openPullRequest({
    repo: setting.repo,
    head: 'work',
    author: 'alice',
    files: { 'tests/unit/test_cache.py': 'assert False' },
  })
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

/** The performance check with two tests, of which one is slower by a factor, and the unit tests with one that fails. */
async function measured(factor: number): Promise<void> {
  const { github, repo } = setting
  const zip = zipOf({
    'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY.map((value) => value * factor) }]),
    'hash-raw.tsv': rawRun('hash', [{ old: STEADY, new: STEADY }]),
  })
  const xml = `<testsuites><testsuite name=""><testcase name="${NAME}"><failure message="full">full</failure></testcase></testsuite></testsuites>`
  const artifacts = {
    perf: { name: 'results', zip },
    Unit: { name: 'junit-unit', zip: zipOf({ 'report.xml': xml }) },
  }
  for (const [name, artifact] of Object.entries(artifacts)) {
    const conclusion = name === 'perf' ? 'success' : 'failure'
    const run = github.startWorkflowRun(repo, { name, pull })
    const check = github.startCheckRun(repo, { name, headSha: pull.head.sha, workflowRun: run })
    github.finishCheckRun(check, conclusion)
    await github.finishWorkflowRun(run, { conclusion, artifacts: [artifact] })
  }
  await setting.settled()
}

async function say(by: string, body: string): Promise<string> {
  const comment = setting.github.comment(pull, by, body)
  await setting.settled()
  return comment.reactions.map(({ content }) => content).join()
}

const conclusion = () => botChecks(setting, pull.head.sha).at(-1)?.conclusion
const report = () => botComments(pull).find(({ body }) => body.includes('perf-triage:v1'))!.body

test('where the check gates, a row and a failing test that are ignored fail it no more, at whatever size, until that is taken back', async () => {
  await measured(1.5)
  expect(conclusion()).toBe('failure')
  expect(report()).toContain('like yours')

  expect(await say('maria', '/perf ignore sum "new disks"')).toBe('confused')
  expect(await say('alice', `/perf ignore sum ${FOR_A_WHILE}`)).toBe('confused')
  expect(await say('maria', `/perf ignore sum ${FOR_A_WHILE}`)).toBe('+1')
  expect(conclusion()).toBe('failure')
  expect(report()).toContain('1 ignored')

  expect(await say('maria', `/perf ignore "${NAME}" ${FOR_A_WHILE}`)).toBe('+1')
  expect(conclusion()).toBe('success')
  expect(report()).not.toContain('like yours')
  expect(report().match(/by maria: `new disks`, until/g)).toHaveLength(2)

  setting.github.push(pull, { 'a.cpp': '1' })
  await setting.settled()
  await measured(5)
  expect(conclusion()).toBe('success')
  expect(await say('maria', '/perf unignore sum')).toBe('+1')
  expect(conclusion()).toBe('failure')
})

test('a label ignores what stands open and what fails until it is removed; where the check gates it names the command', async () => {
  const { github, repo } = setting
  github.addLabel(pull, 'maria', 'perf: ignore')
  await setting.settled()
  expect(conclusion()).toBe('failure')
  expect(botComments(pull).at(-1)!.body).toContain('needs a reason and an end date: `/perf ignore')

  github.advance(60_000)
  repo.labels.delete('perf: ignore')
  github.commit(repo, { files: { '.github/perf-triage.yml': GATING.replace('gating', 'advisory') } })
  const files = { 'tests/unit/test_cache.py': 'assert 1' }
  pull = github.openPullRequest({ repo, head: 'labelled', author: 'alice', files })
  await measured(1.5)
  expect(report()).toContain('like yours')
  expect(repo.labels.get('perf: ignore')).toMatchObject({ color: 'c5def5' })

  github.addLabel(pull, 'alice', 'perf: ignore')
  await setting.settled()
  expect(report()).toContain('like yours')
  expect(botComments(pull).at(-1)!.body).toContain('`ignore` is for people with the role `write`')
  github.removeLabel(pull, 'alice', 'perf: ignore')

  github.addLabel(pull, 'maria', 'perf: ignore')
  await setting.settled()
  expect(report()).not.toContain('like yours')
  expect(report().match(/by maria: `by label perf: ignore`/g)).toHaveLength(2)
  expect(report()).toContain('{"test":"sum","query":0,"ignore":"by label perf: ignore","until":')

  // Where the check gates from now on, nothing is ignored without an end.
  github.commit(repo, { files: { '.github/perf-triage.yml': GATING } })
  expect(await say('alice', '/perf refresh')).toBe('+1')
  expect([conclusion(), report().includes('like yours')]).toEqual(['failure', true])
  github.commit(repo, { files: { '.github/perf-triage.yml': GATING.replace('gating', 'advisory') } })
  expect(await say('alice', '/perf refresh')).toBe('+1')
  expect(report()).not.toContain('like yours')
  github.removeLabel(pull, 'maria', 'perf: ignore')
  await setting.settled()
  expect(report()).toContain('like yours')
  expect(report()).not.toContain('by label')
})
