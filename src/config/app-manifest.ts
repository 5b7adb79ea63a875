import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'

const manifestSchema = z.object({
  name: z.string(),
  description: z.string(),
  public: z.boolean(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
})

/** `app.yml`: the permissions and events that a GitHub App of this version is registered with. */
export type AppManifest = z.output<typeof manifestSchema>

export function readAppManifest(): AppManifest {
  return manifestSchema.parse(parse(readFileSync(new URL('../../app.yml', import.meta.url), 'utf8')))
}
