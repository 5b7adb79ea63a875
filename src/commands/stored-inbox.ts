import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS, versionOf } from '../inbox/database.ts'
import { INBOX_FILE } from '../inbox/inbox.ts'
import { InputError } from './command.ts'

/** The inbox in a data folder, read only: the bot may serve from it meanwhile. Null: there is none. The caller closes it. */
export function openInboxToRead(dataDir: string): DatabaseSync | null {
  const file = join(dataDir, INBOX_FILE)
  if (!existsSync(file)) return null
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    if (versionOf(database, file) < MIGRATIONS.length) {
      throw new InputError(
        `${file} was written by an older perf-triage: start this one once, which brings it up to date`,
      )
    }
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
