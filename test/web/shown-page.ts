import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, inject } from 'vitest'
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

/** Both themes, and the rules of axe that may say something else in each. */
export const THEMES = [
  { colorScheme: 'light', rules: null },
  { colorScheme: 'dark', rules: COLOUR_RULES },
] as const

/** Both themes, at both widths. */
export const LOOKS = THEMES.flatMap(({ colorScheme, rules }) =>
  [WIDE, PHONE].map((viewport) => ({
    name: `${colorScheme}, ${viewport.width}`,
    look: { colorScheme, viewport },
    rules,
  })),
)

/** A tab of its own. What is written to the console (a violated policy is), thrown or not loaded fails the test. */
export async function inTab(browser: Browser, options: Shown, look: (page: Page) => Promise<void>): Promise<void> {
  const { status, ...contextOptions } = options
  const context = await browser.newContext({ viewport: WIDE, ...contextOptions })
  const complaints: string[] = []
  try {
    const page = await context.newPage()
    page.on('console', (message) => {
      if (status === undefined || !message.text().includes(`status of ${status} `)) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('requestfailed', (request) => complaints.push(request.url()))
    await look(page)
    expect(complaints).toEqual([])
  } finally {
    await context.close()
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

export async function unfold(page: Page): Promise<void> {
  await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true })')
}

/** axe finds nothing, also in what is folded, and nobody has to scroll sideways. */
export async function expectAccessible(page: Page, rules: readonly string[] | null = null): Promise<void> {
  await unfold(page)
  expect(await violationsOf(page, rules)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0)
}
