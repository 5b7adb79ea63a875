import { html } from 'hono/html'
import { queryLabel } from '../measurement/run.ts'
import { failingLine } from '../render/failing-line.ts'
import { failingView } from '../render/failing-view.ts'
import { FAILING_TESTS_ANCHOR } from '../render/failure-anchor.ts'
import {
  DEGRADATION_WORDS,
  HISTORY_PROBLEM_WORDS,
  MEASUREMENT_WORDS,
  NOTE_WORDS,
  OUTCOME_WORDS,
  SHARD_PROBLEM_WORDS,
  SHARD_STATE_WORDS,
  STATUS_REASON_WORDS,
  STATUS_WORDS,
  THRESHOLD_SOURCE_WORDS,
  VERDICT_WORDS,
  WARNING_WORDS,
} from '../render/glossary.ts'
import { historyWords } from '../render/history-words.ts'
import { plainText } from '../render/markdown.ts'
import { count, counted, percent, pValue, signedPercent, thresholdPercent, times, values } from '../render/numbers.ts'
import { decisive, distance, shardsIn, shardTally } from '../render/view.ts'
import type { ReportRow, TriageReport } from '../triage/report.ts'
import type { ClassifiedQuery, ThresholdSource } from '../verdict/classified-query.ts'
import { isOpen } from '../verdict/verdict.ts'
import { architectureName, evidenceWords } from './evidence-words.ts'
import { failingTestsPart } from './failing-tests-part.ts'
import { type Html, layout } from './layout.ts'
import { commitLink, linkWithin, pullRequestLink } from './links.ts'
import { numberCell } from './number-cell.ts'
import {
  DEFAULT_VIEW,
  type ReportView,
  ROW_FILTERS,
  type RowFilter,
  type RowsShown,
  rowsShown,
  type SortKey,
  viewPath,
} from './report-view.ts'
import { failingTestsPath, ownRowPath, queryPath, reportPath, rowAnchor, rowPath, wordsPath } from './urls.ts'

/** Characters shown of texts from outside; all of them are in the JSON. */
const QUERY_LENGTH = 400
const NAME_LENGTH = 120
const MESSAGE_LENGTH = 300
/** Commits of a bisect window that are named. */
const NAMED_COMMITS = 5
/** Lines shown of lists that have no pages. */
const LIST_LENGTH = 200

/** The report of one head as a page. `path` is the address it was asked for at, without a query. */
export function reportPage(report: TriageReport, view: ReportView, path: string, version: string): Html {
  const shown = rowsShown(report, view)
  const title = `${report.repository.owner}/${report.repository.name} #${report.pullRequest.number}`
  return layout({
    title: `${title} at ${report.head.slice(0, 7)} · performance report`,
    version,
    wide: true,
    content: html`<h1>Performance report of ${linked(pullRequestLink(report), title)}</h1>
${notices(report)}
${facts(report)}
${countLinks(report, view, path)}
${delta(report)}
${failingTestsLink(report)}
<div class="folds">
${shardsFold(report)}
${windowsFold(report)}
${chanceFold(report)}
${shiftsFold(report)}
${warningsFold(report)}
</div>
${rowsSection(report, view, shown, path)}
${failingTestsPart(report, failingTestsPath({ owner: report.repository.owner, repo: report.repository.name, number: report.pullRequest.number, head: report.head }))}
<p class="downloads">All ${counted(report.rows.length, 'query', 'queries')}, unrounded:
<a href="${path}?format=json">JSON</a>, <a href="${path}?format=tsv">tab-separated values</a>.</p>`,
  })
}

export function linked(href: string | null, text: string): Html {
  return href === null ? html`<bdi>${text}</bdi>` : html`<a href="${href}"><bdi>${text}</bdi></a>`
}

/** A word of the glossary, linked to what it means. */
export function word(term: string, shown = term): Html {
  return html`<a class="word" href="${wordsPath(term)}">${shown}</a>`
}

export function commit(report: TriageReport, id: string): Html {
  const text = plainText(id, 64)
  return linked(commitLink(report, id), commitLink(report, id) === null ? text : text.slice(0, 10))
}

