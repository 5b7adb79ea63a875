import { html } from 'hono/html'
import { TAIL_REACHED } from '../../../judge/statistics/chance-to-move.ts'
import type { WithinSidesCorrelation } from '../../../judge/statistics/within-sides-correlation.ts'
import { directionOf } from '../../../judge/verdict/metric-order.ts'
import { canPair, type QueryMetric } from '../../../judge/verdict/query-metrics.ts'
import { noiseThreshold } from '../../../report/render/facts.ts'
import type { ReportRow } from '../../../report/report.ts'
import { ofSides, type SidedColumn } from '../../../report/row/columns.ts'
import { METRIC_GROUP_WORDS, METRIC_WORDS } from '../../../report/words.ts'
import type { StoredMetric } from '../../../store/runs/stored-metrics.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, pValue, signedPercent, times, values } from '../../../text/numbers.ts'
import type { Column } from '../../../text/table.ts'
import type { Html } from '../../kit/layout.ts'
import { cells, headings, numberCell, textColumn } from '../../kit/table.ts'
import { said } from '../../kit/word.ts'
import { LONGEST_METRIC, type MeasuredResult, primaryOf, type RowView, rowViewPath } from './shown-row.ts'

/** ClickHouse's largest queries move some 230 counters; all of them are in the JSON. */
const MOST_METRICS = 300

