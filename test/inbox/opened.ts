import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, inject, onTestFinished } from 'vitest'
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

/** The schema of each folder, and those that were emptied: to make the tables anew takes ten times as long. */
const SCHEMAS = new Map<string, string>()
const EMPTIED: string[] = []

/** The address of the schema that is a folder's while the running test lasts. */
export async function schemaOf(folder: string): Promise<string> {
  const url = new URL(inject('postgresUrl')!)
  let schema = SCHEMAS.get(folder)
  if (schema === undefined) {
    const used = EMPTIED.pop() ?? `of_${randomUUID().replaceAll('-', '')}`
    schema = used
    SCHEMAS.set(folder, used)
    await told(url, `CREATE SCHEMA IF NOT EXISTS ${used}`)
    onTestFinished(async () => {
      SCHEMAS.delete(folder)
      await told(url, EMPTY.replaceAll('schema_of_test', used))
      EMPTIED.push(used)
    })
  }
  url.searchParams.set('options', `-c search_path=${schema}`)
  return url.href
}

const EMPTY = `DO $$ BEGIN EXECUTE coalesce((
  SELECT 'TRUNCATE ' || string_agg(format('%I.%I', schemaname, tablename), ', ') || ' RESTART IDENTITY'
  FROM pg_tables WHERE schemaname = 'schema_of_test' AND tablename <> 'inbox_version'
), 'SELECT 1'); END $$`

/** Resolves when somebody waits for the lock of which this holds in `pg_locks`. */
export async function isWaitedFor(url: string, lock: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  const WAITING = `SELECT 1 FROM pg_locks WHERE NOT granted AND ${lock}`
  await expect.poll(async () => (await client.query(WAITING)).rowCount, { interval: 10 }).toBe(1)
  await client.end()
}

async function told(url: URL, statement: string): Promise<void> {
  const client = new Client(url.href)
  await client.connect()
  await client.query(statement)
  await client.end()
}
