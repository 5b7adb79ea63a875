import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanSince, daysBegun, isOfStretch, stretchesOf } from '../../../src/judge/ledger/stretches.ts'
import { CHECK, DAY, HOUR, hit, NOW, trunkHit } from './values.ts'

const ran = (trunkClean: readonly number[], checkName = CHECK) => ({ checkName, passes: 0, runs: 0, trunkClean })
const at = (hours: number) => NOW - 30 * DAY + hours * HOUR
const failed = (hours: number, checkName = CHECK) => trunkHit(`c${hours}`, at(hours), { checkName })
const spans = (stretches: ReturnType<typeof stretchesOf>) =>
  stretches.all.map(({ first, last }) => [(first - at(0)) / HOUR, (last - at(0)) / HOUR])

describe('stretches', () => {
  test('four failures without a pass between them are one, whatever days they lie on', () => {
    const stretches = stretchesOf([failed(8), failed(20), failed(26), failed(32)], [ran([at(2), at(40)])])
    expect(spans(stretches)).toEqual([[8, 32]])
    expect(stretches.all[0]).toMatchObject({ commits: ['c8', 'c20', 'c26', 'c32'], cleanAfter: at(40) })
    expect(daysBegun(stretches)).toBe(1)
  })

  test('a pass between two of them makes two', () => {
    const stretches = stretchesOf([failed(8), failed(40)], [ran([at(20), at(50)])])
    expect(spans(stretches)).toEqual([
      [8, 8],
      [40, 40],
    ])
    expect(daysBegun(stretches)).toBe(2)
  })

  test('a pass in a third check separates nothing, one in either of the two checks does', () => {
    const two = [failed(8, 'a'), failed(40, 'b')]
    expect(spans(stretchesOf(two, [ran([at(1)], 'a'), ran([at(2)], 'b'), ran([at(20)], 'c')]))).toEqual([[8, 40]])
    expect(spans(stretchesOf(two, [ran([at(20)], 'a')]))).toHaveLength(2)
    expect(spans(stretchesOf(two, [ran([at(20)], 'b')]))).toHaveLength(2)
  })

  test('a commit that breaks six checks for two days is one stretch, though another check passes in between', () => {
    const hits = [8, 20, 32].flatMap((hour) => ['a', 'b'].map((check) => failed(hour, check)))
    const late = failed(21, 'c')
    expect(spans(stretchesOf([...hits, late], [ran([at(15), at(22)], 'c'), ran([at(40)], 'a')]))).toEqual([[8, 32]])
  })

  test('where no run without it is known each day stands for one', () => {
    const stretches = stretchesOf([failed(0), failed(1), failed(30)], [])
    expect(daysBegun(stretches)).toBe(2)
    expect(isOfStretch(hit(1, { time: at(0) }), stretches)).toBe(false)
  })

  test('so it is of a check that never passes beside one that does', () => {
    const nightly = [0, 24, 48].map((hour) => failed(hour, 'nightly'))
    const stretches = stretchesOf([...nightly, failed(30)], [ran([at(20), at(40)]), ran([], 'nightly')])
    expect(daysBegun(stretches)).toBe(3)
  })

  test('every hit is in one stretch, and none has a clean run of its check inside', () => {
    const hours = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 25 })
    fc.assert(
      fc.property(hours, hours, hours, (failing, others, clean) => {
        const hits = [...failing.map((hour) => failed(hour)), ...others.map((hour) => failed(hour, 'other'))]
        const { all } = stretchesOf(hits, [ran([-1, ...clean].map(at)), ran([at(-1)], 'other')])
        for (const { time } of hits) {
          expect(all.filter(({ first, last }) => first <= time && time <= last)).toHaveLength(1)
        }
        if (others.length > 0) return
        // Of one check alone: as many as a walk along its runs finds.
        const runs = [...new Set([...failing, ...clean.map((hour) => hour + 0.5)])].toSorted((a, b) => a - b)
        const plain = runs.filter((hour, index) => failing.includes(hour) && !failing.includes(runs[index - 1] ?? -1))
        const shifted = stretchesOf(hits, [ran([-1, ...clean].map((hour) => at(hour + 0.5)))])
        expect(shifted.all).toHaveLength(plain.length)
      }),
    )
  })
})

describe('pull requests in a stretch', () => {
  const stretches = stretchesOf([failed(8), failed(32)], [ran([at(40), at(90)])])

  test.each([
    ['while it was broken', 10, true],
    ['up to the first run without it, which ends it', 39.9, true],
    ['after that', 40, false],
    ['before', 7, false],
  ])('%s', (_, hour, is) => {
    expect(isOfStretch(hit(1, { time: at(hour) }), stretches)).toBe(is)
  })

  test('a single failing commit may be a flake of the trunk, and takes nobody’s word away', () => {
    expect(isOfStretch(hit(1, { time: at(10) }), stretchesOf([failed(8)], [ran([at(40)])]))).toBe(false)
  })

  test('nor does one that has not ended', () => {
    const standing = stretchesOf([failed(8), failed(32)], [ran([at(2)])])
    expect(isOfStretch(hit(1, { time: at(10) }), standing)).toBe(false)
  })
})

test('the runs since the last failure, of the checks in which it failed', () => {
  const checks = [ran([at(1), at(9), at(12), at(30)]), ran([at(50)], 'other')]
  expect(cleanSince([failed(8), failed(10)], checks)).toEqual({ since: at(12), runs: 2, runsBefore: 2 })
  expect(cleanSince([failed(40)], checks)).toBeNull()
  expect(cleanSince([], checks)).toBeNull()
})
