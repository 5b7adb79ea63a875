import { html } from 'hono/html'
import { type ClassifiedQuery, shownValue } from '../../judge/verdict/classified-query.ts'
import { NEEDED_REPETITIONS } from '../../judge/verdict/evidence/own-measurement.ts'
import { onceLines } from '../../report/render/comparison-words.ts'
import {
  differenceWords,
  headline,
  isOneQuery,
  judgedWords,
  sortedRows,
  variantPhrases,
} from '../../report/render/variants.ts'
import { queryName } from '../../report/row/name.ts'
import { anyOf, together, type VariantRow, type VariantsReport } from '../../report/variants.ts'
import { plainText } from '../../text/markdown.ts'
import { counted, values } from '../../text/numbers.ts'
import { capitalized } from '../../text/phrase.ts'
import { toHtml } from '../../text/phrase-html.ts'
import type { Column } from '../../text/table.ts'
import { type Html, layout } from '../kit/layout.ts'
import { cells, headings } from '../kit/table.ts'

/** Characters shown of names from outside; all of them are in the JSON. */
const NAME_LENGTH = 120

/** Rows of a table; more are in the JSON of the command line. */
const MOST_ROWS = 300

/** Several variants, each against the first, in one table: a page that is a file, which no server has. */
export function variantsPage(report: VariantsReport, version: string): Html {
  const { rows, others } = sortedRows(report)
  const { results, warnings } = together(report)
  const metrics = new Set(rows.map((row) => anyOf(row).metric))
  return layout({
    title: headline(report),
    version,
    wide: true,
    isFile: true,
    content: html`<h1>Variants</h1>
<p class="lead"><strong>${headline(report)}.</strong></p>
<ul>${variantPhrases(report).map(({ line, of }) => html`<li>${toHtml(line)}${of.length === 0 ? '' : html`<ul>${of.map((one) => html`<li>${toHtml(one)}</li>`)}</ul>`}</li>`)}</ul>
${onceLines(results, NEEDED_REPETITIONS).map((line) => html`<p>${toHtml(capitalized([line]))}.</p>`)}
${rowsTable(report, rows, metrics.size > 1 ? 'Each metric, worst first' : `By ${plainText([...metrics][0] ?? '', NAME_LENGTH)}, worst first`, metrics.size > 1)}
${others.length === 0 ? '' : html`<details><summary>${counted(others.length, 'row', 'rows')} of other metrics</summary>${rowsTable(report, others, 'Metrics beside the one that decides', true)}</details>`}
${
  warnings.length === 0
    ? ''
    : html`<details><summary>${counted(warnings.length, 'warning', 'warnings')}</summary><ul>${warnings.slice(0, MOST_ROWS).map(({ where, message }) => html`<li><code><bdi>${plainText(where, NAME_LENGTH)}</bdi></code>: <bdi>${plainText(message, NAME_LENGTH * 2)}</bdi></li>`)}</ul></details>`
}`,
  })
}

function rowsTable(report: VariantsReport, rows: readonly VariantRow[], caption: string, hasMetrics: boolean): Html {
  const columns = columnsOf(report, rows, hasMetrics)
  const left = rows.length - MOST_ROWS
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="queries variants"><caption>${caption}</caption>
${headings(columns)}
${rows.slice(0, MOST_ROWS).map(
  (row) => html`<tbody><tr class="query">${cells(columns, row)}</tr></tbody>
`,
)}</table></div>${left > 0 ? html`<p>And ${counted(left, 'row', 'rows')} more, in the JSON of the command line.</p>` : ''}`
}

function columnsOf(
  { reference, variants }: VariantsReport,
  rows: readonly VariantRow[],
  hasMetrics: boolean,
): readonly Column<VariantRow>[] {
  const isOne = isOneQuery(rows)
  return [
    {
      heading: isOne ? 'Metric' : 'Query',
      cell: (row) => {
        const one = anyOf(row)
        const metric = plainText(one.metric, NAME_LENGTH)
        const more = hasMetrics && !isOne ? html` <small>${metric}</small>` : ''
        return html`<th scope="row"><bdi class="label">${isOne ? metric : queryName(one, NAME_LENGTH)}</bdi>${more}</th>`
      },
    },
    {
      heading: plainText(reference, NAME_LENGTH),
      isNumber: true,
      cell: (row, name) => html`<td class="n" data-name="${name}">${shownText(anyOf(row), 'old')}</td>`,
    },
    ...variants.map(
      (variant, index): Column<VariantRow> => ({
        heading: plainText(variant.name, NAME_LENGTH),
        isNumber: true,
        cell: (row, name) => variantCell(name, row[index]),
      }),
    ),
  ]
}

function variantCell(name: string, row: ClassifiedQuery | undefined): Html {
  if (row === undefined) return html`<td class="n none" data-name="${name}">–</td>`
  const kind = row.outcome === 'changed' ? (row.direction ?? '') : ''
  const by = kind === '' ? differenceWords(row) : html`<b class="${kind}">${differenceWords(row)}</b>`
  const value = shownValue(row.new) === null ? '' : html`${shownText(row, 'new')} <br>`
  return html`<td class="n" data-name="${name}">${value}${by}${judgedWords(row).map((line) => html` <br><small>${line}</small>`)}</td>`
}

function shownText(row: ClassifiedQuery, side: 'old' | 'new'): string {
  const value = shownValue(row[side])
  return value === null ? '–' : values([value], row.unit === null ? null : plainText(row.unit, 20))
}
