import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import type { Better, Side } from '../run.ts'
import { toolUnit } from '../units.ts'
import { Benchmarks, inBaseUnit, metricOfUnit, type Summary } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, parseDocument } from './json-document.ts'
import { saidText } from './said-environment.ts'

const TEST = 'github-action-benchmark'
const METRIC = 'value'
const MOST = 200_000

const bench = z.object({
  name: z.string().max(10_000),
  unit: z.string().max(1000),
  value: z.union([decimal, z.string().max(100)]),
  range: z.union([decimal, z.string().max(1000)]).nullish(),
  extra: saidText,
})
type Bench = z.infer<typeof bench>

const customSchema = z.array(bench).max(MOST)
const storedSchema = z.object({
  entries: z.record(
    z.string(),
    z.array(z.object({ tool: z.string().max(100).nullish(), benches: z.array(bench).max(MOST) })).max(MOST),
  ),
})

/** Which way is better is said where the action is called, and mostly by the file's name. */
export function customResult(text: string, context: ReaderContext): Contribution {
  const benches = parseDocument(text, customSchema, 'custom result of github-action-benchmark', { exact: true })
  const found = new Benchmarks(context)
  const better = /bigger|higher|larger/i.test(context.fileName) ? 'higher' : null
  for (const one of benches) add(found, TEST, one, better)
  return found.contribution('benchmark of github-action-benchmark')
}

export function storedData(text: string, context: ReaderContext): Contribution {
  const json = text.replace(/^\s*window\.BENCHMARK_DATA\s*=/, '').replace(/;\s*$/, '')
  const { entries } = parseDocument(json, storedSchema, 'data of github-action-benchmark', { exact: true })
  const found = new Benchmarks(context)
  for (const [suite, runs] of Object.entries(entries)) {
    const sides: readonly (readonly [Side, number])[] =
      found.side === null
        ? [
            ['old', -2],
            ['new', -1],
          ]
        : [[found.side, -1]]
    for (const [side, place] of sides) {
      const run = runs.at(place)
      const better = run?.tool === 'customBiggerIsBetter' ? 'higher' : null
      for (const one of run?.benches ?? []) add(found, suite, one, better, side)
    }
  }
  return found.contribution('entry of github-action-benchmark')
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
    found.warn(`"${text.slice(0, 40)}" of ${name.slice(0, 100)} is no value`)
    return
  }
  const better = toolUnit(unit)?.better ?? stated ?? 'lower'
  // what is behind the name of a benchmark of Go
  found.in({ cpus: /^(\d+) procs$/m.exec(extra ?? '')?.[1] })
  const summary: Summary = { kind: 'value', value, ...boundsOf(value, range ?? null, known) }
  found.given({ test, name, metric: METRIC, unit: known.unit, better }, summary, side)
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
