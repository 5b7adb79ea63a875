import { afterEach, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'

let setting: BotSetting

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.close()
})

const PATH = '.github/perf-triage.yml'

async function measured(
  pull: PullRequest,
  fresh: readonly number[],
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const check = github.startCheckRun(repo, { name: 'perf', headSha: pull.head.sha, workflowRun: run })
  const zip = zipOf({ ...more, 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: fresh }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  github.finishCheckRun(check, 'success')
  await setting.settled()
}

test('a pull request that breaks the configuration is told on the wrong line', async () => {
  setting = await makeBotSetting()
  const { github, repo } = setting
  const pull = github.openPullRequest({
    repo,
    head: 'configure',
    files: { [PATH]: 'mode: gating\ncommment: always\nthresholds:\n  changed: 5\nchecks: [perf]\n' },
  })
  await setting.settled()
  const [check] = botChecks(setting, pull.head.sha, 'perf-triage configuration')
  expect(check).toMatchObject({
    status: 'completed',
    conclusion: 'failure',
    output: { title: `2 problems in ${PATH}` },
  })
  expect(check!.annotations).toMatchObject([
    { path: PATH, start_line: 2, message: expect.stringContaining('Did you mean "comment"?') },
    { path: PATH, start_line: 4 },
  ])

  github.push(pull, { [PATH]: 'mode: gating\nchecks: [perf]\ncomment: always\n' })
  await setting.settled()
  expect(botChecks(setting, pull.head.sha, 'perf-triage configuration')).toMatchObject([{ conclusion: 'success' }])
})

test('the last good configuration stands when the default branch breaks', async () => {
  setting = await makeBotSetting({ files: { [PATH]: 'mode: gating\nchecks: [perf]\n' } })
  const { github, repo } = setting
  const first = github.openPullRequest({ repo, head: 'one' })
  await measured(first, SLOWER)
  expect(botChecks(setting, first.head.sha)).toMatchObject([{ conclusion: 'failure' }])

  github.commit(repo, { files: { [PATH]: 'mode: [gating\n' } })
  const second = github.openPullRequest({ repo, head: 'two' })
  await measured(second, SLOWER)
  expect(botChecks(setting, second.head.sha)).toMatchObject([{ conclusion: 'failure' }])
  expect(botComments(second)[0]!.body).toMatch(/configuration/i)
})

test('comment: never leaves the check run alone to speak', async () => {
  setting = await makeBotSetting({ files: { [PATH]: 'comment: never\n' } })
  const pull = setting.github.openPullRequest({ repo: setting.repo, head: 'one' })
  await measured(pull, SLOWER)
  expect(botComments(pull)).toEqual([])
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ output: { title: '1 of 1 query got slower' } }])
})

test('with nothing to say there is no comment, and with comment: always there is', async () => {
  setting = await makeBotSetting()
  const { github, repo } = setting
  const quiet = github.openPullRequest({ repo, head: 'one' })
  await measured(quiet, STEADY)
  expect(botComments(quiet)).toEqual([])
  expect(botChecks(setting, quiet.head.sha)).toMatchObject([
    { conclusion: 'success', output: { title: 'No slowdown found in 1 query' } },
  ])

  github.commit(repo, { files: { [PATH]: 'comment: always\n' } })
  const spoken = github.openPullRequest({ repo, head: 'two' })
  await measured(spoken, STEADY)
  expect(botComments(spoken)).toHaveLength(1)
})

test('configured thresholds decide, and the row says where they come from', async () => {
  setting = await makeBotSetting({ files: { [PATH]: 'thresholds:\n  changed: 0.3\n  unstable: 0.3\n' } })
  const pull = setting.github.openPullRequest({ repo: setting.repo, head: 'one' })
  await measured(pull, SLOWER)
  expect(botComments(pull)).toEqual([])
  const report = (await (await fetch(`${setting.bot.url}/r/acme/engine/pull/1?format=json`)).json()) as {
    rows: { outcome: string; results: { changedThresholdSource: string }[] }[]
  }
  expect(report.rows).toMatchObject([{ outcome: 'too-small', results: [{ changedThresholdSource: 'configured' }] }])
})

const entry = (until: string) => `tests:\n  - { test: "su*", ignore: waits for new disks, until: ${until} }\n`
const GATING = 'mode: gating\nworkflows: [performance.yml]\nchecks: [perf]\n'

