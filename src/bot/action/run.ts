import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { JobEnvironment } from '../../config/environment.ts'
import { hostAllowed } from '../../config/host-allowed.ts'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import { listChangedFiles } from '../../github/changed-files.ts'
import { commitsBetween } from '../../github/commits.ts'
import { HistoryBranch } from '../../github/history-branch.ts'
import { JOB_IDENTITY } from '../../github/job-client.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { isReportedByOther } from '../../github/own-check-run.ts'
import { isCommentedByOther } from '../../github/own-comment.ts'
import { getPullRequest, listOpenPullsOf, type PullRequest } from '../../github/pull-requests.ts'
import { getTextFile } from '../../github/repository.ts'
import { ScratchFolder } from '../../intake/download/scratch-folder.ts'
import { type Admitted, admit, type BorderQuestions, isMeasuring, type JudgingJob } from './border.ts'

/** The judging job of the Action: one event to one comment, one check and one summary, or to a line of the history. */

export interface ActionIo {
  readonly octokit: Octokit
  readonly log: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly stopping: AbortSignal
  /** Appends Markdown to the summary of the job. */
  readonly summarize: (markdown: string) => Promise<void>
}
