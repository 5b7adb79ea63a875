import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../../demo/github/local-github.ts'
import { githubAccess } from '../../../src/web/access/github-access.ts'
import { createSignIn } from '../../../src/web/access/sign-in.ts'
import { pages } from '../../../src/web/pages.ts'
import { type RunningServer, startServer } from '../../../src/web/server.ts'
import { violationsOf } from '../axe.ts'
import { launchBrowser } from '../browser.ts'
import { memoryReports } from '../memory-reports.ts'
import { recordingLog } from '../recording-log.ts'
import { sampleReport } from '../sample-report.ts'

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
    webhook: async () => false,
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
    store,
    known: { byName: () => null, byId: () => null },
    userOf: (context) => signIn.sessions.userOf(context),
    mayRead: async () => true,
    noAfterMs: 0,
  })
  site = pages({ store, access, signIn, publicUrl: server.url, version: '1.2.3', log })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
  await github?.stop()
})

async function visit(
  look: { readonly colorScheme: 'light' | 'dark'; readonly width: number },
  walk: (page: Page) => Promise<void>,
): Promise<void> {
  const { colorScheme, width } = look
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // Chromium writes each answer of 404 there.
    if (!message.text().includes('404')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await walk(page)
  // A violated content security policy is written to the console.
  expect(complaints).toEqual([])
  await context.close()
}

async function isWell(page: Page, width: number): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  expect(await violationsOf(page)).toEqual([])
}

test.each([
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
] as const)('somebody signs in by keyboard, sees the report, and signs out ($colorScheme, $width)', async (look) => {
  github.atBrowser(LONG_LOGIN)
  await visit(look, async (page) => {
    expect((await page.goto(server.url + REPORT))?.status()).toBe(404)
    await isWell(page, look.width)
    await page.getByRole('link', { name: 'Sign in with GitHub' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(server.url + REPORT)
    await page.getByText(LONG_LOGIN).waitFor()
    await isWell(page, look.width)
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
