import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import type { MeasureEnd, MeasureFile } from '../../intake/measurement/formats/measure-file.ts'
import { count, counted, duration, percent } from '../../text/numbers.ts'
import { GitProblem } from '../bisect-git/git-command.ts'
import { type MeasureResult, type MeasureSettings, measure, type TurnTold } from '../measure/measure.ts'
import { FEWEST_TURNS, isExact } from '../measure/plan.ts'
import { givenTool, PRESETS, type PresetName, type Tool } from '../measure/presets.ts'
import { MeasureProblem, sidesOf } from '../measure/sides.ts'
import { type CommandIO, EXIT_OK, InputError, printJson } from './command.ts'
import { Progress } from './progress.ts'
import { plainText } from './terminal-text.ts'

/** `perf-triage measure`: its progress on the terminal and its exit code. The measuring is in `cli/measure/`. */

type PresetOptions = { readonly [Name in PresetName]?: string | true }

/** The options of `measure-options.ts`, parsed. */
export interface MeasureOptions extends PresetOptions {
  readonly base?: string
  readonly head?: string
  readonly build?: string
  readonly run?: string
  readonly filter?: string
  readonly directory?: string
  readonly output: string
  /** Milliseconds. */
  readonly budget: number
  readonly turnLimit?: number
  readonly buildLimit: number
  /** A fraction. */
  readonly show: number
  readonly aA: boolean
  readonly seed?: number
  readonly json?: boolean
}

/** `perf-triage measure` */
export async function run(options: MeasureOptions, io: CommandIO): Promise<number> {
  return conclude(await measured(options, io), options, io)
}

/**
 * Measures, with its progress on stderr. Throws `InputError` where nothing was measured, or where the turns failed in the end; its cause
 * is a `MeasureProblem` where a build failed.
 */
export async function measured(options: MeasureOptions, io: CommandIO): Promise<MeasureResult> {
  try {
    return orFailed(await measureSides(options, io))
  } catch (error) {
    if (error instanceof MeasureProblem || error instanceof GitProblem)
      throw new InputError(error.message, { cause: error })
    throw error
  }
}

async function measureSides(options: MeasureOptions, io: CommandIO): Promise<MeasureResult> {
  const tool = toolOf(options)
  const where = { folder: resolve(options.directory ?? '.'), env: io.env }
  const [base, head] = await sidesOf({ base: options.base, head: options.head }, tool !== null, where)
  if (base.kind === 'command' && tool !== null) throw new InputError('--base and --head are commands: omit --run')
  const { controller, release } = interruptible()
  const progress = new Told(io)
  const settings: MeasureSettings = {
    base,
    head,
    tool: withBuild(tool ?? givenTool('', null), options),
    results: resolve(options.output),
    budget: options.budget,
    turnLimit: options.turnLimit ?? options.budget,
    buildLimit: options.buildLimit,
    show: options.show,
    copies: options.aA,
    seed: options.seed ?? randomInt(2 ** 32),
    canFilter: (tool?.some ?? null) !== null,
    signal: controller.signal,
  }
  try {
    return await measure(settings, where, progress)
  } finally {
    progress.done()
    release()
  }
}

function toolOf(options: MeasureOptions): Tool | null {
  const names = (Object.keys(PRESETS) as PresetName[]).filter((name) => options[name] !== undefined)
  const [name, second] = names
  if (second !== undefined || (name !== undefined && options.run !== undefined))
    throw new InputError('give one tool: either --run or a tool’s option')
  if (name !== undefined && options.filter !== undefined)
    throw new InputError('--filter is only for --run: this tool’s own filter is known')
  if (options.filter !== undefined && options.run === undefined) throw new InputError('--filter is only for --run')
  if (name === undefined) return options.run === undefined ? null : givenTool(options.run, options.filter ?? null)
  const given = options[name]
  return PRESETS[name].of(given === true || given === undefined ? '' : given)
}

function withBuild(tool: Tool, { build }: MeasureOptions): Tool {
  return build === undefined ? tool : { ...tool, build }
}

