import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ProbotOctokit } from 'probot'
import { afterEach, expect, test } from 'vitest'
import { boundedFetch, type CallLimits, NoAnswer } from '../../src/github/bounded-fetch.ts'
import { outageOf } from '../../src/github/outage.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Longer than a slow machine takes. */
const AMPLE = { headersMs: 60_000, wholeMs: 60_000 }

function octokitAt(baseUrl: string, stopping = new AbortController().signal, limits = AMPLE): ProbotOctokit {
  return new ProbotOctokit({
    baseUrl,
    throttle: { enabled: false },
    retry: { enabled: false },
    request: { fetch: boundedFetch(limits, stopping) },
  })
}

test('an answer is handed on as it is', async () => {
  const url = await serve((_request, response) =>
    response.setHeader('content-type', 'application/json').setHeader('etag', '"1"').end('{"id":7}'),
  )
  const { status, data, headers, url: address } = await octokitAt(url).request('GET /app')
  expect({ status, data, etag: headers.etag, address }).toEqual({
    status: 200,
    data: { id: 7 },
    etag: '"1"',
    address: `${url}/app`,
  })
})

test.each<[string, RequestListener, Partial<CallLimits>, string]>([
  ['no headers', () => undefined, { headersMs: 200 }, 'GitHub sent no headers within 0.2 s'],
  [
    'a body that never ends',
    (_request, response) => void response.setHeader('content-type', 'application/json').write('{"id":7'),
    { wholeMs: 400 },
    'GitHub sent no complete answer within 0.4 s',
  ],
])('%s is no answer, and never an empty one', async (_what, answer, limits, message) => {
  const url = await serve(answer)
  const error = await octokitAt(url, undefined, { ...AMPLE, ...limits })
    .request('GET /app')
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(NoAnswer)
  expect(error).toMatchObject({ message })
  expect(outageOf(error, 0)).toEqual({ until: null })
})

test('a body that breaks off is an error', async () => {
  const url = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json').setHeader('content-length', 100)
    response.write('{"id":7', () => response.destroy())
  })
  await expect(octokitAt(url).request('GET /app')).rejects.toMatchObject({ name: 'HttpError', status: 500 })
})

test('an answer that is too large is the same the next time: no outage', async () => {
  const megabyte = Buffer.alloc(1024 * 1024, 0x20)
  const url = await serve((_request, response) => {
    for (let written = 0; written < 33; written += 1) response.write(megabyte)
    response.end()
  })
  const error = await boundedFetch(AMPLE, new AbortController().signal)(url).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'AbortError', message: 'the answer is larger than 33554432 bytes' })
  expect(outageOf(error, 0)).toBeNull()
})

test('what is under way ends when the bot stops', async () => {
  const stopping = new AbortController()
  const url = await serve(() => stopping.abort())
  await expect(octokitAt(url, stopping.signal).request('GET /app')).rejects.toThrow('the bot is stopping')
})

test.each<[string, number, Record<string, string>, { until: number | null } | null]>([
  ['a secondary limit', 403, { 'retry-after': '90' }, { until: 90_000 }],
  ['too many requests', 429, {}, { until: 60_000 }],
  ['a primary limit', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '600' }, { until: 600_000 }],
  ['a limit without end', 429, { 'retry-after': '999999' }, { until: 3_600_000 }],
  ['a server that fails', 502, {}, { until: null }],
  ['a permission that is missing', 403, {}, null],
  ['nothing there', 404, {}, null],
])('%s is told from the rest', async (_what, status, headers, expected) => {
  const url = await serve((_request, response) => response.writeHead(status, headers).end())
  const error = await octokitAt(url)
    .request('GET /app')
    .catch((caught: unknown) => caught)
  expect(outageOf(error, 0)).toEqual(expected)
  expect(outageOf(new AggregateError([new Error('another'), error]), 0)).toEqual(expected)
})
