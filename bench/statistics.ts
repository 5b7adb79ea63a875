import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { mannWhitney } from '../src/judge/statistics/mann-whitney.ts'
import { randomizationTest } from '../src/judge/statistics/randomization-test.ts'

/**
 * How long the statistics of a large run take, and how many times faster the exact randomization test is than the SQL
 * that estimates it, in the same process on the same samples. Repeat with `node bench/statistics.ts`.
 */

const QUERIES = 3000
const REPETITIONS = 13
const WARM_UP_ROUNDS = 3
const ROUNDS = 9
const SQL_QUERIES = 25
const SQL_WARM_UP_QUERIES = 5

type Samples = readonly [old: readonly number[], fresh: readonly number[]]

export interface StatisticsFigures {
  readonly queries: number
  readonly repetitions: number
  /** Milliseconds for all queries, medians over the rounds. */
  readonly randomizationMs: number
  readonly rankWithoutTiesMs: number
  readonly rankWithTiesMs: number
  /** Milliseconds for one query, median. */
  readonly sqlMsPerQuery: number
  readonly exactMsPerQuery: number
  /** How many times more queries a second. */
  readonly ratio: number
  /** T of the two methods over the queries that both saw: `sql / exact - 1`. */
  readonly thresholds: {
    readonly compared: number
    readonly equal: number
    readonly medianDeviation: number
    readonly largestDeviation: number
  }
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string; readonly clickhouse: string }
}

export async function benchStatistics(): Promise<StatisticsFigures> {
  const random = generator(20_261_121)
  const untied = Array.from({ length: QUERIES }, () => samplesOf(random, 1e-9))
  // A clock of 1 ms and times around 20 ms: about ten different values among 26.
  const tied = Array.from({ length: QUERIES }, () => samplesOf(random, 1e-3))

  const randomizationMs = timeRounds(untied, randomizationTest)
  const sql = await askClickHouse(untied.slice(0, SQL_WARM_UP_QUERIES + SQL_QUERIES))
  const exactMsPerQuery = randomizationMs / QUERIES
  return {
    queries: QUERIES,
    repetitions: REPETITIONS,
    randomizationMs,
    rankWithoutTiesMs: timeRounds(untied, mannWhitney),
    rankWithTiesMs: timeRounds(tied, mannWhitney),
    sqlMsPerQuery: sql.msPerQuery,
    exactMsPerQuery,
    ratio: sql.msPerQuery / exactMsPerQuery,
    thresholds: sql.thresholds,
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      node: process.version,
      clickhouse: sql.version,
    },
  }
}

/** Keeps the compiler from leaving out work whose result nobody reads. */
let sink = 0

function timeRounds(
  queries: readonly Samples[],
  run: (old: readonly number[], fresh: readonly number[]) => { readonly pValue: number },
): number {
  const times: number[] = []
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const start = performance.now()
    for (const [old, fresh] of queries) sink += run(old, fresh).pValue
    const elapsed = performance.now() - start
    if (round >= WARM_UP_ROUNDS) times.push(elapsed)
  }
  return middle(times)
}

async function askClickHouse(queries: readonly Samples[]) {
  const { query, queryBind } = await import('chdb')
  const sql = readFileSync(fileURLToPath(new URL('sql/randomization.sql', import.meta.url)), 'utf8')
  const times: number[] = []
  const deviations: number[] = []
  for (const [index, [old, fresh]] of queries.entries()) {
    const start = performance.now()
    const answer = queryBind(sql, { old, new: fresh }, 'JSONEachRow')
    const elapsed = performance.now() - start
    if (index < SQL_WARM_UP_QUERIES) continue
    times.push(elapsed)
    const { threshold } = JSON.parse(answer) as { threshold: number }
    deviations.push(threshold / randomizationTest(old, fresh).threshold - 1)
  }
  const sizes = deviations.map(Math.abs)
  return {
    version: query('SELECT version()', 'TSV').trim(),
    msPerQuery: middle(times),
    thresholds: {
      compared: deviations.length,
      equal: sizes.filter((size) => size < 1e-9).length,
      medianDeviation: middle(sizes),
      largestDeviation: Math.max(...sizes),
    },
  }
}

/** Log-normal times around 20 ms with 10% noise, as multiples of a clock tick; the same on every machine. */
function samplesOf(random: () => number, tick: number): Samples {
  const side = () =>
    Array.from({ length: REPETITIONS }, () => {
      const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random())
      return Math.round((0.02 * Math.exp(0.1 * normal)) / tick) * tick
    })
  return [side(), side()]
}

/** Numerical Recipes' quick generator: uniform in (0, 1). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

/** The figures as a Markdown table, with the machine and how to repeat them. */
export function statisticsTable(figures: StatisticsFigures): string {
  const { queries, repetitions, machine, thresholds } = figures
  const size = `${repetitions} + ${repetitions}`
  const percent = (fraction: number) => `${(fraction * 100).toFixed(1)}%`
  return [
    `| ${queries} queries of ${size} samples | time | target |`,
    '|---|---|---|',
    `| randomization test, exact: T and p | ${figures.randomizationMs.toFixed(1)} ms | < 60 ms |`,
    `| rank test, no ties | ${figures.rankWithoutTiesMs.toFixed(1)} ms | < 60 ms |`,
    `| rank test, ties everywhere | ${figures.rankWithTiesMs.toFixed(0)} ms | < 1,500 ms |`,
    `| randomization test, one query | ${(figures.exactMsPerQuery * 1000).toFixed(2)} µs | |`,
    `| the same estimated in SQL, one query | ${figures.sqlMsPerQuery.toFixed(1)} ms | |`,
    `| queries a second, exact against SQL | ${Math.round(figures.ratio)} times | >= 1,000 times |`,
    '',
    `T in SQL (10,000 random relabelings) against the exact T, ${thresholds.compared} queries: equal in ` +
      `${thresholds.equal}, median deviation ${percent(thresholds.medianDeviation)}, largest ` +
      `${percent(thresholds.largestDeviation)}.`,
    '',
    `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ClickHouse ${machine.clickhouse} (embedded); medians ` +
      `of ${ROUNDS} rounds after ${WARM_UP_ROUNDS} for warm-up, SQL of ${SQL_QUERIES} queries. Repeat: ` +
      '`node bench/statistics.ts`.',
  ].join('\n')
}

if (import.meta.main) {
  console.log(statisticsTable(await benchStatistics()))
  if (Number.isNaN(sink)) process.exitCode = 1
}
