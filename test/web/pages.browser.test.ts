import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resultKey } from '../../src/intake/measurement/run.ts'
import { failureAnchor, rowAnchor } from '../../src/report/anchors.ts'
import { rowPath } from '../../src/report/urls.ts'
import type { PagesStore } from '../../src/web/pages/site.ts'
import type { RunningServer } from '../../src/web/server.ts'
import { chronic, failingTests, notLookedUp, suspect } from '../report/render/failing-tests-builder.ts'
import { violationsOf } from './axe.ts'
import { memoryReports } from './memory-reports.ts'
import { largeReport, sampleReport, sampleResult, sampleRow } from './sample-report.ts'
import { servedPages } from './served-pages.ts'
import { inTab, PHONE, type Shown, sharedBrowser, shown, testLooks, unfold, WIDE } from './shown-page.ts'

const REPORT = '/r/acme/fast.db/pull/7'
const LARGE = '/r/acme/fast.db/pull/8'
const HUGE = '/r/acme/fast.db/pull/11'
const MISSING = '/nothing'
const RECORD = '/record?repository=acme/fast.db'
const HOSTILE = '/r/acme/fast.db/pull/9'
const FAILING = '/r/acme/fast.db/pull/10'

const hostileName = '"><script>document.title="broken"</script><img src=x onerror="document.title=1"> \u202egnp.exe'
const hostileRow = sampleRow([sampleResult({ test: hostileName, queryName: hostileName, architecture: hostileName })])
const hostile = sampleReport({
  pullRequest: { number: 9, baseRef: hostileName, title: hostileName, author: hostileName },
  rows: [hostileRow],
  notMeasuredAgain: [hostileRow],
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

const named = sampleReport({
  pullRequest: { number: 7, baseRef: 'main', title: 'Join in blocks', author: 'alice' },
})

/** Five values a side of each row that was compared, around its medians. */
const samplesOfTests: PagesStore['runs']['samplesOfTests'] = async ({ head }) => {
  const compared = head === named.head ? named.rows.flatMap(({ results }) => results) : []
  const around = (median: number | null) => (median === null ? [] : [0.9, 0.95, 1, 1.1, 1.4].map((one) => one * median))
  return new Map(
    compared.map((result) => {
      const { old, new: fresh } = result
      const medians = { oldMedian: old.median, newMedian: fresh.median }
      return [resultKey(result), [{ old: around(old.median), new: around(fresh.median), ...medians }]]
    }),
  )
}

const measuredCommits: PagesStore['runs']['measuredCommits'] = async () => [
  { commit: named.head, headOf: 7, baseOf: [], finishedAt: Date.parse(named.judgedAt) },
  { commit: 'b'.repeat(40), headOf: null, baseOf: [9, 8, 7, 6], finishedAt: Date.parse(named.judgedAt) },
  { commit: 'c'.repeat(40), headOf: 0, baseOf: [], finishedAt: Date.parse(named.judgedAt) },
]

let server: RunningServer
let browser: Browser

beforeAll(async () => {
  const large = { ...largeReport(450), pullRequest: { number: 8, baseRef: 'main' } }
  const paged = { ...largeReport(203), pullRequest: { number: 12, baseRef: 'main' } }
  const huge = { ...largeReport(3_000), pullRequest: { number: 11, baseRef: 'main' } }
  const { store } = memoryReports(named, large, hostile, failing, huge, paged)
  server = await servedPages({ store: { ...store, runs: { ...store.runs, samplesOfTests, measuredCommits } } })
  browser = await sharedBrowser()
})

afterAll(async () => {
  await server?.close()
})

const open = (path: string, options: Shown, look: (page: Page) => Promise<void>) =>
  shown(browser, server.url + path, options, look)

/** The last page of several, which axe has soon looked at. */
const PAGED = '/r/acme/fast.db/pull/12?page=2'

const PATHS = [
  REPORT,
  PAGED,
  FAILING,
  HOSTILE,
  `${REPORT}?outcome=slower&q=none`,
  '/r/acme/fast.db',
  '/r/acme/fast.db/search?q=s',
  '/r/acme/fast.db/compare',
  '/r/acme/fast.db/compare?old=main&new=0123456',
  RECORD,
  '/quality?repository=acme/fast.db',
  '/words',
  '/installed',
  '/',
]

describe.each([...PATHS, MISSING])('%s', (path) => {
  testLooks(() => server.url + path, path === MISSING ? { status: 404 } : {})
})

test('its structure: one h1, labels, heads with scope, no script, a skip link that works', async () => {
  await open(REPORT, {}, async (page) => {
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.locator('script:not([src^="/assets/"]), [style], [onclick]').count()).toBe(0)
    expect(await page.locator('th:not([scope])').count()).toBe(0)
    expect(await page.locator('table:not(:has(caption))').count()).toBe(0)
    for (const label of ['Test or query', 'Order']) expect(await page.getByLabel(label).count()).toBeGreaterThan(0)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.className')).toBe('skip')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
  })
})

test.each([320, 800])('fits a screen of %d pixels', async (width) => {
  await inTab(browser, { viewport: { width, height: 800 } }, async (page) => {
    for (const path of PATHS) {
      await page.goto(server.url + path)
      await unfold(page)
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width)
    }
  })
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
    expect(await page.locator('img, main script').count()).toBe(0)
  })
})

