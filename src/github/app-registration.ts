import { request } from '@octokit/request'
import { RequestError } from '@octokit/request-error'
import { z } from 'zod'
import { boundedFetch } from './bounded-fetch.ts'

/** Exchanges the code of GitHub’s manifest flow for the App and its secrets. */

const TIMEOUT_MS = 20_000
/** The App with its key is 5 KB. */
const LONGEST_ANSWER = 256 * 1024

const registeredSchema = z.object({
  id: z.int().positive(),
  slug: z.string(),
  html_url: z.url(),
  client_id: z.string(),
  client_secret: z.string(),
  webhook_secret: z.string(),
  pem: z.string(),
})

/** An App that GitHub has just made of a manifest, with its secrets, which it tells once. */
export type RegisteredApp = z.output<typeof registeredSchema>

/** GitHub did not hand the App over. The message holds no secret. */
export class RegistrationFailed extends Error {
  override readonly name = 'RegistrationFailed'
}

/** The App for the code with which the browser came back; a code is good for one answer, within an hour. Throws `RegistrationFailed`. */
export async function registeredApp(githubApiUrl: string, code: string): Promise<RegisteredApp> {
  const fetch = boundedFetch(
    { headersMs: TIMEOUT_MS, wholeMs: TIMEOUT_MS },
    new AbortController().signal,
    LONGEST_ANSWER,
  )
  try {
    const { data } = await request('POST /app-manifests/{code}/conversions', {
      baseUrl: githubApiUrl,
      headers: { 'user-agent': 'perf-triage' },
      request: { fetch, redirect: 'error' },
      code,
    })
    return registeredSchema.parse(data)
  } catch (error) {
    if (error instanceof z.ZodError) throw new RegistrationFailed('GitHub’s answer was not an App')
    const status = error instanceof RequestError ? error.status : 0
    const what =
      status === 404 || status === 422
        ? 'it does not know the code, which can be used once and for one hour'
        : `status ${status}`
    throw new RegistrationFailed(`${githubApiUrl} did not return the App: ${what}`)
  }
}
