import type { FailingTests, JudgedFailure, Reason, RedCheck } from '../../judge/ledger/failure.ts'

/** One line of the list of failing tests: the same failure in one check or in several. */
export interface FailureRow {
  /** Of the first check; what is shown is the same in all of them. */
  readonly judged: JudgedFailure
  readonly checks: readonly string[]
  /** Names of the tests and checks that failed because of it. */
  readonly fallout: readonly string[]
}

/** The failing tests as they are shown: sorted into lines, nothing judged anew. */
export interface FailingView {
  readonly tests: FailingTests
  /** In the report's order; fallout stands with its cause where that is there. */
  readonly rows: readonly FailureRow[]
  /** Checks that are red only because others are. */
  readonly rollups: readonly string[]
  /** Red checks of which nothing is known yet, not even what failed in them. */
  readonly unseen: readonly RedCheck[]
  /** What is red only sums up other checks, and none of those is known to be red. */
  readonly isOnlyRollups: boolean
  /** Everything is known and no red check is left to the pull request. */
  readonly allAccountedFor: boolean
}

/** null where there is nothing to be said: they were never looked for, or nothing is red. */
export function failingView(tests: FailingTests | null): FailingView | null {
  if (tests === null) return null
  const { failures, redChecks, problem, notJudged } = tests
  const seen = new Set(failures.map(({ failure }) => failure.checkName))
  const unseen = redChecks.filter(({ name, state }) => state === 'not-known' && !seen.has(name))
  if (failures.length + unseen.length + notJudged === 0 && problem === null) return null
  const rows = rowsOf(failures)
  const rollups = new Set(
    failures.filter(({ classification }) => classification === 'rollup').map(({ failure }) => failure.checkName),
  )
  return {
    tests,
    rows,
    rollups: [...rollups],
    unseen,
    isOnlyRollups: rollups.size > 0 && notJudged === 0 && redChecks.every(({ name }) => rollups.has(name)),
    allAccountedFor:
      problem === null &&
      notJudged === 0 &&
      redChecks.length > 0 &&
      redChecks.every(({ state }) => state === 'accounted-for') &&
      // A check that is running again is not red for the moment, and what failed in it is still to be looked at.
      !rows.some(({ judged }) => judged.classification === 'pr-suspect' || judged.classification === 'unknown'),
  }
}

interface Growing {
  readonly judged: JudgedFailure
  readonly checks: string[]
  readonly fallout: string[]
}

function rowsOf(failures: readonly JudgedFailure[]): readonly FailureRow[] {
  const rows = new Map<string, Growing>()
  const causes = new Map<string, Growing>()
  const add = (judged: JudgedFailure) => {
    const key = keyOf(judged)
    const { checkName, testName } = judged.failure
    const row = rows.get(key) ?? { judged, checks: [], fallout: [] }
    rows.set(key, row)
    if (!row.checks.includes(checkName)) row.checks.push(checkName)
    causes.set(jobKey(checkName, testName), row)
  }
  for (const judged of failures) {
    if (judged.classification !== 'rollup' && judged.classification !== 'fallout') add(judged)
  }
  for (const judged of failures) {
    if (judged.classification !== 'fallout') continue
    const { checkName, testName } = judged.failure
    const cause = judged.causedBy === null ? undefined : causes.get(jobKey(checkName, judged.causedBy))
    if (cause === undefined) add(judged)
    else if (!cause.fallout.includes(testName)) cause.fallout.push(testName)
  }
  return [...rows.values()]
}

function jobKey(checkName: string, testName: string): string {
  return JSON.stringify([checkName, testName])
}

/** What a line says: failures that differ in any of it are lines of their own. */
function keyOf(judged: JudgedFailure): string {
  const { failure, classification, unrelatedPullRequests, hits, trunkHits, runs, firstSeen, lastTrunkPass } = judged
  return JSON.stringify([
    failure.testName,
    failure.testName === '' ? failure.checkName : '',
    failure.signature.kind,
    failure.signature.text,
    classification,
    [unrelatedPullRequests, hits, trunkHits, runs, firstSeen],
    [judged.trunkRate, lastTrunkPass, judged.firstBadTrunkCommit],
    judged.reasons,
    [judged.issue?.number ?? null, judged.owner, judged.entry ?? null],
  ])
}

/** The rows that are shown as one, at least one. */
export type FailureGroup = readonly [FailureRow, ...FailureRow[]]

/**
 * Rows of one mass failure of which nothing else is to be said stand together, where the first of them stands; every
 * other row alone.
 */
export function failureGroups(rows: readonly FailureRow[]): readonly FailureGroup[] {
  const groups = new Map<string, [FailureRow, ...FailureRow[]]>()
  for (const [index, row] of rows.entries()) {
    const key = massKey(row) ?? `row ${index}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups.values()]
}

/** What the mass failure says itself. */
const SAID: ReadonlySet<Reason['kind']> = new Set(['in-mass-failure', 'mass-failures-left-out'])

function massKey({ judged, fallout }: FailureRow): string | null {
  const { classification, reasons, hits, issue, owner } = judged
  const mass = reasons.find(({ kind }) => kind === 'in-mass-failure')
  if (classification !== 'mass-failure' || mass === undefined) return null
  const isPlain =
    (hits ?? 0) === 0 && issue === null && owner === null && fallout.length === 0 && (judged.entry ?? null) === null
  return isPlain && reasons.every(({ kind }) => SAID.has(kind)) ? JSON.stringify(mass) : null
}
