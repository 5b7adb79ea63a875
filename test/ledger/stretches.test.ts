import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { areOfStretches, cleanSince, daysBegun, stretchesOf } from '../../src/ledger/stretches.ts'
import { CHECK, DAY, HOUR, hit, NOW, trunkHit } from './values.ts'

const ran = (trunkClean: readonly number[], checkName = CHECK) => ({ checkName, passes: 0, runs: 0, trunkClean })
const at = (hours: number) => NOW - 30 * DAY + hours * HOUR
const failed = (hours: number, checkName = CHECK) => trunkHit(`c${hours}`, at(hours), { checkName })
const spans = (stretches: ReturnType<typeof stretchesOf>) =>
  stretches.all.map(({ first, last }) => [(first - at(0)) / HOUR, (last - at(0)) / HOUR])

describe('stretches', () => {
  test('four failures without a pass between them are one, whatever days they lie on', () => {
    const stretches = stretchesOf([failed(8), failed(20), failed(26), failed(32)], [ran([at(2), at(40)])], true)
    expect(spans(stretches)).toEqual([[8, 32]])
    expect(stretches.all[0]).toMatchObject({ commits: ['c8', 'c20', 'c26', 'c32'], cleanAfter: at(40) })
    expect(daysBegun(stretches)).toBe(1)
  })

  test('a pass between two of them makes two', () => {
    const stretches = stretchesOf([failed(8), failed(40)], [ran([at(20), at(50)])], true)
    expect(spans(stretches)).toEqual([
      [8, 8],
      [40, 40],
    ])
    expect(daysBegun(stretches)).toBe(2)
  })

  test('a pass in a third check separates nothing, one in either of the two checks does', () => {
    const two = [failed(8, 'a'), failed(40, 'b')]
    expect(spans(stretchesOf(two, [ran([], 'a'), ran([], 'b'), ran([at(20)], 'c')], true))).toEqual([[8, 40]])
    expect(spans(stretchesOf(two, [ran([at(20)], 'a')], true))).toHaveLength(2)
    expect(spans(stretchesOf(two, [ran([at(20)], 'b')], true))).toHaveLength(2)
  })

  test('a commit that breaks six checks for two days is one stretch, though another check passes in between', () => {
    const hits = [8, 20, 32].flatMap((hour) => ['a', 'b'].map((check) => failed(hour, check)))
    const late = failed(21, 'c')
    expect(spans(stretchesOf([...hits, late], [ran([at(15), at(22)], 'c'), ran([at(40)], 'a')], true))).toEqual([
      [8, 32],
    ])
  })

  test('where no run without it is known each day stands for one', () => {
    const stretches = stretchesOf([failed(0), failed(1), failed(30)], [], false)
    expect(stretches).toMatchObject({ isKnown: false })
    expect(daysBegun(stretches)).toBe(2)
    expect(areOfStretches([hit(1, { time: at(0) })], stretches)).toBe(false)
  })

  test('every hit is in one stretch, and none has a clean run of its check inside', () => {
    const hours = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 25 })
    fc.assert(
      fc.property(hours, hours, hours, (failing, others, clean) => {
        const hits = [...failing.map((hour) => failed(hour)), ...others.map((hour) => failed(hour, 'other'))]
        const { all } = stretchesOf(hits, [ran(clean.map(at)), ran([], 'other')], true)
        for (const { time } of hits) {
          expect(all.filter(({ first, last }) => first <= time && time <= last)).toHaveLength(1)
        }
        if (others.length > 0) return
        // Of one check alone: as many as a walk along its runs finds.
        const runs = [...new Set([...failing, ...clean.map((hour) => hour + 0.5)])].toSorted((a, b) => a - b)
        const plain = runs.filter((hour, index) => failing.includes(hour) && !failing.includes(runs[index - 1] ?? -1))
        const shifted = stretchesOf(hits, [ran(clean.map((hour) => at(hour + 0.5)))], true)
        expect(shifted.all).toHaveLength(plain.length)
      }),
    )
  })
})

describe('pull requests in a stretch', () => {
  const stretches = stretchesOf([failed(8), failed(32)], [ran([at(40), at(90)])], true)

  test.each([
    ['all while it was broken', [10, 35], true],
    ['up to the first run without it, which it ends', [39.9], true],
    ['one after that', [10, 40], false],
    ['one before', [7, 10], false],
    ['none', [], false],
  ])('%s', (_, hours, are) => {
    expect(
      areOfStretches(
        hours.map((hour, index) => hit(index, { time: at(hour) })),
        stretches,
      ),
    ).toBe(are)
  })

  test('a single failing commit may be a flake of the trunk, and takes nobody’s word away', () => {
    const flake = stretchesOf([failed(8)], [ran([at(40)])], true)
    expect(areOfStretches([hit(1, { time: at(10) })], flake)).toBe(false)
  })
})

test('the runs since the last failure, of the checks in which it failed', () => {
  const checks = [ran([at(1), at(9), at(12), at(30)]), ran([at(50)], 'other')]
  expect(cleanSince([failed(8), failed(10)], checks)).toEqual({ since: at(12), runs: 2, runsBefore: 2 })
  expect(cleanSince([failed(40)], checks)).toBeNull()
  expect(cleanSince([], checks)).toBeNull()
})
