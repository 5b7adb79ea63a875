import { expect, test } from 'vitest'
import { comparesValues } from '../../../src/judge/ledger/failing-lines.ts'
import { computed } from '../../computing-time.ts'

test.each([
  ['assert 5 == 7', true],
  ["AssertionError: assert '1' == '2'", true],
  ['AssertionError: 143 != 0', true],
  ['143 != 0', true],
  ['AssertionError: assert 3 in [1, 2]', true],
  ['expected [1] but found [2]', true],
  ['expected:<3> but was:<4>', true],
  ['expected 3 to equal 4', true],
  ['got 4, want 3', true],
  ['Failed asserting that 2 matches expected 1.', true],
  ['  Received: 4', true],
  ['   actual  : 4', true],
  ['  left: 3', true],
  ['AssertionError: row 17 is missing', false],
  ['AssertionError: row 17 is missing in table 3', false],
  ['panic: got 3 errors', false],
  ['We expect 1 warnings', false],
  ['assert 31.2 < 30', false],
  ['AssertionError: 12 not less than or equal to 10', false],
  ['assert 0.1 == approx(0.2)', false],
  ['expected to be done, but elapsed 31', false],
  ['Code: 159. DB::Exception: Received from localhost:9000', false],
  ['Expected number of calls: 3', true],
  ['Received exception from server (version 26.6.1): Code: 49. DB::Exception: Join state is not set.', false],
  ['', false],
])('%j: %s', (line, compares) => {
  expect(comparesValues(line)).toBe(compares)
})

test('a long line takes no time', () => {
  const started = computed()
  for (const unit of ['assert ', 'expected ', ' == ', 'a', '= ', '_', ' ']) comparesValues(unit.repeat(100_000))
  expect(computed() - started).toBeLessThan(100)
})
