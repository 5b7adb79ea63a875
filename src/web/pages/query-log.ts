import { html } from 'hono/html'
import type { QuantileComparison } from '../../judge/statistics/query-log/compare-sides.ts'
import { shownValue } from '../../judge/verdict/classified-query.ts'
import type { QueryLogRow } from '../../judge/verdict/classify-query-log.ts'
import { type ComparedGroup, comparedGroups, type QueryLogReport } from '../../report/query-log.ts'
import {
  changeWords,
  commonQuery,
  contextPhrases,
  headline,
  judgedWords,
  lineOf,
  metricPhrase,
  notices,
  otherMetrics,
  outcomeWords,
  plainName,
  variantPiece,
  wordsUsed,
} from '../../report/render/query-log/words.ts'
import { DIFFERENCE, JUDGED } from '../../report/row/columns.ts'
import { NOTE_WORDS } from '../../report/words.ts'
import { plainText } from '../../text/markdown.ts'
import { count, counted, moved, values } from '../../text/numbers.ts'
import { capitalized, joined } from '../../text/phrase.ts'
import { toHtml } from '../../text/phrase-html.ts'
import type { Column } from '../../text/table.ts'
import { type Html, layout } from '../kit/layout.ts'
import { cells, headings, numberCell } from '../kit/table.ts'
import { plain, said } from '../kit/word.ts'

/** Groups with all their metrics; a log can have thousands, and all of them are in the JSON of the command line. */
const MOST_GROUPS = 200

/** Characters shown of a query. */
const QUERY_LENGTH = 400

