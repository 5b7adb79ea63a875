import { z } from 'zod'
import { NO_INDEX } from '../../intake/measurement/query-hash.ts'
import type { Better, Measurement, QueryId } from '../../intake/measurement/run.ts'
import type { MetricOfQuery } from '../../judge/verdict/query-metrics.ts'
import type { ClickHouse } from '../client.ts'
import { count, float } from '../column-values.ts'
import { readSql } from '../sql-file.ts'
import { reading } from '../table.ts'
import { selectRunsOfHead } from './run-queries.ts'
import { OTHERS_FROM } from './run-rows.ts'
import { QUERY_RESULTS } from './run-tables.ts'

/** All metrics of one query in one run, for its page. */

const METRICS = readSql(new URL('./metrics-of-query.sql', import.meta.url))
const SAMPLES = readSql(new URL('./samples-of-measurements.sql', import.meta.url))

/** ClickHouse counts some 1,100 events, of which a query moves a quarter at most. */
const MAX_METRICS = 2_000

/** Samples of all metrics of the query together; 230 metrics of 14 repetitions are 3,220. */
const MAX_SAMPLES = 200_000

/** More checks do not measure one query. */
const MAX_RUNS = 20

/** A metric of a query in one run, as it was judged when the run was stored. Fractions are of the old median. */
export interface StoredMetric extends MetricOfQuery {
  readonly better?: Better | null
  /** The position in the run: with `runId` it is the key of `query_results` and `samples`. Null: computed from other metrics. */
  readonly measurement: number | null
  readonly oldRepetitions: number
  readonly newRepetitions: number
  /** null, as its reason: it was stored without an outcome. */
  readonly status: string | null
  /** Process and place of each sample, and whether those of both sides are of one clock, and what equal builds gave; absent: the source does not say it. */
  readonly taken?: Measurement['taken'] & Pick<Measurement, 'clock' | 'equalBuilds'>
}

/** All metrics of one query on one architecture in one run: the newest attempt of its check. */
export interface StoredMetrics {
  readonly runId: string
  readonly check: string
  readonly architecture: string | null
  readonly shard: number | null
  readonly attempt: number
  /** The source of the run, as in `Run.source`. */
  readonly source: string
  /** ISO 8601, UTC. */
  readonly finishedAt: string
  /** The metrics in the order of the run. */
  readonly metrics: readonly StoredMetric[]
  /** How many more the run has of the query: beyond 2,000 they are left out. */
  readonly left: number
  /** `Run.othersUnread` */
  readonly othersUnread?: true
}

export interface MetricsWanted {
  readonly repositoryId: number
  /** Full commit id. */
  readonly head: string
  readonly query: QueryId
  readonly architectures: readonly (string | null)[]
  readonly now: Date
}

const metricRow = reading(
  QUERY_RESULTS,
  'run_id',
  'measurement',
  'metric',
  'unit',
  'better',
  'architecture',
  'rounded',
  'samples_kept',
  'old_repetitions',
  'new_repetitions',
  'old_median',
  'new_median',
  'status',
  'status_reason',
  'difference',
  'threshold',
  'p_value',
  'smallest_p_value',
  'separated',
  'taken',
).extend({ ofRun: count })

type MetricRow = z.infer<typeof metricRow>

const samplesRow = z.object({
  runId: z.string(),
  measurement: z.number(),
  old: z.array(float),
  new: z.array(float),
})

/**
 * The measurements of one query on some architectures in the runs of a head, of each check the newest attempt that is still
 * kept. Several of an architecture where several checks measure it, none where it is gone or never was. @throws StoreUnavailable
 */
