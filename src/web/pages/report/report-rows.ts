import { html } from 'hono/html'
import { shortFunctionName } from '../../../judge/profile/function-name.ts'
import type { ClassifiedQuery } from '../../../judge/verdict/classified-query.ts'
import type { Evidence } from '../../../judge/verdict/evidence/evidence.ts'
import { findingsOf } from '../../../judge/verdict/findings.ts'
import { isOpen } from '../../../judge/verdict/verdict.ts'
import { EVIDENCE_WORDS, evidencePhrase, isSaidOfWholeRun } from '../../../report/evidence-words.ts'
import { decisive, nounOf, nounsOf, sampledWords } from '../../../report/parts.ts'
import { acceptedPhrases } from '../../../report/render/acceptance-words.ts'
import { withoutChance } from '../../../report/render/profile-words.ts'
import { againWords } from '../../../report/render/sections/headline.ts'
import { ignoredPhrase } from '../../../report/render/sections/ignored.ts'
import { countersOf } from '../../../report/render/sections/other-metrics.ts'
import type { Ignored, ReportRow, RowProfile, TriageReport } from '../../../report/report.ts'
import { queryName } from '../../../report/row/name.ts'
import { flameGraphPath, ownRowPath, queryOfReportPath, rowAnchor, wordsPath } from '../../../report/urls.ts'
import { MEASUREMENT_WORDS, OUTCOME_WORDS, THRESHOLD_SOURCE_WORDS, VERDICT_WORDS } from '../../../report/words.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted, list } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { toHtml } from '../../../text/phrase-html.ts'
import { LONGEST_SEARCH } from '../../../text/searched-text.ts'
import type { Term } from '../../../text/word.ts'
import { sampleDots } from '../../kit/charts/sample-dots.ts'
import { definitionOf } from '../../kit/glossary.ts'
import type { Html } from '../../kit/layout.ts'
import { sentence } from '../../kit/links.ts'
import { cells, headings } from '../../kit/table.ts'
import { architectureName, meaningOf, onArchitecture, plain, said, word } from '../../kit/word.ts'
import { addressOf, leftOut, shownResults } from '../shown-report.ts'
import { cutAt, LIST_LENGTH } from './report-folds.ts'
import { DEFAULT_VIEW, type ReportView, type RowsShown, viewPath } from './report-view.ts'
import {
  BY_TEST,
  columnsOf,
  type Line,
  outcomeOf,
  plainColumnHead,
  type ResultColumn,
  SORTS,
  type Sort,
  sameRepetitions,
  WORST,
  withoutRepetitions,
} from './result-columns.ts'
import { NO_SAMPLES, type SamplesOf } from './row-samples.ts'

/** Characters shown of names from outside; all of them are in the JSON. */
const NAME_LENGTH = 120

/** The table of the queries, with what chooses among them. */
export function rowsSection(
  report: TriageReport,
  view: ReportView,
  shown: RowsShown,
  path: string,
  samples: SamplesOf = NO_SAMPLES,
): Html {
  const last = shown.first + shown.rows.length
  const range =
    shown.matching === 0
      ? `No ${nounsOf(report.rows)[0]}`
      : shown.pages === 1
        ? nounOf(report, shown.matching)
        : `${capital(nounsOf(report.rows)[1])} ${count(shown.first + 1)} to ${count(last)} of ${count(shown.matching)}`
  const order = view.reverse ? `${view.sort.words}, reversed` : view.sort.words
  const { main, further } = columnsOf(report.rows)
  const dots = dotsColumns(shown, samples)
  const once = saidOnce(report, dots.length > 0)
  const asked = view.columns === 'all' ? further : main
  const columns = [...dots, ...withoutRepetitions(asked, once.repetitions)]
  return html`<section id="rows" aria-labelledby="rows-title">
<h2 id="rows-title" class="unseen">Queries</h2>
${filterForm(view, path)}
${ofOneTest(view, path)}
${
  shown.rows.length === 0
    ? html`<p>No query matches. <a href="${path}#rows">Show all of them</a>.</p>`
    : html`<div class="scroll" role="region" aria-labelledby="rows-caption" tabindex="0">
<table class="queries lines" data-matching="${shown.matching}"><caption id="rows-caption">${range}, ${order}.${once.words} ${columnsLink(view, path)}</caption>
<thead><tr>${[QUERY_HEAD, ...columns].map((column) => columnHead(column, view, path))}</tr></thead>
${shown.rows.map(({ row }) => reportRow(report, row, path, columns, once))}
</table></div>
${pager('Pages', view, shown, path)}`
}
${reportTerms(report, { isFile: false })}
</section>`
}

