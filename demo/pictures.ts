import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from '../test/web/browser.ts'
import { palettePng } from './palette-png.ts'

/**
 * The pictures of the demo's pull requests in docs/images, as a browser shows them: `node demo/pictures.ts [number …]`. Each
 * begins where the page does and ends before the form in which one answers.
 */

/** CSS pixels. A wider page only has wider margins. */
const WIDTHS = { desktop: 1012, phone: 360 } as const
const THEMES = ['light', 'dark'] as const

/** Visible words of the bot's comment, those with a letter in them, and its height; null where it has none. */
const SAID = `(() => {
  const box = [...document.querySelectorAll('[id^=issuecomment-]')].find((one) => one.querySelector('header').innerText.includes('perf-triage'))
  if (box === undefined) return null
  const words = box.querySelector('.markdown-body').innerText.split(/\\s+/).filter((word) => /\\p{L}/u.test(word))
  return [words.length, Math.round(box.getBoundingClientRect().height)]
})()`

const wanted = process.argv.slice(2).map(Number)
const demo = spawn(process.execPath, [fileURLToPath(new URL('demo.ts', import.meta.url)), '--keep', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = once(demo, 'exit')
const browser = await launchBrowser()
try {
  const line = await firstLine()
  const { github, repository, pullRequests } = JSON.parse(line) as {
    github: string
    repository: string
    pullRequests: { number: number }[]
  }
  for (const { number } of pullRequests) {
    if (wanted.length > 0 && !wanted.includes(number)) continue
    for (const [name, width] of Object.entries(WIDTHS)) {
      for (const theme of THEMES) {
        await picture(`demo-${number}-${name}-${theme}`, `${github}/${repository}/pull/${number}`, width, theme)
      }
    }
  }
} finally {
  await browser.close()
  demo.kill('SIGINT')
  await ended
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: demo.stdout })) return line
  throw new Error('the demo ended before it had answered')
}

async function picture(name: string, url: string, width: number, theme: 'light' | 'dark'): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme })
  try {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'networkidle' })
    const [sideways, height] = (await page.evaluate(
      "[document.documentElement.scrollWidth, Math.floor(document.getElementById('say').getBoundingClientRect().top)]",
    )) as [number, number]
    if (sideways > width) console.warn(`${name}: the page is ${sideways} pixels wide on ${width}`)
    const clip = { x: 0, y: 0, width, height }
    const said = (await page.evaluate(SAID)) as readonly [words: number, height: number] | null
    const small = palettePng(await page.screenshot({ type: 'png', fullPage: true, clip }))
    await writeFile(new URL(`../docs/images/${name}.png`, import.meta.url), small)
    const comment = said === null ? '' : `, the bot’s comment ${said[0]} words, ${said[1]} px`
    console.log(`${name}.png  ${width} × ${height}  ${Math.round(small.length / 1000)} kB${comment}`)
  } finally {
    await context.close()
  }
}
