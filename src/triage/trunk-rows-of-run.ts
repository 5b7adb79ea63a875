import type { TrunkRow } from '../history/trunk-row.ts'
import type { Run } from '../measurement/run.ts'
import type { ClassifiedQuery } from '../verdict/classified-query.ts'

/** What a run of the trunk says beside its measurements. Empty where nothing is known. */
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
    const { difference, threshold } = result
    if (result.status !== 'compared' || difference === null) continue
    if (result.old.median === null || result.new.median === null) continue
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
      old: result.old.median,
      new: result.new.median,
      difference,
      threshold: threshold !== null && Number.isFinite(threshold) ? threshold : null,
      workflowName: run.check,
      baseBranch: place.baseBranch ?? '',
      reportUrl: place.reportUrl ?? '',
      instanceType: '',
      instanceId: '',
    })
  }
  return rows
}
