import { Buffer } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { basename, sep } from 'node:path'
import { containerOf, decompress, MAGIC_BYTES } from '../../intake/archive/decompress.ts'
import { Budget } from '../../intake/measurement/budget.ts'
import { MemberError } from '../../intake/measurement/formats/format.ts'
import { pprofProfile } from '../../intake/measurement/formats/pprof-profile.ts'
import { isPprof, MOST_PPROF_BYTES } from '../../intake/measurement/formats/profile-files.ts'
import { withoutCompression } from '../../intake/measurement/interest.ts'
import { peek } from '../../intake/measurement/peek.ts'
import { queryLabel, type Side } from '../../intake/measurement/run.ts'
import { TRACE_UNITS, type TraceType, type Unit } from '../../intake/measurement/trace-type.ts'
import { Warnings } from '../../intake/measurement/warnings.ts'
import { flameGraph } from '../../judge/profile/flame-graph.ts'
import { type FoldedTarget, foldedDifference, readFolded, stripHex } from '../../judge/profile/folded.ts'
import { type ProfileNames, speedscopeJson } from '../../judge/profile/speedscope.ts'
import type { StackDifference } from '../../judge/profile/stack-difference.ts'
import { StackTree } from '../../judge/profile/stack-tree.ts'
import { profileWords } from '../../judge/profile/words.ts'
import { type CommandIO, EXIT_OK, InputError } from './command.ts'
import type { FlamegraphOutput } from './flamegraph-options.ts'
import { type ProfileOfRun, readRunProfile } from './flamegraph-run.ts'
import { flamegraphText } from './flamegraph-text.ts'
import { lookAt, readInput } from './input-file.ts'
import { onlyWhole } from './only-whole.ts'
import { Progress } from './progress.ts'
import { plainText } from './terminal-text.ts'

/** `flamegraph`, as the command line gives it. */
interface FlamegraphOptions {
  /** A folder or an archive; the next three choose one query of it. */
  readonly run?: string
  readonly test?: string
  readonly query?: number
  readonly trace?: TraceType
  readonly as: FlamegraphOutput
  /** Not given: samples, or what the trace type of a run counts. */
  readonly unit?: Unit
  readonly normalize?: boolean
  readonly stripHex?: boolean
  readonly fractions?: boolean
  readonly icicle?: boolean
  /** The heading of the graph. Not given: made from the names of the files or that of the query. */
  readonly title?: string
}

/** Two files of folded stacks; `-` is stdin. */
interface ProfileFiles {
  readonly old: string
  readonly new: string
}

/** `perf-triage flamegraph`: two files, or one query of a run. */
export async function run(
  old: string | undefined,
  fresh: string | undefined,
  options: FlamegraphOptions,
  io: CommandIO,
): Promise<number> {
  return await draw(sourceOf(old, fresh, options), options, io)
}

function sourceOf(
  old: string | undefined,
  fresh: string | undefined,
  { run: path, test, query, trace }: FlamegraphOptions,
): ProfileFiles | ProfileOfRun {
  if (path !== undefined) {
    if (old !== undefined) throw new InputError('give either OLD and NEW or --run PATH, not both')
    return { path, test, query, traceType: trace }
  }
  if (old === undefined || fresh === undefined) {
    throw new InputError(`no ${old === undefined ? 'OLD' : 'NEW'}: give the files of both sides, or --run PATH`)
  }
  if (test !== undefined || query !== undefined || trace !== undefined) {
    throw new InputError('--test, --query and --trace choose from a run; give one with --run PATH')
  }
  return { old, new: fresh }
}

const WARNINGS_SHOWN = 5
const MOST_WARNINGS = 500
/** Characters that are written at once. */
const PIECE = 64 * 1024

/** The profiles to compare, with how they are called and counted where the command line does not say. */
interface Compared {
  readonly difference: StackDifference
  readonly names: ProfileNames
  readonly unit: Unit
}

/**
 * Reads two files of folded stacks, plain or compressed, or the stacks of one query of a run, and prints their difference
 * in the form that was asked for.
 */
async function draw(source: ProfileFiles | ProfileOfRun, options: FlamegraphOptions, io: CommandIO): Promise<number> {
  const warnings = new Warnings(MOST_WARNINGS)
  const compared = await read(source, options.stripHex ?? false, warnings, io)
  writeWarnings(warnings, options, compared.difference, io)
  write(output(options, compared, await script(options), io), io)
  onlyWhole(warnings.list())
  return EXIT_OK
}

async function read(
  source: ProfileFiles | ProfileOfRun,
  strips: boolean,
  warnings: Warnings,
  io: CommandIO,
): Promise<Compared> {
  if ('old' in source) {
    if (source.old === '-' && source.new === '-') throw new InputError('stdin (-) can be read only once')
    const { difference, unit } = await readBoth(source, strips, warnings, io)
    return { difference, names: namesOfFiles(source), unit }
  }
  const { difference, profile } = await readRunProfile(source, strips, warnings, io)
  const title = `${plainText(queryLabel(profile))}, ${profile.traceType}`
  return { difference, names: { title, old: 'old build', new: 'new build' }, unit: TRACE_UNITS[profile.traceType] }
}

