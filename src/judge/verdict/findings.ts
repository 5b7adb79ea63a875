import type { Acceptance } from './acceptance.ts'
import type { ClassifiedQuery, FailedIn } from './classified-query.ts'
import type { Evidence } from './evidence/evidence.ts'
import type { WholeRunShift } from './evidence/shard-shift.ts'
import { isHeldByFlags, isOpen, type Verdict, wholeRunOf } from './verdict.ts'

/** The part of a row that the findings follow from. */
interface Judged {
  readonly results: readonly ClassifiedQuery[]
  readonly decidedBy: number
  readonly outcome: ClassifiedQuery['outcome']
  readonly direction: ClassifiedQuery['direction']
  readonly verdict: Verdict | null
  readonly guarded: boolean
  readonly evidence: readonly Evidence[]
  readonly accepted?: Acceptance
}

/**
 * The findings of a report, in lists of its rows, in their order. Labels, headline and check read these and nothing
 * else of the verdicts, so that none of them praises or blames what another one waves through.
 */
export interface Findings<Row, Again = Row> {
  /** Changed rows that are said: no `likely-noise` of the faster ones, no slower one of `withWholeRun`. */
  readonly slower: readonly Row[]
  readonly faster: readonly Row[]
  /** Changed rows of which nobody knows whether that is better or worse. */
  readonly undirected: readonly Row[]
  /** Rows that somebody should do something about by themselves. */
  readonly open: readonly Row[]
  /**
   * Rows that the shift of their whole run may explain and that are not guarded: said of all of them at once. While shards are
   * awaited these are all that are shifted alone so far: the next shard may tell the machine from the build.
   */
  readonly withWholeRun: readonly Row[]
  /** Shifts of everything on an architecture, in the order of the report. */
  readonly wholeRun: readonly WholeRunShift[]
  /** Rows that the repository's file ignores: they are in none of the others but those of what failed. */
  readonly ignored: readonly Row[]
  /** Those of them that are slower and that nobody has accepted. */
  readonly slowRuns: readonly WholeRunShift[]
  /**
   * Rows whose run time varies too much to see a change, and those that are as far off as one and show none; without those whose
   * fast part rules a large slowdown out.
   */
  readonly tooNoisy: readonly Row[]
  /** Those of them that so few repetitions were measured of that nothing says how much they vary. */
  readonly tooFew: readonly Row[]
  /** Rows of which the new build has no result on an architecture where the old one has: it failed, or lacks the query. */
  readonly failedInNew: readonly Row[]
  /** Rows of which some repetitions failed in the new build and none in the old one; the others were judged. */
  readonly partlyFailed: readonly Row[]
  /** Rows that failed in one of the builds, and nobody knows in which. */
  readonly failedUnknown: readonly Row[]
  /** Rows that stood open after an earlier run of the same head and that no later one could judge. */
  readonly notMeasuredAgain: readonly Row[]
  /** Rows that stood open after an earlier run of the same head and that one later run does not show. */
  readonly notSeenAgain: readonly Again[]
  /** Open rows that are no regression because of flags in other pull requests alone. */
  readonly heldByFlags: readonly Row[]
  /** Something is open: a row, a query that fails, or a slower shift of a whole run, which no check may pass as if nothing were. */
  readonly hasOpen: boolean
  /** A row or a whole suite is a regression. */
  readonly hasRegression: boolean
  readonly hasImprovement: boolean
}

/** What the findings follow from. */
interface JudgedRows<Row, Again> {
  readonly complete: boolean
  readonly rows: readonly Row[]
  readonly wholeRun?: readonly WholeRunShift[]
  readonly notMeasuredAgain?: readonly Row[]
  readonly notSeenAgain?: readonly Again[]
  readonly wrongBuilds?: readonly unknown[]
}

/** Each part of a comment and of a page asks for those of its report. */
const FINDINGS = new WeakMap<object, unknown>()

export function findingsOf<Row extends Judged, Again extends Row = Row>(
  report: JudgedRows<Row, Again>,
): Findings<Row, Again> {
  const findings = (FINDINGS.get(report) as Findings<Row, Again> | undefined) ?? findingsIn(report)
  FINDINGS.set(report, findings)
  return findings
}

function findingsIn<Row extends Judged, Again extends Row>(report: JudgedRows<Row, Again>): Findings<Row, Again> {
  const { rows } = report
  // Absent in reports from before it was looked for.
  const wholeRun = report.wholeRun ?? []
  const { notMeasuredAgain = [], notSeenAgain = [] } = report
  const standing = [...notMeasuredAgain, ...notSeenAgain]
  const ofEverything = wholeRun.filter(isSlower)
  const slowRuns = ofEverything.filter(({ accepted }) => accepted === undefined)
  const isWith = ({ results, decidedBy, verdict, guarded, evidence }: Row) => {
    const shift = guarded ? null : wholeRunOf(verdict, results[decidedBy]!, evidence)
    return (
      shift !== null &&
      (!report.complete || ofEverything.some(({ architecture }) => architecture === shift.architecture))
    )
  }
  const changed = rows.filter(({ outcome, verdict }) => outcome === 'changed' && verdict !== 'ignored')
  const open = rows.filter((row) => isOpen(row.verdict) && !isWith(row))
  const isFailed = (build: FailedIn) => (row: Row) =>
    row.accepted === undefined && row.results.some((result) => result.failedIn === build)
  const tooNoisy = rows.filter(({ outcome, verdict, results, decidedBy }) => {
    const hidden = results[decidedBy]!.couldHide
    return verdict === null && (hidden === undefined ? outcome === 'unstable' : hidden.ruledOut === null)
  })
  const failedInNew = rows.filter(isFailed('new'))
  const partlyFailed = rows.filter((row) => row.results.some((result) => result.partlyFailedIn === 'new'))
  const failedUnknown = rows.filter((row) => isFailed('unknown')(row) && !failedInNew.includes(row))
  return {
    slower: changed.filter((row) => row.direction === 'slower' && !isWith(row)),
    faster: changed.filter((row) => row.direction === 'faster' && row.verdict !== 'likely-noise'),
    undirected: changed.filter((row) => row.results[row.decidedBy]!.better === null),
    open,
    withWholeRun: rows.filter(isWith),
    wholeRun,
    ignored: rows.filter(({ verdict }) => verdict === 'ignored'),
    slowRuns,
    tooNoisy,
    tooFew: tooNoisy.filter((row) => isOfTooFew(row.results[row.decidedBy]!)),
    failedInNew,
    partlyFailed,
    failedUnknown,
    notMeasuredAgain,
    notSeenAgain,
    heldByFlags: open.filter(isHeldByFlags),
    hasOpen: [open, slowRuns, failedInNew, failedUnknown, standing, report.wrongBuilds ?? []].some(
      ({ length }) => length > 0,
    ),
    hasRegression: [...rows, ...slowRuns, ...standing].some(({ verdict }) => verdict === 'regression'),
    hasImprovement: rows.some(({ verdict }) => verdict === 'improvement'),
  }
}

/** There are fewer than three repetitions on a side. */
export function isOfTooFew({ outcome, threshold, notes, history }: ClassifiedQuery): boolean {
  return outcome === 'unstable' && threshold === null && history === undefined && notes.includes('too-few-repetitions')
}

/** A faster shift of a whole run asks for nothing: it has no verdict. */
export function isSlower({ verdict }: WholeRunShift): boolean {
  return verdict !== null
}
