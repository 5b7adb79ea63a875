import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LookupProblem } from '../../../src/judge/ledger/failure.ts'
import { LEDGER_THRESHOLDS } from '../../../src/judge/ledger/thresholds.ts'
import { openCiDatabase } from '../../../src/store/checks/ci-database.ts'
import { CiResultsUnavailable } from '../../../src/store/checks/ci-results.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { engineOfRun, migratedDatabase } from '../embedded/engine-fixture.ts'
import type { EngineOfRun } from '../embedded/engine-of-run.ts'
import { NOON } from './check-rows.ts'

const SECRET = 'hunter2-of-the-ci-database'
let embedded: EngineOfRun
let clickhouse: ClickHouse
const servers: Server[] = []

beforeAll(async () => {
  embedded = engineOfRun()
  clickhouse = await openClickHouse(await migratedDatabase())
})
afterAll(async () => {
  await clickhouse.close()
  for (const server of servers) server.close()
})

const COMMIT = { repositoryId: 1, repository: 'o/r', commitSha: 'c7', pullRequestNumber: 7 }
const SUBJECT = {
  pullRequestNumber: 8,
  commitSha: 'c8',
  headRepo: 'u8/r',
  headRef: 'b8',
  repository: 'o/r',
  trunk: ['master'],
  mergeBase: null,
}

async function problemOf(settings: {
  url?: string
  user?: string
  password?: string
  table?: string
  timeout?: number
}) {
  const { url, user, password } = embedded
  try {
    const database = openCiDatabase({ url, user, password, table: `${clickhouse.database}.cidb`, ...settings })
    try {
      await database.failuresOf(COMMIT)
    } finally {
      await database.close()
    }
  } catch (error) {
    expect(error).toBeInstanceOf(CiResultsUnavailable)
    const { problem, message } = error as CiResultsUnavailable
    expect(message).not.toContain(SECRET)
    expect(message).not.toContain(password)
    return { problem, message }
  }
  return null
}

async function createTable(name: string, columns: string, order = 'check_start_time'): Promise<void> {
  await clickhouse.command('create', `CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY ${order}`)
}

const ESSENTIAL = `pull_request_number UInt32, commit_sha String, check_name String, check_start_time DateTime, test_name String, test_status String, check_status String, test_context_raw String, base_ref String, base_repo String, head_ref String, head_repo String`

