import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { median } from '../../src/intake/measurement/median.ts'

/** Real noise: a history without its steps, around 1. */
export interface Noise {
  readonly name: string
  readonly values: readonly number[]
}

const DATA = new URL('../../test/data/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, DATA), 'utf8')

/** Divides each level between two known steps by its median. */
function detrended(values: readonly number[], steps: readonly number[]): number[] {
  const starts = [0, ...steps]
  return starts.flatMap((from, i) => {
    const level = values.slice(from, starts[i + 1] ?? values.length)
    const center = median(level)
    return level.map((value) => value / center)
  })
}

interface OtavaCases {
  readonly tigerbeetle_series: readonly number[]
  readonly cases: readonly { readonly test: string; readonly expected_indexes: readonly number[] }[]
}

/** 365 points of TigerBeetle between the twelve steps that Otava's tests assert at p = 0.001. */
export function tigerBeetle(): Noise[] {
  const { tigerbeetle_series, cases } = JSON.parse(read('history-otava/expected_from_tests.json')) as OtavaCases
  const known = cases.find(({ test }) => test === 'test_tb_magnitude0_p001')!.expected_indexes
  return [{ name: 'TigerBeetle', values: detrended(tigerbeetle_series, known) }]
}

/** 132 points of MongoDB: one level with spikes. */
export function mongoDb(): Noise[] {
  const values = JSON.parse(read('history-mongodb/real_series.json')) as number[]
  return [{ name: 'MongoDB', values: detrended(values, []) }]
}

/** Five histories of 26 to 36 points, two of them with outliers; no steps are known. Points without a value are left out. */
export function conbench(): Noise[] {
  return ['A', 'B', 'C', 'D', 'E'].map((name) => {
    const rows = read(`history-conbench-outliers/outlier_${name}.csv`).trim().split('\n')
    const values = rows.filter((row) => /^\d/.test(row)).map((row) => Number.parseFloat(row.split(',')[1]!))
    return { name: `Conbench ${name}`, values: detrended(values.filter(Number.isFinite), []) }
  })
}

/** One point of a measured history: the raw samples of both sides, in seconds. */
export interface MeasuredPoint {
  readonly old: readonly number[]
  readonly new: readonly number[]
}

export interface MeasuredHistory {
  readonly name: string
  readonly points: readonly MeasuredPoint[]
}

/** Positions of the two points where the engine's release changed (8 and 16 in the file, which counts from 1). */
export const RELEASES = [7, 15] as const

/** 68 queries, 23 points of 7 + 7 runs. */
export function measured(): MeasuredHistory[] {
  const lines = gunzipSync(readFileSync(new URL('history-measured/raw-runs.tsv.gz', DATA)))
    .toString('utf8')
    .split('\n')
  const queries = new Map<string, { old: number[]; new: number[] }[]>()
  for (const line of lines.slice(1)) {
    if (line === '') continue
    const [point, , , , , , test, query, side, , seconds] = line.split('\t')
    const name = `${test} #${query}`
    const points = queries.get(name) ?? []
    queries.set(name, points)
    const at = points[Number(point) - 1] ?? { old: [], new: [] }
    points[Number(point) - 1] = at
    at[side === '0' ? 'old' : 'new'].push(Number(seconds))
  }
  return [...queries].map(([name, points]) => ({ name, points }))
}

/** The same without the two releases: each side of each level divided by the median of all its medians. */
export function withoutReleases(history: MeasuredHistory): MeasuredHistory {
  const news = history.points.map((point) => median(point.new))
  const olds = history.points.map((point) => median(point.old))
  // The old side of a point is the build of the point before it.
  const newLevels = levelMedians(news, RELEASES)
  const oldLevels = levelMedians(
    olds,
    RELEASES.map((position) => position + 1),
  )
  return {
    name: history.name,
    points: history.points.map((point, i) => ({
      old: point.old.map((value) => value / oldLevels[i]!),
      new: point.new.map((value) => value / newLevels[i]!),
    })),
  }
}

function levelMedians(values: readonly number[], steps: readonly number[]): number[] {
  const starts = [0, ...steps]
  return starts.flatMap((from, i) => {
    const level = values.slice(from, starts[i + 1] ?? values.length)
    return level.map(() => median(level))
  })
}