const QUERY_HEAD: ResultColumn = { heading: 'Query', sort: BY_TEST }

/** The samples of each row, where any are kept. */
function dotsColumns({ rows }: RowsShown, samples: SamplesOf): readonly ResultColumn[] {
  if (!rows.some(({ row }) => row.results.some((result) => samples(result) !== null))) return []
  const cell = ({ result }: Line) => {
    const sides = samples(result)
    return html`<td class="dots">${sides === null ? '' : sampleDots(sides)}</td>`
  }
  return [{ heading: 'Samples', meaning: DOTS_MEANING, cell }]
}

const DOTS_MEANING = 'Each dot is a repetition, old above new, from the smallest value of the row to its largest.'

/** The head of a column of the report: sorts by it, or the other way round. */
function columnHead(
  column: Pick<ResultColumn, 'heading' | 'sort' | 'isNumber' | 'word' | 'meaning'>,
  view: ReportView,
  path: string,
): Html {
  const { heading, sort, isNumber, word, meaning = word === undefined ? undefined : plain(meaningOf(word)) } = column
  const isSorted = sort !== undefined && sort === view.sort
  const ascends = (sort?.ascending === true) !== view.reverse
  const sorted = !isSorted || sort === WORST ? '' : html` aria-sort="${ascends ? 'ascending' : 'descending'}"`
  const text =
    sort === undefined
      ? heading
      : html`<a href="${viewPath(path, { ...view, sort, reverse: isSorted && !view.reverse, page: 1 })}#rows">${heading}${isSorted ? html` <span aria-hidden="true">${view.reverse ? '▴' : '▾'}</span>` : ''}</a>`
  const title = meaning === undefined ? '' : html` title="${meaning}"`
  return html`<th scope="col"${isNumber ? html` class="n"` : ''}${sorted}${title}>${text}</th>`
}

function columnsLink(view: ReportView, path: string): Html {
  return view.columns === 'all'
    ? html`<a href="${viewPath(path, { ...view, columns: 'main' })}#rows">Fewer columns</a>`
    : html`<a href="${viewPath(path, { ...view, columns: 'all' })}#rows">All columns</a>`
}

