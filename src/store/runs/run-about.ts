import { z } from 'zod'
import { ENVIRONMENT_FIELDS } from '../../intake/measurement/environment.ts'
import type { About } from '../../intake/measurement/run.ts'
import { jsonText } from '../../text/json-text.ts'

const labels = z.object({
  kind: z.enum(['program', 'machine']),
  old: z.array(z.string()),
  new: z.array(z.string()),
})

const query = { test: z.string(), queryIndex: z.number() }
const own = z.object({
  status: z.enum(['success', 'failure']).nullable(),
  message: z.string().nullable(),
  flagged: z
    .object({
      slower: z.number(),
      faster: z.number().nullable(),
      unstable: z.number(),
      rows: z.array(z.object({ ...query, flag: z.enum(['slower', 'faster']) })),
    })
    .nullable(),
  thresholds: z.enum(['learned', 'bare']).nullable(),
  dashboard: z.array(z.object(query)),
})

const runNotes = z.object({
  slowOnClient: z.array(z.object({ ...query, ratio: z.number() })).exactOptional(),
  partial: z.array(z.object({ ...query, seconds: z.number(), spread: z.number() })).exactOptional(),
  unexpectedDuration: z.array(z.object({ ...query, problem: z.string(), seconds: z.number() })).exactOptional(),
  servers: z
    .array(z.object({ metric: z.string(), old: z.number(), new: z.number(), difference: z.number() }))
    .exactOptional(),
  attributes: z.array(z.object({ name: z.string(), value: z.string() })).exactOptional(),
})

const field = z.enum(ENVIRONMENT_FIELDS)
const ofSide = z.partialRecord(field, z.array(z.string()))
const environments = z.array(
  z.object({ architecture: z.string().nullable(), old: ofSide, new: ofSide, differing: z.array(field) }),
)

/** The parts that are kept, each by itself: one that another version wrote differently is left out. */
const PARTS = {
  labels: labels.optional().catch(undefined),
  machine: z.string().optional().catch(undefined),
  environments: environments.optional().catch(undefined),
  own: own.optional().catch(undefined),
  runNotes: runNotes.optional().catch(undefined),
  othersUnread: z.literal(true).optional().catch(undefined),
  workflow: z.string().optional().catch(undefined),
}

/** The column `about` of `runs`; empty where there is nothing to say. */
export const aboutColumn: z.ZodType<About, string> = z
  .literal('')
  .transform(() => ({}))
  .or(jsonText(z.object(PARTS)).transform(withoutAbsent))

function withoutAbsent(parts: object): About {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined))
}

export function writeAbout(run: About): string {
  const about = Object.fromEntries(
    Object.keys(PARTS).flatMap((part) => {
      const value = run[part as keyof About]
      return value === undefined ? [] : [[part, value]]
    }),
  )
  return Object.keys(about).length === 0 ? '' : JSON.stringify(about).toWellFormed()
}
