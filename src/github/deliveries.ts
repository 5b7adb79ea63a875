import type { Octokit } from './octokit.ts'

/** GitHub keeps deliveries for 3 days and sends none again by itself. */
const PAGES = 10

/** A delivery that failed this often is not asked for again: it fails for a reason of its own. */
const TRIES = 5

/**
 * Asks GitHub to send again what was never answered well since a time. Each delivery once: of several tries with one
 * GUID a good one settles it. Returns how many were asked for.
 */
export async function redeliverFailed(octokit: Octokit, since: Date): Promise<number> {
  const failures = new Map<string, number[]>()
  const answered = new Set<string>()
  let page = 0
  const pages = octokit.paginate.iterator(octokit.rest.apps.listWebhookDeliveries, { per_page: 100 })
  for await (const { data } of pages) {
    for (const { guid, id, status_code } of data) {
      if (status_code >= 200 && status_code < 300) answered.add(guid)
      else failures.set(guid, [...(failures.get(guid) ?? []), id])
    }
    page += 1
    const oldest = data.at(-1)
    if (page >= PAGES || !oldest || new Date(oldest.delivered_at) < since) break
  }
  let asked = 0
  for (const [guid, ids] of failures) {
    if (answered.has(guid) || ids.length >= TRIES) continue
    await octokit.rest.apps.redeliverWebhookDelivery({ delivery_id: Math.max(...ids) })
    asked += 1
  }
  return asked
}
