import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bisectionSteps, planMidpoints } from '../../src/bisect/plan.ts'
import { windowCommit } from './series-builder.ts'

const candidates = (count: number) => Array.from({ length: count }, (_, index) => windowCommit(index + 1, null))

test('as many builds as halving takes', () => {
  expect([0, 1, 2, 3, 4, 5, 13, 16, 17, 1000].map(bisectionSteps)).toEqual([0, 0, 1, 2, 2, 3, 4, 4, 5, 10])
})

test('one commit is the build to confirm, none is none', () => {
  const [only] = candidates(1)
  expect(planMidpoints([only!], 9)).toEqual([{ commit: only!.sha, repetitions: 9, level: 1, after: null }])
  expect(planMidpoints([], 9)).toEqual([])
})

test('following the plan finds any culprit in the builds that it says', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), (count, pick) => {
      let left = candidates(count)
      const culprit = left[pick % count]!
      let builds = 0
      while (left.length > 1) {
        const plan = planMidpoints(left, null)
        const at = left.findIndex(({ sha }) => sha === plan[0]!.commit)
        builds += 1
        // A build is bad once the culprit is in it.
        const isBad = left.indexOf(culprit) <= at
        const next = isBad ? left.slice(0, at + 1) : left.slice(at + 1)
        const second = plan.find(({ level, after }) => level === 2 && after === (isBad ? 'bad' : 'good'))
        expect(second?.commit).toBe(next.length > 1 ? planMidpoints(next, null)[0]!.commit : undefined)
        left = next
      }
      expect(left).toEqual([culprit])
      expect(builds).toBeLessThanOrEqual(bisectionSteps(count))
    }),
  )
})
