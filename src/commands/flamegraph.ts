import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { containerOf, MAGIC_BYTES } from '../archive/decompress.ts'
import { Budget } from '../measurement/budget.ts'
import { peek } from '../measurement/peek.ts'
import { queryLabel, type Side } from '../measurement/run.ts'
import { TRACE_UNITS, type Unit } from '../measurement/trace-type.ts'
import { Warnings } from '../measurement/warnings.ts'
import { flameGraph } from '../profile/flame-graph.ts'
import { foldedDifference, readFolded } from '../profile/folded.ts'
import { type ProfileNames, speedscopeJson } from '../profile/speedscope.ts'
import type { StackDifference } from '../profile/stack-difference.ts'
import { StackTree } from '../profile/stack-tree.ts'
import { profileWords } from '../profile/words.ts'
import { type CommandIO, EXIT_OK, InputError } from './command.ts'
import type { FlamegraphOptions, ProfileFiles } from './flamegraph-options.ts'
import { readRunProfile } from './flamegraph-run.ts'
import { flamegraphText } from './flamegraph-text.ts'
import { Progress } from './progress.ts'
import { plainText } from './terminal-text.ts'

const WARNINGS_SHOWN = 5
const MOST_WARNINGS = 500
/** Characters that are written at once. */
const PIECE = 64 * 1024

/** What is compared, with how it is called and counted where the command line does not say. */
interface Compared {
  readonly difference: StackDifference
  readonly names: ProfileNames
  readonly unit: Unit
}

/**
 * Reads two files of folded stacks, plain or compressed, or the stacks of one query of a run, and prints their difference
 * in the form that was asked for.
 */
export async function run(options: FlamegraphOptions, io: CommandIO): Promise<number> {
  const warnings = new Warnings(MOST_WARNINGS)
  const compared = await read(options, warnings, io)
  writeWarnings(warnings, options, compared.difference, io)
  write(output(options, compared, await script(options), io), io)
  return EXIT_OK
}

async function read({ source, stripHex }: FlamegraphOptions, warnings: Warnings, io: CommandIO): Promise<Compared> {
  if (source.kind === 'files') {
    if (source.old === '-' && source.new === '-') throw new InputError('stdin (-) can be read once only')
    const difference = await readBoth(source, stripHex, warnings, io)
    return { difference, names: namesOfFiles(source), unit: 'samples' }
  }
  const { difference, profile } = await readRunProfile(source, stripHex, warnings, io)
  const title = `${plainText(queryLabel(profile))}, ${profile.traceType}`
  return { difference, names: { title, old: 'old build', new: 'new build' }, unit: TRACE_UNITS[profile.traceType] }
}

async function readBoth(
  files: ProfileFiles,
  stripHex: boolean,
  warnings: Warnings,
  io: CommandIO,
): Promise<StackDifference> {
  const tree = new StackTree()
  const progress = new Progress(io.stderr)
  const read = async (side: Side, path: string): Promise<void> => {
    const where = path === '-' ? 'stdin' : path
    const bytes = counted(await uncompressed(await open(path, io), where), (read) => {
      progress.update(() => `reading ${plainText(basename(where))}: ${(read / 1e6).toFixed(0)} MB`)
    })
    const target = { tree, side, where, warnings, stripHex }
    const { stacks, badLines } = await readFolded(bytes, target)
    if (stacks === 0 && badLines > 0) {
      throw new InputError(`${where}: no folded stacks; a line is "frame;frame;frame COUNT", outermost frame first`)
    }
  }
  try {
    // both files are looked at before one is read
    for (const path of [files.old, files.new]) await check(path)
    await read('old', files.old)
    await read('new', files.new)
    return tree.finish()
  } finally {
    progress.done()
  }
}

async function check(path: string): Promise<void> {
  if (path === '-') return
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new InputError(error.code === 'ENOENT' ? `${path}: there is no such file` : `${path}: ${error.message}`)
  })
  if (stats.isDirectory()) throw new InputError(`${path}: a folder; give a file of folded stacks`)
}

async function open(path: string, io: CommandIO): Promise<AsyncIterable<Uint8Array>> {
  return path === '-' ? (io.stdin ?? process.stdin) : createReadStream(path, { highWaterMark: PIECE * 4 })
}

/** Without the compression of one gzip or zstd stream. */
async function uncompressed(bytes: AsyncIterable<Uint8Array>, where: string): Promise<AsyncIterable<Uint8Array>> {
  const { head, bytes: all } = await peek(bytes, MAGIC_BYTES)
  const container = containerOf(head)
  if (container === null) return all
  if (container === 'zip' || container === 'tar') {
    throw new InputError(`${where}: a ${container} archive; unpack it and give the folded stacks in it`)
  }
  const { gunzip, unzstd } = await import('../archive/decompress.ts')
  // one stream, whose own ratio is limited: there is no nesting to add up
  const budget = new Budget({ limits: { workFrom: Number.POSITIVE_INFINITY } })
  return explained(container === 'gzip' ? gunzip(all, budget) : unzstd(all, budget), where)
}

async function* explained(bytes: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    throw new InputError(
      `${where}: cannot be read to its end: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

async function* counted(bytes: AsyncIterable<Uint8Array>, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let read = 0
  for await (const chunk of bytes) {
    read += chunk.length
    onRead(read)
    yield chunk
  }
}

async function script({ as }: FlamegraphOptions): Promise<string | null> {
  return as === 'svg' ? await readFile(new URL('../profile/flame-graph-script.js', import.meta.url), 'utf8') : null
}

function output(
  options: FlamegraphOptions,
  compared: Compared,
  script: string | null,
  io: CommandIO,
): Iterable<string> {
  const { as, normalize, icicle, fractions } = options
  const { difference } = compared
  const unit = options.unit ?? compared.unit
  const names = { ...compared.names, title: options.title ?? compared.names.title }
  if (as === 'svg') return [flameGraph(difference, { names, unit, normalize, icicle, script })]
  if (as === 'json') return speedscopeJson(difference, names, unit)
  if (as === 'folded') return withEnds(foldedDifference(difference, { normalize, fractions }))
  return withEnds(flamegraphText(difference, profileWords(difference, unit), unit, io))
}

function namesOfFiles({ old, new: fresh }: ProfileFiles): ProfileNames {
  const name = (path: string) => (path === '-' ? 'stdin' : basename(path))
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
