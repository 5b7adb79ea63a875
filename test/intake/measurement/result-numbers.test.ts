import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { resultKey, resultNumbers } from '../../../src/intake/measurement/run.ts'

test('results have the same number where they have the same key', () => {
  const few = fc.constantFrom('', 'a', 'b', '1', 'null', 'undefined', '1 of a')
  const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null })
  const result = fc.record(
    { test: few, queryName: maybe(few), queryIndex: maybe(fc.nat(2)), architecture: maybe(few), ordinal: fc.nat(1) },
    { requiredKeys: ['test', 'queryName', 'queryIndex', 'architecture'] },
  )
  fc.assert(
    fc.property(fc.array(result, { maxLength: 60 }), (results) => {
      const numberOf = resultNumbers()
      const byNumber = Map.groupBy(results, numberOf)
      const byKey = Map.groupBy(results, resultKey)
      expect([...byNumber.values()]).toEqual([...byKey.values()])
    }),
  )
})
