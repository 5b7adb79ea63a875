import { setTimeout as sleep } from 'node:timers/promises'
import type { Octokit } from './octokit.ts'

/** How the App is set up on GitHub, as far as the bot depends on it. */
export interface AppSettings {
  readonly slug: string
  /** The client ID for the sign-in; null where GitHub (an old Enterprise Server) does not say it. */
  readonly clientId: string | null
  /** `issues: write`, … */
  readonly permissions: Readonly<Record<string, string>>
  readonly events: readonly string[]
  readonly installations: readonly AppInstallation[]
}

/** As its owner has left it: new permissions of the App hold once they are accepted. */
export interface AppInstallation {
  readonly account: string
  /** Its page, for its owner. */
  readonly url: string
  readonly isSuspended: boolean
  readonly permissions: Readonly<Record<string, string>>
}

export async function getAppSettings(octokit: Octokit): Promise<AppSettings> {
  const { data } = await octokit.rest.apps.getAuthenticated()
  if (!data) throw new Error('GitHub knows no App with this ID and key')
  const installations = await octokit.paginate(octokit.rest.apps.listInstallations, { per_page: 100 })
  return {
    slug: data.slug ?? String(data.id),
    clientId: data.client_id ?? null,
    permissions: levelsOf(data.permissions),
    events: data.events,
    installations: installations.map(({ id, account, html_url, suspended_at, permissions }) => ({
      account: account?.login ?? String(id),
      url: html_url,
      isSuspended: typeof suspended_at === 'string',
      permissions: levelsOf(permissions),
    })),
  }
}

function levelsOf(permissions: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(permissions).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** Where GitHub sends this App's deliveries; null when none is set. */
export async function getWebhookUrl(octokit: Octokit): Promise<string | null> {
  const { data } = await octokit.rest.apps.getWebhookConfigForApp()
  return data.url || null
}

/** A webhook that GitHub has sent, as its latest try ended. */
export interface SentDelivery {
  /** The number of that try; the GUID is the same in all of them. */
  readonly id: number
  readonly guid: string
  readonly event: string
  readonly action: string | null
  readonly deliveredAt: string
  /** HTTP; 0: there was no answer. */
  readonly statusCode: number
  /** GitHub’s words for it: `OK`, `timed out`, `failed to connect to host`. */
  readonly status: string
}

/** The latest try of each of the last hundred, newest first: one that was sent again and taken is no failure any more. */
export async function lastDeliveries(octokit: Octokit): Promise<SentDelivery[]> {
  const { data } = await octokit.rest.apps.listWebhookDeliveries({ per_page: 100 })
  const tries = data.map(({ id, guid, event, action, delivered_at, status_code, status }) => ({
    ...{ id, guid, event, action, status },
    deliveredAt: delivered_at,
    statusCode: status_code,
  }))
  return tries.filter(({ guid }, index) => tries.findIndex((other) => other.guid === guid) === index)
}

export function isTaken({ statusCode }: Pick<SentDelivery, 'statusCode'>): boolean {
  return statusCode >= 200 && statusCode < 300
}

/** How often GitHub is asked whether a delivery has an answer, and how often at the most: it gives up after ten seconds. */
const ASK_PAUSE_MS = 1_000
const MOST_ASKED = 15

/** Asks GitHub to send a delivery again, and waits for its end; null: none was seen in time. */
export async function sendAgain(octokit: Octokit, { id, guid }: SentDelivery): Promise<SentDelivery | null> {
  await octokit.rest.apps.redeliverWebhookDelivery({ delivery_id: id })
  for (let asked = 0; asked < MOST_ASKED; asked++) {
    const latest = (await lastDeliveries(octokit)).find((delivery) => delivery.guid === guid)
    if (latest !== undefined && latest.id !== id) return latest
    await sleep(ASK_PAUSE_MS)
  }
  return null
}
