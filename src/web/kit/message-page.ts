import { tryGetContext } from 'hono/context-storage'
import { html } from 'hono/html'
import { SIGN_IN_PARAMETER } from '../../report/urls.ts'
import { plainText } from '../../text/markdown.ts'
import { type Html, layout, type VisitorEnv } from './layout.ts'

/** A page that says why there is nothing else to show. It never repeats what was asked for. `more`: what can be done. */
export function messagePage(version: string, title: string, text: string, more: Html | '' = ''): Html {
  return layout({
    title: `${title} · perf-triage`,
    version,
    content: html`<h1>${title}</h1>
<p>${text}</p>${more}`,
  })
}

/**
 * One and the same for what does not exist and for what may not be seen, whatever was asked for: the link for signing in
 * is relative, so that it repeats no address. Who is signed in is told whom GitHub would have to let in.
 */
export function notFoundPage(version: string, hasSignIn: boolean): Html {
  const text =
    'There is no such page. A report appears once the first performance check of its pull request has finished'
  if (!hasSignIn) {
    return messagePage(version, 'Not found', `${text}; those of private repositories are not shown.`)
  }
  const user = tryGetContext<VisitorEnv>()?.get('visitor')?.user ?? null
  if (user !== null) {
    return messagePage(
      version,
      'Not found',
      `${text}. You are signed in as ${plainText(user.login, 40)}: pages of a private repository are shown only to people who can read it on GitHub.`,
    )
  }
  return messagePage(
    version,
    'Not found',
    `${text}. Pages of a private repository are shown only to people who can read it on GitHub, after they sign in.`,
    html`
<p><a class="button" href="?${SIGN_IN_PARAMETER}" rel="nofollow">Sign in with GitHub</a></p>`,
  )
}
