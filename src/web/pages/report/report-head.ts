import { html } from 'hono/html'
import { findingsOf } from '../../../judge/verdict/findings.ts'
import { FAILING_TESTS_ANCHOR, WINDOWS_ANCHOR } from '../../../report/anchors.ts'
import { decisive, shardTally } from '../../../report/parts.ts'
import { failingView } from '../../../report/render/failing-view.ts'
import { comparisonPhrases, otherJudgesPhrase } from '../../../report/render/sections/context.ts'
import { againWords, verdictLine } from '../../../report/render/sections/headline.ts'
import { entryPhrase } from '../../../report/render/sections/ignored.ts'
import { suitePhrase } from '../../../report/render/sections/suites.ts'
import { distance, NO_LINKS, shardsIn, viewOf } from '../../../report/render/view.ts'
import type { TriageReport } from '../../../report/report.ts'
import { queryName } from '../../../report/row/name.ts'
import { suitesOf } from '../../../report/suites.ts'
import { compareLink, reportPath, rowPath, TRUNK_COMMIT } from '../../../report/urls.ts'
import { DEGRADATION_WORDS, EXPIRED_WORDS, HISTORY_PROBLEM_WORDS, MEASUREMENT_WORDS } from '../../../report/words.ts'
import { isCommitId } from '../../../text/commits.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted, minute, pValue, signedPercent } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { toHtml } from '../../../text/phrase-html.ts'
import type { Html } from '../../kit/layout.ts'
import { commit } from '../../kit/links.ts'
import { architectureName, word } from '../../kit/word.ts'
import { addressOf } from '../shown-report.ts'
import { cutAt, LIST_LENGTH } from './report-folds.ts'
import { EARLIER_RUNS_ANCHOR } from './report-rows.ts'
import {
  DEFAULT_VIEW,
  FILTER_TERMS,
  type ReportView,
  ROW_FILTERS,
  type RowFilter,
  rowsOfFilter,
  viewPath,
} from './report-view.ts'

/** Characters shown of names from outside; all of them are in the JSON. */
const NAME_LENGTH = 120

/** The line that stands over the comment, and the row to begin with. */
export function lead(report: TriageReport): Html {
  // which of two machines is slower is nothing to look into row by row
  const [worst] = report.labels?.kind === 'machine' ? [] : viewOf(report, NO_LINKS).open
  return html`<p class="lead"><strong>${headline(report)}</strong>${worst === undefined ? '' : html` Start with <a href="${rowPath(addressOf(report), worst)}"><bdi>${queryName(worst, NAME_LENGTH)}</bdi></a>${differenceOf(decisive(worst).difference)}.`}</p>`
}

export function headline(report: TriageReport): string {
  return `${verdictLine(viewOf(report, NO_LINKS))}.`
}

/** What was compared with what, by what and when. */
export function compared(report: TriageReport): Html {
  const references = report.references.map((reference, index) => {
    const on = report.references.length > 1 ? ` on ${reference.architectures.map(architectureName).join(', ')}` : ''
    const from = distance(reference, report)
    return html`${index === 0 ? '' : ', '}${commit(report, reference.commit)}${on}${from === null ? '' : ` (${from})`}`
  })
  return html`<p class="compared">${commit(report, report.head)} against ${references.length === 0 ? withoutReference(report, 'a build that is not stated') : references} · ${plainText(report.primaryMetric, NAME_LENGTH)} · <time datetime="${report.judgedAt}">${judgedAt(report)}</time></p>`
}

/** What stands in the place of an old build: where the head alone was measured there is none. */
function withoutReference({ rows }: TriageReport, unknown: string): string {
  return rows.some((row) => decisive(row).history !== undefined) ? 'the main branch’s history' : unknown
}

const SUITES_ANCHOR = 'suites'

/** What the rows of a suite have in common. */
export function suitesPart(report: TriageReport): Html | string {
  const suites = suitesOf(report)
  if (suites.length === 0) return ''
  return html`<section id="${SUITES_ANCHOR}" aria-labelledby="suites-title">
<h2 id="suites-title">${suitesTitle(suites.length)}</h2>
<ul>${suites.slice(0, LIST_LENGTH).map((suite) => html`<li>${toHtml(suitePhrase(suite))}.</li>`)}</ul>${cutAt(suites.length)}
</section>`
}

