import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

const REPORT = '/r/acme/engine/pull/1'
const MISSING = '/r/acme/nothing/pull/1'

let setting: BotSetting
/** How far the bot's clock is ahead. */
let ahead = 0

/** A bot with a sign-in and one report. */
async function start(options: { readonly private: boolean }): Promise<void> {
  ahead = 0
  setting = await makeBotSetting({ ...options, signIn: true, bot: { now: () => Date.now() + ahead } })
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'topic' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  await setting.settled()
}

function browser(): VisitingBrowser {
  return new VisitingBrowser((url, init) => fetch(url.replace(PUBLIC_URL, setting.bot.url), init), PUBLIC_URL)
}

async function signedIn(login: string): Promise<VisitingBrowser> {
  setting.github.atBrowser(login)
  const one = browser()
  const answer = await one.signIn(REPORT)
  expect([answer.status, answer.headers.get('location')]).toEqual([303, REPORT])
  return one
}

async function statusFor(visitor: VisitingBrowser, path = REPORT): Promise<number> {
  const answer = await visitor.get(path)
  await answer.arrayBuffer()
  return answer.status
}

/** Everything of an answer but the time at which it was given. */
async function whole(visitor: VisitingBrowser, path: string): Promise<string> {
  const answer = await visitor.get(path)
  return JSON.stringify([answer.status, [...answer.headers].filter(([name]) => name !== 'date'), await answer.text()])
}

function questionsAboutPermission(): number {
  return setting.github.requests.filter(({ path }) => path.endsWith('/permission')).length
}

describe('a public repository', () => {
  beforeAll(() => start({ private: false }))
  afterAll(async () => {
    expect(setting.github.violations).toEqual([])
    await setting.close()
  })

  test('turns private: its pages are gone as soon as the webhook is answered, whatever the report says', async () => {
    const { github, repo, bot } = setting
    const stranger = browser()
    expect(await statusFor(stranger)).toBe(200)
    // Nothing is worked off from here on: what has to be at once can't wait for that.
    await bot.worker.stop(5000)
    github.setPrivate(repo, true)
    await github.idle()
    expect(await whole(stranger, REPORT)).toBe(await whole(stranger, MISSING))
    expect(await statusFor(stranger)).toBe(404)
    expect(await bot.store.repositoryByName('acme', 'engine')).toMatchObject({ isPrivate: false })
    await setting.restart()
    await setting.settled()
    expect(await statusFor(stranger)).toBe(404)
  })

  test('is shown to who may read it, for a minute longer than that', async () => {
    const { github, repo } = setting
    github.setPermission(repo, 'alice', 'read')
    const alice = await signedIn('alice')
    const bob = await signedIn('bob')
    expect(await statusFor(alice)).toBe(200)
    expect(await statusFor(alice, `${REPORT}?format=json`)).toBe(200)
    expect(await whole(bob, REPORT)).toBe(await whole(bob, MISSING))
    expect(await statusFor(browser())).toBe(404)
    expect(questionsAboutPermission()).toBe(2)

    github.setPermission(repo, 'alice', 'none')
    expect(await statusFor(alice)).toBe(200)
    ahead += YES_KEPT_MS
    expect(await statusFor(alice)).toBe(404)
    expect(questionsAboutPermission()).toBe(3)
  })

  test('is not shown while GitHub does not say who may read it', async () => {
    const { github, repo } = setting
    github.setPermission(repo, 'carol', 'admin')
    const carol = await signedIn('carol')
    github.fault({ path: /\/permission$/, kind: 'status', status: 502, times: 1 })
    expect(await statusFor(carol)).toBe(404)
    ahead += YES_KEPT_MS
    expect(await statusFor(carol)).toBe(200)
  })

  test('a login that another person has by now does not open it', async () => {
    const { github, repo } = setting
    github.setPermission(repo, 'dave', 'read')
    const dave = await signedIn('dave')
    github.state.accounts.delete('dave')
    github.setPermission(repo, 'dave', 'read')
    const other = await signedIn('dave')
    expect([await statusFor(dave), await statusFor(other)]).toEqual([404, 200])
  })

  test('a name that another repository has by now does not open it', async () => {
    const { github, repo, bot } = setting
    github.pauseDeliveries()
    github.renameRepository(repo, 'moved')
    const other = github.createRepository({ owner: 'acme', name: 'engine', private: true })
    github.setPermission(other, 'erin', 'admin')
    const erin = await signedIn('erin')
    expect(await statusFor(erin)).toBe(404)
    expect(bot.inbox.repositories.byName('acme', 'engine')?.repositoryId).toBe(repo.id)
    github.deleteRepository(other)
    github.renameRepository(repo, 'engine')
    github.resumeDeliveries()
    await setting.settled()
  })

  test('turns public: shown when GitHub says so and a minute has passed', async () => {
    const { github, repo, bot } = setting
    github.setPrivate(repo, false)
    await github.idle()
    expect(await statusFor(browser())).toBe(404)
    ahead += SETTLING_MS
    bot.worker.poke()
    await setting.settled()
    expect(await statusFor(browser())).toBe(200)
  })

  test('has another name: the old address shows nothing, the new one everything', async () => {
    const { github, repo } = setting
    github.renameRepository(repo, 'motor')
    await github.idle()
    expect([await statusFor(browser()), await statusFor(browser(), '/r/acme/motor/pull/1')]).toEqual([404, 200])
    await setting.settled()
    expect([await statusFor(browser()), await statusFor(browser(), '/r/ACME/Motor/pull/1')]).toEqual([404, 200])
    github.renameRepository(repo, 'engine')
    await setting.settled()
    expect(await statusFor(browser())).toBe(200)
  })

  test('without the App it is not shown, and again once the App is back', async () => {
    const { github, bot } = setting
    github.uninstall(github.state.installations[0]!)
    await github.idle()
    expect(await statusFor(browser())).toBe(404)
    installApp(github)
    await github.idle()
    expect(await statusFor(browser())).toBe(404)
    ahead += SETTLING_MS
    bot.worker.poke()
    await setting.settled()
    expect(await statusFor(browser())).toBe(200)
  })

  test('is deleted', async () => {
    const { github, repo } = setting
    github.deleteRepository(repo)
    await github.idle()
    expect(await statusFor(browser())).toBe(404)
    await setting.settled()
    expect(await whole(browser(), REPORT)).toBe(await whole(browser(), MISSING))
  })
})

