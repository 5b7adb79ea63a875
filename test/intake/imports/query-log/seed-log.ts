/**
 * A query log like that of a talk at a ClickHouse meetup: SolarWinds sent queries of its metrics in turn to two tables that
 * differ only in `index_granularity`, 1,024 and 32. Every group has the averages of the talk's slide.
 */

export const OLD_TABLE = 'metrics.by_1024'
export const NEW_TABLE = 'metrics.by_32'

interface Averages {
  readonly queries: number
  readonly cpuSeconds: number
  readonly milliseconds: number
  readonly parts: number
  readonly marks: number
  readonly rows: number
}

const averages = (
  queries: number,
  cpuSeconds: number,
  milliseconds: number,
  parts: number,
  marks: number,
  rows: number,
): Averages => ({ queries, cpuSeconds, milliseconds, parts, marks, rows })

/** By the window in minutes, each side as its table on the slide. */
const SLIDE: readonly (readonly [window: number, old: Averages, fresh: Averages])[] = [
  [5, averages(265_602, 0.09, 76.52, 9.41, 9.45, 9555.86), averages(200_246, 0.03, 27.88, 9.91, 11.63, 374.05)],
  [15, averages(186_923, 0.09, 98.38, 9.53, 10.31, 10_553.26), averages(140_138, 0.07, 59.05, 10.13, 32.15, 1378.26)],
  [2, averages(160_668, 0.09, 92.2, 9.43, 9.84, 10_073.83), averages(120_856, 0.05, 44.88, 9.93, 23.64, 957.41)],
  [1, averages(59_489, 0.08, 79.8, 9.37, 10.3, 10_528.28), averages(45_007, 0.07, 50.58, 9.86, 26.26, 1069.82)],
  [60, averages(49_987, 0.09, 82.16, 9.21, 11.2, 12_191.19), averages(38_591, 0.12, 93.55, 9.84, 73.5, 3542.48)],
  [30, averages(17_793, 0.1, 117.82, 9.78, 13.19, 14_224.2), averages(15_520, 0.11, 106.97, 10.15, 79.7, 3126.16)],
]

export interface SeedLogOptions {
  /** The share of the talk's executions; a hundredth is 13,000. */
  readonly share: number
  readonly hours: number
}

/** One row for each execution, in the order of time. The same rows every time. */
export function* seedLog({ share, hours }: SeedLogOptions): Generator<Readonly<Record<string, unknown>>> {
  const random = generator(20_261_123)
  const minutes = hours * 60
  const start = Date.parse('2026-06-01T00:00:00Z')
  let load = 0
  for (let minute = 0; minute < minutes; minute += 1) {
    // what one minute has of other work, the next has most of
    load = 0.9 * load + 0.05 * (random() - 0.5)
    const day = 0.1 * Math.sin((2 * Math.PI * minute) / 1440)
    for (const [window, old, fresh] of SLIDE) {
      for (const [table, of] of [
        [OLD_TABLE, old],
        [NEW_TABLE, fresh],
      ] as const) {
        const wanted = (of.queries * share) / minutes
        const queries = Math.floor(wanted) + (random() < wanted % 1 ? 1 : 0)
        for (let i = 0; i < queries; i += 1) {
          yield row({ table, window, of, time: start + minute * 60_000 + i * 10, factor: 1 + load + day, random })
        }
      }
    }
  }
}

/**
 * Rows of `system.part_log` and `system.parts` beside that log. The talk says what to watch and shows no figures: merges of
 * 32 rows a mark take a fifth longer here, and its primary key and marks 32 times the bytes.
 */
export function* seedCosts({ hours }: Pick<SeedLogOptions, 'hours'>): Generator<Readonly<Record<string, unknown>>> {
  const random = generator(20_261_124)
  const start = Date.parse('2026-06-01T00:00:00Z')
  const sides = [
    { table: 'by_1024', longer: 1, marks: 1 },
    { table: 'by_32', longer: 1.2, marks: 32 },
  ]
  for (let minute = 0; minute < hours * 60; minute += 1) {
    for (const { table, longer } of sides) {
      yield {
        event_type: 'MergeParts',
        event_time: new Date(start + minute * 60_000).toISOString(),
        database: 'metrics',
        table,
        duration_ms: String(Math.round(400 * longer * (0.9 + 0.2 * random()))),
        peak_memory_usage: String(Math.round(8_000_000 * (0.95 + 0.1 * random()))),
        error: 0,
      }
    }
  }
  for (const { table, marks } of sides) {
    for (const active of [1, 1, 0]) {
      const bytes = String(150_000 * marks)
      const sizes = {
        primary_key_bytes_in_memory: bytes,
        primary_key_bytes_in_memory_allocated: bytes,
        marks_bytes: bytes,
      }
      yield { database: 'metrics', table, active, ...sizes }
    }
  }
}

interface RowOf {
  readonly table: string
  readonly window: number
  readonly of: Averages
  readonly time: number
  readonly factor: number
  readonly random: () => number
}

function row({ table, window, of, time, factor, random }: RowOf): Readonly<Record<string, unknown>> {
  const around = (average: number, spread: number) =>
    Math.max(0, Math.round(average * (1 + spread * (random() + random() - 1))))
  const rows = around(of.rows, 0.5)
  return {
    type: 'QueryFinish',
    event_time: new Date(time).toISOString().slice(0, 19).replace('T', ' '),
    query_duration_ms: around(of.milliseconds * factor, 0.6),
    query: `SELECT avg(value) FROM ${table} WHERE tenant = ${Math.floor(random() * 900)} AND time > now() - 60`,
    tables: [table],
    log_comment: JSON.stringify({ time_window_in_mins: window }),
    read_rows: String(rows),
    read_bytes: rows * 40,
    memory_usage: around(4_000_000, 0.3),
    ProfileEvents: {
      SelectedParts: around(of.parts, 0.3),
      SelectedMarks: around(of.marks, 0.3),
      SelectedRows: rows,
      OSCPUVirtualTimeMicroseconds: around(of.cpuSeconds * 1e6 * factor, 0.6),
    },
  }
}

/** Numbers from 0 to 1, the same on every machine (Park and Miller's). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
