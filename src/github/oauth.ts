import { z } from 'zod'

/** A person on GitHub. The login may change hands, the number never does. */
export interface GitHubUser {
  readonly id: number
  readonly login: string
}

export interface OAuthSettings {
  readonly clientId: string
  readonly clientSecret: string
  /** `https://github.com`, or that of an Enterprise Server; without a slash at the end, like the next. */
  readonly githubUrl: string
  readonly githubApiUrl: string
  /** Where GitHub sends the browser back to; one of the callback URLs on the page of the App. */
  readonly callbackUrl: string
}

/**
 * Why nobody is signed in. `expired`: the code was used, or is older than ten minutes. `not-set-up`: GitHub does not
 * take the client ID, the client secret or the callback URL. `unavailable`: no answer in time, or none that makes sense.
 */
export type SignInProblem = 'expired' | 'not-set-up' | 'unavailable'

/** The message says what GitHub answered, and holds no secret. */
export class SignInFailed extends Error {
  override readonly name = 'SignInFailed'
  readonly problem: SignInProblem

  constructor(problem: SignInProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** The App's web application flow (GitHub's documentation: "Generating a user access token for a GitHub App"). */
export interface OAuth {
  /** Where the browser is sent. `challenge`: SHA-256 of the verifier in base64url (RFC 7636, S256). */
  authorizeUrl(state: string, challenge: string): string
  /** The person who agreed. The token that GitHub gives for it is used for this one question and kept nowhere. Throws `SignInFailed`. */
  userOf(code: string, verifier: string): Promise<GitHubUser>
  /** Whether GitHub takes the client ID and secret. Throws `SignInFailed`. */
  checkClient(): Promise<void>
}

/** The time for each of the two questions, with everything that is read of the answer. */
const TIMEOUT_MS = 10_000

/** The longest honest answer is a user with everything, 3 KB. */
const LONGEST_ANSWER = 64 * 1024

export function createOAuth(settings: OAuthSettings): OAuth {
  const { clientId, clientSecret, githubUrl, githubApiUrl, callbackUrl } = settings

  async function exchange(code: string, verifier: string): Promise<string> {
    const body = new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      code,
      redirect_uri: callbackUrl,
      code_verifier: verifier,
    })
    const answer = await ask(`${githubUrl}/login/oauth/access_token`, { method: 'POST', body }, tokenSchema)
    if ('access_token' in answer) return answer.access_token
    throw new SignInFailed(answer.error === EXPIRED ? 'expired' : 'not-set-up', `GitHub refuses: ${answer.error}`)
  }

  return {
    authorizeUrl(state, challenge) {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: callbackUrl,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
      return `${githubUrl}/login/oauth/authorize?${query.toString()}`
    },

    async userOf(code, verifier) {
      const token = await exchange(code, verifier)
      return ask(`${githubApiUrl}/user`, { headers: { authorization: `Bearer ${token}` } }, userSchema)
    },

    async checkClient() {
      // GitHub looks at the client before the code: a code that never was says which of the two is wrong.
      await exchange('none', 'none').catch((error: unknown) => {
        if (!(error instanceof SignInFailed) || error.problem !== 'expired') throw error
      })
    },
  }
}

const EXPIRED = 'bad_verification_code'

const tokenSchema = z.union([
  z.object({ access_token: z.string().regex(/^[!-~]{1,1000}$/) }),
  z.object({ error: z.string().regex(/^[a-z_]{1,100}$/) }),
])

export const githubLogin = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/)

const userSchema = z.object({ id: z.int().positive(), login: githubLogin })

async function ask<T>(url: string, request: RequestInit, schema: z.ZodType<T>): Promise<T> {
  let text: string
  try {
    const headers = new Headers(request.headers)
    headers.set('accept', 'application/json')
    headers.set('user-agent', 'perf-triage')
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, { ...request, headers, redirect: 'error', signal })
    text = await boundedText(response)
    if (!response.ok) throw new Error(`status ${response.status}`)
  } catch (error) {
    throw new SignInFailed('unavailable', `${new URL(url).origin} gave no answer`, { cause: error })
  }
  const parsed = schema.safeParse(jsonOf(text))
  if (!parsed.success) throw new SignInFailed('unavailable', `${new URL(url).origin} gave an answer of another form`)
  return parsed.data
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > LONGEST_ANSWER) throw new Error('the answer is too long')
  }
  return text + decoder.decode()
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
