import { expect, test } from 'vitest'
import { rowsOf } from '../../../src/bot/triage/failing-tests.ts'
import { failure, history, hit, output } from '../../judge/ledger/values.ts'

test('rows that may excuse a failure come first: those alike, of the same test', () => {
  const mine = failure({ testName: 'one', signature: output('broken pipe') })
  const row = (number: number, text: string) => hit(number, { signature: output(text) })
  const histories = [
    history({ testName: 'two', failing: [row(1, 'broken pipe')] }),
    history({ testName: 'one', failing: [row(2, 'another'), row(3, 'broken pipe'), row(4, 'broken pipe')] }),
  ]
  expect(rowsOf([mine], histories).map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([3, 4, 1, 2])
})
