import { queryKey, runKey } from '../intake/measurement/run.ts'
import type { LearnedProvenance } from '../judge/history/trunk-series.ts'
import { discoveryBudget } from '../judge/statistics/discovery-budget.ts'
import { type ClassifiedQuery, countOutcomes } from '../judge/verdict/classified-query.ts'
import { equalBuildsOfRun } from '../judge/verdict/evidence/equal-builds.ts'
import { wholeRunShifts } from '../judge/verdict/evidence/shard-shift.ts'
import { NO_ENTRIES, type TestEntries } from '../judge/verdict/test-entries.ts'
import { isBecauseOfChange } from '../judge/verdict/verdict.ts'
import { isSameCommit } from '../text/commits.ts'
import { acceptedMeasurement, acceptedSuite, acceptedUnknowns, NOTHING_SAID, withAcceptance } from './acceptance.ts'
import { type ClassifiedHead, environmentsIn, type HeadInput, isJudged, measuredAt } from './classify-head.ts'
import { markedUndecided, replacedRuns, standingOf } from './earlier-attempts.ts'
import { type Answers, ignoredBy, judgeRows } from './judge-rows.ts'
import { decisive } from './parts.ts'
import {
  type EnvironmentsOfRun,
  type EqualBuildsOfCheck,
  type ExpiredEntry,
  REPORT_SCHEMA_VERSION,
  type ReportHistory,
  type ReportRow,
  type Shard,
  type TriageReport,
  type WrongBuilds,
} from './report.ts'
import { sinceLastPush } from './since-last-push.ts'

/** The level that the discovery budget is quoted for. */
const DISCOVERY_LEVEL = 0.01

