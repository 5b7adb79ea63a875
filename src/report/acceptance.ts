import { z } from 'zod'
import { type QueryId, queryKey } from '../intake/measurement/run.ts'
import type { AcceptedIn, BisectWindow } from '../judge/bisect/bisect-window.ts'
import type { JudgedFailure } from '../judge/ledger/failure.ts'
import { inOrder } from '../judge/ledger/order.ts'
import { type Acceptance, type Said, saidSchema } from '../judge/verdict/acceptance.ts'
import { slowdownOf } from '../judge/verdict/direction.ts'
import { SHIFT_MINIMUM } from '../judge/verdict/evidence/shard-shift.ts'
import { isFailure } from '../judge/verdict/failed-in.ts'
import { findingsOf, isSlower } from '../judge/verdict/findings.ts'
import { type IgnoredByPerson, NO_ENTRIES, type TestEntries } from '../judge/verdict/test-entries.ts'
import { isOpen } from '../judge/verdict/verdict.ts'
import { fnv1a } from './anchors.ts'
import { notPassedOf, unknownsOf } from './check-conclusion.ts'
import { decisive, shardTally } from './parts.ts'
import { type LessThanUsual, type ReportRow, type Shard, type TriageReport, UNKNOWNS, type Unknown } from './report.ts'

/** What people have accepted, ignored or muted on a pull request, and what of it still holds. */

const openRow = z.object({
  key: z.string(),
  /** As the comment shows it. */
  name: z.string(),
  test: z.string(),
  /** By how much its worst architecture is slower, a fraction of the old median; null: it has no result in the new build. */
  difference: z.number().nullable(),
  /** A build has no result of it. */
  failed: z.boolean(),
  /** Where it has none; absent in what was stored before it was kept. */
  failures: z.array(z.object({ architecture: z.string().nullable(), failedIn: z.enum(['new', 'unknown']) })).optional(),
})

export const openFindingsSchema = z.object({
  /** Full commit id. */
  head: z.string(),
  rows: z.array(openRow).readonly(),
  /** Shifts of everything that one machine measured. */
  suites: z
    .array(
      z.object({
        architecture: z.string().nullable(),
        shard: z.int().nullable(),
        /** The check that measured it; absent in what was stored before it was kept. */
        check: z.string().optional(),
        shift: z.number(),
      }),
    )
    .readonly(),
  /** Why the head could not be called fine. They are accepted for this head alone. */
  unknowns: z.array(z.enum(UNKNOWNS)).readonly(),
  /** The checks without results where that is one of them; absent in what was stored before it was kept. */
  lostShards: z.array(z.string()).readonly().optional(),
  /** What has to be accepted of how it was measured: `files 4f2c…`, `workflow .github/workflows/other.yml`; absent: nothing. */
  measurement: z.array(z.string()).readonly().optional(),
})

/** What stands open in a report: what a person who read it may accept. */
export type OpenFindings = Readonly<z.output<typeof openFindingsSchema>>
export type OpenRow = Readonly<z.output<typeof openRow>>
type OpenSuite = OpenFindings['suites'][number]

/** Tells what stands open in one report from that of another: 8 characters. */
export function versionOf(findings: OpenFindings): string {
  return fnv1a(JSON.stringify(findings))
}

export const ignoredSubjectSchema = z.object({
  rows: z
    .array(
      z.object({
        /** `queryKey` of the row. */
        key: z.string(),
        /** As the comment shows it. */
        name: z.string(),
        test: z.string(),
        query: z.union([z.number(), z.string()]).nullable(),
      }),
    )
    .readonly(),
  /** Failing tests by their names, whatever the check and the output; a check that failed without one by its own. */
  failures: z.array(z.object({ testName: z.string(), checkName: z.string() })).readonly(),
})

/** Rows and failing tests that count for nothing on a pull request, at whatever size. */
export type IgnoredSubject = Readonly<z.output<typeof ignoredSubjectSchema>>

/** A decision of a person about a pull request. The later one of two that speak of the same counts. */
export const decisionSchema = z.discriminatedUnion('kind', [
  saidSchema.extend({ kind: z.literal('accept'), subject: openFindingsSchema }),
  /** Takes back what was accepted of these. */
  saidSchema.extend({ kind: z.literal('unaccept'), subject: openFindingsSchema }),
  saidSchema.extend({ kind: z.literal('ignore'), subject: ignoredSubjectSchema }),
  saidSchema.extend({ kind: z.literal('unignore'), subject: ignoredSubjectSchema }),
  saidSchema.extend({ kind: z.literal('mute'), subject: z.null() }),
  saidSchema.extend({ kind: z.literal('unmute'), subject: z.null() }),
])
export type Decision = Readonly<z.output<typeof decisionSchema>>

