import type { CheckRow } from '../intake/imports/checks/check-row.ts'
import type { TrunkRow } from '../intake/imports/history/trunk-row.ts'
import type { QueryId, Run } from '../intake/measurement/run.ts'
import type { OneSidedHistory } from '../judge/history/one-sided-history.ts'
import type { Flag } from '../judge/history/trunk-series.ts'
import type { LedgerEntry } from '../judge/ledger/entry.ts'
import type { EntryTimeline } from '../judge/ledger/entry-timeline.ts'
import type { ClassifiedQuery } from '../judge/verdict/classified-query.ts'
import type { StoredAttempt } from '../judge/verdict/evidence/shard-shift.ts'
import type { MeasuredCommits } from '../report/compare-commits.ts'
import type { MeasuredOften } from '../report/quality/quality.ts'
import type { QueueReport } from '../report/queue/queue.ts'
import type { RecordReport } from '../report/record/record.ts'
import type { TriageReport } from '../report/report.ts'
import type { RepositoryAddress } from '../report/urls.ts'
import type { Usual } from '../report/usual.ts'
import type { DatabaseDisk, TableSize } from '../telemetry/metrics.ts'
import type { CiResults } from './checks/ci-results.ts'
import type { StoredDecision } from './decisions/decisions.ts'
import type { HistoryCopies } from './history/history-copies.ts'
import type { MeasuredOftenOf } from './history/measured-queries.ts'
import type { TimeRange, TrunkHistory } from './history/trunk-history.ts'
import type { EntriesWanted, FoundEntries } from './ledger/found-entries.ts'
import type { ProfileCopies } from './profiles/profile-copies.ts'
import type { Profiles } from './profiles/profiles.ts'
import type { FlaggedWanted } from './reports/flagged-elsewhere.ts'
import type { FlagsWanted, QueryFlag } from './reports/flags-of-query.ts'
import type { AfterReport, RecentReport } from './reports/recent-reports.ts'
import type { FoundQuery, QueriesWanted } from './runs/found-queries.ts'
import type { OneSidedWanted } from './runs/one-sided-history.ts'
import type { IndexWanted, MeasuredQuery, QueryWanted } from './runs/query-by-hash.ts'
import type { RunKey } from './runs/run-rows.ts'
import type { StoredMetrics } from './runs/stored-metrics.ts'

/** The run that a result of a report is of; null: not known. */
export type RunOf = (
  result: QueryId & { readonly architecture: string | null },
) => Pick<Run, 'check' | 'finishedAt'> | null

export interface RepositoryName {
  readonly id: number
  readonly isPrivate: boolean
}

/** A repository that has reports, by the newest of them. */
export interface ReportedRepository extends RepositoryAddress, RepositoryName {
  /** When its newest report was stored, in milliseconds. */
  readonly storedAt: number
}

/** Days that samples are kept where the repository says nothing else (`retention.sampleDays`). */
export const DEFAULT_SAMPLE_DAYS = 90

/**
 * The bot's own tables, the one store for analytics. Every write may be repeated: after a crash in the middle or a
 * second delivery the same rows stand once. Throws `StoreUnavailable` when the database can't be reached in time.
 */