/** Judges a classified head by the answers of those who were asked: the report that should stand. The same values give the same report. */
export function judge(head: ClassifiedHead, answers: Answers = {}): TriageReport {
  const { input, results, architectures, shifts } = head
  const {
    repository,
    pullRequest,
    mergeBase,
    mergeBaseTime = null,
    references,
    primaryMetric,
    shards,
    failingTests,
    mode,
    judgedAt,
  } = input
  const judged = judgeRows(head, answers)
  const history = historyOf(head, answers)
  const complete = isComplete(input)
  const wrongBuilds = wrongBuildsOf(input)
  const said = input.said ?? NOTHING_SAID
  const isAccepted = (row: ReportRow) => withAcceptance(row, said, input.entries).accepted !== undefined
  const standing = standingOf(judged, head)
  const notMeasuredAgain = standing.notMeasuredAgain.filter((row) => !isAccepted(row))
  const notSeenAgain = standing.notSeenAgain.filter((row) => !isAccepted(row))
  const { rows, summary } = sinceLastPush(judged.map(markedUndecided(head)), input.previous, notSeenAgain)
  const letPass = acceptedUnknowns({ head: input.head, shards, complete }, said)
  const { howMeasured } = input
  const facts = complete ? answers.facts : {}
  const measuredBy = { head: input.head, shards, ...(howMeasured !== undefined && { howMeasured }), ...facts }
  const letMeasure = acceptedMeasurement(measuredBy, said)
  const replaced = replacedRuns(input)
  const wholeRun = complete ? wholeRunShifts(shifts, answers.earlierAttempts ?? []) : []
  const expired = expiredOf(judged, input.entries)
  const ownVerdicts = input.runs.flatMap(({ check, architecture, own }) =>
    own === undefined ? [] : [{ check, architecture, ...own }],
  )
  const runNotes = input.runs.flatMap(({ check, architecture, machine, runNotes: notes }) =>
    notes === undefined && machine === undefined
      ? []
      : [{ check, architecture, ...(machine !== undefined && { machine }), ...notes }],
  )
  const environments = input.runs.flatMap((run) =>
    environmentsIn(run).map((one): EnvironmentsOfRun => ({ check: run.check, ...one })),
  )
  const equalBuilds = input.runs.flatMap(({ check, architecture, measurements }): EqualBuildsOfCheck[] => {
    const ofRun = equalBuildsOfRun(measurements.filter(({ metric }) => metric === primaryMetric))
    return ofRun === null ? [] : [{ check, architecture, ...ofRun }]
  })
  const labels = input.runs.find((run) => run.labels !== undefined)?.labels
  return {
    schemaVersion: REPORT_SCHEMA_VERSION,
    repository,
    pullRequest,
    head: input.head,
    mergeBase,
    ...(mergeBaseTime !== null && { mergeBaseTime }),
    references,
    primaryMetric,
    architectures,
    shards,
    complete,
    rows: rows.map((row) => markedWhereBecause(row, history)),
    counts: countOutcomes(judged.filter(({ verdict }) => verdict !== 'ignored').map(decisive)),
    thresholdSources: thresholdSourcesOf(judged),
    discoveries: architectures.map((architecture) => discoveriesOf(head, architecture)),
    smallestPValue: smallestPValueOf(results),
    shifts: [...shifts.values()],
    wholeRun: wholeRun.map((suite) => ({ ...suite, ...acceptedSuite(suite, said) })),
    ...(letPass.length === 0 ? {} : { acceptedUnknowns: letPass }),
    ...(howMeasured === undefined ? {} : { howMeasured }),
    ...(letMeasure === null ? {} : { acceptedMeasurement: letMeasure }),
    ...(ownVerdicts.length === 0 ? {} : { ownVerdicts }),
    ...(runNotes.length === 0 ? {} : { runNotes }),
    ...(environments.length === 0 ? {} : { environments }),
    ...(equalBuilds.length === 0 ? {} : { equalBuilds }),
    ...facts,
    ...(wrongBuilds.length === 0 ? {} : { wrongBuilds }),
    ...(newMayHoldMore(input) && { newMayHoldMore: true }),
    ...(labels === undefined ? {} : { labels }),
    ...(head.otherMetrics.length === 0 ? {} : { otherMetrics: head.otherMetrics }),
    ...(notMeasuredAgain.length === 0 ? {} : { notMeasuredAgain }),
    ...(notSeenAgain.length === 0 ? {} : { notSeenAgain }),
    ...(standing.withdrawn.length === 0 ? {} : { withdrawn: standing.withdrawn }),
    runs: input.runs.map(runKey).toSorted(),
    ...(replaced.length === 0 ? {} : { replacedRuns: replaced }),
    ...(expired.length === 0 ? {} : { expired }),
    sinceLastPush: summary,
    history,
    failingTests,
    windows: [],
    mode,
    degradations: history?.problem ? ['history-not-available', ...input.degradations] : input.degradations,
    warnings: head.warnings,
    judgedAt,
  }
}

/** Everything that one machine measured moved, by the measurements alone: whether the change did it another run of the same commit can tell. */
export function mayBeMachine(head: ClassifiedHead): boolean {
  return isComplete(head.input) && wholeRunShifts(head.shifts, []).some(({ verdict }) => verdict !== null)
}

function discoveriesOf({ input, results }: ClassifiedHead, architecture: string | null) {
  const ofIt = results.filter((result) => result.architecture === architecture).filter(isJudged(input))
  return { architecture, metric: input.primaryMetric, ...discoveryBudget(ofIt, DISCOVERY_LEVEL) }
}

/**
 * Runs that say which commits they built, and did not compare the change with its base. CI may build the merge of the head
 * into the base: another commit is nothing wrong where the head is in it, or GitHub can’t say. Too many to ask about are no merge of CI.
 */
