import { html } from 'hono/html'
import { type TrunkPicture, trunkWords } from '../../../report/render/pictures.ts'
import type { Theme } from '../../../report/urls.ts'
import { counted } from '../../../text/numbers.ts'
import { pictureFile } from '../../kit/charts/picture-file.ts'
import type { Html } from '../../kit/layout.ts'

/** Pixels: beside a column of numbers on a phone. */
const WIDTH = 168
/** Of the line, within which a dot has room, and with what is written below it. */
const HEIGHT = 26
const WHOLE_HEIGHT = HEIGHT + 15
const MARGIN = 4
/** Between the newest run of the trunk and what was measured here. */
const GAP = 14

/** The trunk's runs of a query from left to right, and what was measured here as a dot behind them. Values begin at the lowest one. */
export function trunkLineFile(shown: TrunkPicture, theme: Theme): Html {
  const { runs, lowest, highest, values, here, direction } = shown
  const [low, high] = [Math.min(lowest, here), Math.max(highest, here)]
  const across = (index: number) => MARGIN + (index / Math.max(1, values.length - 1)) * (WIDTH - 2 * MARGIN - GAP)
  const down = (value: number) => MARGIN + (high === low ? 0.5 : (high - value) / (high - low)) * (HEIGHT - 2 * MARGIN)
  const points = values.map((value, index) => `${rounded(across(index))},${rounded(down(value))}`)
  const kind = direction ?? 'rest'
  return pictureFile(
    {
      width: WIDTH,
      height: WHOLE_HEIGHT,
      words: trunkWords(shown),
      style: ({ slower, faster, muted, line }) =>
        `polyline{fill:none;stroke:${muted};stroke-width:1.5;stroke-linejoin:round}.axis{stroke:${line}}.slower{fill:${slower}}.faster{fill:${faster}}.rest{fill:${muted}}`,
      shapes: html`<line class="axis" x1="0" x2="${WIDTH}" y1="${HEIGHT}" y2="${HEIGHT}"/><polyline points="${points.join(' ')}"/>
<circle class="${kind}" cx="${WIDTH - MARGIN}" cy="${rounded(down(here))}" r="3.5"/>
<text x="0" y="${HEIGHT + 12}">${counted(runs, 'main-branch run', 'main-branch runs')}</text><text class="${kind}" x="${WIDTH}" y="${HEIGHT + 12}" text-anchor="end">here</text>`,
    },
    theme,
  )
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