export interface Store {
  /** Resolves when the database answers; throws `StoreUnavailable` with what to do otherwise. */
  ping(): Promise<void>
  /** What each table takes on the disk of the database, the largest first. */
  tableSizes(): Promise<TableSize[]>
  /** The disks that the database has on the server that is asked. */
  disks(): Promise<DatabaseDisk[]>
  /** True when the run with this exact key (its attempt included) is stored completely. */
  hasRun(key: RunKey): Promise<boolean>
  /** `hasRun` for the runs of a head (a full commit id), as it is now. */
  runsStored(repositoryId: number, head: string): Promise<(key: RunKey) => boolean>
  /**
   * Stores run, results, samples and profiles; the run counts as stored only when all of it is. `sampleDays` is the repository's
   * `retention.sampleDays`, `DEFAULT_SAMPLE_DAYS` where it is not given: after that the run counts as not stored.
   * `primaryMetric` is the one that the repository judges by, `PRIMARY_METRIC` where it is not given: `keptSamples` says
   * of which metrics the samples stay.
   */
  saveRun(run: Run, results: readonly ClassifiedQuery[], sampleDays?: number, primaryMetric?: string): Promise<void>
  /**
   * Stores the other metrics of a run that was saved with `othersUnread`; `run` is the whole, or has no measurements where its source is
   * gone.
   */
  saveOthers(run: Run, results: readonly ClassifiedQuery[], primaryMetric?: string): Promise<void>
  /**
   * The measurement set of a head: of each check, architecture and shard the newest stored attempt, without profiles and with
   * the measurements whose samples are kept; where `metric` is given, those that are judged by it: its own, one without samples
   * of each query that it was not measured of, and those of the work that a query does.
   */
  runsOf(repositoryId: number, head: string, metric?: string): Promise<Run[]>
  /** The same with the attempts that a newer one has replaced. */
  everyRunOf(repositoryId: number, head: string, metric: string): Promise<Run[]>
  /**
   * The newest attempts of each check, architecture and shard of a head, newest first, with what was compared by `metric`.
   * Attempts that a newer one has replaced are among them.
   */
  attemptsOf(repositoryId: number, head: string, metric: string): Promise<readonly StoredAttempt[]>
  /**
   * What the trunk, and all jobs of a head, measured of the checks of these runs, by `runKey`: of runs that have one side
   * (`isMeasuredAlone`).
   */
  oneSidedHistories(runs: readonly Run[], wanted: OneSidedWanted): Promise<ReadonlyMap<string, OneSidedHistory>>
  /** How much the trunk measured by a metric before a time, by its last complete runs; null: nothing yet. */
  usualOfTrunk(wanted: Omit<OneSidedWanted, 'head'>): Promise<Usual | null>
  /** All metrics of one query of a head on one architecture, from each check that measured it there. */
  metricsOf(
    repositoryId: number,
    head: string,
    query: QueryId,
    architecture: string | null,
  ): Promise<readonly StoredMetrics[]>
  /**
   * Stores a report with its flags: the results that it calls changed. `runOf` says which run each is of; absent:
   * nobody knows.
   */
  saveReport(report: TriageReport, runOf?: RunOf): Promise<void>
  /** Stores decisions of people beside what they are of; the same ones again are there once. */
  saveDecisions(decisions: readonly StoredDecision[]): Promise<void>
  /** When the newest stored one was made, in milliseconds; 0: there is none. */
  newestDecision(): Promise<number>
  /** The newest report of a pull request, or of one of its heads (a full commit id); null when there is none. */
  reportOf(repositoryId: number, pullRequestNumber: number, head?: string): Promise<TriageReport | null>
  /** The newest report of the pull request that is of another head than this one. */
  reportBefore(repositoryId: number, pullRequestNumber: number, head: string): Promise<TriageReport | null>
  /** The newest report of each head, in numbers, the latest first: those that come after a place in that order. */
  recentReports(repositoryId: number, after: AfterReport, limit: number): Promise<RecentReport[]>
  /**
   * What the newest report of each pull request says of its failing tests, of those judged since a time in
   * milliseconds, the latest first.
   */
  queueReports(repositoryId: number, since: number, limit: number): Promise<QueueReport[]>
  /** The claims of the newest report of each head, of those judged since a time in milliseconds; the latest first. */
  recordReports(repositoryId: number, since: number, limit: number): Promise<RecordReport[]>
  /** What the runs of the trunk and of pull requests say of each query together, those of most runs first. */
  measuredOften(of: MeasuredOftenOf): Promise<MeasuredOften[]>
  /**
   * The repositories that have reports, by the name in the newest, those judged latest first; of one name the one that
   * `repositoryByName` finds.
   */
  reportedRepositories(limit: number): Promise<ReportedRepository[]>
  /**
   * Stores CI results. The same rows again are there once. Retries of a test within one job are told apart when the job
   * comes in one call: hand over a stream rather than a call for each part of it.
   */
  saveChecks(repositoryId: number, rows: AsyncIterable<CheckRow> | Iterable<CheckRow>): Promise<void>
  /** The CI results that were stored. Its methods throw `CiResultsUnavailable`. */
  readonly ciResults: CiResults
  /** The trunk's history: what the bot has collected itself, was imported, or copied. Its methods throw `HistoryUnavailable`. */
  readonly trunkHistory: TrunkHistory
  /** The rows that are copied into the history out of a CI database. */
  readonly historyCopies: HistoryCopies
  /** The stacks of profilers: those that were stored with the runs, then copied ones, then those of the CI database. */
  readonly profiles: Profiles
  /** Whether `profiles` may have any of a head (a full commit id); false: there is none of its queries. */
  mayHaveProfiles(repositoryId: number, head: string): Promise<boolean>
  /** The stacks that are copied out of a CI database. */
  readonly profileCopies: ProfileCopies
  /** Stores measurements of the trunk and gives their number. The same rows again are there once. */
  saveTrunkRows(repositoryId: number, rows: AsyncIterable<TrunkRow> | Iterable<TrunkRow>): Promise<number>
  /**
   * The flags of each wanted query in the other pull requests in a range of time, each pull request once, the
   * newest first. Throws `HistoryUnavailable` as well.
   */
  flaggedElsewhere(
    repositoryId: number,
    pullRequestNumber: number,
    range: TimeRange,
    wanted: readonly FlaggedWanted[],
  ): Promise<(readonly Flag[])[]>
  /**
   * The queries that an address may mean, with the metrics and architectures that they have on the trunk, else in the newest
   * runs of pull requests.
   */
  queriesByHash(wanted: QueryWanted): Promise<readonly MeasuredQuery[]>
  /** The tests with a query without a text at an index, sorted, whose names begin like this. */
  testsAtIndex(wanted: IndexWanted): Promise<readonly string[]>
  /** The commits of the runs that measured one of two commits, each named by the beginning of its id; newest first. */
  runsOfCommits(repositoryId: number, old: string, fresh: string): Promise<readonly MeasuredCommits[]>
  /** The commit that the newest run of the trunk measured; null: none is stored. */
  newestOfTrunk(repositoryId: number): Promise<string | null>
  /** The path of the workflow that gave the newest results of a check on the trunk, by the check; empty: no workflow of GitHub Actions. */
  workflowsOfTrunk(repositoryId: number): Promise<ReadonlyMap<string, string>>
  /** The queries of a repository whose test, position or text holds a text. */
  findQueries(wanted: QueriesWanted): Promise<readonly FoundQuery[]>
  /** The pull requests that flagged a query, newest first; each architecture of a pull request once. */
  flagsOfQuery(wanted: FlagsWanted): Promise<readonly QueryFlag[]>
  /** The entries of the ledger, those that are not closed first. */
  entriesOf(repositoryId: number): Promise<LedgerEntry[]>
  /** The entries of them that are wanted, by the page. */
  findEntries(repositoryId: number, wanted: EntriesWanted): Promise<FoundEntries>
  /** null when the repository has none of that id. */
  entryOf(repositoryId: number, entryId: string): Promise<LedgerEntry | null>
  /**
   * The hits of an entry in the last 90 days, as far as they are stored here: of a failure rows of `checks`, of a mover
   * the runs in which it was flagged. `repository` is its `owner/name`.
   */
  timelineOf(repositoryId: number, repository: string, entry: LedgerEntry): Promise<EntryTimeline>
  /** Each replaces what was stored of it before. */
  saveEntries(repositoryId: number, entries: readonly LedgerEntry[]): Promise<void>
  /** A repository by its present name, compared without case as GitHub does; null when no report names it. */
  repositoryByName(owner: string, name: string): Promise<RepositoryName | null>
  /** The name in the newest report of a repository; null when there is none. */
  repositoryById(repositoryId: number): Promise<RepositoryAddress | null>
  close(): Promise<void>
}
