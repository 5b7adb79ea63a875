import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { CheckRow } from '../../../src/intake/imports/checks/check-row.ts'
import { SIGNATURE_RULE, signatureOf } from '../../../src/judge/ledger/signature.ts'
import { FAILING_STATUSES, PASSING_STATUSES, testOutcome } from '../../../src/judge/ledger/test-status.ts'
import { OUTPUT_KEPT, saveChecks } from '../../../src/store/checks/checks.ts'
import { MEASURED_STATUSES } from '../../../src/store/checks/ci-sql.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { MIGRATIONS, migrate } from '../../../src/store/migrate.ts'
import { storeOn } from '../../../src/store/store.ts'
import { migratedDatabase, type OwnDatabase, ownDatabase } from '../embedded/engine-fixture.ts'
import { checkRow, NOON } from './check-rows.ts'

let database: OwnDatabase
let clickhouse: ClickHouse
beforeAll(async () => {
  database = await migratedDatabase()
  clickhouse = await openClickHouse(database)
})
afterAll(() => clickhouse.close())
beforeEach(() => clickhouse.command('empty', 'TRUNCATE TABLE checks'))

async function select<T>(columns: string, row: z.ZodType<T>, order = 'test_name, occurrence'): Promise<T[]> {
  return await clickhouse.read('rows', `SELECT ${columns} FROM checks FINAL ORDER BY ${order}`, {}, row)
}

const counted = async () => (await select('count() AS n', z.object({ n: z.coerce.number() }), 'n'))[0]!.n

test('every column is stored as it was given', async () => {
  const row: CheckRow = {
    pullRequestNumber: 4_294_967_295,
    commitSha: 'sha',
    checkName: 'name | with `marks`',
    checkStatus: 'failure',
    checkDurationMs: 2 ** 40,
    checkStartTime: NOON + 999,
    testName: "it's\t\n\\ \0 ü 🙂",
    testStatus: 'FAIL',
    testDurationMs: 5,
    reportUrl: 'report',
    pullRequestUrl: 'pull',
    commitUrl: 'commit',
    taskUrl: 'task',
    baseRef: 'base',
    baseRepo: 'o/r',
    headRef: 'head',
    headRepo: 'u/r',
    testContextRaw: 'Expected 1\ngot 2',
    instanceType: 'type',
    instanceId: 'id',
    workflowName: 'PR',
    attributes: '{"a":1}',
  }
  expect(await saveChecks(clickhouse, 12, [row])).toBe(1)
  const signature = signatureOf(row.testName, row.testContextRaw)
  const stored = await select(
    '* EXCEPT (stored_at), outcome, toUnixTimestamp(check_start_time) AS time',
    z.looseObject({}),
  )
  expect(stored).toEqual([
    expect.objectContaining({
      repository_id: '12',
      pull_request_number: row.pullRequestNumber,
      commit_sha: 'sha',
      check_name: row.checkName,
      check_status: 'failure',
      check_duration_ms: String(2 ** 40),
      time: NOON / 1000,
      test_name: row.testName,
      test_status: 'FAIL',
      outcome: 'failing',
      test_duration_ms: '5',
      report_url: 'report',
      pull_request_url: 'pull',
      commit_url: 'commit',
      task_url: 'task',
      base_ref: 'base',
      base_repo: 'o/r',
      head_ref: 'head',
      head_repo: 'u/r',
      test_context_raw: row.testContextRaw,
      instance_type: 'type',
      instance_id: 'id',
      workflow_name: 'PR',
      attributes: '{"a":1}',
      signature_kind: signature.kind,
      signature: signature.text,
      signature_rule: SIGNATURE_RULE,
      occurrence: 0,
    }),
  ])
})

test('a passing row has no signature, a check that failed has one', async () => {
  await saveChecks(clickhouse, 1, [
    checkRow({ testName: 'a', testStatus: 'OK' }),
    checkRow({ testName: '', testStatus: '', checkStatus: 'failure', testContextRaw: 'No space left on device' }),
    checkRow({ testName: '', testStatus: '', checkStatus: 'success', checkName: 'other' }),
  ])
  const row = z.object({ signature_kind: z.string(), signature_rule: z.number(), outcome: z.string() })
  expect(await select('signature_kind, signature_rule, outcome', row, 'test_name, outcome')).toEqual([
    { signature_kind: 'output', signature_rule: SIGNATURE_RULE, outcome: 'failing' },
    { signature_kind: '', signature_rule: 0, outcome: 'passing' },
    { signature_kind: '', signature_rule: 0, outcome: 'passing' },
  ])
})

