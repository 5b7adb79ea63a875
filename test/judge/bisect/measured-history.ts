import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { TrunkPoint, TrunkSeries } from '../../../src/judge/history/trunk-series.ts'
import { randomizationTest } from '../../../src/judge/statistics/randomization-test.ts'

const FILE = new URL('../../data/history-measured/raw-runs.tsv.gz', import.meta.url)

interface Runs {
  readonly time: number
  readonly referenceCommit: string
  readonly commit: string
  readonly old: number[]
  readonly new: number[]
}

/** The measured trunk history, each query a series: medians, differences and T of its raw samples. */
export function measuredHistory(): TrunkSeries[] {
  const queries = new Map<string, Map<string, Runs>>()
  const [, ...lines] = gunzipSync(readFileSync(FILE)).toString('utf8').trimEnd().split('\n')
  for (const line of lines) {
    const [point, , , oldSha, newSha, epoch, test, queryIndex, side, , seconds] = line.split('\t')
    const key = `${test}\t${queryIndex}`
    const points = queries.get(key) ?? new Map<string, Runs>()
    queries.set(key, points)
    const runs: Runs = points.get(point!) ?? {
      time: Number(epoch) * 1000,
      referenceCommit: oldSha!,
      commit: newSha!,
      old: [],
      new: [],
    }
    points.set(point!, runs)
    runs[side === '0' ? 'old' : 'new'].push(Number(seconds))
  }
  return [...queries].map(([key, points]) => {
    const [test, queryIndex] = key.split('\t') as [string, string]
    return {
      test,
      queryIndex: Number(queryIndex),
      queryName: null,
      architecture: 'amd',
      metric: 'client_time',
      source: 'own',
      points: [...points.values()].map(pointOf),
    }
  })
}

function pointOf({ time, referenceCommit, commit, old, new: fresh }: Runs): TrunkPoint {
  const { oldMedian, newMedian, difference, threshold } = randomizationTest(old, fresh)
  return { time, referenceCommit, commit, old: oldMedian, new: newMedian, difference, threshold }
}
