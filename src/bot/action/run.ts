import type { JobEnvironment } from '../../config/environment.ts'
import type { RepositoryRef } from '../../github/octokit.ts'
import type { ReportedWorkflowRun } from '../../github/performance-checks.ts'
import { getRepository, type Repository } from '../../github/repository.ts'
import { admit, isAdmittedToo, type Refusal } from './border.ts'
import { eventsOfHead, hearCommand } from './command-job.ts'
import { type ActionIo, type JudgingContext, judgingContext, questionsOf } from './job.ts'
import { judgePullRequest } from './pull-request-job.ts'
import { postingSummary, refusalSummary } from './summary.ts'
import { keepTrunkRuns } from './trunk-job.ts'

/** The judging job of the Action: one event to one comment, one check and one summary, or to lines of the history. */

/**
 * Judges the run that an event of `workflow_run` tells of, or does what a comment asks for, and writes what follows. Of the event it reads
 * what the border lets in; everything else is asked of GitHub now. Throws what GitHub answers.
 */
export async function runAction(env: JobEnvironment, payload: unknown, io: ActionIo): Promise<void> {
  const [owner, repo] = env.repository.split('/') as [string, string]
  const ref = { owner, repo }
  const repository = await getRepository(io.octokit, ref)
  if (repository === null) return await io.summarize(refusalSummary('other-repository'))
  const judged = (payloads: readonly unknown[]) => judgeFirst(env, payloads, io, ref, repository)
  if (env.eventName === 'workflow_run') return await judged([payload])
  const pullRequest = await hearCommand(payload, io, ref, repository)
  if (pullRequest !== null) await judged(await eventsOfHead(io, ref, repository, pullRequest))
}

/** Judges the first of some events that the border lets in; where none is, the summary says why of the last. */
async function judgeFirst(
  env: JobEnvironment,
  payloads: readonly unknown[],
  io: ActionIo,
  ref: RepositoryRef,
  repository: Repository,
): Promise<void> {
  const questions = questionsOf(io.octokit, ref, repository.defaultBranch)
  const job = { workflow: env.workflow, repositoryId: repository.id, defaultBranch: repository.defaultBranch }
  let refusal: Refusal = 'no-run'
  for (const payload of payloads) {
    const admitted = await admit(payload, job, questions)
    if (typeof admitted !== 'string') {
      const isAdmitted = (run: ReportedWorkflowRun) => isAdmittedToo(admitted, run, job, questions)
      return await judge(await judgingContext(env, io, ref, repository, admitted, isAdmitted))
    }
    refusal = admitted
  }
  io.log.info({ refusal }, 'nothing is judged')
  await io.summarize(refusalSummary(refusal))
}

async function judge(context: JudgingContext): Promise<void> {
  const { pullRequestNumber } = context.admitted
  if (!context.config.enabled) return await context.io.summarize(postingSummary('switched-off'))
  await (pullRequestNumber === null ? keepTrunkRuns(context) : judgePullRequest(context, pullRequestNumber))
}
