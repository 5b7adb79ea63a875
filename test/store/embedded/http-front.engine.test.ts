import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { BaseResultSet, ClickHouseClient } from '@clickhouse/client'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Embedded, startEmbedded } from '../../../src/store/embedded/embedded.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { clientOf, temporaryFolder } from './engine-fixture.ts'

let engine: Embedded
let client: ClickHouseClient

beforeAll(async () => {
  engine = await startEmbedded({ dataDir: await temporaryFolder() })
  client = clientOf(engine)
})

afterAll(async () => {
  await client.close()
  await engine.stop()
})

beforeEach(async () => {
  await client.command({ query: 'CREATE TABLE IF NOT EXISTS t (a UInt64, s String) ENGINE = MergeTree ORDER BY a' })
  await client.command({ query: 'TRUNCATE TABLE t' })
})

async function rows(query: string, options: object = {}, by = client): Promise<unknown[]> {
  return await (await by.query({ query, format: 'JSONEachRow', ...options })).json()
}

/** One that has begun to answer and goes on when it is read. Nobody waits for its limit of time. */
async function heldQuery(by = client): Promise<BaseResultSet<Readable, unknown>> {
  const query = 'SELECT number FROM numbers(1000000000)'
  return await by.query({ query, format: 'JSONEachRow', clickhouse_settings: { max_execution_time: 300 } })
}

async function failure(work: Promise<unknown>): Promise<object> {
  return await work.then(
    () => ({ code: 'none' }),
    (error: Error & { code?: string; type?: string }) => ({ code: error.code, type: error.type }),
  )
}

describe('the unmodified client', () => {
  test('parameters arrive as they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCodePoint }), fc.array(fc.string()), async (text, list) => {
        const sent = { text, list, none: null, number: 1.5, time: new Date(1_234_567_890_123) }
        expect(
          await rows(
            `SELECT {text:String} AS text, {list:Array(String)} AS list, {none:Nullable(String)} AS none,
                    {number:Float64} AS number, toUnixTimestamp64Milli({time:DateTime64(3)}) AS time
             SETTINGS output_format_json_quote_64bit_integers = 0`,
            { query_params: sent },
          ),
        ).toEqual([{ ...sent, time: 1_234_567_890_123 }])
      }),
      { numRuns: 25 },
    )
  })

  test('parameters and settings of requests at the same time do not mix', async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => index)
    const answers = await Promise.all(
      numbers.map((n) =>
        rows("SELECT {n:UInt32} AS n, getSetting('max_threads') AS threads", {
          query_params: { n },
          clickhouse_settings: { max_threads: n + 1 },
        }),
      ),
    )
    expect(answers.flat()).toEqual(numbers.map((n) => ({ n, threads: n + 1 })))
    expect(await rows("SELECT getSetting('max_threads') = 7 AS stuck")).toEqual([{ stuck: 0 }])
  })

  test('a statement that only reads ends with its client, and one that changes something does not', async () => {
    const endless = 'SELECT count() FROM numbers(100000000000) WHERE sipHash64(number) = 7'
    const running = async () =>
      await rows("SELECT query FROM system.processes WHERE startsWith(query, 'SELECT count() FROM numbers(100')")
    const ask = async (readonly: '0' | '1', gone: AbortSignal) =>
      await client
        .query({ query: endless, abort_signal: gone, clickhouse_settings: { readonly, max_execution_time: 20 } })
        .catch(() => null)
    for (const [readonly, left] of [
      ['1', 0],
      ['0', 1],
    ] as const) {
      const gone = new AbortController()
      const asked = ask(readonly, gone.signal)
      await expect.poll(running, { timeout: 10_000 }).toHaveLength(1)
      gone.abort()
      await asked
      if (left === 0) await expect.poll(running, { timeout: 10_000 }).toHaveLength(0)
      else expect(await running()).toHaveLength(1)
    }
    await client.command({ query: "KILL QUERY WHERE startsWith(query, 'SELECT count() FROM numbers(100')" })
  })

  test('queries run side by side', async () => {
    const held = await Promise.all([1, 2, 3].map(() => heldQuery()))
    expect(await rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
    for (const query of held) query.close()
  })

  test('inserts rows and streams, with gzip both ways, and counts what it wrote', async () => {
    const zipped = clientOf(engine, { compression: { request: true, response: true } })
    const result = await zipped.insert({ table: 't', values: [{ a: 1, s: 'ü\t\n;' }], format: 'JSONEachRow' })
    expect(result.summary?.written_rows).toBe('1')
    await zipped.insert({
      table: 't',
      values: Readable.from([
        [2, 'x'],
        [3, 'y'],
      ]),
      format: 'JSONCompactEachRow',
    })
    expect(await rows('SELECT * FROM t ORDER BY a', {}, zipped)).toEqual([
      { a: '1', s: 'ü\t\n;' },
      { a: '2', s: 'x' },
      { a: '3', s: 'y' },
    ])
    expect(await rows('SELECT number FROM numbers(200000)', {}, zipped)).toHaveLength(200_000)
    await zipped.close()
  })

  test('nothing is kept from one request to the next', async () => {
    expect(
      await rows("SELECT getSetting('max_threads') = 3 AS same", { clickhouse_settings: { max_threads: 3 } }),
    ).toEqual([{ same: 1 }])
    expect(await rows("SELECT getSetting('max_threads') = 3 AS stuck")).toEqual([{ stuck: 0 }])
    const session = clientOf(engine, { session_id: 'mine' })
    expect(await failure(rows('SELECT 1', {}, session))).toMatchObject({ code: '48' })
    await session.close()
  })
})

