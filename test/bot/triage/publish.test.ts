import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publishConfigCheck, Superseded } from '../../../src/bot/triage/publish.ts'
import { CONFIG_PATH } from '../../../src/config/config-path.ts'
import { getPullRequest } from '../../../src/github/pull-requests.ts'
import { makeSetting, type Setting } from '../../demo/setting.ts'

let setting: Setting

beforeAll(async () => {
  setting = await makeSetting()
})
afterAll(() => setting.github.stop())

/** A pull request that changes the configuration; `meanwhile` happens while its files are read. */
async function checksAfter(head: string, meanwhile: (pull: ReturnType<typeof open>) => void, isHeld = true) {
  const { github, octokit, at } = setting
  const pull = open(head)
  const pullRequest = (await getPullRequest(octokit, at, pull.number))!
  const context = {
    ...{ octokit, ref: at, self: { appId: 1, slug: 'perf-triage', login: 'perf-triage[bot]' }, pullRequest },
    ...{ isHeld: async () => isHeld, isSilent: false, log: pino({ level: 'silent' }) },
  }
  github.requests.length = 0
  const published = publishConfigCheck(context as never, async () => {
    meanwhile(pull)
    return { files: [{ path: CONFIG_PATH }] } as never
  })
  const ended = await published.catch((error: unknown) => error)
  const created = github.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/check-runs'))
  return { isSuperseded: ended instanceof Superseded, created: created.length }
}

function open(head: string) {
  const { github, repo } = setting
  return github.openPullRequest({ repo, head, files: { [CONFIG_PATH]: 'mode: gating\n' } })
}

test('the check of the configuration is of the head as it still is, and of one process', async () => {
  const { github } = setting
  expect(await checksAfter('kept', () => {})).toEqual({ isSuperseded: false, created: 1 })
  const superseded = { isSuperseded: true, created: 0 }
  expect(await checksAfter('moved', (pull) => void github.push(pull, { 'a.c': '1' }))).toEqual(superseded)
  expect(await checksAfter('lost', () => {}, false)).toEqual(superseded)
})
