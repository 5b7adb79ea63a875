import type { HistoryRow, HistoryRun } from '../../intake/imports/history/history-lines.ts'
import { type QueryId, type Run, resultKey, runKey } from '../../intake/measurement/run.ts'
import {
  comparableRuns,
  type MeasuredOnce,
  MOST_RUNS_LOOKED_AT,
  measuredInRun,
  type OneSidedHistory,
  oneSidedHistory,
  type Place,
} from './one-sided-history.ts'

/** What the history file says of whole runs of the trunk, which the App keeps in tables of their own. */

/** A run of the trunk with its lines, one for each metric. */
export interface RunInFile extends Place, Pick<MeasuredOnce, 'time'> {
  readonly runId: string
  readonly head: string
  readonly shards: number | null
  readonly lines: readonly HistoryRun[]
}

/** The newest runs of the trunk that ended before a time, in milliseconds; newest first. */
export function runsInFile(history: readonly HistoryRun[], before: number): RunInFile[] {
  const byRun = Map.groupBy(history, ({ run, attempt, check, architecture, shard }) =>
    JSON.stringify([run, attempt, check, architecture, shard]),
  )
  const runs = [...byRun].map(([runId, lines]): RunInFile => {
    const { check, architecture, shard, shards, machine, time, commit } = lines[0]!
    const place = { check, architecture, shard, shards, time, ...(machine !== undefined && { machine }) }
    return { ...place, runId, head: commit, lines }
  })
  return runs
    .filter(({ time }) => time < before)
    .toSorted((a, b) => b.time - a.time)
    .slice(0, MOST_RUNS_LOOKED_AT)
}

/** What was measured of a query in one run. */
export interface QueryInFile {
  readonly query: QueryId
  /** As the results state it; null: they do not. */
  readonly architecture: string | null
  readonly row: HistoryRow
}

/** What a run measured by a metric. Of equal texts the lower index is the first. */
export function queriesInFile({ lines }: Pick<RunInFile, 'lines'>, metric: string): QueryInFile[] {
  return lines
    .filter((line) => line.metric === metric)
    .flatMap(({ stated = null, rows }) => {
      const ordinalOf = ordinalsOf(rows)
      return rows.map((row) => {
        const { test, queryName, queryIndex } = row
        const ordinal = ordinalOf(row)
        return { query: { test, queryIndex, queryName, ...(ordinal > 0 && { ordinal }) }, architecture: stated, row }
      })
    })
}

function ordinalsOf(rows: readonly HistoryRow[]): (query: QueryId) => number {
  const textOf = ({ test, queryName }: QueryId) => JSON.stringify([test, queryName])
  const texts = Map.groupBy(rows, textOf)
  return (query) => {
    const alike = query.queryName === null ? [] : texts.get(textOf(query))!
    return alike.filter(({ queryIndex }) => (queryIndex ?? -1) < (query.queryIndex ?? -1)).length
  }
}

/**
 * What the trunk, and all jobs of a head, measured of the checks of these runs, by `runKey`. `jobs` are the runs of the head, attempts that
 * a newer one has replaced among them; `before` in milliseconds.
 */
export function oneSidedHistoriesInFile(
  history: readonly HistoryRun[],
  runs: readonly Run[],
  jobs: readonly Run[],
  { metric, before }: { readonly metric: string; readonly before: number },
): ReadonlyMap<string, OneSidedHistory> {
  const trunk = runsInFile(history, before)
  return new Map(
    runs.map((run) => {
      const { architecture } = run
      const isOwn = (job: Run) =>
        job.check === run.check && job.architecture === architecture && job.shard === run.shard
      const own = jobs.filter(isOwn).map((job) => measuredInRun(job, metric))
      const compared = comparableRuns(run, trunk, own)
      const onTrunk = compared.trunk.map((one) => ({ ...one, medians: mediansOf(one, metric, architecture) }))
      return [runKey(run), oneSidedHistory(onTrunk, compared.jobs)]
    }),
  )
}

/** A query that states no architecture of its own is on that of the judged check. */
function mediansOf(run: RunInFile, metric: string, judged: string | null): ReadonlyMap<string, number> {
  const medians = new Map<string, number>()
  for (const { query, architecture, row } of queriesInFile(run, metric)) {
    if (row.new !== null) medians.set(resultKey({ ...query, architecture: architecture ?? judged }), row.new)
  }
  return medians
}
