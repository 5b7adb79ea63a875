import { rowAnchor } from '../report/anchors.ts'
import { decisive } from '../report/parts.ts'
import type { ReportRow, TriageReport } from '../report/report.ts'
import { link, tableHead, tableRow, word } from '../text/markdown.ts'
import { isOpen } from '../verdict/verdict.ts'
import { dashboardsOfRow } from './dashboards.ts'
import { evidenceOf, factsOf, numbersOf, type SharedFacts, sharedFacts, sharedLine } from './facts.ts'
import { VERDICT_WORDS } from './glossary.ts'
import { queryCode } from './query-name.ts'
import type { View } from './view.ts'

/** Architectures with a column of their own: with the query three columns, what a phone can show. */
const MOST_COLUMNS = 2

export interface RowsTable {
  readonly text: string
  readonly shown: number
}

/**
 * A table of rows, as many as fit: numbers per architecture. With facts also the verdict, beside the
 * name where a phone still shows it (left out where it would be the same in every row), below the name its evidence in words, and below the table
 * what is the same in all rows. Without facts a row still says that it takes back a step of the trunk.
 */
export function rowsTable(view: View, rows: readonly ReportRow[], room: number, withFacts: boolean): RowsTable {
  const { report } = view
  const columns = columnsOf(rows, report)
  const shared = sharedFacts(rows, report)
  const verdicts = withFacts && new Set(rows.map(verdictCell)).size > 1
  const below = withFacts ? sharedLine(shared) : ''
  const from = rows.every((row) => decisive(row).history !== undefined) ? 'trunk → here' : 'old → new'
  const lines = [tableHead(['query', ...columns.map((architecture) => columnName(architecture, from))])]
  let used = lines[0]!.length + below.length + 2
  let shown = 0
  for (const row of rows) {
    const text = rowLine(view, row, columns, verdicts, withFacts ? shared : null)
    if (used + text.length + 1 > room) break
    lines.push(text)
    used += text.length + 1
    shown += 1
  }
  const table = lines.join('\n')
  return { text: below === '' ? table : `${table}\n\n${below}`, shown }
}

function columnName(architecture: string | null, sides: string): string {
  return architecture === null ? sides : word(architecture)
}

function rowLine(
  view: View,
  row: ReportRow,
  columns: readonly (string | null)[],
  verdicts: boolean,
  shared: SharedFacts | null,
): string {
  const cells = columns.map((architecture) => {
    const result = row.results.find((candidate) => candidate.architecture === architecture)
    return result === undefined ? '' : numbersOf(result, columns.length > 1)
  })
  const verdict = verdicts ? verdictCell(row) : ''
  const name = `**${rowName(view, row)}**${verdict === '' ? '' : ` ${verdict}`}`
  const hidden = row.results.filter(({ architecture }) => !columns.includes(architecture))
  const takesBack = evidenceOf(row, 'takes-back')
  const facts =
    shared !== null
      ? [...factsOf(row, hidden, shared), ...flameGraphOf(view, row), ...dashboardsOfRow(view, row)]
      : takesBack !== null
        ? [takesBack]
        : []
  return tableRow([[name, facts.join(' · ')].filter((part) => part !== '').join('<br>'), ...cells])
}

function flameGraphOf({ links }: View, row: ReportRow): string[] {
  const url = row.profile == null ? null : (links.flameGraphUrl?.(row) ?? null)
  return url === null ? [] : [link('flame graph', url)]
}

function verdictCell(row: ReportRow): string {
  if (row.verdict === null) return ''
  const words = VERDICT_WORDS[row.verdict].term
  const verdict = isOpen(row.verdict) ? `**${words}**` : words
  return row.sinceLastPush === 'new' ? `${verdict}, new` : verdict
}

/** Linked to its row on the page where there is one. */
export function rowName(view: View, row: ReportRow): string {
  return link(queryCode(row), rowUrl(view.links.reportUrl, row))
}

/** The report page shows rows by the hundred: the parameter picks the part that holds this one. */
function rowUrl(reportUrl: string | null, row: ReportRow): string | null {
  const anchor = rowAnchor(row)
  return reportUrl === null ? null : `${reportUrl}?row=${anchor}#${anchor}`
}

/** The architectures that get a column: those that decide most of the rows, in the report's order. */
function columnsOf(rows: readonly ReportRow[], report: TriageReport): readonly (string | null)[] {
  const all = report.architectures
  if (all.length <= MOST_COLUMNS) return all
  const decided = (architecture: string | null) =>
    rows.filter((row) => decisive(row).architecture === architecture).length
  const shown = all.toSorted((a, b) => decided(b) - decided(a)).slice(0, MOST_COLUMNS)
  return all.filter((architecture) => shown.includes(architecture))
}
