import type { Logger } from 'pino'
import type { JobEnvironment } from '../../config/environment.ts'
import { hostAllowed } from '../../config/host-allowed.ts'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import { commitsBetween } from '../../github/commits.ts'
import { HistoryBranch } from '../../github/history-branch.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { listOpenPullsOf } from '../../github/pull-requests.ts'
import { getTextFile, type Repository } from '../../github/repository.ts'
import { ScratchFolder } from '../../intake/download/scratch-folder.ts'
import type { Degradation } from '../../report/report.ts'
import { loadConfig } from '../triage/load-config.ts'
import type { Admitted, BorderQuestions } from './border.ts'
import { HISTORY_BRANCH } from './history-files.ts'
import type { IsAdmitted, ReadingContext } from './results.ts'

/** Everything that a judging job works with, made once for its one event. */

export interface ActionIo {
  readonly octokit: Octokit
  readonly log: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly stopping: AbortSignal
  /** Appends Markdown to the summary of the job. */
  readonly summarize: (markdown: string) => Promise<void>
}

export interface JudgingContext extends JobConfig {
  readonly io: ActionIo
  readonly ref: RepositoryRef
  readonly repository: Repository
  readonly branch: HistoryBranch
  readonly admitted: Admitted
  readonly isAdmitted: IsAdmitted
  readonly reading: ReadingContext
  /** The page of the job's run, with its summary. */
  readonly runUrl: string
}

/** A job keeps no configuration from before: where the file is broken the defaults hold. */
const NOTHING_KEPT = { forget: async () => {}, lastKnownGood: async () => null, save: async () => {} }

/** The repository's configuration for a job. */
export interface JobConfig {
  readonly config: RepositoryConfig
  readonly degradation: Degradation | null
  /** The repository's file asks for a gate, which a job can't be. */
  readonly asksForGate: boolean
}

/**
 * Every workflow may write a check run of this name as the same `github-actions`, so that a required one could be forged: `gating` is judged
 * as `advisory`.
 */
export async function configOfJob(
  { octokit, now, log }: ActionIo,
  ref: RepositoryRef,
  repositoryId: number,
): Promise<JobConfig> {
  const { config, degradation } = await loadConfig(octokit, ref, repositoryId, NOTHING_KEPT, now(), log)
  const asksForGate = config.mode === 'gating'
  return { config: asksForGate ? { ...config, mode: 'advisory' } : config, degradation, asksForGate }
}

export function judgingContext(
  env: JobEnvironment,
  io: ActionIo,
  ref: RepositoryRef,
  repository: Repository,
  configured: JobConfig,
  admitted: Admitted,
  isAdmitted: IsAdmitted,
): JudgingContext {
  const { octokit, log, now, stopping } = io
  return {
    ...configured,
    io,
    ref,
    repository,
    branch: new HistoryBranch(octokit, ref, HISTORY_BRANCH),
    admitted,
    isAdmitted,
    runUrl: env.runUrl,
    reading: {
      octokit,
      ref,
      repositoryId: repository.id,
      config: configured.config,
      isAllowedHost: (url) => hostAllowed(url, env.artifactHosts),
      scratch: new ScratchFolder(env.tempDir),
      now,
      log,
      stopping,
    },
  }
}

/** The border's questions, asked of GitHub; a file is asked for once. */
export function questionsOf(octokit: Octokit, ref: RepositoryRef, defaultBranch: string): BorderQuestions {
  const files = new Map<string, Promise<string | null>>()
  const read = async (path: string) => (await getTextFile(octokit, ref, path))?.text ?? null
  return {
    fileOfTrunk: (path) => {
      const asked = files.get(path) ?? read(path)
      files.set(path, asked)
      return asked
    },
    isOnTrunk: async (commit) => {
      // By the branch's commit: compared by name, a tag of that name would stand for the branch.
      const { data } = await octokit.rest.git.getRef({ ...ref, ref: `heads/${defaultBranch}` })
      return (await commitsBetween(octokit, ref, commit, data.object.sha)) !== null
    },
    openPulls: (headLabel) => listOpenPullsOf(octokit, ref, headLabel),
  }
}
