import { html, raw } from 'hono/html'
import { METRIC_GROUPS } from '../../../intake/measurement/metric-group.ts'
import { withPrimary, withPrimaryBeyondChance } from '../../../judge/verdict/query-metrics.ts'
import type { ReportRow } from '../../../report/report.ts'
import { MEASUREMENT_WORDS, METRIC_GROUP_WORDS, METRIC_WORDS, NOTE_WORDS } from '../../../report/words.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted, signedPercent } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { scatterPlot } from '../../kit/charts/scatter-plot.ts'
import type { Html } from '../../kit/layout.ts'
import { architectureName, onArchitecture, said, word } from '../../kit/word.ts'
import { shownResults } from '../shown-report.ts'
import {
  AXIS_LENGTH,
  canPlot,
  correlationWords,
  hasNoOldSide,
  METRIC_LENGTH,
  type Metric,
  medianWords,
  metricsTable,
  signed,
  unitOf,
} from './metrics-table.ts'
import { type MeasuredResult, primaryOf, type RowView, rowViewPath } from './shown-row.ts'

/** All metrics of a query as a table, and one of them against the time. `path` is that of the page. */
export function metricsPart(measured: MeasuredResult, row: ReportRow, view: RowView, path: string): Html {
  const { metrics, result, run } = measured
  const others = metrics.filter(({ metric }) => metric !== result.metric)
  const heading = html`<h2 id="metrics">Metrics</h2>
${architectures(row, view, path)}`
  if (run === null)
    return html`${heading}<p>Metrics besides ${plainText(result.metric, METRIC_LENGTH)} are not stored.</p>`
  if (others.length === 0 && run.othersUnread !== true) {
    return html`${heading}<p>The source measures only ${plainText(result.metric, METRIC_LENGTH)}. If a source has counters too, such as ClickHouse’s ProfileEvents, they are shown here.</p>`
  }
  const shown = metrics.filter(({ group }) => view.group === null || group === view.group)
  const isEqual = ({ oldMedian, newMedian }: Metric) => oldMedian !== null && oldMedian === newMedian
  const [equal, different] = [shown.filter(isEqual), shown.filter((metric) => !isEqual(metric))]
  const table = (of: readonly Metric[], id: string, caption: Html) =>
    metricsTable(of, id, caption, measured, row, view, path)
  return html`${heading}
${run.othersUnread === true ? html`<p>The other metrics of this run will follow within minutes.</p>` : ''}
${summary(metrics, run.left)}
${together(metrics, result.metric)}
${repetitions(measured, view)}
<h3 id="all-metrics">All metrics</h3>
${groups(metrics, row, view, path)}
${
  different.length === 0
    ? html`<p>None of them differs.</p>`
    : table(
        different,
        'metrics-caption',
        html`${counted(different.length, 'metric', 'metrics')}${onArchitecture(result.architecture)}${different.every(hasNoOldSide) ? ', of the head alone' : html`, sorted by surprise: what does not overlap at all, the largest ratio first; then the smallest p, of equal ones the largest difference in thresholds`}`,
      )
}
${
  equal.length === 0
    ? ''
    : html`<details><summary>${counted(equal.length, 'metric has', 'metrics have')} the same median on both sides</summary>${table(equal, 'equal-caption', html`The same on both sides`)}</details>`
}`
}

/** Metrics that are named in the sentence. */
const NAMED = 5

/** Metrics that moved and go with the time, the strongest first: the answer that most readers came for. */
function together(metrics: readonly Metric[], primary: string): Html | string {
  const candidates = withPrimary(metrics)
  const found = withPrimaryBeyondChance(candidates)
  if (found.length === 0) return ''
  const named = found
    .slice(0, NAMED)
    .map(
      ({ metric, difference, withPrimary: correlation }, index) =>
        html`${index === 0 ? '' : ', '}<bdi>${plainText(metric, METRIC_LENGTH)}</bdi> (${difference === null ? 'from 0' : signedPercent(difference)}, ${signed(correlation!.coefficient)})`,
    )
  const more = found.length - NAMED
  return html`<p>Moved, and ${said(METRIC_WORDS.withPrimary, `correlates with ${plainText(primary, AXIS_LENGTH)}`)} within each side by more than chance, even with ${counted(candidates.length, 'metric', 'metrics')} examined: ${named}${more > 0 ? ` and ${count(more)} more` : ''}. Times are left out, since they are parts of it.</p>`
}

function summary(metrics: readonly Metric[], left: number): Html | string {
  const chances = metrics.flatMap(({ movesByChance }) => (movesByChance === null ? [] : [movesByChance]))
  const byChance = Math.round(chances.reduce((sum, chance) => sum + chance, 0))
  const moved = metrics.filter((metric) => metric.moved).length
  const rounded = metrics.filter((metric) => metric.rounded).length
  const bare = metrics.filter((metric) => metric.samples === null && !metric.rounded).length
  const sentences: (Html | string)[] = []
  if (chances.length > 0) {
    sentences.push(
      html`Every metric is judged by the same exact test as the time: ${count(moved)} of ${counted(metrics.length, 'metric', 'metrics')} moved by more than their ${MEASUREMENT_WORDS.threshold.term}; chance alone would move ${byChance === 0 ? 'less than one' : `about ${count(byChance)}`} of the ${count(chances.length)} that could be tested. One whose sides do not ${word(MEASUREMENT_WORDS.overlap.term)} moved whatever its p.`,
    )
  }
  if (rounded > 0) {
    sentences.push(
      html`For ${counted(rounded, 'metric', 'metrics')}, the numbers are rounded by the source (${said(NOTE_WORDS['rounded-source'])}): medians and thresholds are as given, and without samples there is no p.`,
    )
  }
  if (bare > 0) {
    sentences.push(
      `For ${counted(bare, 'metric', 'metrics')}, only the medians are kept: the run is so large that samples are kept only for queries that changed.`,
    )
  }
  if (left > 0) sentences.push(`${counted(left, 'metric is', 'metrics are')} left out.`)
  return sentences.length === 0 ? '' : html`<p>${sentences.map((sentence) => html`${sentence} `)}</p>`
}

