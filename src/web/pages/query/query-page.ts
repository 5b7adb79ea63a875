import { html, raw } from 'hono/html'
import type { Release } from '../../../inbox/releases.ts'
import type { HistorySource } from '../../../intake/imports/history/trunk-row.ts'
import { queryHash } from '../../../intake/measurement/query-hash.ts'
import type { QueryId } from '../../../intake/measurement/run.ts'
import type { TrunkPoint, TrunkSeries, TrunkStep } from '../../../judge/history/trunk-series.ts'
import { queryName } from '../../../report/row/name.ts'
import { queryPath } from '../../../report/urls.ts'
import { IN_THE_DATABASE, MEASUREMENT_WORDS } from '../../../report/words.ts'
import { isCommitId } from '../../../text/commits.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted, minute, percent, signedPercent } from '../../../text/numbers.ts'
import { shellQuote, sqlLiteral } from '../../../text/quote.ts'
import type { Column } from '../../../text/table.ts'
import { COPY_SCRIPT, HISTORY_CHART_SCRIPT, UPLOT_STYLE } from '../../assets/assets.ts'
import { chartKey } from '../../kit/charts/chart-key.ts'
import type { OwnValue } from '../../kit/charts/history-chart.ts'
import { noiseChart, noiseOf } from '../../kit/charts/noise-chart.ts'
import { releasesIn } from '../../kit/charts/release-marks.ts'
import { compareFold } from '../../kit/compare-form.ts'
import { crumbs } from '../../kit/crumbs.ts'
import { type Html, layout } from '../../kit/layout.ts'
import { type GitHubLinks, githubLinks } from '../../kit/links.ts'
import { messagePage } from '../../kit/message-page.ts'
import { reproduce, type Way } from '../../kit/reproduce.ts'
import { cardTable, plainTable } from '../../kit/table.ts'
import { architectureName, onArchitecture, word } from '../../kit/word.ts'
import { historyFigure, historyNotices } from './history-figure.ts'
import { acceptedAmong, markPart } from './mark-step.ts'
import {
  flagColumns,
  type NumberedStep,
  type RunOfTrunk,
  runColumns,
  type SaidOf,
  stepColumns,
} from './query-columns.ts'
import { DAYS, MOST_FLAGS, type QueryView, queryViewPath, type ShownQuery, type ShownSeries } from './shown-query.ts'

/** Characters shown of texts from outside; all of them are in the JSON. */
const QUERY_LENGTH = 4000
const NAME_LENGTH = 120
const METRIC_LENGTH = 60
/** Runs in the table; all of them are in the JSON and the TSV. */
const MOST_ROWS = 200
const MOST_STEPS = 50
/** Metrics that stand as tabs at once. */
const FIRST_METRICS = 8
const MOST_METRICS = 300

const SOURCE_WORDS: Record<HistorySource, string> = {
  own: 'runs of the main branch that the bot read itself',
  imported: 'imported runs of the main branch',
  'ci-database': 'the CI database',
}

export interface QueryPageOptions {
  /** Where the bot is reached from outside. */
  readonly publicUrl: string
  /** `https://github.com`, or that of an Enterprise Server. */
  readonly githubUrl: string
  readonly version: string
  readonly saidOf: SaidOf
  /** The tags of the repository. */
  readonly releases: readonly Release[]
  /** What the report that the reader comes from has of the query; null: nothing. */
  readonly own: OwnValue | null
  /** Null: there is no sign-in. */
  readonly isSignedIn: boolean | null
}

