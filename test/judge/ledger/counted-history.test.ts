import { expect, test } from 'vitest'
import { isSameFailure } from '../../../src/judge/ledger/counted-history.ts'
import { signatureOf } from '../../../src/judge/ledger/signature.ts'
import { NAME_ONLY, output, stid } from './values.ts'

const FRAMES = signatureOf('a test', 'severity: fail\ncode: ERR_TEST_FAILURE\nduration_ms: 3')

test.each([
  ['equal stack traces', stid('2508-38c6'), stid('2508-38c6'), true],
  ['different ones', stid('2508-38c6'), stid('2508-3e7b'), false],
  ['equal outputs', output('boom'), output('boom'), true],
  ['different ones', output('boom'), output('Boom'), false],
  ['equal texts of different kinds', stid('2508-38c6'), output('2508-38c6'), false],
  ['an output, and none elsewhere', output('boom'), NAME_ONLY, false],
  ['no output here matches whatever there is', NAME_ONLY, output('boom'), true],
  ['and none', NAME_ONLY, NAME_ONLY, true],
  ['frames alone, and an output elsewhere', FRAMES, output('error: connect ECONNREFUSED'), false],
  ['and none', FRAMES, NAME_ONLY, false],
  ['and frames as well', FRAMES, signatureOf('a test', '--- FAIL: TestCart (0.00s)'), true],
])('%s', (_, mine, elsewhere, expected) => {
  expect(isSameFailure(mine, elsewhere)).toBe(expected)
})
