import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Comment, PullRequest, WorkflowRun } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botChecks, botComments, countRows, makeBotSetting, rawRun, STEADY } from './bot-setting.ts'

/** Jobs of the CI that people start again. */

const PATH = '.github/perf-triage.yml'
const CONFIG = 'checks: [perf]\nresults: [{ artifact: results }]\n'

let setting: BotSetting
let pull: PullRequest
let opened = 0
const github = () => setting.github

beforeAll(async () => {
  setting = await makeBotSetting({ files: { [PATH]: CONFIG } })
  setting.github.setPermission(setting.repo, 'maria', 'write')
})
beforeEach(() => {
  opened += 1
  setting.github.advance(60_000)
  pull = setting.github.openPullRequest({
    repo: setting.repo,
    head: `work-${opened}`,
    author: 'alice',
    files: { a: `${opened}` },
  })
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

/** Each new repetition by so much slower, but for one that is as before: doubtful. */
const doubtful = (factor: number) => [...STEADY.slice(1).map((value) => value * factor), STEADY[4]!]

/** The performance check of the head has ended; a run that is given gets its next attempt. */
async function measured(fresh: readonly number[], again?: WorkflowRun, old?: readonly number[]): Promise<WorkflowRun> {
  const run = await ended(fresh, again, old)
  await setting.settled()
  setting.github.requests.length = 0
  return run
}

/** The same, and the bot has not answered yet. */
async function ended(
  fresh: readonly number[],
  again?: WorkflowRun,
  old: readonly number[] = STEADY,
): Promise<WorkflowRun> {
  const { github, repo } = setting
  // GitHub's times are whole seconds: attempts that end in one are the same.
  github.advance(2000)
  const run = again ?? github.startWorkflowRun(repo, { name: 'CI', pull })
  const check = github.startCheckRun(repo, { name: 'perf', headSha: pull.head.sha, workflowRun: run })
  const files = { 'sum-raw.tsv': rawRun(`sum_${opened}`, [{ old, new: fresh }]) }
  const zip = zipOf({ ...files, 'left-commit.txt': `${pull.base.sha}\n` })
  github.finishCheckRun(check, 'success')
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'results', zip }] })
  return run
}

async function say(by: string, body: string): Promise<Comment> {
  const comment = setting.github.comment(pull, by, body)
  await setting.settled()
  return comment
}

const reactionsTo = ({ reactions }: Comment) => reactions.map(({ content }) => content).join()
const answerTo = ({ id }: Comment) =>
  botComments(pull).find(({ body }) => body.startsWith(`<!-- perf-triage-reply ${id}`))?.body
const hasLabel = () => pull.labels.some(({ name }) => name === 'perf: rerun')
const started = () =>
  setting.github.requests.flatMap(({ method, path }) => (path.endsWith('/rerun') ? [`${method} ${path}`] : []))

test('a maintainer starts the job that measures again, two times a commit; a stranger and the author do not', async () => {
  const run = await measured(doubtful(1.3))
  for (const by of ['stranger', 'alice']) expect(reactionsTo(await say(by, '/perf rerun'))).toBe('confused')
  expect(started()).toEqual([])

  const first = await say('maria', '/perf rerun')
  expect([reactionsTo(first), run.attempt, started().length]).toEqual(['+1', 2, 1])
  expect(started()[0]).toMatch(/^POST .*\/actions\/jobs\/\d+\/rerun$/)
  expect(answerTo(first)).toContain(`Started again on \`${pull.head.sha.slice(0, 7)}\`: \`perf\`.`)
  expect(answerTo(await say('maria', '/perf rerun perf'))).toContain('`CI` has not ended yet')

  await measured(STEADY, run)
  expect(reactionsTo(await say('maria', '/perf rerun CI'))).toBe('+1')
  await measured(STEADY, run)
  expect(answerTo(await say('maria', '/perf rerun'))).toContain('This commit has been rerun 2 times')
  expect(run.attempt).toBe(3)
})

test('a rerun settles a slow-down of 8% that one attempt can not show', async () => {
  const spread = Array.from({ length: 13 }, (_, at) => 0.1 * (1 + (at - 6) / 60))
  const slower = spread.map((value) => value * 1.08)
  const run = await measured(slower, undefined, spread)
  const stands = () => botChecks(setting, pull.head.sha).at(-1)!
  expect(stands().output?.title).toBe('1 query may be slower')
  expect(reactionsTo(await say('maria', '/perf rerun'))).toBe('+1')
  await measured(slower.toReversed(), run, spread.toReversed())
  expect(run.attempt).toBe(2)
  expect(stands().output?.title).toMatch(/^1 of 1 query .*slower/)
  const { body } = botComments(pull).find((comment) => comment.body.startsWith('<!-- perf-triage:v1'))!
  expect(body).toContain('13 + 13 repetitions, 2 attempts together')
  expect(body).toContain('+8.0')
})

