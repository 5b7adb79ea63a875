import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import {
  InboxNewer,
  InboxUnusable,
  inTransaction,
  MIGRATIONS,
  openDatabase,
  RowUnusable,
  withoutSync,
} from '../../src/inbox/database.ts'
import { INBOX_FILE, openInbox } from '../../src/inbox/inbox.ts'
import { CRASHES_OF_ITS_OWN } from '../../src/inbox/retry.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('is for the eyes of its owner alone, its journal too', () => {
  const folder = join(temporaryFolder(), 'data')
  const inbox = openInbox(folder)
  inbox.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{}' }, 0)
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect(modeOf(folder)).toBe('700')
  for (const suffix of ['', '-wal', '-shm']) expect(modeOf(join(folder, INBOX_FILE + suffix))).toBe('600')
  inbox.close()
})

test('a merge with something to tell is not kept waiting by later ones without', () => {
  const inbox = openInbox(temporaryFolder())
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
    inbox.merges.add(7, { pullRequestNumber: Number(number), mergeCommit: 'c', findings, heardAt: Number(number) })
  const waiting = inbox.merges.waiting(7, 3)
  expect(waiting.map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([2, 1, 4])
  expect(waiting[1]!.findings).toEqual([silent, finding])
  inbox.close()
})

test('writes through to the disk', () => {
  const database = openDatabase(join(temporaryFolder(), INBOX_FILE))
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  // 2 is FULL.
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  expect(database.prepare('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 })
  expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 5000 })
  database.close()
})

test('counts the ends of the process alike in its code, its statements and its indexes', () => {
  const sql = new URL('../../src/inbox/sql/', import.meta.url)
  const statements = readdirSync(sql).filter((file) => file !== 'migrations.sql')
  const database = openDatabase(join(temporaryFolder(), INBOX_FILE))
  const indexes = database.prepare("SELECT sql FROM sqlite_master WHERE name LIKE '%_alone'").all()
  database.close()
  expect(indexes).toHaveLength(2)
  for (const text of [...statements.map((file) => readFileSync(new URL(file, sql), 'utf8')), JSON.stringify(indexes)]) {
    for (const [, number] of text.matchAll(/crashes (?:>=|<) (\d+)/g)) expect(Number(number)).toBe(CRASHES_OF_ITS_OWN)
  }
})

test('waits for the disk again after what need not be waited for, also where that failed', () => {
  const database = openDatabase(join(temporaryFolder(), INBOX_FILE))
  const synchronous = () => database.prepare('PRAGMA synchronous').get()!['synchronous']
  expect(withoutSync(database, synchronous)).toBe(1)
  expect(synchronous()).toBe(2)
  expect(() =>
    withoutSync(database, () =>
      inTransaction(database, () => {
        throw new Error('no')
      }),
    ),
  ).toThrow('no')
  expect(synchronous()).toBe(2)
  database.close()
})

test('what is written together is there together or not at all', () => {
  const inbox = openInbox(temporaryFolder())
  const receive = (guid: string) =>
    inbox.deliveries.receive({ guid, event: 'push', installationId: 9, payload: '{}' }, 0)
  const repository = { repositoryId: 7, installationId: 9, owner: 'o', repo: 'r' }
  expect(() =>
    inbox.together(() => {
      inbox.repositories.heard([{ kind: 'there', ...repository, isPrivate: true }], 0)
      receive('a')
      receive('not a delivery id')
    }),
  ).toThrow('not a delivery id')
  expect([inbox.deliveries.claimNext(1), inbox.repositories.byId(7)]).toEqual([null, null])
  inbox.together(() => {
    receive('a')
    receive('b')
  })
  expect(inbox.deliveries.counts().received).toBe(2)
  inbox.close()
})

test('whatever a loss of power takes of the end of the log, what was answered is done or still to do', () => {
  const folder = temporaryFolder()
  const log = join(folder, `${INBOX_FILE}-wal`)
  const inbox = openInbox(folder, { debounceMs: 10 })
  inbox.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{}' }, 0)
  const answered = statSync(log).size
  const claim = inbox.deliveries.claimNext(1)!
  inbox.installations.seen({ repositoryId: 7, installationId: 9, owner: 'o', repo: 'r' }, 1)
  inbox.triages.wake({ installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber: 1, head: null }, 2)
  inbox.deliveries.finish(claim, 3)
  const all = statSync(log).size

  const found = new Set<string>()
  // Also in the middle of a frame, which has 4,120 bytes.
  for (let kept = answered; kept <= all; kept += 1030) {
    const copy = join(folder, `kept-${kept}`)
    mkdirSync(copy)
    for (const suffix of ['', '-wal']) copyFileSync(join(folder, INBOX_FILE + suffix), join(copy, INBOX_FILE + suffix))
    truncateSync(join(copy, `${INBOX_FILE}-wal`), kept)
    const after = openInbox(copy)
    after.recoverAfterCrash(4)
    found.add(`${after.deliveries.claimNext(4)?.guid ?? 'done'}, due: ${after.triages.counts().due}`)
    after.close()
  }
  inbox.close()
  expect([...found].toSorted()).toEqual(['a, due: 0', 'a, due: 1', 'done, due: 1'])
})

test('everything is there again after it was closed', () => {
  const folder = temporaryFolder()
  const target = { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber: 1, head: null }
  const first = openInbox(folder, { debounceMs: 10 })
  first.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{}' }, 0)
  first.triages.wake(target, 0)
  first.deliveries.claimNext(1)
  first.triages.claimNext(10)
  first.close()

  const second = openInbox(folder)
  expect(second.deliveries.claimNext(11)).toBeNull()
  expect(second.triages.claimNext(11)).toBeNull()
  expect(second.recoverAfterCrash(11)).toEqual({ deliveries: 1, triages: 1 })
  expect(second.deliveries.claimNext(11)).toMatchObject({ guid: 'a', attempts: 1 })
  expect(second.triages.claimNext(11)).toMatchObject({ ...target, attempts: 1 })
  second.ping()
  second.close()
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

test('a database that fills up keeps the reason, and takes what fits afterwards', () => {
  const database = openDatabase(join(temporaryFolder(), INBOX_FILE))
  database.exec('CREATE TABLE filling (text TEXT) STRICT')
  const pages = Number(database.prepare('PRAGMA page_count').get()!['page_count'])
  database.exec(`PRAGMA max_page_count = ${pages + 1}`)
  const insert = database.prepare('INSERT INTO filling VALUES (?)')
  expect(() => inTransaction(database, () => insert.run('x'.repeat(100_000)))).toThrow('database or disk is full')
  expect(database.isTransaction).toBe(false)
  inTransaction(database, () => insert.run('x'))
  expect(() => inTransaction(database, () => fail('a reason of its own'))).toThrow('a reason of its own')
  expect(database.isTransaction).toBe(false)
  database.close()
})

test.each([
  ['is no database', (bytes: Buffer) => bytes.fill('x')],
  ['has lost a page', (bytes: Buffer) => bytes.fill(0xff, 4_096 * 3, 4_096 * 5)],
  ['has lost its end', (bytes: Buffer) => bytes.subarray(0, 4_096 * 4)],
])('a damaged file is noticed at start: it %s', (_, damage) => {
  const folder = temporaryFolder()
  const file = join(folder, INBOX_FILE)
  openInbox(folder).close()
  const damaged = damage(readFileSync(file))
  writeFileSync(file, damaged)
  expect(() => openInbox(folder)).toThrow(InboxUnusable)
  expect(() => openInbox(folder)).toThrow(`${file} is damaged (`)
  expect(() => openInbox(folder)).toThrow(
    '): restore a backup ("perf-triage restore --help"). Without one, move it away',
  )
  // It is still there for whoever can repair it.
  expect(readFileSync(file).equals(damaged)).toBe(true)
})

test('an inbox of before the trunk had a kind of its own is as it was: due, asked for, with its claims', () => {
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

  const inbox = openInbox(folder)
  const { triages } = inbox
  const named = { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r' }
  const trunk = { ...named, pullRequestNumber: null, head: 'aa' }
  expect(triages.failing(10)).toEqual([{ ...trunk, state: 'due', attempts: 1, lastError: 'down', changedAt: 5 }])
  triages.wake({ ...trunk, head: 'cc' }, 10)
  expect(triages.claimNext(20)).toMatchObject({ ...trunk, head: 'cc', generation: 4, claim: 3, attempts: 2 })
  triages.recoverAfterCrash(30)
  const claims = [triages.claimNext(30), triages.claimNext(30)]
  expect(claims).toMatchObject([
    { pullRequestNumber: null, isAskedFor: false },
    { ...named, pullRequestNumber: 12, head: 'bb', generation: 4, claim: 7, attempts: 2, isAskedFor: true },
  ])
  inbox.close()
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

test('a row that perf-triage does not write is named instead of believed', () => {
  const folder = temporaryFolder()
  const inbox = openInbox(folder)
  const edited = new DatabaseSync(join(folder, INBOX_FILE))
  edited.exec(`INSERT INTO posted (repository_id, pull_request_number, kind, head, labels, posted_at)
    VALUES (7, 1, 'labels', 'aa', '["slow"', 5), (7, 2, 'labels', 'aa', '[1]', 5), (7, 3, 'labels', 'aa', '["slow"]', 5)`)
  edited.close()
  expect(() => inbox.posted.latestPosted(7, 1)).toThrow(RowUnusable)
  expect(() => inbox.posted.latestPosted(7, 1)).toThrow(
    "a row of the inbox can't be read (labels: is no JSON): restore",
  )
  expect(() => inbox.posted.latestPosted(7, 2)).toThrow('expected string, received number')
  expect(inbox.posted.latestPosted(7, 3).labels).toEqual(['slow'])
  inbox.close()
})

test('does not touch the file of a newer version', () => {
  const folder = temporaryFolder()
  openInbox(folder).close()
  const newer = new DatabaseSync(join(folder, INBOX_FILE))
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  const { length } = readFileSync(join(folder, INBOX_FILE))
  expect(() => openInbox(folder)).toThrow(InboxNewer)
  expect(() => openInbox(folder)).toThrow(
    /inbox\.sqlite was written by a newer perf-triage \(version 99 .* Start the newer/,
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

  const inbox = openInbox(folder)
  inbox.recoverAfterCrash(1e6)
  const found = new Set<string>()
  for (let claim = inbox.deliveries.claimNext(1e6); claim !== null; claim = inbox.deliveries.claimNext(1e6)) {
    expect(JSON.parse(claim.payload)).toMatchObject({ guid: claim.guid })
    found.add(claim.guid)
    inbox.deliveries.finish(claim, 1e6)
  }
  expect(acknowledged.filter((guid) => !found.has(guid))).toEqual([])
  inbox.close()
})

function fail(reason: string): never {
  throw new Error(reason)
}
