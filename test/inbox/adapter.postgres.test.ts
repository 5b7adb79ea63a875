import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { Client } from 'pg'
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { InputError } from '../../src/cli/commands/command.ts'
import { openInboxToRead } from '../../src/cli/commands/stored-inbox.ts'
import { InboxNewer, InboxUnavailable, InboxUnusable, RowUnusable, sectionsOf } from '../../src/inbox/database.ts'
import { NO_TABLES, numbered, openPostgres, type PostgresDatabase } from '../../src/inbox/postgres.ts'
import { queueStatements } from '../../src/inbox/queue.ts'
import { MIGRATIONS } from '../../src/inbox/sqlite.ts'
import { isWaitedFor, schemaOf } from './opened.ts'
import { postgresServer } from './postgres-server.ts'

const numberRow = z.object({ n: z.int() })
const statement = (text: string) => ({ name: 'test', text })
const PUT = statement('INSERT INTO turns VALUES (:queue, :installation, :turn)')
const ADD = statement('UPDATE turns SET turn = turn + 1 WHERE installation_id = :installation')
const TURN = statement('SELECT turn AS n FROM turns WHERE installation_id = :installation')
const put = (installation: number, turn = 0) => ({ queue: 'triages', installation, turn })

async function opened(url: string | null = null): Promise<PostgresDatabase> {
  const database = await openPostgres(url ?? (await schemaOf(randomUUID())))
  onTestFinished(() => database.close())
  return database
}

/** Another connection to the same schema, which does as it is told. */
async function client(url: string): Promise<Client> {
  const other = new Client(url)
  other.on('error', () => {})
  await other.connect()
  onTestFinished(() => other.end())
  return other
}

let shared: PostgresDatabase
beforeAll(async () => {
  shared = await openPostgres(inject('postgresUrl')!)
  return () => shared.close()
})

test('numbers, bytes and every text come back as they were; NUL, which PostgreSQL has not, as the sign of what is none', async () => {
  const READ = statement('SELECT CAST(:n AS BIGINT) AS n, CAST(:bytes AS BYTEA) AS bytes, CAST(:text AS TEXT) AS text')
  const row = z.object({ n: z.int().nullable(), bytes: z.instanceof(Uint8Array), text: z.string() })
  const number = fc.option(fc.maxSafeInteger())
  await fc.assert(
    fc.asyncProperty(number, fc.uint8Array(), fc.string({ unit: 'grapheme' }), async (n, bytes, text) => {
      const read = await shared.row(READ, row, { n, bytes, text })
      expect({ ...read, bytes: [...read!.bytes] }).toEqual({ n, bytes: [...bytes], text: text.replaceAll('\0', '�') })
    }),
    { numRuns: 50, examples: [[0, new Uint8Array([0]), 'a\0b']] },
  )
})

test('a number that is none of JavaScript’s is refused, as is a parameter without a value', async () => {
  const LARGE = statement('SELECT CAST(9007199254740993 AS BIGINT) AS n')
  await expect(shared.row(LARGE, numberRow)).rejects.toThrow(RowUnusable)
  await expect(shared.run(ADD, {})).rejects.toThrow('the parameter "installation" has no value')
})

test('a transaction is kept as a whole or not at all, and one within it is a part of it', async () => {
  const failing = shared.transaction(async () => {
    await shared.run(PUT, put(1))
    await shared.transaction(() => shared.run(PUT, put(2)))
    throw new Error('in the middle')
  })
  await expect(failing).rejects.toThrow('in the middle')
  expect(await shared.row(TURN, numberRow, { installation: 2 })).toBeNull()
  await shared.transaction(() => shared.run(PUT, put(1)), { isDurable: false })
  expect(await shared.row(TURN, numberRow, { installation: 1 })).toEqual({ n: 0 })
})

test('a statement that fails takes the whole transaction with it, even where its error is caught', async () => {
  await shared.run(PUT, put(3))
  const swallowing = shared.transaction(async () => {
    await shared.run(PUT, put(4))
    await shared.run(PUT, put(3)).catch(() => {})
  })
  await expect(swallowing).rejects.toThrow('so it was rolled back')
  expect(await shared.row(TURN, numberRow, { installation: 4 })).toBeNull()
})

