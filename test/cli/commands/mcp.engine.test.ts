import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { InputError } from '../../../src/cli/commands/command.ts'
import { withStored } from '../../../src/cli/commands/listing.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { DatabaseNewer, MIGRATIONS, migrate } from '../../../src/store/migrate.ts'
import { ownDatabase, variablesOf } from '../../store/embedded/engine-fixture.ts'

const database = ownDatabase()
let clickhouse: ClickHouse

beforeAll(async () => {
  clickhouse = await openClickHouse(database)
})
afterAll(async () => await clickhouse.close())

async function question(): Promise<unknown> {
  const nothing = { write: () => {} }
  const io = { stdout: nothing, stderr: nothing, env: variablesOf(database) }
  const asked = withStored(io, { readsInbox: false, migrates: false }, ({ store }) => store.reports.repositories(1))
  return await asked.catch((reason: unknown) => reason)
}

async function tables(): Promise<readonly string[]> {
  const found = await clickhouse.read('tables', 'SHOW TABLES', {}, z.object({ name: z.string() }))
  return found.map(({ name }) => name)
}

test('a question that only reads refuses tables of another version and leaves them as they are', async () => {
  await migrate(clickhouse, MIGRATIONS.slice(0, 1))
  const before = await tables()
  const older = await question()
  expect(older).toBeInstanceOf(InputError)
  expect(String(older)).toMatch(/the tables of \S+ in .* are of an older perf-triage: .* with perf-triage migrate/)
  expect(await tables()).toEqual(before)
  await migrate(clickhouse)
  expect(await question()).toEqual([])
  await clickhouse.insert(
    'migrations',
    ['repository_id', 'name', 'applied_at'],
    [[0, '999_later', new Date().toISOString()]],
  )
  expect(await question()).toBeInstanceOf(DatabaseNewer)
})
