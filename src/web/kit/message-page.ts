import { html } from 'hono/html'
import { type Html, layout } from './layout.ts'

/** A page that says why there is nothing else to show. It never repeats what was asked for. `more`: what can be done. */
export function messagePage(version: string, title: string, text: string, more: Html | '' = ''): Html {
  return layout({
    title: `${title} · perf-triage`,
    version,
    content: html`<h1>${title}</h1>
<p>${text}</p>${more}`,
  })
}