describe('written again', () => {
  const rows = [
    checkRow({ testName: 'a' }),
    checkRow({ testName: 'b' }),
    checkRow({ testName: 'a', testContextRaw: 'another output' }),
    checkRow({ testName: 'a', testStatus: 'OK' }),
    checkRow({ testName: 'a', checkStartTime: NOON + 1000 }),
    checkRow({ testName: 'a', checkStartTime: NOON + 1001 }),
    checkRow({ testName: 'a' }),
  ]
  const row = z.object({ test_name: z.string(), occurrence: z.number(), n: z.coerce.number() })
  const summary = () =>
    clickhouse.read(
      'summary',
      'SELECT test_name, occurrence, count() AS n FROM checks FINAL GROUP BY ALL ORDER BY ALL',
      {},
      row,
    )

  test('the same rows are the same rows, before and after they are merged', async () => {
    await saveChecks(clickhouse, 1, rows)
    const once = await summary()
    expect(once).toEqual([
      { test_name: 'a', occurrence: 0, n: 3 },
      { test_name: 'a', occurrence: 1, n: 2 },
      { test_name: 'a', occurrence: 2, n: 1 },
      { test_name: 'b', occurrence: 0, n: 1 },
    ])
    await saveChecks(clickhouse, 1, rows)
    expect(await summary()).toEqual(once)
    await clickhouse.command('merge', 'OPTIMIZE TABLE checks FINAL')
    expect(
      await clickhouse.read('n', 'SELECT count() AS n FROM checks', {}, z.object({ n: z.coerce.number() })),
    ).toEqual([{ n: 7 }])
  })

  test('a part of a job first, all of it later', async () => {
    await saveChecks(clickhouse, 1, rows.slice(0, 2))
    await saveChecks(clickhouse, 1, rows)
    expect(await counted()).toBe(7)
  })

  test('of another repository they are others', async () => {
    await saveChecks(clickhouse, 1, rows)
    await saveChecks(clickhouse, 2, rows)
    expect(await counted()).toBe(14)
  })
})

test('a stream of many batches: retries far apart are told apart, progress is told', async () => {
  const rows = 120_000
  const progress: number[] = []
  async function* stream() {
    for (let index = 0; index < rows; index += 1) {
      yield checkRow({ testName: `t${index % (rows / 2)}`, testStatus: 'OK', testContextRaw: '' })
    }
  }
  expect(await saveChecks(clickhouse, 1, stream(), { onProgress: (stored) => progress.push(stored) })).toBe(rows)
  expect(await counted()).toBe(rows)
  expect(progress.length).toBeGreaterThan(2)
  expect(progress.at(-1)).toBe(rows)
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))
})

test('outputs are cut between characters, odd values are stored as near as can be', async () => {
  await saveChecks(clickhouse, 1, [
    checkRow({ testName: 'long', testContextRaw: 'ü🙂'.repeat(100_000) }),
    checkRow({
      testName: 'odd',
      checkStartTime: -5,
      testDurationMs: Number.NaN,
      pullRequestNumber: -1,
      headRef: '\ud800',
    }),
    checkRow({ testName: 'odder', checkStartTime: 1e18, testDurationMs: 1e300 }),
  ])
  const row = z.object({
    test_name: z.string(),
    bytes: z.coerce.number(),
    valid: z.number(),
    time: z.number(),
    head_ref: z.string(),
  })
  const stored = await select(
    'test_name, length(test_context_raw) AS bytes, isValidUTF8(test_context_raw) AS valid, toUnixTimestamp(check_start_time) AS time, head_ref',
    row,
  )
  expect(stored.map(({ time }) => time)).toEqual([NOON / 1000, 0, 2 ** 32 - 1])
  expect(stored[0]!.bytes).toBeGreaterThan(OUTPUT_KEPT - 4)
  expect(stored[0]!.bytes).toBeLessThanOrEqual(OUTPUT_KEPT)
  expect(stored[0]!.valid).toBe(1)
  expect(stored[1]!.head_ref).toBe('\ufffd')
})

