import pLimit from 'p-limit'
import { type ByMetric, PRIMARY_METRIC, type QueryId, type Run } from '../../intake/measurement/run.ts'
import type { OneSidedHistory } from '../../judge/history/one-sided-history.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import type { StoredAttempt } from '../../judge/verdict/evidence/shard-shift.ts'
import type { MeasuredCommits } from '../../report/compare-commits.ts'
import type { Usual } from '../../report/usual.ts'
import type { Connection } from '../connection.ts'
import { type OneSidedWanted, readOneSidedHistories } from './one-sided-history.ts'
import {
  type MeasuredCommit,
  selectMeasuredCommits,
  selectNewestOfTrunk,
  selectRunsOfCommits,
  selectRunsStored,
  selectWorkflowsOfTrunk,
  wholeRuns,
} from './run-queries.ts'
import { type Judge, type RunKey, runIdOf } from './run-rows.ts'
import { type SamplesOfTests, type SidesOfRow, selectSamplesOfTests } from './samples-of-tests.ts'
import { type StoredMetrics, selectMetrics } from './stored-metrics.ts'
import { knownMeasurements, readAttempts, readRuns, rememberRun, writeOthers, writeRun } from './stored-runs.ts'
import { readUsualOfTrunk } from './usual-of-trunk.ts'

/** Days that samples are kept where the repository says nothing else (`retention.sampleDays`). */
export const DEFAULT_SAMPLE_DAYS = 90

/** The runs that were measured, of heads and of the trunk. Heads and commits are full commit ids. */
export type Runs = ReturnType<typeof openRuns>

