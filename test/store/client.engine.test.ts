import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type ClickHouse, openClickHouse } from '../../src/store/client.ts'
import { startEmbedded } from '../../src/store/embedded/embedded.ts'
import { askedByPage } from '../../src/store/page-asking.ts'
import { deleteRowsOfRun } from '../../src/store/runs/run-queries.ts'
import { STACKS, stackRows } from '../../src/store/runs/stack-rows.ts'
import { StoreUnavailable } from '../../src/store/store-unavailable.ts'
import { insertInto } from '../../src/store/table.ts'
import { isServer, ownDatabase, temporaryFolder } from './embedded/engine-fixture.ts'

const one = z.object({ one: z.number() })
const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function listen(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function connect(port: number, password = 'hunter2'): Promise<ClickHouse> {
  return await openClickHouse({ url: `http://127.0.0.1:${port}`, user: 'bot', password, dataDir: '', timeout: 400 })
}

/** What a read and a write fail with, and how long both took. */
async function failures(clickhouse: ClickHouse): Promise<{ messages: string[]; seconds: number }> {
  const start = performance.now()
  const messages: string[] = []
  for (const work of [
    () => clickhouse.read('one', 'SELECT 1 AS one', {}, one),
    () => clickhouse.insert('t', ['a'], [[1]]),
    () => clickhouse.command('create', 'CREATE TABLE t'),
  ]) {
    const error = await work().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreUnavailable)
    messages.push((error as StoreUnavailable).message)
    expect(JSON.stringify([error, (error as StoreUnavailable).cause, (error as Error).stack])).not.toContain('hunter2')
  }
  await clickhouse.close()
  return { messages, seconds: (performance.now() - start) / 1000 }
}

