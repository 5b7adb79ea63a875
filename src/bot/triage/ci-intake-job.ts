import type { Artifact } from '../../github/artifacts.ts'
import type { ReportedCheck, ReportedWorkflowRun } from '../../github/performance-checks.ts'
import { isRed } from '../events/check-colour.ts'
import { type CheckedCommit, type JobOfRow, jobOfCheck, jobOfWorkflowRun } from './check-rows.ts'

/**
 * `waits`: the job is not known before something has ended. `older`: it is of an attempt that another one has replaced,
 * whose results were taken in at its time or never will be.
 */
export type JobOfArtifact =
  | { readonly kind: 'job'; readonly job: JobOfRow }
  | { readonly kind: 'waits' }
  | { readonly kind: 'older' }

/**
 * The job whose tests an artifact of a workflow run holds. GitHub does not say it, so that it is told by the first of
 * these that applies:
 *
 * 1. the job whose name is in the artifact's name, word by word, of several the one with most words:
 *    `junit-unit-tests-asan-1-4` is of `Unit tests (asan, 1/4)`, not of `Unit tests`, and `…-1-40` of neither of them;
 * 2. the only job of the run;
 * 3. the only failed job of the run;
 * 4. the workflow itself, by its name: the tests are known, the job is not.
 */
export function jobOfArtifact(
  commit: CheckedCommit,
  artifact: Artifact,
  run: ReportedWorkflowRun,
  checks: readonly ReportedCheck[],
): JobOfArtifact {
  const jobs = checks.filter(({ checkSuiteId }) => checkSuiteId !== null && checkSuiteId === run.checkSuiteId)
  const named = jobNamedIn(artifact.name, jobs)
  if (named === null && !run.isFinished) return { kind: 'waits' }
  if (named === null ? jobs.some(({ isFinished }) => !isFinished) : !named.isFinished) return { kind: 'waits' }
  const check = named ?? onlyOne(jobs) ?? onlyOne(jobs.filter(({ conclusion }) => isRed(conclusion)))
  // ISO 8601 of one zone: the order of the texts is that of the times.
  if (artifact.createdAt < (check?.startedAt ?? run.startedAt)) return { kind: 'older' }
  return { kind: 'job', job: check === null ? jobOfWorkflowRun(commit, run) : jobOfCheck(commit, check, run) }
}

function jobNamedIn(artifactName: string, jobs: readonly ReportedCheck[]): ReportedCheck | null {
  const inside = words(artifactName)
  const named = jobs.filter(({ name }) => contains(inside, words(name)))
  const most = Math.max(...named.map(({ name }) => words(name).length))
  return onlyOne(named.filter(({ name }) => words(name).length === most))
}

/** `Unit tests (asan, 1/4)` is `unit tests asan 1 4`, however the artifact joins them. */
function words(name: string): string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function contains(all: readonly string[], part: readonly string[]): boolean {
  if (part.length === 0) return false
  return all.some((_, start) => part.every((word, index) => all[start + index] === word))
}

function onlyOne<T>(items: readonly T[]): T | null {
  return items.length === 1 ? items[0]! : null
}
