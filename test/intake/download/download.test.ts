import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { hostAllowed } from '../../../src/config/host-allowed.ts'
import { DOWNLOAD_LIMITS, type DownloadError, download } from '../../../src/intake/download/download.ts'
import { type ScratchFile, ScratchFolder, TooLittleDisk } from '../../../src/intake/download/scratch-folder.ts'

const folder = mkdtempSync(join(tmpdir(), 'perf-triage-download-'))
const path = join(folder, 'results')
/** With room for everything. */
const file: ScratchFile = { path, take: () => Promise.resolve(), close: () => Promise.resolve() }
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function serve(answer: RequestListener): Promise<URL> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/results.zip?signature=secret`)
}

const anyHost = () => true

async function problemOf(promise: Promise<void>): Promise<DownloadError> {
  try {
    await promise
  } catch (error) {
    return error as DownloadError
  }
  throw new Error('the download succeeded')
}

test('the bytes are in the file', async () => {
  const url = await serve((_request, response) => response.end('the results'))
  await download(url, file, anyHost)
  expect(readFileSync(path, 'utf8')).toBe('the results')
})

test.each([
  [403, 'missing'],
  [404, 'missing'],
  [410, 'expired'],
  [500, 'failed'],
] as const)('%i is %s', async (status, problem) => {
  const url = await serve((_request, response) => response.writeHead(status).end())
  expect(await problemOf(download(url, file, anyHost))).toMatchObject({ problem })
})

test('a redirect to a host that is not allowed is not followed', async () => {
  let asked = 0
  const elsewhere = await serve((_request, response) => {
    asked += 1
    response.end('internal')
  })
  const url = await serve((_request, response) => response.writeHead(302, { location: elsewhere.href }).end())
  const error = await problemOf(download(url, file, (target) => hostAllowed(target, [url.host])))
  expect(error.problem).toBe('host-not-allowed')
  expect(error.message).toContain(elsewhere.host)
  expect(asked).toBe(0)
})

test('redirects in a circle end', async () => {
  const url = await serve((request, response) => response.writeHead(302, { location: request.url! }).end())
  expect(await problemOf(download(url, file, anyHost))).toMatchObject({ problem: 'failed' })
})

test('more bytes than allowed are not read', async () => {
  const url = await serve((_request, response) => {
    response.on('error', () => undefined)
    const send = () => {
      while (response.write(Buffer.alloc(64 * 1024))) if (response.destroyed) return
      response.once('drain', send)
    }
    send()
  })
  const limits = { ...DOWNLOAD_LIMITS, maxBytes: 1_000_000, timeoutMs: 10_000 }
  expect(await problemOf(download(url, file, anyHost, limits))).toMatchObject({ problem: 'too-large' })
})

test('an answer that never ends is given up, and a message shows no signature', async () => {
  const url = await serve((_request, response) => response.write('slow'))
  const error = await problemOf(download(url, file, anyHost, { ...DOWNLOAD_LIMITS, maxBytes: 1000, timeoutMs: 200 }))
  expect(error.problem).toBe('failed')
  expect(error.message).toContain('0.2 s')
  expect(error.message).not.toContain('secret')
})

test.each([
  ['no headers', () => undefined, { headersMs: 100 }, 'no headers after 0.1 s'],
  [
    'a byte now and then',
    (_request, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    },
    { paceBytes: 100, paceMs: 200 },
    'under 100 bytes in 0.2 s',
  ],
] satisfies [string, RequestListener, object, string][])('%s is given up', async (_what, answer, limits, why) => {
  const url = await serve(answer)
  const error = await problemOf(download(url, file, anyHost, { ...DOWNLOAD_LIMITS, ...limits }))
  expect(error).toMatchObject({ problem: 'failed', message: expect.stringContaining(why) as string })
})

test('a download ends with the process, for its reason', async () => {
  const stopping = new AbortController()
  const url = await serve(() => stopping.abort(new Error('the bot is stopping')))
  const limits = { ...DOWNLOAD_LIMITS, stopping: stopping.signal }
  await expect(download(url, file, anyHost, limits)).rejects.toThrow('the bot is stopping')
})

test('an answer that ends too early is no result', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('half')
    setTimeout(() => response.destroy(), 20)
  })
  expect(await problemOf(download(url, file, anyHost))).toMatchObject({ problem: 'failed' })
})

test('nobody there', async () => {
  const url = await serve((_request, response) => response.end())
  servers[0]!.close()
  servers[0]!.closeAllConnections()
  expect(await problemOf(download(url, file, anyHost))).toMatchObject({ problem: 'failed' })
})

/** A body that never ends, after so many bytes, and how often it was asked for. */
async function serveHeld(bytes: number) {
  const asked = { count: 0 }
  const url = await serve((_request, response) => {
    asked.count += 1
    response.writeHead(200, { 'content-length': bytes + 1 }).write(Buffer.alloc(bytes))
  })
  return { url, asked }
}

test('downloads hold no more of the disk than there is for all and for one owner; the next wait in turn', async () => {
  const scratch = new ScratchFolder(folder, { most: 300, mostOfOne: 200, free: 0 })
  const { signal } = new AbortController()
  const files = new Map<string, ScratchFile>()
  const granted = new Set<string>()
  const take = async (name: string, owner: string, bytes: number) => {
    const opened = await scratch.open(owner)
    files.set(name, opened)
    void opened.take(bytes, signal).then(() => granted.add(name))
  }
  await take('a1', 'a', 100)
  await take('a2', 'a', 100)
  await take('a3', 'a', 100)
  await take('b1', 'b', 90)
  await take('c1', 'c', 50)
  await take('d1', 'd', 10)
  await expect.poll(() => granted).toEqual(new Set(['a1', 'a2', 'b1']))
  await files.get('a1')!.close()
  await expect.poll(() => granted).toEqual(new Set(['a1', 'a2', 'b1', 'a3']))
  await files.get('b1')!.close()
  await expect.poll(() => granted).toEqual(new Set(['a1', 'a2', 'b1', 'a3', 'c1', 'd1']))
})

test('a download begins to be written when there is room, and gives up its turn with the process', async () => {
  const scratch = new ScratchFolder(folder, { most: 1_500, mostOfOne: 1_500, free: 0 })
  const stopping = new AbortController()
  const held = await serveHeld(1_000)
  const limits = { ...DOWNLOAD_LIMITS, stopping: stopping.signal }
  const first = await scratch.open('a')
  const firstEnds = problemOf(download(held.url, first, anyHost, limits))
  await expect.poll(() => existsSync(first.path) && readFileSync(first.path).length).toBe(1_000)

  const small = await serve((_request, response) => response.end('x'.repeat(1_000)))
  const second = await scratch.open('b')
  const secondEnds = download(small, second, anyHost)
  const third = await scratch.open('c')
  const thirdEnds = problemOf(download(held.url, third, anyHost, limits))
  await expect.poll(() => held.asked.count).toBe(2)
  expect([existsSync(second.path), existsSync(third.path)]).toEqual([false, false])

  stopping.abort(new Error('the bot is stopping'))
  expect([(await firstEnds).message, (await thirdEnds).message]).toEqual(['the bot is stopping', 'the bot is stopping'])
  expect(existsSync(second.path)).toBe(false)
  await first.close()
  await secondEnds
  expect(readFileSync(second.path, 'utf8')).toHaveLength(1_000)
  await Promise.all([second.close(), third.close()])
})

test('a file for which the disk has too little room is not begun, and one of no size is', async () => {
  const { bavail, bsize } = statfsSync(folder)
  const scratch = new ScratchFolder(folder, { most: 2e15, mostOfOne: 2e15, free: 0 })
  const small = await scratch.open('a')
  await small.take(1, new AbortController().signal)
  const large = await scratch.open('b')
  await expect(large.take(bavail * bsize * 2, new AbortController().signal)).rejects.toThrow(TooLittleDisk)
  await large.close()
  await small.close()

  const { url } = await serveHeld(2_000)
  const full = new ScratchFolder(folder, { most: 1e9, mostOfOne: 1e9, free: Number.MAX_SAFE_INTEGER })
  const wanted = await full.open('a')
  expect(await problemOf(download(url, wanted, anyHost))).toMatchObject({
    problem: 'failed',
    message: expect.stringContaining('free some disk space'),
  })
  await wanted.close()
})

test('a body that says that it is too large is not read', async () => {
  const { url } = await serveHeld(2_000)
  const limits = { ...DOWNLOAD_LIMITS, maxBytes: 1_000 }
  expect(await problemOf(download(url, file, anyHost, limits))).toMatchObject({ problem: 'too-large' })
})
