import { html } from 'hono/html'
import { nounsOf } from '../../../report/parts.ts'
import {
  CHANGE_KINDS,
  type ChangeKind,
  type ChangeSizes,
  changeSizes,
  changeWords,
  typicalChange,
} from '../../../report/render/change-sizes.ts'
import type { TriageReport } from '../../../report/report.ts'
import type { Theme } from '../../../report/urls.ts'
import { count, counted, signedPercent } from '../../../text/numbers.ts'
import { pictureFile } from '../../kit/charts/picture-file.ts'
import type { Html } from '../../kit/layout.ts'

/** Pixels of the heap, and with what is written below it. */
const HEIGHT = 44
const WHOLE_HEIGHT = HEIGHT + 18
/** Pixels of the picture that stands alone: a phone, which shows it smaller, can still show what is written. */
const WIDTH = 420

/**
 * All queries by the size of their change, as a heap: in a run that has not moved as a whole it stands in the middle, with
 * what changed to both sides of it. Empty where no two queries were compared.
 */
export function changeStrip(report: TriageReport): Html | string {
  const sizes = changeSizes(report)
  if (sizes === null) return ''
  return html`<figure class="strip"><svg class="chart" width="100%" height="${WHOLE_HEIGHT}" role="img" aria-label="${changeWords(sizes)}">
${drawn(sizes)}
</svg><figcaption><span>Every ${nounsOf(report.rows)[0]} by its change. </span>The typical one <b>${typicalChange(sizes.typical)}</b>${wholeRun(report)}</figcaption></figure>`
}

/** The same as an SVG file that stands alone. */
export function changeStripFile(sizes: ChangeSizes, theme: Theme): Html {
  return pictureFile(
    {
      width: WIDTH,
      height: WHOLE_HEIGHT,
      words: changeWords(sizes),
      style: ({ slower, faster, muted, line, text }) =>
        `.slower{fill:${slower}}.faster{fill:${faster}}.rest{fill:${muted};fill-opacity:.5}.axis{stroke:${line}}.zero{stroke:${muted};stroke-dasharray:2 3}.typical{stroke:${text};stroke-width:2}`,
      shapes: drawn(sizes),
    },
    theme,
  )
}

function drawn({ bins, range, isBeyond, typical }: ChangeSizes): Html {
  const tallest = Math.max(...bins.map(({ slower, faster, rest }) => slower + faster + rest))
  const middle = place(typical, range)
  return html`${CHANGE_KINDS.map((kind) => html`<g class="${kind}">${bins.map((bin, index) => bar(bin, kind, index / bins.length, 1 / bins.length, tallest))}</g>`)}
<line class="axis" x1="0" x2="100%" y1="${HEIGHT}" y2="${HEIGHT}"/><line class="zero" x1="50%" x2="50%" y1="0" y2="${HEIGHT + 4}"/>
<line class="typical" x1="${middle}%" x2="${middle}%" y1="0" y2="${HEIGHT}"/>
<text class="tick" x="0" y="${HEIGHT + 14}">${isBeyond ? '≤ ' : ''}${signedPercent(Math.expm1(-range))}</text>
<text class="tick" x="50%" y="${HEIGHT + 14}" text-anchor="middle">no change</text>
<text class="tick" x="100%" y="${HEIGHT + 14}" text-anchor="end">${isBeyond ? '≥ ' : ''}${signedPercent(Math.expm1(range))}</text>`
}

function wholeRun({ shifts }: TriageReport): string {
  const notable = shifts.filter(({ notable: is }) => is).length
  if (shifts.length === 0) return '.'
  if (notable === 0) return ': the run has not moved as a whole.'
  return notable === shifts.length
    ? ': the run moved as a whole.'
    : `: ${count(notable)} of ${counted(shifts.length, 'shard', 'shards')} moved as a whole.`
}

/** In percent of the width. */
function place(log: number, range: number): number {
  return round(Math.max(0, Math.min(100, ((log + range) / (2 * range)) * 100)))
}

/** `left` and `width` are fractions of the whole width. */
function bar(
  bin: Readonly<Record<ChangeKind, number>>,
  kind: ChangeKind,
  left: number,
  width: number,
  tallest: number,
): Html | string {
  if (bin[kind] === 0) return ''
  const height = (queries: number) => (queries === 0 ? 0 : Math.max(2, (queries / tallest) * HEIGHT))
  const below = CHANGE_KINDS.slice(0, CHANGE_KINDS.indexOf(kind)).reduce((sum, other) => sum + height(bin[other]), 0)
  const tall = Math.min(height(bin[kind]), HEIGHT - below)
  return html`<rect x="${round(left * 100)}%" width="${round(width * 85)}%" y="${round(HEIGHT - below - tall)}" height="${round(tall)}"/>`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
