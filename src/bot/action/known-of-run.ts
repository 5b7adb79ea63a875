import { type HistoryRun, trunkRowsOf } from '../../intake/imports/history/history-lines.ts'
import { DEFAULT_LIMITS } from '../../intake/measurement/limits.ts'
import { queryHash } from '../../intake/measurement/query-hash.ts'
import type { Run, Side } from '../../intake/measurement/run.ts'
import { StackCounts } from '../../intake/measurement/stack-counts.ts'
import { TRACE_TYPES, type TraceType } from '../../intake/measurement/trace-type.ts'
import { oneSidedHistoriesInFile } from '../../judge/history/history-file.ts'
import { trunkHistoryOfRows } from '../../judge/history/trunk-history-of-rows.ts'
import { classify } from '../../judge/verdict/classify.ts'
import type { StoredAttempt } from '../../judge/verdict/evidence/shard-shift.ts'
import { DEFAULT_THRESHOLDS } from '../../judge/verdict/thresholds.ts'
import { usualInFile } from '../../report/usual.ts'
import type { Profiles, ProfileWanted } from '../../store/profiles/profiles.ts'
import { asReadBack } from '../../store/runs/read-back.ts'
import type { HeadSources } from '../triage/judge-head.ts'

/** A stand-in for the App's database: the runs of one head in memory, and the trunk's history of a file. */

/** Of other pull requests it knows nothing. `earlier` are the attempts that `runs` have replaced. */
export function storeInMemory(
  runs: readonly Run[],
  earlier: readonly Run[],
  history: readonly HistoryRun[],
): HeadSources['store'] {
  const jobs = [...runs, ...earlier]
  return {
    runs: {
      oneSidedHistories: async (alone, wanted) => oneSidedHistoriesInFile(history, alone, jobs, wanted),
      everyOf: async (_repository, _head, metric) => jobs.map((run) => asReadBack(run, metric)),
      attemptsOf: async (_repository, _head, metric) => jobs.map((run) => attemptOf(run, metric)),
      usualOfTrunk: async ({ metric, before }) => usualInFile(history, metric, before),
    },
    reports: null,
    trunkHistory: trunkHistoryOfRows(history.values().flatMap(trunkRowsOf)),
    profiles: profilesIn(runs),
  }
}

function attemptOf(run: Run, metric: string): StoredAttempt {
  const { check, architecture, shard, attempt } = run
  const measured = run.measurements
    .filter((one) => one.metric === metric)
    .map((one) => ({ ...one, architecture: one.architecture ?? architecture }))
  const medians = classify(measured, DEFAULT_THRESHOLDS).flatMap(({ status, ...sides }) => {
    const [old, fresh] = [sides.old.median, sides.new.median]
    const isCompared = status === 'compared' && old !== null && fresh !== null && old > 0 && fresh > 0
    return isCompared ? [[old, fresh] as const] : []
  })
  return { check, architecture, shard, attempt, medians }
}

/** The stacks that came with the runs. */
function profilesIn(runs: readonly Run[]): HeadSources['store']['profiles'] {
  const stacksIn = (wanted: ProfileWanted, traceType: TraceType) => {
    const found = profilesOf(runs, wanted).filter((profile) => profile.traceType === traceType)
    return found.length === 0 ? null : { old: sumOf(found, 'old'), new: sumOf(found, 'new') }
  }
  const profiles: Profiles = {
    summariesOf: async (wanted) =>
      TRACE_TYPES.flatMap((traceType) => {
        const found = stacksIn(wanted, traceType)
        return found === null ? [] : [{ traceType, old: found.old.sum, new: found.new.sum, runs: [] }]
      }),
    stacksOf: async (wanted, traceType) => {
      const found = stacksIn(wanted, traceType)
      return found === null ? null : { old: found.old.finish(), new: found.new.finish() }
    },
  }
  return { ...profiles, mayHave: async () => runs.some((run) => run.profiles !== undefined) }
}

function profilesOf(runs: readonly Run[], wanted: ProfileWanted) {
  const hash = queryHash(wanted)
  return runs
    .filter(({ architecture }) => architecture === wanted.architecture)
    .flatMap(({ profiles = [] }) => profiles)
    .filter(
      (one) => one.test === wanted.test && (one.ordinal ?? 0) === (wanted.ordinal ?? 0) && queryHash(one) === hash,
    )
}

function sumOf(profiles: ReturnType<typeof profilesOf>, side: Side): StackCounts {
  const counts = new StackCounts()
  for (const { stack, count } of profiles.flatMap((profile) => profile[side])) counts.add(stack, count)
  counts.shrink(DEFAULT_LIMITS.profileText)
  return counts
}