/** The first Ctrl-C ends the turn and keeps what there is. */
function interruptible() {
  const controller = new AbortController()
  const stop = () => controller.abort()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  return {
    controller,
    release: () => {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}

const EVERY_MS = 500

/** On a terminal one line that is written over; elsewhere a line a turn. */
class Told {
  readonly #io: CommandIO
  readonly #progress: Progress
  readonly #timer: NodeJS.Timeout
  #doing = ''
  #last = ''
  #done = false

  constructor(io: CommandIO) {
    this.#io = io
    this.#progress = new Progress(io.stderr)
    this.#timer = setInterval(() => this.#show(), EVERY_MS)
  }

  doing = (what: string): void => {
    this.#doing = what
    this.#show()
  }

  turn = (told: TurnTold): void => {
    this.#last = turnWords(told)
    const { failure, warnings } = told
    if (this.#io.stderr.isTTY === true && failure === null && warnings.length === 0) return
    this.#progress.done()
    for (const warning of warnings) this.#io.stderr.write(`warning: turn ${told.turn}: ${plainText(warning)}\n`)
    if (this.#io.stderr.isTTY === true && failure === null) return
    this.#io.stderr.write(`turn ${told.turn}: ${plainText(failure ?? this.#last)}\n`)
  }

  done(): void {
    if (this.#done) return
    this.#done = true
    clearInterval(this.#timer)
    this.#progress.done()
  }

  #show(): void {
    this.#progress.update(() => `${this.#doing}${this.#last === '' ? '' : `; ${this.#last}`}`)
  }
}

function turnWords({ benchmarks, exact, outOfReach, noise, timeLeft }: TurnTold): string {
  const largest = noise === null ? '' : `, noise ${percent(noise)}`
  const given = outOfReach === 0 ? '' : `, ${count(outOfReach)} out of reach`
  const all = counted(benchmarks, 'benchmark', 'benchmarks')
  if (benchmarks === 0) return `about ${duration(timeLeft / 1000)} more`
  return `${count(exact)} of ${all} precise enough${given}${largest}, about ${duration(timeLeft / 1000)} more`
}

type WithoutTurns = 'no-difference' | 'not-built'

function isWithoutTurns(end: MeasureEnd): end is WithoutTurns {
  return end === 'no-difference' || end === 'not-built'
}

const END_WORDS: Readonly<Record<Exclude<MeasureEnd, WithoutTurns>, string>> = {
  precise: 'as precise as requested',
  'out-of-reach': 'more turns would not make it precise enough',
  budget: 'the budget is used up',
  turns: 'no more turns are measured',
  interrupted: 'interrupted',
  failed: 'three turns in a row failed',
}

function orFailed(result: MeasureResult): MeasureResult {
  const { end, why, file } = result
  if (isWithoutTurns(end) || (end !== 'failed' && file.turns.length > 0)) return result
  throw new InputError(`${turnsOf(file)} measured: ${why ?? END_WORDS[end]}`)
}

function conclude(result: MeasureResult, options: MeasureOptions, io: CommandIO): number {
  const { why, file, benchmarks } = result
  if (options.json === true) {
    const { equalBuilds: _, turns: all, ...about } = file
    printJson({ ...about, turns: all.length, benchmarks, folder: options.output, why }, io)
    return EXIT_OK
  }
  const next = file.unmeasured !== null ? [] : [`See what it shows: perf-triage classify ${options.output}`]
  io.stdout.write(`${[...resultLines(result, options), ...next].map(plainText).join('\n')}\n`)
  return EXIT_OK
}

/** How a measurement ended, and how exact it is, in lines for a person. */
export function resultLines(
  { end, file, benchmarks }: MeasureResult,
  { show }: Pick<MeasureOptions, 'show'>,
): readonly string[] {
  if (isWithoutTurns(end)) return [`Nothing to measure: ${file.unmeasured!.message}.`]
  const seconds = (Date.parse(file.endedAt!) - Date.parse(file.turns[0]!.startedAt)) / 1000
  const exact = benchmarks.filter((one) => isExact(one, { show })).length
  const failed = file.failures.length === 0 ? '' : `, ${counted(file.failures.length, 'turn', 'turns')} failed`
  return [
    ...(file.buildsAreEqual ? ['Both builds gave the same files, byte for byte: few turns are enough.'] : []),
    `${turnsOf(file)} in ${duration(seconds)}${failed}: ${END_WORDS[end]}.`,
    ...tooFewTurns(file, end, seconds),
    benchmarks.length === 0
      ? 'The builds have no benchmark in common.'
      : `${count(exact)} of ${counted(benchmarks.length, 'benchmark', 'benchmarks')} are precise enough to show a change as small as ${percent(show)}.`,
  ]
}

/** Later turns may take longer: on a machine that slowed down, a fifth more was one turn short. */
const ROOM = 1.5

function tooFewTurns({ turns, failures }: MeasureFile, end: MeasureEnd, seconds: number): readonly string[] {
  if (end !== 'budget' || turns.length >= FEWEST_TURNS) return []
  const enough = Math.ceil((seconds / (turns.length + failures.length)) * FEWEST_TURNS * ROOM)
  return [`A verdict takes ${FEWEST_TURNS} turns: --budget ${enough}s is about enough for them.`]
}

function turnsOf({ turns }: MeasureFile): string {
  return counted(turns.length, 'turn', 'turns')
}
