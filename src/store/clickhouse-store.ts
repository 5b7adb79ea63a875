import pLimit from 'p-limit'
import type { CheckRow } from '../intake/imports/checks/check-row.ts'
import type { TrunkRow } from '../intake/imports/history/trunk-row.ts'
import { PRIMARY_METRIC, type QueryId, type Run } from '../intake/measurement/run.ts'
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
import { saveChecks } from './checks/checks.ts'
import type { CiResults } from './checks/ci-results.ts'
import { ownCiResults } from './checks/own-ci-results.ts'
import { rememberMassFailures } from './checks/remembered-mass-failures.ts'
import { type ClickHouse, type ClickHouseSettings, openClickHouse } from './client.ts'
import { insertDecisions, type StoredDecision, selectNewestDecision } from './decisions/decisions.ts'
import { type HistoryCopies, historyCopies } from './history/history-copies.ts'
import { type MeasuredOftenOf, selectMeasuredOften } from './history/measured-queries.ts'
import { storedTrunkHistory } from './history/stored-trunk-history.ts'
import type { TimeRange, TrunkHistory } from './history/trunk-history.ts'
import { saveTrunkRows } from './history/trunk-history-rows.ts'
import { timelineOfEntry } from './ledger/entry-timeline.ts'
import { type EntriesWanted, type FoundEntries, selectFoundEntries } from './ledger/found-entries.ts'
import { insertEntries, selectEntries, selectEntry } from './ledger/ledger-entries.ts'
import { brokenParts, migrate } from './migrate.ts'
import { type ProfileCopies, profileCopies } from './profiles/profile-copies.ts'
import { hasStacks, storedProfiles } from './profiles/profile-lookup.ts'
import { chainedProfiles, type Profiles, type ProfilesBesideOf } from './profiles/profiles.ts'
import { FLAGS, flagRows } from './reports/flag-rows.ts'
import { type FlaggedWanted, flaggedElsewhere } from './reports/flagged-elsewhere.ts'
import { type FlagsWanted, type QueryFlag, selectFlagsOfQuery } from './reports/flags-of-query.ts'
import { selectQueueReports, selectRecordReports, selectReportedRepositories } from './reports/queue-reports.ts'
import { type AfterReport, type RecentReport, selectRecentReports } from './reports/recent-reports.ts'
import { rememberedReports } from './reports/remembered-reports.ts'
import {
  selectNewestReport,
  selectReportBefore,
  selectReportOfHead,
  selectReportOfPullRequest,
  selectRepositoryById,
  selectRepositoryByName,
} from './reports/report-queries.ts'
import { REPORTS, readReport, writeReport } from './reports/stored-report.ts'
import { type FoundQuery, type QueriesWanted, selectFoundQueries } from './runs/found-queries.ts'
import { type OneSidedWanted, readOneSidedHistories } from './runs/one-sided-history.ts'
import {
  type IndexWanted,
  type MeasuredQuery,
  type QueryWanted,
  selectQueriesByHash,
  selectTestsAtIndex,
} from './runs/query-by-hash.ts'
import {
  selectNewestOfTrunk,
  selectRunsOfCommits,
  selectRunsStored,
  selectWorkflowsOfTrunk,
  wholeRuns,
} from './runs/run-queries.ts'
import { type RunKey, runIdOf } from './runs/run-rows.ts'
import { type StoredMetrics, selectMetrics } from './runs/stored-metrics.ts'
import { knownMeasurements, readAttempts, readRuns, rememberRun, writeOthers, writeRun } from './runs/stored-runs.ts'
import { readUsualOfTrunk } from './runs/usual-of-trunk.ts'
import { DEFAULT_SAMPLE_DAYS, type ReportedRepository, type RepositoryName, type RunOf, type Store } from './store.ts'
import { insertInto } from './table.ts'
import { databaseDisks, tableSizes } from './table-sizes.ts'

export interface StoreOptions {
  /** Told of what could not be read. pino's `warn` fits. */
  readonly warn?: (details: Record<string, unknown>, message: string) => void
  readonly now?: () => Date
  /** Where else a repository may have profiles, for queries of which none are stored; null: nowhere. */
  readonly profilesBeside?: ProfilesBesideOf
}

/**
 * Opens the bot's own database. The embedded engine is started here; a server is not asked before the first call, so
 * that the bot starts while its database is down. Migrations are applied before the first call.
 * @throws StoreUnavailable when there is no embedded engine to be had.
 */
