import type { Octokit } from './octokit.ts'

/** Answers kept per installation. A triage reads some twenty addresses, most of them unchanged since the last one. */
const KEPT_ANSWERS = 500
/** Larger answers are not kept: what is saved is rate limit, and a few large ones would fill the memory. */
const LARGEST_KEPT_CHARACTERS = 512 * 1024

/**
 * Sends `If-None-Match` with every read whose answer is at hand, and gives that answer when GitHub says 304, which does
 * not count against the rate limit.
 */
export function withEtags(octokit: Octokit): Octokit {
  const kept = new Map<string, { readonly etag: string; readonly response: Response }>()

  octokit.hook.wrap('request', async (request, options) => {
    if (options.method !== 'GET' || options.request?.['parseSuccessResponseBody'] === false) return request(options)
    const { url, headers } = octokit.request.endpoint(options)
    const key = `${headers.accept ?? ''} ${url}`
    const known = kept.get(key)
    if (known) options.headers = { ...options.headers, 'if-none-match': known.etag }
    try {
      const response = await request(options)
      const etag = response.headers?.etag
      if (etag) keep(key, etag, response)
      return response
    } catch (error) {
      if (known && (error as { status?: number }).status === 304) {
        touch(key)
        return copyOf(known.response)
      }
      throw error
    }
  })

  function keep(key: string, etag: string, response: Response): void {
    kept.delete(key)
    if ((JSON.stringify(response.data)?.length ?? 0) > LARGEST_KEPT_CHARACTERS) return
    kept.set(key, { etag, response: copyOf(response) })
    if (kept.size > KEPT_ANSWERS) kept.delete(kept.keys().next().value!)
  }

  /** The least recently used answer makes room. */
  function touch(key: string): void {
    const entry = kept.get(key)
    if (entry === undefined) return
    kept.delete(key)
    kept.set(key, entry)
  }
  return octokit
}

type Response = Awaited<ReturnType<Octokit['request']>>

/** Whoever gets an answer may change it; the pagination does. */
function copyOf(response: Response): Response {
  return { ...response, data: structuredClone(response.data) }
}