test('what was begun in a transaction and not awaited is no part of it, nor of the next one', async () => {
  await shared.run(PUT, put(5))
  const isNext = Promise.withResolvers<void>()
  let later: Promise<number> | undefined
  await shared.transaction(async () => {
    later = isNext.promise.then(() => shared.run(ADD, { installation: 5 }))
  })
  const next = shared.transaction(async () => {
    await shared.run(PUT, put(9))
    isNext.resolve()
    await later
    throw new Error('in the end')
  })
  await expect(next).rejects.toThrow('in the end')
  expect(await shared.row(TURN, numberRow, { installation: 5 })).toEqual({ n: 1 })
})

test('limits that the address sets count before those of the bot', async () => {
  const url = new URL(await schemaOf(randomUUID()))
  url.searchParams.set('statement_timeout', '7000')
  url.searchParams.set('options', `${url.searchParams.get('options')} -c idle_in_transaction_session_timeout=8000`)
  const database = await opened(url.href)
  const limitRow = z.object({ limit: z.string() })
  for (const [name, limit] of [
    ['statement_timeout', '7s'],
    ['idle_in_transaction_session_timeout', '8s'],
    ['lock_timeout', '5s'],
    ['enable_bitmapscan', 'off'],
  ] as const)
    expect(await database.row(statement(`SELECT current_setting('${name}') AS "limit"`), limitRow)).toEqual({ limit })
})

test('transactions of several processes come one after the other: what one read holds when it writes', async () => {
  const url = await schemaOf(randomUUID())
  const processes = await Promise.all([opened(url), opened(url), opened(url)])
  await processes[0].run(PUT, put(1))
  const SET = statement('UPDATE turns SET turn = :turn WHERE installation_id = :installation')
  const increment = (database: PostgresDatabase) =>
    database.transaction(async () => {
      const { n } = (await database.row(TURN, numberRow, { installation: 1 }))!
      await database.run(SET, { installation: 1, turn: n + 1 })
    })
  await Promise.all(processes.flatMap((database) => Array.from({ length: 20 }, () => increment(database))))
  expect(await processes[0].row(TURN, numberRow, { installation: 1 })).toEqual({ n: 60 })
})

test('one that need not be serial waits for no other', async () => {
  const isFree = Promise.withResolvers<void>()
  const slow = shared.transaction(() => isFree.promise)
  await shared.transaction(() => shared.run(PUT, put(6)), { isSerial: false })
  isFree.resolve()
  await slow
  expect(await shared.row(TURN, numberRow, { installation: 6 })).toEqual({ n: 0 })
})

test('one within it that must be serial makes it so', async () => {
  const isFree = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  const slow = shared.transaction(async () => {
    isHeld.resolve()
    await isFree.promise
  })
  await isHeld.promise
  let isIn = false
  const both = shared.transaction(
    () =>
      shared.transaction(async () => {
        isIn = true
      }),
    { isSerial: false },
  )
  await isWaitedFor(inject('postgresUrl')!, 'objid = hashtext(current_schema())::oid')
  expect(isIn).toBe(false)
  isFree.resolve()
  await Promise.all([slow, both])
  expect(isIn).toBe(true)
})

test('two that hold what the other wants: one is done again, and both are kept', async () => {
  await shared.run(PUT, put(7))
  await shared.run(PUT, put(8))
  const both = Promise.withResolvers<void>()
  let begun = 0
  let attempts = 0
  const inOrder = (first: number, second: number) =>
    shared.transaction(
      async () => {
        attempts++
        await shared.run(ADD, { installation: first })
        if (++begun === 2) both.resolve()
        await both.promise
        await shared.run(ADD, { installation: second })
      },
      { isSerial: false },
    )
  await Promise.all([inOrder(7, 8), inOrder(8, 7)])
  expect(attempts).toBe(3)
  for (const installation of [7, 8]) expect(await shared.row(TURN, numberRow, { installation })).toEqual({ n: 2 })
})

