import type { Octokit } from './octokit.ts'

/** Pages of a hundred deliveries looked through at the most; a busy App has some thousands an hour. */
const PAGES = 200

/** A delivery that failed this often is not asked for again: it fails for a reason of its own. */
const TRIES = 5

/**
 * Asks GitHub to send again what was never answered well since a time. Each delivery once: of several tries with one
 * GUID a good one settles it. Returns how many were asked for; what GitHub refuses goes to `onRefusal`.
 */
export async function redeliverFailed(
  octokit: Octokit,
  since: Date,
  onRefusal: (guid: string, error: unknown) => void = () => undefined,
): Promise<number> {
  const failures = new Map<string, number[]>()
  const answered = new Set<string>()
  let page = 0
  const pages = octokit.paginate.iterator(octokit.rest.apps.listWebhookDeliveries, { per_page: 100 })
  for await (const { data } of pages) {
    for (const { guid, id, status_code, delivered_at } of data) {
      if (new Date(delivered_at) < since) continue
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
    // One that GitHub will not send again must not keep the others back.
    const isAccepted = await octokit.rest.apps.redeliverWebhookDelivery({ delivery_id: Math.max(...ids) }).then(
      () => true,
      (error: unknown) => {
        onRefusal(guid, error)
        return false
      },
    )
    if (isAccepted) asked += 1
  }
  return asked
}