test('filter, sort, pages and a link to a row work without JavaScript', async () => {
  await open(REPORT, { javaScriptEnabled: false }, async (page) => {
    await page.getByRole('link', { name: '1 faster' }).click()
    await page.waitForURL(/outcome=faster/)
    expect(await page.locator('tr.query').allInnerTexts()).toEqual([expect.stringContaining('codecs #12')])
  })
  await open(LARGE, { javaScriptEnabled: false }, async (page) => {
    await page.getByLabel('Test or query').fill('from T_44')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=from\+T_44/)
    expect(await page.locator('.queries caption').textContent()).toBe(
      '11 queries, worst first. 7 + 7 repetitions. All columns',
    )
    const row = page.locator('tbody', { hasText: 't_441 ' })
    await row.locator('summary').click()
    await row.getByRole('link', { name: 'this test' }).click()
    await page.waitForURL(/test=test_36/)
    expect(await page.locator('.queries caption').textContent()).toBe(
      '12 queries, worst first. 7 + 7 repetitions. All columns',
    )
    await page.getByRole('link', { name: 'Of all tests' }).click()
    await page.waitForURL((url) => !url.searchParams.has('test'))
    expect(await page.locator('.queries caption').textContent()).toBe(
      'Queries 1 to 200 of 450, worst first. 7 + 7 repetitions. All columns',
    )
  })
  const linked = largeReport(450).rows[430]!
  await open(rowPath({ owner: 'acme', repo: 'fast.db', number: 8 }, linked), {}, async (page) => {
    await expect.poll(() => page.locator(`#${rowAnchor(linked)}`).evaluate((row) => row.matches(':target'))).toBe(true)
    await page.getByRole('link', { name: 'Previous' }).first().click()
    await page.waitForURL(/page=2/)
    await page.getByRole('link', { name: 'Difference', exact: true }).click()
    await page.waitForURL(/sort=difference/)
    expect(await page.getByRole('columnheader', { name: 'Difference' }).getAttribute('aria-sort')).toBe('descending')
  })
})

test.each([
  [1280, 900],
  [360, 700],
])('the first row stands on the first screen of %d × %d, with its numbers', async (width, height) => {
  for (const path of [REPORT, FAILING, HUGE]) {
    await open(path, { viewport: { width, height } }, async (page) => {
      const row = page.locator('.queries tbody').first()
      for (const part of ['.label', 'td[data-name="Difference"], td[data-name="New"]']) {
        const box = (await row.locator(part).first().boundingBox())!
        expect(box.y + box.height, `${path} ${part}`).toBeLessThanOrEqual(height)
        expect(box.x + box.width, `${path} ${part}`).toBeLessThanOrEqual(width)
      }
    })
  }
})

