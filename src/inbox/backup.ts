import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { InboxNewer, usable } from './database.ts'
import { INBOX_FILE } from './inbox.ts'
import { openSqlite, versionOf } from './sqlite.ts'

/** The copy can't be made. The message says why, and what to do. */
export class BackupFailed extends Error {
  override readonly name = 'BackupFailed'
}

/** Tables that every version of the file has. */
const TABLES = ['deliveries', 'triages', 'posted', 'decisions', 'configs', 'installed_repositories']

export interface Copied {
  /** Where the copy is. */
  readonly file: string
  readonly bytes: number
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Copies the inbox of a data folder to a file that is not there yet: one consistent state of it, with what is still in the
 * journal. The bot may serve meanwhile. @throws BackupFailed, InboxNewer
 */
export function backUpInbox(dataDir: string, file: string): Copied {
  const inbox = join(dataDir, INBOX_FILE)
  if (!existsSync(inbox)) {
    throw new BackupFailed(`${dataDir} has no ${INBOX_FILE}: set PERF_TRIAGE_DATA_DIR to the bot’s data folder`)
  }
  if (existsSync(file)) throw new BackupFailed(`${file} already exists: name a new file`)
  return copy(inbox, file)
}

/**
 * Puts a backup into a data folder without an inbox, whose lock the caller holds, and brings it up to date.
 * @throws BackupFailed, InboxNewer
 */
export async function restoreInbox(dataDir: string, file: string): Promise<Copied> {
  if (!existsSync(file)) throw new BackupFailed(`${file} does not exist: name a file made by "perf-triage backup"`)
  const inbox = join(dataDir, INBOX_FILE)
  const there = ['', '-wal', '-shm'].map((suffix) => `${inbox}${suffix}`).find((path) => existsSync(path))
  if (there !== undefined)
    throw new BackupFailed(`${there} already exists: move it away first, since nothing is overwritten`)
  const copied = copy(file, inbox)
  await openSqlite(inbox).close()
  return copied
}

function copy(from: string, to: string): Copied {
  const folder = dirname(to)
  if (!existsSync(folder))
    throw new BackupFailed(`${folder} does not exist: create this folder, or name a file in another one`)
  const part = `${to}.part`
  try {
    const rows = copyInto(from, part)
    const bytes = statSync(part).size
    renameSync(part, to)
    return { file: to, bytes, rows }
  } finally {
    rmSync(part, { force: true })
  }
}

function copyInto(from: string, part: string): Record<string, number> {
  rmSync(part, { force: true })
  // SQLite fills an empty file, which has its permissions already.
  closeSync(openSync(part, 'wx', 0o600))
  const source = open(from)
  try {
    versionOf(source, from)
    source.prepare('VACUUM INTO ?').run(part)
  } catch (error) {
    throw unreadable(from, error)
  } finally {
    source.close()
  }
  const made = open(part)
  try {
    const check = made.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
    if (check !== 'ok') throw new Error(String(check))
    return Object.fromEntries(TABLES.map((table) => [table, countOf(made, table)]))
  } catch (error) {
    throw unreadable(from, error)
  } finally {
    made.close()
    const file = openSync(part, 'r')
    fsyncSync(file)
    closeSync(file)
  }
}

function open(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  } catch (error) {
    throw unreadable(file, error)
  }
}

const countRow = z.object({ n: z.int() })

function countOf(database: DatabaseSync, table: string): number {
  return usable(database.prepare(`SELECT count(*) AS n FROM ${table}`).get(), countRow).n
}

function unreadable(file: string, error: unknown): Error {
  if (error instanceof BackupFailed || error instanceof InboxNewer) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new BackupFailed(
    `${file} can't be copied: ${reason}. Is it an inbox of perf-triage, and is there space on the disk?`,
  )
}
