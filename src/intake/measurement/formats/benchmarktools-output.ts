import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import { type Benchmark, Benchmarks } from './benchmarks.ts'
import type { Contribution, ReaderContext } from './format.ts'
import { decimal, parseDocument } from './json-document.ts'
import { saidText } from './said-environment.ts'

/** Reads what `benchmarktools.ts` recognises, and is loaded only where there is such a file. */

const NANO = -9

/** A value of Julia is its type, which before version 1.6 has the name of the package before it, and its fields. */
const typed = z.tuple([z.string().max(200), z.record(z.string(), z.unknown())])
const schema = z.tuple([z.looseObject({ Julia: saidText }), z.array(typed).max(50_000)])

const group = z.object({ data: z.record(z.string().max(10_000), z.unknown()) })
const trial = z.object({ times: z.array(decimal).max(2_000_000), memory: decimal.nullish(), allocs: decimal.nullish() })
const estimate = z.object({ time: decimal, memory: decimal.nullish(), allocs: decimal.nullish() })

export function benchmarktoolsOutput(document: string, context: ReaderContext): Contribution {
  const [{ Julia: version }, values] = parseDocument(document, schema, 'file of BenchmarkTools.save', { exact: true })
  // groups have no order, and trials are sorted
  const benchmarks = new Benchmarks(context, { isUnordered: true })
  benchmarks.in({ runtime: version ? `Julia ${version}` : null })
  for (const value of values) add(benchmarks, [], value)
  return benchmarks.contribution('trial of BenchmarkTools')
}

/** Groups are inside each other as deep as a document may be. */
function add(benchmarks: Benchmarks, path: readonly string[], value: unknown): void {
  const { data: known } = typed.safeParse(value)
  if (known === undefined) return
  const [type, fields] = known
  const kind = type.slice(type.lastIndexOf('.') + 1)
  if (kind === 'BenchmarkGroup') {
    const { data } = group.safeParse(fields)
    for (const [key, inside] of Object.entries(data?.data ?? {})) add(benchmarks, [...path, key], inside)
    return
  }
  const id = idOf(path)
  if (kind === 'Trial') {
    const { data } = trial.safeParse(fields)
    if (data === undefined) benchmarks.warn(`the trial ${path.join(' / ').slice(0, 200)} has no times`)
    else {
      benchmarks.samples(
        { ...id, metric: 'time', unit: 's' },
        data.times.flatMap((time) => parseShifted(time, NANO) ?? []),
      )
      allocated(benchmarks, id, data)
    }
  } else if (kind === 'TrialEstimate') {
    const { data } = estimate.safeParse(fields)
    const time = parseShifted(data?.time ?? '', NANO)
    if (data === undefined || time === null)
      benchmarks.warn(`the estimate ${path.join(' / ').slice(0, 200)} has no time`)
    else {
      benchmarks.given({ ...id, metric: 'time', unit: 's' }, { kind: 'value', value: time })
      allocated(benchmarks, id, data)
    }
  }
}

type Id = Pick<Benchmark, 'test' | 'name'>

/** The outermost group is the test, where there are groups in each other. */
function idOf(path: readonly string[]): Id {
  const [first = '', ...rest] = path
  return rest.length > 0 ? { test: first, name: rest.join(' / ') } : { test: 'benchmarktools', name: first || null }
}

function allocated(
  benchmarks: Benchmarks,
  id: Id,
  { memory, allocs }: { readonly memory?: string | null | undefined; readonly allocs?: string | null | undefined },
): void {
  for (const [metric, unit, text] of [
    ['bytes', 'bytes', memory],
    ['allocations', '1', allocs],
  ] as const) {
    const value = parseShifted(text ?? '', 0)
    if (value !== null) benchmarks.given({ ...id, metric, unit, isCounted: true }, { kind: 'value', value })
  }
}
