import { z } from 'zod'
import { queryIdSchema, readWarningSchema } from '../../intake/measurement/run-schemas.ts'
import { CLASSIFICATIONS, type FailingTests, type JudgedFailure } from '../../judge/ledger/failure.ts'
import { saidSchema } from '../../judge/verdict/acceptance.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { EVIDENCE_KINDS } from '../../judge/verdict/evidence/evidence.ts'
import {
  CHECK_CONCLUSIONS,
  COMMENT_DECISIONS,
  REPORT_SCHEMA_VERSION,
  type ReportRow,
  type TriageReport,
  UNKNOWNS,
} from '../report.ts'
import { OUTCOME_WORDS, STATUS_WORDS, VERDICT_WORDS } from '../words.ts'
import { summarySchema } from './summary.ts'

/**
 * The report as other programs read it: the page of a head with `format=json`, and `report` of `comment --json`. Fields come and none
 * goes, so each object may have more. `node src/report/render/report-schema.ts` prints it as JSON schema.
 */

/** Keys of a record, each with a schema: one that is forgotten does not compile. */
type Shape<Value> = Readonly<Record<keyof Value, z.ZodType>>

const keysOf = <Word extends string>(words: Readonly<Record<Word, unknown>>) => z.enum(Object.keys(words) as Word[])
const text = z.string()
const number = z.number()
const count = z.int().nonnegative()
const maybe = number.nullable()
const any = z.looseObject({})
const list = z.array(any)

const side = z.looseObject({
  median: maybe.describe('A measured value; null where there are no samples.'),
  repetitions: count.nullable(),
  given: any.optional().describe('The tool’s summary in the place of samples.'),
})

const resultShape = {
  ...queryIdSchema.shape,
  metric: text,
  unit: text.nullable(),
  better: z.enum(['lower', 'higher']).nullish(),
  architecture: text.nullable(),
  status: keysOf(STATUS_WORDS),
  statusReason: text.nullable(),
  failedIn: z.enum(['new', 'old', 'both', 'unknown']).optional(),
  partlyFailedIn: z.enum(['new', 'old', 'both', 'unknown']).optional(),
  old: side,
  new: side,
  difference: maybe.describe('A fraction of the old median.'),
  threshold: maybe.describe('What the difference reaches in 1% of all relabelings if nothing changed.'),
  centredThreshold: maybe.optional(),
  pValue: maybe,
  rankPValue: maybe,
  qValue: maybe,
  smallestPValue: maybe,
  separated: z.boolean().nullable(),
  attempts: count.optional(),
  outcome: keysOf(OUTCOME_WORDS).nullable(),
  direction: z.enum(['slower', 'faster']).nullable(),
  changedThreshold: maybe,
  changedThresholdSource: text.nullable(),
  unstableThreshold: maybe,
  unstableThresholdSource: text.nullable(),
  couldHide: any.optional(),
  leans: any.optional(),
  notes: z.array(text),
  history: any.optional(),
} satisfies Partial<Shape<ClassifiedQuery>>

export const resultSchema = z.looseObject(resultShape)

export const rowSchema = z.looseObject({
  ...queryIdSchema.shape,
  metric: text,
  unit: text.nullable(),
  outcome: resultShape.outcome,
  direction: resultShape.direction,
  results: z.array(resultSchema).describe('One per architecture.'),
  decidedBy: count.describe('Index into results.'),
  verdict: keysOf(VERDICT_WORDS).nullable(),
  ignored: any.optional(),
  guarded: z.boolean(),
  evidence: z.array(z.looseObject({ kind: z.enum(EVIDENCE_KINDS) })),
  undecided: z.literal(true).optional(),
  accepted: any.optional(),
  outgrown: any.optional(),
  becauseOfChange: z.literal(true).optional(),
  profile: any.nullish(),
  trunkLine: any.optional(),
  sinceLastPush: z.enum(['new', 'unchanged']).nullable(),
} satisfies Shape<ReportRow>)

