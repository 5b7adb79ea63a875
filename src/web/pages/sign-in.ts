import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { SignInFailed, type SignInProblem } from '../../github/oauth.ts'
import {
  INDEX_PATH,
  SIGN_IN_CALLBACK_PATH,
  SIGN_IN_PARAMETER,
  SIGN_IN_PATH,
  SIGN_OUT_PATH,
  signInPath,
} from '../../report/urls.ts'
import { isOwnForm } from '../access/own-form.ts'
import { returnPath } from '../access/return-path.ts'
import type { SignIn } from '../access/sign-in.ts'
import { type Html, layout } from '../kit/layout.ts'
import type { Site } from './site.ts'

interface Failure {
  readonly status: 400 | 403 | 500 | 503
  readonly title: string
  readonly text: string
}

const NOT_BEGUN: Failure = {
  status: 400,
  title: 'This sign-in was not started here',
  text: 'You are not signed in. The sign-in was started in another browser or tab, took longer than ten minutes, or is already complete. Start again in this browser, with cookies allowed.',
}

const REFUSED: Failure = {
  status: 403,
  title: 'Not signed in',
  text: 'The sign-in was refused on GitHub. It is needed for pages of private repositories and to mark steps of the main branch, and reads only your user name and ID.',
}

const FAILURES: Readonly<Record<SignInProblem, Failure>> = {
  expired: {
    status: 400,
    title: 'This sign-in has expired',
    text: 'GitHub no longer accepts it: it was already used, or ten minutes have passed. Start again.',
  },
  'not-set-up': {
    status: 500,
    title: 'The sign-in does not work',
    text: 'GitHub does not accept the sign-in of this site. Whoever runs it can find the reason in its log and with “perf-triage doctor”.',
  },
  unavailable: {
    status: 503,
    title: 'GitHub can’t be reached',
    text: 'GitHub did not say who you are, so you are not signed in. Try again in a minute.',
  },
}

/** The longest code that GitHub gives has 20 characters. */
const CODE = /^[!-~]{1,200}$/

/** Signing in and out with GitHub. Where that is not set up, there are no such addresses. */
export function signInRoutes(app: Hono, site: Site): void {
  const { signIn } = site
  if (signIn === null) return
  const { sessions, attempts, oauth } = signIn

  const begin = (context: Context, to: string) => {
    const { state, challenge } = attempts.begin(context, to)
    return leave(context, oauth.authorizeUrl(state, challenge))
  }

  // The link to it is the same on every page, so that a page that shows nothing does not repeat what was asked for.
  app.use(async (context, next) => {
    const asks = context.req.method === 'GET' && context.req.query(SIGN_IN_PARAMETER) !== undefined
    return asks ? begin(context, returnPath(new URL(context.req.url).pathname)) : next()
  })

  app.get(SIGN_IN_PATH, (context) => begin(context, returnPath(context.req.query('return'))))

  app.get(SIGN_IN_CALLBACK_PATH, async (context) => {
    const { code, state, error } = context.req.query()
    const attempt = attempts.end(context, state)
    if (attempt === null) return fail(context, site, NOT_BEGUN, INDEX_PATH)
    const to = attempt.returnPath
    if (error !== undefined) {
      if (error === 'access_denied') return fail(context, site, REFUSED, to)
      site.log.error({ reason: error.slice(0, 100) }, 'GitHub does not accept the sign-in')
      return fail(context, site, FAILURES['not-set-up'], to)
    }
    if (code === undefined || !CODE.test(code)) return fail(context, site, NOT_BEGUN, to)
    return complete(context, site, signIn, code, attempt)
  })

  app.post(SIGN_OUT_PATH, (context) => {
    if (!isOwnForm(context, site.publicUrl)) {
      const text = 'Use the button at the top of each page.'
      return site.answers.message(context, 403, 'Not signed out', text)
    }
    sessions.end(context)
    return leave(context, INDEX_PATH)
  })
}

async function complete(
  context: Context,
  site: Site,
  { sessions, oauth }: SignIn,
  code: string,
  { verifier, returnPath: to }: { readonly verifier: string; readonly returnPath: string },
): Promise<Response> {
  try {
    sessions.begin(context, await oauth.userOf(code, verifier))
    return leave(context, to)
  } catch (error) {
    if (!(error instanceof SignInFailed)) throw error
    if (error.problem === 'not-set-up') site.log.error({ err: error }, 'GitHub does not accept the sign-in')
    else site.log.warn({ err: error }, 'nobody was signed in')
    return fail(context, site, FAILURES[error.problem], to)
  }
}

function leave(context: Context, to: string): Response {
  context.header('Cache-Control', 'no-store')
  return context.redirect(to, 303)
}

function fail(context: Context, { answers, version }: Site, failure: Failure, to: string): Promise<Response> {
  context.status(failure.status)
  if (failure.status === 503) context.header('Retry-After', '60')
  return answers.page(context, signInPage(version, failure.title, failure.text, to), 'no-store')
}

/** The reason why nobody was signed in, and what to do. */
function signInPage(version: string, title: string, text: string, returnPath: string): Html {
  return layout({
    title: `${title} · perf-triage`,
    version,
    content: html`<h1>${title}</h1>
<p>${text}</p>
<p><a class="button" href="${signInPath(returnPath)}">Sign in with GitHub again</a></p>`,
  })
}
