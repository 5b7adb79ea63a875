import type { CommandName, RepositoryConfig } from '../../config/repository-config.ts'
import { HistoryBranch } from '../../github/history-branch.ts'
import { JOB_IDENTITY } from '../../github/job-client.ts'
import type { RepositoryRef } from '../../github/octokit.ts'
import { listWorkflowRuns } from '../../github/performance-checks.ts'
import { getPullRequest, type PullRequest } from '../../github/pull-requests.ts'
import type { Repository } from '../../github/repository.ts'
import { type CommentEvent, readEvent } from '../events/event.ts'
import { answerComment } from '../slash/answer-comment.ts'
import { hearComment } from '../slash/hear.ts'
import type { Hearing } from '../slash/saying.ts'
import { HISTORY_BRANCH } from './history-files.ts'
import type { ActionIo } from './job.ts'
import { type MemoryInbox, memoryInbox } from './memory-inbox.ts'
import { commandSummary } from './summary.ts'

/** From a comment to the deed: a job does the App's commands as far as it can. */

/** A job is of no installation of an App. */
const NO_INSTALLATION = { id: 1 }

/** Commands that need a server: its database, or the right to start workflows. */
const OF_THE_APP: ReadonlySet<CommandName> = new Set(['chronic', 'unchronic', 'renew', 'rerun', 'explain', 'bisect'])

function lacks(command: CommandName): string | null {
  return OF_THE_APP.has(command) ? `\`${command}\` needs the perf-triage App; this repository uses the Action.` : null
}

/**
 * Does what a comment on a pull request asks for and answers it. Gives the pull request where it is to be judged again. The event is not
 * believed: GitHub says who may do what, and the comment is read again.
 */
export async function hearCommand(
  payload: unknown,
  io: ActionIo,
  ref: RepositoryRef,
  repository: Repository,
  config: RepositoryConfig,
): Promise<PullRequest | null> {
  const { octokit } = io
  const event = commentOf(payload, repository)
  if (event === null) return null
  const isHeard = config.enabled && config.mode !== 'shadow'
  const pullRequest = isHeard ? await getPullRequest(octokit, ref, event.number) : null
  if (pullRequest === null) return null
  const branch = new HistoryBranch(octokit, ref, HISTORY_BRANCH)
  const inbox = await memoryInbox(branch, await branch.tree())
  const hearing = { ...hearingWith(io, inbox), config }
  await hearComment(hearing, event)
  const heard = await inbox.commands.list(event)
  for (const errand of inbox.errands) await answerComment(hearing, errand, async () => errand)
  await io.summarize(commandSummary(heard.length))
  return inbox.isWoken(event.commentId) ? pullRequest : null
}

function commentOf(payload: unknown, repository: Repository): CommentEvent | null {
  const event = readEvent('issue_comment', { ...(payload as object), installation: NO_INSTALLATION })
  const isOurs = event.kind === 'issue_comment' && event.repositoryId === repository.id
  return isOurs && (event.action === 'created' || event.action === 'edited') ? event : null
}

function hearingWith({ octokit, log, now }: ActionIo, inbox: MemoryInbox): Omit<Hearing, 'config'> {
  return {
    octokit,
    self: JOB_IDENTITY,
    inbox,
    store: { reports: { of: async () => null } },
    metBefore: async () => ({ alike: new Map(), pullRequests: [] }),
    workflowsOf: async () => [],
    siteOf: () => null,
    now,
    log,
    lacks,
  }
}

/**
 * Events of the finished runs on a pull request's head, as GitHub would send them now; the newest first, each asked for when its turn comes.
 * `isWaitedFor`: of the path of a workflow.
 */
export async function* eventsOfHead(
  { octokit }: ActionIo,
  ref: RepositoryRef,
  repository: Repository,
  { head }: PullRequest,
  isWaitedFor: (path: string) => Promise<boolean>,
): AsyncGenerator {
  for (const { id, isFinished, event, path } of await listWorkflowRuns(octokit, ref, head)) {
    if (!isFinished || event !== 'pull_request' || !(await isWaitedFor(path))) continue
    yield {
      action: 'completed',
      repository: { id: repository.id, full_name: `${repository.owner}/${repository.name}` },
      workflow_run: (await octokit.rest.actions.getWorkflowRun({ ...ref, run_id: id })).data,
    }
  }
}
