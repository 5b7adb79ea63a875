import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { QueryId } from '../../../../src/intake/measurement/run.ts'
import { queryOfReportPath, queryPath } from '../../../../src/report/urls.ts'
import type { Store } from '../../../../src/store/store.ts'
import { openStore } from '../../../../src/store/store.ts'
import type { RunningServer } from '../../../../src/web/server.ts'
import { migratedDatabase } from '../../../store/embedded/engine-fixture.ts'
import { measuredRows } from '../../../store/history/trunk-rows.ts'
import { DEMO_RUN, REPOSITORY, storeReport } from '../../measured-report.ts'
import { HEAD } from '../../sample-report.ts'
import { servedPages } from '../../served-pages.ts'
import { PHONE, type Shown, sharedBrowser, shown, testLooks, WIDE } from '../../shown-page.ts'
import { commitOf, LONG, longRows, MEASURED, NOW, queryOf } from './query-histories.ts'

const RUNS = 5000
const HOSTILE: QueryId = {
  test: '"><script>document.title="broken"</script>',
  queryIndex: 1,
  queryName: "<img src=x onerror='document.title=1'> \u202egnp.exe",
}
/** A name of a real counter, and as long as one that a tab shows whole. */
const LONG_METRIC = 'AggregationPreallocatedElementsInHashTablesOfAllTheThreads'
const pathOf = (query: QueryId) => queryPath({ owner: 'acme', repo: 'fast.db' }, query)

let store: Store
let server: RunningServer
let browser: Browser
let flagged: QueryId
let marked: QueryId

beforeAll(async () => {
  store = await openStore(await migratedDatabase())
  const report = await storeReport(store, 7, HEAD, [{ architecture: 'amd', source: DEMO_RUN }])
  flagged = report.rows.find(({ outcome }) => outcome === 'changed')!
  marked = report.rows.find(({ outcome }) => outcome !== 'changed')!
  const { test: of, queryIndex, queryName } = marked
  const hostile = { ...HOSTILE, architecture: HOSTILE.test, metric: HOSTILE.queryName! }
  await store.trunkHistory.save(REPOSITORY.id, [
    ...measuredRows(),
    ...longRows(RUNS),
    ...longRows(300, { architecture: 'arm' }),
    ...longRows(60, { test: of, queryIndex, queryName, architecture: 'amd' }),
    ...longRows(60, hostile),
    ...longRows(60, { ...hostile, metric: LONG_METRIC }),
  ])
  server = await servedPages({ store, publicUrl: 'https://perf.example.org', now: () => NOW })
  browser = await sharedBrowser()
})

afterAll(async () => {
  await server?.close()
  await store?.close()
})

/** Waits until the chart is drawn, where the page has one. */
async function drawn(page: Page): Promise<void> {
  if ((await page.locator('[data-history]').count()) > 0) await page.locator('.live').waitFor()
}

const open = (path: string, options: Shown, look: (page: Page) => Promise<void>) =>
  shown(browser, server.url + path, options, async (page) => {
    if (options.javaScriptEnabled !== false) await drawn(page)
    await look(page)
  })

const readout = (page: Page) => page.locator('.readout').innerText()

/** The times at the ends of the chart, in seconds: from the labels that it draws nothing can be read. */
const ends = (page: Page) =>
  page.locator('[data-from]').evaluate((plot) => [plot.dataset['from'], plot.dataset['to']].map(Number))

test('5,000 runs are drawn within 100 ms', async () => {
  const times: number[] = []
  await open(pathOf(LONG), {}, async (page) => {
    for (let round = 1; round <= 3; round++) {
      await page.reload()
      await drawn(page)
      times.push(await page.evaluate<number>('performance.getEntriesByName("history-chart")[0].duration'))
    }
  })
  const middle = times.toSorted((a, b) => a - b)[1]!
  console.info(
    `5,000 runs drawn in ${middle.toFixed(1)} ms (median of ${times.map((time) => time.toFixed(1)).join(', ')})`,
  )
  // The machine of a test may be busy with other things.
  expect(middle).toBeLessThan(250)
})

/** As much of a canvas as is asked of it. */
interface Canvas {
  readonly width: number
  readonly height: number
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray }
  }
}

describe.each([WIDE, PHONE])('from a report, $width pixels wide', (viewport) => {
  const path = () => queryOfReportPath({ owner: 'acme', repo: 'fast.db', number: 7, head: HEAD }, marked)
  testLooks(() => server.url + path(), { viewport }, drawn)

  test.each(['light', 'dark'] as const)(
    'its value is marked in the chart and named below it, %s',
    async (colorScheme) => {
      const dotsOf = (address: string) => {
        let dots = 0
        const look = async (page: Page) => {
          const colour = colorScheme === 'dark' ? [230, 168, 255] : [122, 31, 162]
          dots = await page.locator('.live canvas').evaluate((element, [red, green, blue]) => {
            const canvas = element as unknown as Canvas
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
            let found = 0
            for (let at = 0; at < data.length; at += 4)
              if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) found += 1
            return found
          }, colour)
          const key = (await page.locator('.over-time .key').first().allInnerTexts()).join(' ')
          expect(key.includes(`#7 at ${HEAD.slice(0, 7)}: `)).toBe(address === path())
        }
        return open(address, { viewport, colorScheme }, look).then(() => dots)
      }
      expect(await dotsOf(path())).toBeGreaterThan(60)
      expect(await dotsOf(path().split('?')[0]!)).toBe(0)
    },
  )
})

