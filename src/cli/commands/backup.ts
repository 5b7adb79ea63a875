import { resolve } from 'node:path'
import type { Command } from 'commander'
import { DataFolderInUse, takeDataFolder } from '../../bot/triage/data-folder.ts'
import { type InboxEnvironment, readInboxEnvironment } from '../../config/environment.ts'
import { BackupFailed, backUpInbox, type Copied, restoreInbox } from '../../inbox/backup.ts'
import { InboxNewer, InboxUnavailable, InboxUnusable } from '../../inbox/database.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, InputError, printJson } from './command.ts'

/** The description, options and examples of `perf-triage backup`. */
export function defineBackup(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Copies the inbox of PERF_TRIAGE_DATA_DIR to a file: deliveries, decisions of people, what was posted. The bot may keep running. The ClickHouse database is not included: see docs/database.md.',
    )
    .argument('<file>', 'a new file')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['backup /backup/inbox-2026-11-22.sqlite', 'every night, while the bot runs'],
        ['backup before-update.sqlite --json', 'with the row count of each table'],
      ),
    )
    .action(async (file: string, options: { readonly json?: boolean }) => {
      finished(
        await report('backed up to', options, io, ({ dataDir, databaseUrl }) => {
          if (databaseUrl !== null) throw new InputError(IN_POSTGRES)
          return backUpInbox(dataDir, resolve(file))
        }),
      )
    })
}

/** The description, options and examples of `perf-triage restore`. */
export function defineRestore(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Restores a file made by "perf-triage backup" into PERF_TRIAGE_DATA_DIR, which must have no inbox and no running bot, or into the empty PostgreSQL database of DATABASE_URL.',
    )
    .argument('<file>', 'a file made by "perf-triage backup"')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['restore /backup/inbox-2026-11-22.sqlite', 'before the bot starts in a new folder'],
        ['restore /backup/inbox-2026-11-22.sqlite', 'with DATABASE_URL: before the bot first starts on it'],
      ),
    )
    .action(async (file: string, options: { readonly json?: boolean }) => {
      finished(
        await report('restored to', options, io, ({ dataDir, databaseUrl }) =>
          restore(dataDir, databaseUrl, resolve(file)),
        ),
      )
    })
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
  { json }: { readonly json?: boolean },
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
