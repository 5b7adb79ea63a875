import type { Octokit } from './octokit.ts'

/** Pages of a hundred deliveries looked through at the most; a busy App has some thousands an hour. */
const PAGES = 200

/** A delivery that failed this often fails for a reason of its own, and is asked for once an hour from then on. */
const TRIES_AT_ONCE = 20
const PATIENT_PAUSE_MS = 3600_000

interface Failures {
  /** The number of the latest try. */
  id: number
  latest: number
  tries: number
}

/**
 * Asks GitHub to send again what was never answered well since a time. Each delivery once: of several tries with one
 * GUID a good one settles it. Returns how many were asked for; what GitHub refuses goes to `onRefusal`.
 */
export async function redeliverFailed(
  octokit: Octokit,
  since: Date,
  now: Date,
  onRefusal: (guid: string, error: unknown) => void = () => undefined,
): Promise<number> {
  const failures = new Map<string, Failures>()
  const answered = new Set<string>()
  let page = 0
  const pages = octokit.paginate.iterator(octokit.rest.apps.listWebhookDeliveries, { per_page: 100 })
  for await (const { data } of pages) {
    // Newest first, as GitHub lists them.
    for (const { guid, id, status_code, delivered_at } of data) {
      const at = Date.parse(delivered_at)
      if (at < since.getTime()) continue
      if (status_code >= 200 && status_code < 300) answered.add(guid)
      const known = failures.get(guid)
      if (known === undefined) failures.set(guid, { id, latest: at, tries: 1 })
      else known.tries += 1
    }
    page += 1
    const oldest = data.at(-1)
    if (page >= PAGES || !oldest || Date.parse(oldest.delivered_at) < since.getTime()) break
  }
  let asked = 0
  for (const [guid, { id, latest, tries }] of failures) {
    if (answered.has(guid)) continue
    if (tries >= TRIES_AT_ONCE && now.getTime() - latest < PATIENT_PAUSE_MS) continue
    // A delivery that GitHub will not send again must not keep the others back.
    const isAccepted = await octokit.rest.apps.redeliverWebhookDelivery({ delivery_id: id }).then(
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
