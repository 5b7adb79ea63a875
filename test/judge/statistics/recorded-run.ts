import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Measurement } from '../../../src/intake/measurement/run.ts'

/** The two runs that were measured for this project; SOURCE.txt beside them says how. */
export const RECORDED = fileURLToPath(new URL('../../../demo/recording/run-25.8-vs-26.9/', import.meta.url))
export const SAME_BUILD = fileURLToPath(new URL('../../data/run-a-a/', import.meta.url))

/** The `query` lines of a folder of raw files, without the reader that the program uses: these tests are of what follows it. */
export function recordedRun(folder: string): Measurement[] {
  const queries = new Map<string, { test: string; queryIndex: number; sides: readonly [number[], number[]] }>()
  for (const file of readdirSync(folder).toSorted()) {
    if (!file.endsWith('-raw.tsv')) continue
    const test = file.slice(0, -'-raw.tsv'.length)
    for (const line of readFileSync(`${folder}${file}`, 'utf8').split('\n')) {
      const [kind, index, , server, seconds] = line.split('\t')
      if (kind !== 'query') continue
      const key = `${test} ${index}`
      const query = queries.get(key) ?? { test, queryIndex: Number(index), sides: [[], []] }
      query.sides[server === '0' ? 0 : 1].push(Number(seconds))
      queries.set(key, query)
    }
  }
  return [...queries.values()].map(({ test, queryIndex, sides }) => ({
    test,
    queryIndex,
    queryName: null,
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old: sides[0],
    new: sides[1],
    reportThreshold: null,
    rounded: false,
    problems: [],
  }))
}
