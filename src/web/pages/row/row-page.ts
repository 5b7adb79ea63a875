import { html, raw } from 'hono/html'
import { shortFunctionName } from '../../../judge/profile/function-name.ts'
import type { ClassifiedQuery } from '../../../judge/verdict/classified-query.ts'
import { evidencePhrase } from '../../../report/evidence-words.ts'
import { decisive } from '../../../report/parts.ts'
import { acceptedPhrases } from '../../../report/render/acceptance-words.ts'
import { largestThreshold } from '../../../report/render/facts.ts'
import { unseenFacts } from '../../../report/render/noise-words.ts'
import { withoutChance } from '../../../report/render/profile-words.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { queryName } from '../../../report/row/name.ts'
import { flameGraphFilePath, flameGraphPath, ownRowPath, reportPath, rowPath } from '../../../report/urls.ts'
import { IN_THE_DATABASE, MEASUREMENT_WORDS, THRESHOLD_SOURCE_WORDS, VERDICT_WORDS } from '../../../report/words.ts'
import { plainText } from '../../../text/markdown.ts'
import { change, count, counted, signedPercent, thresholdPercent, values } from '../../../text/numbers.ts'
import { uncapital } from '../../../text/phrase.ts'
import type { Column } from '../../../text/table.ts'
import { COPY_SCRIPT } from '../../assets/assets.ts'
import { chartKey, type KeyLine } from '../../kit/charts/chart-key.ts'
import { marker } from '../../kit/charts/plot-area.ts'
import { stripPlot } from '../../kit/charts/strip-plot.ts'
import { crumbs } from '../../kit/crumbs.ts'
import { type Html, layout } from '../../kit/layout.ts'
import { commit, linked, pullRequestLink, sentence } from '../../kit/links.ts'
import { againstHistoryWay, reproduce, type Way } from '../../kit/reproduce.ts'
import { cells, headings, valueColumn } from '../../kit/table.ts'
import { architectureName, explained, meaningOf, onArchitecture, word } from '../../kit/word.ts'
import { ignoredItem } from '../report/report-rows.ts'
import { columnsOf, outcomeOf, plainColumnHead, resultRow } from '../report/result-columns.ts'
import { addressOf, leftOut, whyOfEarlierRun } from '../shown-report.ts'
import { historyPart, type RowHistory } from './row-history.ts'
import { apart, metricsPart } from './row-metrics.ts'
import { type MeasuredResult, primaryOf, type RowView, type ShownRow } from './shown-row.ts'

/** Characters shown of texts from outside; all of them are in the JSON. */
const QUERY_LENGTH = 4000
const NAME_LENGTH = 120
const UNIT_LENGTH = 20
/** Repetitions in a table of samples; all of them are in the JSON and the TSV. */
const MOST_REPETITIONS = 100

interface RowPageOptions {
  /** The address of the bot from outside. */
  readonly publicUrl: string
  readonly version: string
}

/** One query of a report: its results, its samples, and everything else that was measured while it ran. */
export function rowPage(
  shown: ShownRow,
  history: RowHistory | null,
  view: RowView,
  { publicUrl, version }: RowPageOptions,
): Html {
  const { report, row, measured } = shown
  const address = addressOf(report)
  const path = ownRowPath(address, row)
  const label = queryName(row, NAME_LENGTH)
  const earlier = whyOfEarlierRun(report, row)
  const pullRequest = `${address.owner}/${address.repo} #${address.number}`
  const results = measured.map(({ result }) => result)
  const chosen = measured.find(({ result }) => result.architecture === view.architecture)
  return layout({
    title: `${label} · ${pullRequest}`,
    description: inWords(row),
    version,
    wide: true,
    scripts: [COPY_SCRIPT],
    crumbs: crumbs(address, { text: `#${address.number}`, path: reportPath(address) }, { text: label }),
    content: html`<h1><bdi>${label}</bdi></h1>
${earlier === null ? '' : html`<p><strong>${earlier}</strong></p>`}
${lead(row)}
${why(report, row, chosen)}
${row.queryName === null ? '' : html`<pre class="query" tabindex="0"><code><bdi>${plainText(row.queryName, QUERY_LENGTH)}</bdi></code></pre>`}
<nav aria-label="On this page"><ul class="ways">
<li><a href="#samples">Samples</a></li>
${chosen === undefined ? '' : html`<li><a href="#metrics">Metrics</a></li>`}
${history === null ? '' : html`<li><a href="#history">History</a></li>`}
${hasProfile(row) ? html`<li><a href="#flame-graph">Flame graph</a></li>` : ''}
<li><a href="#result">Result</a></li>
<li><a href="${rowPath(address, row)}">In the report</a> of ${linked(pullRequestLink(report), pullRequest)}</li>
</ul></nav>
<h2 id="samples">Samples</h2>
${measured.map((one, index) => samplesPart(one, index, label, measured.length === 1 && one.result.architecture === null))}
${chosen === undefined ? '' : metricsPart(chosen, row, view, path)}
${history === null ? '' : historyPart(report, row, history)}
${flameGraphPart(row, flameGraphPath(address, row), flameGraphFilePath(address, row))}
<h2 id="result">Result</h2>
${facts(report, row)}
<div class="scroll" role="region" aria-labelledby="result-caption" tabindex="0">
<table class="rows"><caption id="result-caption">${plainText(row.metric, NAME_LENGTH)} by architecture</caption>
<thead><tr>${columnsOf([row]).all.map(plainColumnHead)}</tr></thead>
<tbody>${results.map((result) => resultRow(result, row, report))}</tbody>
</table></div>
${results.length === row.results.length ? '' : html`<p>${leftOut(row, results)}</p>`}
${thresholdWords(results)}
${rowReproduce(shown, `${publicUrl}${path}`)}
<p class="downloads">Every metric and sample that is stored, unrounded:
<a href="${path}?format=json">JSON</a>, <a href="${path}?format=tsv">tab-separated values</a>, a line per sample.</p>`,
  })
}

