import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { COLOUR_RULES, violationsOf } from './axe.ts'
import { launchBrowser } from './browser.ts'

let browser: Promise<Browser> | undefined

/** One Chromium for all files of a process, which ends with it. */
export function sharedBrowser(): Promise<Browser> {
  const { testPath = '' } = expect.getState()
  if (!testPath.endsWith('.browser.test.ts'))
    throw new Error('Chromium is there for *.browser.test.ts: rename this file.')
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

/** A page, and what was complained of since it was last asked: written to the console (a violated policy is), thrown or not loaded. */
class Tab {
  readonly page: Page
  #complaints: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.on('console', (message) => this.#complaints.push(message.text()))
    page.on('pageerror', (error) => this.#complaints.push(error.message))
    page.on('requestfailed', (request) => this.#complaints.push(request.url()))
  }

  static async open(browser: Browser, options: BrowserContextOptions = {}): Promise<Tab> {
    // A Chromium without a language calls it `en-US@posix`, which `Intl`, and so the charts' library, refuses.
    const context = await browser.newContext({ viewport: WIDE, locale: 'en-US', ...options })
    return new Tab(await context.newPage())
  }

  /** @param status of an answer that the test asks for */
  complaints(status: number | undefined): string[] {
    const complaints = this.#complaints
    this.#complaints = []
    return complaints.filter((text) => status === undefined || !text.includes(`status of ${status} `))
  }
}

/** A tab of its own. What is complained of fails the test. */
export async function inTab(
  browser: Browser,
  { status, ...options }: Shown,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const tab = await Tab.open(browser, options)
  try {
    await look(tab.page)
    expect(tab.complaints(status)).toEqual([])
  } finally {
    await tab.page.context().close()
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

/** One for all looks of a process: in a fresh one axe takes twice as long. */
let tabOfLooks: Promise<Tab> | undefined

/**
 * A test for each look at a page, which is loaded once: the theme and the width are of its style sheet alone.
 * @param url asked when the tests run
 * @param options with a viewport where a script draws by the width: the looks of that one
 * @param ready awaited after the page is loaded
 */
export function testLooks(
  url: () => string,
  options: Pick<Shown, 'status' | 'viewport'> = {},
  ready: (page: Page) => Promise<void> = async () => {},
): void {
  describe('no violation of accessibility and no sideways scrolling', () => {
    let tab: Tab
    beforeAll(async () => {
      tabOfLooks ??= sharedBrowser().then((browser) => Tab.open(browser))
      tab = await tabOfLooks
      await tab.page.setViewportSize(options.viewport ?? WIDE)
      await tab.page.goto(url())
      await ready(tab.page)
    })

    const looks = LOOKS.filter(({ viewport }) => options.viewport === undefined || viewport === options.viewport)
    test.each(looks)('$name', async ({ colorScheme, viewport, rules }) => {
      await tab.page.setViewportSize(viewport)
      await tab.page.emulateMedia({ colorScheme })
      await expectAccessible(tab.page, rules)
      expect(tab.complaints(options.status)).toEqual([])
    })
  })
}

export async function unfold(page: Page): Promise<void> {
  await page.evaluate('document.querySelectorAll("details").forEach((details) => { details.open = true })')
}

/** Texts of cells that reach into the cell beside them, which happens where the cells are a grid of cards. */
const OVERFLOWING =
  '[...document.querySelectorAll(".rows td")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.innerText)'

/** axe finds nothing, also in what is folded, nobody has to scroll sideways, and no cell covers another. */
export async function expectAccessible(page: Page, rules: readonly string[] | null = null): Promise<void> {
  await unfold(page)
  expect(await violationsOf(page, rules)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBeLessThanOrEqual(0)
  expect(await page.evaluate(OVERFLOWING)).toEqual([])
}
