import { expect, test } from 'vitest'
import { isSameFailure } from '../../src/ledger/same-failure.ts'
import { NAME_ONLY, output, stid } from './values.ts'

test.each([
  ['equal stack traces', stid('2508-38c6'), stid('2508-38c6'), true],
  ['different ones', stid('2508-38c6'), stid('2508-3e7b'), false],
  ['equal outputs', output('boom'), output('boom'), true],
  ['different ones', output('boom'), output('Boom'), false],
  ['equal texts of different kinds', stid('2508-38c6'), output('2508-38c6'), false],
  ['an output, and none elsewhere', output('boom'), NAME_ONLY, false],
  ['no output here matches whatever there is', NAME_ONLY, output('boom'), true],
  ['and none', NAME_ONLY, NAME_ONLY, true],
])('%s', (_, mine, elsewhere, expected) => {
  expect(isSameFailure(mine, elsewhere)).toBe(expected)
})
