import { readFile, writeFile } from 'node:fs/promises'
import { palettePng } from './palette-png.ts'
import { renderPicture } from './picture.ts'

/** The pictures in docs/images of states that the demo does not play, from the golden files of the comment: `node demo/state-pictures.ts`. */

const STATES: Readonly<Record<string, string>> = {
  waiting: 'partial-shards.md',
  'second-job': 'one-sided-one-job.md',
  'head-alone': 'one-sided-two-jobs.md',
  variants: 'compare/three-variants.md',
  'perf-stat': 'compare/timed.md',
  'no-results': 'all-shards-failed.md',
}

for (const [name, golden] of Object.entries(STATES)) {
  const markdown = await readFile(new URL(`../test/golden/${golden}`, import.meta.url), 'utf8')
  const shown = palettePng(await renderPicture(markdown, { width: 760, theme: 'light' }))
  await writeFile(new URL(`../docs/images/state-${name}.png`, import.meta.url), shown)
  console.log(`state-${name}.png  ${Math.round(shown.length / 1000)} kB`)
}
