import { fold, link } from '../../text/markdown.ts'
import { count, counted } from '../../text/numbers.ts'
import type { Section } from '../layout.ts'
import { rowsTable } from '../rows-table.ts'
import type { View } from '../view.ts'

/**
 * Rows that stand open; the rest is folded below them. Ten rows with their evidence are about two screens of a desktop:
 * who has more than ten to look at starts with the worst anyway.
 */
export const OPEN_ROWS = 10

/** Slower queries and those that need a rerun, worst first. */
export const slower: Section = {
  name: 'slower',
  priority: 3,
  reserve: 0,
  render: (view, room) => {
    const rows = view.open.slice(0, OPEN_ROWS)
    if (rows.length === 0) return ''
    return rowsTable(view, rows, room, true).text
  },
}

/** The same for what did not stand open: as many as there is room for, the rest counted. */
export const moreSlower: Section = {
  name: 'more-slower',
  priority: 20,
  reserve: 300,
  render: (view, room) => {
    const rows = view.open.slice(OPEN_ROWS)
    if (rows.length === 0) return ''
    const summary = `${count(rows.length)} more slower or in need of a rerun`
    const table = rowsTable(view, rows, room - 300, true)
    const left = rows.length - table.shown
    if (table.shown === 0) return leftOut(view, left)
    return fold(summary, left === 0 ? table.text : `${table.text}\n\n${leftOut(view, left)}`)
  },
}

/** `and 412 more in the report` */
export function leftOut({ links }: View, left: number): string {
  const where = links.reportUrl === null ? ', not shown for want of room' : ` in ${link('the report', links.reportUrl)}`
  return `and ${counted(left, 'more slower query', 'more slower queries')}${where}`
}
