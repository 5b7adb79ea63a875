import type { QueryLogRow } from '../../../judge/verdict/classify-query-log.ts'
import { codeSpan, fold, MESSAGE_LIMIT, NAME_LIMIT, tableHead, tableRow } from '../../../text/markdown.ts'
import { count, percent, pValue } from '../../../text/numbers.ts'
import { toMarkdown } from '../../../text/phrase.ts'
import { type ComparedGroup, comparedGroups, type QueryLogReport } from '../../query-log.ts'
import { NOTE_WORDS } from '../../words.ts'
import { COMMENT_LIMIT } from '../comment.ts'
import { fitLines } from '../layout.ts'
import {
  changedMetrics,
  commonQuery,
  contextPhrases,
  differenceWords,
  headline,
  judgedBy,
  judgedWords,
  lineOf,
  medians,
  metricPhrase,
  namesOf,
  notices,
  otherMetrics,
  outcomeWords,
  shortDifference,
  variantPiece,
} from './words.ts'

/** Groups in the table that stands open; the rest is folded below it. */
const OPEN_GROUPS = 20
/** Groups with a table of all their metrics, which is what a person opens who doubts a row. */
const MOST_TABLES = 20
/** Kept free for what stands below the tables. */
const RESERVE = 600

/** The comment of a query log: the same report gives the same bytes. */
export function renderQueryLog(report: QueryLogReport): string {
  const query = commonQuery(report)
  const top = [
    `### ${headline(report)}`,
    contextPhrases(report)
      .map((part) => toMarkdown(part))
      .join(' · '),
    ...(query === null ? [] : [codeSpan(query, MESSAGE_LIMIT)]),
    ...[...notices(report)].map((notice) => `**Note:** ${toMarkdown(notice)}`),
    ...variantLines(report),
  ].join('\n\n')
  const bottom = [costs(report), judgedWords(report)].filter((part) => part !== '').join('\n\n')
  const room = COMMENT_LIMIT - top.length - bottom.length - RESERVE
  const groups = comparedGroups(report)
  const table = groupsTable(report, groups, Math.floor(room / 2))
  const parts = [top, table, bottom, metricTables(report, groups, room - table.length)]
  return parts.filter((part) => part !== '').join('\n\n')
}

function hasSeveral({ variants }: QueryLogReport): boolean {
  return variants.length > 2
}

/** What is to be said of each variant, where there are several. */
function variantLines(report: QueryLogReport): string[] {
  if (!hasSeveral(report)) return []
  const lines = report.variants.slice(1).map((variant) => `- **${variantWord(variant)}**: ${lineOf(report, variant)}`)
  return [lines.join('\n')]
}

function variantWord(variant: string): string {
  return toMarkdown([variantPiece(variant)])
}

/** A column for each variant, each against the first, which heads the names: so two of them fit a phone. */
function variantHeads(report: QueryLogReport, what: string): readonly string[] {
  const [first = '', ...others] = report.variants
  return [`${what}${what === '' ? '' : ', '}${variantWord(first)} →`, ...others.map(variantWord)]
}

/** The groups by the metric that decides, with what else changed in each: those that stand open, and the others folded. */
function groupsTable(report: QueryLogReport, groups: readonly ComparedGroup[], room: number): string {
  const decides = toMarkdown(metricPhrase(report.counted))
  const heads = hasSeveral(report) ? variantHeads(report, decides) : ['', `${decides}, before → after`]
  const head = tableHead(heads)
  const lines = groups.map((group) =>
    hasSeveral(report) ? tableRow([groupName(report, group), ...group.map(variantCell)]) : groupLine(report, group[0]!),
  )
  const [open, folded] = [lines.slice(0, OPEN_GROUPS), lines.slice(OPEN_GROUPS)]
  const rest = (left: number) => tableRow([`and ${count(left)} more`, ...heads.slice(1).map(() => '')])
  const table = `${head}\n${fitLines(open, room - head.length, rest)}`
  if (folded.length === 0) return table
  const left = room - table.length - 2 * head.length
  return `${table}\n\n${fold(`${count(folded.length)} more`, `${head}\n${fitLines(folded, left, rest)}`)}`
}

function groupName(report: QueryLogReport, group: ComparedGroup): string {
  const [row] = group.find((rows) => rows.length > 0) ?? []
  return row === undefined ? '' : `**${nameOf(report, row)}**`
}

/** One of several variants: the numbers, what else changed and the notes. Its values and all thresholds are in the tables of all metrics. */
function variantCell([row, ...others]: readonly QueryLogRow[]): string {
  if (row === undefined) return '–'
  if (row.difference === null) return outcomeWords(row)
  const words = `${differenceWords(row)}, ${outcomeWords(row)}`
  return [
    medians(row).replace('\u00a0→\u00a0', ' → '),
    row.outcome === 'changed' ? `**${words}**` : words,
    ...changedMetrics(others).map((other) => `${toMarkdown(metricPhrase(other.metric))} ${shortDifference(other)}`),
    ...row.notes.map((note) => NOTE_WORDS[note].term),
  ].join('<br>')
}

