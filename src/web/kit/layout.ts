import type { Context, MiddlewareHandler } from 'hono'
import { tryGetContext } from 'hono/context-storage'
import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { GitHubUser } from '../../github/oauth.ts'
import {
  INDEX_PATH,
  QUALITY_PATH,
  QUEUE_PATH,
  RECORD_PATH,
  SIGN_IN_PARAMETER,
  SIGN_OUT_PATH,
  WORDS_PATH,
} from '../../report/urls.ts'
import { type Asset, ICON, STYLE } from '../assets/assets.ts'

/** A piece of a page whose dynamic parts are escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

export interface Layout {
  readonly title: string
  /** What the page says in a sentence, for whoever shows a link to it. */
  readonly description?: string
  readonly version: string
  /** A table needs the whole width, a text does not. */
  readonly wide?: boolean
  /** Modules that make the page better; it works without them. */
  readonly scripts?: readonly Asset[]
  /** Beside the one that every page has. */
  readonly styles?: readonly Asset[]
  /** The way to a page that belongs to a repository. */
  readonly crumbs?: Html
  /** The page is a file of its own, with its style in it: there is no other page to go to, and nothing runs. */
  readonly isFile?: boolean
  readonly content: Html
}

export function layout(page: Layout): Html {
  const {
    title,
    description,
    version,
    wide,
    scripts = [],
    styles = [],
    crumbs = html``,
    isFile = false,
    content,
  } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
${isFile ? '' : openGraph(title, description)}${isFile ? inFile([STYLE, ...styles]) : fromSite([STYLE, ...styles], scripts)}</head>
<body${wide ? html` class="wide"` : ''}>
<a class="skip" href="#content">Skip to the content</a>
${isFile ? '' : siteHeader()}
${crumbs}
<main id="content" tabindex="-1">
${content}
</main>
<footer class="site">perf-triage ${version}${isFile ? '' : siteLinks('Site, again')}</footer>
</body>
</html>
`
}

/** A link in a chat unfurls with it. No picture: an unfurler shows no SVG. */
function openGraph(title: string, description: string | undefined): Html {
  return html`<meta property="og:site_name" content="perf-triage">
<meta property="og:title" content="${title}">
${description === undefined ? '' : html`<meta property="og:description" content="${description}">\n`}`
}

function fromSite(styles: readonly Asset[], scripts: readonly Asset[]): Html {
  return html`<link rel="icon" href="${ICON.path}" type="image/svg+xml">
${styles.map(
  ({ path }) => html`<link rel="stylesheet" href="${path}">
`,
)}${scripts.map(
  ({ path }) => html`<script type="module" src="${path}"></script>
`,
)}`
}

/** Our own style sheets hold no `</style>`. The names in the page are anybody's: a file is sent by no server that could forbid. */
function inFile(styles: readonly Asset[]): Html {
  return html`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${raw(styles.map(({ content }) => content).join('\n'))}</style>
`
}

function siteHeader(): Html {
  return html`<header class="site"><a class="brand" href="${INDEX_PATH}">perf-triage</a>${siteLinks('Site')}${visitorPart()}</header>`
}

function siteLinks(name: string): Html {
  return html`<nav class="around" aria-label="${name}">${SITE.map(([path, text]) => html`<a href="${path}">${text}</a>`)}</nav>`
}

/** The pages of all repositories. A phone has them at the foot of the page. */
const SITE = [
  [INDEX_PATH, 'Repositories'],
  [QUEUE_PATH, 'Queue'],
  [RECORD_PATH, 'Record'],
  [QUALITY_PATH, 'Quality'],
  [WORDS_PATH, 'Words'],
] as const

/** Empty where nobody can sign in. The visitor is that of the request, so that no page has to pass it on. */
function visitorPart(): Html | '' {
  const visitor = tryGetContext<VisitorEnv>()?.get('visitor')
  if (visitor === undefined) return ''
  if (visitor.user === null) {
    return html`<a class="visitor" href="?${SIGN_IN_PARAMETER}" rel="nofollow">Sign in</a>`
  }
  return html`<form class="visitor" method="post" action="${SIGN_OUT_PATH}"><bdi>${visitor.user.login}</bdi> <button type="submit">Sign out</button></form>`
}

/** A person who looks at a page. */
interface Visitor {
  /** null: not signed in. */
  readonly user: GitHubUser | null
}

/** The variables of a request: `visitor` is there where people can sign in at all. */
export interface VisitorEnv {
  readonly Variables: { readonly visitor?: Visitor }
}

/** Notes who asks, for the top of each page. */
export function noteVisitor(sessions: { userOf(context: Context): GitHubUser | null }): MiddlewareHandler<VisitorEnv> {
  return async (context, next) => {
    context.set('visitor', { user: sessions.userOf(context) })
    await next()
  }
}
