import { fileURLToPath } from 'node:url'
import { readRun } from '../src/intake/archive/read-run.ts'
import { median } from '../src/intake/measurement/median.ts'
import { type Measurement, PRIMARY_METRIC } from '../src/intake/measurement/run.ts'
import { seeded } from './calibration/seeded.ts'

const DATA = fileURLToPath(new URL('../test/data/run-metrics/measurements.jsonl.gz', import.meta.url))

export interface ShardOf {
  readonly queries: number
  readonly metrics: number
  /** A shard's queries are the same on each machine. */
  readonly machine: number
}

/** Of a shard of ClickHouse's check: 790 queries of 230 metrics each are 181,700 lines, 74 MB. */
export const SHARD: ShardOf = { queries: 790, metrics: 230, machine: 0 }

/** Queries of one test. */
const OF_A_TEST = 15
/** Characters of a query's text. */
const LONGEST_TEXT = 560
/** Of the queries of a shard that changed, as in a busy pull request. */
const CHANGED = 20

/**
 * The lines of an `all-query-metrics.tsv`, a piece for each query. The metrics, which of them are 0 and how large the others are is
 * what four measured queries had (`test/data/run-metrics`), each query's and metric's by a factor of its own; a metric beyond those
 * is one of them by another name.
 */
export async function* shardTable(
  shard: number,
  { queries, metrics, machine }: ShardOf = SHARD,
): AsyncGenerator<string> {
  const { measurements } = await readRun(DATA)
  const names = [...new Set([PRIMARY_METRIC, ...measurements.map(({ metric }) => metric)])]
  const measured = [...Map.groupBy(measurements, ({ test, queryIndex }) => `${queryIndex} ${test}`).values()].map(
    (ofQuery) => new Map(ofQuery.map((one) => [one.metric, one])),
  )
  const [ofText, random] = [seeded(shard), seeded(1000 * (machine + 1) + shard)]
  for (let query = 0; query < queries; query += 1) {
    const place = `test_${shard}_${Math.floor(query / OF_A_TEST)}\t${query % OF_A_TEST}\t${textOf(query, ofText)}`
    const bar = 0.15 + Math.floor(random() * 20) / 100
    const of = measured[query % measured.length]!
    const lines = Array.from({ length: metrics }, (_, index) => {
      const name = names[index % names.length]!
      const copy = Math.floor(index / names.length)
      const line = numbersOf(of.get(name), random, index === 0 && query < CHANGED)
      return `${copy === 0 ? name : `${name}${copy + 1}`}\t${line}\t${place}\t${bar.toFixed(2)}\t${(bar + 0.1).toFixed(2)}\n`
    })
    yield lines.join('')
  }
}

function textOf(query: number, random: () => number): string {
  const length = 80 + Math.floor(random() * (LONGEST_TEXT - 80))
  let text = `SELECT sum(c${query % 7}), uniq(k${query % 11}) FROM t_${query} WHERE 1`
  while (text.length < length) text += ` AND c${Math.floor(random() * 100)} != \\'${Math.floor(random() * 1e6)}\\'`
  return text
}

/** Old, new, D, ratio and T as the report rounds them. */
function numbersOf(measured: Measurement | undefined, random: () => number, hasChanged: boolean): string {
  if (measured === undefined) return '0\t0\tnan\tnan\tnan'
  const old = down(median(measured.old) * (0.5 + random()), 4)
  const fresh = down(old * (hasChanged ? 1.6 : 0.98 + 0.04 * random()), 4)
  if (old === 0) return `${old}\t${fresh}\tnan\tnan\tnan`
  const ratio = Math.max(old, fresh) / Math.min(old, fresh)
  return [old, fresh, down((fresh - old) / old, 3), down(ratio, 3), down(0.02 + 0.1 * random(), 3)].join('\t')
}

function down(value: number, digits: number): number {
  return Math.floor(value * 10 ** digits) / 10 ** digits
}

if (import.meta.main) for await (const piece of shardTable(Number(process.argv[2] ?? '1'))) process.stdout.write(piece)
