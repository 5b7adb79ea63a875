import type { RowsFile } from '../../intake/imports/format.ts'
import type { ReadWarning } from '../../intake/measurement/run.ts'
import { SourceError } from '../../intake/measurement/source.ts'
import { Warnings } from '../../intake/measurement/warnings.ts'
import type { ClickHouse } from '../../store/client.ts'
import { count, counted } from '../../text/numbers.ts'
import { isoTime } from '../../text/time.ts'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_OK, InputError, printJson } from './command.ts'
import { withDatabase } from './database.ts'
import { filesAt, lookAt, readInput } from './input-file.ts'
import { onlyWhole } from './only-whole.ts'
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

export interface FileImport<Row> {
  /** `ledger import`. */
  readonly command: string
  /** The name of what the files hold: `CI results`. */
  readonly holding: string
  /** `-` is stdin. */
  readonly files: readonly string[]
  readonly json: boolean
  /** Throws for one that can't be read at all. */
  readonly open: (input: ImportInput, warnings: Pick<Warnings, 'add'>) => Promise<RowsFile<Row>>
  /** Counts the rows while they pass. */
  readonly summary: ImportSummary & { add(row: Row): void }
  /** The place in the database where the rows belong. */
  readonly target: (clickhouse: ClickHouse) => Promise<ImportTarget<Row>>
}

export interface ImportTarget<Row> {
  save(rows: AsyncIterable<Row>): Promise<unknown>
  /** The rows that are there, where counting them costs little; null: nobody has counted. */
  count(): Promise<number | null>
}

/** The rows that an import has read. */
export abstract class ImportSummary {
  rows = 0
  /** The rows that were not there before; null: nobody has counted. */
  newRows: number | null = null
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  /** The summary in one line for a person. */
  abstract line(): string
  /** Lines about what is odd in the rows as a whole. */
  abstract warnings(): readonly string[]
  /** The fields of the JSON document, without the files. */
  abstract fields(): Readonly<Record<string, unknown>>

