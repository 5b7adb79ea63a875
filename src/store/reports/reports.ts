import pLimit from 'p-limit'
import type { Flag, TimeRange } from '../../judge/history/trunk-series.ts'
import type { QueueReport } from '../../report/queue/queue.ts'
import type { RecordReport } from '../../report/record/record.ts'
import type { TriageReport } from '../../report/report.ts'
import type { RepositoryAddress } from '../../report/urls.ts'
import type { Connection } from '../connection.ts'
import { insertInto } from '../table.ts'
import { FLAGS, flagRows, type RunOf } from './flag-rows.ts'
import { type FlaggedWanted, flaggedElsewhere } from './flagged-elsewhere.ts'
import { type FlagsWanted, type QueryFlag, selectFlagsOfQuery } from './flags-of-query.ts'
import {
  type ReportedRepository,
  selectQueueReports,
  selectRecordReports,
  selectReportedRepositories,
} from './queue-reports.ts'
import { type AfterReport, type RecentReport, selectRecentReports } from './recent-reports.ts'
import { rememberedReports } from './remembered-reports.ts'
import {
  type RepositoryName,
  selectNewestReport,
  selectReportBefore,
  selectReportOfHead,
  selectReportOfPullRequest,
  selectRepositoryById,
  selectRepositoryByName,
} from './report-queries.ts'
import { REPORTS, readReport, writeReport } from './stored-report.ts'

/** The reports of pull requests, their flags (the results that they call changed), and the repositories that have any. */
export type Reports = ReturnType<typeof openReports>

export function openReports({ ready, now, warn }: Connection) {
  const known = rememberedReports()
  // While the largest one that is stored is read, it takes five times its 64 MiB.
  const turns = pLimit(1)

  const read = (json: string | null, of: Record<string, unknown>): TriageReport | null => {
    if (json === null) return null
    const { report, ...refused } = readReport(json)
    if (report === null) warn({ ...of, ...refused }, 'A stored report can’t be read')
    return report
  }

  return {
    /** `runOf` says which run each result is of; absent: nobody knows. */
    async save(report: TriageReport, runOf: RunOf = () => null): Promise<void> {
      const row = { report, json: writeReport(report), storedAt: now() }
      const clickhouse = await ready()
      // Before the report: until it is there, they are of no report and count for nothing.
      const flags = flagRows(report, runOf)
      if (flags.length > 0) await insertInto(clickhouse, FLAGS, flags)
      await insertInto(clickhouse, REPORTS, [row])
      known.forget({ repositoryId: report.repository.id, pullRequestNumber: report.pullRequest.number })
    },

    /** The newest report of a pull request, or of one of its heads (a full commit id); null when there is none. */
    async of(repositoryId: number, pullRequestNumber: number, head?: string): Promise<TriageReport | null> {
      const clickhouse = await ready()
      const of = { repositoryId, pullRequestNumber }
      const remembered = async () => {
        if (!known.hasAny(of)) return null
        const newest = await selectNewestReport(clickhouse, { ...of, head: head ?? null })
        return newest === null ? null : known.find(of, newest)
      }
      const found = await remembered()
      if (found !== null) return found
      return await turns(async () => {
        // Whoever waited may have waited for just this one.
        const readMeanwhile = await remembered()
        if (readMeanwhile !== null) return readMeanwhile
        const stored =
          head === undefined
            ? await selectReportOfPullRequest(clickhouse, of)
            : await selectReportOfHead(clickhouse, { ...of, head })
        if (stored === null) return null
        const report = read(stored.report, of)
        if (report !== null) known.keep(of, stored, report, stored.report.length)
        return report
      })
    },

    /** The newest report of the pull request that is of another head than this one. */
    async before(repositoryId: number, pullRequestNumber: number, head: string): Promise<TriageReport | null> {
      const of = { repositoryId, pullRequestNumber }
      return read(await selectReportBefore(await ready(), { ...of, head }), of)
    },

    /** The newest report of each head, in numbers, the latest first: those that come after a place in that order. */
    async recent(repositoryId: number, after: AfterReport, limit: number): Promise<RecentReport[]> {
      return await selectRecentReports(await ready(), { repositoryId, after, limit })
    },

    /**
     * What the newest report of each pull request says of its failing tests, of those judged since a time in
     * milliseconds, the latest first.
     */
    async ofQueue(repositoryId: number, since: number, limit: number): Promise<QueueReport[]> {
      return await selectQueueReports(await ready(), { repositoryId, since, limit })
    },

    /** The claims of the newest report of each head, of those judged since a time in milliseconds; the latest first. */
    async ofRecord(repositoryId: number, since: number, limit: number): Promise<RecordReport[]> {
      return await selectRecordReports(await ready(), { repositoryId, since, limit })
    },

    /**
     * The flags of each wanted query in the other pull requests in a range of time, each pull request once, the
     * newest first. Throws `HistoryUnavailable` as well.
     */
    async flaggedElsewhere(
      repositoryId: number,
      pullRequestNumber: number,
      range: TimeRange,
      wanted: readonly FlaggedWanted[],
    ): Promise<(readonly Flag[])[]> {
      return await flaggedElsewhere(await ready(), repositoryId, pullRequestNumber, range, wanted)
    },

    /** The pull requests that flagged a query, newest first; each architecture of a pull request once. */
    async flagsOfQuery(wanted: FlagsWanted): Promise<readonly QueryFlag[]> {
      return await selectFlagsOfQuery(await ready(), wanted)
    },

    /**
     * The repositories that have reports, by the name in the newest, those judged latest first; of one name the one that
     * `repositoryByName` finds.
     */
    async repositories(limit: number): Promise<ReportedRepository[]> {
      return await selectReportedRepositories(await ready(), limit)
    },

    /** A repository by its present name, compared without case as GitHub does; null when no report names it. */
    async repositoryByName(owner: string, name: string): Promise<RepositoryName | null> {
      return await selectRepositoryByName(await ready(), { owner, name })
    },

    /** The name in the newest report of a repository; null when there is none. */
    async repositoryById(repositoryId: number): Promise<RepositoryAddress | null> {
      return await selectRepositoryById(await ready(), repositoryId)
    },
  }
}
