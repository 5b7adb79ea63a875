import { Client } from 'pg'
import { z } from 'zod'
import { InboxNewer, InboxUnusable, sectionsOf, writtenByNewer } from './database.ts'
import { placeOf, reasonOf } from './postgres-errors.ts'

/** Creates and migrates the inbox’s tables in PostgreSQL. For SQLite: `sqlite.ts`. */

const MIGRATIONS: readonly string[] = sectionsOf('migrations-postgres.sql', 'migration').map(([, text]) => text)

/** The tables of the inbox; others may stand beside them in the schema. */
export const TABLES: readonly string[] = MIGRATIONS.flatMap((migration) =>
  [...migration.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table]) => table!),
)

const OLDEST_SERVER = 140_000

const CONNECT_TIMEOUT_MS = 5000
/** Replicas that start together wait for the first. */
const LOCK_TIMEOUT_MS = 5 * 60_000

/** Transactions that must not come between each other take this lock, each until its end. */
export const TAKE_LOCK = 'SELECT pg_advisory_xact_lock(1886745190, hashtext(current_schema()))'

const SERVER =
  "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version, current_schema() AS schema"
const serverRow = z.object({ number: z.int(), version: z.string(), schema: z.string().nullable() })
const isThereRow = z.object({ is_there: z.boolean() })
const versionRow = z.object({ version: z.int() })

/**
 * Makes the tables, or brings them up to date, as one transaction. Rejects with InboxNewer where a newer version was here, and with
 * `InboxUnusable` where nothing can be kept.
 */
export async function migrate(url: string): Promise<void> {
  const place = placeOf(url)
  let client: Client | undefined
  try {
    client = new Client({
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'perf-triage',
      connectionString: url,
    })
    // What breaks the connection breaks the query that waits for it too, and is said by that.
    client.on('error', () => {})
    await client.connect()
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await checkServer(client, place)
    await client.query(TAKE_LOCK)
    await bringUpToDate(client, place)
    await client.query('COMMIT')
  } catch (error) {
    if (error instanceof InboxUnusable || error instanceof InboxNewer) throw error
    const reason = reasonOf(error)
    const problem = `${place} can't be used (${reason}): ${adviceFor(reason)}`
    throw new InboxUnusable(problem, { cause: error })
  } finally {
    await client?.end()
  }
}

/** Advice for the operator; the first that fits the reason stands. */
const ADVICE: readonly (readonly [reason: RegExp, advice: string])[] = [
  [/altnames/i, 'use a host name from the certificate in DATABASE_URL'],
  [
    /certificate/i,
    'name a file with the certificate authority of the server’s certificate in DATABASE_URL, as ?sslmode=verify-full&sslrootcert=FILE',
  ],
  [/./, 'check that it runs, that DATABASE_URL is right, and that its user may create tables'],
]

function adviceFor(reason: string): string {
  return ADVICE.find(([of]) => of.test(reason))?.[1] ?? ''
}

async function checkServer(client: Client, place: string): Promise<void> {
  const server = serverRow.parse((await client.query(SERVER)).rows[0])
  if (server.number < OLDEST_SERVER)
    throw new InboxUnusable(`${place} is PostgreSQL ${server.version}: 14 or newer is needed`)
  if (server.schema === null)
    throw new InboxUnusable(`${place} has no schema for the tables: create one that is in its user’s search_path`)
}

async function bringUpToDate(client: Client, place: string): Promise<void> {
  const version = await versionOf(client)
  if (version > MIGRATIONS.length) throw new InboxNewer(writtenByNewer(place, version, MIGRATIONS.length))
  if (version === MIGRATIONS.length) return
  for (const migration of MIGRATIONS.slice(version)) await client.query(migration)
  await client.query('UPDATE inbox_version SET version = $1', [MIGRATIONS.length])
}

/** The number of migrations that were applied. A user who may only read and write rows can ask for it too. */
async function versionOf(client: Client): Promise<number> {
  const { rows } = await client.query("SELECT to_regclass('inbox_version') IS NOT NULL AS is_there")
  if (isThereRow.parse(rows[0]).is_there)
    return versionRow.parse((await client.query('SELECT version FROM inbox_version')).rows[0]).version
  return 0
}
