import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

/** Public histories as suites of single values: one metric of one kind, oldest first. */

export interface Series {
  /** NaN: not measured in that run. */
  readonly values: readonly number[]
  readonly better: 'lower' | 'higher'
}

export interface Suite {
  readonly name: string
  readonly series: readonly Series[]
  /** Runs at which the measured thing is known to have changed; null: nobody says. */
  readonly changes: readonly number[] | null
}

const lower = (values: readonly number[]): Series => ({ values, better: 'lower' })
const numbers = z.array(z.number())

/** All histories of a folder of data sets; those that are not there are left out. */
export function recordedSuites(data: URL): Suite[] {
  const suites: (readonly [string, (folder: URL) => readonly Suite[]])[] = [
    ['history-asv/', asv],
    ['history-conbench-outliers/', conbench],
    ['history-measured/', measured],
    ['history-mongodb/', mongodb],
    ['history-nyrkio/', nyrkio],
    ['history-otava/', otava],
  ]
  return suites.flatMap(([folder, read]) => {
    const url = new URL(folder, data)
    return existsSync(url) ? read(url) : []
  })
}

function named(name: string, series: readonly Series[], changes: readonly number[] | null = null): Suite[] {
  return series.length === 0 ? [] : [{ name, series, changes }]
}

const asvFile = z.object({ date: z.number(), results: z.record(z.string(), z.unknown()) })

function asv(folder: URL): Suite[] {
  const machine = new URL('cheetah/', folder)
  const files = readdirSync(machine)
    .filter((name) => /^[0-9a-f]{8}-/.test(name))
    .flatMap((name) => {
      const text = readFileSync(new URL(name, machine), 'utf8').replaceAll(/\bNaN\b/g, 'null')
      // some are broken or of another version on purpose
      return text.includes('malformed') ? [] : (asvFile.safeParse(JSON.parse(text)).data ?? [])
    })
    .toSorted((a, b) => a.date - b.date)
  const names = new Set(files.flatMap(({ results }) => Object.keys(results)).filter((name) => name.includes('time_')))
  const at = (value: unknown) => (typeof value === 'number' ? value : Number.NaN)
  const series = [...names].map((name) => lower(files.map(({ results }) => at(results[name]))))
  return named('asv', series)
}

function conbench(folder: URL): Suite[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.csv'))
  const series = files.map((name) => {
    const lines = readFileSync(new URL(name, folder), 'utf8').split('\n')
    return lower(lines.map((line) => Number.parseFloat(line.split(',')[1] ?? '')).filter(Number.isFinite))
  })
  // each is a history of its own
  return series.flatMap((one, index) => named(`conbench ${files[index]!.slice(8, 9)}`, [one]))
}

/** The first repetition of the new build in each point. */
function measured(folder: URL): Suite[] {
  const [, ...lines] = gunzipSync(readFileSync(new URL('raw-runs.tsv.gz', folder)))
    .toString()
    .split('\n')
  const series = new Map<string, number[]>()
  for (const line of lines) {
    const [point, , , , , , test, index, side, run, seconds] = line.split('\t')
    if (side !== '1' || run !== '0') continue
    const key = `${test} ${index}`
    const values = series.get(key) ?? []
    values[Number(point) - 1] = Number(seconds)
    series.set(key, values)
  }
  const all = [...series.values()].map((values) => lower(Array.from(values, (value) => value ?? Number.NaN)))
  return named('measured', all, [7, 15])
}

function mongodb(folder: URL): Suite[] {
  const read = (name: string) => numbers.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
  return named('mongodb', [{ values: read('real_series.json'), better: 'higher' }])
}

const tigerbeetle = z.array(
  z.object({
    timestamp: z.number(),
    metrics: z.array(z.object({ name: z.string(), value: z.number(), unit: z.string() })),
  }),
)

function nyrkio(folder: URL): Suite[] {
  const runs = tigerbeetle
    .parse(JSON.parse(readFileSync(new URL('tigerbeetle.json', folder), 'utf8')))
    .toSorted((a, b) => a.timestamp - b.timestamp)
  const names = new Set(runs.flatMap(({ metrics }) => metrics.map(({ name }) => name)))
  return [...names].flatMap((name) => {
    const found = runs.map(({ metrics }) => metrics.find((metric) => metric.name === name))
    const better = found.some((metric) => metric?.unit.endsWith('/s')) ? 'higher' : 'lower'
    return named(`nyrkio ${name}`, [{ values: found.map((metric) => metric?.value ?? Number.NaN), better }])
  })
}

function otava(folder: URL): Suite[] {
  const text = readFileSync(new URL('expected_from_tests.json', folder), 'utf8')
  const { tigerbeetle_series: values } = z.object({ tigerbeetle_series: numbers }).parse(JSON.parse(text))
  return named('otava', [{ values, better: 'higher' }])
}