/** The counts above it choose an outcome: the form keeps it. */
function filterForm(view: ReportView, path: string): Html {
  const hidden = (name: string, value: string | null) =>
    value === null ? '' : html`<input type="hidden" name="${name}" value="${value}">`
  const order = (sort: Sort) =>
    html`<option value="${sort.key}"${view.sort === sort ? html` selected` : ''}>${sort.words}</option>`
  return html`<form class="filter" method="get" action="${path}#rows" role="search">${hidden('outcome', view.show)}${hidden('test', view.test)}${hidden('columns', view.columns === 'all' ? 'all' : null)}
<input name="q" type="search" value="${view.text ?? ''}" maxlength="${LONGEST_SEARCH}" autocomplete="off" aria-label="Test or query" placeholder="Test or query">
<select name="sort" aria-label="Order">${SORTS.map(order)}</select>
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
/** As many as a line may have room for. */
const IN_LINE_LENGTH = 120

/** One query with its results, what is known of it in a line of words, and on demand in sentences, with the ways to more. */
function reportRow(
  report: TriageReport,
  row: ReportRow,
  path: string,
  columns: readonly ResultColumn[],
  saidAbove: SaidOnce,
): Html {
  const anchor = rowAnchor(row)
  const address = addressOf(report)
  const own = ownRowPath(address, row)
  const name = html`<a class="label" href="${own}"><bdi>${queryName(row, NAME_LENGTH)}</bdi></a>`
  const ways = [
    html`<a href="${own}">samples and metrics</a>`,
    ...(hasProfile(row) ? [html`<a href="${flameGraphPath(address, row)}">flame graph</a>`] : []),
    html`<a href="${queryOfReportPath(address, row)}">history</a>`,
    html`<a href="${viewPath(path, { ...DEFAULT_VIEW, test: row.test })}#rows">this test</a>`,
    html`<a href="#${anchor}">link to this row</a>`,
  ]
  const more = html`${profileSaid(row.profile)}<p class="same">${ways.map((way, index) => html`${index === 0 ? '' : ' · '}${way}`)}</p>`
  return html`<tbody id="${anchor}"${colour(row)}>${rowsOf(report, row, columns, name, more, saidAbove)}</tbody>
`
}

/** One query of an earlier run, of which this report has no samples and no profile. */
function earlierRow(report: TriageReport, row: ReportRow, columns: readonly ResultColumn[]): Html {
  const name = html`<bdi class="label">${queryName(row, NAME_LENGTH)}</bdi>`
  const more = html`<p class="same"><a href="${queryOfReportPath(addressOf(report), row)}">history</a></p>`
  return html`<tbody${colour(row)}>${rowsOf(report, row, columns, name, more)}</tbody>
`
}

/** What is open is told by colour too, and by the words below the name. */
function colour({ verdict }: ReportRow): Html | string {
  return isOpen(verdict) ? html` class="open"` : ''
}

/** The words of a row, each with what it means for whoever points at it. The sentences stand below on demand. */
function tagsOf(row: ReportRow, told: readonly Evidence[]): Html[] {
  const tag = (one: Term, kind = '') => said(one, one.term, kind === '' ? 'tag' : `tag ${kind}`)
  return [
    row.verdict === null
      ? html`<span class="tag">${outcomeOf(decisive(row))}</span>`
      : tag(VERDICT_WORDS[row.verdict], row.verdict),
    row.becauseOfChange === true ? tag(MEASUREMENT_WORDS.becauseOfChange) : null,
    row.guarded ? tag(MEASUREMENT_WORDS.guarded) : null,
    row.sinceLastPush === null
      ? null
      : html`<span class="tag">${row.sinceLastPush === 'new' ? 'new since the last push' : 'unchanged since the last push'}</span>`,
    ...told.map((item) => (item.kind === 'on-path' ? onPathTag(item) : tag(EVIDENCE_WORDS[item.kind], 'told'))),
  ].filter((one) => one !== null)
}

/** The function that grew tells most. */
function onPathTag({ functions: [grown] }: Extract<Evidence, { kind: 'on-path' }>): Html {
  const { term, meaning } = EVIDENCE_WORDS['on-path']
  const name = grown === undefined ? '' : plainText(shortFunctionName(grown.name), TAG_LENGTH)
  return html`<span class="tag told" title="${plain(meaning)}">${term}${name === '' ? '' : html`: <code><bdi>${name}</bdi></code>`}</span>`
}

/** Characters of a name in a line of words. */
const TAG_LENGTH = 40

/** A line for each architecture, the one that decides first, and the line of words. */
function rowsOf(
  report: TriageReport,
  row: ReportRow,
  columns: readonly ResultColumn[],
  name: Html,
  more: Html,
  saidAbove: SaidOnce = { kinds: new Set(), isAlone: false },
): Html {
  const results = shownResults(row)
  const first = decisive(row)
  const others = results.filter((result) => result !== first)
  const told = row.evidence.filter((item) => !isSaidOfWholeRun(item, row))
  const phrases = [...acceptedPhrases(row), ...told.map((item) => evidencePhrase(item, row, 'all'))]
  const evidence = [
    ...(row.ignored === undefined ? [] : [ignoredItem(row.ignored)]),
    ...phrases.map((one) => html`<li>${sentence(report, one)}</li>`),
  ]
  const line = (result: ClassifiedQuery, head: Html, kind: string) => {
    const isMoved = result.outcome === 'changed' && result.direction !== null && !isWavedThrough(row)
    const moved = isMoved ? ` ${result.direction}` : ''
    return html`<tr class="${kind}${moved}"><th scope="row">${head}</th>${cells(columns, { result, row, report, isMeasuredNow: true })}</tr>
`
  }
  const unnamed = report.architectures.length > 1 ? 'unnamed' : ''
  const where = ({ architecture }: ClassifiedQuery) =>
    architecture === null ? unnamed : architectureName(architecture)
  const decides =
    where(first) === '' || saidAbove.isAlone
      ? ''
      : html` <small>${where(first)}${others.length > 0 ? ' decides' : ''}</small>`
  const metric = `${plainText(row.metric, 40)}${row.unit === null ? '' : `, ${plainText(row.unit, 20)}`}`
  const also = (result: ClassifiedQuery, words: Html | string) =>
    line(result, html`${words} <small>${outcomeOf(result)}</small>`, 'also')
  // they are of the one query of the report as it is now
  const ofQuery = row === report.rows[0] ? countersOf(report) : []
  const ofMetric = ofQuery.length === 0 ? '' : html` <small>${plainText(row.metric, 40)}</small>`
  const counters = ofQuery.map((result) => also(result, html`<bdi>${plainText(result.metric, NAME_LENGTH)}</bdi>`))
  const text = (limit: number) =>
    row.queryName === null ? '' : html`<code><bdi>${plainText(row.queryName, limit)}</bdi></code>`
  const tags = tagsOf(
    row,
    told.filter(({ kind }) => !saidAbove.kinds.has(kind)),
  )
  return html`
${line(first, html`${name}${ofMetric}${decides} ${tags} ${text(IN_LINE_LENGTH)}`, 'query')}<tr class="said"><td colspan="${columns.length + 1}"><details><summary><span class="unseen">More of ${queryName(row, NAME_LENGTH)}</span></summary><div class="more">
${text(QUERY_LENGTH)}
${evidence.length === 0 ? '' : html`<ul class="evidence">${evidence}</ul>`}
${more}<small>${metric}</small>${results.length === row.results.length ? '' : html`<p>${leftOut(row, results)}</p>`}</div></details></td></tr>
${others.map((result) => also(result, where(result)))}${counters}`
}

/** What nobody praises has no colour either. */
function isWavedThrough({ verdict, direction }: ReportRow): boolean {
  return verdict === 'likely-noise' && direction === 'faster'
}

/** The entry of the repository's file that ignores a row. */
export function ignoredItem(entry: Ignored): Html {
  return html`<li>Ignored${'by' in entry ? '' : ' by the repository’s file'}: ${toHtml(ignoredPhrase(entry))}</li>`
}

function hasProfile({ profile }: ReportRow): boolean {
  return profile !== undefined && profile !== null && profile.traceTypes.length > 0
}

/** The profile of a row in words; empty where there is none. */
function profileSaid(profile: RowProfile | null | undefined): Html | string {
  if (profile === undefined || profile === null || profile.traceTypes.length === 0) return ''
  const { cautions, total } = withoutChance(profile.words)
  const frames = total.map(
    ({ name, change, points, callers, withinChance }) =>
      html`<li><code><bdi>${plainText(shortFunctionName(name), NAME_LENGTH) || '(no name)'}</bdi></code> ${change} <small>${points}${withinChance ? ', within chance' : ''}${callers === 0 ? '' : `, the same for ${counted(callers, 'frame that only calls', 'frames that only call')} it`}</small></li>`,
  )
  return html`<div class="profile">Profile${onArchitecture(profile.architecture)}, shares of all ${sampledWords(profile)}, old → new:
${cautions.length === 0 ? '' : html`<p>${cautions.join(' ')}</p>`}${frames.length === 0 ? '' : html`<ul class="evidence">${frames}</ul>`}</div>`
}

/** The rows of a page that is a file: nothing to choose among them by, and no other page. */
export function fileRows(report: TriageReport): Html {
  const shown = report.rows.slice(0, LIST_LENGTH)
  const name = (row: ReportRow) => html`<bdi class="label">${queryName(row, NAME_LENGTH)}</bdi>`
  const once = saidOnce(report, false)
  const { main } = columnsOf(report.rows)
  const columns = withoutRepetitions(main, once.repetitions)
  return html`<h2 class="unseen">Queries</h2>
<div class="scroll" role="region" aria-labelledby="rows-caption" tabindex="0">
<table class="queries lines"><caption id="rows-caption">${nounOf(report, report.rows.length)} by ${plainText(report.primaryMetric, 40)}, ${WORST.words}.${once.words}</caption>
${headings([{ ...QUERY_HEAD, cell: () => html`` }, ...columns])}
${shown.map(
  (row) => html`<tbody${colour(row)}>${rowsOf(report, row, columns, name(row), html``, once)}</tbody>
`,
)}
</table></div>${cutAt(report.rows.length)}
${reportTerms(report, { isFile: true })}`
}

/** What holds for all rows of a report, said above them; the evidence stands below each on demand as well. */
function saidOnce(report: TriageReport, hasDots: boolean) {
  const kinds = sharedKinds(report)
  const repetitions = sameRepetitions(report.rows)
  const [architecture, ...others] = report.architectures
  const isAlone = typeof architecture === 'string' && others.length === 0
  const told = [...kinds].map((kind, at) => html`${at === 0 ? '' : ', '}${said(EVIDENCE_WORDS[kind])}`)
  const each = [
    ...(repetitions === null ? [] : [repetitions.words]),
    ...(hasDots ? [repetitions === null ? 'dots: old above new' : '(dots: old above new)'] : []),
  ].join(' ')
  const parts = [
    ...(each === '' ? [] : [html`${capital(each)}`]),
    ...(isAlone ? [html`On ${architectureName(architecture)}`] : []),
    ...(told.length === 0 ? [] : [html`All verdicts: ${told}`]),
  ]
  return { kinds, repetitions, isAlone, words: html`${parts.map((part) => html` ${part}.`)}` }
}

type SaidOnce = Pick<ReturnType<typeof saidOnce>, 'kinds' | 'isAlone'>

/** Evidence that every row has which has any. */
function sharedKinds({ rows }: TriageReport): ReadonlySet<Evidence['kind']> {
  const [first, ...others] = rows.filter(({ evidence }) => evidence.length > 0)
  if (first === undefined || others.length === 0) return new Set()
  const kinds = first.evidence.map(({ kind }) => kind).filter((kind) => kind !== 'on-path')
  return new Set(kinds.filter((kind) => others.every(({ evidence }) => evidence.some((one) => one.kind === kind))))
}

/** The words of the table of queries, explained above it: a phone has no column heads and nothing to point with. */
function reportTerms({ rows }: TriageReport, { isFile }: { readonly isFile: boolean }): Html {
  const line = (shown: string, one: Term) =>
    html`<div><dt>${isFile || definitionOf(one.term) === null ? shown : word(one.term, shown)}</dt><dd>${meaningOf(one)}</dd></div>`
  const lines = (words: Readonly<Record<string, Term>>) => Object.values(words).map((one) => line(one.term, one))
  const { main, all } = columnsOf(rows)
  const shown = isFile ? main : all
  const columns = shown.flatMap(({ heading = '', word: one }) => (one === undefined ? [] : [line(heading, one)]))
  return html`<details class="legend"><summary>What the columns and words mean</summary><div>
<dl>${columns}</dl>
<h3>Outcomes</h3>
<dl>${lines(OUTCOME_WORDS)}</dl>
<h3>What to make of a change</h3>
<dl>${lines(VERDICT_WORDS)}</dl>
<h3>Where a threshold comes from</h3>
<dl>${lines(THRESHOLD_SOURCE_WORDS)}</dl>
${isFile ? '' : html`<p>The standard terms are in the <a href="${wordsPath()}">glossary</a>.</p>`}</div></details>`
}

export const EARLIER_RUNS_ANCHOR = 'not-measured-again'

/** Rows that an earlier run of the same head left open and that no later one has taken back, with the numbers of then; empty without any. */
export function earlierRunsPart(report: TriageReport): Html | string {
  const { notMeasuredAgain, notSeenAgain } = findingsOf(report)
  const rows = [...notMeasuredAgain, ...notSeenAgain]
  if (rows.length === 0) return ''
  const { main } = columnsOf(rows)
  const title = capital(list(againWords({ notMeasuredAgain, notSeenAgain })))
  return html`<section id="${EARLIER_RUNS_ANCHOR}" aria-labelledby="again-title">
<h2 id="again-title">${title}</h2>
<p>An earlier run of this head found this; the numbers are from that run. Two later runs that measure it and don’t show it withdraw it.</p>
<div class="scroll" role="region" aria-labelledby="again-caption" tabindex="0">
<table class="queries lines"><caption id="again-caption">${counted(rows.length, 'query', 'queries')} of an earlier run</caption><thead><tr><th scope="col">Query</th>${main.map(plainColumnHead)}</tr></thead>
${rows.slice(0, LIST_LENGTH).map((row) => earlierRow(report, row, main))}
</table></div>${cutAt(rows.length)}
</section>`
}
