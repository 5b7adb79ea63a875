import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VERSION } from '../../config/version.ts'
import { readSides } from '../../intake/archive/read-run.ts'
import type { Build, MeasureEnd, MeasureFile } from '../../intake/measurement/formats/measure-file.ts'
import { EQUAL_BUILDS_FOLDER } from '../../intake/measurement/interest.ts'
import { isJson } from '../../intake/measurement/is-json.ts'
import type { Unmeasured } from '../../intake/measurement/measured-turns.ts'
import type { Measurement, ReadWarning, RunContents } from '../../intake/measurement/run.ts'
import { SourceError } from '../../intake/measurement/source.ts'
import { isoTime } from '../../text/time.ts'
import { load, machineHere } from './machine.ts'
import {
  type BenchmarkSoFar,
  isExact,
  type Measured,
  nextStep,
  openBenchmarks,
  type PlanSettings,
  timeLeft,
} from './plan.ts'
import { BUILT_LIST, commandOf, type Tool } from './presets.ts'
import { type CommandResult, runCommand } from './run-command.ts'
import {
  changedPaths,
  type FailedBuild,
  MeasureProblem,
  makePlaces,
  noDifference,
  type Places,
  type Side,
  type Where,
} from './sides.ts'
import { benchmarksIn, equalBuildsIn, seriesOf, type TurnOutputs } from './turn-values.ts'

/**
 * Measures base and head in turns, a fresh process each, and keeps what their tool prints in one folder. What comes next is decided in
 * `plan.ts`; here are processes, files and the clock.
 */

export interface MeasureSettings extends Omit<PlanSettings, 'areEqual'> {
  readonly base: Side
  readonly head: Side
  readonly tool: Tool
  /** A folder that is not there yet, or is empty. */
  readonly results: string
  /** Milliseconds that one process may take, and a build. */
  readonly turnLimit: number
  readonly buildLimit: number
  readonly signal: AbortSignal
}

/** Told while it works. */
export interface MeasureEvents {
  /** `build the base`, `turn 3: head`. */
  readonly doing: (what: string) => void
  /** A turn has ended, well or not. */
  readonly turn: (turn: TurnTold) => void
}

export interface TurnTold {
  readonly turn: number
  /** Why it failed; null: it did not. */
  readonly failure: string | null
  /** Parts of its outputs that could not be read; each is named once in all turns. */
  readonly warnings: readonly string[]
  readonly benchmarks: number
  /** Benchmarks that are exact enough, and those that can't become so. */
  readonly exact: number
  readonly outOfReach: number
  /** The largest noise of those that are measured on; null: nobody can say yet. */
  readonly noise: number | null
  /** Milliseconds. */
  readonly timeLeft: number
}

export interface MeasureResult {
  readonly end: MeasureEnd
  /** The words for why there was nothing to measure, or what failed last. */
  readonly why: string | null
  readonly file: MeasureFile
  readonly benchmarks: readonly BenchmarkSoFar[]
}

const BUILD_WORDS: Readonly<Record<Build, string>> = {
  base: 'the base',
  head: 'the head',
  copy: 'the copy of the base',
}

/** Folders in the results. The copy of the base has no side: readers pass over it. */
const FOLDERS: Readonly<Record<Build, string>> = { base: 'old', head: 'new', copy: EQUAL_BUILDS_FOLDER }

/** Throws `MeasureProblem` where nothing could be measured: a build fails, or the sides can't be checked out. */
export async function measure(settings: MeasureSettings, where: Where, events: MeasureEvents): Promise<MeasureResult> {
  const { base, head, results } = settings
  await mustBeEmpty(results)
  const file = await startedFile(settings, where)
  const none = await noDifference(base, head, where)
  if (none !== null) return await withoutTurns(results, file, 'no-difference', none)
  const places = await makePlaces(base, head, where)
  try {
    const failed = await buildAll(places, settings, where, events)
    if (failed !== null) {
      await withoutTurns(results, file, 'not-built', failed.unmeasured)
      throw new MeasureProblem(failed.unmeasured.message, failed)
    }
    const buildsAreEqual = await areEqual(places, settings, where)
    // the head is a copy of the base already
    const copies = settings.copies && !buildsAreEqual
    if (copies) await places.makeCopy()
    const planned = { ...settings, copies, areEqual: buildsAreEqual }
    const begun = { ...file, buildsAreEqual, settings: { ...file.settings, copies } }
    return await new Measuring(planned, places, where, events, begun).run()
  } finally {
    await places.remove()
  }
}

