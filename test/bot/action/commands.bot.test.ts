import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../../demo/github/state.ts'
import { rawRun, SLOWER, STEADY } from '../../intake/measurement/raw-run.ts'
import {
  type ActionSetting,
  artifact,
  historyFiles,
  jobCheck,
  jobComments,
  makeActionSetting,
} from './action-setting.ts'

// What people say in comments, heard by a job: decisions on the history branch, answers by the job, the report judged again.

let setting: ActionSetting

beforeAll(async () => {
  setting = await makeActionSetting()
})
afterEach(() => {
  expect(setting.github.violations).toEqual([])
  setting.github.advance(60_000)
})
afterAll(() => setting.close())

const resultsOf = (fresh: readonly number[]) =>
  artifact({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: fresh }]) })

async function judged(fresh: readonly number[], fork?: string): Promise<PullRequest> {
  const repo = setting.repository()
  setting.github.setPermission(repo, 'maria', 'write')
  const pull = setting.open(repo, fork === undefined ? {} : { fork })
  await setting.judge(await setting.measured(pull, [resultsOf(fresh)]))
  return pull
}

async function say(pull: PullRequest, by: string, body: string) {
  const comment = setting.github.comment(pull, by, body)
  const summary = await setting.hear(comment)
  return { summary, reactions: comment.reactions.map(({ content, user }) => `${user.login} ${content}`) }
}

const decisions = ({ repo }: PullRequest) => historyFiles(repo).get('decisions.jsonl')?.toString('utf8') ?? ''

test('a maintainer accepts a slower row: it is kept on the branch, and the comment and the check say so', async () => {
  const pull = await judged(SLOWER)
  const { reactions } = await say(pull, 'maria', '/perf accept "it is meant"')
  expect(reactions).toEqual(['github-actions[bot] +1'])
  expect(JSON.parse(decisions(pull))).toMatchObject({
    v: 1,
    pull: pull.number,
    decision: { kind: 'accept', reason: 'it is meant', actor: 'maria', via: 'command' },
  })
  expect(jobComments(pull)).toHaveLength(1)
  expect(jobComments(pull)[0]).toContain('it is meant')
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'success' })
})

test('of all runs of a head the one that is judged is asked for', async () => {
  const pull = await judged(SLOWER)
  for (const name of ['lint', 'docs', 'unit'])
    await setting.measured(pull, [], { name, path: `.github/workflows/${name}.yml` })
  setting.github.requests.length = 0
  await say(pull, 'maria', '/perf accept "it is meant"')
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'success' })
  expect(setting.github.requests.filter(({ path }) => /\/actions\/runs\/\d+$/.test(path))).toHaveLength(1)
})

test('the samples of a fork are accepted by name, for that run alone, by those who may', async () => {
  const pull = await judged(STEADY, 'mallory')
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
  for (const [by, body] of [
    ['mallory', '/perf accept measurement "trust me"'],
    ['maria', '/perf accept all "fine"'],
  ] as const) {
    expect((await say(pull, by, body)).reactions).toEqual(['github-actions[bot] confused'])
    expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
  }
  expect((await say(pull, 'maria', '/perf accept measurement "looked at it"')).reactions).toEqual([
    'github-actions[bot] +1',
  ])
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'success' })
  await setting.judge(await setting.measured(pull, [resultsOf(STEADY)]))
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
  setting.github.advance(1000)
  await say(pull, 'maria', '/perf accept measurement "again"')
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'success' })
})

test('a stranger who may not is told so by a reaction, and nothing is kept', async () => {
  const pull = await judged(SLOWER)
  const before = decisions(pull)
  expect((await say(pull, 'mallory', '/perf accept "mine"')).reactions).toEqual(['github-actions[bot] confused'])
  expect(jobComments(pull)).toHaveLength(1)
  expect(decisions(pull)).toBe(before)
})

test('a comment that is edited says only its new lines', async () => {
  const pull = await judged(SLOWER)
  const comment = setting.github.comment(pull, 'maria', '/perf accept "it is meant"')
  await setting.hear(comment)
  setting.github.advance(1000)
  await say(pull, 'maria', '/perf unaccept all')
  const before = decisions(pull)
  setting.github.editComment(comment, 'maria', '/perf accept "it is meant"\n\nA word more.')
  await setting.hear(comment, 'edited')
  expect(decisions(pull)).toBe(before)
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'neutral' })
})

test('a stranger is answered three times an hour, refused by three reactions, and then not heard', async () => {
  const pull = await judged(SLOWER)
  const reactions: number[] = []
  for (const line of ['help', 'help 1', 'help 2', 'help 3', 'accept "1"', 'accept "2"', 'help 4'])
    reactions.push((await say(pull, 'mallory', `/perf ${line}`)).reactions.length)
  expect(reactions).toEqual([1, 1, 1, 1, 1, 1, 0])
  expect(jobComments(pull)).toHaveLength(4)
})

test('an edit counts as a comment does, and one beyond the budget has nothing written for it', async () => {
  const pull = await judged(SLOWER)
  const comment = setting.github.comment(pull, 'eve', '/perf help')
  await setting.hear(comment)
  for (let edits = 1; edits < 8; edits += 1) {
    setting.github.advance(1000)
    setting.github.editComment(comment, 'eve', `/perf help ${edits}`)
    await setting.hear(comment, 'edited')
  }
  expect(jobComments(pull).at(-1)).toContain('help 2`')
  expect(jobComments(pull).at(-1)).not.toContain('help 3`')
})

test('a command that takes the App says so', async () => {
  const pull = await judged(SLOWER)
  expect((await say(pull, 'maria', '/perf rerun')).reactions).toEqual(['github-actions[bot] confused'])
  expect(jobComments(pull).at(-1)).toContain('`rerun` needs the perf-triage App')
})

test('a comment without a command, of a bot, or that was edited since, does nothing', async () => {
  const pull = await judged(SLOWER)
  setting.github.requests.length = 0
  await say(pull, 'maria', 'please say `/perf accept "x"`')
  await say(pull, 'other[bot]', '/perf accept "x"')
  const edited = setting.github.comment(pull, 'maria', '/perf accept "x"')
  const old = { ...edited }
  setting.github.editComment(edited, 'maria', 'never mind')
  await setting.hear(old)
  expect(setting.writes()).toEqual([])
})
