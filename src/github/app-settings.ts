import type { Octokit } from './octokit.ts'

/** How the App is set up on GitHub, as far as the bot depends on it. */
export interface AppSettings {
  readonly slug: string
  /** The client ID for the sign-in; null where GitHub (an old Enterprise Server) does not say it. */
  readonly clientId: string | null
  /** `issues: write`, … */
  readonly permissions: Readonly<Record<string, string>>
  readonly events: readonly string[]
  readonly installations: number
}

export async function getAppSettings(octokit: Octokit): Promise<AppSettings> {
  const { data } = await octokit.rest.apps.getAuthenticated()
  if (!data) throw new Error('GitHub knows no App with this id and key')
  const installations = await octokit.paginate(octokit.rest.apps.listInstallations, { per_page: 100 })
  return {
    slug: data.slug ?? String(data.id),
    clientId: data.client_id ?? null,
    permissions: Object.fromEntries(
      Object.entries(data.permissions).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
    events: data.events,
    installations: installations.length,
  }
}

/** Where GitHub sends this App's deliveries; null when none is set. */
export async function getWebhookUrl(octokit: Octokit): Promise<string | null> {
  const { data } = await octokit.rest.apps.getWebhookConfigForApp()
  return data.url || null
}

export interface DeliveryTally {
  readonly delivered: number
  readonly failed: number
}

/** Counts how many of the last hundred deliveries were answered well. */
export async function tallyDeliveries(octokit: Octokit): Promise<DeliveryTally> {
  const { data } = await octokit.rest.apps.listWebhookDeliveries({ per_page: 100 })
  const delivered = data.filter(({ status_code }) => status_code >= 200 && status_code < 300).length
  return { delivered, failed: data.length - delivered }
}
