import type { RerunCounts, RerunTarget } from '../../../inbox/reruns.ts'
import { closestName } from '../../../text/closest-name.ts'
import { codeSpan, shortCommit } from '../../../text/markdown.ts'
import { list } from '../../../text/numbers.ts'
import { argumentsOf } from '../arguments.ts'
import { type CiWorkflow, type Command, type CommandContext, refused } from '../command.ts'

/** Runs cost money, and one that is repeated until it is green says nothing. */
const MOST_OF_HEAD = 2
const MOST_OF_PULL_REQUEST = 5
const MOST_OF_DAY = 20

/** The longest part of a name that is shown. */
const LONGEST_NAME = 100

/**
 * For whoever doubts a measurement: a second run is a second witness. The person sees which jobs began again, and the comment is brought up to
 * date when they have ended.
 */
export const rerun: Command = {
  name: 'rerun',
  usage: 'rerun [failed | all | CHECK]',
  who: 'write',
  readsWorkflows: true,
  summary:
    'Reruns GitHub Actions jobs of the current commit: those that measure, the failed ones, all, or one by its check’s name. At most twice per commit, five times per pull request, and 20 times per repository and day.',
  run(context, words) {
    const { pullRequest, saidAt } = context
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const limit = limitOfReruns(context.reruns)
    if (limit !== null) return refused(limit)
    const name = [...given.names, ...(given.reason === null ? [] : [given.reason])].join(' ')
    const chosen = chosenOf(context, name)
    if (typeof chosen === 'string') return refused(chosen)
    return {
      wasDone: true,
      words: `Started again on ${shortCommit(pullRequest.head)}: ${list(chosen.map(targetWords))}.`,
      reruns: chosen,
    }
  },
}

/** Why nothing more may be started again; null: it may. */
export function limitOfReruns({ ofHead, ofPullRequest, ofDay }: RerunCounts): string | null {
  if (ofHead >= MOST_OF_HEAD) return `This commit has been rerun ${MOST_OF_HEAD} times, which is enough to judge it.`
  if (ofPullRequest >= MOST_OF_PULL_REQUEST) {
    return `This pull request has been rerun ${MOST_OF_PULL_REQUEST} times. Somebody with \`write\` can still do it on GitHub.`
  }
  if (ofDay < MOST_OF_DAY) return null
  return `${MOST_OF_DAY} runs were restarted in this repository within a day. Somebody with \`write\` can still do it on GitHub.`
}

/** `perf`, `Performance`, `the failed jobs of Performance` */
export function targetWords({ kind, name }: Pick<RerunTarget, 'kind' | 'name'>): string {
  return kind === 'failed' ? `the failed jobs of ${codeSpan(name, LONGEST_NAME)}` : codeSpan(name, LONGEST_NAME)
}

/** What is to be started again; a sentence: why nothing is. */
function chosenOf({ pullRequest, workflows, config }: CommandContext, name: string): readonly RerunTarget[] | string {
  const head = shortCommit(pullRequest.head)
  if (workflows.length === 0) return `No check of ${head} is a GitHub Actions job: restart it where it runs.`
  const called = calledBy(workflows, name)
  if (called.length === 0) return nothingCalled(workflows, name, head, config.commands.prefix)
  const ready = called.filter(({ of }) => of.isFinished && !of.isHeldBack)
  if (ready.length > 0) return ready.map(({ target }) => target)
  const [{ of }] = called as [Called]
  return of.isHeldBack
    ? `${codeSpan(of.name, LONGEST_NAME)} waits for a maintainer to approve it on GitHub; the bot never does that.`
    : `${codeSpan(of.name, LONGEST_NAME)} has not ended yet, and GitHub can’t rerun it before.`
}

interface Called {
  readonly of: CiWorkflow
  readonly target: RerunTarget
}

function calledBy(workflows: readonly CiWorkflow[], name: string): readonly Called[] {
  const word = name.toLowerCase()
  if (word === '') return workflows.flatMap(measuringPartOf)
  if (word === 'all') return workflows.map((of) => whole(of, 'workflow'))
  if (word === 'failed') return workflows.filter(({ hasFailed }) => hasFailed).map((of) => whole(of, 'failed'))
  const jobs = workflows.flatMap((of) =>
    of.jobs.filter((job) => job.name.toLowerCase() === word).map((job) => oneJob(of, job)),
  )
  return jobs.length > 0
    ? jobs
    : workflows.filter((of) => of.name.toLowerCase() === word).map((of) => whole(of, 'workflow'))
}

/**
 * The one job that measures, or the whole workflow where nothing else is in it. GitHub starts one job of a workflow at a time, and
 * which of several is meant the person says.
 */
function measuringPartOf(of: CiWorkflow): readonly Called[] {
  const jobs = of.jobs.filter(({ measures }) => measures)
  if (jobs.length === 1) return [oneJob(of, jobs[0]!)]
  return of.measures && jobs.length === of.jobs.length ? [whole(of, 'workflow')] : []
}

function whole(of: CiWorkflow, kind: 'workflow' | 'failed'): Called {
  return { of, target: { kind, id: of.id, name: of.name, runId: of.id, attempt: of.attempt } }
}

export function oneJob(of: CiWorkflow, { id, name }: CiWorkflow['jobs'][number]): Called {
  return { of, target: { kind: 'job', id, name, runId: of.id, attempt: of.attempt } }
}

/** Names that fit an answer. */
const MOST_NAMES = 10

function nothingCalled(workflows: readonly CiWorkflow[], name: string, head: string, prefix: string): string {
  if (name.toLowerCase() === 'failed') return `No workflow of ${head} has failed.`
  const jobs = workflows.flatMap((of) => of.jobs)
  if (name !== '') {
    const near = closestName(
      name,
      [...jobs, ...workflows].map((one) => one.name),
    )
    const meant = near === null ? '' : ` Did you mean ${codeSpan(near, LONGEST_NAME)}?`
    return `No GitHub Actions job of ${head} has a check named ${codeSpan(name, LONGEST_NAME)}.${meant}`
  }
  const measuring = jobs.filter(({ measures }) => measures)
  const unsure = workflows.find(({ measures }) => measures)
  if (measuring.length === 0 && unsure !== undefined) {
    const some = unsure.jobs.slice(0, MOST_NAMES).map((job) => codeSpan(job.name, LONGEST_NAME))
    return `GitHub doesn’t say which job of ${codeSpan(unsure.name, LONGEST_NAME)} measures. Name it: ${list(some)}.`
  }
  if (measuring.length === 0)
    return `No GitHub Actions job measures ${head}: \`${prefix} rerun all\` restarts every workflow.`
  const shown = measuring.slice(0, MOST_NAMES).map((job) => codeSpan(job.name, LONGEST_NAME))
  return `Name one of the jobs that measure, since they share a workflow: ${list(shown)}. \`${prefix} rerun failed\` restarts those that failed.`
}
