import type { JobEnvironment } from '../../config/environment.ts'
import type { ReportedWorkflowRun } from '../../github/performance-checks.ts'
import { getRepository } from '../../github/repository.ts'
import { admit, isAdmittedToo } from './border.ts'
import { type ActionIo, judgingContext, questionsOf } from './job.ts'
import { judgePullRequest } from './pull-request-job.ts'
import { postingSummary, refusalSummary } from './summary.ts'
import { keepTrunkRuns } from './trunk-job.ts'

/** The judging job of the Action: one event to one comment, one check and one summary, or to lines of the history. */

/**
 * Judges the run that an event of `workflow_run` tells of, and writes what follows from it. Of the event it reads what the border lets in;
 * everything else is asked of GitHub now. Throws what GitHub answers.
 */
export async function runAction(env: JobEnvironment, payload: unknown, io: ActionIo): Promise<void> {
  const [owner, repo] = env.repository.split('/') as [string, string]
  const ref = { owner, repo }
  const repository = await getRepository(io.octokit, ref)
  if (repository === null) return await io.summarize(refusalSummary('other-repository'))
  const questions = questionsOf(io.octokit, ref, repository.defaultBranch)
  const job = { workflow: env.workflow, repositoryId: repository.id, defaultBranch: repository.defaultBranch }
  const admitted = await admit(payload, job, questions)
  if (typeof admitted === 'string') {
    io.log.info({ refusal: admitted }, 'nothing is judged')
    return await io.summarize(refusalSummary(admitted))
  }
  const isAdmitted = (run: ReportedWorkflowRun) => isAdmittedToo(admitted, run, job, questions)
  const context = await judgingContext(env, io, ref, repository, admitted, isAdmitted)
  if (!context.config.enabled) return await io.summarize(postingSummary('switched-off'))
  if (admitted.pullRequestNumber === null) await keepTrunkRuns(context)
  else await judgePullRequest(context, admitted.pullRequestNumber)
}
