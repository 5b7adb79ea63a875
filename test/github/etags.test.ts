import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { listArtifacts } from '../../src/github/artifacts.ts'
import { rememberedAnswers, withEtags } from '../../src/github/etags.ts'
import { makeSetting, octokitOf, type Setting } from '../demo/setting.ts'

let setting: Setting
let pull: PullRequest

beforeAll(async () => {
  setting = await makeSetting()
  pull = setting.github.openPullRequest({ repo: setting.repo, head: 'work' })
})
afterAll(() => setting.github.stop())

test('an answer that has not changed is not sent again, and pages stay whole each time', async () => {
  const { github, repo, installation, at } = setting
  const octokit = withEtags(octokitOf(github, installation), installation.id, rememberedAnswers())
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'a.txt': 'a' })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-a', zip }] })

  github.requests.length = 0
  const first = await listArtifacts(octokit, at, run.id)
  const second = await listArtifacts(octokit, at, run.id)
  const third = await listArtifacts(octokit, at, run.id)
  expect([second, third]).toEqual([first, first])
  const statuses = github.requests.filter(({ path }) => path.endsWith('/artifacts')).map(({ status }) => status)
  expect(statuses).toEqual([200, 304, 304])
})

test('an answer that has changed is the new one', async () => {
  const { github, installation, at } = setting
  const octokit = withEtags(octokitOf(github, installation), installation.id, rememberedAnswers())
  const title = async () => (await octokit.rest.pulls.get({ ...at, pull_number: pull.number })).data.head.sha
  const before = await title()
  github.push(pull, { 'a.cpp': '1' })
  expect(await title()).toBe(pull.head.sha)
  expect(pull.head.sha).not.toBe(before)
})

test('whoever gets an answer may change it', async () => {
  const { github, installation, at } = setting
  const octokit = withEtags(octokitOf(github, installation), installation.id, rememberedAnswers())
  const read = async () => (await octokit.rest.pulls.get({ ...at, pull_number: pull.number })).data
  const first = await read()
  const { title } = first
  first.title = 'changed'
  ;(await read()).title = 'changed as well'
  expect((await read()).title).toBe(title)
})

test('installations have one memory together, and none sees what another one was answered', async () => {
  const { github, installation, at } = setting
  const answers = rememberedAnswers()
  const ask = async (installationId: number) => {
    const octokit = withEtags(octokitOf(github, installation), installationId, answers)
    github.requests.length = 0
    await octokit.rest.pulls.get({ ...at, pull_number: pull.number })
    return github.requests.filter(({ path }) => path.endsWith(`/pulls/${pull.number}`)).map(({ status }) => status)
  }
  expect(await ask(1)).toEqual([200])
  const one = answers.bytes()
  expect(await ask(2)).toEqual([200])
  expect(answers.bytes()).toBe(2 * one)
  expect([await ask(1), await ask(2)]).toEqual([[304], [304]])
})

test('never more bytes are held than the limit, and the answer that was not used for longest goes first', () => {
  const answers = rememberedAnswers(2 * 30)
  answers.keep(1, 'a', '1', 'x'.repeat(8))
  answers.keep(1, 'b', '1', 'x'.repeat(8))
  answers.keep(1, 'c', '1', 'x'.repeat(8))
  expect(answers.bytes()).toBe(60)
  expect(answers.find(1, 'a')).toMatchObject({ etag: '1' })
  answers.keep(1, 'd', '1', 'x'.repeat(8))
  expect(['a', 'b', 'c', 'd'].filter((key) => answers.find(1, key) !== null)).toEqual(['a', 'c', 'd'])
  answers.keep(1, 'a', '2', 'x'.repeat(1000))
  expect(answers.find(1, 'a')).toBeNull()
  expect(answers.bytes()).toBe(40)
})

test('the bytes are those of what is held, whatever is kept and found', () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 9 }), length: fc.integer({ min: 0, max: 60 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const answers = rememberedAnswers(200, 100)
      for (const { key, length } of steps) {
        answers.keep(1, String(key), '1', 'x'.repeat(length))
        expect(answers.bytes()).toBeLessThanOrEqual(200)
        const held = Array.from({ length: 10 }, (_, one) => answers.find(1, String(one)))
        expect(held.reduce((sum, one) => sum + (one === null ? 0 : 2 * (2 + one.json.length)), 0)).toBe(answers.bytes())
      }
    }),
  )
})

test('an installation with many large answers makes room of its own, and others keep theirs', () => {
  const answers = rememberedAnswers(2 * 300)
  for (const installationId of [1, 2]) answers.keep(installationId, 'a', '1', 'x'.repeat(28))
  for (let page = 0; page < 50; page += 1) answers.keep(3, `page ${page}`, '1', 'x'.repeat(70))
  expect([1, 2].map((installationId) => answers.find(installationId, 'a') !== null)).toEqual([true, true])
  expect(answers.find(3, 'page 49')).not.toBeNull()
  expect(answers.find(3, 'page 0')).toBeNull()
  expect(answers.bytes()).toBeLessThanOrEqual(600)
})
