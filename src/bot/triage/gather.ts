import pLimit from 'p-limit'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import { isWatchedCheck, isWatchedWorkflow } from '../../config/watched.ts'
import { listArtifacts } from '../../github/artifacts.ts'
import { commitsBetween, getMergeBase, holds, parentsOfCommit } from '../../github/commits.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import {
  listCheckRuns,
  listHead,
  type ReportedCheck,
  type ReportedWorkflowRun,
} from '../../github/performance-checks.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { Run } from '../../intake/measurement/run.ts'
import type { ReferenceBuild } from '../../judge/verdict/evidence/stale-reference.ts'
import { isSameCommit } from '../../text/commits.ts'
import {
  type HeadChecks,
  type PerformanceCheck,
  performanceChecks,
  skippedChecks,
  unfitArtifacts,
} from './performance-checks.ts'

/** The checks that run on a head, without those of the bot. */
export interface GatheredChecks {
  readonly performance: readonly PerformanceCheck[]
  /** Performance checks that were skipped on purpose. */
  readonly skippedChecks: readonly PerformanceCheck[]
  /**
   * Each performance check that there is was skipped on purpose: CI itself says that there is nothing to measure. `so-far`
   * while a workflow runs that may start another one.
   */
  readonly skipped: 'all' | 'so-far' | null
  /** Where no check measures and nothing runs any longer: artifacts that fit no pattern and sound as if they should. */
  readonly unfit: readonly string[]
  /** Check runs and statuses, performance checks among them. */
  readonly all: readonly ReportedCheck[]
  readonly workflowRuns: readonly ReportedWorkflowRun[]
}

/** Reads the present state of a head's checks. `ownAppId`: our own check runs are never among them. `ofTrunk`: as in `HeadChecks`. */
export async function gatherChecks(
  octokit: Octokit,
  ref: RepositoryRef,
  config: RepositoryConfig,
  head: string,
  ownAppId: number,
  ofTrunk?: HeadChecks['ofTrunk'],
): Promise<GatheredChecks> {
  const { checkRuns, statuses, workflowRuns } = await listHead(octokit, ref, head)
  const others = checkRuns.filter(({ appId }) => appId !== ownAppId)
  const isSkippedOne = ({ name, conclusion }: ReportedCheck) => conclusion === 'skipped' && isWatchedCheck(config, name)
  // GitHub hides what an earlier attempt of the same workflow run gave behind the newest.
  const attempts = others.some(isSkippedOne) ? await listCheckRuns(octokit, ref, head, 'all') : []
  const earlier = attempts.filter((one) => one.appId !== ownAppId && !others.some(({ id }) => id === one.id))
  const state = await headChecks(octokit, ref, config, [...others, ...earlier], statuses, workflowRuns, ofTrunk)
  const measuring = performanceChecks(config, state)
  const { missed, onPurpose } = skippedChecks(config, {
    checkRuns: [...others, ...earlier],
    statuses: [],
    workflowRuns,
    artifacts: new Map(),
    ...(ofTrunk !== undefined && { ofTrunk }),
  })
  const performance = [...measuring, ...missed]
  const all = [...others, ...statuses]
  const isSkipped = performance.length === 0 && isAnySkipped(config, all, workflowRuns)
  const isOver = workflowRuns.every(({ isFinished }) => isFinished)
  const skipped = !isSkipped ? null : isOver ? 'all' : 'so-far'
  const unfit = performance.length === 0 && isOver ? unfitArtifacts(config, state) : []
  return { performance, skippedChecks: onPurpose, skipped, unfit, all, workflowRuns }
}

function isAnySkipped(
  config: RepositoryConfig,
  checks: readonly ReportedCheck[],
  workflowRuns: readonly ReportedWorkflowRun[],
): boolean {
  const named = [
    ...(config.checks.length === 0 ? [] : checks.filter(({ name }) => isWatchedCheck(config, name))),
    ...(config.workflows.length === 0 ? [] : workflowRuns.filter((run) => isWatchedWorkflow(config, run))),
  ]
  return named.some(({ conclusion }) => conclusion === 'skipped')
}

/** The performance checks among these, with the artifacts that may hold their results. */
export async function gatherPerformance(
  octokit: Octokit,
  ref: RepositoryRef,
  config: RepositoryConfig,
  checkRuns: readonly ReportedCheck[],
  statuses: readonly ReportedCheck[],
  workflowRuns: readonly ReportedWorkflowRun[],
): Promise<PerformanceCheck[]> {
  return performanceChecks(config, await headChecks(octokit, ref, config, checkRuns, statuses, workflowRuns))
}