test('an ignored query is shown and blames nobody, not even where the repository gates', async () => {
  setting = await makeBotSetting({ files: { [PATH]: `${GATING}comment: always\n${entry('2999-12-31')}` } })
  const pull = setting.github.openPullRequest({ repo: setting.repo, head: 'one' })
  const uniq = { 'uniq-raw.tsv': rawRun('uniq', [{ old: STEADY, new: STEADY }]) }
  await measured(pull, SLOWER, uniq)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([
    { conclusion: 'success', output: { title: 'No other slowdown found; 1 of 2 queries is ignored' } },
  ])
  expect(pull.labels).toEqual([])
  const { body } = botComments(pull)[0]!
  expect(body).toContain('### No other slowdown found; 1 of 2 queries is ignored')
  expect(body).toMatch(/- `su\*` until 2999-12-31 \(`waits for new disks`\): .*`sum #0`/)

  // With nothing else to judge nobody knows whether the head is fine.
  setting.github.push(pull, { 'a.cpp': '1' })
  await measured(pull, SLOWER)
  expect(botChecks(setting, pull.head.sha)).toMatchObject([
    { conclusion: 'failure', output: { summary: expect.stringContaining('every query is ignored') } },
  ])
})

test('an entry that a pull request adds, and one that has expired, ignore nothing; the latter is said', async () => {
  setting = await makeBotSetting({ files: { [PATH]: GATING } })
  const { github, repo } = setting
  const own = github.openPullRequest({ repo, head: 'one', files: { [PATH]: `${GATING}${entry('2999-12-31')}` } })
  await measured(own, SLOWER)
  expect(botChecks(setting, own.head.sha)).toMatchObject([{ conclusion: 'failure' }])
  expect(botComments(own)[0]!.body).not.toContain('ignored')

  github.commit(repo, { files: { [PATH]: `${GATING}${entry('2026-01-31')}` } })
  const expired = github.openPullRequest({ repo, head: 'two' })
  await measured(expired, SLOWER)
  expect(botChecks(setting, expired.head.sha)).toMatchObject([{ conclusion: 'failure' }])
  expect(expired.labels.map(({ name }) => name)).toEqual(['perf: slower'])
  expect(botComments(expired)[0]!.body).toContain('have expired: `su*` until 2026-01-31 (`waits for new disks`).')
})

test('a threshold of its own decides for its test alone, and the comment says where it comes from', async () => {
  setting = await makeBotSetting({
    files: { [PATH]: 'comment: always\ntests:\n  - { test: sum, query: 0, threshold: 0.9 }\n' },
  })
  const pull = setting.github.openPullRequest({ repo: setting.repo, head: 'one' })
  const uniq = { 'uniq-raw.tsv': rawRun('uniq', [{ old: STEADY, new: SLOWER }]) }
  await measured(pull, SLOWER, uniq)
  const { body } = botComments(pull)[0]!
  expect(body).toMatch(/^### Query \[`[^`]+`\]\(\S+\) got slower: /m)
  expect(body).toMatch(/\(flagged from 90%, set for it in the repository’s file\)/)
})

test('labels: one that a person set stays, one that a person removed is not set again', async () => {
  setting = await makeBotSetting()
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'one' })
  const names = () => pull.labels.map(({ name }) => name)

  await measured(pull, SLOWER)
  expect(names()).toEqual(['perf: slower'])
  github.removeLabel(pull, 'alice', 'perf: slower')
  github.push(pull, { 'a.cpp': '1' })
  await measured(pull, SLOWER)
  expect(names()).toEqual([])

  github.addLabel(pull, 'alice', 'perf: slower')
  github.push(pull, { 'a.cpp': '2' })
  await measured(pull, STEADY)
  expect(names()).toEqual(['perf: slower'])
})

