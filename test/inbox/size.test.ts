import { expect, onTestFinished, test } from 'vitest'
import { inboxIn } from '../../src/inbox/inbox.ts'
import { openDatabase } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('the inbox says how many rows each table has, and what all take on the disk', async () => {
  const database = await openDatabase(temporaryFolder())
  onTestFinished(() => database.close())
  const inbox = inboxIn(database)
  const rows = async () => new Map((await inbox.size()).tables.map((table) => [table.table, table.rows]))
  const before = await inbox.size()
  expect(before.bytes).toBeGreaterThan(100_000)
  // Each takes a page of its own at the least.
  const payload = JSON.stringify(Array.from({ length: 1000 }, () => Math.random()))
  for (let index = 0; index < 20; index += 1)
    await inbox.deliveries.receive({ guid: `one-${index}`, event: 'push', installationId: 1, payload }, 0)
  await expect.poll(async () => (await rows()).get('deliveries')).toBe(20)
  expect([...(await rows()).keys()]).toEqual(before.tables.map(({ table }) => table))
  expect((await rows()).has('sqlite_sequence')).toBe(false)
  expect((await rows()).get('decisions')).toBe(0)
  expect((await inbox.size()).bytes).toBeGreaterThan(before.bytes + 20 * 4096)
})
