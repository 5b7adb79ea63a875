import type { Side } from '../../../intake/measurement/run.ts'
import { xmlText } from '../../../judge/profile/xml-text.ts'
import type { LinearAxis } from './linear-axis.ts'
import type { TimeAxis } from './time-axis.ts'

/** The part of a chart over time in which points are drawn. Pixels from the top; the width is that of the page. */
export interface PlotArea {
  readonly top: number
  readonly bottom: number
}

/** Per cent of the width: left of it are the labels of the ticks. */
const LEFT = 11
const RIGHT = 99

/** Units across the drawing: it is stretched to the width, so that they are no pixels. */
const ACROSS = 10_000

/** The share of the whole width, for texts and lines from top to bottom, which are not stretched. */
export function acrossPage(percent: number): number {
  return LEFT + (percent / 100) * (RIGHT - LEFT)
}

/** Within the drawing. */
export function across(percent: number): number {
  return Math.round((percent / 100) * ACROSS)
}

export function down(percent: number, { top, bottom }: PlotArea): number {
  // An axis of values near the smallest number has no length.
  const from = Number.isNaN(percent) ? 50 : percent
  return Number((((100 - from) / 100) * (bottom - top)).toFixed(1))
}

/**
 * Shapes of `across` and `down`, stretched to the width. A point is a line without a length: its round or square end keeps
 * its size. Class names say how it looks; whatever has a stroke needs `vector-effect`, which the style sheet sets.
 */
export function stretched(shapes: string, { top, bottom }: PlotArea): string {
  return `<svg class="stretched" x="${LEFT}%" y="${top}" width="${RIGHT - LEFT}%" height="${bottom - top}" viewBox="0 0 ${ACROSS} ${bottom - top}" preserveAspectRatio="none">${shapes}</svg>`
}

export function grid(x: TimeAxis, y: LinearAxis, area: PlotArea): string {
  const { top, bottom } = area
  const lines = y.ticks.map(({ at, label }) => {
    const level = coordinate(top + down(at, area))
    return `<line class="grid" x1="0" x2="${RIGHT}%" y1="${level}" y2="${level}"/><text class="tick" x="0" y="${coordinate(top + down(at, area) - 3)}">${label}</text>`
  })
  const times = x.ticks.map(({ at, label }) => {
    const place = coordinate(acrossPage(at))
    const anchor = at > 95 ? 'end' : 'middle'
    return `<line class="grid" x1="${place}%" x2="${place}%" y1="${bottom}" y2="${bottom + 5}"/><text class="tick" x="${place}%" y="${bottom + 18}" text-anchor="${anchor}">${xmlText(label)}</text>`
  })
  return `${lines.join('')}${times.join('')}<line class="axis" x1="0" x2="${RIGHT}%" y1="${bottom}" y2="${bottom}"/>`
}

/** Points of one kind as one path. */
export function dots(kind: string, points: readonly (readonly [x: number, y: number])[]): string {
  if (points.length === 0) return ''
  return `<path class="${kind}" d="${points.map(([x, y]) => `M${x} ${y}h0`).join('')}"/>`
}

/** A coordinate of an SVG: short, and never an exponent. */
export function coordinate(value: number): string {
  return String(Number(value.toFixed(2)))
}

/** Half of a marker's size. Pixels. */
export const MARKER_RADIUS = 4.5

/** One sample: a ring of the old build, a filled square of the new one. `x` is in per cent, `y` in pixels. */
export function marker(side: Side, x: number, y: number, title: string): string {
  const words = `<title>${xmlText(title)}</title>`
  if (side === 'old') {
    return `<circle class="old" cx="${coordinate(x)}%" cy="${coordinate(y)}" r="${MARKER_RADIUS - 0.5}">${words}</circle>`
  }
  const size = MARKER_RADIUS * 2 - 1.5
  // x is in per cent, so that half of the size can't be subtracted from it.
  return `<rect class="new" x="${coordinate(x)}%" y="${coordinate(y - size / 2)}" width="${size}" height="${size}" transform="translate(${-size / 2})">${words}</rect>`
}
