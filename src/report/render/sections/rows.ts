import { type FailedIn, shownValue } from '../../../judge/verdict/classified-query.ts'
import { slowdownOf } from '../../../judge/verdict/direction.ts'
import { codeSpan, fold, link, NAME_LIMIT, plainText } from '../../../text/markdown.ts'
import { count, counted, list, percent, timesApart } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { UNDIRECTED_WORDS, VERDICT_WORDS } from '../../glossary.ts'
import { asksAgain, decisive, nounOf, nounsOf, withVerdict } from '../../parts.ts'
import type { ReportRow } from '../../report.ts'
import { medians, onArchitecture } from '../facts.ts'
import type { Section } from '../layout.ts'
import { type LineOf, type RowsTable, rowName, rowsTable } from '../rows-table.ts'
import { NO_LINKS, type View } from '../view.ts'
import { againWords, failedGroups, failedWords, isOneProgram } from './headline.ts'
import { rangeOf } from './suites.ts'

/**
 * Rows that stand open; the rest is folded below them. Ten rows with their evidence are about two screens of a desktop:
 * who has more than ten to look at starts with the worst anyway.
 */
const OPEN_ROWS = 10

/** Slower queries and those that need a rerun, worst first; those of a suite that moved together are one line. */
export const slower: Section = {
  name: 'slower',
  priority: 3,
  reserve: 0,
  render: (view, room) => {
    const rows = shownLines(view)
    if (rows.length === 0) return ''
    return rowsTable(view, rows, room, true, lineOf(view)).text
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

/** The lines that stand open. What only may be slower is folded where something is. */
function shownLines(view: View): readonly ReportRow[] {
  const all = linesOf(view)
  const sure = all.filter((row) => row.outcome === 'changed' || row.guarded)
  return (sure.length === 0 ? all : sure).slice(0, OPEN_ROWS)
}

/** Queries of a suite that are named by their numbers; more are a number. */
const NAMED_NUMBERS = 6

/** Beside the line of rows that probably have one cause. */
const TOGETHER = 'probably one cause'

/** `` [`quantiles #0, #4, #3, #2`](…) 4 of its 5 queries, probably one cause ``, the worst of them and the range of their changes */
function togetherLine({
  links: { reportUrl },
  together: rows,
  suites,
  report,
}: View): readonly [string, string, string] {
  const { test } = rows[0]!
  const named = rows.slice(0, NAMED_NUMBERS)
  const more = rows.length - named.length
  const numbers = named.map(({ queryIndex }) => `#${queryIndex}`).join(', ')
  const which = named.some(({ queryIndex }) => queryIndex === null)
    ? nounOf(report, rows.length)
    : `${numbers}${more > 0 ? ` and ${count(more)} more` : ''}`
  // In the same code as the name: GitHub links a bare number.
  const name = codeSpan(`${plainText(test, NAME_LIMIT)} ${which}`, 2 * NAME_LIMIT)
  const page = reportUrl === null ? null : `${reportUrl}?${new URLSearchParams({ test }).toString()}#rows`
  const of = suites.find((suite) => suite.test === test)
  const worst = rows.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]!
  const isAll = of?.compared === rows.length
  const share =
    of === undefined ? '' : `${isAll ? 'all' : `${count(rows.length)} of its`} ${nounOf(report, of.compared)}, `
  return [`${link(name, page)}<br>${share}${TOGETHER}`, `${medians(decisive(worst))} at worst`, `**${rangeOf(rows)}**`]
}

/** Queries that did not stand open: as many as there is room for, the rest counted. */
export const moreSlower: Section = {
  name: 'more-slower',
  priority: 20,
  reserve: 300,
  render: (view, room) => {
    const first = foldedRows(view, view.together, () => null, `slower in one suite: ${TOGETHER}`, room - 400)
    const shown = new Set(shownLines(view))
    const rest = linesOf(view).filter((row) => !shown.has(row))
    const words = rest.every(asksAgain)
      ? 'may be slower: another run would tell'
      : `more ${rest.length === 1 ? 'is slower or needs' : 'are slower or need'} a rerun`
    const more = foldedRows(view, rest, lineOf(view), words, room - first.length)
    return [first, more].filter((text) => text !== '').join('\n\n')
  },
}

function foldedRows(view: View, rows: readonly ReportRow[], lineOf: LineOf, words: string, room: number): string {
  if (rows.length === 0) return ''
  const table = rowsTable(view, rows, room - 300, true, lineOf)
  if (table.shown === 0) return leftOut(view, rows.length)
  return foldedTable(`${count(rows.length)} ${words}`, table, rows.length, (left) => leftOut(view, left))
}

/** `and 412 more in the report` */
function leftOut({ links, report }: View, left: number): string {
  const where = links.reportUrl === null ? ' that did not fit here' : ` in ${link('the report', links.reportUrl)}`
  const [one, many] = nounsOf(report)
  return `and ${counted(left, `more slower ${one}`, `more slower ${many}`)}${where}`
}

const NAMED_QUERIES = 10

/** Queries without a result in the new build, and those that failed in an unknown one, by name. */
export const failed: Section = {
  name: 'failed',
  priority: 4,
  reserve: 0,
  render: (view) =>
    failedGroups(view)
      .map((group) => `**${failedWords(group, view)}:** ${named(view, group.rows, group.build)}.`)
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

/** Rows of each kind that are listed with their evidence. */
const EXPLAINED_ROWS = 15

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
  const table = rowsTable(view, rows.slice(0, EXPLAINED_ROWS), room - 200, true)
  return foldedTable(`${count(rows.length)} ${words}`, table, rows.length)
}

/** Faster queries that are listed; a reader who wants all of them reads the report. */
const FASTER_ROWS = 25

/** Faster queries, the largest gain first, folded. */
export const faster: Section = {
  name: 'faster',
  priority: 12,
  reserve: 0,
  render: (view, room) => {
    const all = gains(view)
    if (all.length === 0 || isOneProgram(view)) return ''
    const table = rowsTable(view, all.slice(0, FASTER_ROWS), room - 300, false)
    const where = view.links.reportUrl === null ? '' : ` in ${link('the report', view.links.reportUrl)}`
    return foldedTable(
      `${count(all.length)} faster${upTo(all[0]!)}`,
      table,
      all.length,
      (left) => `${moreWords(left)}${where}`,
    )
  },
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