export async function selectMetrics(clickhouse: ClickHouse, wanted: MetricsWanted): Promise<StoredMetrics[]> {
  const { repositoryId, head, architectures, now } = wanted
  const runs = await selectRunsOfHead(clickhouse, { repositoryId, head, now })
  if (runs.length === 0) return []
  const runIds = runs.map(({ runId }) => runId)
  const parameters = { repositoryId, runIds, ...idParameters(wanted.query), limit: MAX_METRICS }
  const rows = await clickhouse.read('metrics-of-query', METRICS, parameters, metricRow)

  const byRun = Map.groupBy(rows, ({ runId }) => runId)
  const measured = architectures.flatMap((architecture) =>
    runs
      .map((run) => ({
        run,
        architecture,
        rows: (byRun.get(run.runId) ?? []).filter(
          (row) =>
            (row.architecture ?? run.architecture) === architecture &&
            (run.about.othersUnread !== true || row.measurement < OTHERS_FROM),
        ),
      }))
      .filter((found) => found.rows.length > 0)
      .slice(0, MAX_RUNS),
  )
  const samples = await samplesOf(
    clickhouse,
    repositoryId,
    measured.flatMap((found) => found.rows),
  )
  return measured.map(({ run, architecture, rows: ofQuery }) => ({
    runId: run.runId,
    check: run.checkName,
    architecture,
    shard: run.shard,
    attempt: run.attempt,
    source: run.source,
    finishedAt: run.finishedAt,
    metrics: ofQuery.map((row) => storedMetric(row, samples)),
    left: Math.max(0, (ofQuery[0]?.ofRun ?? 0) - MAX_METRICS),
    ...(run.about.othersUnread === true && { othersUnread: true as const }),
  }))
}

/** A text that is no Unicode was stored with U+FFFD in its place. */
function idParameters({ test, queryName, queryIndex, ordinal }: QueryId): Record<string, unknown> {
  return {
    test: test.toWellFormed(),
    hasName: queryName !== null,
    queryName: queryName?.toWellFormed() ?? '',
    queryIndex: queryIndex ?? NO_INDEX,
    ordinal: ordinal ?? 0,
  }
}

type Samples = NonNullable<StoredMetric['samples']>

/** The samples of the rows that have some, by `samplesKey`; what would be too many is left out. */
async function samplesOf(
  clickhouse: ClickHouse,
  repositoryId: number,
  rows: readonly MetricRow[],
): Promise<ReadonlyMap<string, Samples>> {
  let total = 0
  const asked = rows.filter((row) => {
    const samples = row.oldRepetitions + row.newRepetitions
    if (summaryOf(row) !== null) return false
    if (!row.samplesKept || total + samples > MAX_SAMPLES) return false
    total += samples
    return true
  })
  if (asked.length === 0) return new Map()
  const parameters = {
    repositoryId,
    runIds: [...new Set(asked.map(({ runId }) => runId))],
    measurements: [...new Set(asked.map(({ measurement }) => measurement))],
  }
  const found = await clickhouse.read('samples-of-measurements', SAMPLES, parameters, samplesRow)
  const wanted = new Set(asked.map(samplesKey))
  return new Map(found.filter((row) => wanted.has(samplesKey(row))).map((row) => [samplesKey(row), row]))
}

/** A source that rounds may give medians in the place of samples: see `isSummary`. */
function summaryOf({ rounded, oldRepetitions, newRepetitions, oldMedian, newMedian }: MetricRow): Samples | null {
  if (!rounded || oldRepetitions !== 1 || newRepetitions !== 1 || oldMedian === null || newMedian === null) return null
  return { old: [oldMedian], new: [newMedian] }
}

function samplesKey({ runId, measurement }: { readonly runId: string; readonly measurement: number }): string {
  return `${runId} ${measurement}`
}

function storedMetric(row: MetricRow, samples: ReadonlyMap<string, Samples>): StoredMetric {
  const found = summaryOf(row) ?? samples.get(samplesKey(row))
  return {
    metric: row.metric,
    unit: row.unit,
    ...(row.better !== 'lower' && { better: row.better }),
    measurement: row.measurement,
    rounded: row.rounded,
    oldMedian: row.oldMedian,
    newMedian: row.newMedian,
    oldRepetitions: row.oldRepetitions,
    newRepetitions: row.newRepetitions,
    status: row.status,
    statusReason: row.statusReason,
    difference: row.difference,
    threshold: row.threshold,
    pValue: row.pValue,
    smallestPValue: row.smallestPValue,
    separated: row.separated,
    samples: found === undefined ? null : { old: found.old, new: found.new },
    ...(found !== undefined && row.taken !== null && { taken: row.taken }),
  }
}
