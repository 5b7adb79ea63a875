import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { flameGraph } from '../../../src/judge/profile/flame-graph.ts'
import { sharedBrowser } from '../../web/shown-page.ts'
import { differenceOf, type Stack } from './stacks.ts'

const data = new URL('../../data/profile-speedscope/stackcollapse/', import.meta.url)
const script = readFileSync(new URL('../../../src/judge/profile/flame-graph-script.js', import.meta.url), 'utf8')

/** A real profile, and the same with less of one thing and more of another. */
const NEW = gunzipSync(readFileSync(new URL('perf-vertx-stacks-01-collapsed-all.txt.gz', data)))
  .toString()
  .trim()
  .split('\n')
  .map((line): Stack => [line.slice(0, line.lastIndexOf(' ')), 3 * Number(line.slice(line.lastIndexOf(' ') + 1))])
const OLD = NEW.filter(([stack]) => !stack.includes('epoll')).map(
  ([stack, count]): Stack => [stack, stack.includes('tcp_sendmsg') ? 2 * count : count],
)
const svg = flameGraph(differenceOf(OLD, NEW), {
  names: { title: 'A real profile', old: 'old.txt', new: 'new.txt' },
  unit: 'samples',
  normalize: true,
  icicle: false,
  script,
})

let browser: Browser
beforeAll(async () => {
  browser = await sharedBrowser()
})

/** Shows the file as a browser does that was given it, and fails on anything that it says on the console. */
async function shown(options: BrowserContextOptions, check: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, ...options })
  const problems: string[] = []
  try {
    const page = await context.newPage()
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    await page.route('**/*', async (route) => {
      const url = route.request().url()
      if (url === 'http://graph.test/d.svg') return await route.fulfill({ contentType: 'image/svg+xml', body: svg })
      problems.push(`fetched ${url}`)
      await route.abort()
    })
    await page.goto('http://graph.test/d.svg')
    await check(page)
    expect(problems.filter((problem) => !problem.includes('favicon'))).toEqual([])
  } finally {
    await context.close()
  }
}

/** The first frame of that name. */
async function frame(page: Page, name: string): Promise<Locator> {
  const titles = await page.locator('.f > title').allTextContents()
  return page.locator('.f').nth(titles.findIndex((title) => title.startsWith(`${name}\n`)))
}

const visible = (page: Page) => page.locator('.f:visible').count()
const detail = (page: Page) => page.locator('.detail').textContent()
const widthOf = async (page: Page, name: string) =>
  Number(await (await frame(page, name)).locator('rect').getAttribute('width'))

test.each(['light', 'dark'] as const)('without the script all is drawn, %s', async (colorScheme) => {
  await shown({ javaScriptEnabled: false, colorScheme }, async (page) => {
    const box = (await page.locator('.frames').boundingBox())!
    expect(box.width).toBeGreaterThan(1100)
    const picture = await page.screenshot({ clip: { x: 1250, y: 300, width: 1, height: 1 } })
    // the page around the graph has its colour too
    const beside = await page.screenshot({ clip: { x: 600, y: 8, width: 1, height: 1 } })
    expect(picture.equals(beside)).toBe(true)
    await expect(page.locator('.legend text').count()).resolves.toBe(8)
  })
})

describe('with the script', () => {
  test('a click zooms, Escape goes back', async () => {
    await shown({}, async (page) => {
      const before = await visible(page)
      const width = await widthOf(page, 'tcp_sendmsg_[k]')
      await (await frame(page, 'tcp_sendmsg_[k]')).click()
      expect(await widthOf(page, 'tcp_sendmsg_[k]')).toBeCloseTo(1280, 0)
      expect(await visible(page)).toBeLessThan(before)
      expect(await detail(page)).toMatch(/^tcp_sendmsg_\[k\]: old \d/)
      await page.keyboard.press('Escape')
      expect(await visible(page)).toBe(before)
      expect(await widthOf(page, 'tcp_sendmsg_[k]')).toBeCloseTo(width, 1)
    })
  })

  test('a search marks frames and says their shares, a match in a match once', async () => {
    await shown({}, async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('start_thread|java_start')
      const share = (list: readonly Stack[]) => {
        const sum = list.reduce((all, [, count]) => all + count, 0)
        const found = list
          .filter(([stack]) => stack.includes('start_thread'))
          .reduce((all, [, count]) => all + count, 0)
        return `${((100 * found) / sum).toFixed(1)}%`
      }
      await expect(page.locator('output').textContent()).resolves.toBe(`2 found: ${share(OLD)} → ${share(NEW)}`)
      expect(await page.locator('.f.found').count()).toBe(2)
      await page.keyboard.press('Escape')
      expect(await page.locator('.f.found').count()).toBe(0)
      await page.keyboard.press('/')
      await page.keyboard.type('[unclosed')
      expect(await page.locator('output').textContent()).toMatch(/^0 found/)
    })
  })

  test('the keyboard walks, zooms and has its focus seen', async () => {
    await shown({}, async (page) => {
      await (await frame(page, 'all')).focus()
      await page.keyboard.press('ArrowUp')
      expect(await detail(page)).toMatch(/^java: /)
      for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowUp')
      const focused = page.locator('.f:focus')
      const deep = await focused.locator('title').textContent()
      const style = await page.evaluate<string>(
        "getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth",
      )
      expect(style).toBe('1.5px')
      await page.keyboard.press('Enter')
      expect(await focused.locator('rect').getAttribute('width')).toBe('1280.000')
      await page.keyboard.press('ArrowDown')
      expect(await focused.locator('title').textContent()).not.toBe(deep)
      expect(await page.locator('.f[tabindex="0"]').count()).toBe(1)
      expect(await focused.getAttribute('role')).toBe('button')
    })
  })

  test('flames turn into icicles and back', async () => {
    await shown({}, async (page) => {
      const y = async () => (await (await frame(page, 'all')).locator('rect').boundingBox())!.y
      const below = await y()
      await page.getByRole('button', { name: 'Icicles' }).click()
      expect(await y()).toBeLessThan(120)
      await page.getByRole('button', { name: 'Flames' }).click()
      expect(await y()).toBeCloseTo(below, 1)
    })
  })

  test('pointing at a frame says its shares, and the graph follows the window', async () => {
    await shown({}, async (page) => {
      expect(await detail(page)).toMatch(/^Click a frame/)
      await (await frame(page, 'write')).hover()
      expect(await detail(page)).toMatch(/^write: old .* points$/)
      await page.setViewportSize({ width: 900, height: 700 })
      await expect.poll(() => widthOf(page, 'all')).toBeCloseTo(880, 0)
    })
  })
})
