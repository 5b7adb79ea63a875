import { gunzipSync, inflateSync } from 'node:zlib'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { expect, test } from 'vitest'
import { answers, PRIVATE_CACHE, TRANSFER } from '../../../src/web/kit/answers.ts'

const LONG = 'grün '.repeat(1_000)

function site() {
  const made = answers('1', false)
  const app = new Hono()
  app.use(...TRANSFER)
  app.get('/long', (context) => made.text(context, LONG, 'text/plain; charset=utf-8', PRIVATE_CACHE))
  app.get('/short', (context) => made.text(context, 'short', 'text/plain; charset=utf-8', PRIVATE_CACHE))
  const one = (text: string) => ({
    *pieces() {
      yield text
    },
  })
  app.get('/', (context) =>
    made.inFormat(context, { html: () => html`<p>`, json: () => one('{}'), tsv: () => one('a\n') }),
  )
  return app
}

test.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip, deflate, br', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip;q=0, deflate;q=0.5', 'deflate'],
  ['gzip;q=0.1, deflate;q=0.9', 'deflate'],
  ['*', 'gzip'],
  ['*;q=0', null],
] as const)('the coding for Accept-Encoding: %s is %s, with one tag', async (header, coding) => {
  const answer = await site().request('/long', header === undefined ? {} : { headers: { 'accept-encoding': header } })
  expect(answer.headers.get('content-encoding')).toBe(coding)
  expect(answer.headers.get('vary')).toBe('Accept-Encoding')
  expect(answer.headers.get('content-length')).toBe(coding === null ? String(Buffer.byteLength(LONG)) : null)
  const tag = answer.headers.get('etag')!
  const body = Buffer.from(await answer.arrayBuffer())
  expect((coding === 'gzip' ? gunzipSync(body) : coding === 'deflate' ? inflateSync(body) : body).toString()).toBe(LONG)
  const again = await site().request('/long', { headers: { 'if-none-match': tag } })
  expect([tag.slice(0, 3), again.status, again.headers.get('vary')]).toEqual(['W/"', 304, 'Accept-Encoding'])
})

test('a short answer is sent as it is', async () => {
  const answer = await site().request('/short', { headers: { 'accept-encoding': 'gzip' } })
  expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual([null, 'short'])
})

const HTML = 'text/html; charset=utf-8'
const TSV = 'text/tab-separated-values; charset=utf-8'
test.each([
  ['/', undefined, HTML],
  ['/?format=json', 'text/html', 'application/json'],
  ['/', '*/*', HTML],
  ['/', 'application/json', 'application/json'],
  ['/', 'text/tab-separated-values, */*;q=0.1', TSV],
  ['/', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', HTML],
  ['/', 'application/json;q=0.4, text/tab-separated-values;q=0.6', TSV],
  ['/', 'image/png', HTML],
] as const)('%s with Accept: %s is %s', async (path, accept, type) => {
  const answer = await site().request(path, accept === undefined ? {} : { headers: { accept } })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
})

test.each(['/?format=xml', '/?format='])('%s is no format', async (path) => {
  expect((await site().request(path)).status).toBe(400)
})
