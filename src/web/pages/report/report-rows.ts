import { html } from 'hono/html'
import { shortFunctionName } from '../../../profile/function-name.ts'
import { acceptedPhrases } from '../../../render/acceptance-words.ts'
import { evidencePhrase, isSaidOfWholeRun } from '../../../render/evidence-words.ts'
import {
  MEASUREMENT_WORDS,
  OUTCOME_WORDS,
  THRESHOLD_SOURCE_WORDS,
  VERDICT_WORDS,
  type Word,
} from '../../../render/glossary.ts'
import { sampledWords, withoutChance } from '../../../render/profile-words.ts'
import { queryName } from '../../../render/query-name.ts'
import { againWords, capital } from '../../../render/sections/headline.ts'
import { ignoredPhrase } from '../../../render/sections/ignored.ts'
import type { Ignored, ReportRow, RowProfile, TriageReport } from '../../../report/report.ts'
import { flameGraphPath, ownRowPath, queryPath, rowAnchor, wordsPath } from '../../../report/urls.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted, list } from '../../../text/numbers.ts'
import { toHtml } from '../../../text/phrase.ts'
import { findingsOf } from '../../../verdict/findings.ts'
import type { Html } from '../../kit/layout.ts'
import { sentence } from '../../kit/links.ts'
import { explained, onArchitecture } from '../../kit/word.ts'
import { addressOf, leftOut, shownResults } from '../shown-report.ts'
import { cutAt, LIST_LENGTH } from './report-folds.ts'
import {
  DEFAULT_VIEW,
  FILTER_TERMS,
  LONGEST_SEARCH,
  type ReportView,
  ROW_FILTERS,
  type RowsShown,
  type SortKey,
  viewPath,
} from './report-view.ts'
import { columnHead, plainColumnHead, RESULT_COLUMNS, resultRow } from './result-columns.ts'

/** Characters shown of names from outside; all of them are in the JSON. */
const NAME_LENGTH = 120

const ORDER_WORDS: Record<SortKey, string> = {
  worst: 'worst first',
  test: 'by test',
  old: 'slowest old median first',
  new: 'slowest new median first',
  difference: 'largest slowdown first',
  threshold: 'largest threshold first',
  p: 'smallest p first',
  'rank-p': 'smallest rank p first',
  q: 'smallest q first',
}

/** The table of the queries, with what chooses among them. */
export function rowsSection(report: TriageReport, view: ReportView, shown: RowsShown, path: string): Html {
  const last = shown.first + shown.rows.length
  const range =
    shown.matching === 0
      ? 'No query'
      : shown.pages === 1
        ? counted(shown.matching, 'query', 'queries')
        : `Queries ${count(shown.first + 1)} to ${count(last)} of ${count(shown.matching)}`
  const order = view.reverse ? `${ORDER_WORDS[view.sort]}, reversed` : ORDER_WORDS[view.sort]
  return html`<section id="rows" aria-labelledby="rows-title">
<h2 id="rows-title">Queries</h2>
${filterForm(view, path)}
${ofOneTest(view, path)}
${reportTerms()}
${
  shown.rows.length === 0
    ? html`<p>No query matches. <a href="${path}#rows">Show all of them</a>.</p>`
    : html`${pager('Pages', view, shown, path)}
<div class="scroll" role="region" aria-labelledby="rows-caption" tabindex="0">
<table class="rows queries" data-matching="${shown.matching}"><caption id="rows-caption">${range}, ${order}</caption>
<thead><tr>${RESULT_COLUMNS.map((column) => columnHead(column, view, path))}</tr></thead>
${shown.rows.map(({ row }) => reportRow(report, row, path))}
</table></div>
${pager('Pages, again', view, shown, path)}`
}
</section>`
}

function filterForm(view: ReportView, path: string): Html {
  const option = (value: string, text: string, selected: boolean) =>
    html`<option value="${value}"${selected ? html` selected` : ''}>${text}</option>`
  return html`<form class="filter" method="get" action="${path}#rows" role="search">${view.test === null ? '' : html`<input type="hidden" name="test" value="${view.test}">`}
<label>Outcome <select name="outcome">${option('', 'all', view.show === null)}${ROW_FILTERS.map((filter) => option(filter, FILTER_TERMS[filter], view.show === filter))}</select></label>
<label>Test or query <input name="q" type="search" value="${view.text ?? ''}" maxlength="${LONGEST_SEARCH}" autocomplete="off"></label>
<label>Order <select name="sort">${(Object.keys(ORDER_WORDS) as SortKey[]).map((key) => option(key, ORDER_WORDS[key], view.sort === key))}</select></label>
<button type="submit">Show</button>
</form>
<p class="found" role="status"></p>`
}

