import { expect, test } from 'vitest'
import type { Subject } from '../../../src/judge/ledger/failure.ts'
import { LEDGER_THRESHOLDS } from '../../../src/judge/ledger/thresholds.ts'
import { type CiResults, CiResultsUnavailable } from '../../../src/store/checks/ci-results.ts'
import { MASS_FAILURES_STAND_MS, rememberMassFailures } from '../../../src/store/checks/remembered-mass-failures.ts'
import { massFailure } from '../../judge/ledger/values.ts'

const SUBJECT: Subject = {
  pullRequestNumber: 7,
  commitSha: 'c7',
  headRepo: '',
  headRef: '',
  repository: 'o/r',
  trunk: ['master'],
  mergeBase: null,
}

/** Answers with how often it was asked; the first time not at all where `fails`. */
function counting(fails = false): CiResults & { asked: number } {
  return {
    source: 'own',
    asked: 0,
    failuresOf: () => Promise.reject(new Error('not asked')),
    historiesOf: () => Promise.reject(new Error('not asked')),
    massFailuresOf() {
      this.asked += 1
      if (fails && this.asked === 1) return Promise.reject(new CiResultsUnavailable('unreachable', 'down'))
      return Promise.resolve([massFailure(0, { tests: this.asked })])
    },
  }
}

test('the same question within two minutes is asked once', async () => {
  let clock = 1
  const inner = counting()
  const results = rememberMassFailures(inner, () => clock)
  const ask = (until = 1, subject = SUBJECT) => results.massFailuresOf(until, subject, 1, LEDGER_THRESHOLDS)
  expect(await Promise.all([ask(), ask()])).toEqual([await ask(), await ask()])
  expect(inner.asked).toBe(1)
  await ask(2)
  await ask(1, { ...SUBJECT, pullRequestNumber: 8 })
  expect(inner.asked).toBe(3)
  clock += MASS_FAILURES_STAND_MS + 1
  expect((await ask())[0]!.tests).toBe(4)
})

test('what failed is asked again', async () => {
  const results = rememberMassFailures(counting(true))
  const ask = () => results.massFailuresOf(1, SUBJECT, 1, LEDGER_THRESHOLDS)
  await expect(ask()).rejects.toThrow('down')
  expect((await ask())[0]!.tests).toBe(2)
})
