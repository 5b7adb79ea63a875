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
  expect(await redeliverFailed(octokit, new Date(0))).toBe(failed.length)
  await github.idle()
  const again = github.deliveries.filter(({ redelivery }) => redelivery)
  expect(new Map(again.map(({ guid, statusCode }) => [guid, statusCode]))).toEqual(
    new Map(failed.map((guid) => [guid, 200])),
  )
  expect(await redeliverFailed(octokit, new Date(0))).toBe(0)
})

test('a delivery that fails again and again is given up', async () => {
  receiver = await Receiver.start()
  setting = await makeSetting({ webhook: { url: receiver.url, secret: 'secret' } })
  const { github, repo } = setting
  await github.idle()
  receiver.status = 500
  github.openPullRequest({ repo, head: 'work' })
  await github.idle()
  const octokit = octokitOf(github)
  let asked = 0
  for (let round = 0; round < 10; round += 1) {
    asked = await redeliverFailed(octokit, new Date(0))
    await github.idle()
    if (asked === 0) break
  }
  expect(asked).toBe(0)
  expect(Math.max(...tries(github.deliveries.map(({ guid }) => guid)))).toBe(5)
})

function tries(guids: readonly string[]): number[] {
  return [...Map.groupBy(guids, (guid) => guid).values()].map(({ length }) => length)
}