function notices(report: TriageReport): Html | string {
  const tally = shardTally(report)
  const sentences: Html[] = report.degradations.map((degradation) => {
    const problem = degradation === 'history-not-available' ? report.history?.problem : null
    const { term, meaning } = problem ? HISTORY_PROBLEM_WORDS[problem] : DEGRADATION_WORDS[degradation]
    return html`<strong>${capital(term)}.</strong> ${meaning}`
  })
  if (!report.complete) {
    sentences.unshift(
      html`<strong>Not all shards are in yet</strong> (${shardsIn(tally)}). The numbers may still change.`,
    )
  } else if (tally.lost.length > 0) {
    sentences.unshift(
      html`<strong>${counted(tally.lost.length, 'shard', 'shards')} without results.</strong> Their queries are not measured, which is not the same as unchanged.`,
    )
  }
  if (sentences.length === 0) return ''
  return html`<ul class="notices">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`
}

function facts(report: TriageReport): Html {
  const { owner, name } = report.repository
  const newest = reportPath({ owner, repo: name, number: report.pullRequest.number })
  const references = report.references.map((reference) => {
    const on = report.references.length > 1 ? ` on ${reference.architectures.map(architectureName).join(', ')}` : ''
    const from = distance(reference)
    return html`<li>${commit(report, reference.commit)}${on}${from === null ? '' : ` (${from})`}</li>`
  })
  return html`<dl class="facts">
<div><dt>${word('new')}</dt><dd>${commit(report, report.head)} · <a href="${newest}/${report.head}">permanent</a> · <a href="${newest}">newest</a></dd></div>
<div><dt>${word('old')}</dt><dd>${references.length === 0 ? 'not stated' : html`<ul>${references}</ul>`}</dd></div>
<div><dt>Base</dt><dd><bdi>${plainText(report.pullRequest.baseRef, NAME_LENGTH)}</bdi>${report.mergeBase === null ? '' : html`, merge base ${commit(report, report.mergeBase)}`}</dd></div>
<div><dt>Metric</dt><dd>${plainText(report.primaryMetric, NAME_LENGTH)} on ${report.architectures.map(architectureName).join(', ') || 'no architecture yet'}</dd></div>
<div><dt>Judged</dt><dd><time datetime="${report.judgedAt}">${plainText(report.judgedAt, 40)}</time>, ${report.mode}</dd></div>
${
  report.smallestPValue === null
    ? ''
    : html`<div><dt>Smallest ${word(MEASUREMENT_WORDS.pValue.term)}</dt><dd>${pValue(report.smallestPValue)} with these repetitions</dd></div>`
}
</dl>`
}

const FILTER_TERMS: Record<RowFilter, string> = {
  open: 'open',
  slower: 'slower',
  faster: 'faster',
  unstable: OUTCOME_WORDS.unstable.term,
  'too-small': OUTCOME_WORDS['too-small'].term,
  'not-significant': OUTCOME_WORDS['not-significant'].term,
  'not-compared': 'not compared',
}

function countLinks(report: TriageReport, view: ReportView, path: string): Html {
  const numbers: Record<RowFilter, number> = {
    open: report.rows.filter(({ verdict }) => isOpen(verdict)).length,
    ...report.counts,
    'too-small': report.counts.tooSmall,
    'not-significant': report.counts.notSignificant,
    'not-compared': report.counts.notCompared,
  }
  const item = (show: RowFilter | null, number: number, term: string) => html`<li class="${show ?? 'all'}">
<a href="${viewPath(path, { ...DEFAULT_VIEW, show })}#rows"${view.show === show ? html` aria-current="true"` : ''}><b>${count(number)}</b> ${term}</a></li>`
  return html`<nav aria-label="Queries by outcome"><ul class="counts">
${item(null, report.rows.length, 'all')}
${ROW_FILTERS.map((filter) => item(filter, numbers[filter], FILTER_TERMS[filter]))}
</ul></nav>`
}

function delta(report: TriageReport): Html | string {
  const since = report.sinceLastPush
  if (since === null) return ''
  const { owner, name } = report.repository
  const before = reportPath({ owner, repo: name, number: report.pullRequest.number, head: since.head })
  const resolved = since.resolved.slice(0, LIST_LENGTH).map((label) => plainText(label, NAME_LENGTH))
  const more = since.resolved.length - resolved.length
  return html`<p>Since the last push (<a href="${before}">${plainText(since.head, 64).slice(0, 10)}</a>): ${count(since.new)} new, ${count(since.unchanged)} unchanged, ${count(since.resolved.length)} resolved${
    resolved.length === 0
      ? '.'
      : html`: ${resolved.map((label, index) => html`${index === 0 ? '' : ', '}<bdi>${label}</bdi>`)}${more > 0 ? ` and ${count(more)} more` : ''}.`
  }</p>`
}