test.each([
  [1280, 900],
  [360, 700],
])('the lists begin on the first screen of %d × %d, and the words are found in a few', async (width, height) => {
  await inTab(browser, { viewport: { width, height } }, async (page) => {
    for (const path of ['/r/acme/fast.db', RECORD]) {
      await page.goto(server.url + path)
      const box = (await page.locator('main tbody tr').first().boundingBox())!
      expect(box.y + box.height, path).toBeLessThanOrEqual(height)
    }
    await page.goto(`${server.url}/words`)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(4_000)
    // The address of a word, as in each comment, opens its group.
    await page.goto(`${server.url}/words#too-small`)
    await expect.poll(() => page.locator('#too-small + dd').isVisible()).toBe(true)
    expect(await page.locator('details.words[open]').count()).toBe(1)
  })
})

test('two commits are asked for by keyboard and without JavaScript, and what is wrong with them is said', async () => {
  await open(REPORT, { javaScriptEnabled: false }, async (page) => {
    await page.getByRole('link', { name: 'Compare', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/compare')
    expect(await page.locator('.measured :checked').count()).toBe(2)
    await page.getByLabel('Old commit').fill('main')
    await page.getByLabel('New commit').fill('0123456')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/compare?old=main&new=0123456')
    expect(await page.getByRole('alert').innerText()).toContain('“main” is not a commit')
    expect(await page.getByLabel('New commit').inputValue()).toBe('0123456')
    await page.goto(server.url + REPORT)
    await page.getByRole('link', { name: 'with the main branch’s newest run' }).click()
    await page.waitForURL('**/compare?old=trunk**')
    expect(await page.getByRole('alert').innerText()).toBe('No run of the main branch is stored with its samples.')
  })
})

test('the counts filter, the words of a row say more by keyboard, and the further columns are a link, without JavaScript', async () => {
  await open(REPORT, { javaScriptEnabled: false }, async (page) => {
    expect(await page.locator('.queries thead th').count()).toBe(7)
    const words = page.locator('.queries tbody').first().locator('details')
    expect(await words.locator('.evidence').isVisible()).toBe(false)
    await words.locator('summary').focus()
    await page.keyboard.press('Enter')
    expect(await words.locator('.evidence').innerText()).toContain('On arm only, not on amd')
    await page.getByRole('link', { name: 'All columns' }).click()
    await page.waitForURL(/columns=all/)
    expect(await page.locator('.queries thead th').count()).toBe(14)
    await page.getByRole('link', { name: '1 faster' }).click()
    await page.waitForURL(/outcome=faster&columns=all/)
    expect(await page.locator('.queries tbody').count()).toBe(1)
    expect(await page.locator('.counts [aria-current]').innerText()).toBe('1 faster')
  })
})

test('hostile names are shown as text', async () => {
  await open(HOSTILE, {}, async (page) => {
    expect(await page.title()).toContain('acme/fast.db #9')
    expect(await page.locator('h1').innerText()).toMatch(
      /^#9 "><script>document\.title="broken"<\/script>.* ·\s"><script>/,
    )
    expect(await page.locator('img, main script').count()).toBe(0)
    expect(await page.locator('#rows tr.said .more > code').textContent()).toContain(
      '<script>document.title="broken"</script>',
    )
  })
})

test('who types sees at once which of the rows hold it; Enter asks for all of them', async () => {
  await open(LARGE, {}, async (page) => {
    const rows = page.locator('.queries tbody:visible')
    expect(await rows.count()).toBe(200)
    await page.getByLabel('Test or query').focus()
    await page.keyboard.type('TEST_3 #1')
    await expect.poll(() => rows.count()).toBe(3)
    const said = '3 of the 200 queries on this page. Press Enter to search all of them.'
    await expect.poll(() => page.getByRole('status').textContent()).toBe(said)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('t_44')
    await expect.poll(() => rows.count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=t_44/)
    expect(await rows.count()).toBe(11)
    expect(await page.getByRole('status').textContent()).toBe('')
  })
  // On a phone a row is a card, and hidden all the same.
  await open(REPORT, { viewport: PHONE }, async (page) => {
    await page.getByLabel('Test or query').fill('uniq')
    await expect.poll(() => page.locator('.queries tbody:visible').count()).toBe(1)
    await expect.poll(() => page.getByRole('status').textContent()).toBe('1 of the 5 queries on this page.')
  })
})

test.each([WIDE, PHONE])('at %o a query is a line with its samples, or a card of few lines', async (viewport) => {
  await open(REPORT, { viewport }, async (page) => {
    const rows = page.locator('.queries tbody')
    const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height))
    const arm = await page.locator('.queries tbody:has(.also)').count()
    expect(arm).toBe(1)
    // the first one has a line for each of two architectures
    if (viewport === WIDE) for (const height of heights.slice(1)) expect(height).toBeLessThanOrEqual(24)
    else for (const height of heights.slice(1)) expect(height).toBeLessThanOrEqual(160)
    expect(await rows.first().locator('.query svg.dots path').count()).toBe(2)
    expect(await rows.last().locator('svg.dots path.old').count()).toBe(0)
    expect(await page.locator('.queries caption').innerText()).toContain('Dots: old above new.')
  })
})