test('the label and the button start it again; the label is removed, and one of a stranger is answered', async () => {
  const { github } = setting
  const run = await measured(doubtful(1.3))
  const check = botChecks(setting, pull.head.sha).at(-1)!
  expect(check.actions.map(({ label }) => label)).toEqual(['Accept', 'Re-run CI', 'Explain'])
  expect(botComments(pull)[0]!.body).toContain('Ask a maintainer for `/perf rerun` of the [performance check]')
  github.requestAction(check, 'maria', check.actions[1]!.identifier)
  await setting.settled()
  expect(run.attempt).toBe(2)
  await measured(doubtful(1.3), run)

  github.addLabel(pull, 'alice', 'perf: rerun')
  await setting.settled()
  expect([run.attempt, hasLabel()]).toEqual([2, false])
  expect(botComments(pull).at(-1)!.body).toContain('is for people with the role `write`')
  github.advance(2000)
  github.addLabel(pull, 'maria', 'perf: rerun')
  await setting.settled()
  expect([run.attempt, hasLabel()]).toEqual([3, false])
})

test('where GitHub does not answer it is asked again, and once; where it refuses, the answer says why', async () => {
  const { github } = setting
  const run = await measured(doubtful(1.3))
  github.fault({ path: /\/rerun$/, method: 'POST', kind: 'status', status: 502, times: 1 })
  const comment = github.comment(pull, 'maria', '/perf rerun')
  await expect.poll(() => reactionsTo(comment), { timeout: 60_000 }).toBe('+1')
  expect([run.attempt, started().length]).toEqual([2, 2])

  await measured(doubtful(1.3), run)
  const message = 'Resource not accessible by integration'
  github.fault({ path: /\/rerun$/, method: 'POST', kind: 'status', status: 403, message, times: 1 })
  const refused = await say('maria', '/perf rerun')
  expect(reactionsTo(refused)).toBe('confused')
  expect(answerTo(refused)).toContain('Not restarted: `perf`; the App lacks the permission *Actions: write*')
  expect(run.attempt).toBe(2)
})

test('after a crash between the command and the call GitHub is asked once; not where a newer commit was pushed meanwhile', async () => {
  const { github } = setting
  const run = await measured(doubtful(1.3))
  github.fault({ path: /\/rerun$/, kind: 'timeout', times: 1 })
  const comment = github.comment(pull, 'maria', '/perf rerun')
  await expect.poll(() => started().length).toBe(1)
  await setting.restart()
  await setting.settled()
  expect([reactionsTo(comment), run.attempt]).toEqual(['+1', 2])

  await measured(doubtful(1.3), run)
  github.fault({ path: /\/rerun$/, kind: 'timeout', times: 1 })
  const late = github.comment(pull, 'maria', '/perf rerun')
  await expect.poll(() => started().length).toBe(1)
  github.push(pull, { a: 'newer' })
  await setting.restart()
  await setting.settled()
  expect(answerTo(late)).toContain('Not restarted: `perf`; a newer commit has been pushed.')
  expect([reactionsTo(late), run.attempt]).toEqual(['confused', 2])
})

test('where GitHub has started it and the answer never came, the next start of the bot does not ask again', async () => {
  const { github } = setting
  for (const hasEnded of [false, true]) {
    const run = await measured(doubtful(1.3))
    github.fault({ path: /\/rerun$/, kind: 'unanswered', times: 1 })
    const comment = github.comment(pull, 'maria', '/perf rerun')
    await expect.poll(() => run.attempt).toBe(2)
    if (hasEnded) await ended(doubtful(1.3), run)
    await setting.restart()
    await setting.settled()
    expect([reactionsTo(comment), run.attempt, started().length], `ended: ${hasEnded}`).toEqual(['+1', 2, 1])
    github.push(pull, { a: 'next' })
  }
})

test('without names in the file the only job of the workflow with the results is the one that measures', async () => {
  const { github, repo } = setting
  github.commit(repo, { files: { [PATH]: '' } })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const check = github.startCheckRun(repo, { name: 'compare', headSha: pull.head.sha, workflowRun: run })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: doubtful(1.3) }]) })
  github.finishCheckRun(check, 'success')
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  await setting.settled()
  const asked = await say('maria', '/perf rerun')
  expect([reactionsTo(asked), run.attempt]).toEqual(['+1', 2])
  github.commit(repo, { files: { [PATH]: CONFIG } })
})

