import { z } from 'zod'
import { parseShifted } from '../fields.ts'
import type { Side } from '../run.ts'
import { sideOfName } from '../side-of-name.ts'
import { type Benchmark, Benchmarks, type Summary } from './benchmarks.ts'
import { type Contribution, type FilePart, NOTHING, type ReaderContext } from './format.ts'
import { parseDocument } from './json-document.ts'

/** Reads what `criterion.ts` recognises, and is loaded only where there is such a file. */

const MOST_SAMPLES = 100_000
const NANO = -9

const numbers = z.array(z.number().nonnegative()).min(1).max(MOST_SAMPLES)
/** Before criterion 0.3 the two lists have no names. */
const sample = z
  .union([z.object({ iters: numbers, times: numbers }), z.tuple([numbers, numbers])], {
    error: 'no iterations and times',
  })
  .transform((value) => (Array.isArray(value) ? { iters: value[0], times: value[1] } : value))
  .refine(({ iters, times }) => iters.length === times.length, 'as many iterations as times')
const name = z.string().max(10_000)
const identity = z.object({
  group_id: name,
  full_id: name.nullish(),
  function_id: name.nullish(),
  value_str: name.nullish(),
})
const estimate = z.object({
  point_estimate: z.number(),
  confidence_interval: z.object({ lower_bound: z.number(), upper_bound: z.number() }),
})
/** Before criterion 0.4 the names begin with a capital. */
const estimates = z.object({
  mean: estimate.optional(),
  Mean: estimate.optional(),
  slope: estimate.nullish(),
  Slope: estimate.nullish(),
  std_dev: estimate.optional(),
  StdDev: estimate.optional(),
})

/** The name of a benchmark as criterion says it: its group, and the whole. */
type Name = Pick<Benchmark, 'test' | 'name'>

/** What one file says of a benchmark on one of its folders. */
interface Said {
  readonly name?: Name
  /** Seconds an iteration. */
  readonly samples?: readonly number[]
  readonly summary?: Summary
}

class CriterionPart implements FilePart {
  readonly context: ReaderContext
  /** The folder of the benchmark, and in it that of the measurement: `base`, `new` or a saved baseline. */
  readonly folder: string
  readonly baseline: string
  readonly said: Said
  readonly assemble = assembleBenchmarks

  constructor(context: ReaderContext, said: Said) {
    const [, baseline = 'new', ...folders] = context.path.split('/').toReversed()
    this.context = context
    this.folder = folders.toReversed().join('/')
    this.baseline = baseline
    this.said = said
  }

  /** The side of everything that lies with it: of two folders of criterion, one is old and one is new. */
  get outerSide(): Side | null {
    const { side, sideOfRoot } = this.context
    // the folder of a benchmark is no file: its name says nothing
    return side ?? sideOfName(`${this.folder}/`) ?? sideOfRoot
  }
}

/** One of the files of a benchmark, which mean something together. */
export function criterionFile(text: string, context: ReaderContext): Contribution {
  // differences that criterion computed itself, and nothing that was measured
  if (context.path.endsWith('/change/estimates.json')) return NOTHING
  return { ...NOTHING, part: new CriterionPart(context, said(text, context)) }
}