/** What people have said of a pull request, as far as it holds now. */
export interface StandingDecisions {
  /** Null: the comment is not muted. */
  readonly mute: Said | null
  /** By the key of the row. */
  readonly rows: ReadonlyMap<string, Said & { readonly row: OpenRow }>
  /** By architecture, shard and check. */
  readonly suites: ReadonlyMap<string, Said & { readonly suite: OpenSuite }>
  /** By head and reason. */
  readonly unknowns: ReadonlyMap<string, Said & Pick<OpenFindings, 'lostShards'>>
  /** By what stands for the files and the workflows. */
  readonly measurement: ReadonlyMap<string, Said>
  readonly ignored: {
    /** By the key of the query. */
    readonly rows: ReadonlyMap<string, IgnoredRow>
    /** By `failureKey`. */
    readonly failures: ReadonlyMap<string, IgnoredFailure>
  }
}

/** A row that a person ignores, as it was named. */
export interface IgnoredRow extends IgnoredByPerson {
  readonly row: IgnoredSubject['rows'][number]
}

export interface IgnoredFailure {
  readonly failure: IgnoredSubject['failures'][number]
  readonly by: Said
}

export const NOTHING_SAID: StandingDecisions = {
  mute: null,
  rows: new Map(),
  suites: new Map(),
  unknowns: new Map(),
  measurement: new Map(),
  ignored: { rows: new Map(), failures: new Map() },
}

/** Where the check gates people rely on it: to ignore something there needs a reason and an end, also when it was said before. */
export function mayIgnore(mode: TriageReport['mode'], { reason, until }: Pick<Said, 'reason' | 'until'>): boolean {
  return mode !== 'gating' || (reason !== '' && until !== null)
}

/** The decisions that hold, of all in the order in which they were said. */
export function standingDecisions(
  decisions: readonly Decision[],
  now: number,
  mode: TriageReport['mode'] = 'advisory',
): StandingDecisions {
  let mute: Said | null = null
  const rows = new Map<string, Said & { row: OpenRow }>()
  const suites = new Map<string, Said & { suite: OpenSuite }>()
  const unknowns = new Map<string, Said & Pick<OpenFindings, 'lostShards'>>()
  const measurement = new Map<string, Said>()
  const ignored = { rows: new Map<string, IgnoredRow>(), failures: new Map<string, IgnoredFailure>() }
  for (const decision of decisions) {
    const { kind, subject, ...by } = decision
    // One that has ended was still the last word: it gives no earlier one without an end its place back.
    const holds = by.until === null || by.until >= now
    if (kind === 'mute') mute = holds ? by : null
    else if (kind === 'unmute') mute = null
    else if (kind === 'ignore' || kind === 'unignore') {
      const isIgnored = holds && kind === 'ignore' && mayIgnore(mode, by)
      for (const row of subject.rows) {
        const { test, query } = row
        put(ignored.rows, row.key, isIgnored ? { test, query, by, row } : null)
      }
      for (const failure of subject.failures) {
        put(ignored.failures, failureKey(failure), isIgnored ? { failure, by } : null)
      }
    } else {
      const isAccepted = holds && kind === 'accept'
      for (const row of subject.rows) put(rows, row.key, isAccepted ? { ...by, row } : null)
      for (const key of subject.measurement ?? []) put(measurement, key, isAccepted ? by : null)
      for (const suite of subject.suites) {
        put(suites, suiteKey(suite), isAccepted ? { ...by, suite } : null)
      }
      for (const unknown of subject.unknowns) {
        put(unknowns, unknownKey(subject.head, unknown), isAccepted ? { ...by, lostShards: subject.lostShards } : null)
      }
    }
  }
  return { mute, rows, suites, unknowns, measurement, ignored }
}

/**
 * What stood open in the report that a person saw, with what was taken back since: that stands open before a report says so again.
 *
 * Triggers: all is accepted, the report says so, and `unaccept all` is half a second old. Does not: it was taken back before the report.
 */
