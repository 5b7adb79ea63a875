import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { main } from '../../../src/cli.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { ownDatabase, variablesOf } from '../../store/embedded/engine-fixture.ts'
import { measuredRows } from '../../store/history/trunk-rows.ts'

async function quality(env: Record<string, string>, isTTY: boolean, ...argv: readonly string[]) {
  const written = { stdout: '', stderr: '' }
  const to = (name: 'stdout' | 'stderr') => ({
    isTTY,
    columns: 200,
    write: (text: string) => {
      written[name] += text
    },
  })
  const stdin = (async function* () {
    yield Buffer.from('')
  })()
  const code = await main(['quality', ...argv], { stdin, stdout: to('stdout'), stderr: to('stderr'), env })
  return { code, ...written }
}

test('a repository of which only a history was imported, which ended long ago', async () => {
  const database = ownDatabase()
  const env = variablesOf(database)
  const clickhouse = await openClickHouse(database)
  try {
    await migrate(clickhouse)
    const rows = measuredRows()
    const before = Date.UTC(2025, 2, 1) - rows.reduce((last, { time }) => Math.max(last, time), 0)
    await saveTrunkRows(
      clickhouse,
      7,
      rows.map((row) => ({ ...row, source: 'imported' as const, time: row.time + before })),
    )
  } finally {
    await clickhouse.close()
  }
  const { rows } = JSON.parse((await quality(env, false, '--json')).stdout) as {
    rows: { test: string; queryIndex: number; repository: string; why: string; address: unknown }[]
  }
  expect(rows).toHaveLength(29)
  expect(rows[0]).toMatchObject({ repository: '7', address: null })
  expect(rows[0]!.why).toMatch(/^unstable in most runs: median noise ±[\d.]+%, ±10% or more in \d+ of 23 runs/)

  const table = await quality(env, true, '--repository', '7')
  expect(table).toMatchObject({ code: 0, stderr: '' })
  expect(table.stdout).toContain('29 of 68 queries, with up to 23 runs each')
  expect(table.stdout).toContain('in 30 days up to 2025-03-01, the newest stored run')
  expect(await quality(env, true, '--repository', '8')).toMatchObject({ code: 2 })
})