describe('confirm: auto', () => {
  beforeAll(() => {
    const { github, repo } = setting
    const files = { [PATH]: `${CONFIG}confirm: auto\nconfirmForks: [trusted/${repo.name}]\n` }
    github.commit(repo, { files })
  })

  test('a doubtful row is settled by itself: the job runs again until two runs agree, and no more', async () => {
    const run = await measured(doubtful(1.3))
    expect(run.attempt).toBe(2)
    expect(botComments(pull)[0]!.body).toContain('Wait for `perf`, which the bot has started again to settle')
    await measured(STEADY, run)
    expect(run.attempt).toBe(3)
    expect(botComments(pull)[0]!.body).toContain('A second such run withdraws it.')
    await measured(STEADY, run)
    expect([run.attempt, botChecks(setting, pull.head.sha).at(-1)!.conclusion]).toEqual([3, 'success'])
    expect(answerTo(await say('maria', '/perf rerun'))).toContain('This commit has been rerun 2 times')
  })

  test('two runs that show it are enough; a row that is no doubt is not run again', async () => {
    const run = await measured(doubtful(1.3))
    await measured(doubtful(1.28), run)
    expect([run.attempt, pull.labels.map(({ name }) => name)]).toEqual([2, ['perf: slower']])
    github().push(pull, { a: 'sure' })
    expect((await measured(STEADY.map((value) => value * 1.5))).attempt).toBe(1)
  })

  test('a fork is left out unless it is named', async () => {
    for (const [owner, attempt] of [
      ['mallory', 1],
      ['trusted', 2],
    ] as const) {
      pull = github().openPullRequest({
        repo: setting.repo,
        head: `fork-${owner}`,
        fork: { owner },
        files: { a: owner },
      })
      expect((await measured(doubtful(1.3))).attempt, owner).toBe(attempt)
    }
  })

  test('a push while the results are read leaves the job of the old head alone', async () => {
    const [isAsked, isPushed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const until = () => {
      isAsked.resolve()
      return isPushed.promise
    }
    github().fault({ path: /\/artifacts\/\d+\/zip$/, kind: 'slow', until, times: 1 })
    const run = await ended(doubtful(1.3))
    await isAsked.promise
    github().push(pull, { a: 'meanwhile' })
    await github().idle()
    isPushed.resolve()
    await setting.settled()
    expect([run.attempt, started()]).toEqual([1, []])
  })

  test('after a crash between the plan and the call GitHub is asked once', async () => {
    github().fault({ path: /\/rerun$/, kind: 'timeout', times: 1 })
    const stored = await countRows(setting, 'runs')
    const run = await ended(doubtful(1.3))
    await expect.poll(() => started().length).toBe(1)
    // The next look is at the next attempt alone.
    expect(await countRows(setting, 'runs')).toBe(stored + 1)
    await setting.restart()
    await setting.settled()
    expect([run.attempt, started().length]).toEqual([2, 2])
  })
})

describe('gating, undecided: block', () => {
  beforeAll(() => {
    const { github, repo } = setting
    github.commit(repo, { files: { [PATH]: `${CONFIG}workflows: [CI]\nmode: gating\nundecided: block\n` } })
  })
  const stands = () => {
    const { status, conclusion, output } = botChecks(setting, pull.head.sha).at(-1)!
    return { status, conclusion, title: output.title, summary: output.summary }
  }

  /** Sizes of which none is half of the next: no run confirms another. */
  const [FIRST, SECOND, THIRD] = [1.07, 1.16, 1.36] as const

  test('a slower row that no run decides waits for its reruns, then blocks', async () => {
    const run = await measured(doubtful(FIRST))
    expect([run.attempt, stands()]).toMatchObject([2, { conclusion: 'neutral' }])
    await measured(doubtful(SECOND), run)
    expect([run.attempt, stands()]).toMatchObject([3, { conclusion: 'neutral' }])
    await measured(doubtful(THIRD), run)
    expect([run.attempt, stands()]).toMatchObject([
      3,
      {
        conclusion: 'failure',
        title: '1 of 1 query may be slower and needs a rerun; slower, and no run is decisive',
        summary: expect.stringMatching(
          /^\*\*Not passed: 1 query is slower, and no run of this commit is decisive:\*\* `sum(_\d+)? #0` \(\+\d+\.\d%\)\. \*\*Maintainers:\*\* measure again with `\/perf rerun`, or accept it with `\/perf accept "reason"`\./,
        ),
      },
    ])
    await say('maria', '/perf accept "known"')
    expect(stands()).toMatchObject({ conclusion: 'success' })
  })

  test('one that a run in between does not show is left neutral', async () => {
    const run = await measured(doubtful(FIRST))
    await measured(STEADY, run)
    await measured(doubtful(THIRD), run)
    expect([run.attempt, stands()]).toMatchObject([3, { conclusion: 'neutral' }])
  })

  test('a faster row waits for nothing', async () => {
    const run = await measured(STEADY.map((value) => value * 0.8))
    expect([run.attempt, stands()]).toMatchObject([1, { conclusion: 'success' }])
  })

  test('where nothing runs again by itself it blocks at once: a fork, and a rerun that GitHub refuses', async () => {
    const message = 'Resource not accessible by integration'
    github().fault({ path: /\/rerun$/, method: 'POST', kind: 'status', status: 403, message, times: 1 })
    expect((await measured(doubtful(FIRST))).attempt).toBe(1)
    expect(stands()).toMatchObject({ conclusion: 'failure', title: expect.stringContaining('no run is decisive') })

    pull = github().openPullRequest({
      repo: setting.repo,
      head: 'undecided',
      fork: { owner: 'mallory' },
      files: { a: 'b' },
    })
    expect((await measured(doubtful(FIRST))).attempt).toBe(1)
    expect(stands()).toMatchObject({ conclusion: 'failure', title: expect.stringContaining('no run is decisive') })
  })
})
