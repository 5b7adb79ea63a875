import { type FailedIn, shownValue } from '../../../judge/verdict/classified-query.ts'
import { slowdownOf } from '../../../judge/verdict/direction.ts'
import { codeSpan, fold, link, NAME_LIMIT } from '../../../text/markdown.ts'
import { count, counted, list, percent, timesApart } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { asksAgain, decisive, nounsOf, withVerdict } from '../../parts.ts'
import type { ReportRow } from '../../report.ts'
import { rowName } from '../../row/name.ts'
import { UNDIRECTED_WORDS, VERDICT_WORDS } from '../../words.ts'
import { medians, onArchitecture } from '../facts.ts'
import { type Section, SHOWN } from '../layout.ts'
import { aloneLine, type LineOf, type RowsTable, rowsTable } from '../rows-table.ts'
import { NO_LINKS, standingOpen, type View } from '../view.ts'
import { fasterRun, whoseWords } from './context.ts'
import { againWords, failedGroups, failedWords, headlineRow, isOneProgram } from './headline.ts'
import { settledByMaintainers } from './next-step.ts'
import { fasterCauses, rangeOf } from './suites.ts'

/** Slower queries and those that need a rerun, worst first; those of a suite that moved together are one line. */
export const slower: Section = {
  name: 'slower',
  priority: 3,
  reserve: 0,
  render: (view, room) => {
    const rows = shownLines(view)
    if (rows.length === 0) return ''
    const run = isFasterFolded(view) ? [] : fasterRun(view)
    const closing = [...run, whoseWords(view)].filter((part) => part !== '').join(' ')
    const alone = headlineRow(view)
    return alone !== null && alone.results.length === 1
      ? aloneLine(view, alone, closing)
      : rowsTable(view, rows, room, true, { lineOf: lineOf(view), closing }).text
  },
}

/** The line of rows that moved together, in the place of the worst of them. */
function lineOf(view: View): LineOf {
  return (row) => (row === view.together[0] ? togetherLine(view) : null)
}

/** A row for each line: of those that moved together the worst. */
function linesOf({ open, together: [, ...others] }: View): readonly ReportRow[] {
  const isSaid = new Set(others)
  return open.filter((row) => !isSaid.has(row))
}

function shownLines(view: View): readonly ReportRow[] {
  return standingOpen(linesOf(view)).slice(0, SHOWN.openRows)
}

/** Beside the line of rows that probably have one cause. */
const TOGETHER = 'probably one cause'

/** `` [`quantiles`](…) 4 of 5, probably one cause ``, the worst of them and the range of their changes */
function togetherLine({ links: { reportUrl }, together: rows, suites }: View): readonly [string, string, string] {
  const { test } = rows[0]!
  const name = codeSpan(test, NAME_LIMIT)
  const page = reportUrl === null ? null : `${reportUrl}?${new URLSearchParams({ test }).toString()}#rows`
  const of = suites.find((suite) => suite.test === test)
  const worst = rows.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]!
  const isAll = of?.compared === rows.length
  const share = of === undefined ? '' : `${isAll ? 'all' : `${count(rows.length)} of`} ${count(of.compared)}, `
  return [`${link(name, page)}<br>${share}${TOGETHER}`, `${medians(decisive(worst))} at worst`, `**${rangeOf(rows)}**`]
}

/** Queries that did not stand open: as many as there is room for, the rest counted. */
export const moreSlower: Section = {
  name: 'more-slower',
  priority: 20,
  reserve: 300,
  render: (view, room) => {
    // the line of the suite leads to them where there is a page
    const together = view.links.reportUrl === null ? view.together : []
    const first = foldedRows(view, together, () => null, 'slower in one suite, one by one', room - 400)
    const shown = new Set(shownLines(view))
    const rest = linesOf(view).filter((row) => !shown.has(row))
    const are = rest.length === 1 ? 'is' : 'are'
    const words = rest.every(asksAgain)
      ? 'may be slower'
      : rest.some(({ verdict }) => verdict === 'needs-rerun')
        ? `more ${are} slower or ${rest.length === 1 ? 'needs' : 'need'} a rerun`
        : `more ${are} slower`
    const closing = settledByMaintainers(view)
    const more = foldedRows(view, rest, lineOf(view), words, room - first.length, closing)
    return [first, more].filter((text) => text !== '').join('\n\n')
  },
}

function foldedRows(
  view: View,
  rows: readonly ReportRow[],
  lineOf: LineOf,
  words: string,
  room: number,
  closing = '',
): string {
  if (rows.length === 0) return ''
  const table = rowsTable(view, rows, room - 300, true, { lineOf, closing })
  if (table.shown === 0) return leftOut(view, rows.length)
  return foldedTable(`${count(rows.length)} ${words}`, table, rows.length, (left) => leftOut(view, left))
}

/** `and 412 more in the report` */
function leftOut({ links, report }: View, left: number): string {
  const where = links.reportUrl === null ? ' that did not fit here' : ` in ${link('the report', links.reportUrl)}`
  const [one, many] = nounsOf(report.rows)
  return `and ${counted(left, `more slower ${one}`, `more slower ${many}`)}${where}`
}