export function openRuns({ ready, now, warn }: Connection) {
  const known = knownMeasurements()
  const whole = wholeRuns()
  // A reading takes 200,000 samples at most.
  const metricsTurns = pLimit(4)
  /** The last write of each run that is being written: the same run is not written twice at a time. */
  const writing = new Map<string, Promise<void>>()

  async function inTurn(run: Run, work: () => Promise<void>): Promise<void> {
    const runId = runIdOf(run)
    const before = writing.get(runId) ?? Promise.resolve()
    const write = before.catch(() => {}).then(work)
    writing.set(runId, write)
    try {
      await write
    } finally {
      if (writing.get(runId) === write) writing.delete(runId)
    }
  }

  const reading = (repositoryId: number, head: string, metric?: string) => ({
    repositoryId,
    head,
    metric,
    now: now(),
    warn,
    known,
    whole,
  })

  return {
    /** True when the run with this exact key (its attempt included) is stored completely. */
    async has(key: RunKey): Promise<boolean> {
      const { repositoryId, head } = key
      return (await selectRunsStored(await ready(), { repositoryId, head, now: now() }, whole, [runIdOf(key)])).size > 0
    },

    /** `has` for the runs of a head, as it is now. */
    async stored(repositoryId: number, head: string): Promise<(key: RunKey) => boolean> {
      const stored = await selectRunsStored(await ready(), { repositoryId, head, now: now() }, whole)
      return (key) => stored.has(runIdOf(key))
    },

    /**
     * Stores run, results, samples and profiles; the run counts as stored only when all of it is. After `sampleDays`, the
     * repository's `retention.sampleDays`, it counts as not stored. `primaryMetric` is the one that the repository judges by:
     * `keptSamples` says of which metrics the samples stay.
     */
    async save(
      run: Run,
      results: readonly ClassifiedQuery[],
      sampleDays = DEFAULT_SAMPLE_DAYS,
      primaryMetric = PRIMARY_METRIC,
    ): Promise<void> {
      const options = { sampleDays, primaryMetric, now: now() }
      await inTurn(run, async () => {
        const isNew = await writeRun(await ready(), run, results, options)
        if (isNew) rememberRun(known, run, primaryMetric)
      })
    },

    /**
     * Stores the other metrics of a run that was saved with `othersUnread`. `byMetric` has all of its measurements, or none where
     * its source is gone; `judge` gets them metric by metric, each perhaps more than once.
     */
    async saveOthers(run: Run, byMetric: ByMetric, judge: Judge, primaryMetric = PRIMARY_METRIC): Promise<void> {
      const options = { primaryMetric, now: now() }
      await inTurn(run, async () => await writeOthers(await ready(), run, byMetric, judge, options))
    },

    /** Resolves when no run is being written. */
    async written(): Promise<void> {
      await Promise.allSettled(writing.values())
    },

    /**
     * The measurement set of a head: of each check, architecture and shard the newest stored attempt, without profiles and with
     * the measurements whose samples are kept; where `metric` is given, those that are judged by it: its own, one without samples
     * of each query that it was not measured of, and those of the work that a query does.
     */
    async of(repositoryId: number, head: string, metric?: string): Promise<Run[]> {
      return await readRuns(await ready(), reading(repositoryId, head, metric))
    },

    /** The same with the attempts that a newer one has replaced. */
    async everyOf(repositoryId: number, head: string, metric: string): Promise<Run[]> {
      return await readRuns(await ready(), reading(repositoryId, head, metric), 'all')
    },

    /**
     * The newest attempts of each check, architecture and shard of a head, newest first, with what was compared by `metric`.
     * Attempts that a newer one has replaced are among them.
     */
    async attemptsOf(repositoryId: number, head: string, metric: string): Promise<readonly StoredAttempt[]> {
      return await readAttempts(await ready(), { repositoryId, head, metric, now: now() })
    },

    /**
     * What the trunk, and all jobs of a head, measured of the checks of these runs, by `runKey`: of runs that have one side
     * (`isMeasuredAlone`).
     */
    async oneSidedHistories(
      runs: readonly Run[],
      wanted: OneSidedWanted,
    ): Promise<ReadonlyMap<string, OneSidedHistory>> {
      return await readOneSidedHistories(await ready(), runs, wanted)
    },

    /** How much the trunk measured by a metric before a time, by its last complete runs; null: nothing yet. */
    async usualOfTrunk(wanted: Omit<OneSidedWanted, 'head'>): Promise<Usual | null> {
      return await readUsualOfTrunk(await ready(), wanted)
    },

    /** All metrics of one query of a head on some architectures, from each check that measured it there. */
    async metricsOf(
      repositoryId: number,
      head: string,
      query: QueryId,
      architectures: readonly (string | null)[],
    ): Promise<readonly StoredMetrics[]> {
      const clickhouse = await ready()
      const wanted = { repositoryId, head, query, architectures, now: now() }
      return await metricsTurns(() => selectMetrics(clickhouse, wanted))
    },

    /** The commits of the runs that measured one of two commits, each named by the beginning of its id; newest first. */
    async ofCommits(repositoryId: number, old: string, fresh: string): Promise<readonly MeasuredCommits[]> {
      return await selectRunsOfCommits(await ready(), { repositoryId, old, new: fresh, now: now() })
    },

    /** The samples of all queries of some tests in the newest attempts of a head, by `resultKey`. */
    async samplesOfTests(wanted: SamplesOfTests): Promise<ReadonlyMap<string, readonly SidesOfRow[]>> {
      return await selectSamplesOfTests(await ready(), { ...wanted, now: now() })
    },

    /** The commits whose samples are kept, those that were measured last first. */
    async measuredCommits(repositoryId: number, limit: number): Promise<readonly MeasuredCommit[]> {
      return await selectMeasuredCommits(await ready(), { repositoryId, now: now(), limit })
    },

    /** The commit that the newest run of the trunk measured; null: none is stored. */
    async newestOfTrunk(repositoryId: number): Promise<string | null> {
      return await selectNewestOfTrunk(await ready(), { repositoryId, now: now() })
    },

    /** The path of the workflow that gave the newest results of a check on the trunk, by the check; empty: no workflow of GitHub Actions. */
    async workflowsOfTrunk(repositoryId: number): Promise<ReadonlyMap<string, string>> {
      return await selectWorkflowsOfTrunk(await ready(), repositoryId)
    },
  }
}
