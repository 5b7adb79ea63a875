import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import type { Database } from '../../src/inbox/database.ts'
import { INBOX_FILE, type Inbox, type InboxOptions, inboxIn } from '../../src/inbox/inbox.ts'
import { openPostgres } from '../../src/inbox/postgres.ts'
import { openSqlite } from '../../src/inbox/sqlite.ts'

/** The tests of this folder run twice: on SQLite, and as the project `postgres` on what replicas share. */
export const IS_POSTGRES = inject('postgresUrl') !== undefined

/** The inbox of a folder, which is a name where the database is another. */
export async function openInbox(folder: string, options: InboxOptions = {}): Promise<Inbox> {
  return inboxIn(await openDatabase(folder), options)
}

export async function openDatabase(folder: string): Promise<Database> {
  return IS_POSTGRES ? await openPostgres(await schemaOf(folder)) : openSqlite(join(folder, INBOX_FILE))
}

/** The address of the schema that is a folder's. */
export async function schemaOf(folder: string): Promise<string> {
  const schema = `of_${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`
  const url = new URL(inject('postgresUrl')!)
  const client = new Client(url.href)
  await client.connect()
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  await client.end()
  url.searchParams.set('options', `-c search_path=${schema}`)
  return url.href
}