test('replicas that start together make the tables once; those of a newer version are left alone', async () => {
  const url = await schemaOf(randomUUID())
  await Promise.all([opened(url), opened(url), opened(url)])
  const other = await client(url)
  await other.query('UPDATE inbox_version SET version = version + 99')
  onTestFinished(async () => void (await other.query('UPDATE inbox_version SET version = version - 99')))
  const refused = openPostgres(url)
  await expect(refused).rejects.toThrow(InboxNewer)
  await expect(refused).rejects.toThrow(/^postgresql:\S+ was written by a newer perf-triage \(table version \d+;/)
})

test('both databases take every statement as it stands', async () => {
  const folder = new URL('../../src/inbox/sql/', import.meta.url)
  const files = readdirSync(folder).filter((file) => !file.startsWith('migrations'))
  expect(files.length).toBeGreaterThan(3)
  const url = await schemaOf(randomUUID())
  await opened(url)
  const postgres = await client(url)
  const sqlite = new DatabaseSync(':memory:')
  for (const migration of MIGRATIONS) sqlite.exec(migration)
  const statements = [
    ...files.flatMap((file) => sectionsOf(file, 'name').map(([name, text]) => ({ name: `${file} ${name}`, text }))),
    ...Object.values(queueStatements('triages')),
  ]
  for (const { name, text } of statements) {
    sqlite.prepare(text)
    // A name without quotes comes back in lower case.
    expect(text, name).not.toMatch(/\bAS [a-z]+[A-Z]/)
    await postgres.query(`PREPARE "${name}" AS ${numbered(text).text}`)
  }
  sqlite.close()
})

/** In SQLite they came later, with a value for the rows of before. */
const LATER = new Set(['deliveries.installation_id', 'merges.is_silent'])
const SQLITE_TYPES = new Map([
  ['bigint', 'INTEGER'],
  ['integer', 'INTEGER'],
  ['bytea', 'BLOB'],
  ['text', 'TEXT'],
])

/** Such as `kind IN ('day', 'week')`. */
function checksIn(ddl: string): string[] {
  return [...ddl.matchAll(/CHECK \((\w+ (?:IN \([^)]*\)|[^)]*))\)/g)].map(([, check]) => check!).toSorted()
}

test('both databases have the same tables, whose columns and checks take the same', async () => {
  const url = await schemaOf(randomUUID())
  await opened(url)
  const ofPostgres = await (await client(url)).query<Record<string, unknown>>(`
    SELECT table_name || '.' || column_name AS "column", data_type AS type, (is_nullable = 'YES')::int AS "isNullable",
      column_default AS "default"
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> 'inbox_version'`)
  const sqlite = new DatabaseSync(':memory:')
  for (const migration of MIGRATIONS) sqlite.exec(migration)
  const ofSqlite = sqlite.prepare(`
    SELECT t.name || '.' || c.name AS "column", c.type, c."notnull" = 0 AND c.pk = 0 AS "isNullable", c.dflt_value AS "default"
    FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%'`)
  const inOrder = (rows: readonly Record<string, unknown>[]) =>
    rows.toSorted((a, b) => (String(a['column']) < String(b['column']) ? -1 : 1))
  expect(inOrder(ofPostgres.rows.map((row) => ({ ...row, type: SQLITE_TYPES.get(String(row['type'])) })))).toEqual(
    inOrder(ofSqlite.all().map((row) => (LATER.has(String(row['column'])) ? { ...row, default: null } : { ...row }))),
  )
  const ddl = sqlite.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table'").all()
  sqlite.close()
  const checks = checksIn(sectionsOf('migrations-postgres.sql', 'migration').join('\n'))
  expect(checks.length).toBeGreaterThan(10)
  expect(checks).toEqual(checksIn(ddl.map(({ sql }) => String(sql)).join('\n')))
})

test('what was posted and decided is only ever added', async () => {
  const url = await schemaOf(randomUUID())
  const database = await opened(url)
  await database.run(
    statement(
      "INSERT INTO posted (repository_id, pull_request_number, kind, head, posted_at) VALUES (1, 2, 'labels', 'a', 3)",
    ),
  )
  await expect(database.run(statement('DELETE FROM posted'))).rejects.toThrow('posted is append-only')
  await expect(database.run(statement('UPDATE posted SET hash = NULL'))).rejects.toThrow('posted is append-only')
})

