import type { Side } from '../../../intake/measurement/run.ts'
import { xmlText } from '../../../judge/profile/xml-text.ts'
import { counted, values as valueWords } from '../../../text/numbers.ts'
import { linearAxis } from './linear-axis.ts'
import { coordinate, marker } from './plot-area.ts'

/** Points of two sides over two axes, as SVG. */

export interface ScatterAxis {
  /** As text. */
  readonly metric: string
  /** `s`, `bytes`, another one's name as text, or null. */
  readonly unit: string | null
}

export interface ScatterPoint {
  readonly x: number
  readonly y: number
}

export interface ScatterPlotInput {
  /** The beginning of the ids in the SVG: letters, digits and hyphens, unique on the page. */
  readonly id: string
  /** The title of the chart, as text. */
  readonly title: string
  readonly x: ScatterAxis
  readonly y: ScatterAxis
  /** A point per repetition, in their order. Finite. */
  readonly old: readonly ScatterPoint[]
  readonly new: readonly ScatterPoint[]
  /** The finding of the chart, as a sentence. */
  readonly finding: string
}

/** More points of a side are not drawn: the first ones are. */
const MOST_POINTS = 500

/** Pixels from the top. */
const PLOT_TOP = 24
const PLOT_BOTTOM = 270
const HEIGHT = PLOT_BOTTOM + 40

/** Per cent of the width: left of it are the labels of the ticks. */
const PLOT_LEFT = 16
const PLOT_RIGHT = 98

/** Repetitions as points, old and new told apart by shape and colour. null where there is none. */
export function scatterPlot(input: ScatterPlotInput): string | null {
  const sides = { old: input.old.slice(0, MOST_POINTS), new: input.new.slice(0, MOST_POINTS) }
  const all = [...sides.old, ...sides.new]
  if (all.length === 0) return null
  const axes = {
    x: linearAxis(
      all.map(({ x }) => x),
      input.x.unit,
    ),
    y: linearAxis(
      all.map(({ y }) => y),
      input.y.unit,
    ),
  }
  const across = (at: number) => PLOT_LEFT + (at / 100) * (PLOT_RIGHT - PLOT_LEFT)
  const down = (at: number) => PLOT_BOTTOM - (at / 100) * (PLOT_BOTTOM - PLOT_TOP)
  const points = (side: Side) =>
    sides[side].map(({ x, y }, index) =>
      marker(
        side,
        across(axes.x.position(x)),
        down(axes.y.position(y)),
        `${side}, repetition ${index + 1}: ${valueWords([x], input.x.unit)}, ${valueWords([y], input.y.unit)}`,
      ),
    )
  const axisName = ({ metric }: ScatterAxis, unit: string) => xmlText(unit === '' ? metric : `${metric}, ${unit}`)

  return `<svg class="chart scatter" role="img" aria-labelledby="${input.id}-title" aria-describedby="${input.id}-desc" width="100%" height="${HEIGHT}">
<title id="${input.id}-title">${xmlText(input.title)}</title>
<desc id="${input.id}-desc">${xmlText(describe(input))}</desc>
${axes.y.ticks
  .map(({ at, label }) => {
    const y = coordinate(down(at))
    return `<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="tick" x="0" y="${coordinate(down(at) - 3)}">${label}</text>`
  })
  .join('')}
${axes.x.ticks
  .map(({ at, label }) => {
    const x = coordinate(across(at))
    const anchor = at > 94 ? 'end' : 'middle'
    return `<line class="grid" x1="${x}%" x2="${x}%" y1="${PLOT_TOP}" y2="${PLOT_BOTTOM + 4}"/><text class="tick" x="${x}%" y="${PLOT_BOTTOM + 17}" text-anchor="${anchor}">${label}</text>`
  })
  .join('')}
<line class="axis" x1="0" x2="100%" y1="${PLOT_BOTTOM}" y2="${PLOT_BOTTOM}"/>
<text class="unit" x="0" y="12">${axisName(input.y, axes.y.unit)} ↑</text>
<text class="unit" x="100%" y="${PLOT_BOTTOM + 34}" text-anchor="end">${axisName(input.x, axes.x.unit)} →</text>
${points('old').join('')}${points('new').join('')}
</svg>`
}

function describe(input: ScatterPlotInput): string {
  const { x, y } = input
  const of = (name: string, points: readonly ScatterPoint[]) => {
    if (points.length === 0) return `${name}: no repetitions.`
    const range = (values: readonly number[], unit: string | null) =>
      valueWords([values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))], unit)
    const repetitions = counted(points.length, 'repetition', 'repetitions')
    const across = range(
      points.map((point) => point.x),
      x.unit,
    )
    const up = range(
      points.map((point) => point.y),
      y.unit,
    )
    return `${name}: ${repetitions}, ${x.metric} between ${across}, ${y.metric} between ${up}${points.length > MOST_POINTS ? `; the first ${MOST_POINTS} are drawn` : ''}.`
  }
  return `${of('Old', input.old)} ${of('New', input.new)} ${input.finding}`
}
