import type { ReportRow } from '../../triage/report.ts'
import type { Section } from '../layout.ts'
import { commentSafeJson, plainText } from '../markdown.ts'
import { decisive, type View } from '../view.ts'

/** Changes whenever a field is renamed or dropped; added fields leave it. */
export const VERDICT_BLOCK_VERSION = 1

/** Enough for some hundred verdicts; what reads it has the report for the rest. */
const LONGEST = 16_000
const LONGEST_TEST = 120

/** The verdicts for other programs, as one line of JSON in a hidden comment. Shrinks before anything visible does. */
export const verdictBlock: Section = {
  name: 'verdict-block',
  priority: 30,
  reserve: 700,
  render: (view, room) => {
    const rows = [...view.open, ...view.report.rows.filter((row) => row.verdict !== null && !view.open.includes(row))]
    const entries: unknown[] = []
    let left = Math.min(room, LONGEST) - render(view, [], rows.length).length
    for (const row of rows) {
      const entry = entryOf(row)
      left -= commentSafeJson(entry).length + 1
      if (left < 0) break
      entries.push(entry)
    }
    return render(view, entries, rows.length - entries.length)
  },
}

function render({ report, changed, open, compared, notCompared, pending }: View, rows: unknown[], left: number) {
  const block = {
    schemaVersion: VERDICT_BLOCK_VERSION,
    head: plainText(report.head, 48),
    pendingHead: pending === null ? null : plainText(pending.head, 48),
    complete: report.complete,
    compared,
    notCompared: notCompared.length,
    slower: changed.slower.length,
    faster: changed.faster.length,
    open: open.length,
    rows,
    rowsLeftOut: left,
  }
  return `<!-- perf-triage:verdicts:v${VERDICT_BLOCK_VERSION} ${commentSafeJson(block)} -->`
}

function entryOf(row: ReportRow): unknown {
  const { architecture, old, new: fresh, difference } = decisive(row)
  return {
    test: plainText(row.test, LONGEST_TEST),
    queryIndex: row.queryIndex,
    architecture: architecture === null ? null : plainText(architecture, 32),
    metric: plainText(row.metric, 32),
    verdict: row.verdict,
    outcome: row.outcome,
    direction: row.direction,
    old: old.median,
    new: fresh.median,
    difference,
  }
}