/** The rows come by the hundred: who looks for the failing tests does not scroll past them. */
function failingTestsLink(report: TriageReport): Html | string {
  const failing = failingView(report.failingTests)
  const line = failing === null ? '' : failingLine(failing)
  return line === '' ? '' : html`<p><a href="#${FAILING_TESTS_ANCHOR}">Failing tests</a>: ${line}.</p>`
}

function shardsFold(report: TriageReport): Html | string {
  if (report.shards.length === 0) return ''
  const rows = report.shards.slice(0, LIST_LENGTH).map((shard) => {
    const place =
      shard.shard === null ? '–' : shard.shards === null ? `${shard.shard}` : `${shard.shard} of ${shard.shards}`
    const problem = shard.problem === null ? '' : `: ${SHARD_PROBLEM_WORDS[shard.problem].term}`
    return html`<tr><th scope="row">${linked(linkWithin(report, shard.url), plainText(shard.check, NAME_LENGTH))}</th>
<td>${shard.architecture === null ? '–' : architectureName(shard.architecture)}</td><td>${place}</td>
<td>${SHARD_STATE_WORDS[shard.state].term}${problem}</td><td>${shard.conclusion === null ? '–' : plainText(shard.conclusion, 40)}</td></tr>`
  })
  return fold(
    shardsIn(shardTally(report)),
    html`<table><caption>Shards</caption><thead><tr><th scope="col">Check</th><th scope="col">Architecture</th><th scope="col">Shard</th><th scope="col">State</th><th scope="col">Conclusion</th></tr></thead>
<tbody>${rows}</tbody></table>${cutAt(report.shards.length)}`,
  )
}

function chanceFold(report: TriageReport): Html {
  const sources = (Object.keys(THRESHOLD_SOURCE_WORDS) as ThresholdSource[])
    .filter((source) => report.thresholdSources[source] > 0)
    .map(
      (source) => html`<li>${count(report.thresholdSources[source])} ${word(THRESHOLD_SOURCE_WORDS[source].term)}</li>`,
    )
  const budgets = report.discoveries.map(
    ({
      architecture,
      metric,
      tested,
      level,
      expectedByChance,
      passed,
    }) => html`<tr><th scope="row">${architectureName(architecture)}</th><td>${plainText(metric, 40)}</td>
<td class="n">${count(tested)}</td><td class="n">${level}</td>${numberCell('Expected', expectedByChance, (value) => value.toFixed(1))}<td class="n">${count(passed)}</td></tr>`,
  )
  return fold(
    'Thresholds and chance',
    html`<p>Where the thresholds of the compared queries came from:</p><ul>${sources.length === 0 ? html`<li>no query was compared</li>` : sources}</ul>
${report.history ? html`<p>History of the trunk: ${historyWords(report.history)}.</p>` : ''}
<table><caption>How many queries would pass the rank test by chance</caption><thead><tr><th scope="col">Architecture</th><th scope="col">Metric</th><th scope="col" class="n">Tested</th><th scope="col" class="n">Level</th><th scope="col" class="n">Expected</th><th scope="col" class="n">Passed</th></tr></thead>
<tbody>${budgets}</tbody></table>`,
  )
}

function windowsFold(report: TriageReport): Html | string {
  const windows = report.windows ?? []
  const inside = insidePullRequest(report)
  if (windows.length === 0) return inside
  const { owner, name } = report.repository
  const address = { owner, repo: name, number: report.pullRequest.number, head: report.head }
  const rows = windows.slice(0, LIST_LENGTH).map((window) => {
    const { step, commits, functional } = window
    const total = commits?.total ?? null
    return html`<tr><th scope="row"><a href="${rowPath(address, window)}"><bdi>${plainText(queryLabel(window), NAME_LENGTH)}</bdi></a></th><td>${architectureName(window.architecture)}</td>
<td>${commit(report, step.lastGood.commit)}</td><td>${commit(report, step.firstBad.commit)}</td>${numberCell('Step', step.step, signedPercent)}
<td>${total === null ? 'not known' : counted(total, 'commit', 'commits')}</td><td>${functional.length === 0 ? '–' : functional.slice(0, NAMED_COMMITS).map((one, index) => html`${index === 0 ? '' : ', '}${commit(report, one.sha)}`)}${functional.length > NAMED_COMMITS ? ` and ${count(functional.length - NAMED_COMMITS)} more` : ''}</td>
<td>${step.recovered === null ? '–' : commit(report, step.recovered.commit)}</td></tr>`
  })
  return html`${inside}
${fold(
  counted(windows.length, 'bisect window', 'bisect windows'),
  html`<table><caption>Steps of the trunk between the last good and the first bad commit that was measured there</caption><thead><tr><th scope="col">Query</th><th scope="col">Architecture</th><th scope="col">Last good</th><th scope="col">First bad</th><th scope="col" class="n">Step</th><th scope="col">In between</th><th scope="col">Can change the binary</th><th scope="col">Back since</th></tr></thead>
<tbody>${rows}</tbody></table>${cutAt(windows.length)}`,
)}`
}

