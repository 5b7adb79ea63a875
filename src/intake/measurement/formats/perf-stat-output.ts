import { z } from 'zod'
import { counted } from '../../../text/numbers.ts'
import { COUNTER_RATIOS, ratioOf } from '../counter-ratios.ts'
import { Draft, type DraftId, draftKey } from '../draft.ts'
import { parseShifted } from '../fields.ts'
import type { Side } from '../run.ts'
import { type Contribution, MemberError, NOTHING, type ReaderContext } from './format.ts'
import { withoutColours } from './output-lines.ts'
import { CSV_LINE, HEADER, INTERVALS_HEADER, JSON_LINE, PLACE, TIME_LINE } from './perf-stat-lines.ts'

/** `perf list` has some thousand events. */
const MOST_VALUES = 10_000

/** The name of a program that the file does not say. */
const UNNAMED = 'program'
/** Counters without a value that are named in a warning. */
const NAMED = 20
/** Characters of the name of a program or counter that are kept. */
const LONGEST_NAME = 200
/** A counter that was on for at least so many percent of the time counted all of it. */
const FULL = 99.99

const GROUPS = String.raw`\d{1,3}(?:[.,'\u00a0\u202f ]\d{3})+|\d+`
/** `1,761,248,425      cycles:u`, `896.48 msec task-clock:u`: the part before the comment and the brackets. */
const COUNTER = new RegExp(
  String.raw`^\s*((?:${GROUPS})(?:[.,]\d+)?)\s+(?:([A-Za-z/]+)\s+)?([A-Za-z_]\S*)\s*(?:\((msec)\)\s*)?$`,
)
const NOT_COUNTED = /^\s*<not (counted|supported)>\s+(?:[A-Za-z/]+\s+)?([A-Za-z_]\S*)/
const ELAPSED = /^\s*([\d.,]+)\s+(?:\+-\s+[\d.,]+\s+)?seconds (time elapsed|user|sys)\b/
const SPREAD = /\(\s*\+-\s*([\d.,]+)\s*%\s*\)/
const RUNNING = /\(\s*([\d.,]+)\s*%\s*\)\s*$/
/** `$ time php insert.php 8170`: the line of a shell before what it printed. */
const PROMPT = /^\s*[$#%>]\s+(?:\\?time(?:\s+-p)?)\s+(\S.*)$/

/** What GNU time says of a program that failed, perf of one that a signal ended, and a shell of either, before the numbers. */
const FAILURES: readonly RegExp[] = [
  /^Command (?:exited with non-zero status \d+|terminated by signal \d+)\s*$/,
  /(?:^|: |\s)(?:Segmentation fault|Aborted|Killed|Terminated|Bus error|Illegal instruction|Floating point exception)(?: +\(core dumped\).*)?\s*$/,
]
/** `bash: line 1: ./sort: command not found` */
const COMPLAINT =
  /^(?:\S*sh|\S+: line \d+): .*: (?:command not found|No such file or directory|Permission denied|cannot execute binary file.*)\s*$/

function isFailure(line: string): boolean {
  const text = line.slice(0, LONGEST_NAME)
  return FAILURES.some((pattern) => pattern.test(text)) || COMPLAINT.test(text)
}

/** A shell complains of many files; of the program that was measured it gives the name. */
function isOfAnother(failure: string, program: string): boolean {
  const [name = ''] = program.split(' ')
  return COMPLAINT.test(failure) && program !== UNNAMED && !failure.includes(name)
}

/** The end of an event that was counted in user space only: `cycles:u`, `cycles:upp`, `cpu_core/cycles:u/`, `cpu_core/cycles/u`. */
const USER_SPACE = /(?::u(?:p{0,3}|P)(?=\/?$))|(?<=\/)u$/

/** `     0.057035911 `: the end of an interval, before a counter. */
const INTERVAL = /^\s*(\d+[.,]\d+)\s+(?=\S)/
/** `CPU0   `, `S0-D0-C0     1   `: the place of a part, before a counter. */
const AT_PLACE = new RegExp(String.raw`^\s*(${PLACE})\s+(?:\d+\s+(?=[\d<]))?`)
/** `          0.020206 (-0.000974) #`: a run of `-r --table`. */
const TABLE_ROW = /^\s*(\d+[.,]\d+)\s+\([+-]\d+[.,]\d+\)\s*#/

const ELAPSED_METRICS: Readonly<Record<string, string>> = { 'time elapsed': 'real', user: 'user', sys: 'sys' }

/** How far the decimal point of a unit is from that of a second. */
const TIMES: Readonly<Record<string, number>> = {
  seconds: 0,
  s: 0,
  msec: -3,
  ms: -3,
  usec: -6,
  us: -6,
  nsec: -9,
  ns: -9,
}

const jsonLine = z.object({
  'counter-value': z.union([z.string(), z.number()]),
  unit: z.string().default(''),
  event: z.string().min(1),
  'pcnt-running': z.number().exactOptional(),
  variance: z.number().exactOptional(),
  // with one of them it is a part of the whole: of an interval (-I), of a CPU (-A) or the like
  interval: z.union([z.number(), z.literal('summary')]).exactOptional(),
  cpu: z.string().exactOptional(),
  core: z.string().exactOptional(),
  cluster: z.string().exactOptional(),
  die: z.string().exactOptional(),
  socket: z.string().exactOptional(),
  node: z.string().exactOptional(),
  // of a thread there is no whole
  thread: z.undefined().optional(),
})

/** Where in the whole of a run a value is from: the end of its interval in seconds, its CPU, core or node. */
interface Part {
  readonly time: number | null
  readonly place: string | null
}

/** The sum of the parts of a counter; null: none has a value. */
interface Sum {
  counted: Counted
  value: number | null
  running: number
  why: string
}

/** One value as it stands in any of the forms. */
interface Counted {
  readonly value: string
  readonly unit: string
  readonly event: string
  /** Percentages as texts; null: not said. */
  readonly spread: string | null
  readonly running: string | null
}

/** The values of one execution, or of the runs of one `-r`, by their metric. */
interface Block {
  readonly program: string
  readonly runs: number | null
  /** What was printed of its failure; null: nothing. */
  readonly failure: string | null
  readonly values: Map<string, { readonly value: number; readonly isMean: boolean }>
  /** In the text form the elapsed time comes last. */
  readonly hasEnd: boolean
  /** What was counted in intervals or on CPUs, by event: it is added up. */
  readonly sums: Map<string, Sum>
  readonly parts: Set<string>
  /** The end of the last interval, in seconds. */
  time: number
  /** The elapsed time of each run of `-r --table`. */
  readonly runTimes: number[]
}

export class PerfStatOutput {
  readonly #context: ReaderContext
  readonly #side: Side
  readonly #drafts = new Map<string, Draft>()
  #block: Block | null = null
  /** The command of the prompt that was seen last. */
  #prompted: string | null = null
  /** The failure that was printed last, of the numbers that follow. */
  #failure: string | null = null
  /** How often each program failed, and how. */
  readonly #failed = new Map<string, number>()
  #count = 0
  /** Counters without a value, by why: `supported`, `counted`. */
  readonly #without = new Map<string, Set<string>>()
  #isEnded = false

  constructor(context: ReaderContext) {
    this.#context = context
    this.#side = (context.side ?? context.sideOfName)!
  }

  read(text: string): Contribution {
    const lines = withoutColours(text).split('\n')
    // the last one is empty where the file ends in an end of line
    this.#isEnded = lines.at(-1) === ''
    if (JSON_LINE.test(text)) this.#jsonLines(lines)
    else if (CSV_LINE.test(text) && !HEADER.test(text)) this.#csvLines(lines)
    else for (const [index, line] of lines.entries()) this.#textLine(line, index + 1)
    // `sys 0` of `sys 0.24` is a time, too; `sys 0m0.24s` is whole
    const last = lines.at(-1)!
    if (!last.trimEnd().endsWith('s') && TIME_LINE.test(last))
      throw new MemberError('its last line has no newline, so it was cut off')
    this.#close()
    for (const [failure, times] of this.#failed) {
      this.#context.warn('run-error', null, `${counted(times, 'run', 'runs')} of ${failure}: not counted`)
    }
    for (const [why, names] of this.#without) {
      this.#context.warn(
        'invalid-value',
        null,
        `not ${why}, so they have no value: ${[...names].slice(0, NAMED).join(', ')}`,
      )
    }
    if (this.#drafts.size === 0) throw new MemberError('it has neither a counter of perf stat nor a time')
    const programs = [...new Set([...this.#drafts.values()].map(({ test }) => test))].filter((name) => name !== UNNAMED)
    const label = programs.length === 1 ? ({ side: this.#side, kind: 'program', text: programs[0]! } as const) : null
    return { ...NOTHING, drafts: [...this.#drafts.values()], ...(label !== null && { label }) }
  }

  #textLine(line: string, number: number): void {
    const header = HEADER.exec(line)
    if (header !== null) {
      // a summary stands below the intervals that it is of
      if (this.#block?.hasEnd === false && this.#block.sums.size > 0) this.#block = null
      this.#close()
      this.#open(header[1]!.replace(/^'(.*)'$/, '$1'), header[2] === undefined ? null : Number(header[2]), true)
      return
    }
    if (INTERVALS_HEADER.test(line)) {
      // it is repeated every few intervals
      if (this.#block?.hasEnd !== false) {
        this.#close()
        this.#open(UNNAMED, null, false)
      }
      return
    }
    this.#prompted = PROMPT.exec(line)?.[1]?.trim() ?? this.#prompted
    const time = TIME_LINE.exec(line)
    // what stands above other lines was said of another program
    if (isFailure(line)) this.#failure = line.trim()
    else if (time === null && line.trim() !== '') this.#failure = null
    const run = TABLE_ROW.exec(line)
    if (time !== null) this.#time(time)
    else if (run !== null) this.#block?.runTimes.push(parseShifted(run[1]!.replace(',', '.'), 0)!)
    else if (this.#block?.hasEnd === true) this.#partLine(line, number, null)
    else if (this.#block !== null) {
      const [before, seconds] = INTERVAL.exec(line) ?? []
      if (before !== undefined) this.#partLine(line.slice(before.length), number, Number(seconds!.replace(',', '.')))
    }
  }

  #partLine(line: string, number: number, time: number | null): void {
    const [before = '', place = null] = AT_PLACE.exec(line) ?? []
    this.#counterLine(line.slice(before.length), number, { time, place })
  }

  #counterLine(line: string, number: number, part: Part): void {
    const spread = SPREAD.exec(line)?.[1] ?? null
    const rest = line.replace(SPREAD, '')
    const running = RUNNING.exec(rest)?.[1] ?? null
    const elapsed = ELAPSED.exec(line)
    const lost = NOT_COUNTED.exec(line)
    const counter = COUNTER.exec(rest.replace(RUNNING, '').replace(/#.*$/, ''))
    if (elapsed !== null) {
      const event = ELAPSED_METRICS[elapsed[2]!]!
      this.#add({ value: elapsed[1]!, unit: 'seconds', event, spread, running: null }, number)
    } else if (lost !== null) {
      this.#addPart({ value: '', unit: '', event: lost[2]!, spread, running, lost: lost[1]! }, number, part)
    } else if (counter !== null) {
      const [, value = '', unit = '', event = '', msec = ''] = counter
      this.#addPart({ value, unit: unit || msec, event, spread, running }, number, part)
    }
  }

  #time([, name, minutes, seconds]: RegExpExecArray): void {
    if (this.#block === null || this.#block.hasEnd || this.#block.values.has(name!)) {
      this.#close()
      this.#open(this.#prompted ?? UNNAMED, null, false)
    }
    const value = Number(minutes ?? 0) * 60 + parseShifted(seconds!.replace(',', '.'), 0)!
    this.#put(name!, { unit: 's', value: rounded(value), isMean: false, spread: null })
  }

  #csvLines(lines: readonly string[]): void {
    // a line is whole where something comes behind its last field that is read; without it a sum over intervals would be wrong
    const read = CSV_LINE.exec(lines.at(-1)!)?.[0] ?? ''
    if (!this.#isEnded && !/^[,;|\t]/.test(lines.at(-1)!.slice(read.length))) {
      throw new MemberError('its last line has no newline, so it was cut off')
    }
    this.#open(UNNAMED, null, false)
    for (const [index, line] of lines.entries()) {
      // lines that begin with an empty field go on with the derived metrics of the one before
      if (line.trim() === '' || /^[#,;|\t]/.test(line)) continue
      const found = CSV_LINE.exec(line)
      if (found === null) throw new MemberError(`line ${index + 1} is not a counter of perf stat -x`)
      const { time, place = null, value = '', unit = '', event = '', spread = null, running } = found.groups!
      // the sum of the intervals above it
      if (time === 'summary') continue
      const part = { time: time === undefined ? null : Number(time), place }
      this.#addPart({ value, unit, event, spread, running: running || null, ...lostOf(value) }, index + 1, part)
    }
  }

  #jsonLines(lines: readonly string[]): void {
    this.#open(UNNAMED, null, false)
    for (const [index, line] of lines.entries()) {
      // without a counter it is a derived metric, which goes on with the line before
      if (line.trim() === '' || line.startsWith('#') || !line.includes('"counter-value"')) continue
      const { data, error } = jsonLine.safeParse(parseJson(line, index + 1))
      if (data === undefined) {
        const { path, message } = error.issues[0]!
        throw new MemberError(
          `line ${index + 1} is not a counter of perf stat -j: ${path.join('.') || 'the document'}: ${message}`,
        )
      }
      const { event, unit, 'counter-value': counted, 'pcnt-running': running, variance, interval } = data
      if (interval === 'summary') continue
      const value = String(counted)
      const percents = { spread: variance?.toString() ?? null, running: running?.toString() ?? null }
      const place = data.cpu ?? data.core ?? data.cluster ?? data.die ?? data.socket ?? data.node ?? null
      this.#addPart({ value, unit, event, ...percents, ...lostOf(value) }, index + 1, { time: interval ?? null, place })
    }
  }

  #open(program: string, runs: number | null, hasEnd: boolean): void {
    const said = this.#failure?.slice(0, LONGEST_NAME) ?? null
    const failure = said === null || isOfAnother(said, program) ? null : said
    this.#failure = null
    const shown = `${program.slice(0, LONGEST_NAME)} failed (${failure})`
    if (failure !== null) this.#failed.set(shown, (this.#failed.get(shown) ?? 0) + (runs ?? 1))
    this.#block = {
      program: this.#context.budget.keep(program.slice(0, LONGEST_NAME)),
      runs,
      failure,
      values: new Map(),
      hasEnd,
      sums: new Map(),
      parts: new Set(),
      time: 0,
      runTimes: [],
    }
  }

  /** Adds a value of the whole, or up to that of its other parts. */
  #addPart(counted: Counted & { readonly lost?: string }, number: number, { time, place }: Part): void {
    const { event, lost, running } = counted
    if (time === null && place === null) {
      // a summary of intervals that stand above it
      if (this.#block!.time > 0) return
      if (lost === undefined) this.#add(counted, number)
      else this.#lost(event, lost)
      return
    }
    if (time !== null && time < this.#block!.time) {
      // another output was appended
      this.#close()
      this.#open(UNNAMED, null, false)
    }
    const block = this.#block!
    block.time = Math.max(block.time, time ?? 0)
    const key = `${time} ${place} ${event}`
    if (block.parts.has(key)) {
      this.#context.warn(
        'duplicate-sample',
        number,
        `${event.slice(0, LONGEST_NAME)} appears twice: the first one counts`,
      )
      return
    }
    block.parts.add(key)
    const sum = block.sums.get(event) ?? { counted, value: null, running: FULL, why: lost ?? '' }
    block.sums.set(event, sum)
    if (lost !== undefined) return
    sum.counted = { ...counted, spread: null }
    sum.value = rounded((sum.value ?? 0) + this.#valueOf(counted, number).value)
    if (running !== null) sum.running = Math.min(sum.running, Number(running.replace(',', '.')))
    if (block.sums.size > MOST_VALUES)
      throw new MemberError(`it has more than ${MOST_VALUES.toLocaleString('en')} values`)
  }

  /** The value in its base unit. */
  #valueOf({ value: text, unit, event }: Counted, number: number): { readonly value: number; readonly unit: string } {
    // perf before 5.x gives no unit in its CSV for what it counts in ms
    const shift = TIMES[unit === '' && /^(?:task|cpu)-clock/.test(event) ? 'msec' : unit]
    const value = parseShifted(plainNumber(text, shift !== undefined || unit !== ''), shift ?? 0)
    if (value === null || value < 0)
      throw new MemberError(`line ${number}: "${text.slice(0, 40)}" is not a value of a counter`)
    return { value, unit: shift === undefined ? unit || '1' : 's' }
  }

  #add(counted: Counted, number: number): void {
    const { spread, running } = counted
    const isMean = spread !== null || this.#block!.runs !== null
    const percents = { isMean, spread: spread === null ? null : parseShifted(spread.replace(',', '.'), -2) }
    const part = running === null ? 100 : Number(running.replace(',', '.'))
    this.#counter(counted.event, { ...this.#valueOf(counted, number), ...percents }, part, number)
  }

  #counter(event: string, value: Value, running: number, number: number): void {
    const name = event.slice(0, LONGEST_NAME)
    const metric = name.replace(USER_SPACE, '')
    const draft = this.#put(metric, value)
    if (draft === null) {
      this.#context.warn('duplicate-sample', number, `${metric} appears twice: the first one counts`)
      return
    }
    if (metric !== name) draft.notes.add('user-space-only')
    if (running > 0 && running < FULL) draft.notes.add('multiplexed')
  }

  #lost(event: string, why: string): void {
    const names = this.#without.get(why) ?? new Set()
    names.add(event.slice(0, LONGEST_NAME))
    this.#without.set(why, names)
  }

  /** null: the block has that metric already. */
  #put(metric: string, { unit, value, isMean, spread }: Value): Draft | null {
    const { program, runs, values, failure } = this.#block!
    if (values.has(metric)) return null
    this.#count += 1
    if (this.#count > MOST_VALUES) throw new MemberError(`it has more than ${MOST_VALUES.toLocaleString('en')} values`)
    values.set(metric, { value, isMean })
    const id = { test: program, queryIndex: null, queryName: null, metric, architecture: null }
    const draft = this.#draftOf(id, unit)
    const { budget } = this.#context
    if (failure !== null) {
      draft.problem('run-error', this.#side, failure, budget)
      return draft
    }
    const each = metric === 'real' && this.#block!.runTimes.length > 0 ? this.#block!.runTimes : [value]
    for (const one of each) {
      budget.sample()
      draft[this.#side].add(one, null)
    }
    if (each.length > 1) return draft
    const bound = spread === null ? null : spread * value
    if (isMean) {
      const [lower, upper] = bound === null ? [null, null] : [value - bound, value + bound]
      draft.given[this.#side] = { kind: 'mean', value, lower, upper, spread, repetitions: runs }
    }
    return draft
  }

  #draftOf(id: DraftId, unit: string): Draft {
    const { budget } = this.#context
    const key = draftKey(id)
    const known = this.#drafts.get(key)
    if (known !== undefined) {
      if (known.unit !== unit) throw new MemberError(`${id.metric} is in ${known.unit} and in ${unit}`)
      return known
    }
    budget.measurement()
    const draft = new Draft({ ...id, metric: budget.keep(id.metric) }, unit, false)
    const better = COUNTER_RATIOS.find(({ metric }) => metric === id.metric)?.better
    if (better !== undefined) draft.better = better
    this.#drafts.set(key, draft)
    return draft
  }

  /** Adds what follows from the values of a block that is whole. */
  #close(): void {
    if (this.#block === null) return
    const { values, hasEnd, sums, time } = this.#block
    for (const [event, { counted, value, running, why }] of sums) {
      if (value === null) this.#lost(event, why)
      else
        this.#counter(
          event,
          { unit: this.#valueOf({ ...counted, value: '0' }, 0).unit, value, isMean: false, spread: null },
          running,
          0,
        )
    }
    if (time > 0 && values.size > 0) this.#put('real', { unit: 's', value: time, isMean: false, spread: null })
    if (hasEnd && !values.has('real')) {
      if (!this.#isEnded)
        throw new MemberError('neither the last line nor the output of perf stat is complete: it was cut off')
      this.#context.warn('invalid-value', null, 'the output of perf stat ends before its elapsed time')
    }
    const isTime = !hasEnd && sums.size === 0 && TIME_METRICS.some((metric) => values.has(metric))
    if (isTime && !TIME_METRICS.every((metric) => values.has(metric))) {
      throw new MemberError('real, user or sys is missing, so it was cut off')
    }
    for (const { metric, of, compute } of DERIVED) {
      const [first, second] = [values.get(of[0]), values.get(of[1])]
      if (first === undefined || second === undefined) continue
      const value = compute(first.value, second.value)
      const isMean = first.isMean || second.isMean
      const unit = metric === 'cpu-time' ? 's' : '1'
      if (value !== null && Number.isFinite(value)) this.#put(metric, { unit, value, isMean, spread: null })
    }
    this.#block = null
  }
}

interface Value {
  readonly unit: string
  readonly value: number
  readonly isMean: boolean
  readonly spread: number | null
}

interface Derived {
  readonly metric: string
  readonly of: readonly [string, string]
  readonly compute: (first: number, second: number) => number | null
}

const TIME_METRICS = ['real', 'user', 'sys']

/** What two counters say together, where both are there. */
const DERIVED: readonly Derived[] = [
  ...COUNTER_RATIOS.flatMap(({ metric, part, whole }) =>
    part.flatMap((first) => whole.map((second): Derived => ({ metric, of: [first, second], compute: ratioOf }))),
  ),
  { metric: 'cpu-time', of: ['user', 'sys'], compute: (user, sys) => rounded(user + sys) },
  // several threads may be on more than one CPU: nothing says then how long they waited
  {
    metric: 'waiting-share',
    of: ['real', 'cpu-time'],
    compute: (real, cpu) => (real > 0 && cpu <= real ? 1 - cpu / real : null),
  },
]

/** A sum of times in s without the noise of adding them. */
function rounded(value: number): number {
  return Number(value.toFixed(9))
}

/** `1,761,248,425` and `1.761.248.425` are counts; of `1,896.48` and `896,48`, which have a unit, the last mark is the point. */
function plainNumber(text: string, hasUnit: boolean): string {
  if (!hasUnit && new RegExp(`^(?:${GROUPS})$`).test(text)) return text.replace(/[.,'\u00a0\u202f ]/g, '')
  const point = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  if (point === -1) return text.replace(/['\u00a0\u202f ]/g, '')
  return `${text.slice(0, point).replace(/[.,'\u00a0\u202f ]/g, '')}.${text.slice(point + 1)}`
}

/** Why a counter has no value: `supported`, `counted`. */
function lostOf(value: string): { readonly lost?: string } {
  const [, lost] = /^<not (\w+)>/.exec(value) ?? []
  return lost === undefined ? {} : { lost }
}

function parseJson(line: string, number: number): unknown {
  try {
    // perf before 6.9 leaves a comma at the end where a counter has no metric
    return JSON.parse(line.replace(/,\s*\}\s*$/, '}')) as unknown
  } catch {
    throw new MemberError(`line ${number} is not JSON: it was cut off, or is something else`)
  }
}
