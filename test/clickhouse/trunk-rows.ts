import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { TrunkRow } from '../../src/history/trunk-row.ts'
import { randomizationTest } from '../../src/statistics/randomization-test.ts'

export const DAY = 86_400_000
/** 2026-06-01 12:00:00 UTC. */
export const NOON = Date.UTC(2026, 5, 1, 12)

export function trunkRow(changes: Partial<TrunkRow> = {}): TrunkRow {
  const before = changes.old ?? 0.1
  const after = changes.new ?? 0.1
  return {
    source: 'own',
    time: NOON,
    oldCommit: 'c0',
    newCommit: 'c1',
    test: 'join',
    queryIndex: 0,
    queryName: 'SELECT 1',
    metric: 'client_time',
    architecture: 'amd',
    old: before,
    new: after,
    difference: (after - before) / before,
    threshold: 0.04,
    workflowName: 'MasterCI',
    baseBranch: 'master',
    reportUrl: '',
    instanceType: '',
    instanceId: '',
    ...changes,
  }
}

/** 23 runs of 68 queries, `test/data/history-measured`. */
export function measuredRows(): TrunkRow[] {
  const file = new URL('../data/history-measured/raw-runs.tsv.gz', import.meta.url)
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n')
  const runs = new Map<string, { fields: string[]; sides: [number[], number[]] }>()
  for (const line of lines.slice(1)) {
    const fields = line.split('\t')
    const key = [fields[0], fields[6], fields[7]].join(' ')
    const run = runs.get(key) ?? { fields, sides: [[], []] }
    runs.set(key, run)
    run.sides[Number(fields[8]) as 0 | 1].push(Number(fields[10]))
  }
  return [...runs.values()].map(({ fields, sides }) => {
    const { oldMedian, newMedian, difference, threshold } = randomizationTest(...sides)
    return trunkRow({
      source: 'imported',
      time: Number(fields[5]) * 1000,
      oldCommit: fields[3]!,
      newCommit: fields[4]!,
      test: fields[6]!,
      queryIndex: Number(fields[7]),
      queryName: `${fields[6]} query ${fields[7]}`,
      old: oldMedian,
      new: newMedian,
      difference,
      threshold,
    })
  })
}
