import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Comment, PullRequest } from '../../demo/github/state.ts'
import { COMMANDS } from '../../src/bot/slash/commands.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting, recordedArtifact, writes } from './bot-setting.ts'

let setting: BotSetting
let pull: PullRequest
let opened = 0

beforeAll(async () => {
  setting = await makeBotSetting()
  setting.github.setPermission(setting.repo, 'maria', 'write')
})
beforeEach(async () => {
  opened += 1
  pull = setting.github.openPullRequest({ repo: setting.repo, head: `work-${opened}`, author: 'alice' })
  await setting.settled()
  setting.github.requests.length = 0
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

async function say(by: string, body: string): Promise<Comment> {
  const comment = setting.github.comment(pull, by, body)
  await setting.settled()
  return comment
}

function reactionsTo({ reactions }: Comment): string[] {
  return reactions.map(({ content }) => content)
}

describe('help', () => {
  test('lists every command in a reply, to anybody', async () => {
    const comment = await say('stranger', 'How does this work?\n\n/perf help')
    expect(reactionsTo(comment)).toEqual(['+1'])
    expect(botComments(pull)).toHaveLength(1)
    for (const { usage, summary } of COMMANDS) {
      expect(botComments(pull)[0]!.body).toContain(`\`/perf ${usage.replaceAll('|', '\\|')}\``)
      expect(botComments(pull)[0]!.body).toContain(summary)
    }
    expect(botComments(pull)[0]!.body).not.toContain('<!-- perf-triage:v1')
  })

  test('answers to the name of the bot too', async () => {
    expect(reactionsTo(await say('stranger', '@perf-triage help'))).toEqual(['+1'])
  })
})

describe('refresh', () => {
  test('the bot looks again at once: a check run that GitHub lost is there again', async () => {
    const { github, repo } = setting
    const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
    await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: recordedArtifact() }] })
    await setting.settled()
    github.deleteComment(botComments(pull)[0]!, 'maria')
    await setting.settled()
    expect(botComments(pull)).toHaveLength(0)
    expect(reactionsTo(await say('alice', '/perf refresh'))).toEqual(['+1'])
    expect(botComments(pull)).toHaveLength(1)
    expect(botChecks(setting, pull.head.sha)).toHaveLength(1)
  })

  test('is refused to a stranger by a reaction alone', async () => {
    expect(reactionsTo(await say('stranger', '/perf refresh'))).toEqual(['confused'])
    expect(botComments(pull)).toHaveLength(0)
  })

  test('the author is told the permission that GitHub named where a command needs one', async () => {
    expect(reactionsTo(await say('alice', '/perf mute'))).toEqual(['confused'])
    expect(botComments(pull)[0]!.body).toContain('`mute` is for people with the role `write`')
    expect(botComments(pull)[0]!.body).toContain('`read`')
  })

  test('is done for whoever may write', async () => {
    expect(reactionsTo(await say('maria', '/perf refresh'))).toEqual(['+1'])
    expect(botComments(pull)).toHaveLength(0)
  })

  test('is refused where the pull request is closed', async () => {
    setting.github.closePullRequest(pull)
    expect(reactionsTo(await say('alice', '/perf refresh'))).toEqual(['confused'])
  })
})

test('explain answers anybody with the evidence and the SQL, bisect those with triage with the window, or why there is none', async () => {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: recordedArtifact() }] })
  await setting.settled()
  const [row] = (await setting.bot.store.reports.of(repo.id, pull.number))!.rows
  const name = `${row!.test} #${row!.queryIndex}`
  const comment = await say('stranger', `/perf explain ${name}`)
  expect(reactionsTo(comment)).toEqual(['+1'])
  const answer = botComments(pull).at(-1)!.body
  expect(answer).toContain(`**\`${name}\`: `)
  expect(answer).toContain('What would change it:')
  expect(answer).toContain('```sql\nSELECT')
  expect(reactionsTo(await say('stranger', '/perf explain nothing_of_that_name'))).toEqual(['confused'])
  expect(reactionsTo(await say('stranger', `/perf bisect ${name}`))).toEqual(['confused'])
  expect(reactionsTo(await say('maria', `/perf bisect ${name}`))).toEqual(['+1'])
  expect(botComments(pull).at(-1)!.body).toContain('There is no bisect window of')
})

