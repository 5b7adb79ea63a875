import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { chooseCoding, compressed } from '../../../src/web/kit/content-coding.ts'
import { chooseFormat } from '../../../src/web/kit/report-format.ts'

test.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip, deflate, br', 'br'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['br;q=0.1, deflate;q=0.9', 'deflate'],
  ['*', 'br'],
  ['*;q=0', null],
  ['gzip;q=nonsense', null],
] as const)('coding for %s is %s', (header, coding) => {
  expect(chooseCoding(header)).toBe(coding)
})

test('each coding comes back as it was', async () => {
  const body = Buffer.from('grün '.repeat(1_000))
  expect(brotliDecompressSync(await compressed(body, 'br'))).toEqual(body)
  expect(gunzipSync(await compressed(body, 'gzip'))).toEqual(body)
  expect(inflateSync(await compressed(body, 'deflate'))).toEqual(body)
})

test.each([
  [undefined, undefined, 'html'],
  ['json', 'text/html', 'json'],
  ['xml', undefined, null],
  ['', undefined, null],
  [undefined, '*/*', 'html'],
  [undefined, 'application/json', 'json'],
  [undefined, 'text/tab-separated-values, */*;q=0.1', 'tsv'],
  [undefined, 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html'],
  [undefined, 'image/png', 'html'],
] as const)('format for ?format=%s and Accept: %s is %s', (parameter, accept, format) => {
  expect(chooseFormat(parameter, accept)).toBe(format)
})
