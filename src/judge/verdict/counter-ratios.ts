import { COUNTER_RATIOS, type CounterRatio, ratioOf } from '../../intake/measurement/counter-ratios.ts'
import type { Measurement } from '../../intake/measurement/run.ts'
import { classify } from './classify.ts'
import { type BothSides, canPair, type MetricOfQuery } from './query-metrics.ts'
import { DEFAULT_THRESHOLDS } from './thresholds.ts'

/** A metric that was computed from two others, repetition by repetition. */
export interface ComputedMetric extends MetricOfQuery {
  readonly oldRepetitions: number
  readonly newRepetitions: number
  readonly status: string
}

/**
 * The ratios of the counters of a query, judged by the test that judges the counters; those that the source gives itself are left
 * out, and those of counters without samples: the ratio of two medians is no median.
 */
export function counterRatios(metrics: readonly MetricOfQuery[]): ComputedMetric[] {
  const named = new Map(metrics.map((metric) => [metric.metric, metric]))
  const samplesOf = (names: readonly string[]): BothSides | null => {
    const found = names.map((name) => named.get(name)).find((metric) => metric !== undefined)
    return found === undefined || found.rounded ? null : found.samples
  }
  return COUNTER_RATIOS.flatMap((ratio) => {
    const [part, whole] = [samplesOf(ratio.part), samplesOf(ratio.whole)]
    if (named.has(ratio.metric) || part === null || whole === null || !canPair(part, whole)) return []
    const samples = { old: ratiosOf(part.old, whole.old), new: ratiosOf(part.new, whole.new) }
    const isWhole = samples.old.length === part.old.length && samples.new.length === part.new.length
    return isWhole ? [judged(ratio, samples)] : []
  })
}

function ratiosOf(part: readonly number[], whole: readonly number[]): number[] {
  return part.flatMap((value, repetition) => ratioOf(value, whole[repetition]!) ?? [])
}

function judged({ metric, unit, better }: CounterRatio, samples: BothSides): ComputedMetric {
  const measurement: Measurement = {
    test: '',
    queryIndex: null,
    queryName: null,
    metric,
    unit,
    architecture: null,
    ...samples,
    reportThreshold: null,
    rounded: false,
    problems: [],
    ...(better !== undefined && { better }),
  }
  const result = classify([measurement], DEFAULT_THRESHOLDS)[0]!
  const { status, statusReason, difference, threshold, pValue, smallestPValue, separated } = result
  return {
    metric,
    unit,
    rounded: false,
    status,
    statusReason,
    oldMedian: result.old.median,
    newMedian: result.new.median,
    oldRepetitions: samples.old.length,
    newRepetitions: samples.new.length,
    difference,
    threshold,
    pValue,
    smallestPValue,
    separated,
    samples,
  }
}
