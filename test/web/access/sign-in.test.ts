import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../../demo/github/local-github.ts'
import { githubAccess } from '../../../src/web/access/github-access.ts'
import { createSeal } from '../../../src/web/access/seal.ts'
import { createSignIn } from '../../../src/web/access/sign-in.ts'
import { pages } from '../../../src/web/pages.ts'
import { memoryReports } from '../memory-reports.ts'
import { recordingLog } from '../recording-log.ts'
import { sampleReport } from '../sample-report.ts'
import { VisitingBrowser } from './visiting-browser.ts'

const SITE = 'https://perf.example.org'
const REPORT = '/r/acme/fast.db/pull/7'
const SESSION = '__Host-perf-triage'
const ATTEMPT = '__Host-perf-triage-sign-in'

let github: LocalGitHub
let clock = Date.now()

beforeAll(async () => {
  github = await startLocalGitHub()
})
afterAll(() => github.stop())
beforeEach(() => github.atBrowser('alice'))
afterEach(() => {
  expect(github.violations).toEqual([])
  github.clearFaults()
})

interface SiteOptions {
  readonly publicUrl?: string
  readonly clientSecret?: string
  readonly isPrivate?: boolean
}

/** The pages with a sign-in at the local GitHub; `reader` may read what is private. */
function site({ publicUrl = SITE, clientSecret, isPrivate = true }: SiteOptions = {}) {
  const report = sampleReport()
  const { store } = memoryReports({ ...report, repository: { ...report.repository, isPrivate } })
  const log = recordingLog()
  const { credentials, url } = github
  const signIn = createSignIn({
    clientId: credentials.clientId,
    clientSecret: clientSecret ?? credentials.clientSecret,
    githubUrl: url,
    githubApiUrl: `${url}/api/v3`,
    publicUrl,
    now: () => clock,
  })
  const access = githubAccess({
    reports: store.reports,
    known: { byName: async () => null, byId: async () => null },
    userOf: (context) => signIn.sessions.userOf(context),
    mayWrite: async () => false,
    mayRead: async (_repository, { login }) => login === 'alice',
    noAfterMs: 0,
  })
  const app = pages({ store, access, signIn, publicUrl, version: '1.2.3', log })
  const browser = () => new VisitingBrowser((address, init) => app.request(address, init), publicUrl)
  return { app, log, browser }
}

async function isSignedIn(browser: VisitingBrowser): Promise<boolean> {
  const html = await (await browser.get('/words')).text()
  expect(html.includes('Sign out')).toBe(!html.includes('>Sign in<'))
  return html.includes('Sign out')
}

