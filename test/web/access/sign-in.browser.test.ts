import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../../demo/github/local-github.ts'
import { githubAccess } from '../../../src/web/access/github-access.ts'
import { createSignIn } from '../../../src/web/access/sign-in.ts'
import { pages } from '../../../src/web/pages.ts'
import { type RunningServer, startServer } from '../../../src/web/server.ts'
import { memoryReports } from '../memory-reports.ts'
import { recordingLog } from '../recording-log.ts'
import { sampleReport } from '../sample-report.ts'
import { expectAccessible, inTab, PHONE, sharedBrowser, testLooks, WIDE } from '../shown-page.ts'

const REPORT = '/r/acme/fast.db/pull/7'
const LONG_LOGIN = 'a-login-of-thirty-nine-characters-so-lo'

let github: LocalGitHub
let server: RunningServer
let browser: Browser

beforeAll(async () => {
  github = await startLocalGitHub()
  const report = sampleReport()
  const { store } = memoryReports({ ...report, repository: { ...report.repository, isPrivate: true } })
  const log = recordingLog()
  let site: ReturnType<typeof pages> | undefined
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    webhook: null,
    pages: { fetch: (request) => site!.fetch(request) },
    readiness: [],
    log,
  })
  const { clientId, clientSecret } = github.credentials
  const signIn = createSignIn({
    clientId,
    clientSecret,
    githubUrl: github.url,
    githubApiUrl: `${github.url}/api/v3`,
    publicUrl: server.url,
    now: Date.now,
  })
  const access = githubAccess({
    reports: store.reports,
    known: { byName: async () => null, byId: async () => null },
    userOf: (context) => signIn.sessions.userOf(context),
    mayWrite: async () => false,
    mayRead: async () => true,
    noAfterMs: 0,
  })
  site = pages({ store, access, signIn, publicUrl: server.url, version: '1.2.3', log })
  browser = await sharedBrowser()
})

afterAll(async () => {
  await server?.close()
  await github?.stop()
})

describe('a sign-in that was not begun here says so', () => {
  const url = () => `${server.url}/sign-in/callback?code=x&state=y`
  testLooks(url, { status: 400 }, async (page) => {
    expect(await page.locator('h1').textContent()).toBe('This sign-in was not started here')
  })
})

test.each([
  { colorScheme: 'light', viewport: WIDE, status: 404 },
  { colorScheme: 'dark', viewport: PHONE, status: 404 },
] as const)('somebody signs in by keyboard, sees the report, and signs out, $colorScheme', async (look) => {
  github.atBrowser(LONG_LOGIN)
  await inTab(browser, look, async (page) => {
    expect((await page.goto(server.url + REPORT))?.status()).toBe(404)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Sign in with GitHub' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(server.url + REPORT)
    await page.getByText(LONG_LOGIN).waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.getByRole('button', { name: 'Sign out' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${server.url}/`)
    await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    expect((await page.goto(server.url + REPORT))?.status()).toBe(404)
    await page.goBack()
    expect(await page.getByText(LONG_LOGIN).count()).toBe(0)
  })
})