async function withoutTurns(
  results: string,
  file: MeasureFile,
  end: MeasureEnd,
  unmeasured: Unmeasured,
): Promise<MeasureResult> {
  const ended: MeasureFile = { ...file, end, unmeasured, endedAt: isoTime(Date.now()) }
  await write(results, ended)
  return { end, why: unmeasured.message, file: ended, benchmarks: [] }
}

async function mustBeEmpty(results: string): Promise<void> {
  const names = await readdir(results).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new MeasureProblem(`${results} can’t be written to: ${error.message}`)
  })
  if (names.length > 0) throw new MeasureProblem(`${results} is not empty: give another folder, or remove it`)
  await mkdir(results, { recursive: true })
}

async function startedFile(settings: MeasureSettings, where: Where): Promise<MeasureFile> {
  const { base, head, tool, seed, budget, turnLimit, show, copies } = settings
  const of = (side: Side) => ({
    given: side.given,
    commit: side.kind === 'commit' ? side.commit : null,
    build: tool.build,
    run: runOf(side, tool),
  })
  return {
    schemaVersion: 1,
    document: 'perf-triage measure',
    version: VERSION,
    base: of(base),
    head: of(head),
    seed,
    startedAt: isoTime(Date.now()),
    endedAt: null,
    end: null,
    unmeasured: null,
    buildsAreEqual: false,
    settings: {
      budgetSeconds: budget / 1000,
      turnLimitSeconds: turnLimit / 1000,
      show,
      filter: tool.template,
      copies,
    },
    environment: await machineHere(tool.version, where),
    turns: [],
    failures: [],
    equalBuilds: [],
  }
}

function runOf(side: Side, tool: Tool): string {
  return side.kind === 'command' ? side.given : tool.run
}

const SIDES = ['base', 'head'] as const
const NOT_BUILT = { base: 'base-not-built', head: 'head-not-built' } as const

/** Null: both are built. */
async function buildAll(
  places: Places,
  { tool, buildLimit, signal, ...sides }: MeasureSettings,
  where: Where,
  events: MeasureEvents,
): Promise<FailedBuild | null> {
  if (tool.build === null) return null
  for (const build of SIDES) {
    events.doing(`build ${BUILD_WORDS[build]}`)
    const { problem, lastLines, printed } = await runCommand(tool.build, {
      folder: places[build].folder,
      env: { ...where.env, [BUILT_LIST]: places.builtList(build) },
      output: null,
      limit: buildLimit,
      signal,
    })
    if (problem === null) continue
    const message = failureText(`${BUILD_WORDS[build]} could not be built`, problem, lastLines)
    return { given: sides[build].given, unmeasured: { reason: NOT_BUILT[build], message }, printed }
  }
  return null
}

/** Whether both builds made the same files, and sources alone differ, which a benchmark seldom reads while it runs. */
async function areEqual(places: Places, { tool, base, head }: MeasureSettings, where: Where): Promise<boolean> {
  const { sources } = tool
  const paths = await changedPaths(base, head, where)
  if (sources === null || paths === null || !paths.every((path) => sources.test(path))) return false
  const [ofBase, ofHead] = await Promise.all(
    SIDES.map(async (build) => await readFile(places.builtList(build), 'utf8').catch(() => '')),
  )
  return ofBase !== '' && ofBase === ofHead
}

function failureText(what: string, problem: string, lastLines: readonly string[]): string {
  return `${what} (${problem})${lastLines.length === 0 ? '' : `; it said: ${lastLines.join(' | ')}`}`
}

/** A file is there as a whole or as it was before. */
async function write(results: string, file: MeasureFile): Promise<void> {
  const path = join(results, 'measure.json')
  await writeFile(`${path}.part`, `${JSON.stringify(file, null, 1)}\n`)
  await rename(`${path}.part`, path)
}

class TurnFailed extends Error {
  readonly build: Build

  constructor(build: Build, message: string) {
    super(message)
    this.build = build
  }
}