/** Links lead to the queries of one test; the form then looks among these. */
function ofOneTest(view: ReportView, path: string): Html | string {
  if (view.test === null) return ''
  return html`<p>Of the test <bdi><b>${plainText(view.test, NAME_LENGTH)}</b></bdi> alone. <a href="${viewPath(path, { ...view, test: null, page: 1 })}#rows">Of all tests</a></p>`
}

function pager(name: string, view: ReportView, shown: RowsShown, path: string): Html | string {
  if (shown.pages === 1) return ''
  const link = (page: number, text: string, rel: string) =>
    page < 1 || page > shown.pages
      ? html`<span class="none">${text}</span>`
      : html`<a rel="${rel}" href="${viewPath(path, { ...view, page })}#rows">${text}</a>`
  return html`<nav class="pager" aria-label="${name}">${link(shown.page - 1, 'Previous', 'prev')}
<span>Page ${count(shown.page)} of ${count(shown.pages)}</span> ${link(shown.page + 1, 'Next', 'next')}</nav>`
}

/** Characters shown of texts from outside; all of them are in the JSON. */
const QUERY_LENGTH = 400

/** One query with its results, what is known of it, and the ways to more. */
function reportRow(report: TriageReport, row: ReportRow, path: string): Html {
  const anchor = rowAnchor(row)
  const address = addressOf(report)
  const title = html`<a class="label" href="#${anchor}"><bdi>${queryName(row, NAME_LENGTH)}</bdi></a>
${tagsOf(row)}<a class="same" href="${ownRowPath(address, row)}">samples and metrics</a><a class="same" href="${queryPath(address, row)}">history</a><a class="same" href="${viewPath(path, { ...DEFAULT_VIEW, test: row.test })}#rows">this test</a>`
  const profile = profileSaid(row.profile, flameGraphPath(address, row))
  return html`<tbody id="${anchor}" class="outcome-${row.outcome ?? 'none'}">${rowsOf(report, row, title, profile)}</tbody>`
}

/** One query of an earlier run, of which this report has no samples and no profile. */
function earlierRow(report: TriageReport, row: ReportRow): Html {
  const title = html`<bdi class="label">${queryName(row, NAME_LENGTH)}</bdi>
${tagsOf(row)}<a class="same" href="${queryPath(addressOf(report), row)}">history</a>`
  return html`<tbody class="outcome-${row.outcome ?? 'none'}">${rowsOf(report, row, title, '')}</tbody>`
}

function tagsOf(row: ReportRow): Html[] {
  return [
    row.verdict === null ? null : explained(VERDICT_WORDS[row.verdict], undefined, `tag ${row.verdict}`),
    row.becauseOfChange === true ? explained(MEASUREMENT_WORDS.becauseOfChange, undefined, 'tag') : null,
    row.guarded ? explained(MEASUREMENT_WORDS.guarded, undefined, 'tag') : null,
    row.sinceLastPush === null
      ? null
      : html`<span class="tag">${row.sinceLastPush === 'new' ? 'new since the last push' : 'unchanged since the last push'}</span>`,
  ].filter((tag) => tag !== null)
}

function rowsOf(report: TriageReport, row: ReportRow, title: Html, profile: Html | string): Html {
  const results = shownResults(row)
  const told = row.evidence.filter((item) => !isSaidOfWholeRun(item, row))
  const phrases = [...acceptedPhrases(row), ...told.map((item) => evidencePhrase(item, row, 'all'))]
  const evidence = [
    ...(row.ignored === undefined ? [] : [ignoredItem(row.ignored)]),
    ...phrases.map((said) => html`<li>${sentence(report, said)}</li>`),
  ]
  return html`
<tr class="query"><th scope="rowgroup" colspan="${RESULT_COLUMNS.length}">${title}
<small>${plainText(row.metric, 40)}${row.unit === null ? '' : `, ${plainText(row.unit, 20)}`}</small>
${row.queryName === null ? '' : html`<code><bdi>${plainText(row.queryName, QUERY_LENGTH)}</bdi></code>`}
${evidence.length === 0 ? '' : html`<ul class="evidence">${evidence}</ul>`}
${profile}</th></tr>
${results.map((result) => resultRow(result, row, report))}
${results.length === row.results.length ? '' : html`<tr><td colspan="${RESULT_COLUMNS.length}">${leftOut(row, results)}</td></tr>`}
`
}

