import type { JudgedFailure } from '../../../judge/ledger/failure.ts'
import type { WholeRunShift } from '../../../judge/verdict/evidence/shard-shift.ts'
import { isFailure } from '../../../judge/verdict/failed-in.ts'
import { isOpen } from '../../../judge/verdict/verdict.ts'
import { commentSafeJson, plainText } from '../../../text/markdown.ts'
import { decisive } from '../../parts.ts'
import type { ReportRow } from '../../report.ts'
import { cutWithMark } from '../../row/name.ts'
import type { Section } from '../layout.ts'
import type { View } from '../view.ts'

/** Changes whenever a field is renamed or dropped; added fields leave it. */
const VERDICT_BLOCK_VERSION = 1

/** Enough for some hundred verdicts; what reads it has the report for the rest. */
const LONGEST = 16_000
const LONGEST_TEST = 120
const LONGEST_SIGNATURE = 80

/** The verdicts for other programs, as one line of JSON in a hidden comment. Shrinks before anything visible does. */
export const verdictBlock: Section = {
  name: 'verdict-block',
  priority: 30,
  reserve: 700,
  render: (view, room) => {
    const first = new Set([...view.open, ...view.failedInNew, ...view.failedUnknown])
    const rows = [...first, ...view.report.rows.filter((row) => row.verdict !== null && !first.has(row))]
    const failures = view.failing?.tests.failures ?? []
    const all = Math.min(room, LONGEST) - render(view, [], rows.length, [], failures.length).length
    // Neither crowds out the other.
    const tests = fitting(failures.map(failureOf), rows.length === 0 ? all : all / 3)
    const entries = fitting(
      rows.map((row) => ({ id: view.idOf(row), ...entryOf(row) })),
      all - lengthOf(tests),
    )
    return render(view, entries, rows.length - entries.length, tests, failures.length - tests.length)
  },
}

/** As many from the start as fit into `room` characters. */
function fitting(entries: readonly unknown[], room: number): readonly unknown[] {
  let left = room
  const end = entries.findIndex((entry) => {
    left -= commentSafeJson(entry).length + 1
    return left < 0
  })
  return end === -1 ? entries : entries.slice(0, end)
}

function lengthOf(entries: readonly unknown[]): number {
  return entries.reduce<number>((sum, entry) => sum + commentSafeJson(entry).length + 1, 0)
}

function render(view: View, rows: readonly unknown[], rowsLeft: number, tests: readonly unknown[], testsLeft: number) {
  const { report, compared, notCompared, pending } = view
  const block = {
    schemaVersion: VERDICT_BLOCK_VERSION,
    head: plainText(report.head, 48),
    pendingHead: pending === null ? null : plainText(pending.head, 48),
    complete: report.complete,
    compared,
    notCompared: notCompared.length,
    slower: report.counts.slower,
    faster: report.counts.faster,
    open: report.rows.filter(({ verdict }) => isOpen(verdict)).length,
    ...(view.failedInNew.length === 0 ? {} : { failedInNew: view.failedInNew.length }),
    ...(view.failedUnknown.length === 0 ? {} : { failedUnknown: view.failedUnknown.length }),
    ...(view.notMeasuredAgain.length === 0 ? {} : { notMeasuredAgain: view.notMeasuredAgain.length }),
    ...(view.notSeenAgain.length === 0 ? {} : { notSeenAgain: view.notSeenAgain.length }),
    ...(view.wholeRun.length === 0 ? {} : { wholeRun: view.wholeRun.map(shiftOf) }),
    rows,
    rowsLeftOut: rowsLeft,
    // Without them where nothing is said of failing tests: then none is known to fail, and none to pass.
    ...(view.failing === null ? {} : { failingTests: tests, failingTestsLeftOut: testsLeft }),
  }
  return `<!-- perf-triage:verdicts:v${VERDICT_BLOCK_VERSION} ${commentSafeJson(block)} -->`
}

function shiftOf({ shift, again, verdict, ...where }: WholeRunShift): unknown {
  return { architecture: architectureOf(where), shift, again, verdict }
}

function architectureOf({ architecture }: { readonly architecture: string | null }): string | null {
  return architecture === null ? null : plainText(architecture, 32)
}

function failureOf(judged: JudgedFailure): unknown {
  const { failure, classification, unrelatedPullRequests, hits, trunkHits, runs } = judged
  return {
    checkName: plainText(failure.checkName, LONGEST_TEST),
    testName: plainText(failure.testName, LONGEST_TEST),
    signature: plainText(failure.signature.text, LONGEST_SIGNATURE),
    classification,
    unrelatedPullRequests,
    hits,
    trunkHits,
    runs,
  }
}

function entryOf(row: ReportRow): object {
  const { old, new: fresh, difference } = decisive(row)
  const failure = row.results.find(isFailure)
  return {
    test: plainText(row.test, LONGEST_TEST),
    queryIndex: row.queryIndex,
    // Without an index the text says which query of the test it is.
    ...(row.queryIndex === null && {
      queryName: row.queryName === null ? null : cutWithMark(row.queryName, LONGEST_TEST, row),
      ...(row.ordinal !== undefined && { ordinal: row.ordinal }),
    }),
    architecture: architectureOf(decisive(row)),
    metric: plainText(row.metric, 32),
    verdict: row.verdict,
    outcome: row.outcome,
    ...(failure === undefined ? {} : { failedIn: failure.failedIn, failedOn: architectureOf(failure) }),
    direction: row.direction,
    old: old.median,
    new: fresh.median,
    difference,
  }
}
