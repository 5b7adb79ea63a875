import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readClickHouseEnvironment } from '../config/environment.ts'
import { BackupFailed, backUpInbox, type Copied, restoreInbox } from '../inbox/backup.ts'
import { InboxNewer } from '../inbox/database.ts'
import { DataFolderInUse, takeDataFolder } from '../triage/data-folder.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, InputError } from './command.ts'
import { databaseProblem } from './database-problem.ts'

export interface BackupOptions {
  readonly file: string
  readonly json: boolean
}

/** The description, options and examples of `perf-triage backup`. */
export function defineBackup(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Copies the inbox of PERF_TRIAGE_DATA_DIR to a file: deliveries, decisions of people, what was posted. The bot may serve meanwhile. The ClickHouse database is not in it: see docs/database.md.',
    )
    .argument('<file>', 'a file that is not there yet')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['backup /backup/inbox-2026-11-22.sqlite', 'every night, beside the running bot'],
        ['backup before-update.sqlite --json', 'with the rows of each table'],
      ),
    )
    .action(async (file: string, options: { json?: boolean }) => {
      finished(await backUp({ file, json: options.json ?? false }, io))
    })
}

/** The description, options and examples of `perf-triage restore`. */
export function defineRestore(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Puts a file of "perf-triage backup" into PERF_TRIAGE_DATA_DIR, which must have no inbox and no bot that serves from it.',
    )
    .argument('<file>', 'a file that "perf-triage backup" has made')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(['restore /backup/inbox-2026-11-22.sqlite', 'before the bot starts in a new folder']),
    )
    .action(async (file: string, options: { json?: boolean }) => {
      finished(await restore({ file, json: options.json ?? false }, io))
    })
}

/** `perf-triage backup FILE`: the inbox as one file, also while the bot serves. */
async function backUp({ file, json }: BackupOptions, io: CommandIO): Promise<number> {
  return await said(io, json, 'backed up to', (dataDir) => backUpInbox(dataDir, resolve(file)))
}

/** `perf-triage restore FILE`: such a file as the inbox of a data folder that has none. */
async function restore({ file, json }: BackupOptions, io: CommandIO): Promise<number> {
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