describe('a private repository', () => {
  beforeAll(() => start({ private: true }))
  afterAll(async () => {
    expect(setting.github.violations).toEqual([])
    await setting.close()
  })

  test('its comment links to the page, which only its readers see', async () => {
    const { github, repo } = setting
    const [comment] = botComments(repo.pulls.get(1)!)
    expect(comment?.body).toContain(`${PUBLIC_URL}${REPORT}`)
    github.setPermission(repo, 'alice', 'triage')
    const alice = await signedIn('alice')
    const stranger = browser()
    const { sha } = repo.pulls.get(1)!.head
    for (const path of [REPORT, `${REPORT}/${sha}`, `${REPORT}?format=tsv`, '/r/acme/engine']) {
      expect(await statusFor(alice, path), path).toBe(200)
      expect(await whole(stranger, path)).toBe(await whole(stranger, MISSING))
    }
  })

  test('a triage reads that it is public by now: the webhook was lost', async () => {
    const { github, repo } = setting
    const stranger = browser()
    github.pauseDeliveries()
    github.setPrivate(repo, false)
    github.resumeDeliveries(() => [])
    ahead += SETTLING_MS
    expect(await statusFor(stranger)).toBe(404)
    github.push(repo.pulls.get(1)!, { 'x.cpp': '' })
    await setting.settled()
    expect(await statusFor(stranger)).toBe(200)
  })

  test('and that it is private again', async () => {
    const { github, repo } = setting
    github.pauseDeliveries()
    github.setPrivate(repo, true)
    github.resumeDeliveries(() => [])
    github.push(repo.pulls.get(1)!, { 'y.cpp': '' })
    await setting.settled()
    expect(await statusFor(browser())).toBe(404)
  })
})
