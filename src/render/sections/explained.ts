import { withVerdict } from '../../report/parts.ts'
import type { ReportRow } from '../../report/report.ts'
import { fold } from '../../text/markdown.ts'
import { count } from '../../text/numbers.ts'
import { VERDICT_WORDS } from '../glossary.ts'
import type { Section } from '../layout.ts'
import { rowsTable } from '../rows-table.ts'
import type { View } from '../view.ts'

/** Rows of each kind that are listed with their evidence. */
export const EXPLAINED_ROWS = 15

const EXPLAINED = ['likely-noise', 'already-on-trunk', 'acknowledged'] as const

/** What changed and is explained: the whole run, noise, the trunk, a person. Folded, with the evidence that explains it. */
export const explained: Section = {
  name: 'explained',
  priority: 11,
  reserve: 0,
  render: (view, room) => {
    const ofEach = Math.floor(room / (EXPLAINED.length + 1)) - 2
    const folds = [
      foldOf(view, view.withWholeRun, 'slower, which the shift of the whole run may explain', ofEach),
      ...EXPLAINED.map((verdict) =>
        foldOf(view, withVerdict(view.report.rows, verdict), VERDICT_WORDS[verdict].term, ofEach),
      ),
    ]
    return folds.filter((text) => text !== '').join('\n\n')
  },
}

function foldOf(view: View, rows: readonly ReportRow[], words: string, room: number): string {
  if (rows.length === 0) return ''
  const table = rowsTable(view, rows.slice(0, EXPLAINED_ROWS), room - 200, true)
  const left = rows.length - table.shown
  return fold(`${count(rows.length)} ${words}`, left === 0 ? table.text : `${table.text}\n\nand ${count(left)} more`)
}
