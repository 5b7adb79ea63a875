import type { WindowCommit } from '../../../src/judge/bisect/bisect-window.ts'
import type { TrunkPoint, TrunkSeries, TrunkStep } from '../../../src/judge/history/trunk-series.ts'

/** A commit id that says its number. */
export function commitOf(index: number): string {
  return index.toString(16).padStart(40, '0')
}

export const DAY = 86_400_000
export const FIRST_TIME = Date.UTC(2026, 4, 1)

/** A point of the trunk a day: each commit compared with the one before it. */
export function point(index: number, old: number, fresh: number, more: Partial<TrunkPoint> = {}): TrunkPoint {
  return {
    time: FIRST_TIME + index * DAY,
    commit: commitOf(index + 1),
    referenceCommit: commitOf(index),
    old,
    new: fresh,
    difference: (fresh - old) / old,
    threshold: 0.02,
    ...more,
  }
}

/** A history from its levels: each point compares its level with that before it. */
export function seriesOf(levels: readonly number[], more: Partial<TrunkSeries> = {}): TrunkSeries {
  return {
    test: 'insert_codecs',
    queryIndex: 12,
    queryName: 'INSERT INTO t SELECT number FROM numbers(1000000)',
    architecture: 'arm',
    metric: 'client_time',
    source: 'own',
    points: levels.map((level, index) => point(index, levels[Math.max(0, index - 1)]!, level)),
    ...more,
  }
}

export function step(more: Partial<TrunkStep> = {}): TrunkStep {
  const [lastGood, firstBad] = [point(43, 0.561, 0.561), point(45, 0.561, 0.646)]
  return {
    lastGood,
    firstBad,
    before: 0.561,
    after: 0.646,
    step: (0.646 - 0.561) / 0.561,
    earliest: firstBad,
    latest: firstBad,
    seenBy: 'both',
    recovered: null,
    ...more,
  }
}

export function windowCommit(number: number, files: readonly string[] | null): WindowCommit {
  const title = `Faster merges (#${number})`
  return { sha: commitOf(number), title, files, pullRequestNumber: number }
}

/** A fixed sequence of normal values around 1 (mulberry32 and Box-Muller): neighbours are independent of each other. */
export function normalNoise(seed: number, count: number, deviation: number): number[] {
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32
  }
  return Array.from(
    { length: count },
    () => 1 + deviation * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random()),
  )
}
