import { html } from 'hono/html'
import { signInPath } from '../../../report/urls.ts'
import { type Html, layout } from '../../kit/layout.ts'

/** Why nobody was signed in, and what to do. */
export function signInPage(version: string, title: string, text: string, returnPath: string): Html {
  return layout({
    title: `${title} · perf-triage`,
    version,
    content: html`<h1>${title}</h1>
<p>${text}</p>
<p><a class="button" href="${signInPath(returnPath)}">Sign in with GitHub again</a></p>`,
  })
}
