import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { readClickHouseEnvironment } from '../config/environment.ts'
import type { ReadWarning } from '../measurement/run.ts'
import { SourceError } from '../measurement/source-error.ts'
import { Warnings } from '../measurement/warnings.ts'
import { type ClickHouse, openClickHouse } from '../store/client.ts'
import { migrate } from '../store/migrate.ts'
import { counted } from '../text/numbers.ts'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_OK, InputError } from './command.ts'
import { databaseProblem } from './database-problem.ts'
import { ImportProgress, Progress } from './progress.ts'
import { plainText } from './terminal-text.ts'

/** The exit code that a shell has for a command that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130

const WARNINGS_SHOWN = 5
const MOST_WARNINGS = 500

/** A path of the caller. */
export interface ImportInput {
  readonly path: string
  /** How messages name it. */
  readonly where: string
  /** Milliseconds; null: it is no file. */
  readonly modified: number | null
  readonly bytes: AsyncIterable<Uint8Array>
}

/** A file whose format is known. */
export interface ImportedFile<Row> {
  readonly format: string
  /** All its rows, read as they are asked for. */
  rows(): AsyncIterable<Row>
  /** The reading ended before the end of the file, with a warning; what was read until then stands. */
  stopped(): boolean
  /** Lets go of a file that is not read. */
  close(): Promise<void>
}

export interface FileImport<Row> {
  /** `ledger import`. */
  readonly command: string
  /** The name of what the files hold: `CI results`. */
  readonly holding: string
  /** `-` is stdin. */
  readonly files: readonly string[]
  readonly json: boolean
  /** Throws for one that can't be read at all. */
  readonly open: (input: ImportInput, warnings: Pick<Warnings, 'add'>) => Promise<ImportedFile<Row>>
  /** Counts the rows while they pass. */
  readonly summary: {
    readonly rows: number
    add(row: Row): void
    /** The summary in one line for a person. */
    line(): string
    /** A line about what is odd in the rows as a whole; null: nothing. */
    warning?(): string | null
    /** The fields of the JSON document, without the files. */
    fields(): Readonly<Record<string, unknown>>
  }
  readonly save: (clickhouse: ClickHouse, rows: AsyncIterable<Row>) => Promise<unknown>
}

interface Source extends Omit<ImportInput, 'bytes'> {
  /** Bytes; null: a pipe. */
  readonly size: number | null
}

/**
 * Reads files into the bot's own tables, and says what it read. All files are looked at before the first row is written.
 * Exit code 2 also when a file could not be read to its end: what was read of it is there. 130 after Ctrl-C.
 */
export async function importFiles<Row>(wanted: FileImport<Row>, io: CommandIO): Promise<number> {
  const { summary } = wanted
  const sources = await sourcesOf(wanted)
  const warnings = new CountedWarnings()
  const totals = sources.map(({ size }) => size)
  const total = totals.includes(null) ? null : totals.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  const counter = new ImportProgress(total)
  const open = async ({ path, where, modified }: Source) => {
    const bytes: AsyncIterable<Uint8Array> = path === '-' ? (io.stdin ?? process.stdin) : createReadStream(path)
    return await wanted.open({ path, where, modified, bytes: metered(bytes, counter) }, warnings)
  }

  const waiting = await openAll(sources, open).catch((error: unknown) => {
    if (sources.length === 1 || !(error instanceof SourceError || error instanceof InputError)) throw error
    throw new InputError(`${error.message}; nothing was imported`)
  })
  if (waiting.size < sources.length) counter.bytes = 0
  const progress = new Progress(io.stderr)
  const files: { path: string; format: string; rows: number; complete: boolean }[] = []
  let isInterrupted = false
  const interrupt = () => {
    isInterrupted = true
  }
  const rows = async function* (): AsyncGenerator<Row> {
    for (const source of sources) {
      if (isInterrupted) return
      const file = waiting.get(source) ?? (await open(source))
      waiting.delete(source)
      const before = summary.rows
      for await (const row of file.rows()) {
        summary.add(row)
        counter.rows = summary.rows
        progress.update(() => counter.line())
        yield row
        if (isInterrupted) break
      }
      const complete = !file.stopped() && !isInterrupted
      files.push({ path: source.path, format: file.format, rows: summary.rows - before, complete })
    }
  }
  // The first Ctrl-C ends the reading, so that what was read is stored; a second one ends the process.
  process.once('SIGINT', interrupt)
  try {
    await save(rows(), wanted, io)
  } finally {
    process.off('SIGINT', interrupt)
    progress.done()
    for (const file of waiting.values()) await file.close()
  }

  const list = warnings.list()
  if (wanted.json) {
    io.stdout.write(`${JSON.stringify({ ...summary.fields(), files, warnings: list }, null, 2)}\n`)
  } else {
    io.stdout.write(`${summary.line()}\n`)
    const odd = summary.warning?.() ?? null
    if (odd !== null) io.stderr.write(`warning: ${odd}\n`)
    writeWarnings(list, warnings.total, io)
  }
  if (isInterrupted) {
    io.stderr.write(
      `perf-triage ${wanted.command}: interrupted; what was read is stored, the rest is not. The same import again completes it\n`,
    )
    return EXIT_INTERRUPTED
  }
  const cut = files.filter(({ complete }) => !complete)
  if (cut.length === 0) return EXIT_OK
  const names = cut.slice(0, 3).map(({ path }) => plainText(path))
  const more = cut.length > names.length ? ` and ${cut.length - names.length} more` : ''
  io.stderr.write(
    `perf-triage ${wanted.command}: not read to the end: ${names.join(', ')}${more}; the rows before are there\n`,
  )
  return EXIT_BAD_INPUT
}