test('rows of a hundred and twenty months in one call', async () => {
  const rows = Array.from({ length: 120 }, (_, month) => checkRow({ checkStartTime: Date.UTC(2000, month, 3) }))
  expect(await saveChecks(clickhouse, 1, rows)).toBe(120)
  expect(await counted()).toBe(120)
})

test('the error of the rows is passed on, and of the database', async () => {
  async function* broken() {
    yield checkRow()
    throw new Error('the file ends here')
  }
  await expect(saveChecks(clickhouse, 1, broken())).rejects.toThrow('the file ends here')
  const none = await openClickHouse({ url: 'http://127.0.0.1:1', dataDir: '', timeout: 1000 })
  await expect(saveChecks(none, 1, [checkRow()])).rejects.toThrow(/127\.0\.0\.1:1/)
  await none.close()
})

test('the outcome in the table is that of the list in the code', async () => {
  const statuses = [
    ...FAILING_STATUSES,
    ...PASSING_STATUSES,
    ...MEASURED_STATUSES,
    'skipped',
    'broken',
    'unknown',
    'xpass',
    '',
  ]
  const both = [...new Set(statuses.flatMap((status) => [status, status.toUpperCase()]))]
  await saveChecks(
    clickhouse,
    1,
    both.map((testStatus) => checkRow({ testName: `t ${testStatus}`, testStatus })),
  )
  await saveChecks(
    clickhouse,
    1,
    both.map((checkStatus) => checkRow({ testName: '', testStatus: '', checkName: checkStatus, checkStatus })),
  )
  const row = z.object({
    test_name: z.string(),
    test_status: z.string(),
    check_status: z.string(),
    outcome: z.string(),
  })
  const stored = await select('test_name, test_status, check_status, outcome', row)
  expect(stored.length).toBe(2 * both.length)
  for (const { test_name, test_status, check_status, outcome } of stored) {
    const status = test_name === '' ? check_status : test_status
    const isMeasured = test_name !== '' && MEASURED_STATUSES.some((measured) => measured === status.toLowerCase())
    expect([status, outcome]).toEqual([status, isMeasured ? 'measured' : testOutcome(status)])
  }
})

test('migration 005 takes along what is there, and may be run again', async () => {
  const before = await openClickHouse(ownDatabase())
  await migrate(before, MIGRATIONS.slice(0, 4))
  await before.command(
    'row',
    "INSERT INTO checks (repository_id, check_name, check_start_time, test_name, test_status, test_context_raw) SELECT 3, 'c', toDateTime(1780000000), 't', 'FAIL', 'why'",
  )
  await before.command(
    'entry',
    "INSERT INTO ledger_entries (repository_id, entry_id, kind, state, updated_at) SELECT 3, 'e', 'failure', 'open', now64(3)",
  )
  const rows = () =>
    before.read(
      'rows',
      'SELECT outcome, repository_id, test_name, test_context_raw, signature_rule FROM checks FINAL',
      {},
      z.looseObject({}),
    )
  const taken = [{ outcome: 'failing', repository_id: '3', test_name: 't', test_context_raw: 'why', signature_rule: 0 }]
  await migrate(before)
  expect(await rows()).toEqual(taken)
  await before.command('forget', "DELETE FROM migrations WHERE name LIKE '005_ledger%'")
  expect((await migrate(before)).applied).toEqual(['005_ledger'])
  expect(await rows()).toEqual(taken)
  const entries = await before.read(
    'entries',
    'SELECT entry_id, reopened, owner FROM ledger_entries',
    {},
    z.looseObject({}),
  )
  expect(entries).toEqual([{ entry_id: 'e', reopened: 0, owner: null }])
  await before.close()
})

test('a lookup after an import on the command line finds what was imported', async () => {
  const store = storeOn(await openClickHouse(database))
  await store.ciResults.save(5, [checkRow()])
  const commit = { repositoryId: 5, repository: 'o/r', commitSha: 'c7', pullRequestNumber: 7 }
  expect((await store.ciResults.failuresOf(commit)).failures).toHaveLength(1)
  await store.close()
})
