import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Measurement } from '../../../../src/intake/measurement/run.ts'

const DATA = join(import.meta.dirname, '../../../data')

/** An output of a tool in `test/data/format-outputs`, which says how it was made. */
export function outputFile(name: string): string {
  return readFileSync(join(DATA, 'format-outputs', name), 'utf8')
}

/** The files of a folder of `test/data` by their paths in it. */
export function filesOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(join(DATA, folder), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Object.fromEntries(
    paths.map((path) => [path.slice(join(DATA, folder).length + 1), readFileSync(path, 'utf8')]),
  )
}

/** `fib 20 time s: 20 + 20` of each measurement: what was measured, and how many values are on each side. */
export function outline(measurements: readonly Measurement[]): string[] {
  return measurements.map(({ test, queryName, metric, unit, better = 'lower', old, new: fresh }) => {
    const direction = better === 'lower' ? '' : ` (${better ?? 'nobody knows'})`
    return `${test} | ${queryName} | ${metric} ${unit}${direction}: ${old.length} + ${fresh.length}`
  })
}