test('the keyboard leads from run to run and zooms', async () => {
  await open(pathOf(LONG), {}, async (page) => {
    await page.locator('.plot').focus()
    await page.keyboard.press('End')
    expect(await readout(page)).toContain(commitOf(RUNS).slice(0, 10))
    expect(await readout(page)).toMatch(/UTC, [0-9a-f]{10}: [\d.]+ → [\d.]+ ms, [+-]?[\d.]+%, noise ±[\d.]+%/)
    const whole = await ends(page)
    await page.keyboard.press('+')
    await page.keyboard.press('+')
    await page.keyboard.press('ArrowLeft')
    expect(await readout(page)).toContain(commitOf(RUNS - 1).slice(0, 10))
    const zoomed = await ends(page)
    expect(zoomed[1]! - zoomed[0]!).toBeLessThan((whole[1]! - whole[0]!) / 3)
    await page.keyboard.press('Home')
    expect(await readout(page)).toContain(commitOf(1).slice(0, 10))
    await page.keyboard.press('0')
    expect(await ends(page)).toEqual(whole)
    const link = page.locator('.readout a')
    expect(await link.getAttribute('href')).toBe(`https://github.com/acme/fast.db/commit/${commitOf(1)}`)
  })
})

test('the chart has the digits of the table', async () => {
  const doubled = queryOf(measuredRows().find(({ difference }) => difference !== null && difference > 1)!)
  await open(pathOf(doubled), {}, async (page) => {
    await page.getByText('The runs as numbers').click()
    const inTable = async (name: string) =>
      (await page.locator(`[aria-label="Runs"] td[data-name="${name}"]`).allInnerTexts()).toReversed()
    const [differences, thresholds] = [await inTable('Difference'), await inTable('Threshold')]
    await page.locator('.plot').focus()
    await page.keyboard.press('Home')
    for (const [index, difference] of differences.entries()) {
      const said = (await readout(page)).split(', ').slice(-2).join(', ')
      expect(said).toBe(`${difference}, noise ±${thresholds[index]}`.replaceAll('\u00a0', ' '))
      await page.keyboard.press('ArrowRight')
    }
  })
})

test('the chart that can be zoomed has the time axis of the one below it', async () => {
  for (const width of [360, 1280]) {
    await open(`${pathOf(LONG)}?architecture=arm`, { viewport: { width, height: 900 } }, async (page) => {
      const plot = (await page.locator('.u-over').boundingBox())!
      const noise = (await page.locator('svg.chart[aria-labelledby^="noise"]').boundingBox())!
      expect(Math.abs(plot.x - (noise.x + 0.11 * noise.width))).toBeLessThan(2)
      expect(Math.abs(plot.width - 0.88 * noise.width)).toBeLessThan(2)
      // 1.5% of the runs’ time, which is some days less, are free at both ends
      const [from, to] = await ends(page)
      expect((to! - from!) / (359 * 86_400)).toBeCloseTo(1.03, 2)
    })
  }
})

test('pointing says the run, dragging zooms, the button shows all again', async () => {
  await open(`${pathOf(LONG)}?architecture=arm`, {}, async (page) => {
    const box = (await page.locator('.u-over').boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    expect(await readout(page)).toMatch(/ → .* ms/)
    const whole = await ends(page)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2, { steps: 5 })
    await page.mouse.up()
    const zoomed = await ends(page)
    expect((zoomed[1]! - zoomed[0]!) / (whole[1]! - whole[0]!)).toBeCloseTo(0.25, 1)
    await page.getByRole('button', { name: 'Whole period' }).click()
    expect(await ends(page)).toEqual(whole)
    await page.getByRole('button', { name: 'Zoom in' }).click()
    expect((await ends(page))[0]).toBeGreaterThan(whole[0]!)
  })
})

test('without JavaScript the chart is a picture, with the same steps', async () => {
  await open(pathOf(LONG), { javaScriptEnabled: false }, async (page) => {
    expect(await page.locator('svg.history').first().isVisible()).toBe(true)
    const labels = await page.locator('svg.history .label').allInnerTexts()
    expect(labels.length).toBeGreaterThan(0)
    expect(await page.locator('#steps + table tbody tr').count()).toBeGreaterThanOrEqual(2)
    await page.getByRole('link', { name: '30 days' }).click()
    await page.waitForURL(/days=30/)
  })
})

test('where the data does not come, the picture stays', async () => {
  const context = await browser.newContext({ locale: 'en-US' })
  const page = await context.newPage()
  await page.route(/format=json/, (route) => route.abort())
  const failed = page.waitForEvent('requestfailed')
  await page.goto(server.url + pathOf(LONG))
  await failed
  expect(await page.locator('svg.history').first().isVisible()).toBe(true)
  expect(await page.locator('.plot').count()).toBe(0)
  await context.close()
})

test('names do nothing', async () => {
  await open(pathOf(HOSTILE), {}, async (page) => {
    expect(await page.title()).toContain('history')
    await page.locator('.plot').focus()
    await page.keyboard.press('Home')
    expect(await readout(page)).toContain(' → ')
    expect(await page.locator('main img, main script').count()).toBe(0)
  })
})

describe.each([
  ['many runs', () => pathOf(LONG)],
  ['few runs', () => pathOf(MEASURED)],
  ['pull requests alone', () => pathOf(flagged)],
  ['hostile names', () => pathOf(HOSTILE)],
])('%s', (_, path) => {
  describe.each([WIDE, PHONE])('drawn $width pixels wide', (viewport) => {
    testLooks(() => server.url + path(), { viewport }, drawn)
  })
})
