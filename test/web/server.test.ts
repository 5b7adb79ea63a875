import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { BlockList, connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGitHubApp } from '../../src/github/github-app.ts'
import { InboxUnavailable } from '../../src/inbox/database.ts'
import { limitedLog } from '../../src/web/kit/log.ts'
import {
  PROXIES_HEADER,
  type RunningServer,
  type ServerOptions,
  startServer,
  WEBHOOK_PATH,
} from '../../src/web/server.ts'
import { createWebhook } from '../../src/web/webhook.ts'
import { recordingLog } from './recording-log.ts'

const running: RunningServer[] = []
const sockets: Socket[] = []

afterEach(async () => {
  vi.useRealTimers()
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(running.splice(0).map((server) => server.close()))
})

const SECRET = 'it is a secret'
const github = createGitHubApp({
  appId: 1,
  privateKey: 'unused',
  webhookSecret: SECRET,
  apiUrl: 'http://localhost',
  log: pino({ level: 'silent' }),
})

interface Kept {
  readonly guid: string
  readonly name: string
  readonly payload: string
}

/** A server that takes what is signed with `SECRET` into `kept`. */
async function start(options: Partial<ServerOptions> & { readonly keep?: (kept: Kept) => void } = {}) {
  const log = recordingLog()
  const kept: Kept[] = []
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    webhook: createWebhook({
      verify: (body, signature) => github.isSigned(body, signature),
      async receive(arrival) {
        const keep = options.keep ?? ((one: Kept) => kept.push(one))
        keep(arrival)
      },
      log: limitedLog(log),
    }),
    pages: { fetch: (request) => new Response(`page ${new URL(request.url).pathname}`) },
    readiness: [],
    log,
    ...options,
    limits: { linger: 100, shutdown: 2_000, ...options.limits },
  })
  running.push(server)
  return { ...server, log, kept, port: Number(new URL(server.url).port) }
}

test('pages are told the network of a client, behind a named proxy that of its client', async () => {
  const trustedProxies = new BlockList()
  trustedProxies.addAddress('127.0.0.1')
  const pages: ServerOptions['pages'] = { fetch: (_request, { network }) => new Response(network) }
  const ask = async (url: string, client: string) =>
    await (await fetch(url, { headers: { 'x-forwarded-for': client } })).text()
  const [behind, direct] = [await start({ pages, trustedProxies }), await start({ pages })]
  expect(await ask(behind.url, '203.0.113.9')).toBe('203.0.113.9')
  expect(await ask(behind.url, '2001:db8:0:1::7')).toBe('2001:db8:0:1')
  expect(await ask(direct.url, '203.0.113.9')).toBe('127.0.0.1')
})

const sign = (body: string) => `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`

/** As GitHub sends it. */
function headersOf(body: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-github-event': 'ping',
    'x-github-delivery': 'c0ffee',
    'x-hub-signature-256': sign(body),
  }
}

const deliver = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url + WEBHOOK_PATH, { method: 'POST', body, headers: { ...headersOf(body), ...headers } })

