import { createHash, randomBytes } from 'node:crypto'
import type { Account, State } from './state.ts'

/** What the sign-in of an App answers: a redirect of the browser, or a document. */
export interface OAuthAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Code {
  readonly account: Account
  readonly redirectUri: string
  /** S256; null where the authorisation came without one. */
  readonly challenge: string | null
  readonly until: number
}

interface UserToken {
  readonly account: Account
  readonly until: number
}

/** GitHub: ten minutes for a code, eight hours for a user's token. */
const codeLifetime = 10 * 60_000
const tokenLifetime = 8 * 3600_000

/**
 * The web application flow of the registered App: `/login/oauth/authorize` for browsers and `/login/oauth/access_token`
 * for the App. The person at the browser is whoever `person` names, and agrees or refuses at once.
 */
export class OAuth {
  readonly clientId: string
  readonly clientSecret = randomBytes(20).toString('hex')
  /** null: nobody is signed in to GitHub. */
  person: Account | null = null
  refuses = false
  readonly #state: State
  readonly #codes = new Map<string, Code>()
  readonly #tokens = new Map<string, UserToken>()

  constructor(state: State) {
    this.#state = state
    this.clientId = clientIdOf(state.app)
  }

  /** null: another address. */
  answer(method: string, url: URL, body: string, accept: string): OAuthAnswer | null {
    if (method === 'GET' && url.pathname === '/login/oauth/authorize') return this.#authorize(url.searchParams)
    if (method === 'POST' && url.pathname === '/login/oauth/access_token') return this.#exchange(body, accept)
    return null
  }

  /** Whose token it is; null when it never was one, or is none any more. */
  ownerOf(token: string): Account | null {
    const found = this.#tokens.get(token)
    return found === undefined || found.until <= this.#now() ? null : found.account
  }

  #now(): number {
    return this.#state.now().getTime()
  }

  #authorize(query: URLSearchParams): OAuthAnswer {
    const redirect = URL.parse(query.get('redirect_uri') ?? '')
    if (query.get('client_id') !== this.clientId || redirect === null) return document(404, 'No such App')
    if (this.person === null) return document(200, 'Sign in to GitHub')
    const method = query.get('code_challenge_method')
    // An Enterprise Server passes over what it does not know.
    const challenge = this.#state.enterprise === null ? query.get('code_challenge') : null
    if (challenge !== null && method !== 'S256') return document(400, 'The only method is S256')
    const state = query.get('state')
    if (this.refuses) {
      redirect.searchParams.set('error', 'access_denied')
      redirect.searchParams.set('error_description', 'The user has denied your application access.')
    } else {
      const code = randomBytes(10).toString('hex')
      const redirectUri = query.get('redirect_uri')!
      this.#codes.set(code, { account: this.person, redirectUri, challenge, until: this.#now() + codeLifetime })
      redirect.searchParams.set('code', code)
    }
    if (state !== null) redirect.searchParams.set('state', state)
    return { status: 302, headers: { location: redirect.href }, body: '' }
  }

  /** A form or JSON; mistakes are answered with 200 and an `error`, as GitHub does. */
  #exchange(text: string, accept: string): OAuthAnswer {
    const given = new URLSearchParams(text.startsWith('{') ? (JSON.parse(text) as Record<string, string>) : text)
    const value = this.#granted(given)
    if (accept.includes('application/json')) {
      return {
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(value),
      }
    }
    const body = new URLSearchParams(
      Object.entries(value).map(([name, entry]): [string, string] => [name, String(entry)]),
    ).toString()
    return { status: 200, headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }, body }
  }

  #granted(given: URLSearchParams): Record<string, string | number> {
    if (given.get('client_id') !== this.clientId || given.get('client_secret') !== this.clientSecret) {
      return refusal('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.')
    }
    const name = given.get('code') ?? ''
    const code = this.#codes.get(name)
    // A code is good for one try.
    this.#codes.delete(name)
    const expired = refusal('bad_verification_code', 'The code passed is incorrect or expired.')
    if (code === undefined || code.until <= this.#now()) return expired
    if ((given.get('redirect_uri') ?? code.redirectUri) !== code.redirectUri) {
      return refusal(
        'redirect_uri_mismatch',
        'The redirect_uri MUST match the registered callback URL for this application.',
      )
    }
    const verifier = given.get('code_verifier') ?? ''
    if (code.challenge !== null && createHash('sha256').update(verifier).digest('base64url') !== code.challenge) {
      return expired
    }
    const token = `ghu_${randomBytes(27).toString('base64url').slice(0, 36)}`
    this.#tokens.set(token, { account: code.account, until: this.#now() + tokenLifetime })
    return {
      access_token: token,
      expires_in: tokenLifetime / 1000,
      refresh_token: `ghr_${randomBytes(57).toString('base64url').slice(0, 76)}`,
      refresh_token_expires_in: 15_811_200,
      token_type: 'bearer',
      scope: '',
    }
  }
}

/** The id that GitHub gives an App for its sign-in. */
export function clientIdOf(app: { readonly id: number }): string {
  return `Iv23li${app.id}`
}

function refusal(error: string, description: string): Record<string, string> {
  return {
    error,
    error_description: description,
    error_uri:
      'https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors/',
  }
}

function document(status: number, text: string): OAuthAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${text}\n` }
}
