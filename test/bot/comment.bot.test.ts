import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PullRequest, WorkflowRun } from '../../demo/github/state.ts'
import {
  type BotSetting,
  botChecks,
  botComments,
  countRows,
  makeBotSetting,
  PUBLIC_URL,
  recordedArtifact,
  writes,
} from './bot-setting.ts'

const TEST_FILE = 'tests/performance/hash_functions.xml'

/** 67 queries with 7 + 7 samples and one with 7. */
const SAMPLES = 67 * 14 + 7

describe('a workflow with results finishes', () => {
  let setting: BotSetting
  let pull: PullRequest
  let run: WorkflowRun
  let firstWrites: string[]

  beforeAll(async () => {
    setting = await makeBotSetting()
    const { github, repo } = setting
    const files = { 'src/faster-sum.cpp': '// faster', [TEST_FILE]: '<test/>' }
    pull = github.openPullRequest({ repo, head: 'faster-sum', files })
    run = github.startWorkflowRun(repo, { name: 'Performance', pull })
    await setting.settled()
    github.requests.length = 0
    await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: recordedArtifact() }] })
    await setting.settled()
    firstWrites = writes(setting)
  })
  afterAll(() => setting.close())

  test('one comment says what was measured', () => {
    expect(botComments(pull)).toHaveLength(1)
    expect(botComments(pull)[0]!.body).toContain('### 7 of 67 queries got slower, 13 got faster')
    expect(setting.github.violations).toEqual([])
  })

  test('the check run is concluded and says how much was analysed', () => {
    expect(botChecks(setting, pull.head.sha)).toMatchObject([
      {
        status: 'completed',
        conclusion: 'neutral',
        detailsUrl: `${PUBLIC_URL}/r/acme/engine/pull/1/${pull.head.sha}`,
        output: {
          title: '7 of 67 queries got slower, 13 got faster',
        },
      },
    ])
  })

  test('the file of a test that the pull request changes says what that test measured', () => {
    expect(botChecks(setting, pull.head.sha)[0]!.annotations).toMatchObject([
      { path: TEST_FILE, annotation_level: 'warning', message: expect.stringContaining('hash_functions') },
    ])
  })

  test('both labels follow the verdicts', () => {
    const labels = pull.labels.map(({ name }) => name).filter((name) => name.startsWith('perf'))
    expect(labels.toSorted()).toEqual(['perf: faster', 'perf: slower'])
  })

  test('each thing is written once: the events that its own writes cause, cause nothing', () => {
    const kinds = firstWrites.map((write) => write.replace(/\/\d+\//, '/N/')).toSorted((a, b) => (a < b ? -1 : 1))
    expect(kinds).toEqual([
      'POST /repos/acme/engine/check-runs',
      'POST /repos/acme/engine/issues/N/comments',
      'POST /repos/acme/engine/issues/N/labels',
      'POST /repos/acme/engine/issues/N/labels',
      'POST /repos/acme/engine/labels',
      'POST /repos/acme/engine/labels',
      'POST /repos/acme/engine/labels',
    ])
    const own = setting.github.deliveries.filter(({ payload }) => payload.includes('"perf-triage[bot]"'))
    expect(own.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['check_run', 'issue_comment', 'pull_request']),
    )
  })

  test('every sample is stored once', async () => {
    expect(await countRows(setting, 'samples')).toBe(SAMPLES)
    expect(await countRows(setting, 'runs')).toBe(1)
  })

  test('the report page has all numbers, as a page, as JSON and as TSV', async () => {
    const address = `${setting.bot.url}/r/acme/engine/pull/1`
    const page = await fetch(address)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('hash_functions #1')
    const json = await fetch(`${address}?format=json`)
    const report = (await json.json()) as { pullRequest: object; counts: object; rows: object[] }
    const { number, title, base } = pull
    expect(report.pullRequest).toEqual({ number, baseRef: base.ref, title, author: pull.author.login })
    expect(report.counts).toMatchObject({
      slower: 7,
      faster: 21,
      unstable: 16,
      tooSmall: 2,
      notSignificant: 21,
      notCompared: 1,
    })
    expect(report.rows).toHaveLength(68)
    const tsv = await (await fetch(`${address}/${pull.head.sha}?format=tsv`)).text()
    expect(tsv.trim().split('\n')).toHaveLength(1 + 68)
  })

  test('the same webhooks once more change nothing', async () => {
    const { github } = setting
    github.requests.length = 0
    const before = botComments(pull)[0]!.updatedAt
    for (const { guid } of [...github.deliveries]) github.redeliver(guid)
    await setting.settled()
    expect(writes(setting)).toEqual([])
    expect(botComments(pull)).toHaveLength(1)
    expect(botComments(pull)[0]!.updatedAt).toEqual(before)
    expect(await countRows(setting, 'samples')).toBe(SAMPLES)
  })

  test('looking again at a settled pull request reads little and writes nothing', async () => {
    const { github } = setting
    github.requests.length = 0
    await wakeAgain()
    await setting.settled()
    expect(writes(setting)).toEqual([])
    const counted = github.requests.filter(({ actor, status }) => actor.startsWith('installation') && status !== 304)
    expect(counted.length).toBeLessThanOrEqual(12)
  })

  test('its own and other bots’ events cause no write', async () => {
    const { github } = setting
    github.requests.length = 0
    const { repo } = setting
    github.comment(pull, 'chatty[bot]', 'Have you seen the comment of perf-triage?')
    github.finishCheckRun(
      github.startCheckRun(repo, { name: 'Lint', headSha: pull.head.sha, app: 'linter' }),
      'success',
    )
    github.setStatus(repo, pull.head.sha, { context: 'ci/other', state: 'success' })
    github.comment(pull, 'alice', 'No.')
    github.addLabel(pull, 'labeler[bot]', 'backport')
    await setting.settled()
    expect(writes(setting)).toEqual([])
  })

  test('a comment that a person deleted comes back once, complete, and then when somebody asks', async () => {
    const { github } = setting
    github.deleteComment(botComments(pull)[0]!, 'alice')
    await wakeAgain()
    await setting.settled()
    expect(botComments(pull)).toHaveLength(1)
    expect(botComments(pull)[0]!.body).toContain('### 7 of 67 queries got slower, 13 got faster')

    github.deleteComment(botComments(pull)[0]!, 'alice')
    await wakeAgain()
    await setting.settled()
    expect(botComments(pull)).toEqual([])
    github.rerequestCheckRun(botChecks(setting, pull.head.sha)[0]!, 'alice')
    await setting.settled()
    expect(botComments(pull)).toHaveLength(1)
    expect(botChecks(setting, pull.head.sha)[0]!.annotations).toHaveLength(1)
  })

  test('a comment that a person edited is put right', async () => {
    const { github } = setting
    github.editComment(botComments(pull)[0]!, 'mallory', 'all good, merge it')
    await wakeAgain()
    await setting.settled()
    expect(botComments(pull)).toHaveLength(1)
    expect(botComments(pull)[0]!.body).toContain('### 7 of 67 queries got slower, 13 got faster')
  })

  test('somebody else’s comment with the marker is left alone', async () => {
    const { github } = setting
    const [own] = botComments(pull)
    const planted = github.comment(pull, 'mallory', own!.body)
    github.deleteComment(own!, 'mallory')
    github.rerequestCheckRun(botChecks(setting, pull.head.sha)[0]!, 'alice')
    await setting.settled()
    expect(botComments(pull)).toHaveLength(1)
    expect(planted.updatedAt).toEqual(planted.createdAt)
  })

  test('after a restart the same comment is found', async () => {
    await setting.restart()
    setting.github.requests.length = 0
    await wakeAgain()
    await setting.settled()
    expect(writes(setting)).toEqual([])
    expect(botComments(pull)).toHaveLength(1)
    expect(setting.github.violations).toEqual([])
  })

  async function wakeAgain(): Promise<void> {
    const { inbox } = setting.bot
    const { installationId, owner, repo } = (await inbox.installations.list())[0]!
    await inbox.triages.wake(
      { installationId, repositoryId: setting.repo.id, owner, repo, pullRequestNumber: pull.number, head: null },
      Date.now(),
    )
    setting.bot.worker.poke()
  }
})

describe('a private repository', () => {
  let setting: BotSetting
  beforeAll(async () => {
    setting = await makeBotSetting({ private: true })
  })
  afterAll(() => setting.close())

  test('gets its comment without a link to a page that nobody may see', async () => {
    const { github, repo } = setting
    const pull = github.openPullRequest({ repo, head: 'secret' })
    const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
    await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: recordedArtifact() }] })
    await setting.settled()
    expect(botComments(pull)).toHaveLength(1)
    expect(botComments(pull)[0]!.body).not.toContain(`${PUBLIC_URL}/r/`)
    const page = await fetch(`${setting.bot.url}/r/acme/engine/pull/1`)
    const nothing = await fetch(`${setting.bot.url}/r/acme/nothing/pull/1`)
    expect([page.status, await page.text()]).toEqual([404, await nothing.text()])
    expect(github.violations).toEqual([])
  })
})