test('a server that stops and comes back: errors in a sentence without the password, and then all is as before', async () => {
  const server = await postgresServer()
  onTestFinished(() => server.remove())
  const url = server.url.replace('postgres@', 'postgres:secret@')
  const database = await opened(url)
  await database.run(PUT, put(1))
  const inside = Promise.withResolvers<void>()
  const isAway = Promise.withResolvers<void>()
  const cut = database.transaction(async () => {
    await database.run(ADD, { installation: 1 })
    inside.resolve()
    await isAway.promise
    await database.run(ADD, { installation: 1 })
  })
  cut.catch(() => {})
  await inside.promise
  await server.stop()
  isAway.resolve()
  for (const failing of [cut, database.ping(), database.transaction(() => database.run(ADD, { installation: 1 }))]) {
    await expect(failing).rejects.toThrow(InboxUnavailable)
    await expect(failing).rejects.toThrow(/^postgresql:\/\/postgres@127\.0\.0\.1:\d+\/postgres can't be used now \(/)
  }
  await expect(openPostgres(url)).rejects.toThrow(InboxUnusable)
  await expect(openPostgres(url)).rejects.not.toThrow('secret')
  await server.start()
  await database.ping()
  expect(await database.row(TURN, numberRow, { installation: 1 })).toEqual({ n: 0 })
})

test('a connection that breaks in the middle takes nothing along but its transaction', async () => {
  const url = await schemaOf(randomUUID())
  const database = await opened(url)
  const other = await client(url)
  const PID = statement('SELECT pg_backend_pid() AS n')
  const cut = database.transaction(async () => {
    const { n } = (await database.row(PID, numberRow))!
    await other.query('SELECT pg_terminate_backend($1)', [n])
    // The process hears of it with nothing under way that could tell.
    const LIVING = 'SELECT 1 FROM pg_stat_activity WHERE pid = $1'
    await expect.poll(async () => (await other.query(LIVING, [n])).rowCount, { interval: 10 }).toBe(0)
    await database.run(PUT, put(1))
  })
  await expect(cut).rejects.toThrow(InboxUnavailable)
  await database.run(PUT, put(1))
})

test('a command that reads says of a database on which the bot was never started what to do', async () => {
  const url = new URL(inject('postgresUrl')!)
  url.pathname = '/template1'
  const asked = { databaseUrl: url.href, dataDir: '/nowhere' }
  await expect(openInboxToRead(asked)).rejects.toThrow(new InputError(NO_TABLES))
  url.port = '1'
  await expect(openInboxToRead({ ...asked, databaseUrl: url.href })).rejects.toThrow(InputError)
  await using inbox = await openInboxToRead({ ...asked, databaseUrl: await startedOn() })
  expect(inbox).not.toBeNull()
})

async function startedOn(): Promise<string> {
  const url = await schemaOf(randomUUID())
  await opened(url)
  return url
}

test('an address that can’t be right is said with what to do, and without what stands in it', async () => {
  const { host } = new URL(inject('postgresUrl')!)
  for (const [url, problem] of [
    [`postgresql://postgres:secret@${host}/nowhere`, 'database "nowhere" does not exist'],
    [
      `postgresql://postgres:secret@${host}/postgres?sslmode=verify-full`,
      'The server does not support SSL connections',
    ],
    [`postgresql://postgres:secret@${host}/postgres?sslrootcert=/nowhere&sslmode=verify-full`, 'no such file'],
    ['postgresql://postgres:secret@127.0.0.1:1/postgres', 'connect ECONNREFUSED 127.0.0.1:1'],
    [`postgresql://postgres:secret@${host}/postgres?options=-c%20search_path=nothing`, 'has no schema for the tables'],
  ] as const) {
    const refused = openPostgres(url)
    await expect(refused).rejects.toThrow(InboxUnusable)
    await expect(refused).rejects.toThrow(problem)
    await expect(refused).rejects.not.toThrow('secret')
  }
})
