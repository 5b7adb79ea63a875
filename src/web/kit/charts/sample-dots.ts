import { html } from 'hono/html'
import { extremes } from '../../../judge/verdict/outcome.ts'
import type { Html } from '../layout.ts'

/** Pixels. A dot of each side has a lane of its own: old above new. */
const WIDTH = 92
const HEIGHT = 16
const RADIUS = 2
const LANES = { old: 4.5, new: 11.5 } as const

/** Dots of a side; of more these are chosen evenly by rank. */
const MOST_DOTS = 30

/**
 * The samples of a row in the height of its line, from the smallest value at the left to the largest at the right. The numbers beside
 * it say the same to who does not see it. Empty where there is nothing to draw.
 */
export function sampleDots(sides: { readonly old: readonly number[]; readonly new: readonly number[] }): Html | string {
  const all = [...sides.old, ...sides.new].filter(Number.isFinite)
  if (all.length === 0) return ''
  const [low, high] = extremes(all)
  const across = (value: number) => RADIUS + (high === low ? 0.5 : (value - low) / (high - low)) * (WIDTH - 2 * RADIUS)
  const path = (side: 'old' | 'new') => {
    const places = new Set(chosen(sides[side]).map((value) => Math.round(across(value) * 2) / 2))
    return places.size === 0
      ? ''
      : html`<path class="${side}" d="${[...places].map((x) => `M${x} ${LANES[side]}h0`).join('')}"/>`
  }
  return html`<svg class="dots" width="${WIDTH}" height="${HEIGHT}" aria-hidden="true">${path('old')}${path('new')}</svg>`
}

function chosen(values: readonly number[]): readonly number[] {
  const finite = values.filter(Number.isFinite)
  if (finite.length <= MOST_DOTS) return finite
  const sorted = finite.toSorted((a, b) => a - b)
  return Array.from({ length: MOST_DOTS }, (_, at) => sorted[Math.round((at * (sorted.length - 1)) / (MOST_DOTS - 1))]!)
}