async function serve(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer({}, answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('what is wrong is said', () => {
  test('no server, a wrong password, no such table, no such database', async () => {
    expect(await problemOf({ url: 'http://127.0.0.1:1' })).toMatchObject({ problem: 'unreachable' })
    expect(await problemOf({ url: `http://u:${SECRET}@127.0.0.1:1` })).toMatchObject({ problem: 'unreachable' })
    expect(await problemOf({ url: 'nowhere' })).toMatchObject({ problem: 'unreachable' })
    expect(await problemOf({ password: SECRET })).toMatchObject({ problem: 'access-denied' })
    const missing = await problemOf({ table: `${clickhouse.database}.nothing` })
    expect(missing).toMatchObject({ problem: 'missing-table', message: expect.stringContaining('nothing') })
    expect(await problemOf({ table: 'nowhere.checks' })).toMatchObject({ problem: 'missing-table' })
  })

  test.each(['checks; DROP TABLE checks', 'a.b.c', '`checks`', "x' OR 1", ''])(
    '%j is no name of a table',
    async (table) => {
      expect(await problemOf({ table })).toMatchObject({ problem: 'missing-table' })
    },
  )

  test('an essential column that is missing is named, every other one is empty', async () => {
    await createTable('without_status', ESSENTIAL.replace(', test_status String', ''))
    expect(await problemOf({ table: `${clickhouse.database}.without_status` })).toEqual({
      problem: 'missing-column',
      message: expect.stringContaining('no column test_status'),
    })
    for (const column of ['base_ref', 'head_repo', 'head_ref', 'base_repo', 'test_context_raw']) {
      await createTable(`without_${column}`, ESSENTIAL.replace(`, ${column} String`, ''))
      expect(await problemOf({ table: `${clickhouse.database}.without_${column}` })).toMatchObject({
        problem: 'missing-column',
      })
    }
    await createTable('bare', ESSENTIAL)
    await clickhouse.command(
      'row',
      "INSERT INTO bare SELECT 7, 'c7', 'c', toDateTime({time:UInt32}), 't', 'FAIL', '', '', '', '', '', ''",
      {
        time: NOON / 1000,
      },
    )
    const { url, user, password } = embedded
    const database = openCiDatabase({ url, user, password, table: `${clickhouse.database}.bare` })
    const { failures } = await database.failuresOf(COMMIT)
    expect(failures).toEqual([
      expect.objectContaining({ testName: 't', headRepo: '', reportUrl: '', signature: { kind: 'name', text: '' } }),
    ])
    const wanted = { testName: 't', checkName: null, failedIn: ['c'], until: NOON }
    const [history] = await database.historiesOf([wanted], SUBJECT, 1, LEDGER_THRESHOLDS)
    expect(history!.failing).toHaveLength(1)
    expect(await database.massFailuresOf(NOON, SUBJECT, 1, LEDGER_THRESHOLDS)).toEqual([])
    await database.close()
  })

  test('other types of columns are read as well', async () => {
    await createTable(
      'typed',
      `pull_request_number Nullable(Int64), commit_sha FixedString(2), check_name LowCardinality(Nullable(String)),
       check_start_time DateTime64(3, 'Europe/Berlin'), test_name Nullable(String), test_status Enum8('OK' = 1, 'FAIL' = 2),
       check_status Nullable(String), test_context_raw Nullable(String), base_ref LowCardinality(String),
       base_repo Nullable(String), head_ref FixedString(4), head_repo String`,
      'commit_sha',
    )
    await clickhouse.command(
      'row',
      "INSERT INTO typed SELECT 7, 'c7', 'c', toDateTime64({time:UInt32}, 3, 'UTC'), 't', 'FAIL', NULL, NULL, '', NULL, '', ''",
      { time: NOON / 1000 },
    )
    const { url, user, password } = embedded
    const database = openCiDatabase({ url, user, password, table: `${clickhouse.database}.typed` })
    const { failures } = await database.failuresOf(COMMIT)
    expect(failures).toEqual([expect.objectContaining({ testName: 't', time: NOON, pullRequestNumber: 7 })])
    await database.close()
  })

  test('a table that loses a column while it is read', async () => {
    await createTable('changing', `${ESSENTIAL}, report_url String`)
    await clickhouse.command(
      'row',
      "INSERT INTO changing SELECT 7, 'c7', 'c', now(), 't', 'FAIL', '', '', '', '', '', '', 'report'",
    )
    const { url, user, password } = embedded
    const database = openCiDatabase({ url, user, password, table: `${clickhouse.database}.changing` })
    expect((await database.failuresOf(COMMIT)).failures[0]!.reportUrl).toBe('report')
    await clickhouse.command('drop', 'ALTER TABLE changing DROP COLUMN report_url')
    expect((await database.failuresOf(COMMIT)).failures[0]!.reportUrl).toBe('')
    await database.close()
  })

  const answers: readonly (readonly [LookupProblem, string, Parameters<typeof createServer>[1]])[] = [
    ['too-slow', 'silence', () => {}],
    [
      'too-slow',
      'an answer that does not end',
      (_, response) => {
        response.write('{"name":"a","type":"String"}\n')
        setInterval(() => response.write('{"name":"a","type":"String"}\n'), 50).unref()
      },
    ],
    ['unreachable', 'a connection that is cut', (request) => request.socket.destroy()],
    ['unexpected-answer', 'a page', (_, response) => response.end('<html>Welcome</html>\n')],
    ['unexpected-answer', 'other rows', (_, response) => response.end('{"a":1}\n')],
    [
      'too-slow',
      'a limit of the server',
      (_, response) => {
        response.writeHead(500, { 'x-clickhouse-exception-code': '159' })
        response.end('Code: 159. DB::Exception: Timeout exceeded: elapsed 30 seconds. (TIMEOUT_EXCEEDED)')
      },
    ],
    [
      'access-denied',
      'no grant',
      (_, response) => {
        response.writeHead(403, { 'x-clickhouse-exception-code': '497' })
        response.end(`Code: 497. DB::Exception: play: Not enough privileges for ${SECRET}. (ACCESS_DENIED)`)
      },
    ],
  ]
  test.each(answers)('%s: %s', async (problem, _, answer) => {
    const url = await serve(answer)
    const started = Date.now()
    expect(await problemOf({ url, password: SECRET, timeout: 600 })).toMatchObject({ problem })
    expect(Date.now() - started).toBeLessThan(25_000)
  })
})

test('is only read, with limits; a user who may not set any is asked without', async () => {
  const asked: URLSearchParams[] = []
  const url = await serve((request, response) => {
    const parameters = new URL(request.url ?? '/', 'http://localhost').searchParams
    asked.push(parameters)
    request.resume()
    if (parameters.has('readonly')) {
      response.writeHead(500, { 'x-clickhouse-exception-code': '164' })
      response.end("Code: 164. DB::Exception: Cannot modify 'readonly' setting in readonly mode. (READONLY)")
      return
    }
    response.end('')
  })
  expect(await problemOf({ url, password: SECRET })).toMatchObject({ problem: 'missing-column' })
  expect(asked).toHaveLength(2)
  expect(asked[0]!.get('readonly')).toBe('2')
  expect(Number(asked[0]!.get('max_execution_time'))).toBeGreaterThan(0)
  expect(Number(asked[0]!.get('max_bytes_to_read'))).toBeGreaterThan(0)
  expect([...asked[1]!.keys()].filter((name) => /readonly|^max_/.test(name))).toEqual([])
})
