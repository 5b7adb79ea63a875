import { fold } from '../../text/markdown.ts'
import { count } from '../../text/numbers.ts'
import type { Section } from '../layout.ts'
import { rowsTable } from '../rows-table.ts'
import { NO_LINKS } from '../view.ts'
import { againWords, capital } from './headline.ts'

/** What an earlier run of the same head left open and no later one measured, with the numbers of then. Folded. */
export const notMeasuredAgain: Section = {
  name: 'not-measured-again',
  priority: 5,
  reserve: 0,
  render: (view, room) => {
    const rows = view.notMeasuredAgain
    if (rows.length === 0) return ''
    // Links of a row lead to what was measured now.
    const table = rowsTable({ ...view, links: NO_LINKS }, rows, room - 300, false)
    const left = rows.length - table.shown
    return fold(capital(againWords(view)), left === 0 ? table.text : `${table.text}\n\nand ${count(left)} more`)
  },
}