test('keys go from row to row, open, search and say what they are; they can be switched off', async () => {
  await open(REPORT, {}, async (page) => {
    const focused = async () => await page.evaluate('document.activeElement.textContent')
    const labels = await page.locator('.queries .label').allTextContents()
    for (const [key, row] of [
      ['j', 0],
      ['j', 1],
      ['j', 2],
      ['k', 1],
    ] as const) {
      await page.keyboard.press(key)
      expect(await focused()).toBe(labels[row])
    }
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    const more = page.locator('.queries tbody').nth(1).locator('.more')
    await page.keyboard.press('x')
    expect(await more.isVisible()).toBe(true)
    await page.keyboard.press('x')
    expect(await more.isVisible()).toBe(false)

    await page.keyboard.press('/')
    await page.keyboard.type('jk')
    expect(await page.getByLabel('Test or query').inputValue()).toBe('jk')
    await page.getByLabel('Test or query').fill('uniq')
    await expect.poll(() => page.locator('.queries tbody:visible').count()).toBe(1)
    await page.getByRole('button', { name: 'Show' }).focus()
    await page.keyboard.press('j')
    expect(await focused()).toBe('uniq #0')
    await page.keyboard.press('Control+k')
    expect(await focused()).toBe('uniq #0')

    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    expect(await dialog.getByText('previous query').isVisible()).toBe(true)
    expect(await violationsOf(page, null)).toEqual([])
    await dialog.getByLabel('Use single keys').uncheck()
    await page.keyboard.press('Escape')
    expect(await dialog.isVisible()).toBe(false)
    await page.reload()
    await page.keyboard.press('j')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY')
    await page.getByRole('button', { name: 'Keys' }).click()
    await dialog.getByLabel('Use single keys').check()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.keyboard.press('j')
    await page.keyboard.press('o')
    await page.waitForURL('**/query/**')
  })
})