test('who may give a command is who the configuration says, in comments and by labels', async () => {
  setting = await makeBotSetting({
    files: {
      [PATH]:
        'commands:\n  who:\n    refresh: admin\n    accept: maintain\n    unaccept: author\n    explain: author\n',
    },
  })
  const { github, repo } = setting
  github.setPermission(repo, 'maria', 'write')
  github.setPermission(repo, 'max', 'maintain')
  github.setPermission(repo, 'root', 'admin')
  const pull = github.openPullRequest({ repo, head: 'one', author: 'alice' })
  await measured(pull, SLOWER)
  const say = async (by: string, body: string) => {
    const comment = github.comment(pull, by, body)
    await setting.settled()
    return comment.reactions.map(({ content }) => content).join()
  }
  const answer = () => botComments(pull).at(-1)!.body
  const isAccepted = () => botComments(pull)[0]!.body.includes('accepted')

  for (const by of ['alice', 'maria', 'max']) expect(await say(by, '/perf refresh')).toBe('confused')
  expect(answer()).toContain('`refresh` is for people with the role `admin`; GitHub says that you have `maintain`')
  expect(await say('root', '/perf refresh')).toBe('+1')

  expect(await say('maria', '/perf accept sum "as meant"')).toBe('confused')
  expect(answer()).toContain('`accept` is for people with the role `maintain`; GitHub says that you have `write`')
  github.addLabel(pull, 'maria', 'perf: accepted')
  await setting.settled()
  expect(answer()).toContain('`maintain`')
  expect(isAccepted()).toBe(false)
  github.removeLabel(pull, 'maria', 'perf: accepted')
  expect(await say('max', '/perf accept sum "as meant"')).toBe('+1')
  expect(isAccepted()).toBe(true)

  const before = answer()
  expect(await say('bob', '/perf explain sum')).toBe('confused')
  expect(answer()).toBe(before)
  expect(await say('alice', '/perf explain sum')).toBe('+1')

  // Whoever has used up their answers may still take back.
  for (let asked = 0; asked < 8; asked += 1) github.comment(pull, 'alice', `/perf help ${asked}`)
  await setting.settled()
  expect(await say('alice', '/perf help me')).toBe('')
  expect(isAccepted()).toBe(true)
  const { id: commentId, reactions } = github.comment(pull, 'alice', '/perf unaccept all\n/perf help me')
  await setting.settled()
  expect(isAccepted()).toBe(false)
  expect(reactions).toEqual([])
  const heard = await setting.bot.inbox.commands.list({ repositoryId: repo.id, commentId })
  expect(heard.map(({ line }) => line)).toEqual(['/perf unaccept all'])
})

test('labels: its own label goes when the reason is gone', async () => {
  setting = await makeBotSetting()
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'one' })
  await measured(pull, SLOWER)
  expect(pull.labels.map(({ name }) => name)).toEqual(['perf: slower'])
  github.push(pull, { 'a.cpp': '1' })
  await measured(pull, STEADY)
  expect(pull.labels).toEqual([])
})

test('the reference commit is read where the configuration says, and its distance from the merge base is said', async () => {
  setting = await makeBotSetting({
    files: { [PATH]: 'reference:\n  file: base.txt\nlinks:\n  - title: Board\n    url: "https://board.test/{pr}"\n' },
  })
  const { github, repo } = setting
  const reference = repo.branches.get(repo.defaultBranch)!
  github.commit(repo, { files: { 'a.cpp': '1' } })
  github.commit(repo, { files: { 'a.cpp': '2' } })
  const pull = github.openPullRequest({ repo, head: 'one' })
  await measured(pull, SLOWER, { 'base.txt': `${reference}\n` })
  const { body } = botComments(pull)[0]!
  expect(body).toContain(
    `[\`${reference.slice(0, 7)}\`](${github.url}/acme/engine/commit/${reference}) (2 commits older than the merge base)`,
  )
  expect(body).toContain('[`Board`](https://board.test/1)')
})

test('of an artifact with results of two formats the one is read that the configuration pins', async () => {
  setting = await makeBotSetting({
    files: { [PATH]: 'results:\n  - artifact: performance-{architecture}\n    format: measurements\n' },
  })
  const pull = setting.github.openPullRequest({ repo: setting.repo, head: 'one' })
  const line = (side: string) => (value: number) => JSON.stringify({ test: 'join', side, value })
  const lines = [...STEADY.map(line('old')), ...STEADY.map(line('new'))]
  await measured(pull, SLOWER, { 'measurements.jsonl': lines.map((one) => `${one}\n`).join('') })
  expect(botChecks(setting, pull.head.sha)).toMatchObject([{ output: { title: 'No slowdown found in 1 benchmark' } }])
})
