import { expect, test } from 'vitest'
import type { MeasurementProblem, Side } from '../../../src/intake/measurement/run.ts'
import type { FailedIn } from '../../../src/judge/verdict/classified-query.ts'
import { failedIn, partlyFailedIn } from '../../../src/judge/verdict/failed-in.ts'

const error = (side: Side | null): MeasurementProblem => ({ reason: 'run-error', side, message: 'Server died' })
const partial = (side: Side | null): MeasurementProblem => ({ reason: 'partial', side, message: 'works on one server' })
const skipped: MeasurementProblem = { reason: 'skipped', side: null, message: 'not today' }

test.each<[string, FailedIn | null, readonly number[], readonly number[], readonly MeasurementProblem[]]>([
  ['both builds have samples, though some repetitions failed', null, [1, 2], [1], [error('new')]],
  ['no sample of the new build', 'new', [1, 2], [], []],
  ['no number among those of the new build', 'new', [1, 2], [Number.NaN, Number.POSITIVE_INFINITY], []],
  ['no sample of the old build', 'old', [], [1, 2], [error(null)]],
  ['no sample at all, and an error of the new build', 'new', [], [], [error('new'), error(null)]],
  ['no sample at all, and errors of both builds', 'both', [], [], [error('new'), error('old')]],
  ['no sample at all, and an error of the old build', 'old', [], [], [error('old')]],
  ['no sample at all, and an error of a whole test', 'unknown', [], [], [error(null)]],
  ['works on neither build', 'both', [], [], [partial(null)]],
  ['a skipped test', null, [], [], [skipped]],
  ['a name without samples', null, [], [], []],
])('%s: %s', (_, expected, old, fresh, problems) => {
  expect(failedIn({ old, new: fresh, problems })).toBe(expected)
})

test.each<[string, FailedIn | null, readonly number[], readonly number[], readonly MeasurementProblem[]]>([
  ['in the new build', 'new', [1, 2], [1], [error('new')]],
  ['in the old build', 'old', [1], [1, 2], [error('old')]],
  ['in both', 'both', [1], [1], [error('old'), error('new')]],
  ['in one of them', 'unknown', [1], [1], [error(null)]],
  ['in none', null, [1], [1], [skipped, partial('new')]],
  ['in the new build, which has no other', null, [1, 2], [], [error('new')]],
])('some repetitions failed %s: %s', (_, expected, old, fresh, problems) => {
  expect(partlyFailedIn({ old, new: fresh, problems })).toBe(expected)
})
