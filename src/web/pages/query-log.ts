import { html } from 'hono/html'
import { NOTE_WORDS } from '../../render/glossary.ts'
import {
  changeWords,
  commonQuery,
  contextPhrases,
  headline,
  judgedWords,
  lineOf,
  metricPhrase,
  notices,
  outcomeWords,
  plainName,
  variantPiece,
  wordsUsed,
} from '../../render/query-log.ts'
import { groupsOf, type QueryLogReport, withMetrics } from '../../report/query-log.ts'
import type { QuantileComparison } from '../../statistics/query-log/compare-sides.ts'
import { plainText } from '../../text/markdown.ts'
import { count, counted, moved, percent, pValue, values } from '../../text/numbers.ts'
import { capitalized, joined } from '../../text/phrase.ts'
import { toHtml } from '../../text/phrase-html.ts'
import type { Column } from '../../text/table.ts'
import { shownValue } from '../../verdict/classified-query.ts'
import type { QueryLogRow } from '../../verdict/classify-query-log.ts'
import { type Html, layout } from '../kit/layout.ts'
import { cells, headings, numberCell } from '../kit/table.ts'
import { said } from '../kit/word.ts'

/** Groups with all their metrics; a log can have thousands, and all of them are in the JSON of the command line. */
const MOST_GROUPS = 200

/** Characters shown of a query. */
const QUERY_LENGTH = 400

/** The page of a query log, which is a file: no server has one. */
export function queryLogPage(report: QueryLogReport, version: string): Html {
  const query = commonQuery(report)
  const context = joined(contextPhrases(report), ' · ')
  const shown = report.variants.slice(1)
  return layout({
    title: `Query log: ${headline(report)}`,
    version,
    wide: true,
    isFile: true,
    content: html`<h1>Query log</h1>
<p class="lead"><strong>${headline(report)}.</strong></p>
<p>${toHtml(context)}</p>
${query === null ? '' : html`<p><code><bdi>${plainText(query, QUERY_LENGTH)}</bdi></code></p>`}
${noticeList(report)}
<p>${judgedWords(report)}</p>
${shown.map((variant) => variantPart(report, variant))}
${costsPart(report)}
${meanings(report)}`,
  })
}

function noticeList(report: QueryLogReport): Html | string {
  const all = [...notices(report)]
  if (all.length === 0) return ''
  return html`<ul class="notices">${all.map((notice) => html`<li>${toHtml(capitalized(notice))}</li>`)}</ul>`
}

/** All groups of a variant against the first, each with its metrics. */
function variantPart(report: QueryLogReport, variant: string): Html {
  const whole = withMetrics(
    report.whole.filter((row) => row.variant === variant),
    report,
    false,
  )
  const groups = groupsOf(report, false).filter(([row]) => row!.variant === variant)
  const all = whole.length === 0 ? groups : [whole, ...groups]
  const left = all.length - MOST_GROUPS
  const sides = html`${toHtml([variantPiece(variant)])} against ${toHtml([variantPiece(report.variants[0]!)])}`
  const summary = report.variants.length > 2 ? html`<p class="lead">${lineOf(report, variant)}.</p>` : ''
  return html`<h2>${sides}</h2>
${summary}
${rowsTable(
  'Each group by each metric, worst first',
  all.slice(0, MOST_GROUPS).map((rows) => ({ title: plainName(report, rows[0]!), rows })),
)}
${left > 0 ? html`<p>And ${counted(left, 'group', 'groups')} more, in the JSON of the command line.</p>` : ''}`
}

function costsPart({ costs }: QueryLogReport): Html | string {
  if (costs.length === 0) return ''
  const groups = Map.groupBy(costs, ({ test, variant }) => JSON.stringify([test, variant]))
  return html`<h2>What it costs beside the queries</h2>
${rowsTable(
  'Merges, and the sizes of all active parts at one moment',
  [...groups.values()].map((rows) => ({ title: rows[0]!.test, rows })),
)}`
}

interface TitledRows {
  readonly title: string
  readonly rows: readonly QueryLogRow[]
}

