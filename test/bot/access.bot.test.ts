import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Installation, Repository } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { SETTLING_MS } from '../../src/inbox/repositories.ts'
import { YES_KEPT_MS } from '../../src/web/access/permissions.ts'
import { VisitingBrowser } from '../web/access/visiting-browser.ts'
import {
  type BotSetting,
  botComments,
  installApp,
  makeBotSetting,
  PUBLIC_URL,
  rawRun,
  SLOWER,
  STEADY,
} from './bot-setting.ts'

let setting: BotSetting
/** How far the bot's clock is ahead. */
let ahead = 0
let accounts = 0

beforeAll(async () => {
  setting = await makeBotSetting({ signIn: true, bot: { now: () => Date.now() + ahead } })
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

interface Reported {
  readonly owner: string
  readonly repo: Repository
  readonly installation: Installation
  /** The addresses of its report and of one that is nowhere. */
  readonly report: string
  readonly missing: string
}

/** A repository with one report, alone in an account: whatever becomes of it no other test sees. */
async function reported(options: { readonly private: boolean }): Promise<Reported> {
  const { github } = setting
  accounts += 1
  const owner = `owner-${accounts}`
  const repo = github.createRepository({ owner, name: 'engine', ...options })
  const installation = installApp(github, owner)
  await setting.settled()
  const pull = github.openPullRequest({ repo, head: 'topic' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  await setting.settled()
  return { owner, repo, installation, report: `/r/${owner}/engine/pull/1`, missing: `/r/${owner}/nothing/pull/1` }
}

function browser(): VisitingBrowser {
  return new VisitingBrowser((url, init) => fetch(url.replace(PUBLIC_URL, setting.bot.url), init), PUBLIC_URL)
}

async function signedIn(login: string, { report }: Reported): Promise<VisitingBrowser> {
  setting.github.atBrowser(login)
  const one = browser()
  const answer = await one.signIn(report)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, report])
  return one
}

async function statusFor(visitor: VisitingBrowser, path: string): Promise<number> {
  const answer = await visitor.get(path)
  await answer.arrayBuffer()
  return answer.status
}

/** Everything of an answer but the time at which it was given. */
async function whole(visitor: VisitingBrowser, path: string): Promise<string> {
  const answer = await visitor.get(path)
  return JSON.stringify([answer.status, [...answer.headers].filter(([name]) => name !== 'date'), await answer.text()])
}

function questionsAboutPermission({ owner }: Reported): number {
  return setting.github.requests.filter(({ path }) => path.includes(`/${owner}/`) && path.endsWith('/permission'))
    .length
}

/** GitHub's webhook about it is lost. */
function turnsUnseen(repo: Repository, isPrivate: boolean): void {
  const { github } = setting
  github.pauseDeliveries()
  github.setPrivate(repo, isPrivate)
  github.resumeDeliveries(() => [])
}

describe('a public repository', () => {
  test('turns private: its pages are gone as soon as the webhook is answered, whatever the report says', async () => {
    const { github, bot } = setting
    const { owner, repo, report, missing } = await reported({ private: false })
    const stranger = browser()
    expect(await statusFor(stranger, report)).toBe(200)
    // Nothing is worked off from here on: what has to be at once can't wait for that.
    await bot.worker.stop(5000)
    github.setPrivate(repo, true)
    await github.idle()
    expect(await whole(stranger, report)).toBe(await whole(stranger, missing))
    expect(await statusFor(stranger, report)).toBe(404)
    expect(await bot.store.reports.repositoryByName(owner, 'engine')).toMatchObject({ isPrivate: false })
    await setting.restart()
    await setting.settled()
    expect(await statusFor(stranger, report)).toBe(404)
  })

  test('that turns private and public: shown when GitHub says so and a minute has passed', async () => {
    const { github, bot } = setting
    const { repo, report } = await reported({ private: false })
    github.setPrivate(repo, true)
    await github.idle()
    github.setPrivate(repo, false)
    await github.idle()
    expect(await statusFor(browser(), report)).toBe(404)
    ahead += SETTLING_MS
    bot.worker.poke()
    await setting.settled()
    expect(await statusFor(browser(), report)).toBe(200)
  })

  test('has another name: the old address shows nothing, the new one everything', async () => {
    const { github } = setting
    const { owner, repo, report } = await reported({ private: false })
    github.renameRepository(repo, 'motor')
    await github.idle()
    expect([await statusFor(browser(), report), await statusFor(browser(), `/r/${owner}/motor/pull/1`)]).toEqual([
      404, 200,
    ])
    await setting.settled()
    const shouted = `/r/${owner.toUpperCase()}/Motor/pull/1`
    expect([await statusFor(browser(), report), await statusFor(browser(), shouted)]).toEqual([404, 200])
    github.renameRepository(repo, 'engine')
    await setting.settled()
    expect(await statusFor(browser(), report)).toBe(200)
  })

  test('without the App it is not shown, and again once the App is back', async () => {
    const { github, bot } = setting
    const { owner, installation, report } = await reported({ private: false })
    github.uninstall(installation)
    await github.idle()
    expect(await statusFor(browser(), report)).toBe(404)
    installApp(github, owner)
    await github.idle()
    expect(await statusFor(browser(), report)).toBe(404)
    ahead += SETTLING_MS
    bot.worker.poke()
    await setting.settled()
    expect(await statusFor(browser(), report)).toBe(200)
  })

  test('is deleted', async () => {
    const { github } = setting
    const { repo, report, missing } = await reported({ private: false })
    github.deleteRepository(repo)
    await github.idle()
    expect(await statusFor(browser(), report)).toBe(404)
    await setting.settled()
    expect(await whole(browser(), report)).toBe(await whole(browser(), missing))
  })
})

describe('a private repository', () => {
  test('is shown to who may read it, for a minute longer than that', async () => {
    const { github } = setting
    const subject = await reported({ private: true })
    const { repo, report, missing } = subject
    github.setPermission(repo, 'alice', 'read')
    const alice = await signedIn('alice', subject)
    const bob = await signedIn('bob', subject)
    expect(await statusFor(alice, report)).toBe(200)
    expect(await statusFor(alice, `${report}?format=json`)).toBe(200)
    expect(await whole(bob, report)).toBe(await whole(bob, missing))
    expect(await statusFor(browser(), report)).toBe(404)
    expect(questionsAboutPermission(subject)).toBe(2)

    github.setPermission(repo, 'alice', 'none')
    expect(await statusFor(alice, report)).toBe(200)
    ahead += YES_KEPT_MS
    expect(await statusFor(alice, report)).toBe(404)
    expect(questionsAboutPermission(subject)).toBe(3)
  })

  test('is not shown while GitHub does not say who may read it', async () => {
    const { github } = setting
    const subject = await reported({ private: true })
    const { repo, report } = subject
    github.setPermission(repo, 'carol', 'admin')
    const carol = await signedIn('carol', subject)
    github.fault({ path: /\/permission$/, kind: 'status', status: 502, times: 1 })
    expect(await statusFor(carol, report)).toBe(404)
    ahead += YES_KEPT_MS
    expect(await statusFor(carol, report)).toBe(200)
  })

  test('a login that another person has by now does not open it', async () => {
    const { github } = setting
    const subject = await reported({ private: true })
    const { repo, report } = subject
    github.setPermission(repo, 'dave', 'read')
    const dave = await signedIn('dave', subject)
    github.state.accounts.delete('dave')
    github.setPermission(repo, 'dave', 'read')
    const other = await signedIn('dave', subject)
    expect([await statusFor(dave, report), await statusFor(other, report)]).toEqual([404, 200])
  })

  test('a name that another repository has by now does not open it', async () => {
    const { github, bot } = setting
    const subject = await reported({ private: true })
    const { owner, repo, report } = subject
    github.pauseDeliveries()
    github.renameRepository(repo, 'moved')
    const other = github.createRepository({ owner, name: 'engine', private: true })
    github.setPermission(other, 'erin', 'admin')
    const erin = await signedIn('erin', subject)
    expect(await statusFor(erin, report)).toBe(404)
    expect((await bot.inbox.repositories.byName(owner, 'engine'))?.repositoryId).toBe(repo.id)
    github.deleteRepository(other)
    github.renameRepository(repo, 'engine')
    github.resumeDeliveries()
    await setting.settled()
  })

  test('its comment links to the page, which only its readers see', async () => {
    const { github } = setting
    const subject = await reported({ private: true })
    const { owner, repo, report, missing } = subject
    const [comment] = botComments(repo.pulls.get(1)!)
    expect(comment?.body).toContain(`${PUBLIC_URL}${report}`)
    github.setPermission(repo, 'frank', 'triage')
    const frank = await signedIn('frank', subject)
    const stranger = browser()
    const { sha } = repo.pulls.get(1)!.head
    for (const path of [report, `${report}/${sha}`, `${report}?format=tsv`, `/r/${owner}/engine`]) {
      expect(await statusFor(frank, path), path).toBe(200)
      expect(await whole(stranger, path)).toBe(await whole(stranger, missing))
    }
  })

  test('a triage reads that it is public by now: the webhook was lost', async () => {
    const { repo, report } = await reported({ private: true })
    const stranger = browser()
    turnsUnseen(repo, false)
    ahead += SETTLING_MS
    expect(await statusFor(stranger, report)).toBe(404)
    setting.github.push(repo.pulls.get(1)!, { 'x.cpp': '' })
    await setting.settled()
    expect(await statusFor(stranger, report)).toBe(200)
  })

  test('a triage reads that it is private by now', async () => {
    const { repo, report } = await reported({ private: false })
    expect(await statusFor(browser(), report)).toBe(200)
    turnsUnseen(repo, true)
    setting.github.push(repo.pulls.get(1)!, { 'y.cpp': '' })
    await setting.settled()
    expect(await statusFor(browser(), report)).toBe(404)
  })
})