/** One query over time: its history on the trunk, its steps, its noise, and the pull requests that flagged it. */
export function queryPage(shown: ShownQuery, options: QueryPageOptions): Html {
  const { publicUrl, githubUrl, version } = options
  const { repository, query, metric, view } = shown
  const label = queryName(query, NAME_LENGTH)
  const path = queryPath(repository, query).split('?')[0]!
  const links = githubLinks(githubUrl, repository)
  const name = `${repository.owner}/${repository.repo}`
  const history = shown.histories.find(({ series }) => series.architecture === shown.architecture)
  return layout({
    title: `${label} · history · ${name}`,
    version,
    wide: true,
    scripts: history === undefined ? [COPY_SCRIPT] : [COPY_SCRIPT, HISTORY_CHART_SCRIPT],
    styles: history === undefined ? [] : [UPLOT_STYLE],
    crumbs: crumbs(repository, { text: `${label}, history` }),
    content: html`<h1>History of <bdi>${label}</bdi></h1>
${facts(shown, history)}
${query.queryName === null ? '' : html`<pre class="query" tabindex="0"><code><bdi>${plainText(query.queryName, QUERY_LENGTH)}</bdi></code></pre>`}
${historyNotices(shown.problem)}
${choices(shown, path)}
${history === undefined ? nothing(shown, path) : historyPart(shown, history, links, path, options)}
${flagsPart(shown, links)}
${queryReproduce(shown, `${publicUrl}${path}`)}
<p class="downloads">Every run of ${view.architecture === undefined && shown.architectures.length > 1 ? 'every architecture' : architectureName(shown.architecture)} with ${plainText(metric, METRIC_LENGTH)}, unrounded:
<a href="${queryViewPath(path, view, 'json')}">JSON</a>, <a href="${queryViewPath(path, view, 'tsv')}">tab-separated values</a>, a line per run.</p>`,
  })
}

/** An address of before that several queries have: a link to each. */
export function severalQueriesPage(
  version: string,
  queries: readonly QueryId[],
  pathOf: (query: QueryId) => string,
): Html {
  return messagePage(
    version,
    'Several queries',
    'This is an old address, and it may mean one of several queries:',
    html`
<ul>${queries.map((query) => html`<li><a href="${pathOf(query)}"><bdi>${queryName(query, NAME_LENGTH)}</bdi></a></li>`)}</ul>`,
  )
}