async function readBoth(
  files: ProfileFiles,
  strips: boolean,
  warnings: Warnings,
  io: CommandIO,
): Promise<Pick<Compared, 'difference' | 'unit'>> {
  const tree = new StackTree()
  const types = new Set<TraceType>()
  let hasFolded = false
  const progress = new Progress(io.stderr)
  const read = async (side: Side, path: string): Promise<void> => {
    const where = path === '-' ? 'stdin' : path
    const file = readInput(path, io, (read) => {
      progress.update(() => `reading ${plainText(basename(where))}: ${(read / 1e6).toFixed(0)} MB`)
    })
    const bytes = await uncompressed(file, where)
    const target: FoldedTarget = { tree, side, where, warnings, stripHex: strips }
    const { head, bytes: whole } = await peek(bytes, HEAD_BYTES)
    if (head.length > 0 && isPprof(withoutCompression(basename(where)), Buffer.from(head).toString('latin1'))) {
      types.add(await readPprof(whole, target))
      return
    }
    const { stacks, badLines } = await readFolded(whole, target)
    hasFolded ||= stacks > 0
    if (stacks === 0 && badLines > 0) {
      throw new InputError(`${where}: not folded stacks; each line is "frame;frame;frame COUNT", outermost frame first`)
    }
  }
  try {
    // both files are looked at before one is read
    for (const path of [files.old, files.new]) await lookAt(path, 'a file of folded stacks')
    await read('old', files.old)
    await read('new', files.new)
    const [type, other] = types
    if (other !== undefined) throw new InputError(`a profile of ${type!} and one of ${other} can’t be compared`)
    const unit = type === undefined ? 'samples' : TRACE_UNITS[type]
    // folded stacks do not say what their numbers are
    if (hasFolded && unit !== 'samples')
      throw new InputError(`folded stacks and a profile of ${unit} can’t be compared`)
    return { difference: tree.finish(), unit }
  } finally {
    progress.done()
  }
}

/** The bytes of which a profile of pprof is known. */
const HEAD_BYTES = 16

/** Adds the stacks of a profile of pprof. Throws `InputError` where the bytes are none that is read. */
async function readPprof(
  bytes: AsyncIterable<Uint8Array>,
  { tree, side, where, stripHex: strips }: FoldedTarget,
): Promise<TraceType> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > MOST_PPROF_BYTES)
      throw new InputError(`${where}: more than ${MOST_PPROF_BYTES.toLocaleString('en')} bytes`)
    chunks.push(chunk)
  }
  try {
    return pprofProfile(Buffer.concat(chunks), (stack, count) => {
      const refused = tree.add(strips ? stripHex(stack) : stack, side, count)
      if (refused !== null) throw new MemberError(`it has ${refused.replaceAll('-', ' ')}`)
    })
  } catch (error) {
    if (!(error instanceof MemberError)) throw error
    throw new InputError(`${where}: ${error.message}`)
  }
}

/** Without the compression of one gzip or zstd stream. */
async function uncompressed(bytes: AsyncIterable<Uint8Array>, where: string): Promise<AsyncIterable<Uint8Array>> {
  const { head, bytes: all } = await peek(bytes, MAGIC_BYTES)
  const container = containerOf(head)
  if (container === null) return all
  if (container === 'zip' || container === 'tar') {
    throw new InputError(`${where}: a ${container} archive; unpack it and give the folded stacks inside`)
  }
  // one stream, whose own ratio is limited: there is no nesting to add up
  const budget = new Budget({ limits: { workFrom: Number.POSITIVE_INFINITY } })
  return explained(decompress(container, all, budget), where)
}

async function* explained(bytes: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    throw new InputError(
      `${where}: can’t be read completely: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

async function script({ as }: FlamegraphOptions): Promise<string | null> {
  return as === 'svg'
    ? await readFile(new URL('../../judge/profile/flame-graph-script.js', import.meta.url), 'utf8')
    : null
}

function output(
  options: FlamegraphOptions,
  compared: Compared,
  script: string | null,
  io: CommandIO,
): Iterable<string> {
  const { as, normalize = false, icicle = false, fractions = false } = options
  const { difference } = compared
  const unit = options.unit ?? compared.unit
  const names = { ...compared.names, title: options.title ?? compared.names.title }
  if (as === 'svg') return [flameGraph(difference, { names, unit, normalize, icicle, script })]
  if (as === 'json') return speedscopeJson(difference, names, unit)
  if (as === 'folded') return withEnds(foldedDifference(difference, { normalize, fractions }))
  return withEnds(flamegraphText(difference, profileWords(difference, unit), unit, io))
}

function namesOfFiles({ old, new: fresh }: ProfileFiles): ProfileNames {
  const isSame = basename(old) === basename(fresh)
  const name = (path: string) =>
    path === '-' ? 'stdin' : isSame ? path.split(sep).slice(-2).join('/') : basename(path)
  return { title: `Profile difference, ${name(old)} → ${name(fresh)}`, old: name(old), new: name(fresh) }
}

function* withEnds(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`
}

function write(pieces: Iterable<string>, io: CommandIO): void {
  let waiting: string[] = []
  let length = 0
  for (const piece of pieces) {
    waiting.push(piece)
    length += piece.length
    if (length < PIECE) continue
    io.stdout.write(waiting.join(''))
    waiting = []
    length = 0
  }
  if (length > 0) io.stdout.write(waiting.join(''))
}

function writeWarnings(
  warnings: Warnings,
  { as, fractions }: FlamegraphOptions,
  difference: StackDifference,
  io: CommandIO,
): void {
  const list = warnings.list()
  for (const { where, message } of list.slice(0, WARNINGS_SHOWN)) {
    io.stderr.write(`warning: ${plainText(where)}: ${plainText(message)}\n`)
  }
  const more = list.length - WARNINGS_SHOWN
  if (more > 0) io.stderr.write(`and ${more} more ${more === 1 ? 'warning' : 'warnings'}\n`)
  if (as === 'folded' && !fractions && !(difference.old.whole && difference.new.whole)) {
    io.stderr.write('warning: fractions of counts are cut off; --fractions keeps them\n')
  }
}
