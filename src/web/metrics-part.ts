import { html, raw } from 'hono/html'
import type { StoredMetric } from '../clickhouse/stored-metrics.ts'
import { METRIC_GROUPS } from '../measurement/metric-group.ts'
import { MEASUREMENT_WORDS, METRIC_GROUP_WORDS, METRIC_WORDS, NOTE_WORDS } from '../render/glossary.ts'
import { plainText } from '../render/markdown.ts'
import { count, counted, percent, pValue, signedPercent, times, values } from '../render/numbers.ts'
import type { WithinSidesCorrelation } from '../statistics/within-sides-correlation.ts'
import type { ReportRow } from '../triage/report.ts'
import { canPair, type QueryMetric, withPrimary, withPrimaryBeyondChance } from '../verdict/query-metrics.ts'
import { directionOf } from '../verdict/surprise.ts'
import { scatterPlot } from './charts/scatter-plot.ts'
import { architectureName } from './evidence-words.ts'
import type { Html } from './layout.ts'
import { numberCell } from './number-cell.ts'
import { LONGEST_METRIC, type RowView, rowViewPath } from './row-view.ts'
import { shownResults } from './shown-results.ts'
import { type MeasuredResult, primaryOf } from './shown-row.ts'
import { word } from './word.ts'

type Metric = QueryMetric<StoredMetric>

/** ClickHouse's largest queries move some 230 counters; all of them are in the JSON. */
const MOST_METRICS = 300
const NAME_LENGTH = 90
/** In a chart, where it stands beside an axis. */
const AXIS_LENGTH = 40
const UNIT_LENGTH = 20

/** Chance stays within so many standard deviations in 19 of 20 cases. */
const WITHIN_CHANCE = 1.96

/** All metrics of a query as a table, and one of them against the time. `path` is that of the page. */
export function metricsPart(measured: MeasuredResult, row: ReportRow, view: RowView, path: string): Html {
  const { metrics, result, run } = measured
  const others = metrics.filter(({ metric }) => metric !== result.metric)
  const heading = html`<h2 id="metrics">Metrics</h2>
${architectures(row, view, path)}`
  if (run === null)
    return html`${heading}<p>What was measured beside ${plainText(result.metric, NAME_LENGTH)} is not stored.</p>`
  if (others.length === 0) {
    return html`${heading}<p>The source measures ${plainText(result.metric, NAME_LENGTH)} alone. A source that has counters too, such as ClickHouse’s ProfileEvents, has them shown here.</p>`
  }
  const shown = metrics.filter(({ group }) => view.group === null || group === view.group)
  const isEqual = ({ oldMedian, newMedian }: Metric) => oldMedian !== null && oldMedian === newMedian
  const [equal, different] = [shown.filter(isEqual), shown.filter((metric) => !isEqual(metric))]
  const table = (of: readonly Metric[], id: string, caption: Html) =>
    metricsTable(of, id, caption, measured, row, view, path)
  return html`${heading}
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
        html`${counted(different.length, 'metric', 'metrics')} on ${architectureName(result.architecture)}, ${word(METRIC_WORDS.surprise.term)}: what does not overlap at all, the largest ratio first; then the smallest p, of equal ones the largest difference in thresholds`,
      )
}
${
  equal.length === 0
    ? ''
    : html`<details><summary>${counted(equal.length, 'metric has', 'metrics have')} the same median on both sides</summary>${table(equal, 'equal-caption', html`The same on both sides`)}</details>`
}`
}

