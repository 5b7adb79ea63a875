import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  type Database,
  InboxNewer,
  InboxUnusable,
  RowUnusable,
  sectionsOf,
  statementsOf,
} from '../../src/inbox/database.ts'
import { INBOX_FILE, inboxIn, openInbox } from '../../src/inbox/inbox.ts'
import { queueStatements } from '../../src/inbox/queue.ts'
import { CRASHES_OF_ITS_OWN } from '../../src/inbox/retry.ts'
import { MIGRATIONS, openSqlite, SqliteDatabase } from '../../src/inbox/sqlite.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('is for the eyes of its owner alone, its journal too', async () => {
  const folder = join(temporaryFolder(), 'data')
  const inbox = await openInbox(folder)
  await inbox.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{}' }, 0)
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect(modeOf(folder)).toBe('700')
  for (const suffix of ['', '-wal', '-shm']) expect(modeOf(join(folder, INBOX_FILE + suffix))).toBe('600')
  await inbox.close()
})

test('a merge with something to tell is not kept waiting by later ones without', async () => {
  const inbox = await openInbox(temporaryFolder())
  const finding = {
    test: 'sum',
    queryIndex: 0,
    queryName: null,
    metric: 'client_time',
    architecture: null,
    difference: 0.1,
  }
  const silent = { ...finding, isSilent: true as const }
  const merges = { 1: [silent, finding], 2: [finding], 3: [silent], 4: [silent, silent] }
  for (const [number, findings] of Object.entries(merges))
    await inbox.merges.add(7, {
      pullRequestNumber: Number(number),
      mergeCommit: 'c',
      findings,
      heardAt: Number(number),
    })
  const waiting = await inbox.merges.waiting(7, 3)
  expect(waiting.map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([2, 1, 4])
  expect(waiting[1]!.findings).toEqual([silent, finding])
  await inbox.close()
})

const pragma = (database: Database, name: string) =>
  database.row({ name, text: `PRAGMA ${name}` }, z.record(z.string(), z.unknown()))

test('writes through to the disk', async () => {
  await using database = openSqlite(join(temporaryFolder(), INBOX_FILE))
  expect(await pragma(database, 'journal_mode')).toEqual({ journal_mode: 'wal' })
  // 2 is FULL.
  expect(await pragma(database, 'synchronous')).toEqual({ synchronous: 2 })
  expect(await pragma(database, 'foreign_keys')).toEqual({ foreign_keys: 1 })
  expect(await pragma(database, 'busy_timeout')).toEqual({ timeout: 5000 })
})

test('counts the ends of the process alike in its code, its statements and its indexes', async () => {
  const sql = new URL('../../src/inbox/sql/', import.meta.url)
  const statements = readdirSync(sql).filter((file) => file !== 'migrations.sql')
  await using database = openSqlite(join(temporaryFolder(), INBOX_FILE))
  const text = "SELECT sql FROM sqlite_master WHERE name LIKE '%_alone'"
  const indexes = await database.rows({ name: 'indexes', text }, z.object({ sql: z.string() }))
  expect(indexes).toHaveLength(2)
  for (const text of [...statements.map((file) => readFileSync(new URL(file, sql), 'utf8')), JSON.stringify(indexes)]) {
    for (const [, number] of text.matchAll(/crashes (?:>=|<) (\d+)/g)) expect(Number(number)).toBe(CRASHES_OF_ITS_OWN)
  }
})

test('waits for the disk again after what need not be waited for, also where that failed', async () => {
  await using database = openSqlite(join(temporaryFolder(), INBOX_FILE))
  const synchronous = async () => (await pragma(database, 'synchronous'))!['synchronous']
  expect(await database.transaction(synchronous, { isDurable: false })).toBe(1)
  expect(await synchronous()).toBe(2)
  const failing = async () => await Promise.reject(new Error('no'))
  await expect(database.transaction(failing, { isDurable: false })).rejects.toThrow('no')
  expect(await synchronous()).toBe(2)
  expect(await database.transaction(() => database.transaction(synchronous, { isDurable: false }))).toBe(2)
})

test('of the work of a delivery only its receipt waits for the disk', async () => {
  const database = openSqlite(join(temporaryFolder(), INBOX_FILE))
  const transactions = vi.spyOn(database, 'transaction')
  const inbox = inboxIn(database, { debounceMs: 0 })
  const target = { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber: 1, head: null }
  await inbox.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{}' }, 0)
  await inbox.deliveries.fail((await inbox.deliveries.claimNext(0))!, 'down', 0)
  await inbox.deliveries.finish((await inbox.deliveries.claimNext(5000))!, 5000)
  await inbox.triages.wake(target, 0)
  await inbox.triages.fail((await inbox.triages.claimNext(0))!, 'down', 0)
  await inbox.triages.finish((await inbox.triages.claimNext(30_000))!, { waitUntil: null }, 30_000)
  const [receipt, ...others] = transactions.mock.calls.map(([, of]) => of?.isDurable ?? true)
  expect(receipt).toBe(true)
  expect(others).toEqual(Array.from({ length: 9 }, () => false))
  await inbox.close()
})

test('what is written together is there together or not at all', async () => {
  const inbox = await openInbox(temporaryFolder())
  const receive = (guid: string) =>
    inbox.deliveries.receive({ guid, event: 'push', installationId: 9, payload: '{}' }, 0)
  const repository = { repositoryId: 7, installationId: 9, owner: 'o', repo: 'r' }
  await expect(
    inbox.together(async () => {
      await inbox.repositories.heard([{ kind: 'there', ...repository, isPrivate: true }], 0)
      await receive('a')
      await receive('not a delivery id')
    }),
  ).rejects.toThrow('not a delivery id')
  expect([await inbox.deliveries.claimNext(1), await inbox.repositories.byId(7)]).toEqual([null, null])
  await inbox.together(async () => {
    await receive('a')
    await receive('b')
  })
  expect((await inbox.deliveries.counts()).received).toBe(2)
  await inbox.close()
})

test('whatever a loss of power takes of the end of the log, what was answered is done or still to do', async () => {
  const folder = temporaryFolder()
  const log = join(folder, `${INBOX_FILE}-wal`)
  const inbox = await openInbox(folder, { debounceMs: 10 })
  await inbox.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{}' }, 0)
  const answered = statSync(log).size
  const claim = (await inbox.deliveries.claimNext(1))!
  await inbox.installations.seen({ repositoryId: 7, installationId: 9, owner: 'o', repo: 'r' }, 1)
  await inbox.triages.wake(
    { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber: 1, head: null },
    2,
  )
  await inbox.deliveries.finish(claim, 3)
  const all = statSync(log).size

  const found = new Set<string>()
  // Also in the middle of a frame, which has 4,120 bytes.
  for (let kept = answered; kept <= all; kept += 1030) {
    const copy = join(folder, `kept-${kept}`)
    mkdirSync(copy)
    for (const suffix of ['', '-wal']) copyFileSync(join(folder, INBOX_FILE + suffix), join(copy, INBOX_FILE + suffix))
    truncateSync(join(copy, `${INBOX_FILE}-wal`), kept)
    const after = await openInbox(copy)
    await after.recoverAfterCrash(4)
    found.add(`${(await after.deliveries.claimNext(4))?.guid ?? 'done'}, due: ${(await after.triages.counts()).due}`)
    await after.close()
  }
  await inbox.close()
  expect([...found].toSorted()).toEqual(['a, due: 0', 'a, due: 1', 'done, due: 1'])
})

test('everything is there again after it was closed', async () => {
  const folder = temporaryFolder()
  const target = { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber: 1, head: null }
  const first = await openInbox(folder, { debounceMs: 10 })
  await first.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{}' }, 0)
  await first.triages.wake(target, 0)
  await first.deliveries.claimNext(1)
  await first.triages.claimNext(10)
  await first.close()

  const second = await openInbox(folder)
  expect(await second.deliveries.claimNext(11)).toBeNull()
  expect(await second.triages.claimNext(11)).toBeNull()
  expect(await second.recoverAfterCrash(11)).toEqual({ deliveries: 1, triages: 1 })
  expect(await second.deliveries.claimNext(11)).toMatchObject({ guid: 'a', attempts: 1 })
  expect(await second.triages.claimNext(11)).toMatchObject({ ...target, attempts: 1 })
  await second.ping()
  await second.close()
})

test('a disk that is full: a delivery and readiness say so, in the words of SQLite', async () => {
  const folder = temporaryFolder()
  const script = fileURLToPath(new URL('receive-until-full.ts', import.meta.url))
  // Blocks of 512 bytes: a file can't grow beyond a megabyte.
  const child = spawn('sh', ['-c', 'ulimit -f 2000; exec "$0" "$@"', process.execPath, script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'close')
  expect(JSON.parse(output)).toEqual({
    received: expect.stringMatching(/^(database or disk is full|disk I\/O error)$/),
    ping: expect.stringMatching(/^(database or disk is full|disk I\/O error)$/),
  })
})

test('a database that fills up keeps the reason, and takes what fits afterwards', async () => {
  const connection = new DatabaseSync(join(temporaryFolder(), INBOX_FILE))
  await using database = new SqliteDatabase(connection, INBOX_FILE)
  connection.exec('CREATE TABLE filling (text TEXT) STRICT')
  const pages = Number(connection.prepare('PRAGMA page_count').get()!['page_count'])
  connection.exec(`PRAGMA max_page_count = ${pages + 1}`)
  const insert = { name: 'insert', text: 'INSERT INTO filling VALUES (:text)' }
  const filling = database.transaction(() => database.run(insert, { text: 'x'.repeat(100_000) }))
  await expect(filling).rejects.toThrow('database or disk is full')
  expect(connection.isTransaction).toBe(false)
  expect(await database.transaction(() => database.run(insert, { text: 'x' }))).toBe(1)
  await expect(database.transaction(async () => fail('a reason of its own'))).rejects.toThrow('a reason of its own')
  expect(connection.isTransaction).toBe(false)
})

test('what comes while a transaction is open is no part of it, and is in its turn', async () => {
  const connection = new DatabaseSync(join(temporaryFolder(), INBOX_FILE))
  await using database = new SqliteDatabase(connection, INBOX_FILE)
  connection.exec('CREATE TABLE said (word TEXT) STRICT')
  const say = (word: string) => database.run({ name: 'say', text: 'INSERT INTO said VALUES (:word)' }, { word })
  const count = { name: 'count', text: 'SELECT count(*) AS n FROM said' }
  const said = async () => (await database.row(count, z.object({ n: z.int() })))!.n
  const pause = Promise.withResolvers<void>()
  let late: Promise<number> = Promise.resolve(0)
  const undone = database.transaction(async () => {
    await say('undone')
    await database.transaction(() => say('undone with the outer one'))
    // Begun inside, and run when the transaction is over.
    late = pause.promise.then(async () => await new Promise((resolve) => setImmediate(resolve))).then(() => say('late'))
    await pause.promise
    expect(await said()).toBe(2)
    throw new Error('no')
  })
  const outside = say('outside')
  const counted = said()
  const next = database.transaction(async () => {
    await say('next')
    return await said()
  })
  pause.resolve()
  await expect(undone).rejects.toThrow('no')
  expect([await outside, await counted, await next, await late]).toEqual([1, 1, 2, 1])
  const words = { name: 'words', text: 'SELECT word FROM said ORDER BY rowid' }
  expect(
    await database.rows(
      words,
      z.object({ word: z.string() }).transform(({ word }) => word),
    ),
  ).toEqual(['outside', 'next', 'late'])
})

test('every statement can be prepared', async () => {
  const connection = new DatabaseSync(join(temporaryFolder(), INBOX_FILE))
  for (const migration of MIGRATIONS) connection.exec(migration)
  const sql = new URL('../../src/inbox/sql/', import.meta.url)
  for (const file of readdirSync(sql).filter((name) => !name.includes('migrations')))
    for (const [name, text] of sectionsOf(file, 'name')) expect(() => connection.prepare(text), name).not.toThrow()
  for (const { name, text } of Object.values(queueStatements('triages')))
    expect(() => connection.prepare(text), name).not.toThrow()
  expect(() => statementsOf('turns.sql', ['nobody'])).toThrow('turns.sql has no statement "nobody"')
  connection.close()
})

test.each([
  ['is no database', (bytes: Buffer) => bytes.fill('x')],
  ['has lost a page', (bytes: Buffer) => bytes.fill(0xff, 4_096 * 3, 4_096 * 5)],
  ['has lost its end', (bytes: Buffer) => bytes.subarray(0, 4_096 * 4)],
])('a damaged file is noticed at start: it %s', async (_, damage) => {
  const folder = temporaryFolder()
  const file = join(folder, INBOX_FILE)
  await (await openInbox(folder)).close()
  const damaged = damage(readFileSync(file))
  writeFileSync(file, damaged)
  await expect(openInbox(folder)).rejects.toThrow(InboxUnusable)
  await expect(openInbox(folder)).rejects.toThrow(`${file} is damaged (`)
  await expect(openInbox(folder)).rejects.toThrow(
    '): restore a backup ("perf-triage restore --help"). Without one, move it away',
  )
  // It is still there for whoever can repair it.
  expect(readFileSync(file).equals(damaged)).toBe(true)
})

test('an inbox of before the trunk had a kind of its own is as it was: due, asked for, with its claims', async () => {
  const folder = temporaryFolder()
  const older = new DatabaseSync(join(folder, INBOX_FILE))
  for (const migration of MIGRATIONS.slice(0, 8)) older.exec(migration)
  older.exec(`INSERT INTO triages (
      repository_id, pull_request_number, installation_id, owner, repo, state, due_at, generation, claim, head,
      changed_at, attempts, last_error, crashes, asked_generation
    ) VALUES (7, 0, 9, 'o', 'r', 'due', 10, 3, 2, 'aa', 5, 1, 'down', 0, NULL),
      (7, 12, 9, 'o', 'r', 'working', 30, 4, 6, 'bb', 5, 2, NULL, 1, 4);
    PRAGMA user_version = 8`)
  older.close()

  const inbox = await openInbox(folder)
  const { triages } = inbox
  const named = { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r' }
  const trunk = { ...named, pullRequestNumber: null, head: 'aa' }
  expect(await triages.failing(10)).toEqual([{ ...trunk, state: 'due', attempts: 1, lastError: 'down', changedAt: 5 }])
  await triages.wake({ ...trunk, head: 'cc' }, 10)
  expect(await triages.claimNext(20)).toMatchObject({ ...trunk, head: 'cc', generation: 4, claim: 3, attempts: 2 })
  await triages.recoverAfterCrash(30)
  const claims = [await triages.claimNext(30), await triages.claimNext(30)]
  expect(claims).toMatchObject([
    { pullRequestNumber: null, isAskedFor: false },
    { ...named, pullRequestNumber: 12, head: 'bb', generation: 4, claim: 7, attempts: 2, isAskedFor: true },
  ])
  await inbox.close()
})

test('merges of before this version are silent where nobody was told of any slowdown', () => {
  const older = new DatabaseSync(':memory:')
  for (const migration of MIGRATIONS.slice(0, 15)) older.exec(migration)
  const findings = { 1: '[{"isSilent":true},{}]', 2: '[{"isSilent":true}]', 3: '[]', 4: '[{}]' }
  for (const [number, text] of Object.entries(findings))
    older.prepare("INSERT INTO merges VALUES (7, ?, 'aa', ?, 5, NULL, NULL)").run(number, text)
  older.exec(MIGRATIONS[15]!)
  const rows = older.prepare('SELECT is_silent FROM merges ORDER BY pull_request_number').all()
  expect(rows.map((row) => row['is_silent'])).toEqual([0, 1, 1, 0])
  older.close()
})

test('a row that perf-triage does not write is named instead of believed', async () => {
  const folder = temporaryFolder()
  const inbox = await openInbox(folder)
  const edited = new DatabaseSync(join(folder, INBOX_FILE))
  edited.exec(`INSERT INTO posted (repository_id, pull_request_number, kind, head, labels, posted_at)
    VALUES (7, 1, 'labels', 'aa', '["slow"', 5), (7, 2, 'labels', 'aa', '[1]', 5), (7, 3, 'labels', 'aa', '["slow"]', 5)`)
  edited.close()
  await expect(inbox.posted.latestPosted(7, 1)).rejects.toThrow(RowUnusable)
  await expect(inbox.posted.latestPosted(7, 1)).rejects.toThrow(
    "a row of the inbox can't be read (labels: is not JSON): restore",
  )
  await expect(inbox.posted.latestPosted(7, 2)).rejects.toThrow('expected string, received number')
  expect((await inbox.posted.latestPosted(7, 3)).labels).toEqual(['slow'])
  await inbox.close()
})

test('does not touch the file of a newer version', async () => {
  const folder = temporaryFolder()
  await (await openInbox(folder)).close()
  const newer = new DatabaseSync(join(folder, INBOX_FILE))
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  const { length } = readFileSync(join(folder, INBOX_FILE))
  await expect(openInbox(folder)).rejects.toThrow(InboxNewer)
  await expect(openInbox(folder)).rejects.toThrow(
    /inbox\.sqlite was written by a newer perf-triage \(table version 99; .* Start the newer/,
  )
  expect(readFileSync(join(folder, INBOX_FILE))).toHaveLength(length)
})

test('after kill -9 every delivery that was acknowledged is there', async () => {
  const folder = temporaryFolder()
  const script = fileURLToPath(new URL('receive-until-killed.ts', import.meta.url))
  const acknowledged: string[] = []
  for (const enough of [1, 60, 200]) {
    const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.split('\n').length > enough) child.kill('SIGKILL')
    })
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    expect([code, signal]).toEqual([null, 'SIGKILL'])
    // The last line may be cut: the process died while it wrote it.
    acknowledged.push(...output.split('\n').slice(0, -1))
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(261)

  const inbox = await openInbox(folder)
  await inbox.recoverAfterCrash(1e6)
  const found = new Set<string>()
  for (
    let claim = await inbox.deliveries.claimNext(1e6);
    claim !== null;
    claim = await inbox.deliveries.claimNext(1e6)
  ) {
    expect(JSON.parse(claim.payload)).toMatchObject({ guid: claim.guid })
    found.add(claim.guid)
    await inbox.deliveries.finish(claim, 1e6)
  }
  expect(acknowledged.filter((guid) => !found.has(guid))).toEqual([])
  await inbox.close()
})

function fail(reason: string): never {
  throw new Error(reason)
}
