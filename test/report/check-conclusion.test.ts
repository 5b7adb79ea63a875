import { expect, test } from 'vitest'
import { conclusionOf } from '../../src/report/check-conclusion.ts'
import { judged, measured, runOf, times } from './judge-setting.ts'

/** Another query, so that no run is all noise. */
const calm = measured('calm', times(1))
const few = (factor: number) => measured('few', [factor, factor * 1.001], { old: [1, 1.001] })

test.each([
  ['slower by two repetitions per side', few(1.49), 'neutral'],
  ['faster by as many', few(0.5), 'success'],
  ['the same by as many', few(1.01), 'success'],
  ['a score that nobody can read', { ...measured('score', times(0.1)), better: null }, 'neutral'],
  ['a score that did not change', { ...measured('score', times(1)), better: null }, 'success'],
] as const)('a gate is no success where a change may be one for the worse: %s', (_, measurement, expected) => {
  const report = judged([runOf([calm, measurement])])
  expect(conclusionOf({ ...report, mode: 'gating' })).toBe(expected)
  expect(conclusionOf({ ...report, mode: 'advisory' })).toBe('success')
})
