import { type MetricGroup, metricGroup } from '../../intake/measurement/metric-group.ts'
import { benjaminiHochberg } from '../statistics/benjamini-hochberg.ts'
import { chanceToMove, TAIL_REACHED } from '../statistics/chance-to-move.ts'
import { normalTwoSided } from '../statistics/normal-tail.ts'
import { canRandomize, randomizationTest } from '../statistics/randomization-test.ts'
import { type WithinSidesCorrelation, withinSidesCorrelation } from '../statistics/within-sides-correlation.ts'
import { compareBySurprise, hasMoved, type MeasuredMetric } from './metric-order.ts'
import { areSeparated } from './outcome.ts'

/** Puts the metrics of one query in order by how surprising they are. */

export interface BothSides {
  readonly old: readonly number[]
  readonly new: readonly number[]
}

/** A metric of a query in one run. */
export interface MetricOfQuery extends MeasuredMetric {
  readonly unit: string | null
  /** The source gives rounded numbers, not what was measured. */
  readonly rounded: boolean
  readonly statusReason: string | null
  /** The smallest that the test can give for these counts; null where there is none. */
  readonly smallestPValue: number | null
  /** The samples in the order of the repetitions; null: only the medians are there. */
  readonly samples: BothSides | null
}

/** The same with what follows from it and from the other metrics. */
export interface QueryMetricFacts {
  readonly group: MetricGroup
  /** The sides differ by more than chance explains, by the rule that outcomes follow. */
  readonly moved: boolean
  /** How likely it is to have moved where nothing has changed; a fraction. Null: it could not be tested. */
  readonly movesByChance: number | null
  /** Whether it goes up and down with the primary metric from one repetition to the next; null: can't be said. */
  readonly withPrimary: WithinSidesCorrelation | null
}

export type QueryMetric<Metric extends MetricOfQuery = MetricOfQuery> = Metric & QueryMetricFacts

/**
 * All metrics of a query, the most surprising first (`compareBySurprise`). Each is measured in the same repetitions as the
 * primary one.
 */
export function queryMetrics<Metric extends MetricOfQuery>(
  metrics: readonly Metric[],
  primaryMetric: string,
): QueryMetric<Metric>[] {
  const primary = metrics.find(({ metric }) => metric === primaryMetric)?.samples ?? null
  return metrics
    .map((given) => {
      const metric = withPValue(given)
      return {
        ...metric,
        group: metricGroup(metric.metric, metric.unit),
        moved: hasMoved(metric),
        movesByChance: movesByChance(metric),
        withPrimary: metric.metric === primaryMetric ? null : correlationOf(metric.samples, primary),
      }
    })
    .toSorted(compareBySurprise)
}

/**
 * The p-value of a metric. One that was 0 has no difference in percent, and yet a p: the test is of the medians, not of
 * their ratio. Rounded numbers have none: they are not what was measured.
 */
function withPValue<Metric extends MetricOfQuery>(metric: Metric): Metric {
  if (metric.rounded) return { ...metric, pValue: null, separated: null }
  if (metric.statusReason !== 'zero-old' || metric.samples === null) return metric
  const { old, new: fresh } = metric.samples
  if (![...old, ...fresh].every(Number.isFinite) || !canRandomize(old.length, fresh.length)) return metric
  return { ...metric, pValue: randomizationTest(old, fresh).pValue, separated: areSeparated(old, fresh) }
}

/**
 * The chance to move, by the metric's own samples; where they are not there, or do not overlap, what no samples of
 * these counts are below: pooled, values that are 0 on one side and 8 on the other would say that chance deals them so
 * each time.
 */
function movesByChance({ pValue, samples, separated, statusReason, smallestPValue }: MetricOfQuery): number | null {
  if (pValue === null) return null
  const isMixed = samples !== null && separated !== true
  const exact = isMixed ? chanceToMove(samples.old, samples.new, statusReason === 'zero-old') : null
  return exact ?? Math.max(TAIL_REACHED, smallestPValue ?? 0)
}

/** More repetitions than anybody draws; ranks are sorted for each metric. */
const MOST_PAIRS = 2_000

/** null where the repetitions of the two can't be paired: their counts differ, or one is no number. */
function correlationOf(samples: BothSides | null, primary: BothSides | null): WithinSidesCorrelation | null {
  if (samples === null || primary === null || !canPair(samples, primary)) return null
  return withinSidesCorrelation([
    { x: samples.old, y: primary.old },
    { x: samples.new, y: primary.new },
  ])
}

/** The same repetition at the same place of both. */
export function canPair(a: BothSides, b: BothSides): boolean {
  const all = [a.old, a.new, b.old, b.new]
  return (
    a.old.length === b.old.length &&
    a.new.length === b.new.length &&
    all.every((samples) => samples.length <= MOST_PAIRS && samples.every(Number.isFinite))
  )
}

/**
 * Metrics that moved and have a correlation, the strongest first; a metric that is time itself says nothing about it.
 */
export function withPrimary<Facts extends QueryMetricFacts>(metrics: readonly Facts[]): Facts[] {
  return metrics
    .filter((metric) => metric.moved && metric.group !== 'time' && metric.withPrimary !== null)
    .toSorted((a, b) => Math.abs(b.withPrimary!.coefficient) - Math.abs(a.withPrimary!.coefficient))
}

/**
 * The share of what is named that chance may have put there: one of twenty.
 *
 * Triggers: one of 40 metrics with a rank correlation of 0.98 at 7 + 7 repetitions. Does not: one of 40 with 0.6, which two
 * of them reach by chance.
 */
const MOST_BY_CHANCE = 0.05

/** The metrics of `withPrimary` that go with the primary one by more than chance, however many were looked at. */
export function withPrimaryBeyondChance<Facts extends QueryMetricFacts>(candidates: readonly Facts[]): Facts[] {
  const pValues = candidates.map(({ withPrimary: correlation }) =>
    normalTwoSided(Math.abs(correlation!.coefficient) / correlation!.chanceDeviation),
  )
  const q = benjaminiHochberg(pValues)
  return candidates.filter((_, index) => q[index]! <= MOST_BY_CHANCE)
}
