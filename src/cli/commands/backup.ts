import { resolve } from 'node:path'
import { DataFolderInUse, takeDataFolder } from '../../bot/triage/data-folder.ts'
import { type InboxEnvironment, readInboxEnvironment } from '../../config/environment.ts'
import { BackupFailed, backUpInbox, type Copied, restoreInbox } from '../../inbox/backup.ts'
import { InboxNewer, InboxUnavailable, InboxUnusable } from '../../inbox/database.ts'
import { type CommandIO, EXIT_OK, InputError, printJson } from './command.ts'

/** `perf-triage backup`: the inbox as a file. */
export async function runBackup(file: string, options: BackupOptions, io: CommandIO): Promise<number> {
  return await report('backed up to', options, io, ({ dataDir, databaseUrl }) => {
    if (databaseUrl !== null) throw new InputError(IN_POSTGRES)
    return backUpInbox(dataDir, resolve(file))
  })
}

/** `perf-triage restore`: such a file as the inbox. */
export async function runRestore(file: string, options: BackupOptions, io: CommandIO): Promise<number> {
  const copy = ({ dataDir, databaseUrl }: InboxEnvironment) => restore(dataDir, databaseUrl, resolve(file))
  return await report('restored to', options, io, copy)
}

interface BackupOptions {
  readonly json?: boolean
}

/** The file as the inbox of a data folder, or of a database, that has none. */
async function restore(dataDir: string, databaseUrl: string | null, file: string): Promise<Copied> {
  if (databaseUrl !== null) {
    const { restoreIntoPostgres } = await import('../../inbox/restore-postgres.ts')
    return await restoreIntoPostgres(databaseUrl, file)
  }
  const folder = await takeDataFolder(dataDir)
  try {
    return restoreInbox(dataDir, file)
  } finally {
    folder.release()
  }
}

/** Copies, and says what was copied: `backed up to inbox.sqlite (96 KiB); deliveries: 12, triages: 3`. */
async function report(
  done: 'backed up to' | 'restored to',
  { json }: BackupOptions,
  io: CommandIO,
  copy: (environment: InboxEnvironment) => Copied | Promise<Copied>,
): Promise<number> {
  const environment = readInboxEnvironment(io.env)
  let copied: Copied
  try {
    copied = await copy(environment)
  } catch (error) {
    throw withAdvice(error)
  }
  if (json) printJson(copied, io)
  else {
    const rows = Object.entries(copied.rows).map(([table, count]) => `${table.replaceAll('_', ' ')}: ${count}`)
    io.stdout.write(`${done} ${copied.file} (${Math.ceil(copied.bytes / 1024)} KiB); ${rows.join(', ')}\n`)
  }
  return EXIT_OK
}

const IN_POSTGRES =
  'the inbox is in the database of DATABASE_URL, which has its own tools: back it up with pg_dump and restore it with pg_restore'

/** An error of the file system or the inbox says what to do; any other one is a surprise. */
function withAdvice(error: unknown): unknown {
  const isKnown = [BackupFailed, InboxNewer, InboxUnavailable, InboxUnusable, DataFolderInUse].some(
    (kind) => error instanceof kind,
  )
  const hasCode = typeof (error as NodeJS.ErrnoException).code === 'string'
  return (isKnown || hasCode) && error instanceof Error ? new InputError(error.message) : error
}
