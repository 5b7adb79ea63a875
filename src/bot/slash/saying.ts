import type { Logger } from 'pino'
import type { CommandName, RepositoryConfig } from '../../config/repository-config.ts'
import type { AppIdentity } from '../../github/github-app.ts'
import type { Octokit } from '../../github/octokit.ts'
import type { Account } from '../../github/people.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { Errand } from '../../inbox/answers.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import type { DeclaredFailure } from '../../judge/ledger/declaration.ts'
import type { OpenFindings } from '../../report/acceptance.ts'
import type { Store } from '../../store/store.ts'
import type { CiWorkflow, MetBefore } from './command.ts'

/** What a person said, and what a command may use to answer. It decides nothing: see `hear.ts` and `obey.ts`. */

export interface Hearing {
  readonly octokit: Octokit
  readonly self: AppIdentity
  readonly config: RepositoryConfig
  readonly inbox: HearingInbox
  readonly store: { readonly reports: Pick<Store['reports'], 'of'> }
  /** Throws where the database does not answer. */
  readonly metBefore: (pullRequest: PullRequest, failures: readonly DeclaredFailure[]) => Promise<MetBefore>
  /** The workflows that ran on the head of a pull request. */
  readonly workflowsOf: (pullRequest: PullRequest) => Promise<readonly CiWorkflow[]>
  readonly siteOf: (repository: PullRequest['repository']) => string | null
  readonly now: () => number
  readonly log: Logger
  /** Why a command can't be done here, in words; null: it can. Absent: every one can. */
  readonly lacks?: (command: CommandName) => string | null
}

/** What is remembered of what people said. */
export interface HearingInbox extends Pick<Inbox, 'together'> {
  readonly commands: Pick<Inbox['commands'], 'list' | 'add' | 'answered' | 'correct'>
  readonly answers: Pick<Inbox['answers'], 'add' | 'spent' | 'isWaiting'>
  readonly reruns: Pick<Inbox['reruns'], 'add' | 'list' | 'begin' | 'settle' | 'counts'>
  readonly decisions: Pick<Inbox['decisions'], 'add' | 'list' | 'declarations'>
  readonly posted: Pick<Inbox['posted'], 'lastSeen' | 'seenAs'>
  readonly triages: Pick<Inbox['triages'], 'wake'>
  readonly refusedSources: Pick<Inbox['refusedSources'], 'forget'>
}

/** Something that a person said on a pull request: in a comment, by a label or by a button. */
export interface Saying
  extends Pick<Errand, 'installationId' | 'repositoryId' | 'owner' | 'repo' | 'number' | 'commentId' | 'via'> {
  readonly author: Account
  /** Who wrote it, or edited it. */
  readonly by: Account
  /** GitHub's time of it, in milliseconds. */
  readonly saidAt: number
  /** What the person saw, where it is known without the time. */
  readonly findings?: OpenFindings
  /** What is answered in one reply, which is edited; absent: each comment has its own. */
  readonly repliesTo?: string
}