function suitesTitle(suites: number): string {
  return `${counted(suites, 'test', 'tests')} with several changes`
}

/** On a narrow screen what else there is stands behind the queries: the ways to it. */
export function besideLinks(report: TriageReport): Html | string {
  const failing = failingView(report.failingTests)
  const suites = suitesOf(report).length
  const windows = report.windows?.length ?? 0
  const since = report.sinceLastPush
  const links = [
    ...(failing === null ? [] : [html`<a href="#${FAILING_TESTS_ANCHOR}">Failing tests</a>`]),
    ...(windows === 0
      ? []
      : [html`<a href="#${WINDOWS_ANCHOR}">${counted(windows, 'bisect window', 'bisect windows')}</a>`]),
    ...(suites === 0 ? [] : [html`<a href="#${SUITES_ANCHOR}">${suitesTitle(suites)}</a>`]),
    ...(since === null ? [] : [html`<a href="#${SINCE_ANCHOR}">${count(since.new)} new since the last push</a>`]),
  ]
  const accounted = failing?.allAccountedFor === true
  return html`${accounted ? html`<p class="failing-line"><a href="#${FAILING_TESTS_ANCHOR}">Every red check is accounted for.</a></p>` : ''}
${links.length === 0 ? '' : html`<p class="ways-beside">${links.map((link, index) => html`${index === 0 ? '' : ' · '}${link}`)}</p>`}`
}

/** The programs or machines of the sides, and what is said of them as a whole. */
export function comparisonList(report: TriageReport): Html | string {
  const lines = comparisonPhrases(report)
  return lines.length === 0 ? '' : html`<ul>${lines.map((line) => html`<li>${toHtml(line)}</li>`)}</ul>`
}

function differenceOf(difference: number | null): string {
  return difference === null ? '' : `, ${signedPercent(difference)}`
}

/** What the reader must know before the numbers: in a line, and on demand what it means. */
export function notices(report: TriageReport): Html | string {
  const tally = shardTally(report)
  const said: (readonly [line: string, meaning: Html | string])[] = report.degradations.map((degradation) => {
    const problem = degradation === 'history-not-available' ? report.history?.problem : null
    const { term, meaning } = problem ? HISTORY_PROBLEM_WORDS[problem] : DEGRADATION_WORDS[degradation]
    return [`${capital(term)}.`, meaning]
  })
  if (!report.complete) {
    said.unshift([`Not all shards are in yet (${shardsIn(tally)}).`, 'The numbers may still change.'])
  } else if (tally.lost.length > 0) {
    said.unshift([
      `${counted(tally.lost.length, 'shard', 'shards')} without results.`,
      'Their queries were not measured, which is not the same as unchanged.',
    ])
  }
  const judges = otherJudgesPhrase(report)
  if (judges !== null) said.push(['Other judges.', html`${toHtml(judges)}.`])
  const expired = report.expired ?? []
  if (expired.length > 0) {
    const entries = expired.slice(0, LIST_LENGTH).map((entry) => html`<li>${toHtml(entryPhrase(entry))}</li>`)
    said.push([`${capital(EXPIRED_WORDS.term)}.`, html`${EXPIRED_WORDS.meaning}<ul>${entries}</ul>`])
  }
  if (said.length === 0) return ''
  return html`<details class="notice"><summary><strong>${said.map(([line]) => line).join(' ')}</strong></summary>
<ul>${said.map(([line, meaning]) => html`<li><strong>${line}</strong> ${meaning}</li>`)}</ul></details>`
}

/** The commits that were compared, and when. */
export function facts(report: TriageReport): Html {
  const { owner, name } = report.repository
  const newest = reportPath({ owner, repo: name, number: report.pullRequest.number })
  const references = report.references.map((reference) => {
    const on = report.references.length > 1 ? ` on ${reference.architectures.map(architectureName).join(', ')}` : ''
    const from = distance(reference, report)
    return html`<li>${commit(report, reference.commit)}${on}${from === null ? '' : ` (${from})`}</li>`
  })
  return html`<dl class="facts">
<div><dt>${word('new')}</dt><dd>${commit(report, report.head)} · <a href="${newest}/${report.head}">permanent</a> · <a href="${newest}">newest</a></dd></div>
<div><dt>${word('old')}</dt><dd>${references.length === 0 ? withoutReference(report, 'not stated') : html`<ul>${references}</ul>`}</dd></div>
<div><dt>Compare</dt><dd>${comparisons(report)}</dd></div>
<div><dt>Base</dt><dd><bdi>${plainText(report.pullRequest.baseRef, NAME_LENGTH)}</bdi>${report.mergeBase === null ? '' : html`, merge base ${commit(report, report.mergeBase)}`}</dd></div>
<div><dt>Metric</dt><dd>${plainText(report.primaryMetric, NAME_LENGTH)}${onArchitectures(report)}</dd></div>
<div><dt>Judged</dt><dd><time datetime="${report.judgedAt}">${judgedAt(report)}</time>, ${report.mode}</dd></div>
${
  report.smallestPValue === null
    ? ''
    : html`<div><dt>Smallest ${word(MEASUREMENT_WORDS.pValue.term)}</dt><dd>${pValue(report.smallestPValue)} with these repetitions</dd></div>`
}
</dl>`
}