const failureShape = {
  failure: z.looseObject({ testName: text, checkName: text, status: text, commitSha: text, time: number }),
  classification: z.enum([...CLASSIFICATIONS, 'ignored']),
  unrelatedPullRequests: count.nullable(),
  witnesses: count.nullish(),
  hits: count.nullable(),
  trunkHits: count.nullable(),
  hits14: count.nullish(),
  hits30: count.nullish(),
  runs: count.nullable(),
  trunkRate: any.nullable(),
  firstSeen: maybe,
  lastSeen: maybe,
  lastTrunkPass: any.nullable(),
  firstBadTrunkCommit: text.nullable(),
  reasons: z.array(z.looseObject({ kind: text })).describe('The one that decided first.'),
  causedBy: text.nullable(),
  examples: list,
  issue: any.nullable(),
  proofUrl: text.nullable(),
  owner: text.nullable(),
  entry: any.nullish(),
} satisfies Shape<JudgedFailure>

const failingTests = z.looseObject({
  source: z.enum(['ci-database', 'own']),
  problem: text.nullable(),
  lookbackDays: count,
  failures: z.array(z.looseObject(failureShape)),
  isFinal: z.boolean().optional(),
  notJudged: count,
  isCut: z.literal(true).optional(),
  redChecks: z.array(
    z.looseObject({
      name: text,
      url: text.nullable(),
      state: z.enum(['accounted-for', 'may-be-yours', 'not-known']),
    }),
  ),
} satisfies Shape<FailingTests>)

const reportShape = {
  schemaVersion: z.literal(REPORT_SCHEMA_VERSION),
  repository: z.looseObject({ id: count, owner: text, name: text, isPrivate: z.boolean(), url: text }),
  pullRequest: z.looseObject({ number: count, baseRef: text, title: text.optional(), author: text.optional() }),
  head: text.describe('Full commit id.'),
  mergeBase: text.nullable(),
  mergeBaseTime: number.optional(),
  references: z.array(z.looseObject({ commit: text })),
  labels: any.optional(),
  otherMetrics: z.array(resultSchema).optional(),
  suiteHabits: list.optional(),
  ownVerdicts: list.optional(),
  runNotes: list.optional(),
  environments: list.optional(),
  equalBuilds: list.optional(),
  howMeasured: any.optional(),
  acceptedMeasurement: saidSchema.loose().optional(),
  undecided: any.optional(),
  replacedRuns: z.array(text).optional(),
  wrongBuilds: list.optional(),
  newMayHoldMore: z.literal(true).optional(),
  primaryMetric: text,
  architectures: z.array(text.nullable()),
  shards: z.array(
    z.looseObject({ check: text, state: z.enum(['measured', 'pending', 'failed', 'missing', 'skipped']) }),
  ),
  complete: z.boolean(),
  rows: z.array(rowSchema).describe('Worst first; of the primary metric.'),
  counts: z.record(text, count),
  thresholdSources: z.record(text, count),
  discoveries: list,
  smallestPValue: maybe,
  shifts: list,
  wholeRun: list.optional(),
  acceptedUnknowns: list.optional(),
  notMeasuredAgain: z.array(rowSchema).optional(),
  notSeenAgain: z.array(rowSchema).optional(),
  withdrawn: z.array(rowSchema).optional(),
  runs: z.array(text).optional(),
  expired: list.optional(),
  sinceLastPush: any.nullable(),
  history: any.nullish(),
  failingTests: failingTests.nullable(),
  windows: z.array(z.looseObject({ ...queryIdSchema.shape, architecture: text.nullable(), step: any })),
  pullRequestWindow: any.nullish(),
  mode: z.enum(['shadow', 'advisory', 'gating']),
  decisions: z
    .looseObject({
      comment: z.enum(COMMENT_DECISIONS),
      conclusion: z.enum(CHECK_CONCLUSIONS).nullable(),
      unknowns: z.array(z.enum(UNKNOWNS)),
      labels: z.array(text).nullable(),
      mute: saidSchema.loose().nullable(),
    })
    .optional(),
  degradations: z.array(text),
  warnings: z.array(readWarningSchema.loose()),
  judgedAt: text.describe('ISO 8601, UTC.'),
  lessThanUsual: any.optional(),
} satisfies Shape<TriageReport>

export const reportSchema = z
  .looseObject({
    ...reportShape,
    said: summarySchema.loose().optional().describe('In one line and a few numbers; on the page alone.'),
  })
  .describe('What perf-triage says of the head of a pull request.')

export function reportJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(reportSchema, { io: 'input', target: 'draft-7', reused: 'ref' })
  return { $schema, title: 'perf-triage report', ...schema }
}

if (import.meta.main) console.log(JSON.stringify(reportJsonSchema(), null, 2))
