import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../../src/store/migrate.ts'
import { ownDatabase, variablesOf } from '../../store/embedded/engine-fixture.ts'
import { perfTriage } from './capture.ts'

async function migrate(env: Record<string, string>, json: boolean) {
  const { code, stdout, stderr } = await perfTriage(['migrate', ...(json ? ['--json'] : [])], { env })
  return { code, out: stdout, err: stderr }
}

test('says what it applied, then that nothing is left', async () => {
  const own = ownDatabase()
  const env = variablesOf(own)
  const names = MIGRATIONS.map(({ name }) => name)
  expect(await migrate(env, false)).toEqual({
    code: 0,
    out: names.map((name) => `applied ${name}\n`).join(''),
    err: '',
  })
  expect((await migrate(env, false)).out).toBe(
    `up to date: ${names.length} migrations in ${own.database} (the embedded database)\n`,
  )
  const { out } = await migrate(env, true)
  expect(JSON.parse(out)).toEqual({
    schemaVersion: 1,
    where: 'the embedded database',
    database: own.database,
    applied: [],
    present: names,
  })
})

test('a server that is not there, or an address that is none, is one line on stderr', async () => {
  const away = await migrate({ CLICKHOUSE_URL: 'http://127.0.0.1:1', CLICKHOUSE_PASSWORD: 'hunter2' }, true)
  expect(away.code).toBe(2)
  expect(JSON.parse(away.out)).toMatchObject({ error: { kind: 'database', command: 'migrate' } })
  expect(away.err).toMatch(/^perf-triage migrate: http:\/\/127\.0\.0\.1:1 can't be reached: [^\n]*\n$/)
  expect((await migrate({ CLICKHOUSE_URL: 'nonsense' }, false)).err).toMatch(
    /^perf-triage migrate: [^\n]*CLICKHOUSE_URL[^\n]*\n$/,
  )
})
