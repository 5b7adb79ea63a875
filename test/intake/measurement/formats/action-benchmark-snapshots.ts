import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DATA = join(import.meta.dirname, '../../../data/format-github-action-benchmark')

/** What github-action-benchmark extracts of a benchmark. */
export interface Extracted {
  readonly name: string
  readonly unit: string
  readonly value: number
  /** `± 24`, `±0.74%`, `stddev: 0.1` or a number; null where the tool gives none. */
  readonly range: string | null
}

/** An output of a tool from the tests of github-action-benchmark, as text. */
export function actionBenchmarkFile(name: string): string {
  return readFileSync(join(DATA, 'data/extract', name), 'utf8')
}

/** What github-action-benchmark's own tests expect of one of these files. */
export function extracted(file: string): readonly Extracted[] {
  const snapshots = readFileSync(join(DATA, '__snapshots__/extract.spec.ts.snap'), 'utf8')
  const start = snapshots.indexOf(` - ${file} 1\`] = `)
  if (start === -1) throw new Error(`no snapshot of ${file}`)
  const snapshot = snapshots.slice(start, snapshots.indexOf('\n`;', start))
  const benches = snapshot.split('\n    {\n').slice(1)
  return benches.map((bench) => {
    const field = (key: string) => new RegExp(`^      "${key}": (?:"([^]*?)"|(.*)),$`, 'm').exec(bench)
    const text = (key: string) => field(key)?.[1] ?? null
    return { name: text('name')!, unit: text('unit')!, value: Number(field('value')![2]), range: text('range') }
  })
}
