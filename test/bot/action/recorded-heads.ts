import { join } from 'node:path'
import { readSides, readUploadedRun } from '../../../src/intake/archive/read-run.ts'
import type { Measurement, Run, RunContents } from '../../../src/intake/measurement/run.ts'
import { DAY } from '../../../src/text/time.ts'

/** Runs that tools wrote, as the head of a pull request and the trunk before it. */

export const DATA = join(import.meta.dirname, '../../data')

/** A run on disk: the files of each side, or one upload. */
interface Recorded {
  readonly old?: string
  readonly new: string
}

const clickhouse = ['arrays', 'dates', 'group_by_card', 'hash_functions', 'joins', 'json', 'quantiles', 'sort_limit']

/** Thirty-two of them, by the name of the tool. */
export const RECORDED: readonly (readonly [name: string, of: Recorded])[] = [
  ...clickhouse.map((test) => [`ClickHouse: ${test}`, { new: `run-a-a/${test}-raw.tsv` }] as const),
  ['ClickHouse: counters', { new: 'run-metrics/measurements.jsonl.gz' }],
  ['go', sides('verdicts-benchstat', 'txt')],
  ['go: crc', { old: 'verdicts-benchstat/crc-old.txt', new: 'verdicts-benchstat/crc-new.txt' }],
  ['go: two releases', { old: 'environments/go/go1.24.0.txt', new: 'environments/go/go1.25.0.txt' }],
  ['go: another processor', sides('tool-cases/F2-cpu-differs-between-sides', 'txt')],
  ['go: another metric in a file', sides('tool-cases/F5-metric-chosen-per-file', 'txt')],
  ['go: with profiles', { old: 'profile-go/old', new: 'profile-go/new' }],
  ['criterion: printed', { old: 'format-outputs/criterion-old.txt', new: 'format-outputs/criterion-new.txt' }],
  ['criterion', { new: 'format-outputs/criterion' }],
  ['criterion: head alone', { new: 'verdicts-criterion/Fibonacci' }],
  ['hyperfine', { new: 'format-outputs/hyperfine.json' }],
  ['hyperfine: a command fails', { new: 'tool-cases/F1-failed-command-is-faster/new/h.json' }],
  ['vitest', { new: 'format-outputs/vitest.json' }],
  ['pytest-benchmark', { old: 'environments/pytest/old/3.11.7.json', new: 'environments/pytest/new/3.12.1.json' }],
  ['pytest-benchmark: head alone', { new: 'format-outputs/pytest-benchmark.json' }],
  ['google-benchmark', { old: 'environments/google-benchmark/O1.json', new: 'environments/google-benchmark/O2.json' }],
  ['google-benchmark: counters', { new: 'format-outputs/google-benchmark-counters.json' }],
  ['jmh', { old: 'environments/jmh/old/jdk17.json', new: 'environments/jmh/new/jdk25.json' }],
  ['jmh: equal builds', { old: 'aa-jmh/5x20-1-old.json', new: 'aa-jmh/5x20-1-new.json' }],
  ['pyperf', { old: 'environments/pyperf/old/3.11.7.json', new: 'environments/pyperf/new/3.12.1.json' }],
  ['catch2', sides('tool-cases/real', 'xml', 'catch2-')],
  ['benchmark.js', { old: 'environments/benchmarkjs/node20.txt', new: 'environments/benchmarkjs/node24.txt' }],
  ['mitata', { new: 'format-outputs/mitata.json' }],
  ['asv', { new: 'format-outputs/asv' }],
]

function sides(folder: string, extension: string, prefix = ''): Recorded {
  return { old: `${folder}/${prefix}old.${extension}`, new: `${folder}/${prefix}new.${extension}` }
}

export async function readRecorded({ old, new: fresh }: Recorded): Promise<RunContents> {
  return old === undefined
    ? await readUploadedRun(join(DATA, fresh))
    : await readSides([join(DATA, old)], [join(DATA, fresh)])
}

/** The time of the head's run. */
export const NOW = Date.parse('2026-11-20T10:00:00.000Z')

interface Place {
  readonly repositoryId: number
  readonly pullRequestNumber: number
  readonly head: string
  readonly oldCommit: string | null
}

interface Change {
  /** By which factor benchmarks are slower than they were recorded. */
  readonly slower: number
  /** Of so many benchmarks one is. */
  readonly oneOf: number
  /** The last benchmark is not measured, and the others half as often. */
  readonly isShort: boolean
}

export function runOfHead(contents: RunContents, place: Place, { slower, oneOf, isShort }: Change): Run {
  const { measurements } = contents
  return {
    ...contents,
    measurements: (isShort ? measurements.slice(0, -1).map(halved) : measurements).map((one, index) =>
      index % oneOf === 0 ? scaled(one, 1, slower) : one,
    ),
    ...atPlace(place, NOW),
    source: 'artifact 1',
  }
}

function halved(whole: Measurement): Measurement {
  const { taken: _, ...measurement } = whole
  const half = (samples: readonly number[]) => samples.slice(0, Math.ceil(samples.length / 2))
  return { ...measurement, old: half(measurement.old), new: half(measurement.new) }
}

/**
 * A run of the trunk at one of its commits, against the commit before, all of them in the forty days before the head. The benchmarks
 * vary by `spread` and are slower by a fifth from `stepAt` on.
 */
export function runOfTrunk(
  recorded: RunContents,
  place: Omit<Place, 'pullRequestNumber'>,
  { index, of, stepAt, spread }: Readonly<Record<'index' | 'of' | 'stepAt' | 'spread', number>>,
): Run {
  const { profiles: _, ...contents } = recorded
  const level = (at: number) => (at < stepAt ? 1 : 1.2)
  const noise = (at: number) => 1 + (spread * (((at * 7919) % 13) - 6)) / 6
  const time = NOW - ((of - index) * 40 * DAY) / of
  return {
    ...contents,
    measurements: contents.measurements.map((one, i) =>
      scaled(
        { ...one, new: one.old.length === one.new.length ? one.old : one.new },
        level(index - 1) * noise(2 * index + i),
        level(index) * noise(2 * index + 1 + i),
      ),
    ),
    ...atPlace({ ...place, pullRequestNumber: 0 }, Math.round(time)),
    source: `artifact ${index + 2}`,
  }
}

function scaled(measurement: Measurement, old: number, fresh: number): Measurement {
  const { old: before, new: after } = measurement
  return { ...measurement, old: before.map((value) => value * old), new: after.map((value) => value * fresh) }
}

function atPlace(place: Place, time: number) {
  const { head } = place
  return {
    ...place,
    newCommit: head,
    check: 'benchmarks',
    architecture: null,
    shard: null,
    shards: null,
    attempt: 1,
    finishedAt: new Date(time).toISOString(),
  }
}
