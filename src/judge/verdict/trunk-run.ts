import type { HistoryRow, HistoryRun } from '../../intake/imports/history/history-lines.ts'
import type { TrunkRow } from '../../intake/imports/history/trunk-row.ts'
import { median } from '../../intake/measurement/median.ts'
import { type Measurement, queryKey, type Run, type Side } from '../../intake/measurement/run.ts'
import { type ClassifiedQuery, countedRows } from './classified-query.ts'
import { isTimeMemoryOrWork } from './time-memory-or-work.ts'

/** What of a run of the trunk goes into its history: as rows of the database, or as lines of a file. */

/** The results of a run of the trunk that go into its history: those that decide by the metric `decides`, and time, memory and work. */
export function keptOfTrunkRun(results: readonly ClassifiedQuery[], decides: string): readonly ClassifiedQuery[] {
  const counted = new Set(countedRows(results, decides))
  return results.filter((result) => counted.has(result) || isTimeMemoryOrWork(result))
}

/** The facts of a trunk run beside its measurements; empty texts where nothing is known. */
export interface TrunkRunPlace {
  readonly baseBranch?: string
  readonly reportUrl?: string
}

/**
 * The rows of a run of the trunk that the bot read itself: one for each query and metric that was compared. None of a run
 * of a pull request, and none where the reference is unknown. Whether the run was the trunk's own and no fork's is the
 * caller's to know.
 *
 * Equal texts are told apart by their index; a source without indexes has its ordinal in the place of it, which is in the
 * same order.
 */
export function trunkRowsOfRun(run: Run, results: readonly ClassifiedQuery[], place: TrunkRunPlace = {}): TrunkRow[] {
  const { oldCommit, newCommit } = run
  const time = Date.parse(run.finishedAt)
  if (run.pullRequestNumber !== 0 || oldCommit === null || Number.isNaN(time)) return []
  const rows: TrunkRow[] = []
  for (const result of results) {
    const compared = comparedIn(result)
    if (compared === null) continue
    rows.push({
      source: 'own',
      time,
      oldCommit,
      newCommit: newCommit ?? run.head,
      test: result.test,
      queryIndex: result.queryIndex ?? result.ordinal ?? null,
      queryName: result.queryName,
      metric: result.metric,
      architecture: result.architecture ?? run.architecture ?? '',
      ...compared,
      workflowName: run.check,
      baseBranch: place.baseBranch ?? '',
      reportUrl: place.reportUrl ?? '',
      instanceType: '',
      instanceId: '',
    })
  }
  return rows
}

function comparedIn({ status, difference, threshold, ...sides }: ClassifiedQuery) {
  const [old, fresh] = [sides.old.median, sides.new.median]
  if (status !== 'compared' || difference === null || old === null || fresh === null) return null
  return { old, new: fresh, difference, threshold: threshold !== null && Number.isFinite(threshold) ? threshold : null }
}

/** Where the results of a run of the trunk came from. */
export interface HistoryRunPlace extends Pick<HistoryRun, 'run' | 'branch' | 'url'> {
  /** Full commit id; null: none shortly before it on the trunk is known. */
  readonly base: string | null
}

/**
 * The same of a run for the history file, by metric: what `trunkRowsOfRun` gives of `kept`, and besides what the new build alone was measured
 * at, with the repetitions of both. `decides` is there also where nothing was measured by it.
 */
export function historyRunsOf(
  run: Run,
  kept: readonly ClassifiedQuery[],
  decides: string,
  { run: number, branch, url, base }: HistoryRunPlace,
): HistoryRun[] {
  const { attempt, check, shard, shards, architecture, machine } = run
  const place = { run: number, attempt, check, shard, shards, commit: run.head, base, branch, url, architecture }
  const shared = { ...place, time: Date.parse(run.finishedAt), ...(machine !== undefined && { machine }) }
  const resultOf = resultsByMeasurement(run, kept)
  const metrics = new Set([decides, ...kept.map(({ metric }) => metric)])
  return [...metrics].flatMap((metric) => {
    const measured = run.measurements.filter((one) => one.metric === metric)
    const stated = Map.groupBy(measured, (one) => one.architecture)
    if (stated.size === 0) stated.set(null, [])
    return [...stated].map(([own, ofOne]) => ({
      ...shared,
      ...(own !== null && { stated: own }),
      metric,
      rows: ofOne.flatMap((one) => historyRowOf(one, resultOf(one)) ?? []),
    }))
  })
}

function resultsByMeasurement(run: Run, results: readonly ClassifiedQuery[]) {
  const keyOf = (one: Measurement | ClassifiedQuery) =>
    JSON.stringify([one.metric, queryKey(one), one.queryIndex, one.architecture ?? run.architecture])
  const byKey = new Map(results.map((result) => [keyOf(result), result]))
  return (measurement: Measurement) => byKey.get(keyOf(measurement)) ?? null
}

/** Null where neither side has a value. */
function historyRowOf(measurement: Measurement, result: ClassifiedQuery | null): HistoryRow | null {
  const { test, queryName, queryIndex, ordinal } = measurement
  const query = { test, queryName, queryIndex: queryIndex ?? ordinal ?? null }
  const counts = { repetitions: repetitionsOf(measurement), processes: processesOf(measurement) }
  const compared = result === null ? null : comparedIn(result)
  if (compared !== null) return { ...query, ...compared, ...counts }
  const medianOf = (side: Side) => result?.[side].median ?? medianOfFinite(measurement[side])
  const [old, fresh] = [medianOf('old'), medianOf('new')]
  if (old === null && fresh === null) return null
  // what has both sides was compared
  return { ...query, old: fresh === null ? old : null, new: fresh, difference: null, threshold: null, ...counts }
}

function medianOfFinite(samples: readonly number[]): number | null {
  return samples.length > 0 && samples.every(Number.isFinite) ? median(samples) : null
}

/** Of the side with fewer, where both have any. */
function repetitionsOf({ old, new: fresh }: Measurement): number {
  const counts = [old.length, fresh.length].filter((count) => count > 0)
  return counts.length === 0 ? 0 : Math.min(...counts)
}

/** 0: not known. */
function processesOf({ taken }: Measurement): number {
  return Math.min(new Set(taken?.old?.processes).size, new Set(taken?.new?.processes).size)
}