function architectures(row: ReportRow, view: RowView, path: string): Html | string {
  if (row.results.length < 2) return ''
  const items = shownResults(row, view.architecture).map(({ architecture }) => {
    const href = rowViewPath(path, { ...view, architecture, metric: null }, row)
    return html`<li><a class="tab" href="${href}#metrics"${architecture === view.architecture ? html` aria-current="true"` : ''}>${architectureName(architecture)}</a></li>`
  })
  return html`<nav class="tabs" aria-label="Architecture"><ul>${items}</ul></nav>`
}

function groups(metrics: readonly Metric[], row: ReportRow, view: RowView, path: string): Html {
  const tab = (group: RowView['group'], text: string, of: readonly Metric[]) => {
    const moved = of.filter((metric) => metric.moved).length
    return html`<li><a class="tab" href="${rowViewPath(path, { ...view, group }, row)}#all-metrics"${view.group === group ? html` aria-current="true"` : ''}>${text} <small>${of.every(hasNoOldSide) ? count(of.length) : `${count(moved)} of ${count(of.length)} moved`}</small></a></li>`
  }
  const present = METRIC_GROUPS.map((group) => ({ group, of: metrics.filter((metric) => metric.group === group) }))
  return html`<nav class="tabs" aria-label="Metrics by group"><ul>${tab(null, 'All', metrics)}${present
    .filter(({ of }) => of.length > 0)
    .map(({ group, of }) => tab(group, capital(METRIC_GROUP_WORDS[group].term), of))}</ul></nav>`
}

/**
 * Metrics that differ in every repetition of the new build, the largest ratio first: what happens now and never did before is a
 * cause, and no correlation within a side finds it, since it is the same in each repetition. Times are left out: they are
 * what is to be explained. `metrics` are sorted by surprise. Empty where there is none.
 */
export function apart(metrics: readonly Metric[], primary: string): Html | string {
  const found = metrics.filter(
    ({ metric, separated, moved, group }) => separated === true && moved && group !== 'time' && metric !== primary,
  )
  if (found.length === 0) return ''
  const named = found
    .slice(0, NAMED)
    .map(
      (one, index) =>
        html`${index === 0 ? '' : ', '}<bdi>${plainText(one.metric, METRIC_LENGTH)}</bdi> ${medianWords(one.oldMedian!, unitOf(one))} → ${medianWords(one.newMedian!, unitOf(one))}`,
    )
  const more = found.length - NAMED
  return html`Changed in every repetition, without ${word(MEASUREMENT_WORDS.overlap.term)}, largest ratio first: ${named}${more > 0 ? ` and ${count(more)} more` : ''}.`
}

/** One metric against the time, repetition by repetition. */
export function repetitions(measured: MeasuredResult, view: RowView): Html | string {
  const primary = primaryOf(measured)
  const candidates = measured.metrics.filter((metric) => metric !== primary && canPlot(metric, primary ?? undefined))
  const asked = view.metric === null ? undefined : candidates.find(({ metric }) => metric === view.metric)
  const chosen = asked ?? withPrimary(candidates)[0] ?? candidates[0]
  const heading = html`<h3 id="repetitions">Repetitions</h3>`
  if (primary === null || primary.samples === null || chosen === undefined || chosen.samples === null) {
    return html`${heading}<p>No other metric has repetitions to draw.</p>`
  }
  const points = (side: 'old' | 'new') =>
    chosen.samples![side].map((x, index) => ({ x, y: primary.samples![side][index]! }))
  const [name, time] = [plainText(chosen.metric, AXIS_LENGTH), plainText(primary.metric, AXIS_LENGTH)]
  const finding = correlationWords(chosen.withPrimary, name, time)
  const plot = scatterPlot({
    id: 'scatter',
    title: `${time} of each repetition against ${name}${onArchitecture(measured.result.architecture)}`,
    x: { metric: name, unit: unitOf(chosen) },
    y: { metric: time, unit: unitOf(primary) },
    old: points('old'),
    new: points('new'),
    finding,
  })
  return html`${heading}
${view.metric !== null && asked === undefined ? html`<p>No repetitions of <bdi>${plainText(view.metric, METRIC_LENGTH)}</bdi> can be drawn; this is a different metric.</p>` : ''}
<p>Did <b><bdi>${plainText(chosen.metric, METRIC_LENGTH)}</bdi></b> go up and down with the time? ${finding} Correlation doesn’t say which one is the cause. Choose another metric in the table below.</p>
${plot === null ? '' : html`<figure class="chart-frame">${raw(plot)}<figcaption>${hasNoOldSide(primary) ? '' : 'Ring: old. Square: new. '}Each is one repetition.</figcaption></figure>`}`
}