function said(text: string, { fileName, budget }: ReaderContext): Said {
  if (/^\s*\{\s*"group_id"/.test(text)) {
    const data = parseDocument(text, identity, 'benchmark.json of criterion', { exact: false })
    const parts = [data.group_id, data.function_id, data.value_str].filter((part) => part != null)
    return { name: { test: budget.keep(data.group_id), name: budget.keep(data.full_id ?? parts.join('/')) } }
  }
  if (/^\s*\{\s*"[mM]ean"/.test(text) || fileName === 'estimates.json') {
    const data = parseDocument(text, estimates, 'estimates.json of criterion', { exact: false })
    const typical = data.slope ?? data.Slope ?? data.mean ?? data.Mean
    const value = inSeconds(typical?.point_estimate)
    if (typical === undefined || value === null) return {}
    const { lower_bound: lower, upper_bound: upper } = typical.confidence_interval
    const deviation = (data.std_dev ?? data.StdDev)?.point_estimate ?? null
    const spread = deviation === null || value <= 0 ? null : deviation / typical.point_estimate
    return { summary: { kind: 'mean', value, lower: inSeconds(lower), upper: inSeconds(upper), spread } }
  }
  const { iters, times } = parseDocument(text, sample, 'sample.json of criterion', { exact: false })
  // the quotient in nanoseconds is the number that criterion computes with
  const samples = iters.map((count, index) => inSeconds(times[index]! / count)).filter((value) => value !== null)
  return { samples }
}

function inSeconds(nanoseconds: number | undefined): number | null {
  return nanoseconds === undefined ? null : parseShifted(String(nanoseconds), NANO)
}

/** What is known of a benchmark in one of its folders. */
interface Measured extends Said {
  readonly baseline: string
}

function assembleBenchmarks(all: readonly FilePart[]): Contribution {
  const parts = all.filter((part) => part instanceof CriterionPart)
  const { context } = parts[0]!
  const benchmarks = new Benchmarks(context, { isUnordered: true })
  const copies: string[] = []
  const added = new Set<string>()
  for (const ofBenchmark of Map.groupBy(parts, benchmarkKey).values()) {
    const { folder, outerSide } = ofBenchmark[0]!
    const known = ofBenchmark.find(({ said }) => said.name !== undefined)?.said.name ?? nameOfFolder(folder)
    const measured = [...Map.groupBy(ofBenchmark, ({ baseline }) => baseline)].flatMap(
      ([baseline, files]): Measured[] => {
        const one: Measured = Object.assign({ baseline }, ...files.map(({ said }) => said))
        return one.samples === undefined && one.summary === undefined ? [] : [one]
      },
    )
    const sides = outerSide === null ? sidesOf(measured) : { [outerSide]: newest(measured) }
    if (sides.copy !== undefined) copies.push(sides.copy.baseline)
    for (const side of ['old', 'new'] as const) {
      const one = sides[side]
      // an archive beside its own contents has everything twice; another run of the same benchmarks repeats it
      const key = JSON.stringify([known, side, one?.samples ?? one?.summary])
      if (one !== undefined && !added.has(key)) add(benchmarks, known, one, side)
      added.add(key)
    }
    if (sides.unclear !== undefined) {
      const names = sides.unclear.map(({ baseline }) => `${baseline}/`.slice(0, 50)).slice(0, 10)
      benchmarks.warn(`${known.name ?? known.test} has ${names.join(', ')}, and nothing says which one is the old side`)
    }
  }
  if (copies.length > 0) {
    const [baseline] = copies
    const message = `${baseline}/ is a copy of new/ in ${copies.length} benchmarks, which criterion leaves after each run, so it isn’t an old side (keep one with --save-baseline)`
    context.warn('refused-member', null, message)
  }
  return benchmarks.contribution('a criterion benchmark has sample.json but no estimates.json')
}

function benchmarkKey({ context: { side, sideOfRoot }, folder }: CriterionPart): string {
  return JSON.stringify([side, sideOfRoot, folder])
}

function add(benchmarks: Benchmarks, name: Name, { samples, summary }: Measured, side: Side): void {
  const benchmark: Benchmark = { ...name, metric: 'time', unit: 's' }
  if (samples !== undefined) benchmarks.samples(benchmark, samples, side)
  else if (summary !== undefined) benchmarks.given(benchmark, summary, side)
}

/** `sum_values/1000` of `target/criterion/sum_values/1000`: what the files would be called, where none says it. */
function nameOfFolder(folder: string): Name {
  const name = folder.replace(/^(?:.*\/)?criterion\//, '')
  return { test: name.split('/')[0] || 'criterion', name: name || 'criterion' }
}

interface Sides {
  readonly old?: Measured | undefined
  readonly new?: Measured | undefined
  /** A folder that holds what `new` holds. */
  readonly copy?: Measured | undefined
  /** Folders of which nothing says the side. */
  readonly unclear?: readonly Measured[]
}

/** The folder of the last run, of those of one side. */
function newest(measured: readonly Measured[]): Measured | undefined {
  return (
    measured.find(({ baseline }) => baseline === 'new') ??
    measured.find(({ baseline }) => baseline !== 'base') ??
    measured[0]
  )
}

/** `new` is the last run, the saved baseline that it was compared with the old one; `base` where nobody saved one. */
function sidesOf(measured: readonly Measured[]): Sides {
  const fresh =
    measured.find(({ baseline }) => baseline === 'new') ??
    measured.find(({ baseline }) => sideOfName(baseline) === 'new')
  const others = measured.filter((one) => one !== fresh)
  if (measured.length === 0) return {}
  if (fresh === undefined)
    return others.length === 1 ? { [others[0]!.baseline === 'base' ? 'old' : 'new']: others[0] } : { unclear: others }
  const copy = others.find((one) => isCopy(one, fresh))
  const different = others.filter((one) => !isCopy(one, fresh))
  const saved = different.filter(({ baseline }) => baseline !== 'base')
  const candidates = saved.length > 0 ? saved : different
  const [old = candidates[0], ...more] =
    candidates.length > 1 ? candidates.filter(({ baseline }) => TRUNK.test(baseline)) : candidates
  if (candidates.length > 1 && (old === undefined || more.length > 0 || !TRUNK.test(old.baseline))) {
    return { new: fresh, unclear: candidates }
  }
  return { old, new: fresh, copy: candidates.length === 0 ? copy : undefined }
}

const TRUNK = /^(?:main|master|trunk|develop|old|before|baseline|reference)$/i

function isCopy({ samples, summary }: Measured, { samples: others, summary: other }: Measured): boolean {
  if (samples === undefined || others === undefined) return JSON.stringify(summary) === JSON.stringify(other)
  return samples.length === others.length && samples.every((value, index) => value === others[index])
}