function metricsTable(
  metrics: readonly Metric[],
  id: string,
  caption: Html,
  measured: MeasuredResult,
  row: ReportRow,
  view: RowView,
  path: string,
): Html {
  const time = plainText(measured.result.metric, AXIS_LENGTH)
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
<table class="rows metrics"><caption id="${id}">${caption}</caption>
<thead><tr><th scope="col">Metric</th><th scope="col">Group</th><th scope="col">Moved</th><th scope="col" class="n">Old <small>median and repetitions</small></th><th scope="col" class="n">New <small>median and repetitions</small></th><th scope="col" class="n">Difference</th><th scope="col" class="n">Threshold</th><th scope="col" class="n">p <small>randomization test</small></th><th scope="col" class="n">${word(METRIC_WORDS.withPrimary.term, `With ${time}`)} <small>rank correlation within the sides</small></th></tr></thead>
<tbody>${metrics.slice(0, MOST_METRICS).map((metric) => metricRow(metric, measured, row, view, path))}</tbody>
</table></div>
${metrics.length > MOST_METRICS ? html`<p>And ${count(metrics.length - MOST_METRICS)} more, in the JSON.</p>` : ''}`
}

/** Metrics that are named in the sentence. */
const NAMED = 5

/** What moved and goes with the time, the strongest first: the answer that most readers came for. */
function together(metrics: readonly Metric[], primary: string): Html | string {
  const candidates = withPrimary(metrics)
  const found = withPrimaryBeyondChance(candidates)
  if (found.length === 0) return ''
  const named = found
    .slice(0, NAMED)
    .map(
      ({ metric, difference, withPrimary: correlation }, index) =>
        html`${index === 0 ? '' : ', '}<bdi>${plainText(metric, NAME_LENGTH)}</bdi> (${difference === null ? 'from 0' : signedPercent(difference)}, ${signed(correlation!.coefficient)})`,
    )
  const more = found.length - NAMED
  return html`<p>Moved, and ${word(METRIC_WORDS.withPrimary.term, `goes with ${plainText(primary, AXIS_LENGTH)}`)} within each side by more than chance, also when ${counted(candidates.length, 'metric is', 'metrics are')} looked at: ${named}${more > 0 ? ` and ${count(more)} more` : ''}. Times are left out: they are parts of it.</p>`
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
      html`Every metric is judged by the same exact test as the time: ${count(moved)} of ${counted(metrics.length, 'metric', 'metrics')} moved by more than their ${MEASUREMENT_WORDS.threshold.term}, where chance alone would move ${byChance === 0 ? 'less than one' : `about ${count(byChance)}`} of the ${count(chances.length)} that could be tested. One whose sides do not ${word(MEASUREMENT_WORDS.overlap.term)} moved whatever its p.`,
    )
  }
  if (rounded > 0) {
    sentences.push(
      html`Of ${counted(rounded, 'metric', 'metrics')} the numbers are rounded by the source (${word(NOTE_WORDS['rounded-source'].term)}): medians and thresholds are as it gives them, and without samples there is no p.`,
    )
  }
  if (bare > 0) {
    sentences.push(
      `Of ${counted(bare, 'metric', 'metrics')} only the medians are kept: the run is so large that samples stay of queries that changed.`,
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
    return html`<li><a class="tab" href="${rowViewPath(path, { ...view, group }, row)}#all-metrics"${view.group === group ? html` aria-current="true"` : ''}>${text} <small>${count(moved)} of ${count(of.length)} moved</small></a></li>`
  }
  const present = METRIC_GROUPS.map((group) => ({ group, of: metrics.filter((metric) => metric.group === group) }))
  return html`<nav class="tabs" aria-label="Metrics by group"><ul>${tab(null, 'All', metrics)}${present
    .filter(({ of }) => of.length > 0)
    .map(({ group, of }) => tab(group, upper(METRIC_GROUP_WORDS[group].term), of))}</ul></nav>`
}

function metricRow(
  metric: Metric,
  { result, metrics }: MeasuredResult,
  row: ReportRow,
  view: RowView,
  path: string,
): Html {
  const primary = metrics.find((one) => one.metric === result.metric)
  const isPrimary = metric === primary
  const name = html`<bdi>${plainText(metric.metric, NAME_LENGTH) || '(no name)'}</bdi>`
  const canDraw = !isPrimary && canPlot(metric, primary)
  const href = `${rowViewPath(path, { ...view, metric: metric.metric }, row)}#repetitions`
  const unit = unitOf(metric)
  const median = (value: number) => medianWords(value, unit)
  const ratio =
    metric.oldMedian === null || metric.newMedian === null ? null : times(metric.oldMedian, metric.newMedian)
  const direction = directionOf(metric)
  const repeated = (repetitions: number) => (metric.rounded ? undefined : html`<small>× ${repetitions}</small>`)
  const fromZero = metric.oldMedian === 0 && metric.difference === null && direction !== null
  return html`<tr${isPrimary ? html` class="decides"` : ''}><th scope="row">${canDraw ? html`<a href="${href}">${name}</a>` : name}${metric.unit === null ? '' : html` <small>${plainText(metric.unit, UNIT_LENGTH)}</small>`}${metric.rounded ? html` <small>rounded by the source</small>` : ''}</th>
<td data-name="Group">${METRIC_GROUP_WORDS[metric.group].term}</td>
<td data-name="Moved">${metric.moved ? html`<b>${direction === 'up' ? 'more' : 'less'}</b>${metric.separated === true ? html` <small>no overlap</small>` : ''}` : direction === null ? html`<span class="none">equal</span>` : html`<span class="none">no</span>`}</td>
${numberCell('Old', metric.oldMedian, median, repeated(metric.oldRepetitions))}${numberCell('New', metric.newMedian, median, repeated(metric.newRepetitions))}
${numberCell('Difference', metric.difference, (value) => ratio ?? signedPercent(value), fromZero ? html`<small>from 0</small>` : undefined)}${numberCell('Threshold', metric.threshold, percent, metric.rounded ? html`<small>given</small>` : undefined)}${numberCell('p', metric.pValue, pValue)}
${numberCell(`With ${plainText(result.metric, AXIS_LENGTH)}`, metric.withPrimary?.coefficient ?? null, signed, metric.withPrimary !== null && isBeyondChance(metric.withPrimary) ? html`<small>beyond chance</small>` : undefined)}</tr>
`
}