function wrongBuildsOf(input: HeadInput): readonly WrongBuilds[] {
  const { runs, head, base = null, mergeBase, otherHeads = [], unaskedHeads = [] } = input
  const found = runs.flatMap(({ oldCommit, newCommit }): WrongBuilds[] => {
    if (oldCommit !== null && (isSameCommit(oldCommit, head) || isSameCommit(oldCommit, newCommit)))
      return [{ kind: 'same-commit', commit: oldCommit }]
    if (newCommit === null || isSameCommit(newCommit, head)) return []
    const isBase = isSameCommit(newCommit, base) || isSameCommit(newCommit, mergeBase)
    if (isBase) return [{ kind: 'new-is-base', commit: newCommit }]
    if (otherHeads.includes(newCommit)) return [{ kind: 'new-is-other', commit: newCommit }]
    return unaskedHeads.includes(newCommit) ? [{ kind: 'new-is-unknown', commit: newCommit }] : []
  })
  // One of those stands for all: there may be hundreds.
  const keyOf = ({ kind, commit }: WrongBuilds) => (kind === 'new-is-unknown' ? kind : `${kind} ${commit}`)
  return [...new Map(found.map((one) => [keyOf(one), one])).values()]
}

/** The new build is neither the head nor its merge into the merge base, or nobody knows: the merge of the head into a newer base has more. */
function newMayHoldMore({ runs, head, mergeBase, merges = [] }: HeadInput): boolean {
  return runs.some(
    ({ oldCommit, newCommit }) =>
      mergeBase !== null &&
      isSameCommit(mergeBase, oldCommit) &&
      !isSameCommit(head, newCommit) &&
      (newCommit === null || !merges.includes(newCommit)),
  )
}

const ENDED: ReadonlySet<Shard['state']> = new Set(['measured', 'failed', 'skipped'])

function isComplete({ shards, isFinal }: HeadInput): boolean {
  return shards.length > 0 && (isFinal || shards.every(({ state }) => ENDED.has(state)))
}

/** The number of compared queries, each architecture for itself, that have learned thresholds. */
function historyOf({ input, results }: ClassifiedHead, { history = null }: Answers): ReportHistory | null {
  if (history === null) return null
  const { thresholds, runs } = input
  const compared = results.filter(({ status }) => status === 'compared')
  const learned = compared.filter((result) => thresholds.learned?.(queryKey(result), result.architecture)).length
  const provenance: LearnedProvenance | null =
    history.learned === null ? null : { ...history.learned, learned, floor: compared.length - learned }
  return { provenance, problem: history.problem, measuredAt: measuredAt(runs) }
}

/** Whether the change is why can be told only where all of the history was there. */
function markedWhereBecause(row: ReportRow, history: ReportHistory | null): ReportRow {
  const isThere = history?.provenance != null && history.problem === null
  return isBecauseOfChange(row.verdict, row.evidence, isThere) ? { ...row, becauseOfChange: true } : row
}

function thresholdSourcesOf(rows: readonly ReportRow[]): TriageReport['thresholdSources'] {
  const sources: Record<keyof TriageReport['thresholdSources'], number> = {
    floor: 0,
    configured: 0,
    test: 0,
    learned: 0,
    given: 0,
    entry: 0,
    history: 0,
  }
  for (const row of rows) {
    const source = decisive(row).changedThresholdSource
    if (source) sources[source] += 1
  }
  return sources
}

/** Each entry once, in the order of the rows. */
function expiredOf(rows: readonly ReportRow[], entries: TestEntries = NO_ENTRIES): readonly ExpiredEntry[] {
  const byEntry = Map.groupBy(
    rows.flatMap((row) => entries.of(decisive(row)).expired),
    (entry) => entry,
  )
  return [...byEntry].map(([entry, ofRows]) => ({ ...ignoredBy(entry), rows: ofRows.length }))
}

function smallestPValueOf(results: readonly ClassifiedQuery[]): number | null {
  return results.reduce<number | null>(
    (least, { smallestPValue }) =>
      smallestPValue === null ? least : least === null ? smallestPValue : Math.min(least, smallestPValue),
    null,
  )
}