export async function openStore(settings: ClickHouseSettings, options: StoreOptions = {}): Promise<Store> {
  return new ClickHouseStore(await openClickHouse(settings), options)
}

export class ClickHouseStore implements Store {
  readonly #clickhouse: ClickHouse
  readonly #warn: NonNullable<StoreOptions['warn']>
  readonly #known = knownMeasurements()
  readonly #whole = wholeRuns()
  readonly #now: () => Date
  #migrated: Promise<unknown> | null = null
  readonly #reports = rememberedReports()
  /** While the largest one that is stored is read, it takes five times its 64 MiB. */
  readonly #reportTurns = pLimit(1)
  /** A reading takes 200,000 samples at most. */
  readonly #metricsTurns = pLimit(4)
  /** The last write of each run that is being written: the same run is not written twice at a time. */
  readonly #writing = new Map<string, Promise<void>>()
  readonly ciResults: CiResults
  readonly trunkHistory: TrunkHistory
  readonly historyCopies: HistoryCopies
  readonly profiles: Profiles
  readonly profileCopies: ProfileCopies
  readonly #profilesBeside: ProfilesBesideOf

  /** Closes `clickhouse` when it is closed. */
  constructor(clickhouse: ClickHouse, options: StoreOptions = {}) {
    this.#clickhouse = clickhouse
    this.#warn = options.warn ?? (() => {})
    this.#now = options.now ?? (() => new Date())
    const ready = async () => void (await this.#ready())
    this.ciResults = rememberMassFailures(ownCiResults(clickhouse, { ready }))
    this.trunkHistory = storedTrunkHistory(clickhouse, ready)
    this.historyCopies = historyCopies(clickhouse, ready)
    const { profilesBeside: besideOf = async () => null } = options
    this.#profilesBeside = besideOf
    const own = storedProfiles(clickhouse, { ready, now: this.#now, besideOf })
    this.profiles = chainedProfiles(own, besideOf, this.#warn, this.#now)
    this.profileCopies = profileCopies(clickhouse, { ready, now: this.#now, own, besideOf })
  }

  async ping(): Promise<void> {
    const clickhouse = await this.#ready()
    await clickhouse.ping()
  }

  async tableSizes(): Promise<TableSize[]> {
    return await tableSizes(await this.#ready())
  }

  async disks(): Promise<DatabaseDisk[]> {
    return await databaseDisks(await this.#ready())
  }

  async hasRun(key: RunKey): Promise<boolean> {
    const { repositoryId, head } = key
    const of = { repositoryId, head, now: this.#now() }
    return (await selectRunsStored(await this.#ready(), of, this.#whole, [runIdOf(key)])).size > 0
  }

  async runsStored(repositoryId: number, head: string): Promise<(key: RunKey) => boolean> {
    const of = { repositoryId, head, now: this.#now() }
    const stored = await selectRunsStored(await this.#ready(), of, this.#whole)
    return (key) => stored.has(runIdOf(key))
  }

  async saveRun(
    run: Run,
    results: readonly ClassifiedQuery[],
    sampleDays = DEFAULT_SAMPLE_DAYS,
    primaryMetric = PRIMARY_METRIC,
  ): Promise<void> {
    const writing = { sampleDays, primaryMetric, now: this.#now() }
    await this.#inTurn(run, async () => {
      const isNew = await writeRun(await this.#ready(), run, results, writing)
      if (isNew) rememberRun(this.#known, run, primaryMetric)
    })
  }

  async saveOthers(run: Run, results: readonly ClassifiedQuery[], primaryMetric = PRIMARY_METRIC): Promise<void> {
    const writing = { primaryMetric, now: this.#now() }
    await this.#inTurn(run, async () => await writeOthers(await this.#ready(), run, results, writing))
  }

  /** Writes of one run come one after the other. */
  async #inTurn(run: Run, work: () => Promise<void>): Promise<void> {
    const runId = runIdOf(run)
    const before = this.#writing.get(runId) ?? Promise.resolve()
    const write = before.catch(() => {}).then(work)
    this.#writing.set(runId, write)
    try {
      await write
    } finally {
      if (this.#writing.get(runId) === write) this.#writing.delete(runId)
    }
  }

  async runsOf(repositoryId: number, head: string, metric?: string): Promise<Run[]> {
    const remembered = { known: this.#known, whole: this.#whole }
    const wanted = { repositoryId, head, metric, now: this.#now(), warn: this.#warn, ...remembered }
    return await readRuns(await this.#ready(), wanted)
  }

  async everyRunOf(repositoryId: number, head: string, metric: string): Promise<Run[]> {
    const remembered = { known: this.#known, whole: this.#whole }
    const wanted = { repositoryId, head, metric, now: this.#now(), warn: this.#warn, ...remembered }
    return await readRuns(await this.#ready(), wanted, 'all')
  }

  async attemptsOf(repositoryId: number, head: string, metric: string): Promise<readonly StoredAttempt[]> {
    return await readAttempts(await this.#ready(), { repositoryId, head, metric, now: this.#now() })
  }

  async oneSidedHistories(runs: readonly Run[], wanted: OneSidedWanted): Promise<ReadonlyMap<string, OneSidedHistory>> {
    return await readOneSidedHistories(await this.#ready(), runs, wanted)
  }

  async usualOfTrunk(wanted: Omit<OneSidedWanted, 'head'>): Promise<Usual | null> {
    return await readUsualOfTrunk(await this.#ready(), wanted)
  }

  async mayHaveProfiles(repositoryId: number, head: string): Promise<boolean> {
    return (
      (await this.#profilesBeside({ repositoryId })) !== null ||
      (await hasStacks(await this.#ready(), { repositoryId, head }))
    )
  }

  async metricsOf(
    repositoryId: number,
    head: string,
    query: QueryId,
    architecture: string | null,
  ): Promise<readonly StoredMetrics[]> {
    const clickhouse = await this.#ready()
    const wanted = { repositoryId, head, query, architecture, now: this.#now() }
    return await this.#metricsTurns(() => selectMetrics(clickhouse, wanted))
  }

  async saveReport(report: TriageReport, runOf: RunOf = () => null): Promise<void> {
    const row = { report, json: writeReport(report), storedAt: this.#now() }
    const clickhouse = await this.#ready()
    // Before the report: until it is there, they are of no report and count for nothing.
    const flags = flagRows(report, runOf)
    if (flags.length > 0) await insertInto(clickhouse, FLAGS, flags)
    await insertInto(clickhouse, REPORTS, [row])
    this.#reports.forget({ repositoryId: report.repository.id, pullRequestNumber: report.pullRequest.number })
  }

  async saveDecisions(decisions: readonly StoredDecision[]): Promise<void> {
    await insertDecisions(await this.#ready(), decisions)
  }

  async newestDecision(): Promise<number> {
    return await selectNewestDecision(await this.#ready())
  }

  async reportOf(repositoryId: number, pullRequestNumber: number, head?: string): Promise<TriageReport | null> {
    const clickhouse = await this.#ready()
    const of = { repositoryId, pullRequestNumber }
    const remembered = async () => {
      if (!this.#reports.hasAny(of)) return null
      const newest = await selectNewestReport(clickhouse, { ...of, head: head ?? null })
      return newest === null ? null : this.#reports.find(of, newest)
    }
    const known = await remembered()
    if (known !== null) return known
    return await this.#reportTurns(async () => {
      // Whoever waited may have waited for just this one.
      const readMeanwhile = await remembered()
      if (readMeanwhile !== null) return readMeanwhile
      const stored =
        head === undefined
          ? await selectReportOfPullRequest(clickhouse, of)
          : await selectReportOfHead(clickhouse, { ...of, head })
      if (stored === null) return null
      const report = this.#read(stored.report, of)
      if (report !== null) this.#reports.keep(of, stored, report, stored.report.length)
      return report
    })
  }

  async reportBefore(repositoryId: number, pullRequestNumber: number, head: string): Promise<TriageReport | null> {
    const of = { repositoryId, pullRequestNumber }
    return this.#read(await selectReportBefore(await this.#ready(), { ...of, head }), of)
  }

  async recentReports(repositoryId: number, after: AfterReport, limit: number): Promise<RecentReport[]> {
    return await selectRecentReports(await this.#ready(), { repositoryId, after, limit })
  }

  async recordReports(repositoryId: number, since: number, limit: number): Promise<RecordReport[]> {
    return await selectRecordReports(await this.#ready(), { repositoryId, since, limit })
  }

  async measuredOften(of: MeasuredOftenOf): Promise<MeasuredOften[]> {
    return await selectMeasuredOften(await this.#ready(), of)
  }

  async queueReports(repositoryId: number, since: number, limit: number): Promise<QueueReport[]> {
    return await selectQueueReports(await this.#ready(), { repositoryId, since, limit })
  }

  async reportedRepositories(limit: number): Promise<ReportedRepository[]> {
    return await selectReportedRepositories(await this.#ready(), limit)
  }

  #read(json: string | null, of: Record<string, unknown>): TriageReport | null {
    if (json === null) return null
    const read = readReport(json)
    if (read.report === null) this.#warn({ ...of, reason: read.reason }, 'A stored report can not be read')
    return read.report
  }

  async repositoryByName(owner: string, name: string): Promise<RepositoryName | null> {
    return await selectRepositoryByName(await this.#ready(), { owner, name })
  }

  async repositoryById(repositoryId: number): Promise<RepositoryAddress | null> {
    return await selectRepositoryById(await this.#ready(), repositoryId)
  }

  async saveChecks(repositoryId: number, rows: AsyncIterable<CheckRow> | Iterable<CheckRow>): Promise<void> {
    await saveChecks(await this.#ready(), repositoryId, rows)
  }

  async saveTrunkRows(repositoryId: number, rows: AsyncIterable<TrunkRow> | Iterable<TrunkRow>): Promise<number> {
    return await saveTrunkRows(await this.#ready(), repositoryId, rows)
  }

  async flaggedElsewhere(
    repositoryId: number,
    pullRequestNumber: number,
    range: TimeRange,
    wanted: readonly FlaggedWanted[],
  ): Promise<(readonly Flag[])[]> {
    return await flaggedElsewhere(await this.#ready(), repositoryId, pullRequestNumber, range, wanted)
  }

  async queriesByHash(wanted: QueryWanted): Promise<readonly MeasuredQuery[]> {
    return await selectQueriesByHash(await this.#ready(), wanted)
  }

  async testsAtIndex(wanted: IndexWanted): Promise<readonly string[]> {
    return await selectTestsAtIndex(await this.#ready(), wanted)
  }

  async runsOfCommits(repositoryId: number, old: string, fresh: string): Promise<readonly MeasuredCommits[]> {
    return await selectRunsOfCommits(await this.#ready(), { repositoryId, old, new: fresh, now: this.#now() })
  }

  async newestOfTrunk(repositoryId: number): Promise<string | null> {
    return await selectNewestOfTrunk(await this.#ready(), { repositoryId, now: this.#now() })
  }

  async workflowsOfTrunk(repositoryId: number): Promise<ReadonlyMap<string, string>> {
    return await selectWorkflowsOfTrunk(await this.#ready(), repositoryId)
  }

  async findQueries(wanted: QueriesWanted): Promise<readonly FoundQuery[]> {
    return await selectFoundQueries(await this.#ready(), wanted)
  }

  async flagsOfQuery(wanted: FlagsWanted): Promise<readonly QueryFlag[]> {
    return await selectFlagsOfQuery(await this.#ready(), wanted)
  }

  async entriesOf(repositoryId: number): Promise<LedgerEntry[]> {
    return await selectEntries(await this.#ready(), repositoryId)
  }

  async findEntries(repositoryId: number, wanted: EntriesWanted): Promise<FoundEntries> {
    return await selectFoundEntries(await this.#ready(), repositoryId, wanted)
  }

  async entryOf(repositoryId: number, entryId: string): Promise<LedgerEntry | null> {
    return await selectEntry(await this.#ready(), repositoryId, entryId)
  }

  async timelineOf(repositoryId: number, repository: string, entry: LedgerEntry): Promise<EntryTimeline> {
    const of = { repositoryId, repository, entry, until: this.#now().getTime() }
    return await timelineOfEntry(await this.#ready(), this.ciResults, of)
  }

  async saveEntries(repositoryId: number, entries: readonly LedgerEntry[]): Promise<void> {
    await insertEntries(await this.#ready(), repositoryId, entries, this.#now())
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#writing.values())
    await this.#clickhouse.close()
  }

  /** Migrated once; where that failed the next call tries again. */
  async #ready(): Promise<ClickHouse> {
    this.#migrated ??= migrate(this.#clickhouse).then(
      () => this.#warnOfBrokenParts(),
      (error: unknown) => {
        this.#migrated = null
        throw error
      },
    )
    await this.#migrated
    return this.#clickhouse
  }

  /** A server that can't say it, for want of a grant, is used all the same. */
  async #warnOfBrokenParts(): Promise<void> {
    const broken = await brokenParts(this.#clickhouse).catch(() => [])
    if (broken.length > 0) this.#warn({ broken }, 'the database could not read all of its data: rows are missing')
  }
}