/** The page of a query log, which is a file: no server has one. */
export function queryLogPage(report: QueryLogReport, version: string): Html {
  const query = commonQuery(report)
  const context = joined(contextPhrases(report), ' · ')
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
${variantList(report)}
<p>${judgedWords(report)}</p>
${groupsPart(report)}
${costsPart(report)}
${meanings(report)}`,
  })
}

function noticeList(report: QueryLogReport): Html | string {
  const all = [...notices(report)]
  if (all.length === 0) return ''
  return html`<ul class="notices">${all.map((notice) => html`<li>${toHtml(capitalized(notice))}</li>`)}</ul>`
}

/** What is to be said of each variant, where there are several. */
function variantList(report: QueryLogReport): Html | string {
  if (!hasSeveral(report)) return ''
  const [, ...others] = report.variants
  return html`<ul>${others.map((variant) => html`<li>${toHtml([variantPiece(variant)])}: ${lineOf(report, variant)}.</li>`)}</ul>`
}

function hasSeveral({ variants }: QueryLogReport): boolean {
  return variants.length > 2
}

/** All groups by the metric that decides, the variants beside each other, and on demand by every metric. */
function groupsPart(report: QueryLogReport): Html {
  const groups = comparedGroups(report)
  const left = groups.length - MOST_GROUPS
  const decides = toHtml(metricPhrase(report.counted))
  return html`${queriesTable(
    'Group',
    html`Each group by ${decides}, worst first; below it, what else changed, with every metric on demand.`,
    groups.slice(0, MOST_GROUPS).map((group) => groupBody(report, group)),
  )}
${left > 0 ? html`<p>And ${counted(left, 'group', 'groups')} more, in the JSON of the command line.</p>` : ''}`
}

function costsPart(report: QueryLogReport): Html | string {
  const { costs, variants } = report
  if (costs.length === 0) return ''
  const metrics = [...Map.groupBy(costs, ({ metric }) => metric).values()]
  return html`<h2>What it costs besides the queries</h2>
${queriesTable(
  'Cost',
  'Merges, and the sizes of all active parts at one point in time.',
  metrics.map((rows) => {
    const [row] = rows
    const name = toHtml(capitalized(metricPhrase(row!.metric)))
    const title = hasSeveral(report) ? name : html`${name} ${outcome(row!)}`
    const group = variants.slice(1).map((variant) => rows.filter((row) => row.variant === variant))
    return html`<tbody>${linesOf(report, title, group)}</tbody>`
  }),
)}`
}

function queriesTable(heading: string, caption: Html | string, bodies: readonly Html[]): Html {
  return html`<div class="scroll" role="region" aria-label="${heading}" tabindex="0">
<table class="queries"><caption>${caption}</caption>
${headings([{ heading, cell: () => html`` }, ...COLUMNS])}
${bodies}
</table></div>`
}

function groupBody(report: QueryLogReport, group: ComparedGroup): Html {
  const [row] = group.find((rows) => rows.length > 0)!
  const title = html`<bdi class="label">${plainName(report, row!)}</bdi>`
  return html`<tbody>${linesOf(report, title, group)}${saidOf(report, group)}</tbody>
`
}

/** The line of a group, or one for each variant below its name. */
function linesOf(report: QueryLogReport, title: Html, group: ComparedGroup): Html {
  if (!hasSeveral(report)) {
    const [row] = group[0]!
    return html`${line(row!, title, 'query')}`
  }
  const first = toHtml([variantPiece(report.variants[0]!)])
  return html`<tr class="query"><th scope="rowgroup" colspan="${COLUMNS.length + 1}">${title}</th></tr>
${group.map(([row]) => {
  if (row === undefined) return ''
  const sides = html`${first} → ${toHtml([variantPiece(row.variant)])}`
  return line(row, html`${sides} ${outcome(row)}`, 'also')
})}`
}

function line(row: QueryLogRow, head: Html, kind: string): Html {
  const moved = row.outcome === 'changed' ? ` ${row.direction ?? ''}` : ''
  return html`<tr class="${kind}${moved}"><th scope="row">${head}</th>${cells(COLUMNS, row)}</tr>
`
}

/** How the group came out and what else changed in it; every metric of it on demand. */
function saidOf(report: QueryLogReport, group: ComparedGroup): Html | string {
  const words = hasSeveral(report) ? group.map(variantWords) : [groupWords(group[0]!)]
  const told = words.filter((one) => one !== '')
  const rows = group.flat()
  const isAlone = group.every((ofVariant) => ofVariant.length <= 1)
  if (isAlone && told.length === 0) return ''
  const shown = isAlone
    ? html`<p class="alone">${told}</p>`
    : html`<details><summary>${hasSeveral(report) ? 'Every metric' : ''}${told}</summary>${metricsTable(report, rows)}</details>`
  return html`<tr class="said"><td colspan="${COLUMNS.length + 1}">${shown}</td></tr>`
}

function groupWords([row, ...others]: readonly QueryLogRow[]): Html {
  const { verdict } = row!.traffic
  const notes = row!.notes.map(
    (note) => html` <span class="tag" title="${plain(NOTE_WORDS[note].meaning)}">${NOTE_WORDS[note].term}</span>`,
  )
  return html`<span class="tag${verdict === null ? '' : ` ${verdict}`}">${outcomeWords(row!)}</span>${notes} ${factsOf(others)}`
}

function variantWords([row, ...others]: readonly QueryLogRow[]): Html | string {
  const facts = row === undefined ? '' : factsOf(others)
  return facts === '' ? '' : html`<span>${toHtml([variantPiece(row!.variant)])}: ${facts}</span>`
}

function factsOf(others: readonly QueryLogRow[]): Html | string {
  const facts = otherMetrics(others)
  return facts.length === 0 ? '' : html`<span>${toHtml(joined(facts, ' · '))}</span>`
}

/** Every metric that is shown of a group, the variants of each below each other. */
function metricsTable(report: QueryLogReport, rows: readonly QueryLogRow[]): Html {
  const variantOf = ({ variant }: QueryLogRow) => (hasSeveral(report) ? html` ${toHtml([variantPiece(variant)])}` : '')
  const ofMetrics = [...Map.groupBy(rows, ({ metric }) => metric).values()].flat()
  return html`<div class="scroll" role="region" aria-label="Every metric of ${plainName(report, rows[0]!)}" tabindex="0"><table class="queries">
${headings([{ heading: 'Metric', cell: () => html`` }, ...COLUMNS])}
<tbody>${ofMetrics.map((row) =>
    line(
      row,
      html`<span title="${row.metric}">${toHtml(capitalized(metricPhrase(row.metric)))}</span>${variantOf(row)} ${outcome(row)}`,
      'also',
    ),
  )}</tbody></table></div>`
}

const COLUMNS: readonly Column<QueryLogRow>[] = [
  sideColumn('Old', 'old'),
  sideColumn('New', 'new'),
  {
    ...DIFFERENCE,
    head: html`Difference <small>of the medians</small>`,
    shown: (value, { old, new: fresh }) => moved(value, shownValue(old), shownValue(fresh)),
  },
  { ...JUDGED.threshold, head: html`Threshold <small>of 1% by chance</small>` },
  JUDGED.pValue,
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
  {
    heading: 'Executions',
    isNumber: true,
    cell: ({ status, old, new: fresh }, name) =>
      status === 'measured-once'
        ? none(name)
        : html`<td class="n" data-name="${name}">${count(old.repetitions ?? 0)} + ${count(fresh.repetitions ?? 0)}</td>`,
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
    : html`<small>${words}</small>${notes}`
}

/** What the notes and states of the rows mean. */
function meanings({ rows, whole, costs }: QueryLogReport): Html | string {
  const words = wordsUsed([...rows, ...whole, ...costs])
  if (words.length === 0) return ''
  return html`<h2>Words</h2>
<dl class="facts">${words.map(({ term, meaning }) => html`<div><dt>${term}</dt><dd>${meaning}</dd></div>`)}</dl>`
}
