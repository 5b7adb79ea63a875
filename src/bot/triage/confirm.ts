import type { RepositoryConfig } from '../../config/repository-config.ts'
import { startAgain } from '../../github/reruns.ts'
import type { RerunTarget } from '../../inbox/reruns.ts'
import { type Run, runKey } from '../../intake/measurement/run.ts'
import { findingsOf } from '../../judge/verdict/findings.ts'
import type { runOfResult } from '../../report/classify-head.ts'
import { decisive } from '../../report/parts.ts'
import type { ReportRow, TriageReport } from '../../report/report.ts'
import type { CiWorkflow } from '../slash/command.ts'
import { limitOfReruns, oneJob } from '../slash/commands/rerun.ts'
import { ensureCurrent, type PublishContext } from './publish.ts'
import type { TriageContext } from './triage-context.ts'

/** The comment of reruns that no person asked for. */
const BY_ITSELF = 0

/** What is planned for one measurement of a head, and what GitHub has begun of it. */
export interface Confirmation {
  /** Names of the jobs that run again; empty: none does. */
  readonly names: readonly string[]
  /** Why a part of it has to be tried again; null: nothing has. */
  readonly error: unknown
}

type RunOf = ReturnType<typeof runOfResult>

const NOTHING: Confirmation = { names: [], error: null }

/**
 * Starts the job again that measured a doubtful row, where the repository's file says `confirm: auto`, or gates and lets such rows block: one job of each workflow,
 * once for each measurement, within the limits of the command, and of the present head alone. It is written down before GitHub
 * is asked, so that after a crash what is left is asked for and nothing twice. `beforeRerun` keeps what was measured: a check that runs again
 * is looked at by its newest attempt alone.
 */
export async function confirmHead(
  { inbox, now }: Pick<TriageContext, 'inbox' | 'now'>,
  publishing: PublishContext,
  config: RepositoryConfig,
  report: TriageReport,
  runOf: RunOf,
  workflows: readonly CiWorkflow[],
  beforeRerun: () => Promise<void>,
): Promise<Confirmation> {
  const { octokit, ref, pullRequest, log } = publishing
  if (!startsByItself(publishing, config)) return NOTHING
  const { number, head } = pullRequest
  const { runs, line, place, planned, mayPlan } = planOf({ inbox, now }, publishing, report, runOf)
  const isUnplanned = runs.length > 0 && (await planned()).length === 0 && (await mayPlan())
  const targets = isUnplanned ? targetsIn(workflows, runs) : []
  if (targets.length > 0 || (await planned()).some(({ outcome }) => outcome === null)) {
    await ensureCurrent(publishing)
    await beforeRerun()
  }
  await inbox.together(async () => {
    // A person may have started one meanwhile.
    if (targets.length === 0 || !(await mayPlan())) return
    for (const target of targets)
      await inbox.reruns.add({ ...place, ...target, line, head, pullRequestNumber: number }, now())
  })
  let error: unknown = null
  for (const rerun of (await planned()).filter(({ outcome }) => outcome === null)) {
    try {
      const outcome = await startAgain({ octokit, ref, head, reruns: inbox.reruns, now: now() }, rerun)
      if (outcome !== 'started') log.warn({ rerun, outcome }, 'a job was not restarted')
      await inbox.reruns.settle(rerun.rowId, outcome)
    } catch (cause) {
      error ??= cause
    }
  }
  const begun = (await planned()).filter(({ outcome }) => isBegun(outcome))
  return { names: begun.map(({ name }) => name), error }
}

/** What would run again for one measurement of a head, and what is written down of it. */
function planOf(
  { inbox, now }: Pick<TriageContext, 'inbox' | 'now'>,
  { pullRequest: { repository, number, head } }: PublishContext,
  report: TriageReport,
  runOf: RunOf,
) {
  const place = { repositoryId: repository.id, commentId: BY_ITSELF }
  const runs = runsInDoubt(report, runOf)
  const line = JSON.stringify([number, head, ...runs.map(runKey)])
  return {
    runs,
    line,
    place,
    planned: async () => (await inbox.reruns.list(place)).filter((rerun) => rerun.line === line),
    mayPlan: async () => limitOfReruns(await inbox.reruns.counts(repository.id, number, head, now())) === null,
  }
}

/**
 * Whether `confirmHead` measures again what is doubtful, has it begun, or will once a workflow has ended. Not of what GitHub has
 * refused, nor once the limits of the command are reached.
 */
export async function isRerunDue(
  context: Pick<TriageContext, 'inbox' | 'now'>,
  publishing: PublishContext,
  config: RepositoryConfig,
  report: TriageReport,
  runOf: RunOf,
  workflows: readonly CiWorkflow[],
): Promise<boolean> {
  if (!startsByItself(publishing, config)) return false
  const { runs, planned, mayPlan } = planOf(context, publishing, report, runOf)
  if (runs.length === 0) return false
  const known = await planned()
  if (known.length > 0) return known.some(({ outcome }) => outcome === null || isBegun(outcome))
  const ended = workflows.map((workflow) => ({ ...workflow, isFinished: true }))
  return targetsIn(ended, runs).length > 0 && (await mayPlan())
}

function isBegun(outcome: string | null): boolean {
  return outcome === 'started' || outcome === 'already-running'
}

/** Where rows that no run decides block, each of them is measured again before it does. */
function startsByItself({ pullRequest, isSilent }: PublishContext, config: RepositoryConfig): boolean {
  const { confirm, mode, undecided } = config
  const isWanted = confirm === 'auto' || (mode === 'gating' && undecided === 'block')
  return isWanted && !isSilent && mayRun(pullRequest, config)
}

/** A fork's code runs again by itself only where the repository's file names it. */
function mayRun({ headRepo, repository }: PublishContext['pullRequest'], { confirmForks }: RepositoryConfig): boolean {
  const own = `${repository.owner}/${repository.name}`
  return [own, ...confirmForks].some((name) => name.toLowerCase() === headRepo.toLowerCase())
}

/** The runs of rows that another run would settle; none while shards are awaited. */
export function runsInDoubt(report: TriageReport, runOf: RunOf): readonly Run[] {
  if (!report.complete) return []
  const { open, notSeenAgain, slowRuns, withWholeRun } = findingsOf(report)
  const ofRow = (row: ReportRow) => runOf({ ...row, architecture: decisive(row).architecture })
  const suites = slowRuns.some(({ verdict }) => verdict === 'needs-rerun') ? withWholeRun : []
  const doubted = [...open.filter(({ verdict }) => verdict === 'needs-rerun'), ...notSeenAgain, ...suites]
  const runs = new Map(doubted.flatMap((row) => ofRow(row) ?? []).map((run) => [runKey(run), run]))
  return [...runs].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, run]) => run)
}

/** GitHub starts one job of a workflow at a time, and only once the workflow has ended. */
function targetsIn(workflows: readonly CiWorkflow[], runs: readonly Run[]): readonly RerunTarget[] {
  const checks = new Set(runs.map(({ check }) => check))
  return workflows
    .filter(({ isFinished, isHeldBack }) => isFinished && !isHeldBack)
    .flatMap((of) => {
      const job = of.jobs.find(({ measures, name }) => measures && checks.has(name))
      return job === undefined ? [] : [oneJob(of, job).target]
    })
}
