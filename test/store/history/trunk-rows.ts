import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'

export const DAY = 86_400_000
/** 2026-06-01 12:00:00 UTC. */
export const NOON = Date.UTC(2026, 5, 1, 12)

export function trunkRow(changes: Partial<TrunkRow> = {}): TrunkRow {
  const before = changes.old ?? 0.1
  const after = changes.new ?? 0.1
  return {
    source: 'own',
    time: NOON,
    oldCommit: 'c0',
    newCommit: 'c1',
    test: 'join',
    queryIndex: 0,
    queryName: 'SELECT 1',
    metric: 'client_time',
    architecture: 'amd',
    old: before,
    new: after,
    difference: (after - before) / before,
    threshold: 0.04,
    workflowName: 'MasterCI',
    baseBranch: 'master',
    reportUrl: '',
    instanceType: '',
    instanceId: '',
    ...changes,
  }
}

interface MeasuredRun {
  /** What its rows have in common. */
  readonly row: TrunkRow
  /** Old and new, seconds. */
  readonly sides: readonly [number[], number[]]
}

/** 23 runs of 68 queries, `test/data/history-measured`: each query of each run. */
export function measuredRuns(): MeasuredRun[] {
  const file = new URL('../../data/history-measured/raw-runs.tsv.gz', import.meta.url)
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n')
  const runs = new Map<string, MeasuredRun>()
  for (const line of lines.slice(1)) {
    const fields = line.split('\t')
    const key = [fields[0], fields[6], fields[7]].join(' ')
    const run: MeasuredRun = runs.get(key) ?? { row: measuredRow(fields), sides: [[], []] }
    runs.set(key, run)
    run.sides[Number(fields[8]) as 0 | 1].push(Number(fields[10]))
  }
  return [...runs.values()]
}

function measuredRow(fields: readonly string[]): TrunkRow {
  return trunkRow({
    source: 'imported',
    time: Number(fields[5]) * 1000,
    oldCommit: fields[3]!,
    newCommit: fields[4]!,
    test: fields[6]!,
    queryIndex: Number(fields[7]),
    queryName: `${fields[6]} query ${fields[7]}`,
  })
}

export function measuredRows(): TrunkRow[] {
  return measuredRuns().map(({ row, sides }) => {
    const { oldMedian, newMedian, difference, threshold } = randomizationTest(...sides)
    return { ...row, old: oldMedian, new: newMedian, difference, threshold }
  })
}

/** One row of `query_metric_runs_v1`. */
export type RepetitionRow = Readonly<Record<string, string | number>>

/** The repetitions of a query in a run, in the columns of `query_metric_runs_v1`. */
export function repetitionRows(row: TrunkRow, sides: readonly (readonly number[])[]): RepetitionRow[] {
  return sides.flatMap((values, side) =>
    values.map((value, repetition) => ({
      event_date: new Date(row.time).toISOString().slice(0, 10),
      check_start_time: new Date(row.time).toISOString().slice(0, 19).replace('T', ' '),
      pr_number: 0,
      old_sha: row.oldCommit,
      new_sha: row.newCommit,
      arch: row.architecture,
      baseline_kind: 'master_head',
      workflow_name: row.workflowName,
      base_branch: row.baseBranch,
      report_url: row.reportUrl,
      instance_type: row.instanceType,
      instance_id: row.instanceId,
      test: row.test,
      query_index: row.queryIndex!,
      query_display_name: row.queryName ?? '',
      side: side === 0 ? 'baseline' : 'candidate',
      query_id: `${row.test}.query${row.queryIndex}.run${repetition}`,
      metric_name: row.metric,
      metric_value: value,
    })),
  )
}
