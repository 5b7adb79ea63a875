import { exchangeWebFlowCode } from '@octokit/oauth-methods'
import { request } from '@octokit/request'
import { RequestError } from '@octokit/request-error'
import { z } from 'zod'
import { boundedFetch } from './bounded-fetch.ts'

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
    return answered(githubUrl, tokenSchema, async () => {
      const { authentication } = await exchangeWebFlowCode({
        clientType: 'github-app',
        clientId,
        clientSecret,
        code,
        redirectUrl: callbackUrl,
        // The library knows no PKCE; a default of its request goes into the body with the rest.
        request: CALL.defaults({ baseUrl: githubUrl, code_verifier: verifier }),
      })
      return authentication.token
    })
  }

  return {
    // `getWebFlowAuthorizationUrl` of the library takes no challenge.
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
      return answered(githubApiUrl, userSchema, async () => {
        const { data } = await CALL('GET /user', {
          baseUrl: githubApiUrl,
          headers: { authorization: `Bearer ${token}` },
        })
        return data
      })
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

const tokenSchema = z.string().regex(/^[!-~]{1,1000}$/)

/** GitHub refuses with status 200, from which the library makes an error. */
const refusalSchema = z.object({
  response: z.object({ status: z.literal(200), data: z.object({ error: z.string().regex(/^[a-z_]{1,100}$/) }) }),
})

export const githubLogin = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/)

const userSchema = z.object({ id: z.int().positive(), login: githubLogin })

/** A request to GitHub without a redirect, whose answer has come within `TIMEOUT_MS` and is not overlong. */
const CALL = request.defaults({
  headers: { 'user-agent': 'perf-triage' },
  request: {
    fetch: boundedFetch({ headersMs: TIMEOUT_MS, wholeMs: TIMEOUT_MS }, new AbortController().signal, LONGEST_ANSWER),
    redirect: 'error',
  },
})

/** What GitHub has answered, as `schema` has it. An error of the library holds the client secret, so that it goes nowhere. */
async function answered<T>(url: string, schema: z.ZodType<T>, ask: () => Promise<unknown>): Promise<T> {
  const { origin } = new URL(url)
  let data: unknown
  try {
    data = await ask()
  } catch (error) {
    const refusal = refusalSchema.safeParse(error)
    if (refusal.success) {
      const code = refusal.data.response.data.error
      throw new SignInFailed(code === EXPIRED ? 'expired' : 'not-set-up', `GitHub refused: ${code}`)
    }
    const cause = error instanceof RequestError ? (error.cause ?? new Error(`status ${error.status}`)) : error
    throw new SignInFailed('unavailable', `${origin} gave no answer`, { cause })
  }
  const parsed = schema.safeParse(data)
  if (!parsed.success) throw new SignInFailed('unavailable', `${origin} gave an answer in an unexpected form`)
  return parsed.data
}
