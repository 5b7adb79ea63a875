import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { COLOUR_RULES, violationsOf } from './axe.ts'
import { launchBrowser } from './browser.ts'

let browser: Promise<Browser> | undefined

/** One Chromium for all files of a process, which ends with it. */
export function sharedBrowser(): Promise<Browser> {
  if (inject('needs') !== 'browser') throw new Error('Chromium is there for *.browser.test.ts: rename this file.')
  browser ??= launchBrowser()
  return browser
}

/** How a page is looked at: `BrowserContextOptions`, and what may be written to the console. */
export interface Shown extends BrowserContextOptions {
  /** An answer that the test asks for: Chromium writes each from 400 on there. */
  readonly status?: number
}

export const WIDE = { width: 1280, height: 900 }
export const PHONE = { width: 360, height: 740 }

/** Both themes at both widths, and the rules of axe that may say something else in each theme. */
const LOOKS = [
  { colorScheme: 'light', rules: null } as const,
  { colorScheme: 'dark', rules: COLOUR_RULES } as const,
].flatMap(({ colorScheme, rules }) =>
  [WIDE, PHONE].map((viewport) => ({ name: `${colorScheme}, ${viewport.width}`, colorScheme, viewport, rules })),
)

interface Tab {
  readonly page: Page
  /** What was written to the console (a violated policy is), thrown or not loaded. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

async function openTab(browser: Browser, { status, ...contextOptions }: Shown): Promise<Tab> {
  const context = await browser.newContext({ viewport: WIDE, ...contextOptions })
  const complaints: string[] = []
  const page = await context.newPage()
  page.on('console', (message) => {
    if (status === undefined || !message.text().includes(`status of ${status} `)) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => complaints.push(request.url()))
  return { page, complaints, close: () => context.close() }
}

/** A tab of its own. What is complained of fails the test. */
export async function inTab(browser: Browser, options: Shown, look: (page: Page) => Promise<void>): Promise<void> {
  const tab = await openTab(browser, options)
  try {
    await look(tab.page)
    expect(tab.complaints).toEqual([])
  } finally {
    await tab.close()
  }
}

/** The same with one page loaded. */
export async function shown(
  browser: Browser,
  url: string,
  options: Shown,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  await inTab(browser, options, async (page) => {
    await page.goto(url)
    await look(page)
  })
}

/**
 * A test for each look at a page, which is loaded once: the theme and the width are of its style sheet alone.
 * @param url asked when the tests run
 * @param options with a viewport where a script draws by the width: the looks of that one
 * @param ready awaited after the page is loaded
 */
export function testLooks(
  url: () => string,
  options: Shown = {},
  ready: (page: Page) => Promise<void> = async () => {},
): void {
  describe('no violation of accessibility and no sideways scrolling', () => {
    let tab: Tab
    beforeAll(async () => {
      tab = await openTab(await sharedBrowser(), options)
      await tab.page.goto(url())
      await ready(tab.page)
    })
    afterAll(async () => {
      await tab?.close()
    })

    const looks = LOOKS.filter(({ viewport }) => options.viewport === undefined || viewport === options.viewport)
    test.each(looks)('$name', async ({ colorScheme, viewport, rules }) => {
      await tab.page.setViewportSize(viewport)
      await tab.page.emulateMedia({ colorScheme })
      await expectAccessible(tab.page, rules)
      expect(tab.complaints).toEqual([])
    })
  })
}

export async function unfold(page: Page): Promise<void> {
  await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true })')
}

/** axe finds nothing, also in what is folded, and nobody has to scroll sideways. */
export async function expectAccessible(page: Page, rules: readonly string[] | null = null): Promise<void> {
  await unfold(page)
  expect(await violationsOf(page, rules)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0)
}
