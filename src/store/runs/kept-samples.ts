import { type Measurement, type QueryId, queryKey } from '../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { isGuarded } from '../../judge/verdict/guard.ts'
import { isTimeMemoryOrWork } from '../../judge/verdict/time-memory-or-work.ts'

/**
 * Up to here the samples of every metric are kept. A shard of ClickHouse's check has 340 to 790 queries with a hundred
 * counters each that are not 0, half a million samples and more of which most are never looked at; a project with a handful of benchmarks keeps
 * its allocation counts.
 */
export const ALL_METRICS_UP_TO = 250_000

/**
 * Whether the samples of a measurement are kept, of a run that has `samples` of them: all up to `ALL_METRICS_UP_TO`; in a larger run
 * those of the primary metric, of time, memory and work, and every metric of a query that is changed or guarded, which
 * somebody will want to explain. Of the rest the medians and the outcome stay.
 */
export function keptSamples(
  samples: number,
  results: readonly ClassifiedQuery[],
  primaryMetric: string,
): (measurement: Measurement) => boolean {
  if (samples <= ALL_METRICS_UP_TO) return () => true
  const opened = new Set(
    results
      .filter((result) => result.metric === primaryMetric && (result.outcome === 'changed' || isGuarded(result)))
      .map(positionedKey),
  )
  return (measurement) =>
    measurement.metric === primaryMetric || isTimeMemoryOrWork(measurement) || opened.has(positionedKey(measurement))
}

function positionedKey(query: QueryId): string {
  return JSON.stringify([queryKey(query), query.queryIndex])
}

/** How many samples a measurement has in a table of their own. */
export function countSamples(measurement: Measurement): number {
  return isSummary(measurement) ? 0 : measurement.old.length + measurement.new.length
}

/** A source that gives medians in the place of samples: they stand in the row of the measurement, and nowhere else. */
export function isSummary({ comparison, old, new: fresh }: Measurement): boolean {
  return comparison !== undefined && old.length === 1 && fresh.length === 1 && [...old, ...fresh].every(Number.isFinite)
}
