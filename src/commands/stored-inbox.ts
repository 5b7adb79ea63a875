import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { INBOX_FILE } from '../inbox/inbox.ts'
import { openSqliteToRead, type SqliteDatabase } from '../inbox/sqlite.ts'
import { InputError } from './command.ts'

/** The inbox in a data folder, read only: the bot may serve from it meanwhile. Null: there is none. The caller closes it. */
export function openInboxToRead(dataDir: string): SqliteDatabase | null {
  const file = join(dataDir, INBOX_FILE)
  if (!existsSync(file)) return null
  const { database, isOlder } = openSqliteToRead(file)
  if (!isOlder) return database
  void database.close()
  throw new InputError(`${file} was written by an older perf-triage: start this one once, which brings it up to date`)
}