/** `19.1 → 37.1 ms, +94.5% on arm`; empty where it was not compared. */
function inWords(row: ReportRow): string {
  const { old, new: fresh, difference, architecture } = decisive(row)
  if (old.median === null || fresh.median === null) return ''
  const unit = row.unit === null ? null : plainText(row.unit, UNIT_LENGTH)
  return `${change(old.median, fresh.median, unit)}${difference === null ? '' : `, ${signedPercent(difference)}`}${onArchitecture(architecture)}`
}

/** How far it moved, and what to make of that. */
function lead(row: ReportRow): Html {
  const said = row.verdict === null ? null : VERDICT_WORDS[row.verdict]
  return html`<p class="lead">${said === null ? html`<span class="tag first">${outcomeOf(decisive(row))}</span>` : explained(said, undefined, `tag first ${row.verdict!}`)}${row.guarded ? html` <span class="tag">${MEASUREMENT_WORDS.guarded.term}</span>` : ''} <strong>${inWords(row)}</strong></p>
${said === null ? '' : html`<p>${meaningOf(said)}</p>`}`
}

/** What is known of the reason, first of all: the function, the metric, the step. */
function why(report: TriageReport, row: ReportRow, chosen: MeasuredResult | undefined): Html | string {
  const phrases = [...acceptedPhrases(row), ...row.evidence.map((item) => evidencePhrase(item, row, 'all'))]
  const isOnPath = row.evidence.some(({ kind }) => kind === 'on-path')
  const grown = isOnPath || !hasProfile(row) ? [] : withoutChance(row.profile!.words).total.slice(0, MOST_FRAMES)
  const metric = chosen === undefined ? '' : apart(chosen.metrics, row.metric)
  const items = [
    ...(row.ignored === undefined ? [] : [ignoredItem(row.ignored)]),
    ...unseenFacts(decisive(row)).map((fact) => html`<li>${fact}</li>`),
    ...phrases.map((one) => html`<li>${sentence(report, one)}</li>`),
    ...grown.map(
      ({ name, change: share, points }) =>
        html`<li><code><bdi>${plainText(shortFunctionName(name), NAME_LENGTH) || '(no name)'}</bdi></code> ${share} of the stack samples <small>${points}</small></li>`,
    ),
    ...(metric === '' ? [] : [html`<li>${metric}</li>`]),
  ]
  if (items.length === 0) return ''
  return html`<h2 id="why">Why</h2>
<ul class="evidence">${items}</ul>`
}

/** Functions of the profile that are named. */
const MOST_FRAMES = 3

function hasProfile({ profile }: ReportRow): boolean {
  return profile !== undefined && profile !== null && profile.traceTypes.length > 0
}

function flameGraphPart(row: ReportRow, path: string, file: string): Html | string {
  if (!hasProfile(row)) return ''
  return html`<h2 id="flame-graph">Flame graph</h2>
<p><a href="${path}">Open it</a> to zoom into a frame, and for its table. Old against new (${row.profile!.traceTypes.join(', ')}): orange frames take more of the time than before, blue ones less.</p>
<a href="${path}"><img class="flame-image" src="${file}" alt="Flame graph, old against new" loading="lazy"></a>`
}

/** Once, however many architectures it is said of. */
function thresholdWords(results: readonly ClassifiedQuery[]): Html | string {
  const why = results.map(largestThreshold).find((words) => words !== null)
  return why === undefined ? '' : html`<p>${word(MEASUREMENT_WORDS.threshold.term, 'A threshold with ≤')}: ${why}</p>`
}

