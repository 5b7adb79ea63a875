import { html } from 'hono/html'
import { count } from '../../text/numbers.ts'
import type { Html } from './layout.ts'

/** Lines shown of lists that have no pages. */
export const LIST_LENGTH = 200

/** What is read by some: its summary stands there, the rest is folded; a wide table scrolls, also by keyboard. Printed, it stands open. */
export function fold(summary: string, content: Html): Html {
  return html`<details><summary>${summary}</summary><div class="scroll" role="region" aria-label="${summary}" tabindex="0">${content}</div></details>`
}

/** What follows a list of that length when it was cut at `LIST_LENGTH`. */
export function cutAt(length: number): Html | string {
  return length <= LIST_LENGTH ? '' : html`<p>And ${count(length - LIST_LENGTH)} more, in the JSON.</p>`
}
