import { z } from 'zod'
import { resultKey } from '../../intake/measurement/run.ts'
import type { ClickHouse } from '../client.ts'
import { float } from '../column-values.ts'
import { readSql } from '../sql-file.ts'
import { reading } from '../table.ts'
import { selectRunsOfHead } from './run-queries.ts'
import { QUERY_RESULTS } from './run-tables.ts'

/** The samples of many rows of a report at once: two statements beside the one for the runs of the head. */

const MEASUREMENTS = readSql(new URL('./measurements-of-tests.sql', import.meta.url))
const SAMPLES = readSql(new URL('./samples-of-tests.sql', import.meta.url))

/** A head by its full commit id, the names of tests, and the metric that their rows are judged by. */
export interface SamplesOfTests {
  readonly repositoryId: number
  readonly head: string
  readonly tests: readonly string[]
  readonly metric: string
}

/** The values of a measurement, from the smallest to the largest, with its medians. */
export interface SidesOfRow {
  readonly old: readonly number[]
  readonly new: readonly number[]
  readonly oldMedian: number | null
  readonly newMedian: number | null
}

const measurement = reading(
  QUERY_RESULTS,
  'measurement',
  'test',
  'query_index',
  'query_name',
  'ordinal',
  'architecture',
  'old_median',
  'new_median',
).extend({ runId: z.string() })

const samples = z.object({
  runId: z.string(),
  measurement: z.number(),
  old: z.array(float),
  new: z.array(float),
})

/** By `resultKey`; of a query that several checks measured there are several. Throws `StoreUnavailable`. */
export async function selectSamplesOfTests(
  clickhouse: ClickHouse,
  { repositoryId, head, tests, metric, now }: SamplesOfTests & { readonly now: Date },
): Promise<ReadonlyMap<string, readonly SidesOfRow[]>> {
  const runs = await selectRunsOfHead(clickhouse, { repositoryId, head, now })
  if (runs.length === 0) return new Map()
  const architectureOf = new Map(runs.map(({ runId, architecture }) => [runId, architecture]))
  const parameters = { repositoryId, runIds: [...architectureOf.keys()], tests, metric: metric.toWellFormed() }
  const [measurements, values] = await Promise.all([
    clickhouse.read('measurements-of-tests', MEASUREMENTS, parameters, measurement),
    clickhouse.read('samples-of-tests', SAMPLES, parameters, samples),
  ])
  const byKey = new Map(values.map((row) => [`${row.runId} ${row.measurement}`, row]))
  const found = measurements.flatMap(({ runId, ordinal, ...row }) => {
    const sides = byKey.get(`${runId} ${row.measurement}`)
    if (sides === undefined) return []
    const architecture = row.architecture ?? architectureOf.get(runId) ?? null
    const key = resultKey({ ...row, architecture, ...(ordinal === null ? {} : { ordinal }) })
    const { oldMedian, newMedian } = row
    return [{ key, sides: { old: sides.old, new: sides.new, oldMedian, newMedian } }]
  })
  return new Map([...Map.groupBy(found, ({ key }) => key)].map(([key, of]) => [key, of.map(({ sides }) => sides)]))
}