/** Null where there is none. */
export function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

async function sourcesOf({ files, holding }: Pick<FileImport<never>, 'files' | 'holding'>): Promise<readonly Source[]> {
  if (files.length === 0) throw new InputError(`no FILE: give files of ${holding}, or - for stdin`)
  if (files.filter((path) => path === '-').length > 1) throw new InputError('stdin (-) can be read once only')
  return await Promise.all(files.map(sourceOf))
}

async function sourceOf(path: string): Promise<Source> {
  if (path === '-') return { path, where: 'stdin', size: null, modified: null }
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new InputError(error.code === 'ENOENT' ? `${path}: there is no such file` : `${path}: ${error.message}`)
  })
  if (stats.isDirectory()) throw new InputError(`${path}: a folder; give the files in it`)
  // a named pipe is read once and has no time that means anything
  return stats.isFile()
    ? { path, where: path, size: stats.size, modified: stats.mtimeMs }
    : { path, where: path, size: null, modified: null }
}

/**
 * Looks at every file before anything is written. Files are let go of again, since there may be more than can be open at
 * once; what can be read only once stays open.
 */
async function openAll<Row>(
  sources: readonly Source[],
  open: (source: Source) => Promise<ImportedFile<Row>>,
): Promise<Map<Source, ImportedFile<Row>>> {
  const kept = new Map<Source, ImportedFile<Row>>()
  try {
    for (const source of sources) {
      const file = await open(source)
      if (source.modified === null || sources.length === 1) kept.set(source, file)
      else await file.close()
    }
  } catch (error) {
    for (const file of kept.values()) await file.close()
    throw error
  }
  return kept
}

async function* metered(bytes: AsyncIterable<Uint8Array>, counter: ImportProgress): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    counter.bytes += chunk.length
    yield chunk
  }
}

async function save<Row>(rows: AsyncIterable<Row>, wanted: FileImport<Row>, io: CommandIO): Promise<void> {
  try {
    const clickhouse = await openClickHouse(readClickHouseEnvironment(io.env))
    try {
      await migrate(clickhouse)
      await wanted.save(clickhouse, rows)
    } finally {
      await clickhouse.close()
    }
  } catch (error) {
    throw databaseProblem(error)
  }
}

/** A list that is bounded, and how many there were all the same. */
class CountedWarnings {
  readonly #list = new Warnings(MOST_WARNINGS)
  total = 0

  add(...warning: Parameters<Warnings['add']>): void {
    this.total += 1
    this.#list.add(...warning)
  }

  list(): readonly ReadWarning[] {
    return this.#list.list()
  }
}

function writeWarnings(warnings: readonly ReadWarning[], total: number, io: CommandIO): void {
  const shown = warnings.slice(0, WARNINGS_SHOWN)
  for (const { where, message } of shown) io.stderr.write(`warning: ${plainText(where)}: ${plainText(message)}\n`)
  const more = total - shown.length
  if (more > 0) io.stderr.write(`and ${counted(more, 'more warning', 'more warnings')} (--json lists them)\n`)
}