/** The entry of the repository's file that ignores a row. */
export function ignoredItem(entry: Ignored): Html {
  return html`<li>Ignored${'by' in entry ? '' : ' by the repository’s file'}: ${toHtml(ignoredPhrase(entry))}</li>`
}

/** The profile of a row in words, with the way to its flame graph; empty where there is none. */
function profileSaid(profile: RowProfile | null | undefined, flameGraph: string): Html | string {
  if (profile === undefined || profile === null || profile.traceTypes.length === 0) return ''
  const { cautions, total } = withoutChance(profile.words)
  const frames = total.map(
    ({ name, change, points, callers, withinChance }) =>
      html`<li><code><bdi>${plainText(shortFunctionName(name), NAME_LENGTH) || '(no name)'}</bdi></code> ${change} <small>${points}${withinChance ? ', within chance' : ''}${callers === 0 ? '' : `, the same for ${counted(callers, 'frame that only calls', 'frames that only call')} it`}</small></li>`,
  )
  return html`<div class="profile">Profile${onArchitecture(profile.architecture)}, shares of all ${sampledWords(profile)}, old → new: <a href="${flameGraph}">flame graph</a>
${cautions.length === 0 ? '' : html`<p>${cautions.join(' ')}</p>`}${frames.length === 0 ? '' : html`<ul class="evidence">${frames}</ul>`}</div>`
}

/** The words of the table of queries, explained above it: a phone has no column heads and nothing to point with. */
function reportTerms(): Html {
  const columns = RESULT_COLUMNS.flatMap(({ heading = '', word }) => (word === undefined ? [] : [line(heading, word)]))
  return html`<details class="legend"><summary>What the columns and words mean</summary><div>
<dl>${columns}</dl>
<h3>Outcomes</h3>
<dl>${lines(OUTCOME_WORDS)}</dl>
<h3>What to make of a change</h3>
<dl>${lines(VERDICT_WORDS)}</dl>
<h3>Where a threshold comes from</h3>
<dl>${lines(THRESHOLD_SOURCE_WORDS)}</dl>
<p>All of them are in <a href="${wordsPath()}">Words</a>.</p></div></details>`
}

function lines(words: Readonly<Record<string, Word>>): Html[] {
  return Object.values(words).map((word) => line(word.term, word))
}

function line(shown: string, { term, meaning }: Word): Html {
  return html`<div><dt><a class="word" href="${wordsPath(term)}">${shown}</a></dt><dd>${meaning}</dd></div>`
}

export const EARLIER_RUNS_ANCHOR = 'not-measured-again'

/** Rows that an earlier run of the same head left open and that no later one has taken back, with the numbers of then; empty without any. */
export function earlierRunsPart(report: TriageReport): Html | string {
  const { notMeasuredAgain, notSeenAgain } = findingsOf(report)
  const rows = [...notMeasuredAgain, ...notSeenAgain]
  if (rows.length === 0) return ''
  const title = capital(list(againWords({ notMeasuredAgain, notSeenAgain })))
  return html`<section id="${EARLIER_RUNS_ANCHOR}" aria-labelledby="again-title">
<h2 id="again-title">${title}</h2>
<p>An earlier run of this head found this, with the numbers of then. Two later runs that measure it and do not show it take it back.</p>
<div class="scroll" role="region" aria-labelledby="again-caption" tabindex="0">
<table class="rows"><caption id="again-caption">${counted(rows.length, 'query', 'queries')} of an earlier run</caption><thead><tr>${RESULT_COLUMNS.map(plainColumnHead)}</tr></thead>
${rows.slice(0, LIST_LENGTH).map((row) => earlierRow(report, row))}
</table></div>${cutAt(rows.length)}
</section>`
}
