import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ApiError, notFound } from '../api-error.ts'
import { appJson } from '../resources/app.ts'
import type { JsonObject } from '../resources/json.ts'
import type { Credentials, Manifest, State } from '../state.ts'
import type { World } from '../world.ts'

/** GitHub: an hour. */
const codeLifetime = 3600_000

const manifestSchema = z.strictObject({
  name: z.string().min(1).max(34),
  url: z.url(),
  description: z.string().optional(),
  hook_attributes: z.strictObject({ url: z.url(), active: z.boolean() }),
  redirect_url: z.url(),
  callback_urls: z.array(z.url()).max(10),
  setup_url: z.url().optional(),
  public: z.boolean(),
  default_events: z.array(z.string()),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
})

/** The manifest in a form; null: it is none. */
export function readManifest(text: string): Manifest | null {
  try {
    return manifestSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Somebody has pressed the button: the browser goes back with a code. */
export function agree(state: State, manifest: Manifest, returned: string | null): string {
  const code = randomBytes(20).toString('hex')
  state.manifestCodes.set(code, { manifest, until: state.now().getTime() + codeLifetime })
  const back = new URL(manifest.redirect_url)
  back.searchParams.set('code', code)
  if (returned !== null) back.searchParams.set('state', returned)
  return back.href
}

/** The App takes its address, events and permissions, once for each code. There is one App, which has its number and key already. */
export function convert({ state, webhooks }: World, code: string, credentials: Credentials | null): JsonObject {
  const found = state.manifestCodes.get(code)
  if (found === undefined || credentials === null) throw notFound()
  state.manifestCodes.delete(code)
  if (found.until <= state.now().getTime()) throw new ApiError(422, 'The code has expired')
  const { manifest } = found
  state.app.permissions = manifest.default_permissions
  state.app.events = manifest.default_events
  state.app.setupUrl = manifest.setup_url ?? null
  const secret = randomBytes(20).toString('hex')
  webhooks.target = { url: manifest.hook_attributes.url, secret }
  const { clientId, clientSecret, privateKey } = credentials
  return {
    ...appJson(state, state.app),
    ...{ client_id: clientId, client_secret: clientSecret, pem: privateKey, webhook_secret: secret },
  }
}
