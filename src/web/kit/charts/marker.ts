import type { Side } from '../../../measurement/run.ts'
import { xmlText } from '../../../profile/xml-text.ts'
import { coordinate } from './coordinate.ts'

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