/** A count of 8 is no 8.00. */
function medianWords(value: number, unit: string | null): string {
  return unit === null && Number.isInteger(value) && Math.abs(value) < 10_000 ? count(value) : values([value], unit)
}

function canPlot(metric: Metric, primary: Metric | undefined): boolean {
  return (
    metric.metric.length <= LONGEST_METRIC &&
    metric.samples !== null &&
    !metric.rounded &&
    primary !== undefined &&
    primary.samples !== null &&
    metric.samples.old.length + metric.samples.new.length > 0 &&
    canPair(metric.samples, primary.samples)
  )
}

/** One metric against the time, repetition by repetition. */
function repetitions(measured: MeasuredResult, view: RowView): Html | string {
  const primary = primaryOf(measured)
  const candidates = measured.metrics.filter((metric) => metric !== primary && canPlot(metric, primary ?? undefined))
  const asked = view.metric === null ? undefined : candidates.find(({ metric }) => metric === view.metric)
  const chosen = asked ?? withPrimary(candidates)[0] ?? candidates[0]
  const heading = html`<h3 id="repetitions">Repetitions</h3>`
  if (primary === null || primary.samples === null || chosen === undefined || chosen.samples === null) {
    return html`${heading}<p>There are no repetitions of another metric to draw.</p>`
  }
  const points = (side: 'old' | 'new') =>
    chosen.samples![side].map((x, index) => ({ x, y: primary.samples![side][index]! }))
  const [name, time] = [plainText(chosen.metric, AXIS_LENGTH), plainText(primary.metric, AXIS_LENGTH)]
  const finding = correlationWords(chosen.withPrimary, name, time)
  const plot = scatterPlot({
    id: 'scatter',
    title: `${time} of each repetition against ${name}, on ${architectureName(measured.result.architecture)}`,
    x: { metric: name, unit: unitOf(chosen) },
    y: { metric: time, unit: unitOf(primary) },
    old: points('old'),
    new: points('new'),
    finding,
  })
  return html`${heading}
${view.metric !== null && asked === undefined ? html`<p>No repetitions of <bdi>${plainText(view.metric, NAME_LENGTH)}</bdi> can be drawn; this is another metric.</p>` : ''}
<p>Did <b><bdi>${plainText(chosen.metric, NAME_LENGTH)}</bdi></b> go up and down with the time? ${finding} That two things go together does not say which of them is the cause. Choose another metric in the table below.</p>
${plot === null ? '' : html`<figure class="chart-frame">${raw(plot)}<figcaption>Ring: old. Square: new. Each is one repetition.</figcaption></figure>`}`
}

function correlationWords(correlation: WithinSidesCorrelation | null, name: string, time: string): string {
  if (correlation === null) {
    return `Within the sides it can’t be said: ${name} is the same in every repetition, or there are fewer than three.`
  }
  const within = Math.min(1, WITHIN_CHANCE * correlation.chanceDeviation).toFixed(2)
  const chance = `chance alone stays within ±${within} in 19 of 20 cases`
  const rho = signed(correlation.coefficient)
  if (!isBeyondChance(correlation)) {
    return `Within the sides ${name} and ${time} do not go together by more than chance: rank correlation ${rho}, and ${chance}.`
  }
  return correlation.coefficient > 0
    ? `Within the sides repetitions with more ${name} took longer: rank correlation ${rho}, and ${chance}.`
    : `Within the sides repetitions with more ${name} were quicker: rank correlation ${rho}, and ${chance}.`
}

function isBeyondChance({ coefficient, chanceDeviation }: WithinSidesCorrelation): boolean {
  return Math.abs(coefficient) > WITHIN_CHANCE * chanceDeviation
}

function signed(value: number): string {
  const text = Math.abs(value).toFixed(2)
  return text === '0.00' ? text : `${value < 0 ? '−' : '+'}${text}`
}

function unitOf({ unit }: Metric): string | null {
  return unit === null ? null : plainText(unit, UNIT_LENGTH)
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
