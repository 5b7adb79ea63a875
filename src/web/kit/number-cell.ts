import { html } from 'hono/html'
import type { Html } from './layout.ts'

/**
 * A number as a person reads it, with the unrounded one for whoever hovers or copies; a dash where there is none. `name`
 * stands beside it where a phone shows no column heads.
 */
export function numberCell(name: string, value: number | null, shown: (value: number) => string, after?: Html): Html {
  return value === null
    ? html`<td class="n none" data-name="${name}">–${spaced(after)}</td>`
    : html`<td class="n" data-name="${name}"><data value="${value}" title="${value}">${shown(value)}</data>${spaced(after)}</td>`
}

function spaced(after: Html | undefined): Html | string {
  return after === undefined ? '' : html` ${after}`
}
