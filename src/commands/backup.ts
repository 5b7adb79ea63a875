import { resolve } from 'node:path'
import { readClickHouseEnvironment } from '../config/environment.ts'
import { BackupFailed, backUpInbox, type Copied, restoreInbox } from '../inbox/backup.ts'
import { InboxNewer } from '../inbox/database.ts'
import { DataFolderInUse, takeDataFolder } from '../triage/data-folder.ts'
import { type BackupOptions, type CommandIO, EXIT_OK, InputError } from './command.ts'
import { databaseProblem } from './database-problem.ts'

/** `perf-triage backup FILE`: the inbox as one file, also while the bot serves. */
export async function backUp({ file, json }: BackupOptions, io: CommandIO): Promise<number> {
  return await said(io, json, 'backed up to', (dataDir) => backUpInbox(dataDir, resolve(file)))
}

/** `perf-triage restore FILE`: such a file as the inbox of a data folder that has none. */
export async function restore({ file, json }: BackupOptions, io: CommandIO): Promise<number> {
  return await said(io, json, 'restored to', async (dataDir) => {
    const folder = await takeDataFolder(dataDir)
    try {
      return restoreInbox(dataDir, resolve(file))
    } finally {
      folder.release()
    }
  })
}

async function said(
  io: CommandIO,
  json: boolean,
  what: string,
  work: (dataDir: string) => Copied | Promise<Copied>,
): Promise<number> {
  let copied: Copied
  try {
    copied = await work(readClickHouseEnvironment(io.env).dataDir)
  } catch (error) {
    throw readable(error)
  }
  if (json) {
    io.stdout.write(`${JSON.stringify({ schemaVersion: 1, ...copied })}\n`)
    return EXIT_OK
  }
  const rows = Object.entries(copied.rows).map(([table, count]) => `${table.replaceAll('_', ' ')}: ${count}`)
  io.stdout.write(`${what} ${copied.file} (${Math.ceil(copied.bytes / 1024)} KiB); ${rows.join(', ')}\n`)
  return EXIT_OK
}

function readable(error: unknown): unknown {
  const expected = [BackupFailed, InboxNewer, DataFolderInUse].some((kind) => error instanceof kind)
  const hasCode = typeof (error as NodeJS.ErrnoException).code === 'string'
  return (expected || hasCode) && error instanceof Error ? new InputError(error.message) : databaseProblem(error)
}