export function withTakenBack(
  { at, findings }: { readonly at: number; readonly findings: OpenFindings },
  decisions: readonly Decision[],
  saidAt: number,
): OpenFindings {
  const since = decisions.filter((one) => one.saidAt >= at && one.saidAt <= saidAt)
  const turned = since.map((one): Decision => {
    if (one.kind === 'accept') return { ...one, kind: 'unaccept' }
    return one.kind === 'unaccept' ? { ...one, kind: 'accept' } : one
  })
  const back = standingDecisions(turned, at)
  const { head } = findings
  const keys = new Set([...findings.rows.map(({ key }) => key), ...findings.suites.map(suiteKey)])
  const of = UNKNOWNS.flatMap((unknown) => {
    const found = findings.unknowns.includes(unknown) ? undefined : back.unknowns.get(unknownKey(head, unknown))
    return found === undefined ? [] : [{ unknown, found }]
  })
  const lostShards = of.find(({ found }) => found.lostShards !== undefined)?.found.lostShards
  const measurement = [...new Set([...(findings.measurement ?? []), ...back.measurement.keys()])]
  return {
    ...findings,
    rows: [...findings.rows, ...[...back.rows].flatMap(([key, { row }]) => (keys.has(key) ? [] : [row]))],
    suites: [...findings.suites, ...[...back.suites].flatMap(([key, { suite }]) => (keys.has(key) ? [] : [suite]))],
    unknowns: [...findings.unknowns, ...of.map(({ unknown }) => unknown)],
    ...(lostShards !== undefined && { lostShards }),
    ...(measurement.length > 0 && { measurement }),
  }
}

function put<Value>(map: Map<string, Value>, key: string, value: Value | null): void {
  if (value === null) map.delete(key)
  else map.set(key, value)
}

/** A failing test is ignored by its name, a check that failed without one by its own. */
function failureKey({ testName, checkName }: IgnoredSubject['failures'][number]): string {
  return JSON.stringify(testName === '' ? ['', checkName] : [testName])
}

/** The failing tests with what people ignore of them, in the order in which they are shown then. */
export function withIgnored(
  failures: readonly JudgedFailure[],
  { ignored }: StandingDecisions,
): readonly JudgedFailure[] {
  if (ignored.failures.size === 0) return failures
  const marked = failures.map((judged): JudgedFailure => {
    const by = ignored.failures.get(failureKey(judged.failure))?.by
    if (by === undefined) return judged
    return { ...judged, classification: 'ignored', reasons: [{ kind: 'ignored', by }, ...judged.reasons] }
  })
  return inOrder(marked)
}

/** When the first of the decisions that hold ends, in milliseconds; null: they have no end. */
export function firstEnd(decisions: readonly Pick<Said, 'until'>[], now: number): number | null {
  const ends = decisions.map(({ until }) => until).filter((until) => until !== null && until >= now)
  return ends.length === 0 ? null : Math.min(...(ends as number[]))
}

/** A step of the trunk with the pull request inside its window in which a person accepted that the query is slower. */
export function withAcceptedStep(
  window: BisectWindow,
  decisionsOn: (pullRequestNumber: number) => StandingDecisions,
): BisectWindow {
  if (window.step.step <= 0) return window
  const found = acceptedIn(window, pullRequestsInside(window), decisionsOn)
  return found === null ? window : { ...window, acceptedIn: found }
}

/** The numbers of the pull requests whose commits are in a window. */
export function pullRequestsInside({ commits }: BisectWindow): readonly number[] {
  return (commits?.listed ?? []).flatMap(({ pullRequestNumber }) => pullRequestNumber ?? [])
}

/** The first of the pull requests in which a person accepted that the query is slower; null: nobody has. */
export function acceptedIn(
  query: QueryId & { readonly metric: string },
  pullRequests: readonly number[],
  decisionsOn: (pullRequestNumber: number) => StandingDecisions,
): AcceptedIn | null {
  for (const pullRequestNumber of pullRequests) {
    const found = decisionsOn(pullRequestNumber).rows.get(openRowKey(query))
    if (found !== undefined) return { pullRequestNumber, actor: found.actor, reason: found.reason }
  }
  return null
}

