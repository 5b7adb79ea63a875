import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entryIdOf } from '../../../src/judge/ledger/entry.ts'
import { entryPath, parseRepositoryAddress } from '../../../src/report/urls.ts'
import { returnPath } from '../../../src/web/access/return-path.ts'
import { anyCodePoint, anyWebUrl } from '../../any-code-point.ts'

const HEAD = '0123456789abcdef0123456789abcdef01234567'

test.each([
  '/r/acme/engine',
  '/r/acme/fast.db/pull/7',
  `/r/acme/engine/pull/7/${HEAD}`,
  `/r/acme/engine/pull/7/${HEAD}/flame/q-sum-0-1a2b/flame-graph.svg`,
  '/r/acme/engine/pull/7?outcome=slower&sort=q&test=a%20b',
  '/r/acme/engine/ledger',
  '/queue?days=30',
  '/digest?period=week',
  '/record',
  '/quality',
])('%s is a page of ours', (path) => {
  expect(returnPath(path)).toBe(path)
})

test('so is each entry of a ledger, whatever its id holds', () => {
  const part = fc.oneof(
    fc.constantFrom('03223_nested_json', 'Timeout exceeded: 5 > 3 s', "it's 100% // ..", '..', '?', '#', '\\'),
    fc.string({ unit: anyCodePoint, maxLength: 40 }),
  )
  fc.assert(
    fc.property(fc.constantFrom('failure', 'mover'), part, part, (kind, test, signature) => {
      const path = entryPath({ owner: 'acme', repo: 'fast.db' }, entryIdOf(kind, test, signature, null))
      expect(returnPath(path)).toBe(path)
      expect(new URL(path, 'https://perf.example.org').pathname).toBe(path)
    }),
  )
})

describe('leads to the start:', () => {
  test.each([
    undefined,
    '',
    'r/acme/engine',
    '//evil.example',
    '//evil.example/r/a/b',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/r\\a\\b',
    'https://evil.example/r/a/b',
    'https:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/%2f%2fevil.example',
    '%2f%2fevil.example',
    '/%5cevil.example',
    '/r/%2e%2e/%2e%2e//evil.example',
    '/r/../..//evil.example',
    '/r/a/b/../../../sign-out',
    '/r/a/b/..',
    '/r/a/./b',
    '/r/a//b',
    '/r/a/b/',
    '/r/a/b/%0d%0aSet-Cookie:x',
    '/r/a/b/ledger/%0d%0aSet-Cookie:x',
    '/r/a/b/ledger/failure%7C%7Ca%0Ab%7C',
    '/r/a/b/ledger/failure%7C%7Ca%7Cb/x',
    '/r/a/b/ledger/failure%7C%7Ca%7Cb?x',
    '/r/a/b/ledger/failure||a|b',
    '/r/a/b/ledger/failure%7c%7ca%7cb',
    '/r/a/b/ledger/%',
    '/r/../b/ledger/failure%7C%7Ca%7Cb',
    '/r/a/b\r\nSet-Cookie: x',
    '/r/a/b\t',
    ' /r/a/b',
    '/r/a/b#x',
    '/r/a/b?x=\u0000',
    '/r/a/b?x=<script>',
    '/r/a/b@evil.example',
    '/r/a/b:80',
    '/r/ä/b',
    '/r/a/b?next=//evil.example',
    '/sign-out',
    '/sign-in/callback?code=x',
    '/healthz',
    `/r/a/${'b'.repeat(101)}`,
    `/r/a/b?${'x'.repeat(2000)}`,
  ])('%j', (path) => {
    expect(returnPath(path)).toBe('/')
  })
})

test('whatever it is given, it gives a page of ours', () => {
  const piece = fc.constantFrom(
    '/',
    '//',
    '\\',
    '.',
    '..',
    'r',
    'acme',
    '%2f',
    '%2e',
    ':',
    '@',
    '?',
    '#',
    'x',
    '\n',
    '\u3002',
  )
  const address = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 8 }).map((pieces) => `/r/acme/engine${pieces.join('')}`),
    fc.string({ unit: anyCodePoint }),
    anyWebUrl,
  )
  fc.assert(
    fc.property(address, (text) => {
      const path = returnPath(text)
      // As a browser reads a Location header.
      const url = new URL(path, 'https://perf.example.org/sign-in/callback')
      expect(url.origin).toBe('https://perf.example.org')
      expect(url.pathname + url.search).toBe(path)
      const [, owner, repo] = /^\/r\/([^/]+)\/([^/]+)/.exec(url.pathname) ?? []
      expect(path === '/' || parseRepositoryAddress({ owner, repo }) !== null).toBe(true)
    }),
    { numRuns: 1000 },
  )
})
