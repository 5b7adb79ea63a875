import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failureAnchor } from '../../src/render/failure-anchor.ts'
import { rowAnchor } from '../../src/render/row-anchor.ts'
import { pages } from '../../src/web/pages.ts'
import { type RunningServer, startServer } from '../../src/web/server.ts'
import { rowPath } from '../../src/web/urls.ts'
import { chronic, failingTests, notLookedUp, suspect } from '../render/failing-tests-builder.ts'
import { launchBrowser } from './browser.ts'
import { memoryReports } from './memory-reports.ts'
import { recordingLog } from './recording-log.ts'
import { largeReport, sampleReport, sampleResult, sampleRow } from './sample-report.ts'

const REPORT = '/r/acme/fast.db/pull/7'
const LARGE = '/r/acme/fast.db/pull/8'
const MISSING = '/nothing'
const HOSTILE = '/r/acme/fast.db/pull/9'
const FAILING = '/r/acme/fast.db/pull/10'

const hostileName = '"><script>document.title="broken"</script><img src=x onerror="document.title=1"> \u202egnp.exe'
const hostile = sampleReport({
  pullRequest: { number: 9, baseRef: hostileName },
  rows: [sampleRow([sampleResult({ test: hostileName, queryName: hostileName, architecture: hostileName })])],
})

const failing = sampleReport({
  pullRequest: { number: 10, baseRef: 'main' },
  failingTests: failingTests(
    [
      suspect(hostileName, hostileName),
      chronic('promise has been destructed (STID: 2508-38c6)', 'Stress test (arm_tsan)', [7, 8, 2], {
        owner: 'core',
        trunkRate: { failed: 2, runs: 340, low: 0.0016, high: 0.0212 },
      }),
      notLookedUp('test_s3_zero_copy/test_with_a_long_name.py::test_that_nobody_knows[param]', 'Other', 'too-slow'),
    ],
    { problem: 'too-slow' },
  ),
})

let server: RunningServer
let browser: Browser

beforeAll(async () => {
  const log = recordingLog()
  const large = { ...largeReport(450), pullRequest: { number: 8, baseRef: 'main' } }
  const { store } = memoryReports(sampleReport(), large, hostile, failing)
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    webhook: async () => false,
    pages: pages({ store, publicUrl: 'http://localhost', version: '1.2.3', log }),
    readiness: [],
    log,
  })
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
})

interface Look {
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
}

async function open(path: string, { colorScheme = 'light', width = 1300 }: Look, look: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // Chromium writes the 404 of a page that is asked for to be one.
    if (path !== MISSING || !message.text().includes('404')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => complaints.push(request.url()))
  await page.goto(server.url + path)
  await look(page)
  // A violated content security policy is written to the console.
  expect(complaints).toEqual([])
  await context.close()
}

/** The contrast of every visible text with what is behind it (WCAG 2.2, 1.4.3), the worst one with its text. */
const WORST_CONTRAST = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number)
  const luminance = (color) => channels(color).slice(0, 3)
    .map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor
      if ((channels(color)[3] ?? 1) > 0) return color
    }
    return 'rgb(255, 255, 255)'
  }
  let worst = [99, '']
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
    if (!own || !element.checkVisibility()) continue
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05)
    if (ratio < worst[0]) worst = [ratio, element.textContent.slice(0, 40)]
  }
  return worst
})()`

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test.each([REPORT, FAILING, `${REPORT}?outcome=slower`, '/words', '/', MISSING])('%s can be read', async (path) => {
    await open(path, { colorScheme }, async (page) => {
      await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true })')
      const [ratio, text] = (await page.evaluate(WORST_CONTRAST)) as [number, string]
      expect(ratio, text).toBeGreaterThanOrEqual(4.5)
    })
  })
})

test('its structure: one h1, labels, heads with scope, no script, a skip link that works', async () => {
  await open(REPORT, {}, async (page) => {
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.locator('script, [style], [onclick]').count()).toBe(0)
    expect(await page.locator('th:not([scope])').count()).toBe(0)
    expect(await page.locator('table:not(:has(caption))').count()).toBe(0)
    for (const label of ['Outcome', 'Test', 'Order']) expect(await page.getByLabel(label).count()).toBeGreaterThan(0)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
  })
})

test.each([320, 390, 800, 1300])('fits a screen of %d pixels', async (width) => {
  for (const path of [REPORT, LARGE, HOSTILE, FAILING, '/words', '/']) {
    await open(path, { width }, async (page) => {
      await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true })')
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width)
    })
  }
})

test('failing tests: heads with scope, captions, labels of their own, and a link to one of them', async () => {
  const wanted = failing.failingTests!.failures[1]!.failure
  await open(`${FAILING}#${failureAnchor(wanted)}`, {}, async (page) => {
    expect(await page.locator(`#${failureAnchor(wanted)}`).evaluate((row) => row.matches(':target'))).toBe(true)
    expect(await page.locator('th:not([scope])').count()).toBe(0)
    expect(await page.locator('table:not(:has(caption))').count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Failing tests' }).count()).toBe(1)
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    expect(await page.locator('img, script').count()).toBe(0)
  })
})

test('filter, sort, pages and a link to a row work without JavaScript', async () => {
  await open(REPORT, {}, async (page) => {
    await page.getByLabel(/^Outcome/).selectOption('faster')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/outcome=faster/)
    expect(await page.locator('tr.query').allInnerTexts()).toEqual([expect.stringContaining('codecs #12')])
  })
  const linked = largeReport(450).rows[430]!
  await open(rowPath({ owner: 'acme', repo: 'fast.db', number: 8 }, linked), {}, async (page) => {
    await expect.poll(() => page.locator(`#${rowAnchor(linked)}`).evaluate((row) => row.matches(':target'))).toBe(true)
    await page.getByRole('link', { name: 'Previous' }).first().click()
    await page.waitForURL(/page=2/)
    await page.getByRole('columnheader', { name: 'Difference' }).getByRole('link').click()
    await page.waitForURL(/sort=difference/)
    expect(await page.getByRole('columnheader', { name: 'Difference' }).getAttribute('aria-sort')).toBe('descending')
  })
})

test('hostile names are shown as text', async () => {
  await open(HOSTILE, {}, async (page) => {
    expect(await page.title()).toContain('acme/fast.db #9')
    expect(await page.locator('img, script').count()).toBe(0)
    expect(await page.locator('tr.query code').innerText()).toContain('<script>document.title="broken"</script>')
  })
})
