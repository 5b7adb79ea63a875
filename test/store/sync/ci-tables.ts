import type { TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'
import type { ClickHouse } from '../../../src/store/client.ts'
import { type RepetitionRow, repetitionRows } from '../history/trunk-rows.ts'

/** Tables as ClickHouse's performance CI has them, in the database of a test. */

const COMMON = `pr_number UInt32, old_sha String, new_sha String, arch LowCardinality(String), base_branch String,
  instance_type String, test LowCardinality(String), query_index UInt32, query_display_name String`

export async function createCiTables(clickhouse: ClickHouse): Promise<void> {
  const create = async (table: string, columns: string, order: string) =>
    await clickhouse.command('create', `CREATE TABLE ${table} (${columns}) ENGINE = MergeTree ORDER BY ${order}`)
  await create(
    'medians',
    `event_date Date DEFAULT toDate(event_time), event_time DateTime('UTC'), ${COMMON}, metric LowCardinality(String),
     old_value Float64, new_value Float64, diff Float64, stat_threshold Float64`,
    '(event_date, event_time, test)',
  )
  await create(
    'repetitions',
    `event_date Date DEFAULT toDate(check_start_time), check_start_time DateTime('UTC'), ${COMMON},
     baseline_kind LowCardinality(String), side LowCardinality(String), metric_name LowCardinality(String), metric_value Float64`,
    '(event_date, check_start_time, test)',
  )
}

export type Sides = readonly [readonly number[], readonly number[]]

export interface MeasuredQuery {
  readonly row: TrunkRow
  readonly sides: Sides
}

/** As a job stores its medians. */
export async function insertMedians(clickhouse: ClickHouse, queries: readonly MeasuredQuery[]): Promise<void> {
  const columns =
    'event_time pr_number old_sha new_sha arch base_branch instance_type test query_index query_display_name metric old_value new_value diff stat_threshold'
  await clickhouse.insert(
    'medians',
    columns.split(' '),
    queries.map(({ row, sides }) => {
      const { oldMedian, newMedian, difference, threshold } = randomizationTest(...sides)
      return [
        ...[Math.floor(row.time / 1000), 0, row.oldCommit, row.newCommit, row.architecture, row.baseBranch],
        ...[row.instanceType, row.test, row.queryIndex, row.queryName ?? '', row.metric],
        ...[oldMedian, newMedian, difference, threshold],
      ]
    }),
  )
}

/** As a job stores its raw runs. */
export async function insertRepetitions(clickhouse: ClickHouse, queries: readonly MeasuredQuery[]): Promise<void> {
  const rows = queries.flatMap(({ row, sides }) => repetitionRows(row, sides))
  await insertRepetitionRows(clickhouse, rows)
}

export async function insertRepetitionRows(clickhouse: ClickHouse, rows: readonly RepetitionRow[]): Promise<void> {
  const columns =
    'check_start_time pr_number old_sha new_sha arch baseline_kind base_branch instance_type test query_index query_display_name side metric_name metric_value'.split(
      ' ',
    )
  await clickhouse.insert(
    'repetitions',
    columns,
    // JSON has no NaN; the database reads it as text.
    rows.map((row) => columns.map((column) => (Number.isNaN(row[column]) ? 'nan' : row[column]))),
  )
}

/** 30 days, a run every four hours on two architectures. */
const GENERATED_DAYS = 30
const RUNS = GENERATED_DAYS * 6
const QUERIES = 16
const SAMPLES_OF_QUERY = 2 * 2 * 5
/** Each query on both architectures, and a row of each in every run of the trunk. */
export const GENERATED_SERIES = QUERIES * 2
export const GENERATED_ROWS = RUNS * GENERATED_SERIES

/**
 * Raw runs that the engine makes itself, five repetitions a side, and their medians: 16 queries in two tests, of which one
 * text stands twice in its test and two have none; some step up or down, one has spikes. Beside them rows of pull requests, of a
 * release and of another branch.
 */
export async function generateHistory(clickhouse: ClickHouse, until: number): Promise<void> {
  const noise = (seed: number) =>
    `(toFloat64(sipHash64(run, query, on_arm, repetition, ${seed}) % 10007) / 10007 - 0.5)`
  await clickhouse.command(
    'generate',
    `INSERT INTO repetitions (check_start_time, pr_number, old_sha, new_sha, arch, base_branch, instance_type, test,
        query_index, query_display_name, baseline_kind, side, metric_name, metric_value)
     SELECT
        toDateTime({until:UInt32}, 'UTC') - toUInt32((${RUNS} - run) * 14400 + on_arm * 60),
        if(kind = 1, 77, 0),
        lower(hex(sipHash128(run))) || '00000000',
        lower(hex(sipHash128(run + 1, kind))) || '00000000',
        if(on_arm, 'arm', 'amd'),
        if(kind = 2, '25.8', if(run % 2, 'master', '')),
        if(on_arm, 'c7g.4xlarge', 'c7a.4xlarge'),
        concat('test_', toString(intDiv(query, 8))),
        query % 8,
        multiIf(query % 8 = 7, '', query % 8 = 6, concat('SELECT 5 FROM t', toString(intDiv(query, 8))),
            concat('SELECT ', toString(query % 8), ' FROM t', toString(intDiv(query, 8)))),
        if(kind = 3, 'release_base', 'master_head'),
        if(is_new, 'candidate', 'baseline'),
        'client_time',
        (0.05 + 0.01 * query)
            * multiIf(query % 8 = 2 AND run + is_new > ${RUNS / 2}, 1.25, query % 8 = 4 AND run + is_new > ${RUNS / 3}, 0.8, 1)
            * if(query % 8 = 3 AND is_new AND sipHash64(run, query, 9) % 20 = 0, 1.6, 1)
            * (1 + 0.03 * ${noise(1)})
     FROM
     (
        SELECT
            intDiv(number, ${QUERIES * SAMPLES_OF_QUERY}) AS run,
            intDiv(number, ${SAMPLES_OF_QUERY}) % ${QUERIES} AS query,
            intDiv(number, 10) % 2 = 1 AS on_arm,
            intDiv(number, 5) % 2 = 1 AS is_new,
            number % 5 AS repetition,
            arrayJoin(if(run % 60 = 5, [0, 1, 2, 3], [0])) AS kind
        FROM numbers(${RUNS * QUERIES * SAMPLES_OF_QUERY})
     )`,
    { until: Math.floor(until / 1000) },
  )
  await clickhouse.command(
    'generate medians',
    `INSERT INTO medians (event_time, pr_number, old_sha, new_sha, arch, base_branch, instance_type, test, query_index,
        query_display_name, metric, old_value, new_value, diff, stat_threshold)
     SELECT check_start_time, pr_number, old_sha, new_sha, arch, any(base_branch), any(instance_type), test, query_index,
        query_display_name, 'client_time',
        quantileExactIf(0.5)(metric_value, side = 'baseline') AS old, quantileExactIf(0.5)(metric_value, side = 'candidate') AS new,
        (new - old) / old, 0.02 + 0.02 * toFloat64(sipHash64(new_sha, query_index) % 10007) / 10007
     FROM repetitions WHERE baseline_kind = 'master_head'
     GROUP BY check_start_time, pr_number, old_sha, new_sha, arch, test, query_index, query_display_name`,
  )
}
