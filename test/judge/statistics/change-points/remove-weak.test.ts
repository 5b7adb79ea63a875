import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Heap } from '../../../../src/judge/statistics/change-points/remove-weak.ts'

test('gives items in order, whatever is pushed and popped between', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer())), (operations) => {
      const heap = new Heap<number>((a, b) => a < b)
      const model: number[] = []
      for (const value of operations) {
        if (value === null) {
          heap.pop()
          model.shift()
        } else {
          heap.push(value)
          model.push(value)
          model.sort((a, b) => a - b)
        }
        expect(heap.peek()).toBe(model[0])
      }
    }),
  )
})
