import type { ReportRow } from '../../report/report.ts'
import { count, list } from '../../text/numbers.ts'
import type { FailedIn } from '../../verdict/classified-query.ts'
import { onArchitecture } from '../facts.ts'
import type { Section } from '../layout.ts'
import { rowName } from '../rows-table.ts'
import type { View } from '../view.ts'
import { failedGroups, failedWords } from './headline.ts'

const NAMED_QUERIES = 10

/** Queries without a result in the new build, and those that failed in an unknown one, by name. */
export const failed: Section = {
  name: 'failed',
  priority: 4,
  reserve: 0,
  render: (view) =>
    failedGroups(view)
      .map((group) => `**${failedWords(group)}:** ${named(view, group.rows, group.build)}.`)
      .join('\n\n'),
}

/** `sum #1, sum #2 on arm and 57 more` */
function named(view: View, rows: readonly ReportRow[], build: FailedIn): string {
  const names = rows.slice(0, NAMED_QUERIES).map((row) => {
    const there = row.results.filter(({ failedIn }) => failedIn === build)
    return `${rowName(view, row)}${there.length < row.results.length ? onArchitecture(there[0]!.architecture) : ''}`
  })
  const more = rows.length - names.length
  return list(more > 0 ? [...names, `${count(more)} more`] : names)
}
