import type { TrunkPoint, TrunkStep } from '../history/trunk-series.ts'
import { noiseOf } from './charts/noise-chart.ts'
import type { ShownQuery, ShownSeries } from './shown-query.ts'
import { type TsvColumn, tsvTable } from './tsv.ts'

/** A query over time for other programs: every point, unrounded. Times are ISO 8601 in UTC. */
export function queryJson(shown: ShownQuery): string {
  const { repository, query, metric, unit, metrics, architectures, view, range, histories, problem, flags } = shown
  return (
    JSON.stringify({
      schemaVersion: 1,
      repository: `${repository.owner}/${repository.repo}`,
      query: { ordinal: 0, ...query },
      metric,
      unit,
      metrics,
      architectures,
      days: view.days,
      from: iso(range.from),
      to: iso(range.to),
      problem,
      histories: histories.map(historyJson),
      flagged: flags.map((flag) => ({ ...flag, time: iso(flag.time) })),
    }) + '\n'
  )
}

function historyJson({ series, steps }: ShownSeries) {
  const { architecture, source, points } = series
  return {
    architecture,
    source,
    noise: noiseOf(points),
    steps: steps.map(stepJson),
    points: points.map(pointJson),
  }
}

function stepJson(step: TrunkStep) {
  const { lastGood, firstBad, earliest, latest, recovered } = step
  return {
    ...step,
    lastGood: pointJson(lastGood),
    firstBad: pointJson(firstBad),
    earliest: pointJson(earliest),
    latest: pointJson(latest),
    recovered: recovered === null ? null : pointJson(recovered),
  }
}

function pointJson(point: TrunkPoint) {
  return { ...point, time: iso(point.time) }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

interface PointOfHistory {
  readonly history: ShownSeries
  readonly point: TrunkPoint
}

const COLUMNS: readonly TsvColumn<PointOfHistory>[] = [
  ['time', ({ point }) => iso(point.time)],
  ['commit', ({ point }) => point.commit],
  ['reference_commit', ({ point }) => point.referenceCommit],
  ['architecture', ({ history }) => history.series.architecture],
  ['metric', ({ history }) => history.series.metric],
  ['old', ({ point }) => point.old],
  ['new', ({ point }) => point.new],
  ['difference', ({ point }) => point.difference],
  ['threshold', ({ point }) => point.threshold],
  ['source', ({ history }) => history.series.source],
]

/** A line per point: TabSeparatedWithNames, `\N` where there is nothing. */
export function queryTsv({ histories }: ShownQuery): string {
  return tsvTable(
    COLUMNS,
    histories.flatMap((history) => history.series.points.map((point) => ({ history, point }))),
  )
}
