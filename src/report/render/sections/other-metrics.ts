import type { ClassifiedQuery } from '../../../judge/verdict/classified-query.ts'
import { codeSpan, fold, NAME_LIMIT, tableHead, tableRow } from '../../../text/markdown.ts'
import { count, counted } from '../../../text/numbers.ts'
import type { TriageReport } from '../../report.ts'
import { numbersOf } from '../facts.ts'
import { type Section, SHOWN } from '../layout.ts'

/**
 * The counters of one program, old against new, below its time: they tell why that is another one. Cold times and other metrics of
 * many queries have their line above the rows.
 */
export const otherMetrics: Section = {
  name: 'other-metrics',
  priority: 5,
  reserve: 0,
  render: ({ report }, room) => {
    const counters = countersOf(report)
    if (counters.length === 0) return ''
    const rows = [...report.rows[0]!.results, ...counters]
    const shown = rows.slice(0, SHOWN.otherMetrics)
    const lines = shown.map((row) => tableRow([codeSpan(row.metric, NAME_LIMIT), numbersOf(row)]))
    const more = rows.length - shown.length
    const table = [tableHead(['metric', 'before → after']), ...lines].join('\n')
    const body = more === 0 ? table : `${table}\n\nand ${count(more)} more`
    const text = rows.length <= SHOWN.openOtherMetrics ? body : fold(counted(rows.length, 'metric', 'metrics'), body)
    return text.length <= room ? text : ''
  },
}

/** Of a report of one query its other metrics, by the size of their change; of several none. */
export function countersOf({ rows, otherMetrics = [] }: TriageReport): readonly ClassifiedQuery[] {
  const [only, ...others] = rows
  if (only === undefined || others.length > 0) return []
  return otherMetrics
    .filter(({ test, queryIndex, difference }) => {
      return test === only.test && queryIndex === only.queryIndex && difference !== null
    })
    .toSorted((a, b) => Math.abs(b.difference!) - Math.abs(a.difference!))
}
