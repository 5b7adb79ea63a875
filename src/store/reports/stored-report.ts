import { z } from 'zod'
import { saidSchema } from '../../judge/verdict/acceptance.ts'
import { claimedIn } from '../../report/record/record.ts'
import { summaryOf } from '../../report/render/summary.ts'
import {
  CHECK_CONCLUSIONS,
  COMMENT_DECISIONS,
  type Decisions,
  REPORT_SCHEMA_VERSION,
  type TriageReport,
  UNKNOWNS,
} from '../../report/report.ts'
import { TooLargeToStore } from '../runs/run-rows.ts'
import { bool, columnOf, dateTime64, few, nullable, string, table, uint32, uint64 } from '../table.ts'

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
function writeClaims(report: TriageReport): string {
  const claims = claimedIn(report)
  return claims.rows.length + claims.withdrawn.length === 0 ? '' : JSON.stringify(claims).toWellFormed()
}

export interface StoredReport {
  readonly report: TriageReport
  /** The text that `writeReport` stored, byte by byte. */
  readonly json: string
  readonly storedAt: Date
}

const column = columnOf<StoredReport>()

export const REPORTS = table('reports', {
  repository_id: column(uint64, ({ report }) => report.repository.id),
  pull_request_number: column(uint32, ({ report }) => report.pullRequest.number),
  head: column(string, ({ report }) => report.head),
  judged_at: column(dateTime64, ({ report }) => report.judgedAt),
  stored_at: column(dateTime64, ({ storedAt }) => storedAt),
  schema_version: column(uint32, ({ report }) => report.schemaVersion),
  owner: column(few(string), ({ report }) => report.repository.owner),
  name: column(few(string), ({ report }) => report.repository.name),
  is_private: column(bool, ({ report }) => report.repository.isPrivate),
  base_ref: column(few(string), ({ report }) => report.pullRequest.baseRef),
  merge_base: column(nullable(string), ({ report }) => report.mergeBase),
  mode: column(few(string), ({ report }) => report.mode),
  complete: column(bool, ({ report }) => report.complete),
  slower: column(uint32, ({ report }) => report.counts.slower),
  faster: column(uint32, ({ report }) => report.counts.faster),
  unstable: column(uint32, ({ report }) => report.counts.unstable),
  too_small: column(uint32, ({ report }) => report.counts.tooSmall),
  not_significant: column(uint32, ({ report }) => report.counts.notSignificant),
  not_compared: column(uint32, ({ report: { counts } }) => counts.notCompared + (counts.measuredOnce ?? 0)),
  report: column(string, ({ json }) => json),
  claims: column(string, ({ report }) => writeClaims(report)),
  said: column(string, ({ report }) => JSON.stringify(summaryOf(report))),
})

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
 * wrote, and are taken as they are stored: what is parsed here is thrown away, but for the decisions.
 */
const reportSchema = z.object({
  schemaVersion: z.literal(REPORT_SCHEMA_VERSION),
  repository: z.object({ id: z.number(), owner: z.string(), name: z.string(), isPrivate: z.boolean() }),
  pullRequest: z.object({ number: z.number(), baseRef: z.string() }),
  head: z.string(),
  primaryMetric: z.string(),
  references: list,
  architectures: list,
  shards: list,
  complete: z.boolean(),
  rows: z.array(z.object({ test: z.string(), metric: z.string(), results: list, evidence: list })),
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
