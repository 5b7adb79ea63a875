import type { RepositoryConfig } from '../config/repository-config.ts'
import type { Classification } from '../judge/ledger/failure.ts'
import { slowdownOf } from '../judge/verdict/direction.ts'
import { mayBeChance } from '../judge/verdict/facts.ts'
import { findingsOf } from '../judge/verdict/findings.ts'
import { openRowKey } from './acceptance.ts'
import { waitsForPerson } from './check-conclusion.ts'
import { asksAgain, decisive, hasResults } from './parts.ts'
import type { CommentDecision, TriageReport } from './report.ts'

/**
 * Whether the comment is written. `on-change`: posted at the first finding, or when all shards are in and more got
 * faster than chance explains. Likely noise, or what was not measured, is no reason to write to anybody by itself: the check
 * run says it. Failing tests alone are one when all shards are in and at least one of them can be told whose it is; so is a
 * slower row of which the trunk's history says since when: who sees it slower asks whose it is, and the window answers.
 * Where a gate waits for a maintainer who looks at how it was measured, the comment says so. `always`: posted with the first results. A comment that exists is kept up to date. `never` writes nothing.
 */
export function shouldComment(setting: RepositoryConfig['comment'], report: TriageReport): CommentDecision {
  if (setting === 'never') return 'never'
  return isWorthAComment(setting, report) ? 'post' : 'keep'
}

function isWorthAComment(setting: 'on-change' | 'always', report: TriageReport): boolean {
  if (setting === 'always') return hasResults(report) || hasFailures(report)
  if (findingsOf(withoutAskingAgain(report)).hasOpen) return true
  return (
    report.complete &&
    (isNotableImprovement(report) ||
      hasUndirected(report) ||
      findingsOf(report).partlyFailed.length > 0 ||
      hasKnownFailure(report) ||
      hasKnownStep(report) ||
      waitsForPerson(report))
  )
}

/**
 * One job of the head alone asks for another one in three of ten unchanged pull requests: the check says which. A row that is
 * guarded is said to whoever reads no check.
 */
function withoutAskingAgain(report: TriageReport): TriageReport {
  return {
    ...report,
    rows: report.rows.filter((row) => row.guarded || !asksAgain(row)),
    wholeRun: (report.wholeRun ?? []).filter(({ jobs }) => jobs !== 1),
  }
}

function hasFailures({ failingTests }: TriageReport): boolean {
  return failingTests !== null && failingTests.failures.length > 0
}

/**
 * "Is this mine?" has an answer for one of them. What only follows from others or is unknown answers nothing, and who ignores a test
 * asked nothing.
 */
function hasKnownFailure({ failingTests }: TriageReport): boolean {
  const answersNothing: ReadonlySet<Classification> = new Set(['unknown', 'ignored', 'rollup', 'fallout'])
  return failingTests?.failures.some(({ classification }) => !answersNothing.has(classification)) ?? false
}

/** A row is slower, and not by the pull request: by a step of the trunk that lasts and that nobody has accepted. */
function hasKnownStep({ rows, windows }: TriageReport): boolean {
  const lasting = windows.filter(({ step, acceptedIn }) => step.step > 0 && step.recovered === null && !acceptedIn)
  const keys = new Set(lasting.map(openRowKey))
  return rows.some(
    (row) => row.verdict === 'already-on-trunk' && row.direction === 'slower' && keys.has(openRowKey(row)),
  )
}

/** A person has to say whether that is better or worse. */
function hasUndirected(report: TriageReport): boolean {
  return findingsOf(report).undirected.some((row) => !mayBeChance(decisive(row)))
}

/** A speed-up by this factor and more, without overlap, is worth a comment by itself. */
const LARGE_SPEED_UP = 1.5

/**
 * Of many queries some get faster by chance, and "nothing to do" is no reason to write to anybody: a large one does, or
 * more than twice as many as chance gives.
 *
 * Triggers: 5 faster where 1 is expected; one at half its time. Does not: 1 of 68 faster by 6% between equal builds.
 */
function isNotableImprovement(report: TriageReport): boolean {
  const improved = report.rows.filter((row) => row.verdict === 'improvement')
  const expected = report.discoveries.reduce((sum, { expectedByChance }) => sum + expectedByChance, 0)
  const isLarge = improved.some((row) => {
    const result = decisive(row)
    const slowdown = slowdownOf(result)
    return result.separated === true && slowdown !== null && (1 + slowdown) * LARGE_SPEED_UP <= 1
  })
  return isLarge || (improved.length > 1 && improved.length > 2 * expected)
}