test('a mistake is answered with what was meant; the answer is edited when the comment is', async () => {
  const comment = await say('alice', '/perf refesh')
  expect(botComments(pull)[0]!.body).toContain('Did you mean `refresh`?')
  setting.github.editComment(comment, 'alice', '/perf refresh')
  await setting.settled()
  expect(botComments(pull)).toHaveLength(1)
  expect(comment.reactions).toHaveLength(1)
})

test('an edited command needs the permission of who edited it and of who wrote it', async () => {
  const comment = await say('stranger', 'Hm.')
  setting.github.editComment(comment, 'maria', '/perf refresh')
  await setting.settled()
  expect(reactionsTo(comment)).toEqual(['confused'])
})

test('what is quoted, talk to the bot, other bots and plain talk cause no write', async () => {
  await say('alice', '> /perf refresh\n\nWhat is that?')
  await say('alice', '@perf-triage thank you!')
  await say('chatty[bot]', '/perf refresh')
  await say('alice', '/label bug')
  expect(writes(setting)).toEqual([])
})

test('the same webhook once more causes nothing more, and its own reply causes nothing', async () => {
  const { github } = setting
  const comment = await say('alice', '/perf help\n/perf refresh')
  const before = github.requests.length
  expect(before).toBeGreaterThan(0)
  github.requests.length = 0
  for (const { guid, event } of [...github.deliveries]) if (event === 'issue_comment') github.redeliver(guid)
  await setting.settled()
  expect(writes(setting)).toEqual([])
  expect(reactionsTo(comment)).toEqual(['+1'])
})

test('GitHub fails at each call in turn: each command is answered once all the same', async () => {
  const { github } = setting
  const calls: ((number: number, comment: number, by: string) => readonly [method: string, path: RegExp])[] = [
    (_, comment) => ['GET', new RegExp(`/issues/comments/${comment}$`)],
    (number) => ['GET', new RegExp(`/pulls/${number}$`)],
    (_, __, by) => ['GET', new RegExp(`/${by}/permission$`)],
    (_, comment) => ['POST', new RegExp(`/${comment}/reactions$`)],
    (number) => ['GET', new RegExp(`/issues/${number}/comments(\\?|$)`)],
    (number) => ['POST', new RegExp(`/issues/${number}/comments$`)],
  ]
  const pulls = calls.map(() => {
    opened += 1
    return github.openPullRequest({ repo: setting.repo, head: `work-${opened}`, author: 'alice' })
  })
  await setting.settled()
  github.requests.length = 0
  const asked = calls.map((call, index) => {
    const one = pulls[index]!
    const comment = github.comment(one, `stranger-${index}`, '/perf help')
    const [method, path] = call(one.number, comment.id, `stranger-${index}`)
    github.fault({ path, method, kind: 'status', status: 500, times: 1 })
    return { one, comment }
  })
  const answers = () => asked.map(({ one, comment }) => [reactionsTo(comment), botComments(one).length])
  await expect.poll(answers, { timeout: 60_000 }).toEqual(calls.map(() => [['+1'], 1]))
  expect(github.requests.filter(({ status }) => status === 500)).toHaveLength(calls.length)
})

test('an answer that a crash cut off is given after the start, and the command does not run again', async () => {
  const { github } = setting
  github.fault({ path: /\/reactions$/, kind: 'timeout', times: 1 })
  const comment = github.comment(pull, 'alice', '/perf help')
  await expect.poll(() => github.requests.some(({ path }) => path.endsWith('/reactions'))).toBe(true)
  await setting.restart()
  await setting.settled()
  expect(reactionsTo(comment)).toEqual(['+1'])
  expect(botComments(pull)).toHaveLength(1)
})

