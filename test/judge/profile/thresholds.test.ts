import { describe, expect, test } from 'vitest'
import { countsDiffer, countsSamples, sharesDiffer } from '../../../src/judge/profile/thresholds.ts'
import { differenceOf } from './stacks.ts'

test('the examples of the thresholds', () => {
  expect(sharesDiffer(310, 1000, 325, 1000)).toBe(false)
  expect(sharesDiffer(310, 1000, 440, 1000)).toBe(true)
  expect(sharesDiffer(31, 100, 44, 100)).toBe(false)
  expect(sharesDiffer(0, 0, 44, 100)).toBe(false)
  expect(sharesDiffer(100, 100, 200, 200)).toBe(false)
  expect(countsDiffer(0, 0)).toBe(false)
  expect(countsDiffer(0, 4)).toBe(true)
  expect(countsDiffer(0, 3)).toBe(false)
})

describe('two profiles of the same build', () => {
  // Park and Miller's generator: the same samples every time
  let state = 20_261_121
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const draw = (samples: number, share: number) => {
    let count = 0
    for (let i = 0; i < samples; i += 1) if (random() < share) count += 1
    return count
  }

  test.each([
    [200, 0.3],
    [1000, 0.05],
    [500, 0.9],
  ])('%d samples, a share of %d: about one in twenty is beyond chance', (samples, share) => {
    const pairs = Array.from({ length: 2000 }, () => [draw(samples, share), draw(samples, share)] as const)
    const shares = pairs.filter(([old, fresh]) => sharesDiffer(old, samples, fresh, samples)).length
    expect(shares / pairs.length).toBeGreaterThan(0.025)
    expect(shares / pairs.length).toBeLessThan(0.065)
    // the total is fixed here, so that counts vary less than those of a profile, and are judged more strictly
    const counts = pairs.filter(([old, fresh]) => countsDiffer(old, fresh)).length
    expect(counts).toBeLessThanOrEqual(shares)
  })
})

test('only samples are counted one by one', () => {
  const whole = differenceOf([['a', 1]], [['a', 2]])
  expect(countsSamples(whole, 'samples')).toBe(true)
  expect(countsSamples(whole, 'bytes')).toBe(false)
  expect(countsSamples(differenceOf([['a', 1]], [['a', 2.5]]), 'samples')).toBe(false)
})
