import type { QueryLogRow } from '../../judge/verdict/classify-query-log.ts'
import { groupsOf, type QueryLogReport, timesOf, withMetrics } from '../../report/query-log.ts'
import { NOTE_WORDS, STATUS_WORDS } from '../../report/words.ts'
import { change, count, counted as countedText, minute } from '../../text/numbers.ts'
import { countsLine, isOfNote, measuredColumns, warningLines } from './classify-table.ts'
import type { CommandIO } from './command.ts'
import { formatTable, painter, type TerminalColumn } from './table.ts'
import { plainText, terminalWidth, truncate, withSpaces, wrapText } from './terminal-text.ts'

/** What `classify --format query-log` prints for a person. */

export interface QueryLogTableOptions {
  /** `all`, or the one that was asked for; absent: those that a person looks at first. */
  readonly metric?: string
  /** Show every query and group. */
  readonly all?: boolean
}

const LONGEST_GROUP = 40

/** The lines that `classify --format query-log` prints for a person. */
export function queryLogTable(result: QueryLogReport, options: QueryLogTableOptions, io: CommandIO): string[] {
  const paint = painter(io.stdout, io.env)
  const width = terminalWidth(io.stdout)
  const { counts, counted, warnings } = result
  const showsAll = options.metric === 'all'
  const groups = groupsOf(result, showsAll)
  const shown = groups.filter((rows) => options.all === true || rows.some(isOfNote))
  const rows = [...withMetrics(result.whole, result, showsAll), ...shown.flat(), ...result.costs]
  const lines = [paint(countsLine({ counts, counted, queries: result.rows }), 'bold'), contextLine(result)]
  const tests = new Set(result.rows.map(({ test }) => test))
  if (tests.size === 1) lines.push(...wrapText(plainText([...tests][0]!), '', width))
  if (rows.length > 0) lines.push('', ...formatTable(columnsOf(result, tests.size > 1), rows, width, paint))
  const meanings = meaningsOf(rows)
  if (meanings.length > 0) lines.push('', ...meanings.map((meaning) => paint(meaning, 'dim')))
  const folded = groups.length - shown.length
  if (folded > 0) {
    const few = countedText(folded, 'group without a change', 'groups without a change')
    lines.push('', paint(`not shown: ${few} (--all shows them)`, 'dim'))
  }
  if (warnings.length > 0) lines.push('', ...warningLines(warnings, width, paint))
  return lines
}

function contextLine(report: QueryLogReport): string {
  const { rows, counted, variants, executions } = report
  const ofMetric = rows.filter(({ metric }) => metric === counted)
  const [old = '', ...others] = variants.map((variant) => (variant === '' ? 'not set' : plainText(variant)))
  const { from, to } = timesOf(report)
  return withSpaces(
    [
      `${countedText(ofMetric.length, 'group', 'groups')} by ${plainText(counted)}`,
      `${others.join(', ')} against ${old}`,
      `${count(executions)} executions`,
      `${minute(from)} to ${minute(to)}`,
    ].join(' · '),
  )
}

function columnsOf(result: QueryLogReport, hasTests: boolean): readonly TerminalColumn<QueryLogRow>[] {
  const hasGroups = result.rows.some(({ queryName }) => queryName !== null)
  const [, ...measured] = measuredColumns<QueryLogRow>('query')
  return [
    { heading: hasGroups ? 'group' : 'query', text: (row) => groupText(row, hasGroups) },
    { heading: 'metric', text: ({ metric }) => truncate(plainText(metric), 40) },
    ...measured,
    { heading: 'averages', isNumber: true, text: averagesText },
    {
      heading: 'executions',
      isNumber: true,
      text: (row) => `${count(row.old.repetitions ?? 0)} + ${count(row.new.repetitions ?? 0)}`,
    },
    { heading: 'variant', text: ({ variant }) => (result.variants.length > 2 ? truncate(plainText(variant), 30) : '') },
    { heading: 'notes', text: ({ notes }) => notes.map((note) => NOTE_WORDS[note].term).join(', ') },
    {
      heading: 'text',
      text: ({ queryName, test }) => (hasGroups && hasTests && queryName !== null ? plainText(test) : ''),
    },
  ]
}

/** Shown as people know them from a dashboard, and never tested. */
function averagesText({ traffic: { crude }, unit }: QueryLogRow): string {
  return crude === null ? '' : change(crude.old.mean, crude.new.mean, unit)
}

function groupText({ queryName, test }: QueryLogRow, hasGroups: boolean): string {
  return hasGroups ? truncate(plainText(queryName ?? test), LONGEST_GROUP) : plainText(test)
}

/** Notes and states are explained once. */
function meaningsOf(rows: readonly QueryLogRow[]): readonly string[] {
  const words = [
    ...new Set(rows.flatMap(({ notes }) => notes)).values().map((note) => NOTE_WORDS[note]),
    ...new Set(rows.map(({ status }) => status)).values().map((status) => STATUS_WORDS[status]),
  ]
  return words
    .filter(({ term }) => term !== STATUS_WORDS.compared.term)
    .map(({ term, meaning }) => `${term}: ${meaning}`)
}
