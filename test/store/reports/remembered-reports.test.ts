import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { rememberedReports } from '../../../src/store/reports/remembered-reports.ts'
import { quiet, report } from '../../report/render/report-builder.ts'

const OF = { repositoryId: 1, pullRequestNumber: 2 }
const ONE = report(quiet(1))
const version = (storedAt: number, head = 'a') => ({ head, judgedAt: 1, storedAt })

test('is found by its version alone, of its pull request alone', () => {
  const reports = rememberedReports()
  expect(reports.hasAny(OF)).toBe(false)
  reports.keep(OF, version(1), ONE, 10)
  expect(reports.hasAny(OF)).toBe(true)
  expect(reports.find(OF, version(1))).toBe(ONE)
  for (const other of [version(2), version(1, 'b'), { ...version(1), judgedAt: 2 }]) {
    expect(reports.find(OF, other)).toBeNull()
  }
  for (const other of [
    { ...OF, repositoryId: 3 },
    { ...OF, pullRequestNumber: 3 },
  ]) {
    expect(reports.find(other, version(1))).toBeNull()
    expect(reports.hasAny(other)).toBe(false)
  }
})

test('forgets all of a pull request, and nothing of another', () => {
  const reports = rememberedReports()
  const other = { ...OF, pullRequestNumber: 3 }
  reports.keep(OF, version(1), ONE, 10)
  reports.keep(OF, version(2), ONE, 10)
  reports.keep(other, version(1), ONE, 10)
  reports.forget(OF)
  expect([reports.find(OF, version(1)), reports.find(OF, version(2))]).toEqual([null, null])
  expect(reports.find(other, version(1))).toBe(ONE)
})

test('the one that was not used for longest makes room; what is larger than all of it is not kept', () => {
  const reports = rememberedReports(30)
  for (const storedAt of [1, 2, 3]) reports.keep(OF, version(storedAt), ONE, 10)
  reports.find(OF, version(1))
  reports.keep(OF, version(4), ONE, 10)
  expect([1, 2, 3, 4].filter((storedAt) => reports.find(OF, version(storedAt)) !== null)).toEqual([1, 3, 4])
  reports.keep(OF, version(5), ONE, 31)
  expect([1, 3, 4, 5].filter((storedAt) => reports.find(OF, version(storedAt)) !== null)).toEqual([1, 3, 4])
})

test('never more than there is room for', () => {
  const step = fc.record({ storedAt: fc.nat(8), length: fc.integer({ min: 1, max: 40 }), forgets: fc.nat(9) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const reports = rememberedReports(60)
      const lengths = new Map<number, number>()
      for (const { storedAt, length, forgets } of steps) {
        if (forgets === 0) reports.forget(OF)
        reports.keep(OF, version(storedAt), ONE, length)
        lengths.set(storedAt, length)
      }
      const kept = [...lengths].filter(([storedAt]) => reports.find(OF, version(storedAt)) !== null)
      expect(kept.reduce((sum, [, length]) => sum + length, 0)).toBeLessThanOrEqual(60)
    }),
  )
})
