import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { poolSamples } from '../../src/statistics/pool.ts'

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
