import { count, counted } from '../../../text/numbers.ts'
import { Draft, type DraftId, draftKey, type Origin } from '../draft.ts'
import { type Environment, environmentOf, type SaidEnvironment } from '../environment.ts'
import { evenlyRanked, MOST_RANKED } from '../evenly-ranked.ts'
import { parseShifted } from '../fields.ts'
import type { Better, Given, Side } from '../run.ts'
import { betterOfName, type ToolUnit, toolUnit } from '../units.ts'
import { type Contribution, MemberError, NO_SIDE, NOTHING, type ReaderContext } from './format.ts'

/** A benchmark and what was measured of it, as its tool names them. */
export interface Benchmark {
  /** The package, file or suite; the name of the format where the tool has none. */
  readonly test: string
  /** The benchmark as the tool writes it; null: the test as a whole. */
  readonly name: string | null
  readonly metric: string
  /** A base unit, or the tool's where it has none. */
  readonly unit: string | null
  /** Absent: lower; null: nobody knows. */
  readonly better?: Better | null
  /** The same work gives the same number: the note `counted`. */
  readonly isCounted?: boolean
  /** The position in its test, where the tool counts. */
  readonly queryIndex?: number | null
  readonly architecture?: string | null
}

/** The numbers of a tool's summary in base units. */
export type Summary = Pick<Given, 'kind' | 'value'> & Partial<Given>

/**
 * `what`: one of them, as the tool calls it; absent: a run. `why`: behind the words, with its own space. `isCounted`: what they took is in
 * the tool's numbers.
 */
interface FailedRuns {
  readonly failed: number
  readonly of: number | null
  readonly what?: string
  readonly why: string
  readonly isCounted?: boolean
}

/** Characters of a name that are kept. */
const LONGEST_NAME = 1000

/** A share of failures that a warning is enough for, where the tool's numbers hold them. */
const RARE = 0.01
/** A share of failures from which on numbers that hold them say nothing of the others. */
const TOO_MANY = 0.1

/**
 * Whether so many failed that the tool's numbers, which hold them, are no result: an error is answered fast.
 *
 * Triggers: 600 of 1,000 requests. Does not: 20 of 1,000, of which the numbers are kept with the note `run-errors`.
 */
export function areTooMany({ failed, of }: { readonly failed: number; readonly of: number }): boolean {
  return failed > TOO_MANY * of
}

/** How a tool measures. Of a member nothing more is assumed than that one process wrote it, in the order of measurement. */
export interface Manner {
  /** It starts a process for each value. */
  readonly isEachAProcess?: boolean
  /** A process tells each benchmark once: told again, it is of another process, whose output was appended. */
  readonly isToldOnce?: boolean
  /** The values do not stand in the order in which they were measured. */
  readonly isUnordered?: boolean
}

/** `3 of 10 runs failed (exit code 1)`, `1 run failed: boom` */
function failureOf({ failed, of, what = 'run', why }: FailedRuns, shown = ''): string {
  const runs = of === null ? counted(failed, what, `${what}s`) : `${count(failed)} of ${counted(of, what, `${what}s`)}`
  return `${runs}${shown} failed${why}`
}

/** What a reader finds: the measurements of one member, which is of one side unless it says of which each value is. */
export class Benchmarks {
  readonly #context: ReaderContext
  readonly #drafts = new Map<string, Draft>()
  /** How many of each name there are so far, and of the names that stand there more than once how often. */
  readonly #named = new Map<string, number>()
  readonly #repeated = new Map<string, number>()
  readonly #failed = new Map<string, FailedRuns & { readonly shown: string }>()
  /** The side of the member; null: nothing says it. A format with `needsSide` always has one. */
  readonly side: Side | null
  readonly #manner: Manner
  readonly #environments = new Map<string, { readonly number: number; readonly environment: Environment | null }>()
  #here: { readonly number: number; readonly environment: Environment | null } = { number: 0, environment: null }
  #process = 0
  #place = 0
  readonly #toldByProcess = new Set<string>()

  constructor(context: ReaderContext, manner: Manner = {}) {
    this.#context = context
    this.side = context.side ?? context.sideOfName
    this.#manner = manner
  }

