import { VERDICT_WORDS } from '../glossary.ts'
import type { Section } from '../layout.ts'
import { fold } from '../markdown.ts'
import { count } from '../numbers.ts'
import { rowsTable } from '../rows-table.ts'
import { type View, withVerdict } from '../view.ts'

/** Rows of each kind that are listed with their evidence. */
export const EXPLAINED_ROWS = 15

const EXPLAINED = ['likely-noise', 'already-on-trunk', 'acknowledged'] as const

/** What changed and is explained: noise, the trunk, a person. Folded, with the evidence that explains it. */
export const explained: Section = {
  name: 'explained',
  priority: 11,
  reserve: 0,
  render: (view, room) =>
    EXPLAINED.map((verdict) => foldOf(view, verdict, Math.floor(room / EXPLAINED.length) - 2))
      .filter((text) => text !== '')
      .join('\n\n'),
}

function foldOf(view: View, verdict: (typeof EXPLAINED)[number], room: number): string {
  const rows = withVerdict(view.report.rows, verdict)
  if (rows.length === 0) return ''
  const table = rowsTable(view, rows.slice(0, EXPLAINED_ROWS), room - 200, true)
  const left = rows.length - table.shown
  return fold(
    `${count(rows.length)} ${VERDICT_WORDS[verdict].term}`,
    left === 0 ? table.text : `${table.text}\n\nand ${count(left)} more`,
  )
}
