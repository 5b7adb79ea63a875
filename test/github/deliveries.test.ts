import { afterEach, expect, test } from 'vitest'
import { redeliverFailed } from '../../src/github/deliveries.ts'
import { makeSetting, octokitOf, Receiver, type Setting } from '../demo/setting.ts'

let setting: Setting
let receiver: Receiver

afterEach(async () => {
  await setting.github.stop()
  await receiver.stop()
})

test('what failed is asked for once, what was answered is not', async () => {
  receiver = await Receiver.start()
  setting = await makeSetting({ webhook: { url: receiver.url, secret: 'secret' } })
  const { github, repo } = setting
  await github.idle()
  receiver.status = 503
  github.openPullRequest({ repo, head: 'work' })
  await github.idle()
  const failed = github.deliveries.filter(({ statusCode }) => statusCode === 503).map(({ guid }) => guid)
  expect(failed.length).toBeGreaterThan(0)

  receiver.status = 200
  const octokit = octokitOf(github)
  expect(await redeliverFailed(octokit, new Date(0), new Date())).toBe(failed.length)
  await github.idle()
  const again = github.deliveries.filter(({ redelivery }) => redelivery)
  expect(new Map(again.map(({ guid, statusCode }) => [guid, statusCode]))).toEqual(
    new Map(failed.map((guid) => [guid, 200])),
  )
  expect(await redeliverFailed(octokit, new Date(0), new Date())).toBe(0)
})

test('a delivery that fails again and again is asked for once an hour in the end', async () => {
  receiver = await Receiver.start()
  setting = await makeSetting({ webhook: { url: receiver.url, secret: 'secret' } })
  const { github, repo } = setting
  await github.idle()
  receiver.status = 500
  github.openPullRequest({ repo, head: 'work' })
  await github.idle()
  const octokit = octokitOf(github)
  const ask = async (now: Date) => {
    const asked = await redeliverFailed(octokit, new Date(0), now)
    await github.idle()
    return asked
  }
  for (let round = 0; round < 30 && (await ask(new Date())) > 0; round += 1);
  expect(await ask(new Date())).toBe(0)
  expect(Math.max(...tries(github.deliveries.map(({ guid }) => guid)))).toBe(20)
  expect(await ask(new Date(Date.now() + 3601_000))).toBeGreaterThan(0)
})

test('what GitHub refuses to send again keeps nothing else back, and nothing older is asked for', async () => {
  receiver = await Receiver.start()
  setting = await makeSetting({ webhook: { url: receiver.url, secret: 'secret' } })
  const { github, repo } = setting
  await github.idle()
  receiver.status = 500
  github.openPullRequest({ repo, head: 'work' })
  github.openPullRequest({ repo, head: 'more' })
  await github.idle()
  const failed = new Set(github.deliveries.filter(({ statusCode }) => statusCode === 500).map(({ guid }) => guid)).size
  expect(failed).toBeGreaterThan(1)
  const octokit = octokitOf(github)
  expect(await redeliverFailed(octokit, new Date(Date.now() + 60_000), new Date())).toBe(0)

  const refused: string[] = []
  github.fault({ method: 'POST', path: /attempts$/, times: 1, kind: 'status', status: 422 })
  expect(await redeliverFailed(octokit, new Date(0), new Date(), (guid) => refused.push(guid))).toBe(failed - 1)
  expect(refused).toHaveLength(1)
})

function tries(guids: readonly string[]): number[] {
  return [...Map.groupBy(guids, (guid) => guid).values()].map(({ length }) => length)
}
