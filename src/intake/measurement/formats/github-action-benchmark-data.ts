import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import type { Better, Side } from '../run.ts'
import { betterOfName, toolUnit } from '../units.ts'
import { Benchmarks, inBaseUnit, metricOfUnit, type Summary } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, goodEntries, parseDocument } from './json-document.ts'
import { saidText } from './said-environment.ts'

/** Reads what `github-action-benchmark.ts` recognises, and is loaded only where there is such a file. */

const TEST = 'github-action-benchmark'
const METRIC = 'value'
const MOST = 200_000

const bench = z.object({
  name: z.string().max(10_000),
  unit: z.string().max(1000),
  value: z.union([decimal, z.string().max(100)], { error: 'no number' }),
  range: z.union([decimal, z.string().max(1000)]).nullish(),
  extra: saidText,
})
type Bench = z.infer<typeof bench>

const customSchema = z.array(z.unknown()).max(MOST)
const storedSchema = z.object({
  entries: z.record(z.string(), z.unknown()),
})
const suiteSchema = z.array(z.unknown()).max(MOST)
const runSchema = z.object({
  tool: z.string().max(100).nullish(),
  commit: z.object({ id: z.string().max(100).nullish() }).nullish(),
  benches: z.array(z.unknown()).max(MOST),
})
type StoredRun = z.infer<typeof runSchema>

/** Which way is better is said where the action is called, and mostly by the file's name. */
export function customResult(text: string, context: ReaderContext): Contribution {
  const what = 'custom result of github-action-benchmark'
  const benches = goodEntries(parseDocument(text, customSchema, what, { exact: true }), bench, {
    at: '',
    what,
    warn: context.warn,
  })
  const found = new Benchmarks(context)
  const better = /bigger|higher|larger/i.test(context.fileName)
    ? 'higher'
    : /smaller|lower/i.test(context.fileName)
      ? 'lower'
      : null
  for (const [, one] of benches) add(found, TEST, one, better)
  return found.contribution('benchmark of github-action-benchmark')
}

export function storedData(text: string, context: ReaderContext): Contribution {
  const json = text.replace(/^\s*window\.BENCHMARK_DATA\s*=/, '').replace(/;\s*$/, '')
  const what = 'data of github-action-benchmark'
  const { entries } = parseDocument(json, storedSchema, what, { exact: true })
  const found = new Benchmarks(context)
  for (const [suite, list] of goodEntries(entries, suiteSchema, { at: 'entries', what, warn: context.warn })) {
    const of = { at: `entries.${suite}`, what, warn: context.warn, mayBeNone: true }
    const runs = goodEntries(list, runSchema, of).map(([, run]) => run)
    const fresh = ofLastCommit(runs)
    const old = ofLastCommit(runs.slice(0, runs.length - fresh.length))
    const sides: readonly (readonly [Side, readonly StoredRun[]])[] =
      found.side === null
        ? [
            ['old', old],
            ['new', fresh],
          ]
        : [[found.side, fresh]]
    for (const [side, ofSide] of sides) {
      for (const { tool, benches } of ofSide) {
        const better = directionOfTool(tool ?? null)
        found.nextPart()
        for (const [, one] of goodEntries(benches, bench, of)) add(found, suite, one, better, side)
      }
    }
  }
  return found.contribution('entry of github-action-benchmark')
}

/** The last entries of one commit: measured again, it is no baseline of itself. */
function ofLastCommit(runs: readonly StoredRun[]): readonly StoredRun[] {
  const id = runs.at(-1)?.commit?.id ?? null
  const before = id === null ? runs.length - 2 : runs.findLastIndex((run) => run.commit?.id !== id)
  return runs.slice(before + 1)
}

/** Of the other tools the action knows that less is better. */
function directionOfTool(tool: string | null): Better | null {
  return tool === null ? null : ['customBiggerIsBetter', 'pytest', 'benchmarkjs'].includes(tool) ? 'higher' : 'lower'
}

function add(
  found: Benchmarks,
  test: string,
  { name, unit, value: text, range, extra }: Bench,
  stated: Better | null,
  side?: Side,
): void {
  const known = metricOfUnit(unit)
  const value = inBaseUnit(text, known)
  if (value === null) {
    found.warn(`"${text.slice(0, 40)}" of ${name.slice(0, 100)} is not a value`)
    return
  }
  // what is behind the name of a benchmark of Go
  found.in({ cpus: /^(\d+) procs$/m.exec(extra ?? '')?.[1] })
  const better = toolUnit(unit)?.better ?? stated ?? betterOfName(unit) ?? betterOfName(name)
  const summary: Summary = { kind: 'value', value, ...boundsOf(value, range ?? null, known) }
  found.given({ ...found.another({ test, name }, side), metric: METRIC, unit: known.unit, better }, summary, side)
}

/** `± 20`, `5%`, `3`: half the width of a range around the value. What the deviation of another value is says nothing. */
function boundsOf(value: number, range: string | null, unit: Parameters<typeof inBaseUnit>[1]): Partial<Summary> {
  const [, digits, percent] = /^(?:±|\+\/-|\+-)?\s*([\d.]+(?:e[+-]?\d+)?)\s*(%)?$/i.exec(range?.trim() ?? '') ?? []
  if (digits === undefined) return {}
  const share = percent === undefined ? null : parseShifted(digits, -2)
  const half = share === null ? inBaseUnit(digits, unit) : share * value
  if (half === null) return {}
  return { lower: value - half, upper: value + half, spread: share ?? (value === 0 ? null : half / value) }
}
