import type { StoredMetric } from '../../../store/runs/stored-metrics.ts'
import { plainText } from '../../../text/markdown.ts'
import { canPair, type QueryMetric } from '../../../verdict/query-metrics.ts'
import { LONGEST_METRIC } from './row-view.ts'

export type Metric = QueryMetric<StoredMetric>

/** In a chart, where it stands beside an axis. */
export const AXIS_LENGTH = 40
export const METRIC_LENGTH = 90
export const UNIT_LENGTH = 20

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