/** What stands open in a report. `nameOf`: the row's name in the comment. Rows of a shift of everything are open with it. */
export function openFindingsOf(report: TriageReport, nameOf: (row: ReportRow) => string): OpenFindings {
  const { open, failedInNew, failedUnknown, notMeasuredAgain, notSeenAgain, wholeRun } = findingsOf(report)
  const rows = new Map(
    [...notSeenAgain, ...notMeasuredAgain, ...failedUnknown, ...failedInNew, ...open].map((row) => [
      openRowKey(row),
      row,
    ]),
  )
  const unknowns = report.complete ? unknownsOf(report).filter((unknown) => !OF_ROWS.has(unknown)) : []
  const measurement = notPassedOf(report).length === 0 ? [] : measurementKeys(report)
  return {
    head: report.head,
    rows: [...rows].map(([key, row]) => ({ key, name: nameOf(row), test: row.test, ...sizeOf(row) })),
    suites: wholeRun
      .filter(isSlower)
      .map(({ architecture, shard, check, shift }) => ({ architecture, shard, ...(check && { check }), shift })),
    unknowns,
    ...(unknowns.includes('shard-without-results') && {
      lostShards: shardTally(report).lost.map(({ check }) => check),
    }),
    ...(measurement.length > 0 && { measurement }),
  }
}

/** What stands for the changed files, and for each workflow that the trunk is not known to measure by. */
export function measurementKeys({
  head,
  howMeasured,
  shards,
  lessThanUsual = {},
}: Pick<TriageReport, 'head' | 'howMeasured'> & {
  readonly shards: readonly Pick<Shard, 'state' | 'origin'>[]
  readonly lessThanUsual?: Partial<LessThanUsual>
}): readonly string[] {
  const workflows = shards.flatMap(({ state, origin }) =>
    state === 'measured' && origin !== undefined ? [`workflow ${origin.workflow ?? ''}`] : [],
  )
  const { shards: fewer, queries, repetitions } = lessThanUsual
  // of one head and these numbers: less than that is accepted anew
  const less = [fewer, queries, repetitions].map((one) => one?.measured ?? '')
  return [
    ...(howMeasured === undefined ? [] : [`files ${howMeasured.version}`]),
    ...new Set(workflows),
    ...(less.every((one) => one === '') ? [] : [`less ${head} ${less.join(' ')}`]),
  ]
}

/**
 * Who accepted how a head was measured; null: nobody has all of it.
 *
 * Triggers: the workflow was accepted, and other files were pushed since. Does not: the workflow was changed again.
 */
export function acceptedMeasurement(
  report: Parameters<typeof measurementKeys>[0],
  { measurement }: StandingDecisions,
): Said | null {
  const said = measurementKeys(report).map((key) => measurement.get(key) ?? null)
  return said.includes(null) ? null : (said.at(-1) ?? null)
}

/** They go with the rows that they are of, and a row that comes later brings them back. */
const OF_ROWS: ReadonlySet<Unknown> = new Set(['guarded-rerun', 'failed-in-unknown-build'])

/** What moved by noise on another architecture is no part of the size: nobody accepted that. */
function sizeOf({ results, decidedBy }: ReportRow): Pick<OpenRow, 'difference' | 'failed' | 'failures'> {
  const slower = results.flatMap((result, index) => {
    const counts = result.outcome === 'changed' || index === decidedBy
    return counts && result.direction === 'slower' ? [slowdownOf(result) ?? 0] : []
  })
  const failures = results.flatMap(({ architecture, failedIn }) =>
    failedIn === 'new' || failedIn === 'unknown' ? [{ architecture, failedIn }] : [],
  )
  return { difference: slower.length === 0 ? null : Math.max(...slower), failed: failures.length > 0, failures }
}

/**
 * A row with what was accepted of it. An open row that a person or the repository's file accepted at its size is `acknowledged`. One that
 * has grown by more than its threshold since stays open, and says at which size it was accepted.
 */
export function withAcceptance(
  row: ReportRow,
  { rows }: StandingDecisions,
  entries: TestEntries = NO_ENTRIES,
): ReportRow {
  if (!(isOpen(row.verdict) || row.results.some(isFailure))) return row
  const found = rows.get(openRowKey(row))
  const inFile = entries.accepting(decisive(row))
  if (found !== undefined) {
    const { row: accepted, ...by } = found
    const acceptance: Acceptance = { ...by, difference: accepted.difference }
    if (isWithin(row, accepted)) return { ...row, accepted: acceptance, verdict: 'acknowledged' }
    if (inFile === null) return { ...row, outgrown: acceptance }
  }
  if (inFile === null) return row
  if (!isWithin(row, { difference: inFile.difference, failed: false })) return { ...row, outgrown: inFile }
  return { ...row, accepted: inFile, verdict: 'acknowledged' }
}