describe('signing in', () => {
  test('goes to GitHub and back to the page, which is shown then', async () => {
    const browser = site().browser()
    expect((await browser.get(REPORT)).status).toBe(404)
    const begun = await browser.get(`/sign-in?return=${encodeURIComponent(`${REPORT}?sort=q`)}`)
    expect([begun.status, begun.headers.get('cache-control')]).toEqual([303, 'no-store'])
    const to = new URL(begun.headers.get('location')!)
    expect(to.origin + to.pathname).toBe(`${github.url}/login/oauth/authorize`)
    expect(Object.fromEntries(to.searchParams)).toEqual({
      client_id: github.credentials.clientId,
      redirect_uri: `${SITE}/sign-in/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    const [cookie] = begun.headers.getSetCookie()
    expect(cookie).toMatch(/^__Host-perf-triage-sign-in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)

    const done = await browser.signIn(`${REPORT}?sort=q`)
    expect([done.status, done.headers.get('location')]).toEqual([303, `${REPORT}?sort=q`])
    const set = done.headers.getSetCookie().find((line) => line.startsWith(`${SESSION}=`))
    expect(set).toMatch(/^__Host-perf-triage=[\w.-]+; Max-Age=28800; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect([...browser.cookies.keys()]).toEqual([SESSION])
    const shown = await browser.get(REPORT)
    expect(shown.status).toBe(200)
    expect(shown.headers.get('cache-control')).toBe('private, no-cache')
    expect(shown.headers.get('vary')?.split(', ')).toContain('Cookie')
    expect(await shown.text()).toContain('<bdi>alice</bdi> <button type="submit">Sign out</button>')
    expect((await browser.get(`${REPORT}?format=json`)).status).toBe(200)
  })

  test('the link of every page begins it and comes back to the page', async () => {
    const browser = site().browser()
    const html = await (await browser.get(REPORT)).text()
    expect(html.match(/href="\?sign-in"/g)).toHaveLength(2)
    expect(html).not.toContain('fast.db')
    const begun = await browser.get(`${REPORT}?sign-in`)
    const agreed = await fetch(begun.headers.get('location')!, { redirect: 'manual' })
    const back = new URL(agreed.headers.get('location')!)
    expect((await browser.get(back.pathname + back.search)).headers.get('location')).toBe(REPORT)
  })

  test('the cookie holds number, login and end, and no token', async () => {
    const browser = site().browser()
    await browser.signIn()
    const [text] = browser.cookies.get(SESSION)!.split('.')
    const held: unknown = JSON.parse(Buffer.from(text!, 'base64url').toString())
    const { id } = github.state.account('alice')
    expect(held).toEqual({ id, login: 'alice', until: clock + 8 * 3600_000 })
  })

  test('without https the cookies are neither Secure nor __Host-', async () => {
    const browser = site({ publicUrl: 'http://127.0.0.1:3000' }).browser()
    const done = await browser.signIn(REPORT)
    expect(done.headers.getSetCookie().join()).not.toMatch(/secure|__Host/i)
    expect([...browser.cookies.keys()]).toEqual(['perf-triage'])
    expect((await browser.get(REPORT)).status).toBe(200)
  })

  test.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '%2f%2fevil.example',
    '/%2f%2fevil.example',
    'javascript:alert(1)',
    '/sign-out',
  ])('with return=%s goes to the start', async (to) => {
    expect((await site().browser().signIn(to)).headers.get('location')).toBe('/')
  })

  test('is there only where it is set up', async () => {
    const { store } = memoryReports()
    const app = pages({ store, publicUrl: SITE, version: '1', log: recordingLog() })
    for (const path of ['/sign-in', '/sign-in/callback?code=x&state=x']) {
      const answer = await app.request(path)
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([404, []])
    }
    expect((await app.request('/?sign-in')).status).toBe(200)
    expect(await (await app.request('/')).text()).not.toContain('ign in')
    expect((await app.request('/sign-out', { method: 'POST' })).status).toBe(404)
    expect((await app.request('/words')).headers.get('cache-control')).toContain('public')
  })
})

describe('nobody is signed in', () => {
  async function refused(browser: VisitingBrowser, path: string): Promise<string> {
    const answer = await browser.get(path)
    expect([answer.status, browser.cookies.has(SESSION), browser.cookies.has(ATTEMPT)]).toEqual([400, false, false])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    return answer.text()
  }

  test('without the state, with another one, with a longer or shorter one', async () => {
    const { browser } = site()
    for (const change of [
      (path: string) => path.replace(/&state=.*/, ''),
      (path: string) => path.replace(/state=[^&]*/, 'state='),
      (path: string) => path.replace(/state=[^&]*/, `state=${'A'.repeat(43)}`),
      (path: string) => `${path}A`,
      (path: string) => path.slice(0, -1),
    ]) {
      const one = browser()
      const path = await one.callback()
      expect(await refused(one, change(path))).toContain('not started here')
      // That try has ended it.
      await refused(one, path)
    }
  })

  test('with the callback of another browser: nobody can be made to act as somebody else', async () => {
    const { browser } = site()
    github.atBrowser('mallory')
    const path = await browser().callback()
    const victim = browser()
    await refused(victim, path)
    await victim.get('/sign-in')
    await refused(victim, path)
    expect(await isSignedIn(victim)).toBe(false)
  })

  test('with a callback for the second time, also where the browser kept the cookie', async () => {
    const { browser } = site()
    const one = browser()
    const path = await one.callback()
    const attempt = one.cookies.get(ATTEMPT)!
    expect((await one.get(path)).status).toBe(303)
    const thief = browser()
    thief.cookies.set(ATTEMPT, attempt)
    github.requests.length = 0
    expect(await refused(thief, path)).toContain('not started here')
    expect(github.requests).toEqual([])
  })

  test('after ten minutes', async () => {
    const one = site().browser()
    const path = await one.callback()
    clock += 10 * 60_000
    await refused(one, path)
  })

  test('without a code, with an overlong one', async () => {
    const { browser } = site()
    for (const code of ['', 'x'.repeat(201), '%0a']) {
      const one = browser()
      await refused(one, (await one.callback()).replace(/code=[^&]*/, `code=${code}`))
    }
  })

  test('with the session’s seal on an attempt, or the other way round', async () => {
    const { browser } = site()
    const one = browser()
    const path = await one.callback()
    const state = new URL(path, SITE).searchParams.get('state')
    const forged = { state, verifier: 'v', returnPath: '//evil.example', until: clock + 1000 }
    one.cookies.set(ATTEMPT, createSeal(github.credentials.clientSecret, 'session').seal(forged))
    await refused(one, path)
  })

  test('when GitHub’s code is one of another attempt: its verifier does not fit', async () => {
    const { browser } = site()
    const mallory = new URL(await browser().callback(), SITE)
    const one = browser()
    const own = new URL(await one.callback(), SITE)
    own.searchParams.set('code', mallory.searchParams.get('code')!)
    expect(await refused(one, own.pathname + own.search)).toContain('has expired')
  })

  test('when GitHub’s code has expired', async () => {
    const one = site().browser()
    const path = await one.callback(REPORT)
    github.advance(10 * 60_000)
    const html = await refused(one, path)
    expect(html).toContain('has expired')
    expect(html).toContain(`href="/sign-in?return=${encodeURIComponent(REPORT)}"`)
  })

  test('when the person refuses', async () => {
    github.atBrowser('alice', 'no')
    const one = site().browser()
    const answer = await one.signIn()
    expect([answer.status, one.cookies.size]).toEqual([403, 0])
    expect(await answer.text()).toContain('The sign-in was refused')
  })

  test('when GitHub does not take the secret; the log says it, the page and the log hold no secret', async () => {
    const secret = 'the-secret-of-another-app'
    const { browser, log } = site({ clientSecret: secret })
    const answer = await browser().signIn()
    expect(answer.status).toBe(500)
    expect(log.lines).toMatchObject([{ level: 'error' }])
    const said = (await answer.text()) + String(log.lines[0]?.fields['err'])
    expect(said).toContain('incorrect_client_credentials')
    expect(said).not.toContain(secret)
  })

  test.each([
    ['the token', /access_token/, 'status'],
    ['the token', /access_token/, 'disconnect'],
    ['the user', /^\/user$/, 'status'],
    ['the user', /^\/user$/, 'truncate'],
  ] as const)('when GitHub gives no answer about %s (%s, %s)', async (_what, path, kind) => {
    github.fault({ path, kind, status: 502, times: 1 })
    const { browser, log } = site()
    const one = browser()
    const answer = await one.signIn()
    expect([answer.status, answer.headers.get('retry-after'), one.cookies.size]).toEqual([503, '60', 0])
    expect(log.lines).toMatchObject([{ level: 'warn' }])
    expect((await one.signIn()).status).toBe(303)
  })
})

describe('a session', () => {
  test('ends after eight hours, with the client secret, and with signing out', async () => {
    const { browser } = site()
    const one = browser()
    await one.signIn()
    const cookie = one.cookies.get(SESSION)!
    const missing = await (await one.get('/r/none/none/pull/1')).text()
    expect(missing).toContain('You are signed in as ')
    expect(missing).not.toContain('Sign in with GitHub')
    const elsewhere = site({ clientSecret: 'a-new-secret-from-the-page' }).browser()
    elsewhere.cookies.set(SESSION, cookie)
    expect([await isSignedIn(one), await isSignedIn(elsewhere)]).toEqual([true, false])
    clock += 8 * 3600_000 - 1
    expect(await isSignedIn(one)).toBe(true)
    clock += 1
    expect(await isSignedIn(one)).toBe(false)
    expect((await one.get(REPORT)).status).toBe(404)

    await one.signIn()
    const out = await one.post('/sign-out')
    expect([out.status, out.headers.get('location')]).toEqual([303, '/'])
    expect(await isSignedIn(one)).toBe(false)
  })

  test('is not ended by another site, by a link, or by what does not say where it is from', async () => {
    const { browser } = site()
    const one = browser()
    await one.signIn()
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${SITE}.evil.example` },
      { origin: SITE, 'sec-fetch-site': 'cross-site' },
      { origin: SITE, 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect((await one.post('/sign-out', headers as Record<string, string>)).status).toBe(403)
    }
    expect((await one.get('/sign-out')).status).toBe(405)
    expect(await isSignedIn(one)).toBe(true)
    // What a browser sends from a page whose referrer policy is no-referrer.
    expect((await one.post('/sign-out', { origin: 'null', 'sec-fetch-site': 'same-origin' })).status).toBe(303)
  })

  test('is not made up: no cookie but a whole one signs in', async () => {
    const { app, browser } = site()
    const one = browser()
    await one.signIn()
    const cookie = one.cookies.get(SESSION)!
    const [text, signature] = cookie.split('.') as [string, string]
    const { id } = github.state.account('alice')
    const value = { id, login: 'alice', until: clock + 1000 }
    const plain = Buffer.from(JSON.stringify(value)).toString('base64url')
    const { clientSecret } = github.credentials
    const status = async (sent: string) =>
      (await app.request(REPORT, { headers: { cookie: `${SESSION}=${sent}` } })).status
    expect(await status(cookie)).toBe(200)
    for (const forged of [
      text,
      `${text}.`,
      `.${signature}`,
      `${plain}.${signature}`,
      `${plain}.${createHmac('sha256', clientSecret).update(plain).digest('base64url')}`,
      createSeal(clientSecret, 'sign-in attempt').seal(value),
      createSeal('', 'session').seal(value),
      createSeal(clientSecret, 'session').seal({ ...value, until: clock }),
      createSeal(clientSecret, 'session').seal({ ...value, admin: true }),
      createSeal(clientSecret, 'session').seal({ ...value, id: '1' }),
      createSeal(clientSecret, 'session').seal({ ...value, login: '../alice' }),
      cookie.slice(0, -1),
      cookie.slice(1),
      `${cookie}${cookie}`,
      'x'.repeat(100_000),
    ]) {
      expect(await status(forged), forged.slice(0, 100)).toBe(404)
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 60 }), async (made) => {
        const sent = encodeURIComponent(made.toWellFormed())
        expect([await status(sent), await status(`${text}.${sent}`)]).toEqual([404, 404])
      }),
      { numRuns: 50 },
    )
  })
})