  protected addRow(time: number): void {
    this.rows += 1
    if (time < this.#first) this.#first = time
    if (time > this.#last) this.#last = time
  }

  protected get times(): { readonly from: string | null; readonly to: string | null } {
    return { from: isoTime(this.#first), to: isoTime(this.#last) }
  }

  /** `2026-10-20 to 2026-11-20` */
  protected get daysWords(): string {
    const [first, last] = [this.times.from, this.times.to].map((time) => time?.slice(0, 10))
    return first === last ? `${first}` : `${first} to ${last}`
  }

  /** `1,564 new, the others were already stored`; null: all are new, or nobody has counted. */
  protected get newWords(): string | null {
    const { rows, newRows } = this
    if (newRows === null || newRows >= rows) return null
    return newRows === 0 ? 'all were already stored' : `${count(newRows)} new, the others were already stored`
  }
}

interface Source extends Omit<ImportInput, 'bytes'> {
  /** Bytes; null: a pipe. */
  readonly size: number | null
  /** Found in a folder or by a pattern: it may hold something else. */
  readonly isFound: boolean
}

/**
 * Reads files into the bot's own tables, and says what it read. All files are looked at before the first row is written;
 * one that can't be read does not keep the others. Exit code 2 when there was one, or one that could not be read to its
 * end: what was read is there. 130 after Ctrl-C.
 */
export async function importFiles<Row>(wanted: FileImport<Row>, io: CommandIO): Promise<number> {
  const run = new ImportRun(wanted, await sourcesOf(wanted), io)
  await run.lookAtAll()
  await run.store()
  run.report()
  return run.exitCode()
}

/** An import on its way. */
class ImportRun<Row> {
  readonly #wanted: FileImport<Row>
  #sources: readonly Source[]
  /** Files that can't be read, and why. */
  readonly #refused: { readonly path: string; readonly message: string }[] = []
  /** Files of a folder that hold something else. */
  readonly #passedOver: string[] = []
  readonly #io: CommandIO
  readonly #warnings = new CountedWarnings()
  readonly #counter: ImportProgress
  readonly #files: { path: string; format: string; rows: number; complete: boolean }[] = []
  /** Files that are open and not read. */
  #waiting = new Map<Source, RowsFile<Row>>()
  #isInterrupted = false

  constructor(wanted: FileImport<Row>, { sources, refused }: FoundSources, io: CommandIO) {
    this.#wanted = wanted
    this.#sources = sources
    this.#refused.push(...refused)
    this.#io = io
    const sizes = sources.map(({ size }) => size)
    const isKnown = !sizes.includes(null)
    this.#counter = new ImportProgress(isKnown ? sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) : null)
  }

  /** Opens every file before anything is written. */
  async lookAtAll(): Promise<void> {
    const sources = this.#sources
    const opened = await openAll(sources, async (source) => {
      try {
        return await this.#open(source)
      } catch (error) {
        this.#refuse(source, error)
        return null
      }
    })
    this.#waiting = opened.kept
    this.#sources = opened.readable
    if (this.#waiting.size < sources.length) this.#counter.bytes = 0
    if (this.#sources.length > 0) return
    this.#tellRefused()
    const files = counted(this.#refused.length + this.#passedOver.length, 'file', 'files')
    throw new InputError(`none of ${files} could be read as ${this.#wanted.holding}; nothing was imported`)
  }

  /** Throws what is no matter of this one file, and what is the only file's. */
  #refuse({ path, isFound }: Source, error: unknown): void {
    if (!(error instanceof SourceError || error instanceof InputError)) throw error
    if (this.#wanted.files.length === 1 && !isFound) throw error
    if (isFound && error instanceof SourceError && error.problem === 'no-measurements') this.#passedOver.push(path)
    else this.#refused.push({ path, message: error.message })
  }

  #tellRefused(): void {
    for (const { message } of this.#refused.slice(0, WARNINGS_SHOWN)) {
      this.#io.stderr.write(`not read: ${plainText(message)}\n`)
    }
    const more = this.#refused.length - WARNINGS_SHOWN
    if (more > 0) this.#io.stderr.write(`and ${counted(more, 'more file', 'more files')} (--json lists them)\n`)
  }

  /** Reads the files into the database. The first Ctrl-C ends the reading, and what was read is stored. */
  async store(): Promise<void> {
    const progress = new Progress(this.#io.stderr)
    const interrupt = () => {
      this.#isInterrupted = true
    }
    // a second one ends the process
    process.once('SIGINT', interrupt)
    try {
      await save(this.#rows(progress), this.#wanted, this.#io)
    } finally {
      process.off('SIGINT', interrupt)
      progress.done()
      for (const file of this.#waiting.values()) await file.close()
    }
  }

  report(): void {
    const { json, summary } = this.#wanted
    const warnings = this.#warnings.list()
    if (json) {
      const notRead = { refused: this.#refused, passedOver: this.#passedOver }
      printJson({ ...summary.fields(), files: this.#files, ...notRead, warnings }, this.#io)
      return
    }
    this.#io.stdout.write(`${summary.line()}\n`)
    const [refused, passedOver] = [this.#refused.length, this.#passedOver.length]
    if (refused + passedOver > 0) {
      const parts = [`${counted(this.#files.length, 'file', 'files')} read`]
      if (refused > 0) parts.push(`${count(refused)} not read`)
      if (passedOver > 0) parts.push(`${count(passedOver)} skipped, with other contents`)
      this.#io.stdout.write(`${parts.join(', ')}\n`)
    }
    this.#tellRefused()
    for (const odd of summary.warnings()) this.#io.stderr.write(`warning: ${odd}\n`)
    writeWarnings(warnings, this.#warnings.total, this.#io)
  }

  /** The exit code, which is explained where something was not read. */
  exitCode(): number {
    if (this.#isInterrupted) {
      this.#explain('interrupted; what was read is stored, the rest is not. Run the same import again to complete it')
      return EXIT_INTERRUPTED
    }
    const cut = this.#files.filter(({ complete }) => !complete)
    const refused = this.#refused.length
    if (refused > 0) {
      const all = counted(refused + this.#files.length, 'file', 'files')
      this.#explain(
        `${count(refused)} of ${all} ${refused === 1 ? 'was' : 'were'} not read; the rows of the others are stored`,
      )
    }
    if (cut.length === 0) {
      if (refused === 0) onlyWhole(this.#warnings.list())
      return refused === 0 ? EXIT_OK : EXIT_BAD_INPUT
    }
    const names = cut.slice(0, 3).map(({ path }) => plainText(path))
    const more = cut.length > names.length ? ` and ${cut.length - names.length} more` : ''
    this.#explain(`not read completely: ${names.join(', ')}${more}; the rows before are stored`)
    return EXIT_BAD_INPUT
  }

  #explain(message: string): void {
    this.#io.stderr.write(`perf-triage ${this.#wanted.command}: ${message}\n`)
  }

  async #open({ path, where, modified }: Source): Promise<RowsFile<Row>> {
    const bytes = readInput(path, this.#io, (_, added) => {
      this.#counter.bytes += added
    })
    return await this.#wanted.open({ path, where, modified, bytes }, this.#warnings)
  }

  async *#rows(progress: Progress): AsyncGenerator<Row> {
    const { summary } = this.#wanted
    for (const source of this.#sources) {
      if (this.#isInterrupted) return
      const file = this.#waiting.get(source) ?? (await this.#open(source))
      this.#waiting.delete(source)
      const before = summary.rows
      try {
        for await (const row of file.rows()) {
          summary.add(row)
          this.#counter.rows = summary.rows
          progress.update(() => this.#counter.line())
          yield row
          if (this.#isInterrupted) break
        }
      } catch (error) {
        this.#refuse(source, error)
        continue
      }
      const complete = !file.stopped() && !this.#isInterrupted
      this.#files.push({ path: source.path, format: file.format, rows: summary.rows - before, complete })
    }
  }
}

interface FoundSources {
  readonly sources: readonly Source[]
  readonly refused: readonly { readonly path: string; readonly message: string }[]
}

/** The files that the paths mean: a path may be a file, a folder with all that is in it, or a pattern that no shell has resolved. */
async function sourcesOf({ files, holding }: Pick<FileImport<never>, 'files' | 'holding'>): Promise<FoundSources> {
  if (files.length === 0) {
    throw new InputError(`no FILE: give files or folders of ${holding}, or - for stdin`)
  }
  if (files.filter((path) => path === '-').length > 1) throw new InputError('stdin (-) can be read only once')
  const sources = new Map<string, Source>()
  const refused: { path: string; message: string }[] = []
  for (const path of files) {
    try {
      for (const source of await sourcesAt(path, holding)) {
        // a file that a folder or pattern finds once more is read once
        if (source.isFound && sources.has(source.path)) continue
        sources.set(source.isFound ? source.path : `${sources.size} ${source.path}`, source)
      }
    } catch (error) {
      if (files.length === 1 || !(error instanceof InputError)) throw error
      refused.push({ path, message: error.message })
    }
  }
  return { sources: [...sources.values()], refused }
}

async function sourcesAt(path: string, holding: string): Promise<Source[]> {
  if (path === '-') return [{ path, where: 'stdin', size: null, modified: null, isFound: false }]
  const found = await filesAt(path, holding)
  return await Promise.all((found ?? [path]).map(async (file) => await sourceOf(file, found !== null)))
}

async function sourceOf(path: string, isFound: boolean): Promise<Source> {
  const stats = (await lookAt(path, 'the files in it'))!
  // a named pipe is read once and has no time that means anything
  return stats.isFile()
    ? { path, where: path, size: stats.size, modified: stats.mtimeMs, isFound }
    : { path, where: path, size: null, modified: null, isFound }
}

/**
 * Looks at every file before anything is written. Files are let go of again, since there may be more than can be open at
 * once; what can be read only once stays open.
 */
async function openAll<Row>(
  sources: readonly Source[],
  open: (source: Source) => Promise<RowsFile<Row> | null>,
): Promise<{ readonly kept: Map<Source, RowsFile<Row>>; readonly readable: readonly Source[] }> {
  const kept = new Map<Source, RowsFile<Row>>()
  const readable: Source[] = []
  try {
    for (const source of sources) {
      const file = await open(source)
      if (file === null) continue
      readable.push(source)
      if (source.modified === null || sources.length === 1) kept.set(source, file)
      else await file.close()
    }
  } catch (error) {
    for (const file of kept.values()) await file.close()
    throw error
  }
  return { kept, readable }
}

async function save<Row>(rows: AsyncIterable<Row>, { target, summary }: FileImport<Row>, io: CommandIO): Promise<void> {
  await withDatabase(io, async (clickhouse) => {
    const table = await target(clickhouse)
    const before = await table.count()
    await table.save(rows)
    const after = before === null ? null : await table.count()
    // who else writes at the same time is counted, too
    if (before !== null && after !== null) summary.newRows = Math.min(Math.max(after - before, 0), summary.rows)
  })
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
