import type { ReportRow } from '../../report/report.ts'
import { codeSpan, fold, NAME_LIMIT, tableHead, tableRow } from '../../text/markdown.ts'
import { count, counted } from '../../text/numbers.ts'
import type { ClassifiedQuery } from '../../verdict/classified-query.ts'
import { numbersOf } from '../facts.ts'
import type { Section } from '../layout.ts'

/** Rows of the table; what moved least is not among them. */
const MOST_ROWS = 30
/** Rows that stand open: a program has about ten counters. */
const OPEN_ROWS = 12

/**
 * The counters of one program, old against new, below its time: they tell why that is another one. Cold times and other metrics of
 * many queries have their line above the rows.
 */
export const otherMetrics: Section = {
  name: 'other-metrics',
  priority: 5,
  reserve: 0,
  render: (
    {
      report: {
        rows: [only, ...others],
        otherMetrics: all = [],
      },
    },
    room,
  ) => {
    const counters = only === undefined || others.length > 0 ? [] : countersOf(only, all)
    if (only === undefined || counters.length === 0) return ''
    const rows = [...only.results, ...counters]
    const shown = rows.slice(0, MOST_ROWS)
    const lines = shown.map((row) => tableRow([codeSpan(row.metric, NAME_LIMIT), numbersOf(row)]))
    const more = rows.length - shown.length
    const table = [tableHead(['metric', 'before → after']), ...lines].join('\n')
    const body = more === 0 ? table : `${table}\n\nand ${count(more)} more`
    const text = rows.length <= OPEN_ROWS ? body : fold(counted(rows.length, 'metric', 'metrics'), body)
    return text.length <= room ? text : ''
  },
}

/** Those of this query, by the size of their change. */
function countersOf(only: ReportRow, all: readonly ClassifiedQuery[]): readonly ClassifiedQuery[] {
  return all
    .filter(({ test, queryIndex, difference }) => {
      return test === only.test && queryIndex === only.queryIndex && difference !== null
    })
    .toSorted((a, b) => Math.abs(b.difference!) - Math.abs(a.difference!))
}
