import { html, raw } from 'hono/html'
import type { Html } from '../layout.ts'

/** What a shape of a chart means. */
export interface KeyLine {
  /** The shape as the chart draws it, within 28 × 14 pixels: SVG in the chart's own classes. */
  readonly shape: string
  readonly words: Html | string
  /** It is not in the chart that takes the place of this one where there is JavaScript. */
  readonly isPictureOnly?: boolean
}

/** The legend below a chart: a line for each kind of shape in it. */
export function chartKey(lines: readonly KeyLine[]): Html {
  return html`<ul class="key">${lines.map(
    ({ shape, words, isPictureOnly }) =>
      html`<li${isPictureOnly ? html` class="together"` : ''}><svg class="stretched" width="28" height="14" aria-hidden="true">${raw(shape)}</svg> ${words}</li>`,
  )}</ul>`
}