/** Queries without a result in the new build, and those that failed in an unknown one, by name. */
export const failed: Section = {
  name: 'failed',
  priority: 4,
  reserve: 0,
  render: (view) =>
    failedGroups(view)
      // of one the next step says it
      .filter(({ rows }) => rows.length > 1)
      .map((group) => `**${failedWords(group, view)}:** ${named(view, group.rows, group.build)}.`)
      .join('\n\n'),
}

/** `sum #1, sum #2 on arm and 57 more` */
function named(view: View, rows: readonly ReportRow[], build: FailedIn): string {
  const names = rows.slice(0, SHOWN.failed).map((row) => {
    const there = row.results.filter(({ failedIn }) => failedIn === build)
    return `${rowName(view, row)}${there.length < row.results.length ? onArchitecture(there[0]!.architecture) : ''}`
  })
  const more = rows.length - names.length
  return list(more > 0 ? [...names, `${count(more)} more`] : names)
}

/** What an earlier run of the same head left open and no later one has taken back, with the numbers of then. Folded. */
export const fromEarlierRuns: Section = {
  name: 'from-earlier-runs',
  priority: 5,
  reserve: 0,
  render: (view, room) => {
    const rows = [...view.notMeasuredAgain, ...view.notSeenAgain]
    if (rows.length === 0) return ''
    // Links of a row lead to what was measured now.
    const table = rowsTable({ ...view, links: NO_LINKS }, rows, room - 300, false)
    return foldedTable(capital(list(againWords(view))), table, rows.length)
  },
}

const EXPLAINED = ['likely-noise', 'already-on-trunk', 'acknowledged'] as const

/** What changed and asks for nothing: what nobody can call better or worse, the whole run, noise, the trunk, a person. Folded, with the evidence that explains it. */
export const explained: Section = {
  name: 'explained',
  priority: 11,
  reserve: 0,
  render: (view, room) => {
    const ofEach = Math.floor(room / (EXPLAINED.length + 2)) - 2
    const folds = [
      rowsOfKind(view, view.undirected, UNDIRECTED_WORDS, ofEach),
      rowsOfKind(view, view.withWholeRun, 'slower by no more than the whole run can explain', ofEach),
      ...EXPLAINED.map((verdict) =>
        rowsOfKind(view, withVerdict(view.report.rows, verdict), VERDICT_WORDS[verdict].term, ofEach),
      ),
    ]
    return folds.filter((text) => text !== '').join('\n\n')
  },
}

function rowsOfKind(view: View, rows: readonly ReportRow[], words: string, room: number): string {
  if (rows.length === 0) return ''
  const table = rowsTable(view, rows.slice(0, SHOWN.explained), room - 200, true)
  return foldedTable(`${count(rows.length)} ${words}`, table, rows.length)
}

/** Faster queries, the largest gain first, folded. */
export const faster: Section = {
  name: 'faster',
  priority: 12,
  reserve: 0,
  render: (view, room) => {
    if (!isFasterFolded(view)) return ''
    const all = gains(view)
    const causes = fasterCauses(view).join('\n\n')
    const run = view.open.length > 0 ? fasterRun(view) : []
    const closing = [...run, causes.length < room / 4 ? causes : ''].filter((part) => part !== '').join('\n\n')
    const table = rowsTable(view, all.slice(0, SHOWN.faster), room - 300, false, { closing })
    const where = view.links.reportUrl === null ? '' : ` in ${link('the report', view.links.reportUrl)}`
    return foldedTable(
      `${count(all.length)} faster${upTo(all[0]!)}${run.length === 0 ? '' : '; the machine may have helped'}`,
      table,
      all.length,
      (left) => `${moreWords(left)}${where}`,
    )
  },
}

function isFasterFolded(view: View): boolean {
  return gains(view).length > 0 && !isOneProgram(view)
}

/** `, up to 8.9×` */
function upTo(largest: ReportRow): string {
  const { old, new: fresh, difference } = decisive(largest)
  const [before, after] = [shownValue(old), shownValue(fresh)]
  if (before === null || after === null || difference === null) return ''
  return `, up to ${timesApart(before, after) ?? percent(Math.abs(difference))}`
}

function sizeOf(row: ReportRow): number {
  return Math.abs(decisive(row).difference ?? 0)
}

function gains(view: View) {
  const size = (row: ReportRow) => slowdownOf(decisive(row)) ?? 0
  return withVerdict(view.report.rows, 'improvement').toSorted((a, b) => size(a) - size(b))
}

/** A table under its summary; of the `total` rows those that it has no room for are counted. */
function foldedTable(
  summary: string,
  table: RowsTable,
  total: number,
  rest: (left: number) => string = moreWords,
): string {
  const left = total - table.shown
  return fold(summary, left === 0 ? table.text : `${table.text}\n\n${rest(left)}`)
}

function moreWords(left: number): string {
  return `and ${count(left)} more`
}