/** Which commits of the pull request itself to look at. */
function insidePullRequest(report: TriageReport): Html | string {
  const window = report.pullRequestWindow ?? null
  if (window === null) return ''
  const { commits, functional, steps, middle, onPath, filesUnknown } = window
  const rows = functional.slice(0, LIST_LENGTH).map((one) => {
    const isOnPath =
      onPath === null
        ? 'not known'
        : onPath.some(({ sha }) => sha === one.sha)
          ? 'yes'
          : one.files === null
            ? 'not known'
            : 'no'
    return html`<tr><th scope="row">${commit(report, one.sha)}</th><td><bdi>${plainText(one.title, NAME_LENGTH)}</bdi></td><td>${one.sha === middle ? 'first' : '–'}</td><td>${isOnPath}</td></tr>`
  })
  return fold(
    `${counted(commits.length, 'commit', 'commits')} of this pull request, ${count(functional.length)} can change the binary`,
    html`<p>${counted(steps, 'build', 'builds')} would find the one that made a query slower.${filesUnknown === 0 ? '' : ` The files of ${counted(filesUnknown, 'commit', 'commits')} are not known.`}</p>
<table><caption>Commits of this pull request that can change the binary, oldest first</caption><thead><tr><th scope="col">Commit</th><th scope="col">Title</th><th scope="col">Build</th><th scope="col">Touches the query’s path</th></tr></thead>
<tbody>${rows}</tbody></table>${cutAt(functional.length)}`,
  )
}

function shiftsFold(report: TriageReport): Html | string {
  if (report.shifts.length === 0) return ''
  const notable = report.shifts.filter((shift) => shift.notable).length
  const rows = report.shifts.slice(0, LIST_LENGTH).map(
    (shift) => html`<tr><th scope="row">${architectureName(shift.architecture)}</th><td>${shift.shard ?? '–'}</td>
<td class="n">${count(shift.queries)}</td>${numberCell('Moved by', shift.shift, signedPercent)}<td>${shift.notable ? 'yes' : 'no'}</td></tr>`,
  )
  return fold(
    notable === 0 ? 'No shard moved as a whole' : `${counted(notable, 'shard', 'shards')} moved as a whole`,
    html`<table><caption>What a typical query of each shard moved by</caption><thead><tr><th scope="col">Architecture</th><th scope="col">Shard</th><th scope="col" class="n">Queries</th><th scope="col" class="n">Moved by</th><th scope="col">Notable</th></tr></thead>
<tbody>${rows}</tbody></table>${cutAt(report.shifts.length)}`,
  )
}

function warningsFold(report: TriageReport): Html | string {
  if (report.warnings.length === 0) return ''
  const items = report.warnings
    .slice(0, LIST_LENGTH)
    .map(
      ({ code, where, message }) =>
        html`<li><b>${capital(WARNING_WORDS[code].term)}</b> <code><bdi>${plainText(where, NAME_LENGTH)}</bdi></code> <bdi>${plainText(message, MESSAGE_LENGTH)}</bdi></li>`,
    )
  return fold(
    counted(report.warnings.length, 'warning of the readers', 'warnings of the readers'),
    html`<ul>${items}</ul>${cutAt(report.warnings.length)}`,
  )
}

function fold(summary: string, content: Html): Html {
  return html`<details><summary>${summary}</summary><div class="scroll">${content}</div></details>`
}

function cutAt(length: number): Html | string {
  return length <= LIST_LENGTH ? '' : html`<p>And ${count(length - LIST_LENGTH)} more, in the JSON.</p>`
}

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

