import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUpInbox } from '../../src/inbox/backup.ts'
import { inboxIn, openInbox as openFile, openSharedInbox } from '../../src/inbox/inbox.ts'
import { openPostgres } from '../../src/inbox/postgres.ts'
import { restoreIntoPostgres } from '../../src/inbox/restore-postgres.ts'
import type { Decision } from '../../src/report/acceptance.ts'
import { perfTriage } from '../cli/commands/capture.ts'
import { isWaitedFor, schemaOf } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MUTE: Decision = {
  kind: 'mute',
  subject: null,
  reason: 'two modes since “May”',
  until: null,
  via: 'command',
  actor: 'octocat',
  actorId: 583231,
  saidAt: 5,
}
const target = { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber: 1, head: null }

test('a backup of the SQLite file, restored into PostgreSQL, has the decisions of people and the queue, and is not added a second time', async () => {
  const [folder, url] = [temporaryFolder(), await schemaOf(randomUUID())]
  const before = await openFile(folder)
  await before.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{"ü":1}' }, 1)
  await before.triages.wake(target, 2)
  expect(await before.firstStart(3)).toBe(3)
  const ids = [await before.decisions.add(7, 1, MUTE, 6), await before.decisions.add(7, 1, { ...MUTE, saidAt: 7 }, 8)]
  // A process that is gone, with work in hand.
  await before.processes.enter(9)
  await before.deliveries.claimNext(100_000)
  const file = join(folder, 'inbox.backup')
  backUpInbox(folder, file)
  await before.close()

  const env = { DATABASE_URL: url, CLICKHOUSE_URL: 'http://127.0.0.1:1', PERF_TRIAGE_DATA_DIR: temporaryFolder() }
  const restored = await perfTriage(['restore', file], { env })
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toMatch(
    /^restored to the database of DATABASE_URL \(\d+ KiB\); deliveries: 1, triages: 1, posted: 0, decisions: 2, /,
  )

  const inbox = await openSharedInbox(url, { debounceMs: 0 })
  try {
    expect(await inbox.decisions.list(7, 1)).toEqual([MUTE, { ...MUTE, saidAt: 7 }])
    expect(await inbox.decisions.add(7, 2, MUTE, 9)).toBeGreaterThan(Math.max(...ids))
    expect(await inbox.firstStart(100)).toBe(3)
    expect(await inbox.recoverAfterCrash(100_000)).toMatchObject({ deliveries: 1 })
    expect(await inbox.deliveries.claimNext(200_000)).toMatchObject({ guid: 'a', payload: '{"ü":1}' })
    expect(await inbox.triages.claimNext(200_000)).toMatchObject(target)
  } finally {
    await inbox.close()
  }
  const again = await perfTriage(['restore', file], { env })
  expect(again.code).toBe(2)
  expect(again.stderr).toMatch(
    /^perf-triage restore: the database of DATABASE_URL already has rows in \w+: use a database that the bot has never been started on\n$/,
  )
})

async function backedUp(): Promise<string> {
  const folder = temporaryFolder()
  const inbox = await openFile(folder)
  await inbox.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{}' }, 1)
  await inbox.decisions.add(7, 1, MUTE, 6)
  await inbox.close()
  const file = join(folder, 'inbox.backup')
  backUpInbox(folder, file)
  return file
}

test('a bot that starts meanwhile: what it has begun to write is waited for, and then nothing is restored', async () => {
  const [file, url] = [await backedUp(), await schemaOf(randomUUID())]
  const bot = await openPostgres(url)
  const [isWritten, isDone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const starting = bot.transaction(
    async () => {
      await inboxIn(bot).deliveries.receive({ guid: 'b', event: 'push', installationId: 9, payload: '{}' }, 1)
      isWritten.resolve()
      await isDone.promise
    },
    { isSerial: false },
  )
  await isWritten.promise
  const restoring = restoreIntoPostgres(url, file).catch((error: unknown) => error)
  await isWaitedFor(url, "relation = 'deliveries'::regclass")
  isDone.resolve()
  await starting
  expect(await restoring).toEqual(
    expect.objectContaining({ message: expect.stringContaining('has rows in deliveries') }),
  )
  const inbox = inboxIn(bot)
  expect(await inbox.decisions.list(7, 1)).toEqual([])
  expect(await inbox.deliveries.claimNext(2)).toMatchObject({ guid: 'b' })
  expect(await inbox.deliveries.claimNext(2)).toBeNull()
  await bot.close()
})

test('a bot that starts meanwhile and has written nothing yet writes after what is restored', async () => {
  const [file, url] = [await backedUp(), await schemaOf(randomUUID())]
  const bot = await openPostgres(url)
  const inbox = inboxIn(bot)
  // Rows of a later table are waited for, while the earlier ones are taken.
  const isDone = Promise.withResolvers<void>()
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>()
  const holding = bot.transaction(
    async () => {
      await bot.run({ name: 'hold', text: 'LOCK TABLE writes IN SHARE MODE' })
      held()
      await isDone.promise
    },
    { isSerial: false },
  )
  await isHeld
  const restoring = restoreIntoPostgres(url, file)
  await isWaitedFor(url, "relation = 'writes'::regclass")
  const own = inbox.decisions.add(7, 1, { ...MUTE, saidAt: 7 }, 8)
  await isWaitedFor(url, "relation = 'decisions'::regclass")
  isDone.resolve()
  await holding
  expect(await restoring).toMatchObject({ rows: { deliveries: 1, decisions: 1 } })
  expect(await own).toBe(2)
  expect(await inbox.decisions.list(7, 1)).toEqual([MUTE, { ...MUTE, saidAt: 7 }])
  await bot.close()
})

test('a database that a process works off is refused, though nothing else is in it', async () => {
  const [file, url] = [await backedUp(), await schemaOf(randomUUID())]
  const bot = await openPostgres(url)
  await inboxIn(bot, { isShared: true }).processes.enter(Date.now())
  await expect(restoreIntoPostgres(url, file)).rejects.toThrow('already has rows in processes')
  await bot.close()
})