describe('errors', () => {
  test.each([
    ['SELEC 1', { code: '62', type: 'SYNTAX_ERROR' }],
    ['SELECT nope', { code: '47', type: 'UNKNOWN_IDENTIFIER' }],
    ['SELECT * FROM nope', { code: '60', type: 'UNKNOWN_TABLE' }],
    ['SELECT {nope:String}', { code: '456', type: 'UNKNOWN_QUERY_PARAMETER' }],
    ['SELECT 1; DROP TABLE t', { code: '62', type: 'SYNTAX_ERROR' }],
    ["INSERT INTO t VALUES (1, 'x'); DROP TABLE t", { code: '62', type: 'SYNTAX_ERROR' }],
  ])('%s', async (query, expected) => {
    expect(await failure(client.command({ query }))).toEqual(expected)
    expect(await rows('SELECT count() AS n FROM t')).toEqual([{ n: '0' }])
  })

  test('a setting that does not exist, a database that does not exist, a wrong password', async () => {
    expect(await failure(rows('SELECT 1', { clickhouse_settings: { nope: 1 } }))).toMatchObject({ code: '115' })
    const elsewhere = clientOf(engine, { database: 'nope`; DROP TABLE t' })
    expect(await failure(rows('SELECT 1', {}, elsewhere))).toMatchObject({ code: '81' })
    const stranger = clientOf({ ...engine, url: engine.url, user: engine.user, password: 'guess' })
    expect(await failure(rows('SELECT 1', {}, stranger))).toEqual({ code: '516', type: 'AUTHENTICATION_FAILED' })
    await Promise.all([elsewhere.close(), stranger.close()])
  })

  test('in the middle of an answer reaches the client as an error, with gzip too', async () => {
    const query = 'SELECT throwIf(number = 900000) FROM numbers(1000000)'
    const expected = { code: '395', type: 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO' }
    expect(await failure(rows(query))).toEqual(expected)
    const zipped = clientOf(engine, { compression: { response: true } })
    expect(await failure(rows(query, {}, zipped))).toEqual(expected)
    await zipped.close()
    expect(await rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('the time of a query is limited, and the limit can only be lowered', async () => {
    const query = 'SELECT sleepEachRow(0.1) FROM numbers(20) SETTINGS max_block_size = 1'
    expect(await failure(rows(query, { clickhouse_settings: { max_execution_time: 0.3 } }))).toMatchObject({
      code: '159',
    })
    const limit = "SELECT getSetting('max_execution_time') AS seconds"
    expect(await rows(limit)).toEqual([{ seconds: 60 }])
    for (const asked of [0, 1_000_000]) {
      expect(await rows(limit, { clickhouse_settings: { max_execution_time: asked } })).toEqual([{ seconds: 300 }])
    }
  })
})

describe('data is never run', () => {
  const traps = ['6\tfoo\n\n;DROP TABLE t\n', '6\tfoo\n\nDROP TABLE t\n', '6\tfoo;\nDROP TABLE t;\n']

  test.each(traps)('%j', async (data) => {
    // What follows a blank line is the next statement to the engine; here it is a row that can't be read.
    const stream = Readable.from([data], { objectMode: false })
    expect(await failure(client.insert({ table: 't', values: stream, format: 'TabSeparated' }))).toMatchObject({
      code: '27',
    })
    expect(await failure(client.command({ query: `INSERT INTO t FORMAT TSV\n${data}` }))).toMatchObject({ code: '27' })
    expect(await rows('SELECT count() AS n FROM t')).toEqual([{ n: '0' }])
  })

  test('rows after a blank line are stored', async () => {
    const values = Readable.from(['{"a":1}\n\n{"a":2,"s":";DROP TABLE t"}\n\n\n{"a":3}'], { objectMode: false })
    await client.exec({ query: 'INSERT INTO t FORMAT JSONEachRow', values })
    await client.command({ query: "INSERT INTO t VALUES (4, 'a;\n\nDROP TABLE t'),\n\n(5, 'B')" })
    expect(await rows('SELECT a, s FROM t ORDER BY a')).toEqual([
      { a: '1', s: '' },
      { a: '2', s: ';DROP TABLE t' },
      { a: '3', s: '' },
      { a: '4', s: 'a;\n\nDROP TABLE t' },
      { a: '5', s: 'B' },
    ])
  })
})

describe('values are literals, so that none of them reads a file', () => {
  const FILE = "(7, file('/etc/hostname'))"
  const on = { input_format_values_interpret_expressions: 1 as const }

  test.each(['VALUES', 'FORMAT Values', 'FORMAT values'])('%s', async (format) => {
    const query = `INSERT INTO t ${format}`
    expect(await failure(client.command({ query: `${query} ${FILE}` }))).toMatchObject({ code: '344' })
    expect(await failure(client.command({ query: `${query} ${FILE}`, clickhouse_settings: on }))).toMatchObject({
      code: '344',
    })
    const values = Readable.from([FILE], { objectMode: false })
    expect(await failure(client.exec({ query, values }))).toMatchObject({ code: '344' })
    const clause = `INSERT INTO t SETTINGS input_format_values_interpret_expressions = 1 ${format} ${FILE}`
    expect(await failure(client.command({ query: clause }))).toMatchObject({ code: '48' })
    expect(await rows('SELECT count() AS n FROM t')).toEqual([{ n: '0' }])
  })
})

test('answers that nobody reads to the end keep no place', async () => {
  for (const response of [false, true]) {
    const zipped = clientOf(engine, { compression: { response } })
    for (let n = 0; n < 12; n++) (await heldQuery(zipped)).close()
    await zipped.close()
  }
  expect(await rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
})

describe('without the client', () => {
  interface Answer {
    readonly status: number
    readonly body: string
    readonly code: string | undefined
  }

  function send(method: string, path: string, body = '', headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Basic ${Buffer.from(`${engine.user}:${engine.password}`).toString('base64')}`
    return new Promise((resolve, reject) => {
      const outgoing = request(`${engine.url}${path}`, { method, headers: { authorization, ...headers } }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => {
          const code = answer.headers['x-clickhouse-exception-code']
          resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString(), code: code as string })
        })
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  }

  test('eight queries run and 256 wait for them; those beyond are refused at once, and the others answered', async () => {
    const held = await Promise.all(Array.from({ length: 8 }, () => heldQuery()))
    const codes: (string | undefined)[] = []
    const quick = Array.from({ length: 300 }, async () => {
      const answer = await send('POST', '/', 'SELECT 1')
      codes.push(answer.code)
      return answer
    })
    await expect.poll(() => codes.length).toBe(44)
    expect(new Set(codes)).toEqual(new Set(['202']))
    for (const query of held) query.close()
    const answers = await Promise.all(quick)
    expect(answers.find(({ code }) => code === '202')!.body).toContain('TOO_MANY_SIMULTANEOUS_QUERIES')
    expect(answers.filter(({ status, body }) => status === 200 && body === '1\n')).toHaveLength(256)
  })

  test('ping needs no password, everything else does', async () => {
    expect(await send('GET', '/ping', '', { authorization: '' })).toMatchObject({ status: 200, body: 'Ok.\n' })
    for (const authorization of ['', 'Basic', 'Basic !!', 'Bearer x', `Basic ${btoa('perf_triage:')}`]) {
      expect(await send('POST', '/', 'SELECT 1', { authorization })).toMatchObject({ status: 403, code: '516' })
    }
    expect(await send('POST', '/play', 'SELECT 1')).toMatchObject({ status: 404 })
  })

  test('a GET reads and changes nothing', async () => {
    expect(await send('GET', '/?query=SELECT%201')).toMatchObject({ status: 200, body: '1\n' })
    expect(await send('GET', '/?query=DROP%20TABLE%20t')).toMatchObject({ status: 500, code: '164' })
    expect(await send('GET', '/?query=SET%20readonly%3D0')).toMatchObject({ code: '452' })
    expect(await send('GET', '/?readonly=0&query=TRUNCATE%20TABLE%20t')).toMatchObject({ code: '164' })
    expect(await send('POST', '/?readonly=1', 'TRUNCATE TABLE t')).toMatchObject({ code: '164' })
  })

  test('what only reads does not read files and addresses', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked += 1
      response.end('a\n1\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    for (const source of [
      `url('http://127.0.0.1:${port}/x.csv')`,
      `s3('http://127.0.0.1:${port}/bucket/x.csv')`,
      `remote('127.0.0.1:${port}', system.one)`,
      `'/etc/passwd'`,
      `sqlite('/x', 't')`,
      `executable('x', 'TSV', 'a String')`,
    ]) {
      const sql = `SELECT * FROM ${source}`
      expect(await send('GET', `/?query=${encodeURIComponent(sql)}`), sql).toMatchObject({ code: '164' })
      expect(await send('POST', '/?readonly=1', sql), sql).toMatchObject({ code: '164' })
    }
    expect(await send('POST', '/', `DESCRIBE TABLE url('http://127.0.0.1:${port}/x.csv')`)).toMatchObject({
      code: '48',
    })
    expect(asked).toBe(0)
    server.close()
  })

  test('the statement goes on in the body, but does not become two', async () => {
    expect(await send('POST', '/?query=SELECT', '1 + 1')).toMatchObject({ body: '2\n' })
    expect(await send('POST', '/?query=SELECT%201%3B', 'DROP TABLE t')).toMatchObject({ status: 400, code: '62' })
    expect(await send('POST', '/?query=INSERT%20INTO%20t%20FORMAT%20CSV', '1,"x\n\n;DROP TABLE t"')).toMatchObject({
      status: 200,
    })
    expect(await rows('SELECT s FROM t')).toEqual([{ s: 'x\n\n;DROP TABLE t' }])
  })

  test('what is not served is said', async () => {
    expect(await send('POST', '/', 'x', { 'content-encoding': 'br' })).toMatchObject({ status: 501, code: '48' })
    expect(await send('POST', '/?compress=1', 'SELECT 1')).toMatchObject({ status: 501 })
    expect(await send('POST', '/', 'x', { 'content-type': 'multipart/form-data; boundary=x' })).toMatchObject({
      status: 501,
    })
    expect(await send('POST', '/?param_a%27=1', 'SELECT 1')).toMatchObject({ status: 400 })
    expect(await send('POST', '/', 'no gzip', { 'content-encoding': 'gzip' })).toMatchObject({ status: 500 })
  })

  test('a statement beyond the limit is refused, and the next one is served', async () => {
    const large = `SELECT '${'x'.repeat(64 * 2 ** 20)}'`
    expect(await send('POST', '/', large)).toMatchObject({ status: 413 })
    expect(await send('POST', '/', 'SELECT 1')).toMatchObject({ body: '1\n' })
  })
})