test('a command that an earlier version kept and did not answer is answered, once, when it is heard again', async () => {
  const comment = await say('maria', 'Hm.')
  const { id: repositoryId } = setting.repo
  const { inbox } = setting.bot
  const place = { repositoryId, commentId: comment.id, pullRequestNumber: pull.number, actor: 'maria', actorId: 1 }
  await inbox.commands.add({ ...place, line: '/perf help', wasDone: true, words: 'As kept.' }, Date.now())
  setting.github.editComment(comment, 'maria', '/perf help')
  await setting.settled()
  expect(reactionsTo(comment)).toEqual(['+1'])
  expect(botComments(pull).map(({ body }) => body.split('\n').at(-1))).toEqual(['As kept.'])
  setting.github.requests.length = 0
  setting.github.editComment(comment, 'maria', '/perf help\n')
  await setting.settled()
  expect(writes(setting)).toEqual([])
})

test('a stranger is answered three times an hour, then by a reaction, then not at all; whoever may act always is', async () => {
  const reactions: string[][] = []
  for (let asked = 0; asked < 8; asked += 1) reactions.push(reactionsTo(await say('eager', `/perf help ${asked}`)))
  expect(reactions).toEqual([...Array(6).fill(['+1']), [], []])
  expect(botComments(pull)).toHaveLength(3)
  setting.github.requests.length = 0
  const silent = await say('eager', '/perf accept all "x"')
  setting.github.editComment(silent, 'eager', '/perf help me')
  await setting.settled()
  expect(writes(setting)).toEqual([])
  for (let asked = 0; asked < 7; asked += 1) await say('maria', `/perf help ${asked}`)
  expect(botComments(pull)).toHaveLength(10)
})

test('an author has three answers an hour on each pull request of their own, however many they had elsewhere', async () => {
  const { github, repo } = setting
  const author = 'fiona'
  for (let asked = 0; asked < 7; asked += 1) await say(author, `/perf help ${asked}`)
  for (const head of ['own-1', 'own-2']) {
    pull = github.openPullRequest({ repo, head, author })
    for (let asked = 0; asked < 4; asked += 1) await say(author, `/perf help ${asked}`)
    expect(botComments(pull)).toHaveLength(3)
  }
})

test('what was said is taken back however many commands were given', async () => {
  expect(reactionsTo(await say('maria', '/perf mute'))).toEqual(['+1'])
  for (const from of [0, 10, 20]) {
    await say('maria', Array.from({ length: 10 }, (_, index) => `/perf help ${from + index}`).join('\n'))
  }
  expect(reactionsTo(await say('maria', '/perf unmute'))).toEqual(['+1'])
})

test('a report and its check are written before answers that were asked for earlier', async () => {
  const paced = await makeBotSetting({ bot: { paced: true } })
  onTestFinished(() => paced.close())
  const { github, repo } = paced
  const one = github.openPullRequest({ repo, head: 'work', author: 'alice' })
  await paced.settled()
  for (let asked = 0; asked < 6; asked += 1) github.comment(one, `stranger-${asked}`, '/perf help')
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull: one })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: recordedArtifact() }] })
  await expect
    .poll(() => botChecks(paced, one.head.sha).some(({ status }) => status === 'completed'), { timeout: 60_000 })
    .toBe(true)
  // One answer may have been in hand: its reaction and its reply.
  const made = writes(paced)
  const report = made.findIndex((write) => write.startsWith('POST') && write.endsWith('/check-runs'))
  const comment = made.slice(0, report).findLastIndex((write) => write.endsWith(`/issues/${one.number}/comments`))
  expect(made.slice(comment, report).filter((write) => write.endsWith('/reactions')).length).toBeLessThan(2)
  await expect.poll(() => botComments(one).length, { timeout: 60_000 }).toBe(7)
})
