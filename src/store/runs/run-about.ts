import { z } from 'zod'
import { ENVIRONMENT_FIELDS, type Environments } from '../../intake/measurement/environment.ts'
import type { OwnFlags, OwnQuery, OwnVerdict } from '../../intake/measurement/own-verdict.ts'
import type { About, Labels } from '../../intake/measurement/run.ts'
import type { RunNotes } from '../../intake/measurement/run-notes.ts'
import { jsonText } from '../../text/json-text.ts'

/** A schema for every field: one that is forgotten would be dropped where it is read, and does not compile. */
type Fields<T> = { readonly [Field in keyof T]-?: z.ZodType<T[Field]> }
type Noted<List extends keyof RunNotes> = Fields<NonNullable<RunNotes[List]>[number]>

const labels = z.object({
  kind: z.enum(['program', 'machine']),
  old: z.array(z.string()),
  new: z.array(z.string()),
} satisfies Fields<Labels>)

const query = { test: z.string(), queryIndex: z.number() } satisfies Fields<OwnQuery>
const flagged = z.object({
  slower: z.number(),
  faster: z.number().nullable(),
  unstable: z.number(),
  rows: z.array(z.object({ ...query, flag: z.enum(['slower', 'faster']) } satisfies Fields<OwnFlags['rows'][number]>)),
} satisfies Fields<OwnFlags>)
const own = z.object({
  status: z.enum(['success', 'failure']).nullable(),
  message: z.string().nullable(),
  flagged: flagged.nullable(),
  thresholds: z.enum(['learned', 'bare']).nullable(),
  dashboard: z.array(z.object(query)),
} satisfies Fields<OwnVerdict>)

const slowOnClient = { ...query, ratio: z.number() } satisfies Noted<'slowOnClient'>
const partial = { ...query, seconds: z.number(), spread: z.number() } satisfies Noted<'partial'>
const unexpected = { ...query, problem: z.string(), seconds: z.number() } satisfies Noted<'unexpectedDuration'>
const server = {
  metric: z.string(),
  old: z.number(),
  new: z.number(),
  difference: z.number(),
} satisfies Noted<'servers'>
const attribute = { name: z.string(), value: z.string() } satisfies Noted<'attributes'>
const runNotes = z.object({
  slowOnClient: z.array(z.object(slowOnClient)).exactOptional(),
  partial: z.array(z.object(partial)).exactOptional(),
  unexpectedDuration: z.array(z.object(unexpected)).exactOptional(),
  servers: z.array(z.object(server)).exactOptional(),
  attributes: z.array(z.object(attribute)).exactOptional(),
} satisfies Fields<RunNotes>)

const field = z.enum(ENVIRONMENT_FIELDS)
const ofSide = z.partialRecord(field, z.array(z.string()))
const environment = {
  architecture: z.string().nullable(),
  old: ofSide,
  new: ofSide,
  differing: z.array(field),
} satisfies Fields<Environments>

/** The parts that are kept, each by itself: one that another version wrote differently is left out. */
const PARTS = {
  labels: labels.optional().catch(undefined),
  machine: z.string().optional().catch(undefined),
  environments: z.array(z.object(environment)).optional().catch(undefined),
  own: own.optional().catch(undefined),
  runNotes: runNotes.optional().catch(undefined),
  othersUnread: z.literal(true).optional().catch(undefined),
  workflow: z.string().optional().catch(undefined),
} satisfies { readonly [Part in keyof About]-?: z.ZodType<About[Part] | undefined> }

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