/** The head of a delivery in bytes, to be followed by what the test wants. */
function headBytes(more: readonly string[], body = ''): string {
  const headers = Object.entries(headersOf(body)).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${WEBHOOK_PATH} HTTP/1.1`, 'Host: x', ...headers, ...more, '', ''].join('\r\n')
}

/** A JSON object of this many bytes. */
const objectOf = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`

/** A connection that speaks bytes, and everything it has received. */
async function dial(port: number, localAddress = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const until = async (text: string) => {
    await expect.poll(() => received, { interval: 5 }).toContain(text)
  }
  return { socket, closed, until, received: () => received }
}

describe('routes', () => {
  test('lives, is ready, hands everything else to the pages', async () => {
    const { url } = await start()
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ alive: true })
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ ready: true, notReady: [] })
    expect(await (await fetch(`${url}/words?x=1`)).text()).toBe('page /words')
    expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(405)
    const head = await fetch(`${url}/readyz`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('names what is not ready, and not why', async () => {
    let asked = 0
    const { url, log } = await start({
      readiness: [
        {
          name: 'clickhouse',
          check: async () => {
            asked += 1
            throw new Error('connect ECONNREFUSED http://user:secret@db')
          },
        },
        { name: 'inbox', check: async () => undefined },
        { name: 'github', check: () => new Promise(() => {}), timeout: 1_000 },
      ],
    })
    const answers = await Promise.all([fetch(`${url}/readyz`), fetch(`${url}/readyz`), fetch(`${url}/readyz`)])
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(await answer.json()).toEqual({ ready: false, notReady: ['clickhouse', 'github'] })
    }
    expect(asked).toBe(1)
    expect(log.lines.filter(({ message }) => message === 'not ready').map(({ fields }) => fields['name'])).toEqual([
      'clickhouse',
      'github',
    ])
  })

  test('an answer that is kept is given until its time is over, a failure too', async () => {
    let asked = 0
    const check = async () => {
      asked += 1
      if (asked === 1) throw new Error('the disk is full')
    }
    vi.useFakeTimers({ toFake: ['performance'] })
    const { url } = await start({ readiness: [{ name: 'inbox', check, keptFor: 300 }] })
    const status = async () => (await fetch(`${url}/readyz`)).status
    expect([await status(), await status(), asked]).toEqual([503, 503, 1])
    vi.advanceTimersByTime(299)
    expect([await status(), asked]).toEqual([503, 1])
    vi.advanceTimersByTime(1)
    expect([await status(), asked]).toEqual([200, 2])
  })

  test('details are asked once in some seconds, and are left out where they fail', async () => {
    let asked = 0
    const details = async () => {
      asked += 1
      return { queue: asked }
    }
    vi.useFakeTimers({ toFake: ['performance'] })
    const { url } = await start({ details })
    const answerOf = async (at: string) => (await fetch(`${at}/readyz`)).json()
    for (let round = 0; round < 3; round++) {
      expect(await answerOf(url)).toEqual({ ready: true, notReady: [], queue: 1 })
    }
    vi.advanceTimersByTime(4_999)
    expect(await answerOf(url)).toMatchObject({ queue: 1 })
    vi.advanceTimersByTime(1)
    expect(await answerOf(url)).toMatchObject({ queue: 2 })
    const failing = await start({
      details: async () => {
        throw new Error('the disk is full')
      },
    })
    expect(await answerOf(failing.url)).toEqual({ ready: true, notReady: [] })
  })

  test('the log has method, path, status and time, and neither query nor headers', async () => {
    const { url, log } = await start()
    await fetch(`${url}/auth?code=secret-code`, { headers: { authorization: 'Bearer secret-token' } })
    await expect.poll(() => log.lines.length).toBe(1)
    expect(log.lines[0]).toEqual({
      level: 'info',
      message: 'request',
      fields: { method: 'GET', path: '/auth', status: 200, milliseconds: expect.any(Number) },
    })
  })

  test('a delivery that the inbox can’t take at the moment is answered 503, without a word of where the inbox is', async () => {
    const away = new InboxUnavailable("postgresql://bot@db:5432/inbox can't be used now")
    const { url } = await start({
      keep: () => {
        throw away
      },
    })
    const answer = await deliver(url, '{}')
    expect(answer.status).toBe(503)
    expect(await answer.text()).toBe('The inbox does not answer, try again\n')
  })

  test('an error of a page or of the webhook shows nothing of itself', async () => {
    const fail = () => {
      throw new Error('secret reason')
    }
    const { url, log } = await start({ pages: { fetch: fail }, keep: fail })
    for (const answer of [await fetch(url), await deliver(url, '{}')]) {
      expect(answer.status).toBe(500)
      expect(await answer.text()).toBe('Internal error\n')
    }
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(2)
  })

  test('a request without a host, an impossible path, a broken request line', async () => {
    const { port } = await start()
    for (const bytes of [
      'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a b<script>\r\nConnection: close\r\n\r\n',
      'nonsense\r\n\r\n',
    ]) {
      const connection = await dial(port)
      connection.socket.write(bytes)
      await connection.closed
      expect(connection.received()).toMatch(/^HTTP\/1\.1 400 /)
      expect(connection.received()).not.toContain('script')
    }
  })
})

