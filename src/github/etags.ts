import type { Octokit } from './github-app.ts'

/** Answers kept per installation. A triage reads some twenty addresses, most of them unchanged since the last one. */
const KEPT_ANSWERS = 500
/** Larger answers are not kept: what is saved is rate limit, and a few large ones would fill the memory. */
const LARGEST_KEPT_CHARACTERS = 512 * 1024

/**
 * Sends `If-None-Match` with every read whose answer is at hand, and gives that answer when GitHub says 304, which does
 * not count against the rate limit.
 */
export function withEtags(octokit: Octokit): Octokit {
  const kept = new Map<string, { readonly etag: string; readonly response: unknown }>()

  octokit.hook.wrap('request', async (request, options) => {
    if (options.method !== 'GET' || options.request?.['parseSuccessResponseBody'] === false) return request(options)
    const { url, headers } = octokit.request.endpoint(options)
    const key = `${headers.accept ?? ''} ${url}`
    const known = kept.get(key)
    if (known) options.headers = { ...options.headers, 'if-none-match': known.etag }
    try {
      const response = await request(options)
      const etag = response.headers?.etag
      if (etag) keep(key, { etag, response })
      return response
    } catch (error) {
      if (known && (error as { status?: number }).status === 304) {
        keep(key, known)
        return known.response as Awaited<ReturnType<typeof request>>
      }
      throw error
    }
  })

  /** The least recently used answer makes room. */
  function keep(key: string, entry: { readonly etag: string; readonly response: unknown }): void {
    kept.delete(key)
    const { data } = entry.response as { data?: unknown }
    if ((JSON.stringify(data)?.length ?? 0) > LARGEST_KEPT_CHARACTERS) return
    kept.set(key, entry)
    if (kept.size > KEPT_ANSWERS) kept.delete(kept.keys().next().value!)
  }
  return octokit
}
