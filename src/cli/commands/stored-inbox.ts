import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { InboxEnvironment } from '../../config/environment.ts'
import { type Database, InboxUnavailable } from '../../inbox/database.ts'
import { INBOX_FILE } from '../../inbox/inbox.ts'
import { openSqliteToRead } from '../../inbox/sqlite.ts'
import { InputError } from './command.ts'

/** The inbox, for reading: the bot may serve from it meanwhile. Null: there is none in the data folder. The caller closes it. */
export async function openInboxToRead({
  databaseUrl,
  dataDir,
}: InboxEnvironment): Promise<(Database & AsyncDisposable) | null> {
  if (databaseUrl !== null) {
    // Loaded where it is used: most commands need no inbox.
    const { NO_TABLES, PostgresDatabase } = await import('../../inbox/postgres.ts')
    const shared = new PostgresDatabase(databaseUrl)
    const database = Object.assign(shared, { [Symbol.asyncDispose]: () => shared.close() })
    try {
      if (await shared.hasTables()) return database
      throw new InputError(NO_TABLES)
    } catch (error) {
      await shared.close()
      throw error instanceof InboxUnavailable ? new InputError(error.message) : error
    }
  }
  const file = join(dataDir, INBOX_FILE)
  if (!existsSync(file)) return null
  const { database, isOlder } = openSqliteToRead(file)
  if (!isOlder) return database
  await database.close()
  throw new InputError(`${file} was written by an older perf-triage: start this version once to bring it up to date`)
}