async function headChecks(
  octokit: Octokit,
  ref: RepositoryRef,
  config: RepositoryConfig,
  checkRuns: readonly ReportedCheck[],
  statuses: readonly ReportedCheck[],
  workflowRuns: readonly ReportedWorkflowRun[],
  ofTrunk?: HeadChecks['ofTrunk'],
): Promise<HeadChecks> {
  const byName = config.checks.length > 0
  const state: HeadChecks = {
    checkRuns: byName ? checkRuns : [],
    statuses: byName ? statuses : [],
    workflowRuns,
    artifacts: new Map(),
    ...(ofTrunk !== undefined && { ofTrunk }),
  }
  // Artifacts are worth a call of the checks that match, or of every workflow that counts.
  const matched = byName ? new Set(performanceChecks(config, state).map(({ workflowRun }) => workflowRun?.id)) : null
  const wanted = config.results.some(({ kind }) => kind === 'artifact')
    ? workflowRuns.filter((run) => (matched === null ? isWatchedWorkflow(config, run) : matched.has(run.id)))
    : []
  const artifacts = new Map(
    await Promise.all(wanted.map(async ({ id }) => [id, await listArtifacts(octokit, ref, id)] as const)),
  )
  return { ...state, artifacts }
}

export interface Commits {
  readonly mergeBase: string | null
  /** When that was committed, in milliseconds; null: not known. */
  readonly mergeBaseTime: number | null
  readonly references: readonly ReferenceBuild[]
  /** New builds that runs state and that GitHub knows without the head in them. */
  readonly otherHeads: readonly string[]
  /** New builds that runs state and that GitHub was not asked about. */
  readonly unaskedHeads: readonly string[]
  /** New builds that runs state and that GitHub knows as merges of the head into their old build. */
  readonly merges: readonly string[]
}

/** Where the head left the trunk, and how far before that the builds were that it was measured against. */
export async function gatherCommits(
  octokit: Octokit,
  ref: RepositoryRef,
  pullRequest: PullRequest,
  runs: readonly Run[],
): Promise<Commits> {
  const found = await getMergeBase(octokit, ref, pullRequest.baseSha, pullRequest.head)
  const mergeBase = found?.commit ?? null
  const byCommit = Map.groupBy(
    runs.filter(({ oldCommit }) => oldCommit !== null),
    ({ oldCommit }) => oldCommit!,
  )
  const byRuns = [...byCommit].toSorted(([, a], [, b]) => b.length - a.length)
  const references = await pLimit(ASKED_AT_ONCE).map(byRuns, async ([commit, ofCommit], at) => ({
    commit,
    architectures: inOrder(ofCommit.map(({ architecture }) => architecture)),
    commitsBeforeMergeBase:
      mergeBase === null || at >= MOST_REFERENCES ? null : await commitsBetween(octokit, ref, commit, mergeBase),
  }))
  return {
    mergeBase,
    mergeBaseTime: found?.time ?? null,
    references: references.toSorted((a, b) => (a.commit < b.commit ? -1 : 1)),
    ...(await newBuildsOf(octokit, ref, pullRequest.head, runs)),
  }
}

/** New builds that GitHub is asked about at each look: what a run states is anybody's text. */
const MOST_ASKED = 4

/** Old builds that it is asked about; of the others nobody knows how far before the merge base they are. */
const MOST_REFERENCES = 16
const ASKED_AT_ONCE = 4

/** CI may build the merge of the head into its base, which GitHub is asked about. What it can't answer is not known. */
async function newBuildsOf(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  runs: readonly Run[],
): Promise<Pick<Commits, 'otherHeads' | 'unaskedHeads' | 'merges'>> {
  const stated = new Set(runs.flatMap(({ newCommit }) => (newCommit === null ? [] : [newCommit])))
  const others = [...stated].filter((commit) => !isSameCommit(commit, head)).toSorted()
  const [otherHeads, merges]: [string[], string[]] = [[], []]
  for (const commit of others.slice(0, MOST_ASKED)) {
    const parents = await parentsOfCommit(octokit, ref, commit).catch(() => null)
    if (parents === null) continue
    const [into = '', merged = '', ...more] = parents
    if (isSameCommit(merged, head) && more.length === 0) {
      const ofIt = runs.filter(({ newCommit }) => newCommit === commit)
      if (ofIt.every(({ oldCommit }) => isSameCommit(into, oldCommit))) merges.push(commit)
    } else if ((await holds(octokit, ref, commit, head).catch(() => null)) === false) otherHeads.push(commit)
  }
  return { otherHeads, unaskedHeads: others.slice(MOST_ASKED), merges }
}

/** The architectures, each once, by name, the unnamed one last. */
function inOrder(architectures: readonly (string | null)[]): (string | null)[] {
  return [...new Set(architectures)].toSorted((a, b) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
}