/** The head against what it was held against, and against the trunk's newest run: by all that is stored of them. */
function comparisons(report: TriageReport): Html {
  const { owner, name } = report.repository
  const against = (old: string, said: string) =>
    html`<a href="${compareLink({ owner, repo: name }, old, report.head)}">${said}</a>`
  const [reference] = report.references
  const base =
    reference !== undefined && isCommitId(reference.commit)
      ? html`${against(reference.commit, 'with its base')} · `
      : ''
  return html`${base}${against(TRUNK_COMMIT, 'with the main branch’s newest run')}`
}

function judgedAt({ judgedAt: text }: TriageReport): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? plainText(text, 40) : minute(time)
}

/** Empty where there is one only and the source does not name it. */
function onArchitectures({ architectures }: TriageReport): string {
  const [first, ...others] = architectures
  if (first === null && others.length === 0) return ''
  return ` on ${architectures.map(architectureName).join(', ') || 'no architecture yet'}`
}

/** A zero of these is an answer; of the others it is not said. */
const SAID_ALWAYS: ReadonlySet<RowFilter> = new Set(['slower', 'faster'])

/** How many queries have which outcome, each a link to them. */
export function countLinks(report: TriageReport, view: ReportView, path: string): Html {
  const findings = findingsOf(report)
  const { notMeasuredAgain, notSeenAgain } = findings
  const numbers = new Map(ROW_FILTERS.map((filter) => [filter, rowsOfFilter(report, filter, findings).length]))
  const shown = [...numbers].filter(([filter, number]) => number > 0 || SAID_ALWAYS.has(filter) || view.show === filter)
  const item = (show: RowFilter | null, number: number, term: string) => html`<li class="${show ?? 'all'}">
<a href="${viewPath(path, { ...DEFAULT_VIEW, show, columns: view.columns })}#rows"${view.show === show ? html` aria-current="true"` : ''}><b>${count(number)}</b> ${term}</a></li>`
  return html`<nav aria-label="Queries by outcome"><ul class="counts">
${item(null, report.rows.length, 'all')}
${shown.map(([filter, number]) => item(filter, number, FILTER_TERMS[filter]))}
${againWords({ notMeasuredAgain, notSeenAgain }).map((words) => html`<li><a href="#${EARLIER_RUNS_ANCHOR}">${words}</a></li>`)}
</ul></nav>`
}

const SINCE_ANCHOR = 'since-last-push'

/** The difference from the report of the previous head. */
export function delta(report: TriageReport): Html | string {
  const since = report.sinceLastPush
  if (since === null) return ''
  const { owner, name } = report.repository
  const before = reportPath({ owner, repo: name, number: report.pullRequest.number, head: since.head })
  const resolved = since.resolved.slice(0, LIST_LENGTH).map((label) => plainText(label, NAME_LENGTH))
  const more = since.resolved.length - resolved.length
  return html`<section id="${SINCE_ANCHOR}" aria-labelledby="since-title"><h2 id="since-title">Since the last push</h2>
<p>Since <a href="${before}">${plainText(since.head, 64).slice(0, 10)}</a>: ${count(since.new)} new, ${count(since.unchanged)} unchanged, ${count(since.resolved.length)} resolved${
    resolved.length === 0
      ? '.'
      : html`: ${resolved.map((label, index) => html`${index === 0 ? '' : ', '}<bdi>${label}</bdi>`)}${more > 0 ? ` and ${count(more)} more` : ''}.`
  }</p></section>`
}
