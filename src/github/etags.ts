import { LRUCache } from 'lru-cache'
import type { Octokit } from './octokit.ts'

/**
 * Of all installations together, in memory. A triage reads some twenty addresses, most of them unchanged since the last
 * one: 2 to 500 KB each.
 */
const MOST_BYTES = 64 * 2 ** 20
/** Larger answers are not kept: what is saved is rate limit, and a few of them would take the place of all others. */
const LARGEST_KEPT_BYTES = 2 ** 20

/** Answers with their ETags, as JSON: what it takes is known, and each reader gets a copy, which it may change. */
export interface RememberedAnswers {
  /** The bytes of all that is held, rather too many. */
  bytes(): number
  find(installationId: number, key: string): { readonly etag: string; readonly json: string } | null
  /** Where there is no room, the installation that holds most loses the answers that were not used for longest. */
  keep(installationId: number, key: string, etag: string, json: string): void
}

export function rememberedAnswers(mostBytes = MOST_BYTES, largestBytes = LARGEST_KEPT_BYTES): RememberedAnswers {
  const maxEntrySize = Math.min(largestBytes, mostBytes)
  const holders = new Map<number, LRUCache<string, { readonly etag: string; readonly json: string }>>()
  const bytes = () => [...holders.values()].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0)
  return {
    bytes,
    find: (installationId, key) => holders.get(installationId)?.get(key) ?? null,
    keep(installationId, key, etag, json) {
      const answers = holders.get(installationId) ?? new LRUCache({ maxSize: mostBytes, maxEntrySize })
      holders.set(installationId, answers)
      answers.set(key, { etag, json }, { size: 2 * (key.length + etag.length + json.length) })
      for (let over = bytes() - mostBytes; over > 0; over = bytes() - mostBytes) {
        const most = [...holders.values()].reduce((a, b) => (b.calculatedSize > a.calculatedSize ? b : a))
        most.pop()
      }
      for (const [id, { size }] of holders) if (size === 0) holders.delete(id)
    },
  }
}

/**
 * Sends `If-None-Match` with every read whose answer is at hand, and gives that answer when GitHub says 304, which does
 * not count against the rate limit.
 * @param installationId whose rights the answers were given to: nobody else sees them
 */
export function withEtags(octokit: Octokit, installationId: number, answers: RememberedAnswers): Octokit {
  octokit.hook.wrap('request', async (request, options) => {
    if (options.method !== 'GET' || options.request?.['parseSuccessResponseBody'] === false) return request(options)
    const { url, headers } = octokit.request.endpoint(options)
    const key = `${headers.accept ?? ''} ${url}`
    const known = answers.find(installationId, key)
    if (known) options.headers = { ...options.headers, 'if-none-match': known.etag }
    try {
      const response = await request(options)
      const etag = response.headers?.etag
      // Answers of bytes are not JSON.
      if (etag && !(response.data instanceof ArrayBuffer))
        answers.keep(installationId, key, etag, JSON.stringify(response))
      return response
    } catch (error) {
      if (known && (error as { status?: number }).status === 304) return JSON.parse(known.json) as Response
      throw error
    }
  })
  return octokit
}

type Response = Awaited<ReturnType<Octokit['request']>>
