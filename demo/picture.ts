import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import chromium from '@sparticuz/chromium'
import { toHtml } from 'hast-util-to-html'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'
import { type Browser, chromium as playwright } from 'playwright-core'

/**
 * A comment as it looks on GitHub, as a PNG: `node demo/picture.ts comment.md comment.png --width 390 --theme dark`.
 * Markdown is read as GitHub reads it and shown with GitHub's own style sheet; nothing is fetched.
 */

export interface PictureOptions {
  /** CSS pixels: 900 is GitHub's column on a desktop, 390 a phone. */
  readonly width: number
  readonly theme: 'light' | 'dark'
  /** Folded parts stand open. */
  readonly unfold?: boolean
}

export async function renderPicture(markdown: string, options: PictureOptions): Promise<Buffer> {
  const browser = await launch()
  try {
    const page = await browser.newPage({
      // the whole page is taken, however high
      viewport: { width: options.width, height: 100 },
      deviceScaleFactor: 2,
      javaScriptEnabled: false,
      offline: true,
    })
    await page.setContent(await pageOf(markdown, options), { waitUntil: 'load' })
    return await page.screenshot({ fullPage: true, type: 'png' })
  } finally {
    await browser.close()
  }
}

/** The whole page: what GitHub puts around a comment matters little, its margins on a phone do. */
async function pageOf(markdown: string, { theme, unfold }: PictureOptions): Promise<string> {
  const css = await readFile(
    createRequire(import.meta.url).resolve(`github-markdown-css/github-markdown-${theme}.css`),
    'utf8',
  )
  const body = htmlOf(markdown)
  const html = unfold ? body.replaceAll('<details>', '<details open>') : body
  const background = theme === 'dark' ? '#0d1117' : '#ffffff'
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>${css}
body { margin: 0; padding: 16px; background: ${background}; }
.markdown-body { font-size: 14px; }
</style></head><body><article class="markdown-body">${html}</article></body></html>`
}

/** GitHub's Markdown as HTML. Raw HTML stays: the bodies that come here hold none but the bot's own. */
export function htmlOf(markdown: string): string {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  return toHtml(toHast(tree, { allowDangerousHtml: true }), { allowDangerousHtml: true })
}

const SYSTEM_BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** A browser of the system where there is one, else the one that comes with the packages. */
async function launch(): Promise<Browser> {
  const system = SYSTEM_BROWSERS.find((path) => existsSync(path))
  if (system !== undefined) return playwright.launch({ executablePath: system, args: ['--no-sandbox'] })
  return playwright.launch({ executablePath: await chromium.executablePath(), args: chromium.args, headless: true })
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      width: { type: 'string', default: '900' },
      theme: { type: 'string', default: 'light' },
      unfold: { type: 'boolean', default: false },
    },
  })
  const [from, to] = positionals
  const width = Number(values.width)
  const { theme, unfold } = values
  if (
    from === undefined ||
    to === undefined ||
    !(width >= 200 && width <= 4000) ||
    (theme !== 'light' && theme !== 'dark')
  ) {
    console.error('usage: node demo/picture.ts comment.md picture.png [--width 900] [--theme light|dark] [--unfold]')
    process.exit(2)
  }
  await writeFile(to, await renderPicture(await readFile(from, 'utf8'), { width, theme, unfold }))
}