// Side by side: each waits for its pauses and limits most of its time.
describe.concurrent('a server that does not serve', () => {
  test('nothing listens', async () => {
    // A port that was free a moment ago may be that of another test by now; nobody listens at 1.
    const port = 1
    const { messages, seconds } = await failures(await connect(port))
    for (const message of messages) {
      expect(message).toBe(
        `http://127.0.0.1:${port} can't be reached: connect ECONNREFUSED 127.0.0.1:${port}. Check CLICKHOUSE_URL and that the server is up.`,
      )
    }
    expect(seconds).toBeLessThan(40)
  })

  test('it never answers', async () => {
    const { messages, seconds } = await failures(await connect(await listen(createTcpServer(() => {}))))
    for (const message of messages) expect(message).toMatch(/did not answer within 0\.4 s/)
    expect(seconds).toBeLessThan(12)
  })

  test('it answers a byte at a time', async () => {
    const drip: RequestListener = (request, response) => {
      request.resume()
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
    }
    const { messages, seconds } = await failures(await connect(await listen(createServer(drip))))
    for (const message of messages) expect(message).toMatch(/did not answer within 0\.4 s/)
    expect(seconds).toBeLessThan(12)
  })

  test('it hangs up, and only a read is tried again', async () => {
    const heard: string[] = []
    const hangUp: RequestListener = (request) => {
      heard.push(new URL(request.url ?? '', 'http://x').searchParams.get('query') ?? request.method ?? '')
      request.socket.destroy()
    }
    const { messages } = await failures(await connect(await listen(createServer(hangUp))))
    for (const message of messages) expect(message).toMatch(/can't be reached: .*(hang up|ECONNRESET)/)
    expect(heard.filter((query) => query.startsWith('INSERT'))).toHaveLength(1)
    expect(heard.length).toBe(4 + 1 + 1)
  })

  test('a proxy answers in its place', async () => {
    const proxy: RequestListener = (request, response) => {
      request.resume()
      response.writeHead(502).end(`<html>${'Bad Gateway\n'.repeat(1000)}</html>`)
    }
    const { messages } = await failures(await connect(await listen(createServer(proxy))))
    for (const message of messages) {
      expect(message).toMatch(/can't be reached/)
      expect(message.length).toBeLessThan(500)
    }
  })

  test.each([
    ['516', 'AUTHENTICATION_FAILED', 403, /refuses user bot: .*CLICKHOUSE_PASSWORD/],
    ['202', 'TOO_MANY_SIMULTANEOUS_QUERIES', 503, /can't take the request now/],
    ['242', 'TABLE_IS_READ_ONLY', 500, /can't take the request now/],
  ])('it refuses with %s', async (code, type, status, expected) => {
    const refuse: RequestListener = (request, response) => {
      request.resume()
      response.writeHead(status, { 'x-clickhouse-exception-code': code })
      response.end(`Code: ${code}. DB::Exception: bot: hunter2 is no good. (${type}) (version 24.8.1.1)`)
    }
    const { messages } = await failures(await connect(await listen(createServer(refuse))))
    for (const message of messages) expect(message).toMatch(expected)
  })
})

test('an insert whose server was not there yet is sent again whole, and every insert has a token of its own', async () => {
  const heard: { readonly rows: number; readonly token: string | null }[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const token = new URL(request.url ?? '', 'http://x').searchParams.get('insert_deduplication_token')
    const body = (await request.toArray()).join('')
    heard.push({ rows: body.trim().split('\n').length, token })
    response.end()
  }
  const before = createTcpServer()
  const port = await listen(before)
  await new Promise((resolve) => before.close(resolve))
  const clickhouse = await connect(port)
  const profile = {
    test: 't',
    queryIndex: 1,
    queryName: null,
    traceType: 'CPU' as const,
    old: Array.from({ length: 500 }, (_, i) => ({ stack: `main;f${i}`, count: 1 })),
    new: [],
  }
  const rows = stackRows({ repositoryId: 1, profiles: [profile] }, 'run', new Date(0))
  const inserted = insertInto(clickhouse, STACKS, rows)
  // The first try is refused within a few milliseconds, the second follows 100 later.
  const server = createServer((request, response) => void take(request, response))
  servers.push(server)
  setTimeout(() => server.listen(port, '127.0.0.1'), 50)
  await inserted
  await insertInto(clickhouse, STACKS, rows)
  expect(heard.map((insert) => insert.rows)).toEqual([500, 500])
  expect(new Set(heard.map(({ token }) => token)).size).toBe(2)
  expect(heard.map(({ token }) => token)).not.toContain(null)
  await clickhouse.close()
})

test('on a cluster every statement goes to the same replica, and a delete does not wait for a host that is down', async () => {
  const heard: URLSearchParams[] = []
  const take: RequestListener = (request, response) => {
    heard.push(new URL(request.url ?? '', 'http://x').searchParams)
    request.resume()
    response.end()
  }
  const url = `http://127.0.0.1:${await listen(createServer(take))}`
  for (const cluster of [null, 'c']) {
    const clickhouse = await openClickHouse({ url, cluster, dataDir: '' })
    await clickhouse.read('one', 'SELECT 1 AS one', {}, one)
    await clickhouse.insert('t', ['a'], [[1]])
    await deleteRowsOfRun(clickhouse, { repositoryId: 1, runId: '00000000-0000-0000-0000-000000000001', from: 0 })
    await clickhouse.close()
  }
  const of = (name: string) => heard.map((parameters) => parameters.get(name))
  const [alone, all] = [Array<null>(5).fill(null), Array<string>(5).fill('in_order')]
  expect(of('load_balancing')).toEqual([...alone, ...all])
  expect(of('distributed_product_mode')).toEqual([...alone, ...Array<string>(5).fill('global')])
  expect(of('parallel_distributed_insert_select')).toEqual([...alone, ...Array<string>(5).fill('0')])
  expect(of('prefer_localhost_replica')).toEqual([...alone, ...Array<string>(5).fill('0')])
  const deletes = Array<string>(3).fill('never_throw')
  expect(of('distributed_ddl_output_mode')).toEqual([...alone, null, null, ...deletes])
})

test('an address that is none', async () => {
  for (const url of ['clickhouse', 'tcp://127.0.0.1:9000', 'http://bot:hunter2@:8123']) {
    const error = await openClickHouse({ url, dataDir: '' }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(String(error)).not.toContain('hunter2')
  }
})

test('a statement that is wrong is no outage, and says which it is', async () => {
  const clickhouse = await openClickHouse({ ...ownDatabase(), database: 'system' })
  const error = await clickhouse.read('broken', 'SELECT nope', {}, one).catch((reason: unknown) => reason)
  expect(error).not.toBeInstanceOf(StoreUnavailable)
  expect(String(error)).toMatch(/broken: UNKNOWN_IDENTIFIER 47: .*nope/)
  await expect(clickhouse.read('text', "SELECT 'x' AS one", {}, one)).rejects.toThrow(/text returned an unexpected row/)
  await clickhouse.close()
  await expect(clickhouse.ping()).rejects.toThrow(StoreUnavailable)
})

test.skipIf(isServer())('pages have few places, leave one to others, and end their statements with them', async () => {
  const clickhouse = await openClickHouse({ ...ownDatabase(), database: 'system' })
  const endless = 'SELECT count() AS one FROM numbers(200000000000) WHERE sipHash64(number) = 7'
  const running = async () =>
    await clickhouse.read(
      'running',
      "SELECT 1 AS one FROM system.processes WHERE startsWith(query, 'SELECT count() AS one FROM numbers(200')",
      {},
      one,
    )
  const gone = new AbortController()
  const asked = Array.from({ length: 20 }, () =>
    askedByPage(gone.signal, () => clickhouse.read('endless', endless, {}, one)).catch((error: unknown) => error),
  )
  await expect.poll(running, { timeout: 10_000 }).toHaveLength(3)
  gone.abort()
  for (const error of await Promise.all(asked)) expect(error).toBeInstanceOf(StoreUnavailable)
  await expect.poll(running, { timeout: 10_000 }).toHaveLength(0)
  await clickhouse.close()
})

test.skipIf(isServer())('what only reads fetches no address', async () => {
  const clickhouse = await openClickHouse({ ...ownDatabase(), database: 'system' })
  const url = "SELECT one FROM url('http://127.0.0.1:9/x', 'CSV', 'one UInt8')"
  await expect(clickhouse.read('url', url, {}, one)).rejects.toThrow(/url: READONLY 164/)
  await clickhouse.close()
})

test('a connection to the engine of another process outlives that process', async () => {
  const dataDir = await temporaryFolder()
  const other = await startEmbedded({ dataDir })
  const clickhouse = await openClickHouse({ url: null, dataDir, database: 'system' })
  expect(await clickhouse.read('one', 'SELECT 1 AS one', {}, one)).toEqual([{ one: 1 }])
  await other.stop()
  await clickhouse.command('create', 'CREATE TABLE default.mine (a Int8) ENGINE = MergeTree ORDER BY a')
  await clickhouse.insert('default.mine', ['a'], [[1]])
  expect(await clickhouse.read('one', 'SELECT a AS one FROM default.mine', {}, one)).toEqual([{ one: 1 }])
  await clickhouse.close()
})
