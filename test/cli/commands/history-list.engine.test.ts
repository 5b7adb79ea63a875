import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { main } from '../../../src/cli.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import {
  clientOf,
  engineOfRun,
  migratedDatabase,
  ownDatabase,
  variablesOf,
} from '../../store/embedded/engine-fixture.ts'
import { DAY, NOON, trunkRow } from '../../store/history/trunk-rows.ts'
import { perfTriage } from './capture.ts'

async function run(env: Record<string, string>, ...argv: readonly string[]) {
  const written = { stdout: '', stderr: '' }
  const to = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text
    },
  })
  const stdin = (async function* () {
    yield Buffer.from('')
  })()
  const code = await main(['history', ...argv], { stdin, stdout: to('stdout'), stderr: to('stderr'), env })
  return { code, ...written }
}

test.each(['history list', 'queue', 'record', 'quality', 'replay', 'ledger list', 'ledger lookup --test x', 'bisect'])(
  '%s makes no database by asking',
  async (command) => {
    const own = ownDatabase()
    const asked = await perfTriage(command.split(' '), { env: variablesOf(own) })
    expect(asked).toMatchObject({ code: 2, stdout: '' })
    expect(asked.stderr).toMatch(
      /: there is no database perf_triage_\w+ in [^\n]*: name another one with CLICKHOUSE_DATABASE\n$/,
    )
    const client = clientOf(engineOfRun())
    const found = await client.query({ query: 'SHOW DATABASES', format: 'JSONEachRow' })
    expect(await found.json()).not.toContainEqual({ name: own.database })
    await client.close()
  },
)

test('nothing is there, then what was imported and read', async () => {
  const database = await migratedDatabase()
  const env = variablesOf(database)
  const nothing = await run(env, 'list', '--as', 'table')
  expect(nothing).toMatchObject({ code: 0, stderr: '' })
  expect(nothing.stdout).toMatch(/^no history of the main branch in .*; "perf-triage history import" loads one\n$/)

  const clickhouse = await openClickHouse(database)
  try {
    const rows = [0, 1, 2].flatMap((day) =>
      ['amd', 'arm'].map((architecture) =>
        trunkRow({ source: 'imported', architecture, newCommit: `c${day}`, time: NOON + day * DAY }),
      ),
    )
    await saveTrunkRows(clickhouse, 0, [
      ...rows,
      trunkRow({ source: 'imported', metric: 'memory_usage', architecture: '' }),
    ])
    await saveTrunkRows(clickhouse, 5, [
      trunkRow({ source: 'own', architecture: 'arm' }),
      trunkRow({ source: 'imported', architecture: 'arm', queryName: 'SELECT 2' }),
    ])
  } finally {
    await clickhouse.close()
  }
  const piped = await run(env, 'list')
  expect(piped.stdout.split('\n').slice(0, 2)).toEqual([
    'repository_id\trepository\tmetric\tarchitecture\tqueries\truns\tfirst\tlast\tsources',
    '0\t\\N\tclient_time\tamd\t1\t3\t2026-06-01T12:00:00.000Z\t2026-06-03T12:00:00.000Z\timported',
  ])
  const { code, stdout } = await run(env, 'list', '--as', 'table')
  expect(code).toBe(0)
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['first: 2026-06-01'],
    ['repository', 'metric', 'architecture', 'queries', 'runs', 'last', 'from'],
    ['0 (none)', 'client_time', 'amd', '1', '3', '2026-06-03', 'import'],
    ['0 (none)', 'client_time', 'arm', '1', '3', '2026-06-03', 'import'],
    ['0 (none)', 'memory_usage', '1', '1', '2026-06-01', 'import'],
    ['5', 'client_time', 'arm', '2', '1', '2026-06-01', 'runs the bot has read, import'],
    [''],
  ])
  const document = JSON.parse((await run(env, 'list', '--json')).stdout) as { histories: readonly unknown[] }
  expect(document.histories[0]).toEqual({
    repositoryId: 0,
    repository: null,
    metric: 'client_time',
    architecture: 'amd',
    queries: 1,
    runs: 3,
    sources: ['imported'],
    first: '2026-06-01T12:00:00.000Z',
    last: '2026-06-03T12:00:00.000Z',
  })
})
