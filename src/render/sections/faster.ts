import { decisive, withVerdict } from '../../report/parts.ts'
import { fold, link } from '../../text/markdown.ts'
import { count } from '../../text/numbers.ts'
import type { Section } from '../layout.ts'
import { rowsTable } from '../rows-table.ts'
import type { View } from '../view.ts'

/** Faster queries that are listed; a reader who wants all of them reads the report. */
export const FASTER_ROWS = 25

/** Faster queries, the largest gain first, folded. */
export const faster: Section = {
  name: 'faster',
  priority: 12,
  reserve: 0,
  render: (view, room) => {
    const all = gains(view)
    if (all.length === 0) return ''
    const table = rowsTable(view, all.slice(0, FASTER_ROWS), room - 300, false)
    const left = all.length - table.shown
    const where = view.links.reportUrl === null ? '' : ` in ${link('the report', view.links.reportUrl)}`
    return fold(
      `${count(all.length)} faster`,
      left === 0 ? table.text : `${table.text}\n\nand ${count(left)} more${where}`,
    )
  },
}

function gains(view: View) {
  const size = (row: (typeof view.open)[number]) => decisive(row).difference ?? 0
  return withVerdict(view.report.rows, 'improvement').toSorted((a, b) => size(a) - size(b))
}
