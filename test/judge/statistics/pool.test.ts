import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { poolSamples, sortSamplesInto } from '../../../src/judge/statistics/pool.ts'

const samples = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 200, size: 'max' })
const ascending = (a: number, b: number) => a - b

test('sorts each side and all together, whatever was pooled before', () => {
  fc.assert(
    fc.property(samples, samples, (old, fresh) => {
      const pool = poolSamples(old, fresh)
      expect([...pool.old.subarray(0, old.length)]).toEqual(old.toSorted(ascending))
      expect([...pool.new.subarray(0, fresh.length)]).toEqual(fresh.toSorted(ascending))
      expect([...pool.all.subarray(0, old.length + fresh.length)]).toEqual([...old, ...fresh].toSorted(ascending))
    }),
  )
})

describe('sort samples', () => {
  test('sorts its own part of the target and leaves the rest', () => {
    const target = Float64Array.of(9, 9, 9, 9, 9)
    sortSamplesInto(target, [3, 1, 2], 1)
    expect([...target]).toEqual([9, 1, 2, 3, 9])
  })

  test('sorts few and many samples alike', () => {
    const samples = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 120, size: 'max' })
    fc.assert(
      fc.property(samples, fc.nat(3), (values, offset) => {
        const target = new Float64Array(values.length + 6).fill(77)
        sortSamplesInto(target, values, offset)
        const sorted = values.toSorted((a, b) => a - b)
        expect([...target]).toEqual([...Array(offset).fill(77), ...sorted, ...Array(6 - offset).fill(77)])
      }),
    )
  })
})