class Measuring {
  readonly #settings: MeasureSettings & PlanSettings
  readonly #places: Places
  readonly #where: Where
  readonly #events: MeasureEvents
  #file: MeasureFile
  readonly #turns: TurnOutputs[] = []
  readonly #durations: number[] = []
  #failuresInARow = 0
  #started = 0
  #benchmarks: readonly BenchmarkSoFar[] = []
  readonly #warned = new Set<string>()

  constructor(
    settings: MeasureSettings & PlanSettings,
    places: Places,
    where: Where,
    events: MeasureEvents,
    file: MeasureFile,
  ) {
    this.#settings = settings
    this.#places = places
    this.#where = where
    this.#events = events
    this.#file = file
  }

  async run(): Promise<MeasureResult> {
    this.#started = performance.now()
    for (;;) {
      const step = nextStep(this.#measured(), this.#settings)
      if (step.kind === 'end') return await this.#ended(step.end)
      await this.#turn(step)
    }
  }

  #measured(): Measured {
    return {
      elapsed: performance.now() - this.#started,
      durations: this.#durations,
      turns: this.#turns.length,
      turnsWithCopy: this.#turns.filter((outputs) => outputs.has('copy')).length,
      failuresInARow: this.#failuresInARow,
      benchmarks: this.#benchmarks,
      isInterrupted: this.#settings.signal.aborted,
    }
  }

