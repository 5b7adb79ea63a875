import type { Run } from '../measurement/run.ts'
import type { TriageReport } from '../triage/report.ts'
import type { ClassifiedQuery } from '../verdict/classified-query.ts'

/** What tells the runs of one head apart. Same key with a higher attempt replaces, and is never pooled with, the older. */
export interface RunKey {
  readonly repositoryId: number
  readonly head: string
  readonly check: string
  readonly architecture: string | null
  readonly shard: number | null
  readonly attempt: number
}

export interface RepositoryName {
  readonly id: number
  readonly isPrivate: boolean
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
  /** True when the run with this exact key (its attempt included) is stored completely. */
  hasRun(key: RunKey): Promise<boolean>
  /**
   * Stores run, results and samples; the run counts as stored only when all of it is. `sampleDays` is the repository's
   * `retention.sampleDays`, `DEFAULT_SAMPLE_DAYS` where it is not given: after that the run counts as not stored.
   */
  saveRun(run: Run, results: readonly ClassifiedQuery[], sampleDays?: number): Promise<void>
  /** The measurement set of a head: of each check, architecture and shard the newest stored attempt. */
  runsOf(repositoryId: number, head: string): Promise<Run[]>
  saveReport(report: TriageReport): Promise<void>
  /** The newest report of a pull request, or of one of its heads (a full commit id); null when there is none. */
  reportOf(repositoryId: number, pullRequestNumber: number, head?: string): Promise<TriageReport | null>
  /** The newest report of the pull request that is of another head than this one. */
  reportBefore(repositoryId: number, pullRequestNumber: number, head: string): Promise<TriageReport | null>
  /** By the present name, compared without case as GitHub does; null when no report names it. */
  repositoryByName(owner: string, name: string): Promise<RepositoryName | null>
  close(): Promise<void>
}

/** The database can't be asked now. The message says where it was looked for and what to do. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}
