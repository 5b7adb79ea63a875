import { z } from 'zod'
import { claimedIn } from '../../report/record.ts'
import {
  CHECK_CONCLUSIONS,
  COMMENT_DECISIONS,
  type Decisions,
  REPORT_SCHEMA_VERSION,
  type TriageReport,
  UNKNOWNS,
} from '../../report/report.ts'
import { saidSchema } from '../../verdict/acceptance.ts'
import { TooLargeToStore } from '../runs/run-rows.ts'

/** Bytes of JSON. Ten thousand queries on two architectures with every note are a fifth of it. */
const MAX_REPORT_BYTES = 64 * 2 ** 20

/** @throws TooLargeToStore */
export function writeReport(report: TriageReport): string {
  const json = JSON.stringify(report).toWellFormed()
  if (json.length > MAX_REPORT_BYTES) {
    throw new TooLargeToStore(`The report of ${report.head} is ${json.length} bytes; ${MAX_REPORT_BYTES} can be stored`)
  }
  return json
}

/** The part of it that the record is made of; empty: there is none. */
export function writeClaims(report: TriageReport): string {
  const claims = claimedIn(report)
  return claims.rows.length + claims.withdrawn.length === 0 ? '' : JSON.stringify(claims).toWellFormed()
}

export type ReadReport =
  | { readonly report: TriageReport }
  /** Why it can't be read: of a program that is newer or older, or damaged. */
  | { readonly report: null; readonly reason: string }

const list = z.array(z.unknown())

/** Decisions that another version made are left out where this one does not know them, such as a reason that came later. */
const decisionsSchema: z.ZodType<Decisions | undefined> = z
  .object({
    comment: z.enum(COMMENT_DECISIONS),
    conclusion: z.enum(CHECK_CONCLUSIONS).nullable(),
    unknowns: z.array(z.enum(UNKNOWNS)),
    labels: z.array(z.string()).nullable(),
    mute: saidSchema.nullable().default(null),
  })
  .optional()
  .catch(undefined)

/**
 * The parts that everything that renders a report takes for granted. The rows are those that this version's own code
 * wrote.
 */
const reportSchema = z.looseObject({
  schemaVersion: z.literal(REPORT_SCHEMA_VERSION),
  repository: z.looseObject({ id: z.number(), owner: z.string(), name: z.string(), isPrivate: z.boolean() }),
  pullRequest: z.looseObject({ number: z.number(), baseRef: z.string() }),
  head: z.string(),
  primaryMetric: z.string(),
  references: list,
  architectures: list,
  shards: list,
  complete: z.boolean(),
  rows: z.array(z.looseObject({ test: z.string(), metric: z.string(), results: list, evidence: list })),
  counts: z.record(z.string(), z.number()),
  discoveries: list,
  shifts: list,
  degradations: list,
  warnings: list,
  mode: z.enum(['shadow', 'advisory', 'gating']),
  decisions: decisionsSchema,
  judgedAt: z.string(),
})

/** Fields that came into reports of this schema version later. */
type Later = 'failingTests' | 'windows'

export function readReport(json: string): ReadReport {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return { report: null, reason: 'it is not JSON' }
  }
  const version = z.looseObject({ schemaVersion: z.unknown() }).safeParse(value).data?.schemaVersion
  if (version !== REPORT_SCHEMA_VERSION) {
    return { report: null, reason: `its schema version is ${String(version)}, and this is ${REPORT_SCHEMA_VERSION}` }
  }
  const parsed = reportSchema.safeParse(value)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return { report: null, reason: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a report'}` }
  }
  // Missing in reports from before there were failing tests and windows in them.
  const { decisions: _, ...stored } = value as Omit<TriageReport, Later> & Partial<Pick<TriageReport, Later>>
  const { decisions } = parsed.data
  return {
    report: {
      ...stored,
      failingTests: stored.failingTests ?? null,
      windows: stored.windows ?? [],
      ...(decisions !== undefined && { decisions }),
    },
  }
}
