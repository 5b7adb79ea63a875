import type { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import type { GitHubApp } from '../../github/github-app.ts'
import type { OpenIssues } from '../../github/open-issues.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import type { ScratchFolder } from '../../intake/download/scratch-folder.ts'
import type { CiDatabases } from '../../store/checks/ci-databases.ts'
import type { ProfileDatabases } from '../../store/profiles/profile-databases.ts'
import type { Store } from '../../store/store.ts'
import type { HistorySources } from '../../store/sync/history-sources.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { ResultsTakenIn } from './ci-intake.ts'
import type { CommitRanges } from './commit-ranges.ts'
import type { Looks } from './looks.ts'

/** Everything that a triage works with. It is opened once for each process, in `app.ts`. */

export interface TriageContext {
  readonly github: GitHubApp
  readonly inbox: Inbox
  readonly store: Store
  readonly metrics: Metrics
  /** The CI database that exists already; null: there is none. */
  readonly ciDatabase: CiDatabases | null
  /** The tables in it that the trunk's history is copied out of. */
  readonly historySources: HistorySources | null
  /** The profiles in it. */
  readonly profileDatabases: ProfileDatabases | null
  readonly commitRanges: CommitRanges
  readonly openIssues: OpenIssues
  readonly looks: Looks
  /** CI results and runs of the trunk that need not be read again. */
  readonly taken: ResultsTakenIn
  /** When the entries of a repository, by its number, were last looked at; milliseconds. */
  readonly entriesLookedAt: Map<number, number>
  /** The number of the last decision that is in the database; null: nobody has asked since the start. */
  readonly mirrored: { upTo: number | null }
  /** The labels that repositories were seen to have, by number and name. */
  readonly labelsSeen: LRUCache<string, true>
  /** Without a slash at the end; null: no page is linked. */
  readonly publicUrl: string | null
  /** Whether those who may read a private repository can sign in to see its pages. */
  readonly hasSignIn: boolean
  readonly isAllowedHost: (url: URL) => boolean
  /** The files of all downloads in progress. */
  readonly scratch: ScratchFolder
  readonly now: () => number
  readonly log: Logger
  /** Ends what is under way: the process stops. */
  readonly stopping: AbortSignal
}

export interface TriageResult {
  /** When to look again although nothing is heard; null: when something is. */
  readonly waitUntil: number | null
  readonly head: string | null
}
