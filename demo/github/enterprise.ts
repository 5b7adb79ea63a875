import type { JsonObject } from './resources/json.ts'

/**
 * An Enterprise Server 3.12 in the place of github.com. What is otherwise there, for an App: TLS by a certificate of its own; the
 * API below `/api/v3` alone; the storage on another host; no rate limits, and no headers of them; requests and webhooks that
 * name the server; less time for a webhook; no PKCE in the sign-in; one version of the API; no states of a check run that
 * came later.
 */
export interface Enterprise {
  /** PEM, for `localhost` and `127.0.0.1`. */
  readonly certificate: string
  /** PEM. */
  readonly key: string
}

export const ENTERPRISE_VERSION = '3.12.4'

/** The only version of the REST API that it knows; any other is refused. */
export const ENTERPRISE_API_VERSION = '2022-11-28'

/** What an App may say of its check run there. */
export const ENTERPRISE_CHECK_STATES: ReadonlySet<unknown> = new Set([undefined, 'queued', 'in_progress', 'completed'])

/** Milliseconds that a webhook may take. */
export const ENTERPRISE_WEBHOOK_TIMEOUT = 3_000

/** `enterprise`, which stands in the webhooks of an organization that belongs to one. */
export function enterpriseJson(origin: string): JsonObject {
  return {
    id: 1,
    slug: 'github',
    name: 'GitHub',
    node_id: 'MDEwOkVudGVycHJpc2Ux',
    avatar_url: `${origin}/avatars/b/1`,
    description: null,
    website_url: null,
    html_url: `${origin}/enterprises/github`,
    created_at: '2024-01-01T00:00:00Z',
    updated_at: '2024-01-01T00:00:00Z',
  }
}