test('the pull request is named by its title and author, and a commit is chosen from those that were measured', async () => {
  for (const viewport of [WIDE, PHONE]) {
    await open('/r/acme/fast.db', { viewport }, async (page) => {
      const row = page.locator('tr.own', { hasText: '#7' })
      expect(await row.getByRole('rowheader').innerText()).toMatch(/^#7 Join in blocks ·\salice into main$/)
      expect(await row.innerText()).toContain('2 of 4 queries got slower')
      await row.getByRole('link', { name: '#7' }).click()
      expect(await page.locator('h1').innerText()).toMatch(/^#7 Join in blocks ·\salice$/)
    })
    await open('/r/acme/fast.db/compare', { viewport, javaScriptEnabled: false }, async (page) => {
      expect(await page.locator('.measured tbody th').allInnerTexts()).toEqual([
        expect.stringContaining('#7 Join in blocks'),
        expect.stringMatching(/^bbbbbbbbbb base of #9, #8, #7 and 1 more\s/),
        expect.stringMatching(/^cccccccccc main branch\s/),
      ])
      await page.getByLabel('cccccccccc as the old one').check()
      await page.getByRole('button', { name: 'Compare' }).first().click()
      await page.waitForURL(
        ({ searchParams: asked }) => asked.get('old') === 'c'.repeat(40) && asked.get('new') === named.head,
      )
    })
  }
})

test('is printed without what leads elsewhere, and with what is folded', async () => {
  await open(REPORT, {}, async (page) => {
    await page.emulateMedia({ media: 'print' })
    for (const hidden of ['header.site', '.crumbs', '.filter', '.legend', '.same', '.downloads']) {
      expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
    }
    for (const seen of ['h1', '.facts', '.folds table', '.queries tbody data', '.evidence']) {
      expect(await page.locator(seen).first().isVisible(), seen).toBe(true)
    }
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeLessThan(6)
  })
})

/** Notes when the first row can be clicked, and the tasks of more than 50 ms. */
const WATCH = `
  window.longTasks = []
  new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true })
  const look = () => {
    const link = document.querySelector('.queries tbody .label')
    const box = link?.getBoundingClientRect()
    if (box && document.readyState !== 'loading' && box.width > 0) window.usableAt = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)`

/** Scrolls from the first row to the last one within two seconds; the times between the frames. */
const SCROLL = `new Promise((done) => {
  const from = document.querySelector('.queries').getBoundingClientRect().top + scrollY
  const way = document.querySelector('.queries').getBoundingClientRect().height
  const gaps = []
  const start = performance.now()
  let last = start
  const step = (now) => {
    gaps.push(now - last)
    last = now
    scrollTo(0, from + way * Math.min(1, (now - start) / 2000))
    if (now - start < 2000) requestAnimationFrame(step)
    else done(gaps.slice(1))
  }
  requestAnimationFrame(step)
})`

/** Milliseconds until the first row can be clicked, of the longest task, and between the frames of scrolling. */
interface Use {
  readonly usable: number
  readonly longest: number
  readonly rows: number
  readonly gaps: readonly number[]
}

/** Loads the report, and scrolls through its rows where that is asked for. */
async function useOf(path: string, isScrolled: boolean): Promise<Use> {
  let use: Use | undefined
  await inTab(browser, {}, async (page) => {
    await page.addInitScript(WATCH)
    await page.goto(server.url + path)
    await expect.poll(() => page.evaluate('window.usableAt')).toBeTruthy()
    const usable = await page.evaluate<number>('window.usableAt')
    const longest = Math.max(0, ...(await page.evaluate<number[]>('window.longTasks')))
    const rows = await page.locator('.queries tbody').count()
    const gaps = isScrolled ? await page.evaluate<number[]>(SCROLL) : []
    if (isScrolled) await page.locator('.queries tbody').last().locator('a.label').click({ trial: true })
    use = { usable, longest, rows, gaps }
  })
  return use!
}

test('a report of 3,000 queries can be used at once and scrolls smoothly', async () => {
  const small: Use[] = []
  const huge: Use[] = []
  for (let round = 1; round <= 3; round += 1) {
    small.push(await useOf(REPORT, round === 3))
    huge.push(await useOf(HUGE, round === 3))
  }
  expect(huge.map(({ rows }) => rows)).toEqual([200, 200, 200])
  const middle = (times: readonly number[], share = 0.5) =>
    times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)]!
  const usable = (of: readonly Use[]) => middle(of.map((one) => one.usable))
  const slowFrame = (of: readonly Use[]) => middle(of[2]!.gaps, 0.95)
  const { gaps } = huge[2]!
  console.info(
    `3,000 queries: a row can be clicked after ${usable(huge).toFixed(0)} ms, of a small report after ${usable(small).toFixed(0)} ms, ` +
      `longest task ${middle(huge.map((one) => one.longest)).toFixed(0)} ms; scrolled through 200 rows with ${gaps.length} frames, ` +
      `${middle(gaps).toFixed(0)} ms between two of them, 95% within ${slowFrame(huge).toFixed(0)} ms (of the small one ` +
      `${slowFrame(small).toFixed(0)} ms), all within ${Math.max(...gaps).toFixed(0)} ms`,
  )
  // A machine that is busy with other things is slow with a small report too.
  expect(usable(huge)).toBeLessThan(Math.max(1_500, 12 * usable(small)))
  expect(slowFrame(huge)).toBeLessThan(Math.max(200, 4 * slowFrame(small)))
})