function groupLine(report: QueryLogReport, rows: readonly QueryLogRow[]): string {
  const [row, ...others] = rows
  const facts = [otherMetrics(others).map((fact) => toMarkdown(fact)), judgedBy(row!)].map((line) => line.join(' · '))
  const outcome = row!.outcome === 'changed' ? `**${outcomeWords(row!)}**` : outcomeWords(row!)
  const isCompared = row!.difference !== null
  const by = isCompared
    ? `<br>${row!.outcome === 'changed' ? `**${differenceWords(row!)}**` : differenceWords(row!)}`
    : ''
  const name = `**${nameOf(report, row!)}**: ${outcome}`
  return tableRow([
    [name, ...facts].filter((line) => line !== '').join('<br>'),
    `${isCompared ? medians(row!) : '–'}${by}`,
  ])
}

/** A group by its value, and the query where there are several. */
function nameOf(report: QueryLogReport, row: QueryLogRow): string {
  if (report.whole.includes(row)) return row.test
  return namesOf(report, row)
    .map((name) => codeSpan(name, NAME_LIMIT))
    .join(' ')
}

/** What the change costs beside the queries, the variants beside each other. */
function costs(report: QueryLogReport): string {
  const { costs: rows, variants } = report
  if (rows.length === 0) return ''
  const metrics = [...Map.groupBy(rows, ({ metric }) => metric).values()].slice(0, OPEN_GROUPS)
  const lines = metrics.map((ofMetric) => {
    const [row] = ofMetric
    const name = `**${toMarkdown(metricPhrase(row!.metric))}**`
    if (!hasSeveral(report)) return costLine(name, row!)
    return tableRow([
      name,
      ...variants.slice(1).map((variant) => variantCell(ofMetric.filter((one) => one.variant === variant))),
    ])
  })
  const head = tableHead(hasSeveral(report) ? variantHeads(report, '') : ['', 'before → after'])
  return `**What it costs beside the queries**\n\n${head}\n${lines.join('\n')}`
}

function costLine(name: string, row: QueryLogRow): string {
  const outcome = row.outcome === 'changed' ? `**${outcomeWords(row)}**` : outcomeWords(row)
  const facts = row.test === 'merges' ? `<br>${judgedBy(row).join(' · ').replace(' executions', ' merges')}` : ''
  const numbers = row.difference === null ? '–' : `${medians(row)}<br>${shortDifference(row)}`
  return tableRow([`${name}: ${outcome}${facts}`, numbers])
}

/** Every metric of the groups that come first, folded. */
function metricTables(report: QueryLogReport, groups: readonly ComparedGroup[], room: number): string {
  // of several variants the thresholds are here alone
  const told = groups.filter((group) => hasSeveral(report) || group[0]!.length > 1).slice(0, MOST_TABLES)
  if (told.length === 0) return ''
  const tables = told.map((group) =>
    hasSeveral(report) ? variantsMetrics(report, group) : metricsOf(report, group[0]!),
  )
  const isOneMetric = told.every((group) => group.every((rows) => rows.length <= 1))
  const summary = isOneMetric
    ? 'Thresholds of each group'
    : 'Time, CPU, parts, marks, rows, bytes and memory of each group'
  const fitting: string[] = []
  let used = summary.length + 60
  for (const table of tables) {
    if (used + table.length + 2 > room) break
    fitting.push(table)
    used += table.length + 2
  }
  return fitting.length === 0 ? '' : fold(summary, fitting.join('\n\n'))
}

function metricsOf(report: QueryLogReport, rows: readonly QueryLogRow[]): string {
  const head = tableHead(['metric', 'before → after', 'change', 'threshold'])
  const lines = rows.map((row) =>
    tableRow([
      toMarkdown(metricPhrase(row.metric)),
      medians(row),
      row.difference === null ? outcomeWords(row) : `${shortDifference(row)}, ${outcomeWords(row)}`,
      row.threshold === null ? '–' : percent(row.threshold),
    ]),
  )
  return `${nameOf(report, rows[0]!)}\n\n${head}\n${lines.join('\n')}`
}

function variantsMetrics(report: QueryLogReport, group: ComparedGroup): string {
  const [rows = []] = group.toSorted((a, b) => b.length - a.length)
  const lines = rows.map(({ metric }) => {
    const cells = group.map((ofVariant) => metricCell(ofVariant.find((row) => row.metric === metric)))
    return tableRow([toMarkdown(metricPhrase(metric)), ...cells])
  })
  const first = group.map(([row]) => (row === undefined ? '–' : executionsWords(row)))
  const head = tableHead(variantHeads(report, ''))
  return `${groupName(report, group)}\n\n${[head, ...lines, tableRow(['executions', ...first])].join('\n')}`
}

function executionsWords({ old, new: fresh }: QueryLogRow): string {
  return `${count(old.repetitions ?? 0)} + ${count(fresh.repetitions ?? 0)}`
}

function metricCell(row: QueryLogRow | undefined): string {
  if (row === undefined) return '–'
  if (row.difference === null) return outcomeWords(row)
  const p = row.pValue === null ? '' : `, p\u00a0${pValue(row.pValue)}`
  const threshold = row.threshold === null ? '' : `<br>threshold ${percent(row.threshold)}${p}`
  const numbers = medians(row).replace('\u00a0→\u00a0', ' → ')
  return `${numbers}<br>${shortDifference(row)}, ${outcomeWords(row)}${threshold}`
}
