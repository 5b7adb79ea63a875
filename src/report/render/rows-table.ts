import { isOpen } from '../../judge/verdict/verdict.ts'
import { codeSpan, link, NAME_LIMIT, tableHead, tableRow, word } from '../../text/markdown.ts'
import { decisive, nounsOf } from '../parts.ts'
import type { ReportRow, TriageReport } from '../report.ts'
import { rowName } from '../row/name.ts'
import { VERDICT_WORDS } from '../words.ts'
import { dashboardsOfRow } from './dashboards.ts'
import {
  changeOf,
  evidenceOf,
  factsOf,
  medians,
  numbersOf,
  type SharedFacts,
  sharedFacts,
  sharedLine,
  shownText,
} from './facts.ts'
import { pictureHtml, pictureKey, trunkPicture, trunkWords } from './pictures.ts'
import { headlineRow, saidInHeadline } from './sections/headline.ts'
import type { View } from './view.ts'

/** Architectures with a column of their own: with the query three columns, what a phone can show. */
const MOST_COLUMNS = 2

/** The line of the rows of `View.together` in the place of the worst of them: name, numbers, change. Null: the row has its own. */
export type LineOf = (row: ReportRow) => readonly [name: string, numbers: string, change: string] | null

export interface RowsTable {
  readonly text: string
  readonly shown: number
}

/**
 * A table of rows, as many as fit: a column of numbers per architecture, which is what a phone can show. With facts also the verdict, beside the
 * name where a phone still shows it (left out where it would be the same in every row), below the name its evidence in words and the
 * picture of its history, and below the table
 * what is the same in all rows. Without facts a row still says that it takes back a step of the trunk.
 *
 * `lineOf` gives a row another line; `closing` is a sentence that ends what stands below.
 */
export function rowsTable(
  view: View,
  rows: readonly ReportRow[],
  room: number,
  withFacts: boolean,
  { lineOf = () => null, closing = '' }: { readonly lineOf?: LineOf; readonly closing?: string } = {},
): RowsTable {
  const { report } = view
  const columns = columnsOf(rows, report)
  // A line of several rows speaks for all of them.
  const told = rows.flatMap((row) => (lineOf(row) === null ? [row] : view.together))
  const shared = sharedFacts(told, report)
  const verdicts = withFacts && new Set(rows.map(verdictCell)).size > 1
  const below = [withFacts ? sharedLine(shared, isBrief(view)) : '', closing].filter((part) => part !== '').join(' ')
  const from = rows.every((row) => decisive(row).history !== undefined) ? 'main branch → here' : 'before → after'
  const numbers = columns.map((architecture) => columnName(architecture, from))
  const name = rows.every(({ queryIndex }) => queryIndex !== null) ? 'test #query' : nounsOf(report.rows)[0]
  const head = [takesIds(view) ? `${name} \`id\`` : name, ...numbers]
  const lines = [tableHead(head, head.length - 1)]
  let used = lines[0]!.length + below.length + 2
  let shown = 0
  for (const row of rows) {
    const own = lineOf(row)
    const text =
      own === null
        ? rowLine(view, row, columns, verdicts, withFacts ? shared : null)
        : tableRow([own[0], `${own[1]}<br>${own[2]}`])
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
    if (result === undefined) return ''
    const change = columns.length === 1 ? changeOf(result) : ''
    return change === '' ? numbersOf(result) : `${medians(result)}<br>${change}`
  })
  const name = [
    rowName(view, row),
    idCode(view, row),
    ...(verdicts ? [verdictCell(row)] : []),
    ...(shared === null ? [] : [shownText(row) ?? '']),
  ]
  const hidden = row.results.filter(({ architecture }) => !columns.includes(architecture))
  const takesBack = evidenceOf(row, 'takes-back')
  const facts =
    shared !== null
      ? [...factsBelow(view, row, hidden, shared), ...linksOf(view, row)]
      : takesBack !== null
        ? [takesBack]
        : []
  const picture = shared === null ? '' : trunkPictureOf(view, row)
  const lines = [name.filter((part) => part !== '').join(' '), facts.join(' · '), picture]
  return tableRow([lines.filter((part) => part !== '').join('<br>'), ...cells])
}

/** The name leads to a page with the samples, the numbers of the test and the history. */
function isBrief({ links }: View): boolean {
  return links.rowUrl != null
}

/** Of the one row that the headline names: its text, the facts that the headline has not, its links and its picture. */
export function aloneLine(view: View, row: ReportRow, closing: string): string {
  const shared = sharedFacts([row], view.report)
  const line = [shownText(row) ?? '', ...factsBelow(view, row, [], shared), ...linksOf(view, row)]
  const below = [sharedLine(shared, isBrief(view)), closing].filter((part) => part !== '').join(' ')
  return [line.filter((part) => part !== '').join(' · '), trunkPictureOf(view, row), below]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** By which commands take the row; empty where nobody reads commands. */
function idCode(view: View, row: ReportRow): string {
  return takesIds(view) ? codeSpan(view.idOf(row), NAME_LIMIT) : ''
}

function takesIds({ links }: View): boolean {
  return links.commandPrefix !== undefined
}

/** The facts of a row that the headline has not. */
function factsBelow(view: View, row: ReportRow, hidden: ReportRow['results'], shared: SharedFacts): string[] {
  const said = row === headlineRow(view) ? saidInHeadline(row) : []
  return factsOf(row, hidden, shared, isBrief(view)).filter((fact) => !said.includes(fact))
}

/** Where the time went and the dashboards, one click away. */
function linksOf(view: View, row: ReportRow): string[] {
  const { flameGraphUrl } = view.links
  const graph = row.profile == null || flameGraphUrl == null ? [] : [link('flame graph', flameGraphUrl(row))]
  return [...graph, ...dashboardsOfRow(view, row)]
}

/** Its history on the trunk, where the repository asks for pictures. */
function trunkPictureOf({ links: { pictures } }: View, row: ReportRow): string {
  const shown = pictures == null ? null : trunkPicture(row)
  if (pictures == null || shown === null) return ''
  return pictureHtml((theme) => pictures.trunkUrl(row, pictureKey(shown), theme), trunkWords(shown))
}

function verdictCell(row: ReportRow): string {
  if (row.verdict === null) return ''
  const words = VERDICT_WORDS[row.verdict].term
  const verdict = isOpen(row.verdict) ? `**${words}**` : words
  return row.sinceLastPush === 'new' ? `${verdict}, new` : verdict
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