function facts({ query, metric, unit, architecture }: ShownQuery, history: ShownSeries | undefined): Html {
  return html`<dl class="facts">
<div><dt>Test</dt><dd><bdi>${plainText(query.test, NAME_LENGTH)}</bdi></dd></div>
<div><dt>Query</dt><dd>${query.queryIndex === null ? 'position not known' : `#${query.queryIndex} in the newest run`}${query.ordinal === undefined ? '' : `, no. ${query.ordinal + 1} of this text`}</dd></div>
<div><dt>Metric</dt><dd><bdi>${plainText(metric, NAME_LENGTH)}</bdi>${unit === null ? '' : `, ${unit}`}</dd></div>
<div><dt>Architecture</dt><dd><bdi>${architectureName(architecture)}</bdi></dd></div>
${history === undefined ? '' : html`<div><dt>Source</dt><dd>${SOURCE_WORDS[history.series.source]}</dd></div>`}
</dl>`
}

/** What else there is to see, each a link. */
function choices({ metrics, metric, architectures, architecture, view }: ShownQuery, path: string): Html {
  const tab = (text: string, other: Partial<QueryView>, isShown: boolean) =>
    html`<li><a class="tab" href="${queryViewPath(path, { ...view, ...other })}"${isShown ? html` aria-current="true"` : ''}><bdi>${text}</bdi></a></li>`
  const ofMetric = (name: string) =>
    tab(plainText(name, METRIC_LENGTH) || '(no name)', { metric: name }, name === metric)
  // The one that is shown is among the first ones.
  const ordered = [...new Set([metrics[0]!, metric, ...metrics])]
  const [first, more] = [ordered.slice(0, FIRST_METRICS), ordered.slice(FIRST_METRICS, MOST_METRICS)]
  return html`<nav class="tabs" aria-label="What is shown">
<ul>${architectures.map((one) => tab(architectureName(one), { architecture: one }, one === architecture))}</ul>
<ul>${first.map(ofMetric)}</ul>
<ul>${DAYS.map((days) => tab(`${days} days`, { days }, days === view.days))}</ul></nav>
${more.length === 0 ? '' : html`<details class="more-metrics"><summary>${counted(more.length, 'more metric', 'more metrics')}</summary><nav class="tabs" aria-label="More metrics"><ul>${more.map(ofMetric)}</ul></nav></details>`}`
}

function nothing({ view }: ShownQuery, path: string): Html {
  return html`<h2 id="history">History</h2>
<p>The main branch has no run of it in the last ${count(view.days)} days.${view.days === 365 ? '' : html` <a href="${queryViewPath(path, { ...view, days: 365 })}">Look at a year</a>.`}</p>`
}

function historyPart(
  shown: ShownQuery,
  history: ShownSeries,
  links: GitHubLinks,
  path: string,
  { saidOf, releases, own, isSignedIn }: QueryPageOptions,
): Html {
  const { query, metric, unit, view, architecture } = shown
  const { series, steps } = history
  const label = queryName(query, NAME_LENGTH)
  const input = {
    id: 'history-chart',
    title: `${label}${onArchitecture(architecture)} over time`,
    metric: plainText(metric, METRIC_LENGTH),
    unit,
    points: series.points,
    steps,
    releases: releasesIn(releases, series.points),
    accepted: acceptedAmong(history, saidOf),
    own,
  }
  const live = {
    data: queryViewPath(path, { ...view, architecture, metric }, 'json'),
    commits: links.commit('0'.repeat(40))!.slice(0, -40),
  }
  return html`<h2 id="history">History</h2>
${historyFigure(input, live)}
<details><summary>The runs as numbers</summary><div class="scroll" role="region" aria-label="Runs" tabindex="0">${runsTable(series, runColumns(unit, links))}</div></details>
${stepsPart(series, steps, stepColumns(unit, links), saidOf, (rows) => markPart(rows, isSignedIn, queryViewPath(path, { ...view, architecture, metric })))}
${compareFold(shown.repository, compared(series, steps))}
${noisePart(series.points, label, input.releases)}`
}

/** Runs of the trunk that the form offers. */
const MOST_CHOICES = 50

/** The last step's commits, else the two newest ones; and what else may be chosen. What is no commit can't be compared. */
function compared({ points }: TrunkSeries, steps: readonly TrunkStep[]) {
  const newest = points.filter(({ commit }) => isCommitId(commit)).slice(-MOST_CHOICES)
  const last = steps.at(-1)
  const [old = '', fresh = ''] = (last === undefined ? newest.slice(-2) : [last.lastGood, last.firstBad]).map(
    ({ commit }) => (isCommitId(commit) ? commit : ''),
  )
  return {
    old,
    new: fresh,
    choices: newest.toReversed().map(({ commit, time }) => ({ commit, label: minute(time) })),
  }
}

function runsTable(series: TrunkSeries, columns: readonly Column<RunOfTrunk>[]): Html {
  const { points } = series
  const shown = points.slice(-MOST_ROWS).toReversed()
  const more = points.length - shown.length
  const rows = shown.map((point) => ({ series, point }))
  return html`${plainTable('Runs of the main branch, newest first', columns, rows)}
${more > 0 ? html`<p>And ${counted(more, 'older run', 'older runs')}, in the JSON.</p>` : ''}`
}

function stepsPart(
  series: TrunkSeries,
  steps: readonly TrunkStep[],
  columns: readonly Column<NumberedStep>[],
  saidOf: SaidOf,
  markPartOf: (rows: readonly NumberedStep[]) => Html,
): Html {
  const heading = html`<h2 id="steps">Steps</h2>`
  if (steps.length === 0) {
    return html`${heading}<p>No lasting step in this period: a step counts if both the levels and the pairs show it, or one of them shows 20% or more.</p>`
  }
  const first = Math.max(0, steps.length - MOST_STEPS)
  const rows = steps.slice(first).map((step, index) => ({
    number: first + index + 1,
    step,
    ...saidOf(series, step),
  }))
  return html`${heading}
${cardTable(`Lasting steps of the main branch, oldest first${first > 0 ? `; ${counted(first, 'older one', 'older ones')} in the JSON` : ''}`, columns, rows)}
${markPartOf(rows)}`
}

function noisePart(points: readonly TrunkPoint[], label: string, releases: readonly Release[]): Html {
  const noise = noiseOf(points)
  const chart = noiseChart({ id: 'noise-chart', title: `Noise of ${label} over time`, points, releases })
  const heading = html`<h2 id="noise">Noise</h2>`
  if (noise === null || chart === null) {
    return html`${heading}<p>The history has no thresholds, so the noise within a run is unknown.</p>`
  }
  return html`${heading}
<p>It moved by its own ${word(MEASUREMENT_WORDS.threshold.term)} or more in ${count(noise.moved)} of ${counted(noise.runs, 'run', 'runs')} (${percent(noise.moved / noise.runs)}). Noise between repetitions alone does that in 1% of runs; anything above is movement between runs, or a real change. The median noise is ±${percent(noise.median)}, the largest difference ${signedPercent(noise.largestDifference)}.</p>
<figure class="chart-frame over-time">${raw(chart)}<figcaption>${chartKey([
    {
      shape: '<path class="points" d="M14 7h0"/>',
      words: 'noise of a run: its repetitions alone reach it 1 time in 100',
    },
    { shape: '<path class="moved" d="M14 7h0"/>', words: 'a run that moved by its noise or more' },
  ])}The threshold learned from a month of such runs is shown with each query in a pull request’s report.</figcaption></figure>`
}

function flagsPart(shown: ShownQuery, links: GitHubLinks): Html {
  const { flags, view } = shown
  const heading = html`<h2 id="flagged">Pull requests that flagged it</h2>`
  const within = `the reports of the last ${count(view.days)} days`
  if (flags.length === 0) return html`${heading}<p>None in ${within}.</p>`
  const columns = flagColumns(shown, links)
  return html`${heading}
${cardTable(`Changed in ${within}, newest first${flags.length === MOST_FLAGS ? `; the newest ${MOST_FLAGS} are shown` : ''}`, columns, flags)}`
}

/** How to get a history without the page. `address` is the page's full one without a view. */
function queryReproduce(shown: ShownQuery, address: string): Html {
  const { metric, architecture, view } = shown
  const data = `curl --silent --fail '${queryViewPath(address, { ...view, metric, architecture }, 'tsv')}'`
  const bisect = bisectShell(shown)
  const sql = historySql(shown)
  const ofBisect: Way[] =
    bisect === null
      ? []
      : [['The windows, run where the bot’s database is; --repository adds the commits in between:', bisect]]
  const ofSql: Way[] = sql === null ? [] : [[`The rows, ${IN_THE_DATABASE}:`, sql]]
  return reproduce([
    ['Every run, from this address:', data],
    [
      'The change points, recomputed from them (from the levels alone; a window also needs the pairs):',
      `${data} |\n  perf-triage change-points - --value new`,
    ],
    ...ofBisect,
    ...ofSql,
  ])
}

/** null where a name can be no argument of a command. */
function bisectShell({ repository, query, metric, architecture, view }: ShownQuery): string | null {
  const names = [query.test, metric, architecture ?? '-'].map(shellQuote)
  if (names.includes(null)) return null
  const [test, ofMetric, on] = names
  const position = query.queryIndex === null ? '' : ` --query ${query.queryIndex}`
  // An empty name is refused: what has none is not asked for.
  const where = architecture === null ? '' : ` --architecture=${on}`
  return `perf-triage bisect --repository-id ${repository.id} --test=${test}${position}${where} --metric=${ofMetric} --days ${view.days}`
}

/** null where the history is not stored, or is the second of equal texts, whom an index alone tells apart. */
function historySql({
  repository,
  query,
  metric,
  architecture,
  histories,
  copiedFrom,
  range,
  view,
}: ShownQuery): string | null {
  const [history] = histories.filter(({ series }) => series.architecture === architecture)
  if (history === undefined || copiedFrom === null || view.ordinal > 0) return null
  const tables = ['', ...copiedFrom].map(sqlLiteral).join(', ')
  const seconds = (time: number) => Math.floor(time / 1000)
  return `SELECT event_time, new_sha, old_sha, old_value, new_value, diff, stat_threshold
FROM trunk_history FINAL
WHERE repository_id = ${repository.id}
  AND metric = ${sqlLiteral(metric)}
  AND test = ${sqlLiteral(query.test)}
  AND query_hash = ${queryHash(query)}
  AND arch = ${sqlLiteral(architecture ?? '')}
  AND NOT superseded
  AND copied_from IN (${tables})
  AND pr_number = 0
  AND event_time > toDateTime(${seconds(range.from)}, 'UTC')
  AND event_time <= toDateTime(${seconds(range.to)}, 'UTC')
ORDER BY event_time`
}