/**
 * A row that the guard holds open for its size alone, and whose step the trunk made in a pull request in which a person accepted it
 * at that size. Triggers: +80%, and a window with the pull request in which +80% was accepted. Does not: +95%.
 */
export function withStepAccepted(
  row: ReportRow,
  windows: readonly BisectWindow[],
  decisionsOn: (pullRequestNumber: number) => StandingDecisions,
): ReportRow {
  const isOnTrunk = row.evidence.some(({ kind }) => kind === 'already-on-trunk')
  if (!row.guarded || row.verdict !== 'needs-rerun' || !isOnTrunk) return row
  const isAccepted = windows.some((window) => {
    const found = window.acceptedIn && decisionsOn(window.acceptedIn.pullRequestNumber).rows.get(openRowKey(row))
    return found !== undefined && openRowKey(window) === openRowKey(row) && isWithin(row, found.row)
  })
  return isAccepted ? { ...row, verdict: 'already-on-trunk', guarded: false } : row
}

/**
 * Triggers: +14% where +12% was accepted and the threshold is 5%. Does not: +18%; or no result in the new build, where a
 * slowdown was accepted; or none on another architecture than was accepted, or for sure in the new build where it may have been the old one.
 */
function isWithin(row: ReportRow, accepted: Pick<OpenRow, 'difference' | 'failed' | 'failures'>): boolean {
  const { difference, failed, failures = [] } = sizeOf(row)
  if (failed && !accepted.failed) return false
  const covers = (one: (typeof failures)[number]) =>
    accepted.failures === undefined ||
    accepted.failures.some(
      ({ architecture, failedIn }) =>
        architecture === one.architecture && (failedIn === 'new' || one.failedIn === 'unknown'),
    )
  if (!failures.every(covers)) return false
  if (difference === null) return true
  const threshold = decisive(row).changedThreshold ?? 0
  return accepted.difference !== null && difference <= accepted.difference + threshold
}

/**
 * The acceptance of a shift of everything, while it is within the accepted size and the smallest shift that is said at all.
 *
 * Triggers: +8% where +6% was accepted. Does not: +10%; or +8% of another check.
 */
export function acceptedSuite(measured: OpenSuite, { suites }: StandingDecisions): { readonly accepted?: Acceptance } {
  const found = suites.get(suiteKey(measured)) ?? suites.get(suiteKey({ ...measured, check: undefined }))
  if (found === undefined || measured.shift <= 0) return {}
  const { suite, ...by } = found
  return measured.shift > suite.shift + SHIFT_MINIMUM ? {} : { accepted: { ...by, difference: suite.shift } }
}

/**
 * The reasons why a head can't be called fine that a person accepted for it.
 *
 * Triggers: `perf 2/3` has no results, and that was accepted. Does not: `perf 3/3` has none either by now.
 */
export function acceptedUnknowns(
  report: Pick<TriageReport, 'head' | 'shards' | 'complete'>,
  { unknowns }: StandingDecisions,
): NonNullable<TriageReport['acceptedUnknowns']> {
  const { lost } = shardTally(report)
  return UNKNOWNS.flatMap((unknown) => {
    const found = unknowns.get(unknownKey(report.head, unknown))
    if (found === undefined) return []
    const { lostShards, ...by } = found
    const isCovered =
      unknown !== 'shard-without-results' || lost.every(({ check }) => lostShards?.includes(check) ?? true)
    return isCovered ? [{ unknown, by }] : []
  })
}

function unknownKey(head: string, unknown: string): string {
  return `${head} ${unknown}`
}

function suiteKey({ architecture, shard, check }: OpenSuite): string {
  return JSON.stringify([architecture, shard, check ?? null])
}

/** A query and what it was measured by: an acceptance is of both. */
export function openRowKey(row: QueryId & { readonly metric: string }): string {
  return JSON.stringify([queryKey(row), row.metric])
}

/** The `queryKey` of what `openRowKey` made. */
export function queryKeyOfOpenRow(key: string): string {
  return String((JSON.parse(key) as readonly unknown[])[0])
}
