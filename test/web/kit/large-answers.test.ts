import { gunzipSync, inflateSync } from 'node:zlib'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TextInPieces } from '../../../src/text/text-pieces.ts'
import { type Answers, answers, TRANSFER } from '../../../src/web/kit/answers.ts'
import { LARGE_FROM, type LargeAnswersOptions, largeAnswers } from '../../../src/web/kit/large-answers.ts'
import { startServer } from '../../../src/web/server.ts'
import { recordingLog } from '../recording-log.ts'

const LINE = `${'a line of some length '.repeat(40)}ü\n`

/** Of so many lines, counting those that were made. */
function lines(count: number): TextInPieces & { made: number } {
  return {
    made: 0,
    *pieces() {
      for (let line = 0; line < count; line += 1) {
        this.made += 1
        yield LINE
      }
    },
  }
}

const LARGE = Math.ceil((3 * LARGE_FROM) / LINE.length)

function site(text: TextInPieces, options?: LargeAnswersOptions) {
  const made: Answers = answers('1', false, largeAnswers(options))
  const app = new Hono()
  app.use(...TRANSFER)
  app.onError((error, context) => context.text(error.message, 500))
  app.get('/', (context) => made.inFormat(context, { json: () => text, tsv: () => text }))
  return app
}

describe('a large answer', () => {
  test('is whole, in each coding, with the tag that it is known by', async () => {
    const app = site(lines(LARGE))
    const whole = LINE.repeat(LARGE)
    const plain = await app.request('/?format=tsv')
    expect(await plain.text()).toBe(whole)
    expect(plain.headers.get('content-length')).toBeNull()
    const tags = new Set([plain.headers.get('etag')])
    for (const [coding, decode] of [
      ['gzip', gunzipSync],
      ['deflate', inflateSync],
    ] as const) {
      const answer = await app.request('/?format=tsv', { headers: { 'accept-encoding': coding } })
      expect(answer.headers.get('content-encoding')).toBe(coding)
      expect(decode(await answer.arrayBuffer()).toString()).toBe(whole)
      tags.add(answer.headers.get('etag'))
    }
    expect(tags.size).toBe(1)
    const [tag] = tags
    const again = await app.request('/?format=tsv', { headers: { 'if-none-match': tag! } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    const other = await site(lines(LARGE + 1)).request('/', { method: 'HEAD' })
    expect(other.headers.get('etag')).not.toBe(tag)
  })

  test('is not held: what nobody reads is not made', async () => {
    const text = lines(LARGE)
    const answer = await site(text).request('/?format=tsv')
    expect(text.made).toBeLessThan(2.2 * LARGE)
    const reader = answer.body!.getReader()
    await reader.read()
    expect(text.made).toBeLessThan(2.2 * LARGE)
    await reader.cancel()
  })

  test('two at a time; others are told to come again', async () => {
    const app = site(lines(LARGE))
    const [first, second, third] = await Promise.all([app.request('/'), app.request('/'), app.request('/')])
    expect([first.status, second.status, third.status]).toEqual([200, 200, 503])
    expect(third.headers.get('retry-after')).toBe('10')
    expect(third.headers.get('cache-control')).toBe('no-store')
    expect(await third.text()).toContain('Too much at once')
    await first.text()
    const next = await app.request('/')
    expect(next.status).toBe(200)
    await next.body!.cancel()
    await second.body!.cancel()
    // Neither who has it already nor who asks for the headers alone keeps a place.
    const known = { headers: { 'if-none-match': next.headers.get('etag')! } }
    await expect.poll(async () => (await app.request('/', known)).status).toBe(304)
    for (let time = 0; time < 4; time += 1) {
      expect((await app.request('/', known)).status).toBe(304)
      expect((await app.request('/', { method: 'HEAD' })).status).toBe(200)
    }
    expect(await (await app.request('/')).text()).toHaveLength(LINE.length * LARGE)
  })

  test('beyond the largest that is sent, is refused with what can be done', async () => {
    const app = site(lines(LARGE), { mostBytes: 2 * LARGE_FROM })
    for (let time = 0; time < 3; time += 1) {
      const answer = await app.request('/')
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([406, 'no-store'])
      expect(await answer.text()).toContain('“Reproduce” on the page')
    }
  })

  test('that breaks gives its place back', async () => {
    const broken: TextInPieces = {
      *pieces() {
        yield* lines(LARGE).pieces()
        throw new Error('broken')
      },
    }
    const app = site(broken)
    for (let time = 0; time < 3; time += 1) expect((await app.request('/')).status).toBe(500)
  })

  test('of somebody who does not read ends, and one who leaves makes room at once', async () => {
    const log = recordingLog()
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      webhook: null,
      pages: site(lines(20 * LARGE), { longest: 300, mostAtOnce: 1 }),
      readiness: [],
      log,
    })
    onTestFinished(() => server.close())
    const leaves = new AbortController()
    const first = await fetch(`${server.url}/?format=tsv`, { signal: leaves.signal })
    expect(first.status).toBe(200)
    expect((await fetch(`${server.url}/?format=tsv`)).status).toBe(503)
    leaves.abort()
    await expect.poll(async () => (await fetch(`${server.url}/?format=tsv`, { method: 'HEAD' })).status).toBe(200)
    const slow = await fetch(`${server.url}/?format=tsv`)
    expect(slow.status).toBe(200)
    await expect.poll(async () => (await fetch(`${server.url}/`, { method: 'HEAD' })).status).toBe(200)
    await expect(slow.text()).rejects.toThrow()
  })
})
