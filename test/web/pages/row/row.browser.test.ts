import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TriageReport } from '../../../../src/report/report.ts'
import { ownRowPath } from '../../../../src/report/urls.ts'
import type { Store } from '../../../../src/store/store.ts'
import { openStore } from '../../../../src/store/store.ts'
import type { RunningServer } from '../../../../src/web/server.ts'
import { migratedDatabase } from '../../../store/embedded/engine-fixture.ts'
import { A_A_RUN, DEMO_RUN, METRICS_RUN, storeReport } from '../../measured-report.ts'
import { servedPages } from '../../served-pages.ts'
import { expectAccessible, type Shown, sharedBrowser, shown, testLooks } from '../../shown-page.ts'

let store: Store
let server: RunningServer
let browser: Browser
/** Two architectures, the time alone; and one with eighty counters. */
let timesPath: string
let countersPath: string
let hostilePath: string
let times: TriageReport

const HOSTILE = '"><script>document.title="broken"</script><img src=x onerror="document.title=1"> \u202egnp.exe'

beforeAll(async () => {
  store = await openStore(await migratedDatabase())
  const pathOf = (report: TriageReport, name: string) => {
    const { number } = report.pullRequest
    const row = report.rows.find(({ test: of }) => of === name)!
    return ownRowPath({ owner: 'acme', repo: 'fast.db', number, head: report.head }, row)
  }
  times = await storeReport(store, 7, 'a'.repeat(40), [
    { architecture: 'arm', source: DEMO_RUN },
    { architecture: 'amd', source: A_A_RUN },
  ])
  timesPath = pathOf(times, times.rows[0]!.test)
  const counters = await storeReport(store, 8, 'b'.repeat(40), [{ architecture: 'arm', source: METRICS_RUN }])
  countersPath = pathOf(counters, 'group_by_spill')
  const hostile = { test: HOSTILE, queryIndex: 0, queryName: HOSTILE.repeat(20), architecture: null, problems: [] }
  const sides = { old: [1, 2, 3, 4], new: [9, 8, 7, 6], reportThreshold: null, rounded: false }
  const report = await storeReport(store, 9, 'c'.repeat(40), [
    {
      architecture: HOSTILE,
      source: [
        { ...hostile, ...sides, metric: 'client_time', unit: HOSTILE },
        { ...hostile, ...sides, metric: HOSTILE, unit: HOSTILE },
        { ...hostile, ...sides, metric: 'A'.repeat(2_000), unit: null },
      ],
    },
  ])
  hostilePath = pathOf(report, HOSTILE)
  server = await servedPages({ store })
  browser = await sharedBrowser()
})
afterAll(async () => {
  await server?.close()
  await store?.close()
})

const open = (path: string, options: Shown, look: (page: Page) => Promise<void>) =>
  shown(browser, server.url + path, options, look)

describe.each([
  ['two architectures', () => timesPath],
  ['eighty counters', () => countersPath],
  ['hostile names', () => hostilePath],
])('%s', (_, path) => {
  testLooks(
    () => server.url + path(),
    {},
    async (page) => expect(await page.title()).not.toMatch(/^(?:broken|1)$/),
  )
})

test('the strip plot draws every sample inside of it, and says it in words', async () => {
  await open(timesPath, {}, async (page) => {
    const plot = page.getByRole('img', { name: /^Samples of .* on arm$/ })
    expect(await plot.count()).toBe(1)
    const frame = (await plot.boundingBox())!
    const dots = await plot.locator('circle.old, rect.new').all()
    expect(dots).toHaveLength(14)
    for (const dot of dots) {
      const box = (await dot.boundingBox())!
      expect(box.width).toBeGreaterThan(4)
      expect(box.x).toBeGreaterThanOrEqual(frame.x - 1)
      expect(box.x + box.width).toBeLessThanOrEqual(frame.x + frame.width + 1)
      expect(box.y).toBeGreaterThanOrEqual(frame.y)
      expect(box.y + box.height).toBeLessThanOrEqual(frame.y + frame.height)
    }
    expect(await plot.locator('desc').textContent()).toMatch(/^Old: 7 samples between .*New: 7 samples/)
    // More time is further right, whatever the width.
    const [old, fresh] = await Promise.all([
      plot.locator('line.median.old').boundingBox(),
      plot.locator('line.median.new').boundingBox(),
    ])
    expect(fresh!.x).toBeGreaterThan(old!.x)
  })
})

test('from the report to a query, to one of its metrics, to a group, and back, by keyboard and without JavaScript', async () => {
  await open('/r/acme/fast.db/pull/8', { javaScriptEnabled: false }, async (page) => {
    const link = page
      .locator('tbody', { hasText: 'group_by_spill' })
      .getByRole('link', { name: 'group_by_spill' })
      .first()
    await link.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${countersPath}`)
    await page.getByRole('link', { name: 'OSCPUVirtualTimeMicroseconds' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**metric=OSCPUVirtualTimeMicroseconds#repetitions')
    const plot = page.getByRole('img', { name: /against OSCPUVirtualTimeMicroseconds/ })
    expect(await plot.locator('circle.old').count()).toBe(7)
    expect(await plot.locator('rect.new').count()).toBe(7)
    await page
      .getByRole('navigation', { name: 'Metrics by group' })
      .getByRole('link', { name: /^Memory/ })
      .click()
    await page.waitForURL('**group=memory#all-metrics')
    expect(
      await page.getByRole('navigation', { name: 'Metrics by group' }).locator('[aria-current]').innerText(),
    ).toMatch(/^Memory/)
    const groups = await page.locator('.metrics tbody td[data-name="Group"]').allTextContents()
    expect(new Set(groups)).toEqual(new Set(['memory']))
    // The metric that was chosen stays.
    expect(await plot.count()).toBe(1)
    await page.getByRole('link', { name: 'In the report' }).click()
    await page.waitForURL('**/pull/8/**row=**')
  })
})

test('its structure: one h1, heads with scope, captions, ids once, code that can be reached and copied', async () => {
  await open(countersPath, {}, async (page) => {
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.locator('th:not([scope])').count()).toBe(0)
    expect(await page.locator('table:not(:has(caption))').count()).toBe(0)
    expect(await page.locator('script:not([src]), [style], [onclick]').count()).toBe(0)
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    await page.getByText('Reproduce').focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('.reproduce pre').first().innerText()).toContain(
      `curl --silent --fail 'http://localhost${countersPath}?format=tsv'`,
    )
  })
})

test('each text of Reproduce is copied by a button, also by keyboard; without JavaScript there is none', async () => {
  await open(countersPath, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await page.getByText('Reproduce').click()
    const texts = page.locator('.reproduce pre')
    const buttons = page.locator('.reproduce').getByRole('button', { name: 'Copy', exact: true })
    expect(await buttons.count()).toBe(await texts.count())
    for (const [index, button] of (await buttons.all()).entries()) {
      await button.focus()
      await page.keyboard.press('Enter')
      await page.locator('.reproduce [role="status"]').nth(index).getByText('Copied', { exact: true }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await texts.nth(index).textContent())
    }
    await expectAccessible(page)
  })
  await open(countersPath, { javaScriptEnabled: false }, async (page) => {
    expect(await page.locator('.reproduce button').count()).toBe(0)
  })
})

test('is printed with what is folded, and no dot is lost', async () => {
  await open(timesPath, {}, async (page) => {
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.strip circle.old').first().isVisible()).toBe(true)
    expect(await page.locator('.samples').first().isVisible()).toBe(true)
  })
})