/** The metrics as they come, with what each is and did. `path` is that of the page. */
export function metricsTable(
  metrics: readonly Metric[],
  id: string,
  caption: Html,
  measured: MeasuredResult,
  row: ReportRow,
  view: RowView,
  path: string,
): Html {
  const primary = primaryOf(measured) ?? undefined
  const isAlone = metrics.every(hasNoOldSide)
  const columns = metricColumns(isAlone, plainText(measured.result.metric, AXIS_LENGTH), (metric) =>
    metric !== primary && canPlot(metric, primary)
      ? `${rowViewPath(path, { ...view, metric: metric.metric }, row)}#repetitions`
      : null,
  )
  const line = (metric: Metric) =>
    html`<tr${metric === primary ? html` class="decides"` : ''}>${cells(columns, metric)}</tr>`
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
<table class="rows metrics"><caption id="${id}">${caption}</caption>
${headings(columns)}
<tbody>${metrics.slice(0, MOST_METRICS).map(line)}</tbody>
</table></div>
${metrics.length > MOST_METRICS ? html`<p>And ${count(metrics.length - MOST_METRICS)} more, in the JSON.</p>` : ''}`
}

/** Of a build that was measured alone there is nothing to compare with. */
export function hasNoOldSide({ oldMedian, oldRepetitions }: Metric): boolean {
  return oldMedian === null && oldRepetitions === 0
}

/** `time`: the metric that the repetitions of all others are compared with. `drawnAt`: where one of them is drawn against it. */
function metricColumns(
  isAlone: boolean,
  time: string,
  drawnAt: (metric: Metric) => string | null,
): readonly Column<Metric>[] {
  const columns: readonly SidedColumn<Metric>[] = [
    { heading: 'Metric', cell: (metric) => nameCell(metric, drawnAt(metric)) },
    textColumn('Group', ({ group }) => said(METRIC_GROUP_WORDS[group])),
    { ...textColumn('Moved', movedWords), sides: 'two' },
    {
      ...medianColumn('Old', ({ oldMedian, oldRepetitions }) => ({ median: oldMedian, repetitions: oldRepetitions })),
      sides: 'two',
    },
    medianColumn('New', ({ newMedian, newRepetitions }) => ({ median: newMedian, repetitions: newRepetitions })),
    { heading: 'Difference', isNumber: true, sides: 'two', cell: differenceCell },
    { heading: 'Threshold', isNumber: true, sides: 'two', cell: thresholdCell },
    { heading: 'p', head: html`p <small>randomization test</small>`, isNumber: true, sides: 'two', cell: pCell },
    {
      heading: `With ${time}`,
      head: html`${said(METRIC_WORDS.withPrimary, `With ${time}`)} <small>rank correlation within the sides</small>`,
      isNumber: true,
      cell: withPrimaryCell,
    },
  ]
  return ofSides(columns, isAlone ? 'one' : 'two')
}

function nameCell({ metric, unit, rounded }: Metric, href: string | null): Html {
  const name = html`<bdi>${plainText(metric, METRIC_LENGTH) || '(no name)'}</bdi>`
  return html`<th scope="row">${href === null ? name : html`<a href="${href}">${name}</a>`}${unit === null || unit === NO_UNIT ? '' : html` <small>${plainText(unit, UNIT_LENGTH)}</small>`}${rounded ? html` <small>rounded by the source</small>` : ''}</th>`
}

function medianColumn(
  heading: string,
  side: (metric: Metric) => { readonly median: number | null; readonly repetitions: number },
): Column<Metric> {
  return {
    heading,
    head: html`${heading} <small>median and repetitions</small>`,
    isNumber: true,
    cell: (metric, name) => {
      const { median, repetitions } = side(metric)
      const words = (value: number) => medianWords(value, unitOf(metric))
      return numberCell(name, median, words, metric.rounded ? undefined : html`<small>× ${repetitions}</small>`)
    },
  }
}

function movedWords(metric: Metric): Html {
  const direction = directionOf(metric)
  if (!metric.moved) return html`<span class="none">${direction === null ? 'equal' : 'no'}</span>`
  return html`<b>${direction === 'up' ? 'more' : 'less'}</b>${metric.separated === true ? html` <small>no overlap</small>` : ''}`
}

function differenceCell(metric: Metric, name: string): Html {
  const { oldMedian, newMedian, difference } = metric
  const ratio = oldMedian === null || newMedian === null ? null : times(oldMedian, newMedian)
  const fromZero = oldMedian === 0 && difference === null && directionOf(metric) !== null
  return numberCell(
    name,
    difference,
    (value) => ratio ?? signedPercent(value),
    fromZero ? html`<small>from 0</small>` : undefined,
  )
}

function thresholdCell(metric: Metric, name: string): Html {
  const words = (value: number) => noiseThreshold(value, withSides(metric))
  return numberCell(name, metric.threshold, words, metric.rounded ? html`<small>given</small>` : undefined)
}

function withPrimaryCell({ withPrimary }: Metric, name: string): Html {
  const isBeyond = withPrimary !== null && isBeyondChance(withPrimary)
  const beyond = isBeyond ? html`<small>beyond chance</small>` : undefined
  return numberCell(name, withPrimary?.coefficient ?? null, signed, beyond)
}

function withSides(metric: Metric) {
  return { ...metric, old: { repetitions: metric.oldRepetitions }, new: { repetitions: metric.newRepetitions } }
}

/**
 * The test of medians has no small p for counters with few values, however far apart the sides are: 0 in every repetition and
 * then 8 in every one is p 1. Such a p would contradict what stands beside it.
 */
function pCell({ separated, pValue: p }: Metric, name: string): Html {
  if (separated !== true || p === null || p <= TAIL_REACHED) return numberCell(name, p, pValue)
  return html`<td class="n none" data-name="${name}"><span title="The sides do not overlap at all. The test compares medians: with so few distinct values they come out equal for any split, so its p of ${pValue(p)} means nothing.">no overlap</span></td>`
}

export type Metric = QueryMetric<StoredMetric>

/** In a chart, where it stands beside an axis. */
export const AXIS_LENGTH = 40
export const METRIC_LENGTH = 90
const UNIT_LENGTH = 20
/** The unit of a ratio. */
const NO_UNIT = '1'

/** Whether its repetitions can be drawn against those of the primary metric. */
export function canPlot(metric: Metric, primary: Metric | undefined): boolean {
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

export function unitOf({ unit }: Metric): string | null {
  return unit === null ? null : plainText(unit, UNIT_LENGTH)
}

/** Chance stays within so many standard deviations in 19 of 20 cases. */
const WITHIN_CHANCE = 1.96

/** The correlation of one metric with the time, in words. The names are shown as they are. */
export function correlationWords(correlation: WithinSidesCorrelation | null, name: string, time: string): string {
  if (correlation === null) {
    return `It can’t be told within the sides: ${name} is the same in every repetition, or there are fewer than three.`
  }
  const within = Math.min(1, WITHIN_CHANCE * correlation.chanceDeviation).toFixed(2)
  const chance = `chance alone stays within ±${within} in 19 out of 20 cases`
  const rho = signed(correlation.coefficient)
  if (!isBeyondChance(correlation)) {
    return `Within the sides, ${name} and ${time} don’t correlate more than chance: rank correlation ${rho}, and ${chance}.`
  }
  return correlation.coefficient > 0
    ? `Within the sides, repetitions with more ${name} took longer: rank correlation ${rho}, and ${chance}.`
    : `Within the sides, repetitions with more ${name} were faster: rank correlation ${rho}, and ${chance}.`
}

/** Whether it is more than chance leaves in 19 of 20 cases. */
function isBeyondChance({ coefficient, chanceDeviation }: WithinSidesCorrelation): boolean {
  return Math.abs(coefficient) > WITHIN_CHANCE * chanceDeviation
}

/** With two digits and its sign. */
export function signed(value: number): string {
  const text = Math.abs(value).toFixed(2)
  return text === '0.00' ? text : `${value < 0 ? '−' : '+'}${text}`
}

/** A median in its unit. A count of 8 is no 8.00. */
export function medianWords(value: number, unit: string | null): string {
  return isCount(value, unit) ? count(value) : values([value], unit)
}

function isCount(value: number, unit: string | null): boolean {
  return unit === null && Number.isInteger(value) && Math.abs(value) < 10_000
}