describe('webhook', () => {
  test('the body is kept as it was signed, UTF-8 included; nothing else is', async () => {
    const { url, kept } = await start()
    const payload = '{ "title" : "größer 🐢 \u2028" }'
    expect((await deliver(url, payload)).status).toBe(200)
    expect(kept).toEqual([{ guid: 'c0ffee', name: 'ping', payload, event: { kind: 'other', installationId: null } }])
    expect((await deliver(url, '{}', { 'x-hub-signature-256': sign('{ }') })).status).toBe(400)
    const empty = await deliver(url, '')
    expect([empty.status, await empty.text()]).toEqual([400, 'The body is empty\n'])
    expect((await deliver(url, '\uFEFF{}')).status).toBe(400)
    const other = await fetch(url + WEBHOOK_PATH)
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST'])
    expect(kept).toHaveLength(1)
    const headers = { ...headersOf('{}'), 'x-github-delivery': 'slash' }
    expect((await fetch(`${url}${WEBHOOK_PATH}/`, { method: 'POST', body: '{}', headers })).status).toBe(200)
    expect(kept.at(-1)).toMatchObject({ guid: 'slash', payload: '{}' })
  })

  test.each([
    ['null', 400],
    ['42', 400],
    ['"x"', 400],
    ['[]', 400],
    ['{', 400],
    ['['.repeat(200_000) + ']'.repeat(200_000), 400],
    [`${'{"a":'.repeat(4_000_000)}1${'}'.repeat(4_000_000)}`, 400],
    [`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, 400],
    [`${'{"a":'.repeat(100)}"${'[\\"{'.repeat(100)}"${'}'.repeat(100)}`, 200],
  ])('what GitHub has signed is an object or refused: %#', async (body, status) => {
    const { url, log } = await start()
    expect((await deliver(url, body)).status).toBe(status)
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test.each([
    ['content-type', 'text/plain'],
    ['x-github-event', 'Ping!'],
    ['x-github-delivery', 'a b'],
    ['x-hub-signature-256', 'sha256=0'],
    ['x-hub-signature-256', `sha1=${'0'.repeat(64)}`],
  ])('%s: %s is answered before the body is there', async (name, value) => {
    const { port, log } = await start()
    const { socket, until, closed } = await dial(port)
    socket.write(headBytes([`Content-Length: 20000000`]).replace(new RegExp(`${name}: .*`), `${name}: ${value}`))
    await until('HTTP/1.1 400')
    await closed
    expect(JSON.stringify(log.lines)).not.toContain(value)
  })

  test('a body that is not signed leaves its size, its hash and its event in the log, at no level of alarm', async () => {
    const { url, log } = await start()
    const body = objectOf(1_000_000)
    const signature = sign('something else')
    expect((await deliver(url, body, { 'x-hub-signature-256': signature })).status).toBe(400)
    await expect.poll(() => log.lines.length).toBe(2)
    expect(log.lines[0]).toEqual({
      level: 'warn',
      message: 'a webhook is not signed with WEBHOOK_SECRET',
      fields: { event: 'ping', bytes: 1_000_000, sha256: createHash('sha256').update(body).digest('hex') },
    })
    expect(JSON.stringify(log.lines).length).toBeLessThan(500)
    expect(JSON.stringify(log.lines)).not.toContain(signature)
  })

  test('a server of pages alone hands its address to the pages', async () => {
    const { url } = await start({ webhook: null })
    expect(await (await deliver(url, '{}')).text()).toBe(`page ${WEBHOOK_PATH}`)
  })

  test('a body at the limit is taken, one above is refused by its declared length without being read', async () => {
    const { url, port } = await start({ limits: { webhookBody: 1_000 } })
    expect((await deliver(url, objectOf(1_000))).status).toBe(200)
    const { socket, until, closed } = await dial(port)
    socket.write(headBytes(['Content-Length: 1001']))
    await until('The request body is too large')
    await until('Connection: close')
    await closed
  })

  test('a client that goes on sending still reads the 413', async () => {
    const { url } = await start({ limits: { webhookBody: 100_000 } })
    const answer = await deliver(url, 'x'.repeat(30_000_000))
    expect([answer.status, await answer.text()]).toEqual([413, 'The request body is too large\n'])
  })

  test('a body without a declared length is cut at the limit', async () => {
    const { port } = await start({ limits: { webhookBody: 1_000 } })
    const { socket, until, closed } = await dial(port)
    socket.write(headBytes(['Transfer-Encoding: chunked']))
    for (let chunk = 0; chunk < 20; chunk++) socket.write(`64\r\n${'x'.repeat(100)}\r\n`)
    await until('HTTP/1.1 413')
    await closed
  })

  test('who asks before sending is told at once', async () => {
    const { port } = await start({ limits: { webhookBody: 1_000 } })
    const large = await dial(port)
    large.socket.write(headBytes(['Expect: 100-continue', 'Content-Length: 1001']))
    await large.until('HTTP/1.1 413')
    expect(large.received()).not.toContain('100 Continue')
    const small = await dial(port)
    small.socket.write(headBytes(['Expect: 100-continue', 'Content-Length: 2'], '{}'))
    await small.until('100 Continue')
    small.socket.write('{}')
    await small.until('200 OK')
    const unsigned = await dial(port)
    unsigned.socket.write(
      `POST ${WEBHOOK_PATH} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    )
    await unsigned.until('HTTP/1.1 400')
    expect(unsigned.received()).not.toContain('100 Continue')
  })

  test('other routes take 64 KiB, whatever the method', async () => {
    const { url } = await start()
    expect((await fetch(`${url}/words`, { method: 'POST', body: 'x'.repeat(65_536) })).status).toBe(200)
    expect((await fetch(`${url}/words`, { method: 'POST', body: 'x'.repeat(65_537) })).status).toBe(413)
    expect((await fetch(`${url}/healthz`, { method: 'DELETE', body: 'x'.repeat(65_537) })).status).toBe(413)
  })

  /** A large body of 1,000 bytes that lacks its last one; with the address that a proxy would add. */
  async function halfSent(port: number, address: string, length = 1_000) {
    const connection = await dial(port)
    connection.socket.write(headBytes([`X-Forwarded-For: ${address}`, `Content-Length: ${length}`]))
    connection.socket.write('x'.repeat(length - 1))
    // From then on the server holds it: a further one of the same address finds no room.
    await expect.poll(() => statusFrom(port, address), { timeout: 10_000, interval: 5 }).toBe(503)
    return connection
  }
  const statusFrom = async (port: number, address: string) =>
    (await deliver(`http://127.0.0.1:${port}`, objectOf(1_000), { 'x-forwarded-for': address })).status
  const TIGHT = { smallBody: 100, heldBodies: 4_000, heldSmallBodies: 400, webhookBody: 1_000 }
  const trustedProxies = new BlockList()
  trustedProxies.addAddress('127.0.0.1')
  trustedProxies.addSubnet('10.1.0.0', 16)

  test('an address has its share of what is held, which is given back', async () => {
    const { url, port } = await start({ limits: TIGHT, trustedProxies })
    const holder = await halfSent(port, '203.0.113.1')
    const from = (address: string) => deliver(url, objectOf(1_000), { 'x-forwarded-for': address })
    const refused = await from('203.0.113.1')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    // What the client itself says stands before what the proxy has added.
    expect((await from('198.51.100.7, 203.0.113.1')).status).toBe(503)
    expect((await from('203.0.113.1, 198.51.100.7')).status).toBe(200)
    // A second proxy of ours stands behind the client's address.
    expect((await from('198.51.100.7, 203.0.113.1, 10.1.2.3')).status).toBe(503)
    holder.socket.destroy()
    await expect.poll(async () => (await from('203.0.113.1')).status).toBe(200)
    for (let round = 0; round < 5; round++) expect((await from('203.0.113.1')).status).toBe(200)
  })

  test('who is no trusted proxy does not name its own address', async () => {
    const { port } = await start({ limits: TIGHT })
    await halfSent(port, '203.0.113.1')
    expect(await statusFrom(port, '203.0.113.2')).toBe(503)
  })

  test('the first request that nobody trusted forwards is warned of, once; /healthz says it of each', async () => {
    const { url, log } = await start({ trustedProxies })
    const proxies = async (forwardedFor: string) =>
      (await fetch(`${url}/healthz`, { headers: { 'x-forwarded-for': forwardedFor } })).headers.get(PROXIES_HEADER)
    const warned = () => log.lines.filter(({ message }) => /TRUSTED_PROXIES/.test(message))
    expect((await fetch(`${url}/healthz`)).headers.get(PROXIES_HEADER)).toBe('named')
    expect(await proxies('203.0.113.1')).toBe('named')
    expect(await proxies('203.0.113.1, 10.1.2.3')).toBe('named')
    expect(warned()).toEqual([])
    expect(await proxies('203.0.113.1, 192.0.2.7')).toBe('not-named')
    expect(await proxies('203.0.113.1, 192.0.2.8')).toBe('not-named')
    expect(warned()).toMatchObject([{ level: 'warn', fields: { address: '192.0.2.7' } }])

    const direct = await start()
    expect((await deliver(direct.url, '{}', { 'x-forwarded-for': '203.0.113.1' })).status).toBe(200)
    expect(direct.log.lines).toContainEqual(expect.objectContaining({ fields: { address: '127.0.0.1' } }))
  })

  test('the addresses of one IPv6 /64 are one client, mapped IPv4 addresses are clients of their own', async () => {
    const { port } = await start({ limits: TIGHT, trustedProxies })
    await halfSent(port, '2001:db8:0:7::1')
    expect(await statusFrom(port, '2001:db8:0:7:ffff::2')).toBe(503)
    expect(await statusFrom(port, '2001:0db8::7:1:2:3:4')).toBe(503)
    expect(await statusFrom(port, '2001:db8:0:8::1')).toBe(200)
    await halfSent(port, '::ffff:203.0.113.1')
    expect(await statusFrom(port, '::ffff:203.0.113.2')).toBe(200)
  })

  test('all large bodies together have a budget, which no small one waits for', async () => {
    const { url, port } = await start({ limits: TIGHT, trustedProxies })
    for (let host = 1; host <= 4; host++) await halfSent(port, `203.0.113.${host}`)
    expect((await deliver(url, objectOf(101))).status).toBe(503)
    expect((await deliver(url, objectOf(100))).status).toBe(200)
  })

  test('eleven half-sent bodies: a delivery beside them is taken, and they are cut off', async () => {
    const size = 1_000_000
    const { url, port } = await start({
      trustedProxies,
      limits: {
        webhookBody: size,
        smallBody: 10_000,
        heldBodies: 8_000_000,
        bodyPace: { bytes: 64 * 1024, period: 1_500 },
      },
    })
    const bodies = await Promise.all(
      Array.from({ length: 11 }, async (_, host) => {
        const connection = await dial(port)
        connection.socket.write(headBytes([`X-Forwarded-For: 203.0.113.${host}`, `Content-Length: ${size}`]))
        connection.socket.write(Buffer.alloc(size - 1))
        return connection
      }),
    )
    expect((await deliver(url, '{}')).status).toBe(200)
    await Promise.all(bodies.map(({ closed }) => closed))
    const answers = bodies.map(({ received }) => received().split('\r\n', 1)[0])
    expect(answers.filter((line) => line === 'HTTP/1.1 408 Request Timeout').length).toBeGreaterThan(0)
    expect((await deliver(url, objectOf(size))).status).toBe(200)
  })

  test('a connection holds one body at a time, however many it has begun', async () => {
    const answered = Promise.withResolvers<'taken'>()
    let begun = 0
    const { port } = await start({
      limits: { ...TIGHT, heldBodies: 8_000 },
      webhook: {
        headOf: () => {
          begun += 1
          return { guid: 'c0ffee', event: 'ping', signature: '' }
        },
        receive: () => answered.promise,
        refused: () => {},
        missed: () => {},
      },
    })
    const { socket, until } = await dial(port)
    const body = objectOf(600)
    const delivery = headBytes([`Content-Length: ${body.length}`], body) + body
    socket.write(delivery.repeat(2))
    await expect.poll(() => begun, { timeout: 10_000 }).toBe(2)
    answered.resolve('taken')
    await until('HTTP/1.1 200')
    await until('HTTP/1.1 503')
  })

  test('a client that goes away in the middle leaves nothing behind', async () => {
    let called = 0
    const { port, log, url } = await start({
      keep: () => {
        called += 1
      },
    })
    const { socket, until } = await dial(port)
    socket.write(headBytes(['Expect: 100-continue', 'Content-Length: 100']))
    await until('100 Continue')
    socket.write('half', () => socket.destroy())
    await expect.poll(() => log.lines.map(({ fields }) => fields['aborted'])).toEqual([true])
    expect(called).toBe(0)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })
})

describe('the log of what anybody can cause', () => {
  test('has so many lines of one message in one period, then their count', async () => {
    vi.useFakeTimers()
    const log = recordingLog()
    const limited = limitedLog(log, { lines: 2, period: 10_000 })
    for (let line = 0; line < 5; line++) limited.info({ line }, 'request')
    limited.warn({}, 'not ready')
    vi.advanceTimersByTime(10_000)
    limited.info({ line: 5 }, 'request')
    vi.advanceTimersByTime(10_000)
    expect(log.lines.map(({ message, fields }) => [message, fields])).toEqual([
      ['request', { line: 0 }],
      ['request', { line: 1 }],
      ['not ready', {}],
      ['request: more of the same', { notLogged: 3, seconds: 10 }],
      ['request', { line: 5 }],
    ])
  })

  test('is bounded for refused deliveries and unknown paths; signed deliveries are all in it', async () => {
    const { url, log } = await start()
    const once = async (count: number, ask: () => Promise<Response>) => {
      for (let left = count; left > 0; left -= 50) {
        await Promise.all(Array.from({ length: 50 }, async () => (await ask()).arrayBuffer()))
      }
    }
    await once(400, () => deliver(url, '{}', { 'x-hub-signature-256': sign('other') }))
    await once(400, () => fetch(`${url}/${'x'.repeat(5_000)}`))
    expect(log.lines.length).toBeLessThanOrEqual(600)
    expect(JSON.stringify(log.lines).length).toBeLessThan(200_000)
    await once(350, () => deliver(url, '{}'))
    await expect
      .poll(() => log.lines.filter(({ fields }) => fields['status'] === 200).length)
      .toBeGreaterThanOrEqual(350)
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('slow and greedy clients', () => {
  test('headers that never end are answered 408', async () => {
    const { port } = await start({ limits: { headersTimeout: 200, requestTimeout: 400 } })
    const { socket, closed, received } = await dial(port)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    const drip = setInterval(() => socket.write('X-A: 1\r\n'), 20)
    await closed
    clearInterval(drip)
    expect(received()).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('a body that never ends is cut off', async () => {
    const { port } = await start({ limits: { headersTimeout: 200, requestTimeout: 400 } })
    const { socket, closed, received } = await dial(port)
    socket.write(headBytes(['Content-Length: 1000']))
    const drip = setInterval(() => socket.write('x'), 20)
    const started = performance.now()
    await closed
    clearInterval(drip)
    // The limit of the bot itself is 30 s.
    expect(performance.now() - started).toBeLessThan(29_000)
    expect(received()).not.toContain(' 200 ')
  })

  test('who does not read the answer is dropped', async () => {
    const { port, log } = await start({
      limits: { idleTimeout: 200 },
      pages: { fetch: () => new Response(new Uint8Array(40_000_000)) },
    })
    const { socket, closed } = await dial(port)
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => log.lines.at(-1)?.fields['aborted'], { timeout: 10_000 }).toBe(true)
    socket.resume()
    await closed
    expect(socket.bytesRead).toBeLessThan(40_000_000)
  })

  test('headers above the limit are answered 431', async () => {
    const { port } = await start({ limits: { header: 2_000 } })
    const { socket, closed, received } = await dial(port)
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(3_000)}\r\n\r\n`)
    await closed
    expect(received()).toMatch(/^HTTP\/1\.1 431 /)
  })

  test('idle connections of one address stand in nobody’s way, with one line of log', async () => {
    const { url, port, log, kept } = await start({ limits: { connections: 30, connectionsOfNetwork: 20 } })
    const idle = await Promise.all(Array.from({ length: 40 }, () => dial(port, '127.0.0.2')))
    for (let index = 0; index < 12; index += 1) expect((await deliver(url, '{}')).status).toBe(200)
    // Those that came first have gone.
    await Promise.all(idle.slice(0, 20).map(({ closed }) => closed))
    expect(idle.slice(20).every(({ socket }) => !socket.destroyed)).toBe(true)
    expect(kept).toHaveLength(12)
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })

  test('idle connections of many addresses make room for the one that asks', async () => {
    const { url, port, kept } = await start({ limits: { connections: 30, connectionsOfNetwork: 20 } })
    await Promise.all(Array.from({ length: 90 }, (_, index) => dial(port, `127.0.0.${2 + (index % 30)}`)))
    for (let index = 0; index < 12; index += 1) expect((await deliver(url, '{}')).status).toBe(200)
    expect(kept).toHaveLength(12)
  })

  test('a trusted proxy has as many connections as there are', async () => {
    const trustedProxies = new BlockList()
    trustedProxies.addAddress('127.0.0.2')
    const { port } = await start({ trustedProxies, limits: { connections: 30, connectionsOfNetwork: 5 } })
    const idle = await Promise.all(Array.from({ length: 30 }, () => dial(port, '127.0.0.2')))
    const last = await dial(port)
    last.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await last.until('200 OK')
    expect(idle.filter(({ socket }) => socket.destroyed)).toHaveLength(1)
  })

  test('pages that are being answered leave places for webhooks', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { url, port, kept } = await start({
      pages: { fetch: async () => promise.then(() => new Response('done')) },
      limits: { connections: 10, connectionsForWebhooks: 4, connectionsOfNetwork: 10 },
    })
    const asked = await Promise.all(Array.from({ length: 20 }, () => dial(port, '127.0.0.2')))
    for (const { socket } of asked) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => asked.filter(({ received }) => received().includes(' 503 ')).length).toBe(4)
    await expect.poll(() => asked.filter(({ socket }) => socket.destroyed).length).toBe(14)
    for (let index = 0; index < 12; index += 1) expect((await deliver(url, '{}')).status).toBe(200)
    resolve()
    expect(kept).toHaveLength(12)
  })

  test('a connection on which nothing comes is closed as soon as headers that never end', async () => {
    const { port } = await start({ limits: { headersTimeout: 200, requestTimeout: 400 } })
    await (await dial(port)).closed
  })
})

describe('close', () => {
  /** A page that answers when it is told to. */
  function heldPage() {
    const { promise, resolve } = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const fetch = async () => {
      arrived.resolve()
      await promise
      return new Response('done')
    }
    return { pages: { fetch }, release: resolve, arrived: arrived.promise }
  }

  const isRefused = (url: string) =>
    fetch(url).then(
      () => false,
      () => true,
    )

  test('finishes what is in flight, closes idle keep-alive connections, takes no new ones', async () => {
    const { pages, release, arrived } = heldPage()
    const server = await start({ pages, limits: { shutdown: 600_000 } })
    const agent = new Agent({ keepAlive: true })
    const idle = await dial(server.port)
    idle.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await idle.until('alive')
    const silent = await dial(server.port)
    const answered = new Promise<{ text: string; connection: string | undefined }>((resolve, reject) => {
      httpRequest(server.url, { agent }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += String(chunk)
        })
        response.on('end', () => resolve({ text, connection: response.headers.connection }))
      })
        .on('error', reject)
        .end()
    })
    await arrived

    const closing = server.close()
    expect(server.close()).toBe(closing)
    await Promise.all([idle.closed, silent.closed])
    expect(await isRefused(server.url)).toBe(true)
    release()
    expect(await answered).toEqual({ text: 'done', connection: 'close' })
    await closing
    agent.destroy()
  })

  test('does not wait for ever', async () => {
    const { pages, arrived } = heldPage()
    const server = await start({ pages, limits: { shutdown: 200 } })
    const aborted = isRefused(server.url)
    await arrived
    const began = performance.now()
    await server.close()
    expect(await aborted).toBe(true)
    // The limit is 0.2 s, and 15 s where none is given.
    expect(performance.now() - began).toBeLessThan(14_000)
  })

  test('a taken port is an error, not a crash', async () => {
    const { port } = await start()
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
