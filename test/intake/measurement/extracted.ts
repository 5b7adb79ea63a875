import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'

const FOLDER = new URL('../../data/format-github-action-benchmark/', import.meta.url)

export interface Extracted {
  readonly name: string
  readonly unit: string
  readonly value: number
  readonly range?: string
  readonly extra?: string
}

/** A file that github-action-benchmark's tests read, and what they say is in it. */
export function extracted(
  tool: string,
  file: string,
): { readonly text: string; readonly benches: readonly Extracted[] } {
  const text = readFileSync(new URL(`data/extract/${file}`, FOLDER), 'utf8')
  const snapshots: Record<string, string> = {}
  runInNewContext(readFileSync(new URL('__snapshots__/extract.spec.ts.snap', FOLDER), 'utf8'), { exports: snapshots })
  const snapshot = snapshots[`extractResult() extracts benchmark output from ${tool} - ${file} 1`]!
  // the keys are in alphabetical order; quotes in a text are not escaped
  const [list = ''] = snapshot.split('\n  "commit"')
  const benches = list
    .split('    {\n')
    .slice(1)
    .map((bench) => {
      const fields = bench.matchAll(/^ {6}"(\w+)": (?:"(.*?)"|([\d.e+-]+)),$/gms)
      return Object.fromEntries([...fields].map(([, key, words, number]) => [key, words ?? Number(number)]))
    })
  return { text, benches }
}