  /** What follows was measured by another process of the same program. */
  beginProcess(): void {
    if (this.#drafts.size === 0) return
    this.#process += 1
    this.#toldByProcess.clear()
  }

  /** What follows was measured there. */
  in(said: SaidEnvironment): void {
    const environment = environmentOf(said)
    const key = JSON.stringify(environment)
    const known = this.#environments.get(key)
    this.#here = known ?? { number: this.#environments.size + 1, environment }
    if (known === undefined) this.#environments.set(this.#context.budget.keep(key), this.#here)
  }

  /** One measured value, in base units. Several of the same are repetitions. */
  sample(
    benchmark: Benchmark,
    value: number,
    side: Side = this.#ownSide(),
    origin: Origin = this.#origin(this.#manner.isEachAProcess === true ? undefined : this.#process),
  ): void {
    this.#context.budget.sample()
    this.#draftOf(benchmark)[side].add(value, origin.repetition ?? null, origin)
  }

  /** The places of both sides are of one clock; without places they were measured in turns, as they stand. */
  onOneClock(benchmark: Benchmark): void {
    this.#draftOf(benchmark).clock = true
  }

  /**
   * All values that a tool measured of a benchmark on a side. Of very many those are kept that stand evenly in the order of size,
   * the smallest, the median and the largest among them, in the order of time. `processes`: that of each value.
   */
  samples(
    benchmark: Benchmark,
    values: readonly number[],
    side: Side = this.#ownSide(),
    processes: readonly number[] = [],
  ): void {
    this.#beginWhereToldAgain(benchmark, side)
    for (const at of evenlyRanked(values, MOST_RANKED)) {
      const process = processes[at]
      if (process === undefined) this.sample(benchmark, values[at]!, side)
      else this.sample(benchmark, values[at]!, side, this.#origin(process))
    }
  }

  /** A summary in the place of samples. It decides nothing; several of one benchmark are repetitions. */
  given(benchmark: Benchmark, summary: Summary, side: Side = this.#ownSide()): void {
    this.#beginWhereToldAgain(benchmark, side)
    this.sample(benchmark, summary.value, side)
    const nothing = { lower: null, upper: null, spread: null, repetitions: null }
    this.#draftOf(benchmark).given[side] = { ...nothing, ...summary }
  }

  /**
   * One more benchmark of a member that has each once: what has the name of one before is another benchmark, told apart by the order. `of`: what one
   * benchmark may have beside each other, such as its time and its rate. In another environment it is the same one.
   */
  another<Id extends Pick<Benchmark, 'test' | 'name'>>(id: Id, side: Side | null | undefined = this.side, of = ''): Id {
    const { os, architecture, runtime, compiler } = this.#here.environment ?? {}
    const key = JSON.stringify([id.test, id.name, side, of, os, architecture, runtime, compiler])
    const number = this.#named.get(key) ?? 0
    this.#named.set(key, number + 1)
    return this.numbered(id, number)
  }

  /** What follows may have the names of what was before: it is the same measured again. */
  nextPart(): void {
    this.#named.clear()
  }

  /** The benchmark as the one of its name that has so many before it in the member. */
  numbered<Id extends Pick<Benchmark, 'test' | 'name'>>(id: Id, number: number): Id {
    if (number === 0) return id
    const shown = id.name ?? id.test
    this.#repeated.set(shown, Math.max(number + 1, this.#repeated.get(shown) ?? 0))
    return { ...id, name: `${id.name === null ? '' : `${id.name} `}(no. ${number + 1})` }
  }

  /** The tool ran the benchmark on that side, and it has no value. */
  failed(benchmark: Benchmark, message: string, side: Side = this.#ownSide()): void {
    this.#draftOf(benchmark).problem('run-error', side, message, this.#context.budget)
  }

  /** Says of a benchmark that some of its runs failed, or all. */
  failedRuns(benchmark: Benchmark, of: FailedRuns, side?: Side): void {
    const shown = (benchmark.name ?? benchmark.test).slice(0, 100)
    const key = JSON.stringify([shown, of.of === null, of.what, of.why, of.isCounted])
    const before = this.#failed.get(key)
    const all = of.of === null ? null : of.of + (before?.of ?? 0)
    this.#failed.set(key, { ...of, shown, failed: of.failed + (before?.failed ?? 0), of: all })
    const isRare = of.isCounted === true && of.failed <= RARE * (of.of ?? 0)
    if (!isRare) this.failed(benchmark, failureOf(of), side)
  }

  /** Says that a value could not be read, and goes on. */
  warn(message: string, line: number | null = null): void {
    this.#context.warn('invalid-value', line, `${message}: skipped`)
  }

  get isEmpty(): boolean {
    return this.#drafts.size === 0
  }

  /** Throws `MemberError` where nothing was measured. */
  contribution(what: string, more: Partial<Contribution> = {}): Contribution {
    if (this.#drafts.size === 0) throw new MemberError(`there is no ${what} in it`)
    for (const failed of this.#failed.values()) {
      const counts = failed.isCounted === true ? 'still counted' : 'not counted'
      this.#context.warn('run-error', null, `${failureOf(failed, ` of ${failed.shown}`)}: ${counts}`)
    }
    for (const [name, times] of this.#repeated) {
      const often = times === 2 ? 'twice' : `${times} times`
      const message = `the name ${name.slice(0, 100)} appears ${often}: the benchmarks are told apart by their order`
      this.#context.warn('same-name', null, message)
    }
    for (const draft of this.#drafts.values()) this.#warnWhereApart(draft)
    return { ...NOTHING, ...more, drafts: [...this.#drafts.values()] }
  }

  /** A tool that says the name alone has merged them already. */
  #warnWhereApart({ test, queryName, metric, old, new: fresh }: Draft): void {
    if (metric !== 'time' && metric !== 'throughput' && metric !== 'value') return
    const times = Math.max(timesApart(old.values), timesApart(fresh.values))
    if (times < FAR_APART) return
    const name = (queryName ?? test).slice(0, 100)
    const message = `the values of ${name} are in two groups, ${count(Math.round(times))} times apart: 2 benchmarks with the same name?`
    this.#context.warn('same-name', null, message)
  }

  #origin(process: number | undefined): Origin {
    return { process, place: this.#manner.isUnordered === true ? undefined : this.#place++ }
  }

  #beginWhereToldAgain({ test, name, metric, architecture }: Benchmark, side: Side): void {
    if (this.#manner.isToldOnce !== true) return
    const key = JSON.stringify([test, name, metric, architecture, side])
    if (this.#toldByProcess.has(key)) this.beginProcess()
    this.#toldByProcess.add(key)
  }

  #ownSide(): Side {
    if (this.side === null) throw new MemberError(NO_SIDE)
    return this.side
  }

  #draftOf(benchmark: Benchmark): Draft {
    const { test, name, metric, unit, better = 'lower', queryIndex = null, architecture = null } = benchmark
    const id: DraftId = {
      test: test.slice(0, LONGEST_NAME),
      queryIndex,
      queryName: name === null || name === '' ? null : name.slice(0, LONGEST_NAME),
      metric: metric.slice(0, LONGEST_NAME),
      architecture: architecture === null ? null : architecture.slice(0, LONGEST_NAME),
    }
    const { number, environment } = this.#here
    const key = `${number} ${draftKey(id)}`
    const known = this.#drafts.get(key)
    if (known !== undefined) {
      if (known.unit === unit) return known
      throw new MemberError(`${metric} of ${name ?? test} is in ${known.unit ?? 'no unit'} and in ${unit ?? 'no unit'}`)
    }
    const { budget } = this.#context
    budget.measurement()
    const draft = new Draft(
      { ...id, test: budget.keep(id.test), queryName: id.queryName === null ? null : budget.keep(id.queryName) },
      unit,
      false,
    )
    draft.better = better
    draft.environment = environment
    if (benchmark.isCounted === true) draft.notes.add('counted')
    this.#drafts.set(budget.keep(key), draft)
    return draft
  }
}

/** So far apart are no two groups of values of one benchmark. */
const FAR_APART = 10
/** Of more values the groups are those of rounds in one process. */
const MOST_GROUPED = 1000

/**
 * The widest step between values in the order of size, as a factor, where a third of them and more are on each side of it; 1 where there is none.
 *
 * `[1, 1.1, 400, 410]`: 364. `[1, 1.1, 1.2, 1.1, 400]`: 1, the last one is an outlier.
 */
function timesApart(values: readonly number[]): number {
  if (values.length < 2 || values.length > MOST_GROUPED) return 1
  const sorted = values.toSorted((a, b) => a - b)
  const third = Math.ceil(sorted.length / 3)
  const steps = sorted.flatMap((value, at) => {
    const before = sorted[at - 1] ?? 0
    return at >= third && sorted.length - at >= third && before > 0 ? [value / before] : []
  })
  return Math.max(1, ...steps)
}

/** A value in the base unit of the tool's unit, by its text; null: it is no finite number. */
export function inBaseUnit(text: string, unit: Pick<ToolUnit, 'by' | 'factor'>): number | null {
  const value = parseShifted(text, unit.by)
  return value === null ? null : value * unit.factor
}

/** What a unit alone says of a metric: of an unknown one that it is a number of it. */
export function metricOfUnit(
  text: string,
): Pick<Benchmark, 'metric' | 'unit' | 'better'> & Pick<ToolUnit, 'by' | 'factor'> {
  return (
    toolUnit(text) ?? {
      metric: text === '' ? 'value' : text,
      unit: text === '' ? null : text,
      better: text === '' ? null : betterOfName(text),
      by: 0,
      factor: 1,
    }
  )
}