function rowsSection(report: TriageReport, view: ReportView, shown: RowsShown, path: string): Html {
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
${
  shown.rows.length === 0
    ? html`<p>No query matches. <a href="${path}#rows">Show all of them</a>.</p>`
    : html`${pager(view, shown, path)}
<div class="scroll" role="region" aria-labelledby="rows-caption" tabindex="0">
<table class="rows"><caption id="rows-caption">${range}, ${order}</caption>
<thead><tr>${COLUMNS.map((column) => columnHead(column, view, path))}</tr></thead>
${shown.rows.map(({ row }) => queryRows(report, row, path))}
</table></div>
${pager(view, shown, path)}`
}
</section>`
}

function filterForm(view: ReportView, path: string): Html {
  const option = (value: string, text: string, selected: boolean) =>
    html`<option value="${value}"${selected ? html` selected` : ''}>${text}</option>`
  return html`<form class="filter" method="get" action="${path}#rows">
<label>Outcome <select name="outcome">${option('', 'all', view.show === null)}${ROW_FILTERS.map((filter) => option(filter, FILTER_TERMS[filter], view.show === filter))}</select></label>
<label>Test <input name="test" type="text" value="${view.test ?? ''}" placeholder="exact name" maxlength="1000" autocomplete="off"></label>
<label>Order <select name="sort">${(Object.keys(ORDER_WORDS) as SortKey[]).map((key) => option(key, ORDER_WORDS[key], view.sort === key))}</select></label>
<button type="submit">Show</button>
</form>`
}

function pager(view: ReportView, shown: RowsShown, path: string): Html | string {
  if (shown.pages === 1) return ''
  const link = (page: number, text: string, rel: string) =>
    page < 1 || page > shown.pages
      ? html`<span class="none">${text}</span>`
      : html`<a rel="${rel}" href="${viewPath(path, { ...view, page })}#rows">${text}</a>`
  return html`<nav class="pager" aria-label="Pages">${link(shown.page - 1, 'Previous', 'prev')}
<span>Page ${count(shown.page)} of ${count(shown.pages)}</span> ${link(shown.page + 1, 'Next', 'next')}</nav>`
}

export interface Column {
  readonly title: string
  readonly sort?: SortKey
  readonly isNumber?: boolean
  readonly hint?: string
}

export const COLUMNS: readonly Column[] = [
  { title: 'Architecture', sort: 'test' },
  { title: 'Outcome', sort: 'worst' },
  { title: 'Old', sort: 'old', isNumber: true, hint: 'median and repetitions' },
  { title: 'New', sort: 'new', isNumber: true, hint: 'median and repetitions' },
  { title: 'Difference', sort: 'difference', isNumber: true },
  { title: 'Threshold', sort: 'threshold', isNumber: true },
  { title: 'p', sort: 'p', isNumber: true, hint: 'randomization test' },
  { title: 'Rank p', sort: 'rank-p', isNumber: true, hint: 'Mann-Whitney' },
  { title: 'q', sort: 'q', isNumber: true, hint: 'Benjamini-Hochberg' },
  { title: 'Overlap', hint: 'of the samples' },
  { title: 'Changed from', isNumber: true },
  { title: 'Unstable from', isNumber: true },
  { title: 'Notes' },
]

function columnHead({ title, sort, isNumber, hint }: Column, view: ReportView, path: string): Html {
  const isSorted = sort !== undefined && sort === view.sort
  // Numbers stand largest first, p-values and names smallest first.
  const ascending = sort === 'p' || sort === 'rank-p' || sort === 'q' || sort === 'test'
  const sorted =
    !isSorted || sort === 'worst' ? '' : html` aria-sort="${ascending !== view.reverse ? 'ascending' : 'descending'}"`
  const name = sort === 'test' ? 'Query, architecture' : title
  const text =
    sort === undefined
      ? name
      : html`<a href="${viewPath(path, { ...view, sort, reverse: isSorted && !view.reverse, page: 1 })}#rows">${name}${isSorted ? html` <span aria-hidden="true">${view.reverse ? '▴' : '▾'}</span>` : ''}</a>`
  return html`<th scope="col"${isNumber ? html` class="n"` : ''}${sorted}>${text}${hint === undefined ? '' : html` <small>${hint}</small>`}</th>`
}

/** The permanent address of the report. */
export function addressOf({ repository, pullRequest, head }: TriageReport) {
  return { owner: repository.owner, repo: repository.name, number: pullRequest.number, head }
}

function queryRows(report: TriageReport, row: ReportRow, path: string): Html {
  const anchor = rowAnchor(row)
  const tags = [
    row.verdict === null ? null : html`<span class="tag ${row.verdict}">${VERDICT_WORDS[row.verdict].term}</span>`,
    row.guarded ? html`<span class="tag">${MEASUREMENT_WORDS.guarded.term}</span>` : null,
    row.sinceLastPush === null
      ? null
      : html`<span class="tag">${row.sinceLastPush === 'new' ? 'new since the last push' : 'unchanged since the last push'}</span>`,
  ].filter((tag) => tag !== null)
  const evidence = row.evidence.map((item) => html`<li>${capital(evidenceWords(item, row.unit))}</li>`)
  return html`<tbody id="${anchor}" class="outcome-${row.outcome ?? 'none'}">
<tr class="query"><th scope="rowgroup" colspan="${COLUMNS.length}"><a class="label" href="#${anchor}"><bdi>${plainText(queryLabel(row), NAME_LENGTH)}</bdi></a>
${tags}<a class="same" href="${ownRowPath(addressOf(report), row)}">samples and metrics</a><a class="same" href="${queryPath(addressOf(report), row)}">history</a><a class="same" href="${viewPath(path, { ...DEFAULT_VIEW, test: row.test })}#rows">this test</a>
<small>${plainText(row.metric, 40)}${row.unit === null ? '' : `, ${plainText(row.unit, 20)}`}</small>
${row.queryName === null ? '' : html`<code><bdi>${plainText(row.queryName, QUERY_LENGTH)}</bdi></code>`}
${evidence.length === 0 ? '' : html`<ul class="evidence">${evidence}</ul>`}</th></tr>
${row.results.map((result) => resultRow(result, result === decisive(row) && row.results.length > 1, report))}
</tbody>`
}

export function resultRow(result: ClassifiedQuery, decides: boolean, report: TriageReport): Html {
  const name =
    result.architecture === null
      ? report.architectures.length > 1
        ? 'unnamed'
        : '–'
      : architectureName(result.architecture)
  const ratio =
    result.old.median === null || result.new.median === null ? null : times(result.old.median, result.new.median)
  const median = (value: number) => values([value], result.unit === null ? null : plainText(result.unit, 20))
  return html`<tr${decides ? html` class="decides"` : ''}><th scope="row">${name}${decides ? html` <small>decides</small>` : ''}</th>
<td data-name="Outcome">${outcomeOf(result)}</td>
${sideCell('Old', result.old, median)}${sideCell('New', result.new, median)}
${numberCell('Difference', result.difference, (value) => `${signedPercent(value)}${ratio === null ? '' : ` (${ratio})`}`)}
${numberCell('Threshold', result.threshold, percent)}${numberCell('p', result.pValue, pValue)}${numberCell('Rank p', result.rankPValue, pValue)}${numberCell('q', result.qValue, pValue)}
<td data-name="Overlap">${result.separated === null ? '–' : result.separated ? 'none' : 'yes'}</td>
${thresholdCell('Changed from', result.changedThreshold, result.changedThresholdSource)}${thresholdCell('Unstable from', result.unstableThreshold, result.unstableThresholdSource)}
<td data-name="Notes">${result.notes.length === 0 ? '–' : result.notes.map((note) => NOTE_WORDS[note].term).join(', ')}</td></tr>
`
}

function outcomeOf(result: ClassifiedQuery): Html {
  if (result.outcome === null) {
    const reason = result.statusReason === null ? '' : `: ${STATUS_REASON_WORDS[result.statusReason].term}`
    return html`${STATUS_WORDS[result.status].term}${reason}`
  }
  if (result.outcome === 'changed') {
    return html`<b class="${result.direction ?? ''}">${result.direction ?? OUTCOME_WORDS.changed.term}</b>`
  }
  // The direction of what is not a change is said, but not as a finding.
  return html`${OUTCOME_WORDS[result.outcome].term}${result.direction === null ? '' : html` <small>(${result.direction})</small>`}`
}

function sideCell(name: string, side: ClassifiedQuery['old'], shown: (value: number) => string): Html {
  return numberCell(name, side.median, shown, html`<small>× ${side.repetitions}</small>`)
}

function thresholdCell(name: string, threshold: number | null, source: ThresholdSource | null): Html {
  const from = source === null ? undefined : html`<small>${THRESHOLD_SOURCE_WORDS[source].term}</small>`
  return numberCell(name, threshold, thresholdPercent, from)
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