  async #turn(step: {
    readonly turn: number
    readonly order: readonly Build[]
    readonly only: readonly string[] | null
  }) {
    const { turn, order, only } = step
    const [startedAt, begun] = [isoTime(Date.now()), performance.now()]
    const loadBefore = load()
    const outputs: { build: Build; file: string; seconds: number }[] = []
    const measured = new Map<Build, readonly Measurement[]>()
    const warnings: string[] = []
    let failure: string | null = null
    try {
      for (const build of order) {
        this.#events.doing(`turn ${turn}: ${BUILD_WORDS[build]}`)
        const output = await this.#output(turn, build, only)
        outputs.push({ build, file: output.file, seconds: output.seconds })
        measured.set(build, output.measurements)
        warnings.push(...this.#newWarnings(build, output.warnings))
      }
    } catch (error) {
      if (!(error instanceof TurnFailed)) throw error
      // a turn that somebody ended has not failed
      if (this.#settings.signal.aborted) return await this.#forget(turn, outputs)
      failure = error.message
      await this.#forget(turn, outputs)
      this.#file = { ...this.#file, failures: [...this.#file.failures, { turn, build: error.build, message: failure }] }
    }
    this.#durations.push(performance.now() - begun)
    this.#failuresInARow = failure === null ? 0 : this.#failuresInARow + 1
    if (failure === null) {
      this.#turns.push(measured)
      const series = seriesOf(this.#turns)
      this.#benchmarks = benchmarksIn(series)
      const done = { turn, order: [...order], startedAt, endedAt: isoTime(Date.now()), load: loadBefore }
      const told = { ...done, only: only === null ? null : [...only], outputs }
      this.#file = { ...this.#file, turns: [...this.#file.turns, told], equalBuilds: equalBuildsIn(series) }
    }
    await write(this.#settings.results, this.#file)
    this.#tell(turn, failure, warnings)
  }

  /** A tool that prints a strange line prints it each time. */
  #newWarnings(build: Build, warnings: readonly ReadWarning[]): readonly string[] {
    const said = warnings.map(({ message }) => `${BUILD_WORDS[build]}: ${message}`)
    const fresh = [...new Set(said)].filter((one) => !this.#warned.has(one)).slice(0, MOST_WARNED - this.#warned.size)
    for (const one of fresh) this.#warned.add(one)
    return fresh
  }

  #tell(turn: number, failure: string | null, warnings: readonly string[]): void {
    const measured = this.#measured()
    const open = openBenchmarks(measured, this.#settings)
    const exact = this.#benchmarks.filter((one) => isExact(one, this.#settings)).length
    const noises = open.flatMap(({ noise }) => noise ?? [])
    this.#events.turn({
      turn,
      failure,
      warnings,
      benchmarks: this.#benchmarks.length,
      exact,
      outOfReach: this.#benchmarks.length - exact - open.length,
      noise: noises.length === 0 ? null : Math.max(...noises),
      timeLeft: timeLeft(measured, this.#settings),
    })
  }

  /** Runs one build and reads what it gave. Throws `TurnFailed`. */
  async #output(turn: number, build: Build, only: readonly string[] | null) {
    const { results, tool, turnLimit, signal, base, head } = this.#settings
    const folder = join(results, FOLDERS[build])
    await mkdir(folder, { recursive: true })
    const name = String(turn).padStart(3, '0')
    const path = join(folder, `${name}.part`)
    const ofSide = { ...tool, run: runOf(build === 'head' ? head : base, tool) }
    const isOwnFile = ofSide.run.includes('{out}')
    const result = await runCommand(commandOf(ofSide, only, path), {
      folder: this.#places[build].folder,
      env: this.#where.env,
      output: isOwnFile ? null : path,
      limit: turnLimit,
      signal,
    })
    const said = await lastLines(result, isOwnFile ? null : path)
    if (result.problem !== null) {
      await rm(path, { force: true })
      throw new TurnFailed(build, failureText(`${BUILD_WORDS[build]} failed`, result.problem, said))
    }
    const kept = await named(path, folder, name, build)
    const read = await this.#read(join(folder, kept), build, said)
    return { file: `${FOLDERS[build]}/${kept}`, seconds: result.milliseconds / 1000, ...read }
  }

  async #read(
    path: string,
    build: Build,
    said: readonly string[],
  ): Promise<Pick<RunContents, 'measurements' | 'warnings'>> {
    try {
      const { measurements, warnings } = await (build === 'head' ? readSides([], [path]) : readSides([path], []))
      if (measurements.length > 0) return { measurements, warnings }
      throw new SourceError('no-measurements', warnings[0]?.message ?? 'it is empty')
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      await rm(path, { force: true })
      throw new TurnFailed(
        build,
        failureText(`${BUILD_WORDS[build]} gave no results`, error.reason ?? error.message, said),
      )
    }
  }

  async #forget(turn: number, outputs: readonly { readonly file: string }[]): Promise<void> {
    for (const { file } of outputs) await rm(join(this.#settings.results, file), { force: true })
    const name = String(turn).padStart(3, '0')
    for (const folder of Object.values(FOLDERS))
      await rm(join(this.#settings.results, folder, `${name}.part`), { force: true })
  }

  async #ended(end: MeasureEnd): Promise<MeasureResult> {
    const why = this.#file.failures.at(-1)?.message ?? null
    const none: Unmeasured | null =
      this.#turns.length === 0 && why !== null ? { reason: 'turns-failed', message: why } : null
    this.#file = { ...this.#file, end, unmeasured: none, endedAt: isoTime(Date.now()) }
    await write(this.#settings.results, this.#file)
    return { end, why, file: this.#file, benchmarks: this.#benchmarks }
  }
}

const MOST_SAID = 12

/** Warnings of outputs that are told of all turns together. */
const MOST_WARNED = 20

/** The last lines of a tool's output; of stdout too where that was kept as its results. */
async function lastLines({ lastLines: ofErrors }: CommandResult, path: string | null): Promise<readonly string[]> {
  if (path === null) return ofErrors
  const text = await readFile(path, 'utf8').catch(() => '')
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return [...lines.slice(-MOST_SAID), ...ofErrors].slice(-MOST_SAID)
}

/** Gives the output the ending by which readers know it. Throws `TurnFailed`. */
async function named(path: string, folder: string, name: string, build: Build): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new TurnFailed(build, `${BUILD_WORDS[build]} wrote no results`)
  })
  const kept = `${name}${endingOf(text)}`
  await rename(path, join(folder, kept))
  return kept
}

/** `.json`, `.jsonl`, `.xml` or `.txt`. */
function endingOf(text: string): string {
  const start = text.trimStart()
  if (start.startsWith('<')) return '.xml'
  if (!/^[[{]/.test(start)) return '.txt'
  const [first = '', second = ''] = start.split('\n', 2)
  // one line of the neutral format is a file of such lines too
  const isLines = second.startsWith('{') || (first.includes('"test"') && first.includes('"value"'))
  return isLines && isJson(first) ? '.jsonl' : '.json'
}