function rowsTable(caption: string, groups: readonly TitledRows[]): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
<table class="rows"><caption>${caption}</caption>
${headings(COLUMNS)}
${groups.map(
  ({ title, rows }) => html`<tbody class="outcome-${rows[0]!.outcome ?? 'none'}">
<tr class="query"><th colspan="${COLUMNS.length}" scope="rowgroup"><bdi class="label">${title}</bdi> <small>${executionsOf(rows[0]!)}</small></th></tr>
${rows.map((row) => html`<tr>${cells(COLUMNS, row)}</tr>`)}</tbody>`,
)}
</table></div>`
}

function executionsOf({ test, old, new: fresh }: QueryLogRow): string {
  const what = test === 'merges' || test === 'parts' ? test : 'executions'
  return test === 'parts' ? '' : `${count(old.repetitions ?? 0)} + ${count(fresh.repetitions ?? 0)} ${what}`
}

const COLUMNS: readonly Column<QueryLogRow>[] = [
  {
    heading: 'Metric',
    cell: ({ metric }) => html`<th scope="row" title="${metric}">${toHtml(capitalized(metricPhrase(metric)))}</th>`,
  },
  { heading: 'Outcome', cell: (row, name) => html`<td data-name="${name}">${outcome(row)}</td>` },
  sideColumn('Old', 'old'),
  sideColumn('New', 'new'),
  {
    heading: 'Difference',
    head: html`Difference <small>of the medians</small>`,
    isNumber: true,
    cell: ({ difference, old, new: fresh }, name) =>
      numberCell(name, difference, (value) => moved(value, shownValue(old), shownValue(fresh))),
  },
  {
    heading: 'Threshold',
    head: html`Threshold <small>of 1 % by chance</small>`,
    isNumber: true,
    cell: ({ threshold }, name) => numberCell(name, threshold, percent),
  },
  { heading: 'p', isNumber: true, cell: (row, name) => numberCell(name, row.pValue, pValue) },
  quantileColumn('95th percentile', ({ traffic }) => traffic.p95),
  {
    heading: 'Averages',
    head: html`Averages <small>of all, not tested</small>`,
    isNumber: true,
    cell: ({ traffic: { crude }, unit }, name) =>
      crude === null
        ? none(name)
        : html`<td class="n" data-name="${name}">${changeWords(crude.old.mean, crude.new.mean, unit)}</td>`,
  },
]

function none(name: string): Html {
  return html`<td class="n none" data-name="${name}">–</td>`
}

function sideColumn(heading: string, side: 'old' | 'new'): Column<QueryLogRow> {
  return {
    heading,
    isNumber: true,
    cell: (row, name) =>
      numberCell(name, shownValue(row[side]), (value) =>
        row.unit === null && Number.isInteger(value) && value < 100_000 ? count(value) : values([value], row.unit),
      ),
  }
}

function quantileColumn(heading: string, of: (row: QueryLogRow) => QuantileComparison | null): Column<QueryLogRow> {
  return {
    heading,
    head: html`${heading} <small>decides nothing</small>`,
    isNumber: true,
    cell: (row, name) => {
      const quantile = of(row)
      if (quantile === null) return none(name)
      return html`<td class="n" data-name="${name}">${changeWords(quantile.old, quantile.new, row.unit)}</td>`
    },
  }
}

function outcome(row: QueryLogRow): Html {
  const words = outcomeWords(row)
  const notes = row.notes.map((note) => html`, <small>${said(NOTE_WORDS[note])}</small>`)
  return row.outcome === 'changed'
    ? html`<b class="${row.direction ?? ''}">${words}</b>${notes}`
    : html`${words}${notes}`
}

/** What the notes and states of the rows mean. */
function meanings({ rows, whole, costs }: QueryLogReport): Html | string {
  const words = wordsUsed([...rows, ...whole, ...costs])
  if (words.length === 0) return ''
  return html`<h2>Words</h2>
<dl class="facts">${words.map(({ term, meaning }) => html`<div><dt>${term}</dt><dd>${meaning}</dd></div>`)}</dl>`
}
