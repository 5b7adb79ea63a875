import type { Context } from 'hono'

/**
 * Whether a form of this site was sent, not one of another. Browsers say where a request comes from in `Sec-Fetch-Site`,
 * which no page can change; old ones only in `Origin`. With the referrer policy `no-referrer` the `Origin` of a form is
 * `null`, also on the way to its own site.
 */
export function isOwnForm(context: Context, publicUrl: string): boolean {
  const origin = context.req.header('origin')
  const site = context.req.header('sec-fetch-site')
  const isOwnOrigin = origin === new URL(publicUrl).origin
  if (site === undefined) return isOwnOrigin
  return site === 'same-origin' && (isOwnOrigin || origin === 'null')
}