function facts(report: TriageReport, row: ReportRow): Html {
  return html`<dl class="facts">
<div><dt>Test</dt><dd><bdi>${plainText(row.test, NAME_LENGTH)}</bdi></dd></div>
<div><dt>Query</dt><dd>${row.queryIndex === null ? 'position not known' : `#${row.queryIndex}`}${row.ordinal === undefined ? '' : `, no. ${row.ordinal + 1} of this text`}</dd></div>
<div><dt>Metric</dt><dd>${plainText(row.metric, NAME_LENGTH)}${row.unit === null ? '' : `, ${plainText(row.unit, UNIT_LENGTH)}`}</dd></div>
<div><dt>${word('new')}</dt><dd>${commit(report, report.head)}</dd></div>
${report.references.map(({ commit: old, architectures }) => html`<div><dt>${word('old')}</dt><dd>${commit(report, old)}${report.references.length > 1 ? ` on ${architectures.map(architectureName).join(', ')}` : ''}</dd></div>`)}
</dl>`
}

/** `isAlone`: there is no other architecture, and this one has no name. */
function samplesPart(measured: MeasuredResult, index: number, label: string, isAlone: boolean): Html {
  const { result, run } = measured
  const on = onArchitecture(result.architecture)
  const heading = isAlone
    ? ''
    : html`<h3>${result.architecture === null ? 'Unnamed architecture' : html`<bdi>${architectureName(result.architecture)}</bdi>`}</h3>`
  const primary = primaryOf(measured)
  if (run === null || primary === null) {
    return html`${heading}<p>The samples are not stored: for a new report they arrive within seconds, and those of old and earlier runs are gone.</p>`
  }
  if (primary.rounded || primary.samples === null) {
    return html`${heading}<p>${primary.rounded ? 'Rounded by the source, which gives medians and a threshold but no samples.' : 'Only the medians are kept.'}</p>`
  }
  const unit = result.unit === null ? null : plainText(result.unit, UNIT_LENGTH)
  const plot = stripPlot({
    id: `strip-${index}`,
    title: `Samples of ${label}${on}`,
    metric: plainText(result.metric, 40),
    unit,
    ...primary.samples,
    oldMedian: result.old.median,
    newMedian: result.new.median,
    changedThreshold: result.changedThreshold,
    ...(result.history !== undefined && { jobs: result.history.jobs }),
  })
  const source = plainText(`${run.check}, ${attemptWords(run.attempt)}`, NAME_LENGTH)
  return html`${heading}
${plot === null ? html`<p>No sample is a number.</p>` : html`<figure class="chart-frame">${raw(plot)}<figcaption>${chartKey(samplesKey(measured))}Vertical position within a line has no meaning. From <bdi>${source}</bdi>.</figcaption></figure>`}
<details><summary>The samples as numbers</summary><div class="scroll" role="region" aria-labelledby="repetitions-${index}" tabindex="0">${samplesTable(primary.samples, unit, on, index)}</div></details>`
}

function samplesKey(measured: MeasuredResult): readonly KeyLine[] {
  const isAlone = measured.result.history !== undefined
  const band = bandWords(measured)
  const lines: (KeyLine | false)[] = [
    !isAlone && { shape: marker('old', 50, 7, 'old'), words: 'a repetition of the old build' },
    {
      shape: marker('new', 50, 7, 'new'),
      words: isAlone ? 'a repetition of the head, which was measured alone' : 'a repetition of the new build',
    },
    {
      shape: '<line class="median new" x1="14" x2="14" y1="0" y2="14"/>',
      words: isAlone ? 'the baseline, and the median of the head’s jobs' : 'the median of a build',
    },
    band !== '' && { shape: '<rect class="band" width="28" height="14"/>', words: band },
  ]
  return lines.filter((one) => one !== false)
}

function bandWords({ result }: MeasuredResult): string {
  const { old, new: fresh, changedThreshold, changedThresholdSource, difference } = result
  if (old.median === null || fresh.median === null || changedThreshold === null || !(old.median > 0)) return ''
  const source =
    changedThresholdSource === null
      ? ''
      : ` (${THRESHOLD_SOURCE_WORDS[changedThresholdSource].term}: ${lower(THRESHOLD_SOURCE_WORDS[changedThresholdSource].meaning)})`
  if (result.history !== undefined)
    return `the baseline ± ${thresholdPercent(changedThreshold)}${source}; a smaller difference is not called a change.${difference === null ? '' : ` ${result.history.jobs === 1 ? 'The job is' : 'All jobs are at least'} ${signedPercent(difference)} from it.`}`
  return `the old median ± ${thresholdPercent(changedThreshold)}${source}; a new median in there is not called a change.${difference === null ? '' : ` The new median is ${signedPercent(difference)} from the old one.`}`
}

function samplesTable(
  samples: { readonly old: readonly number[]; readonly new: readonly number[] },
  unit: string | null,
  on: string,
  place: number,
): Html {
  const longest = Math.max(samples.old.length, samples.new.length)
  const shown = (value: number) => values([value], unit)
  const columns: readonly Column<number>[] = [
    { heading: 'Repetition', isNumber: true, cell: (index) => html`<th scope="row" class="n">${index + 1}</th>` },
    ...(samples.old.length === 0 ? [] : [valueColumn<number>('Old', (index) => samples.old[index] ?? null, shown)]),
    valueColumn('New', (index) => samples.new[index] ?? null, shown),
  ]
  const rows = Array.from({ length: Math.min(longest, MOST_REPETITIONS) }, (_, index) => index)
  const more = longest - rows.length
  return html`<table class="samples"><caption id="repetitions-${place}">Repetitions${on}, in order</caption>${headings(columns)}<tbody>${rows.map((index) => html`<tr>${cells(columns, index)}</tr>`)}</tbody></table>
${more > 0 ? html`<p>And ${counted(more, 'repetition', 'repetitions')} more, in the JSON.</p>` : ''}`
}

function lower(sentence: string): string {
  return uncapital(sentence).replace(/\.$/, '')
}

/** An attempt from here on is a time, not a number. */
const FIRST_TIME = 1e9

/** `attempt 2`; of a check whose attempts have no numbers the time in its place, which is its attempt in seconds since 1970. */
export function attemptWords(attempt: number): string {
  if (attempt < FIRST_TIME) return `attempt ${count(attempt)}`
  return `finished ${new Date(attempt * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Ways to get the numbers of a row without the page. `address` is its full one. */
function rowReproduce(shown: ShownRow, address: string): Html {
  const samples: Way = ['Every sample, from this address:', `curl --silent --fail '${address}?format=tsv'`]
  const { row, report } = shown
  if (row.results[row.decidedBy]!.history !== undefined)
    return reproduce([samples, againstHistoryWay(report.repository.id, row.metric)])
  const sql = mediansSql(shown)
  const ofSql: Way[] = sql === null ? [] : [[`The medians, ${IN_THE_DATABASE}:`, sql]]
  return reproduce([
    samples,
    ['Threshold, p and outcome, recomputed from them:', classifyShell(shown, address)],
    ...ofSql,
  ])
}

/** Numbers and UUIDs alone: no text from outside stands in it. null where no samples are stored. */
function mediansSql({ report, measured }: ShownRow): string | null {
  const places = measured.flatMap((one) => {
    const primary = primaryOf(one)
    return one.run === null || primary === null || primary.samples === null || primary.rounded
      ? []
      : [`('${one.run.runId}', ${primary.measurement})`]
  })
  if (places.length === 0) return null
  return `SELECT
    any(result.metric) AS metric,
    any(result.old_median) AS stored_old_median,
    quantileExactIf(0.5)(sample.value, sample.side = 'old') AS old_median,
    any(result.new_median) AS stored_new_median,
    quantileExactIf(0.5)(sample.value, sample.side = 'new') AS new_median,
    any(result.difference) AS difference,
    any(result.threshold) AS threshold,
    any(result.p_value) AS p_value
FROM query_results AS result
INNER JOIN samples AS sample
    ON sample.repository_id = result.repository_id AND sample.run_id = result.run_id AND sample.measurement = result.measurement
WHERE result.repository_id = ${report.repository.id}
  AND sample.repository_id = ${report.repository.id}
  AND (result.run_id, result.measurement) IN (${places.join(', ')})
  AND (sample.run_id, sample.measurement) IN (${places.join(', ')})
GROUP BY result.run_id, result.measurement`
}

/** The deciding result's thresholds are given: the command knows neither the repository's configuration nor its history. */
function classifyShell({ row }: ShownRow, address: string): string {
  const { changedThreshold, unstableThreshold } = row.results[row.decidedBy]!
  const options = [
    /^[A-Za-z0-9_.-]{1,200}$/.test(row.metric) ? ` --metric ${row.metric}` : '',
    changedThreshold === null ? '' : ` --changed-threshold ${changedThreshold}`,
    unstableThreshold === null ? '' : ` --unstable-threshold ${unstableThreshold}`,
  ]
  return `curl --silent --fail '${address}?format=tsv' > row.tsv
perf-triage classify row.tsv --all --json${options.join('')}`
}
