import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeal } from '../../../src/web/access/seal.ts'
import { anyCodePoint } from '../../any-code-point.ts'

const SECRET = 'a-client-secret-of-the-test'
const session = createSeal(SECRET, 'session')
const VALUE = { id: 7, login: 'alice', until: 1000 }

test('opens what it sealed; another secret or purpose does not', () => {
  expect(session.open(session.seal(VALUE))).toEqual(VALUE)
  expect(session.seal(VALUE)).toMatch(/^[\w-]+\.[\w-]{43}$/)
  expect(createSeal(SECRET, 'sign-in attempt').open(session.seal(VALUE))).toBeNull()
  expect(createSeal(`${SECRET}2`, 'session').open(session.seal(VALUE))).toBeNull()
})

test.each([undefined, '', '.', 'x', `${Buffer.from('{}').toString('base64url')}.`, 'a'.repeat(5000), '.'.repeat(4096)])(
  'does not open %j',
  (text) => {
    expect(session.open(text)).toBeNull()
  },
)

test('no change of what was sealed opens', () => {
  const sealed = session.seal(VALUE)
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.string({ maxLength: 3 }), fc.nat(3), (at, inserted, removed) => {
      const changed = sealed.slice(0, at) + inserted + sealed.slice(at + removed)
      expect(session.open(changed)).toEqual(changed === sealed ? VALUE : null)
    }),
    { numRuns: 2000 },
  )
})

test('nothing that was made up opens', () => {
  fc.assert(fc.property(fc.string({ unit: anyCodePoint }), (text) => session.open(text) === null))
})