describe('what may not be seen', () => {
  const MISSING = '/r/acme/nothing/pull/7'

  async function whole(answer: Response): Promise<string> {
    const headers = [...answer.headers].filter(([name]) => name !== 'set-cookie')
    return JSON.stringify([answer.status, headers, await answer.text()])
  }

  test('is byte for byte what does not exist: to a stranger, and to somebody who may not read it', async () => {
    const { browser } = site()
    const stranger = browser()
    const bob = browser()
    github.atBrowser('bob')
    await bob.signIn()
    for (const visitor of [stranger, bob]) {
      const texts = new Set<string>()
      for (const path of [REPORT, '/r/acme/fast.db/pull/8', MISSING, '/r/ACME/fast.db/pull/7', '/x']) {
        texts.add(await whole(await visitor.get(path)))
      }
      expect(texts.size).toBe(1)
      expect([...texts][0]).toMatch(/^\[404,/)
      expect([...texts][0]!.includes('Sign in with GitHub')).toBe(visitor === stranger)
      expect([...texts][0]!.includes('You are signed in as bob')).toBe(visitor === bob)
      const data = new Set<string>()
      for (const path of [REPORT, MISSING, '/x']) data.add(await whole(await visitor.get(`${path}?format=json`)))
      expect(data.size).toBe(1)
      expect([...data][0]).toMatch(/^\[404,/)
      expect([...data][0]).toContain('not found')
    }
  })

  test('a page of the site says who is signed in, so no shared cache keeps it; files are kept', async () => {
    const { app } = site()
    for (const path of ['/', '/words']) {
      const { headers } = await app.request(path)
      expect(headers.get('cache-control')).toBe('private, no-cache')
      expect(headers.get('vary')).toContain('Cookie')
    }
    const style = /href="(\/assets\/[^"]+\.css)"/.exec(await (await app.request('/')).text())![1]!
    const { headers } = await app.request(style)
    expect(headers.get('cache-control')).toContain('immutable')
    expect(headers.get('vary')).not.toContain('Cookie')
  })

  test('the security policy lets a form go to this site and nowhere else', async () => {
    const { headers } = await site().app.request('/')
    expect(headers.get('content-security-policy')).toContain("form-action 'self';")
  })
})
