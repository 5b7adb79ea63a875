import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StackCount } from '../../../../src/intake/measurement/run.ts'
import { flameGraphPath } from '../../../../src/report/urls.ts'
import type { Store } from '../../../../src/store/store.ts'
import { openStore } from '../../../../src/store/store.ts'
import type { RunningServer } from '../../../../src/web/server.ts'
import { migratedDatabase } from '../../../store/embedded/engine-fixture.ts'
import { HEAD, sampleReport, sampleResult, sampleRow } from '../../sample-report.ts'
import { servedPages } from '../../served-pages.ts'
import { PHONE, type Shown, sharedBrowser, shown, testLooks, WIDE } from '../../shown-page.ts'

const file = '../../../data/profile-speedscope/stackcollapse/perf-vertx-stacks-01-collapsed-all.txt.gz'

/** A real profile, and the same with less of one thing and more of another. */
const NEW = gunzipSync(readFileSync(new URL(file, import.meta.url)))
  .toString()
  .trim()
  .split('\n')
  .map((line): StackCount => {
    const end = line.lastIndexOf(' ')
    return { stack: line.slice(0, end), count: 3 * Number(line.slice(end + 1)) }
  })
const OLD = NEW.filter(({ stack }) => !stack.includes('epoll')).map(({ stack, count }) => ({
  stack,
  count: stack.includes('tcp_sendmsg') ? 2 * count : count,
}))

const result = sampleResult()
const row = sampleRow([result], { verdict: 'regression' })
const report = sampleReport({ rows: [row] })
const ADDRESS = { owner: 'acme', repo: 'fast.db', number: 7, head: HEAD }
const PATH = flameGraphPath(ADDRESS, row)
const HOSTILE = '"><script>document.title="broken"</script>;<img src=x onerror=alert(1)>'

let store: Store
let server: RunningServer
let browser: Browser

beforeAll(async () => {
  store = await openStore(await migratedDatabase())
  const profiled = { test: row.test, queryIndex: row.queryIndex, queryName: row.queryName }
  await store.runs.save(
    {
      repositoryId: report.repository.id,
      pullRequestNumber: 7,
      head: HEAD,
      check: 'perf (arm)',
      architecture: 'arm',
      shard: null,
      shards: null,
      attempt: 1,
      source: 'artifact 1',
      finishedAt: '2026-06-01T10:00:00Z',
      measurements: [
        {
          ...profiled,
          metric: 'client_time',
          unit: 's',
          architecture: 'arm',
          old: [0.63, 0.64],
          new: [0.75, 0.76],
          reportThreshold: null,
          rounded: false,
          problems: [],
        },
      ],
      oldCommit: null,
      newCommit: null,
      warnings: [],
      profiles: [
        { ...profiled, traceType: 'CPU', old: OLD, new: [...NEW, { stack: HOSTILE, count: 40 }] },
        { ...profiled, traceType: 'MemorySample', old: [{ stack: 'a;b', count: 4096 }], new: [] },
      ],
    },
    [result],
  )
  await store.reports.save(report)
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
  { viewport: WIDE, fragment: '' },
  { viewport: PHONE, fragment: '' },
  { viewport: PHONE, fragment: '#graph' },
])('drawn $viewport.width pixels wide $fragment', ({ viewport, fragment }) => {
  testLooks(
    () => server.url + PATH + fragment,
    { viewport },
    async (page) => {
      await page.locator('.controls').waitFor({ state: 'attached' })
      expect(await page.title()).not.toBe('broken')
    },
  )
})

test('zooms, searches and walks, by mouse and by keyboard', async () => {
  await open(PATH, {}, async (page) => {
    const frames = page.locator('.flame-graph .f:visible')
    const all = await frames.count()
    await page.keyboard.press('/')
    await page.keyboard.type('main')
    expect(await page.locator('.controls output').textContent()).toMatch(/^\d+ found: [\d.]+% → [\d.]+%$/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    expect(await frames.count()).toBeLessThan(all)
    await page.keyboard.press('Escape')
    expect(await frames.count()).toBe(all)
    await page.getByRole('button', { name: 'Icicles' }).click()
    expect(await page.locator('.detail').textContent()).not.toBe('')
  })
})

test('on a phone the frames are a table, and a link shows the graph, by keyboard', async () => {
  await open(PATH, { viewport: PHONE }, async (page) => {
    const table = page.locator('.frame-table table')
    expect(await table.locator('thead th').allTextContents()).toEqual(['Frame', 'Before', 'After', 'Points'])
    const rows = await table.locator('tbody tr').allTextContents()
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.length).toBeLessThanOrEqual(40)
    const [before, after, points] = (await table.locator('tbody tr').first().locator('td').allTextContents()).map(
      (text) => Number(text.replace('%', '').replace('−', '-')),
    )
    expect(after! - before!).toBeCloseTo(points!, 0)
    const graph = page.getByRole('region', { name: 'Flame graph' })
    expect(await graph.isVisible()).toBe(false)
    await page.getByRole('link', { name: 'Show the graph' }).focus()
    await page.keyboard.press('Enter')
    await graph.waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('main')
    expect(await page.locator('.controls output').textContent()).toMatch(/^\d+ found: /)
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    expect(await page.locator('.detail').textContent()).toMatch(/old [\d.]+% \(/)
  })
  await open(PATH, { viewport: WIDE }, async (page) => {
    expect(await page.locator('.frame-table').isVisible()).toBe(false)
    expect(await page.getByRole('region', { name: 'Flame graph' }).isVisible()).toBe(true)
  })
  await open(PATH, { viewport: PHONE, javaScriptEnabled: false }, async (page) => {
    await page.getByRole('link', { name: 'Show the graph' }).click()
    expect(await page.locator('.flame-graph .f').first().isVisible()).toBe(true)
  })
})

test('without JavaScript all is drawn, and what else there is are links', async () => {
  await open(PATH, { javaScriptEnabled: false }, async (page) => {
    expect(await page.locator('.flame-graph .f').count()).toBeGreaterThan(10)
    await page.getByRole('link', { name: /^Memory/ }).click()
    await page.waitForURL(/trace=MemorySample/)
    expect(await page.locator('.notices').textContent()).toContain('The new side has no stacks')
    await page.getByRole('link', { name: 'Icicles' }).click()
    await page.waitForURL(/trace=MemorySample&icicle=1/)
  })
})

test('JSON is for speedscope, TSV has every stack, the file stands alone', async () => {
  const json = await (await fetch(`${server.url}${PATH}?format=json`)).json()
  expect(json).toMatchObject({ profiles: [{ unit: 'none' }, { unit: 'none' }] })
  const lines = (await (await fetch(`${server.url}${PATH}?format=tsv`)).text()).trimEnd().split('\n')
  expect(lines[0]).toBe('stack\told\tnew')
  expect(new Set(lines.slice(1).map((line) => line.split('\t')[0]))).toEqual(
    new Set([...OLD.map(({ stack }) => stack), ...NEW.map(({ stack }) => stack), HOSTILE]),
  )
  const file = await fetch(`${server.url}${PATH}/flame-graph.svg`)
  expect(file.headers.get('content-disposition')).toContain('attachment')
  expect(await file.text()).toMatch(/^<svg [\s\S]*<script>/)
})

test.each([
  [`${PATH}?trace=Real`],
  [`${PATH}?architecture=amd`],
  [`${PATH}?trace=%00`],
  [PATH.replace(/[^-]*$/, 'nothing')],
])('there is nothing at %s', async (path) => {
  expect((await fetch(server.url + path)).status).toBe(404)
})
