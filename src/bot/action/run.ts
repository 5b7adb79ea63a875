import type { JobEnvironment } from '../../config/environment.ts'
import type { RepositoryRef } from '../../github/octokit.ts'
import type { ReportedWorkflowRun } from '../../github/performance-checks.ts'
import { getRepository, type Repository } from '../../github/repository.ts'
import {
  admit,
  type BorderQuestions,
  isAdmittedToo,
  type JudgingJob,
  type Refusal,
  refusalOfWorkflow,
} from './border.ts'
import { eventsOfHead, hearCommand } from './command-job.ts'
import { type ActionIo, configOfJob, type JobConfig, type JudgingContext, judgingContext, questionsOf } from './job.ts'
import { judgePullRequest } from './pull-request-job.ts'
import { noGateSummary, postingSummary, refusalSummary } from './summary.ts'
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
  const ask = questionsOf(io.octokit, ref, repository.defaultBranch)
  const job = { workflow: env.workflow, repositoryId: repository.id, defaultBranch: repository.defaultBranch }
  const configured = await configOfJob(io, ref, repository.id)
  const judged = (payloads: Payloads) => judgeFirst(env, payloads, io, ref, repository, configured, job, ask)
  if (env.eventName === 'workflow_run') return await judged([payload])
  const pullRequest = await hearCommand(payload, io, ref, repository, configured.config)
  const isWaitedFor = async (path: string) => (await refusalOfWorkflow(path, job, ask)) === null
  if (pullRequest !== null) await judged(eventsOfHead(io, ref, repository, pullRequest, isWaitedFor))
}

type Payloads = Iterable<unknown> | AsyncIterable<unknown>

/** Judges the first of some events that the border lets in; where none is, the summary says why of the last. */
async function judgeFirst(
  env: JobEnvironment,
  payloads: Payloads,
  io: ActionIo,
  ref: RepositoryRef,
  repository: Repository,
  configured: JobConfig,
  job: JudgingJob,
  ask: BorderQuestions,
): Promise<void> {
  let refusal: Refusal = 'no-run'
  for await (const payload of payloads) {
    const admitted = await admit(payload, job, ask)
    if (typeof admitted !== 'string') {
      const isAdmitted = (run: ReportedWorkflowRun) => isAdmittedToo(admitted, run, job, ask)
      return await judge(judgingContext(env, io, ref, repository, configured, admitted, isAdmitted))
    }
    refusal = admitted
  }
  io.log.info({ refusal }, 'nothing is judged')
  await io.summarize(refusalSummary(refusal))
}

async function judge(context: JudgingContext): Promise<void> {
  const { io, config, asksForGate, admitted } = context
  const { pullRequestNumber } = admitted
  if (!config.enabled) return await io.summarize(postingSummary('switched-off'))
  if (asksForGate) await io.summarize(noGateSummary())
  await (pullRequestNumber === null ? keepTrunkRuns(context) : judgePullRequest(context, pullRequestNumber))
}
