import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { resultKey } from '../../../src/intake/measurement/run.ts'
import { queryOfHistoryKey } from '../../../src/judge/history/query-of-history-key.ts'

test('gives the query that the key was made of, but for its position where it has a text', () => {
  const query = fc.record(
    {
      test: fc.string(),
      queryIndex: fc.option(fc.nat()),
      queryName: fc.option(fc.string()),
      ordinal: fc.nat(),
    },
    { requiredKeys: ['test', 'queryIndex', 'queryName'] },
  )
  fc.assert(
    fc.property(query, fc.option(fc.string()), (of, architecture) => {
      const found = queryOfHistoryKey(resultKey({ ...of, architecture }))
      expect(found).toEqual({ query: { ...of, ...(of.queryName !== null && { queryIndex: null }) }, architecture })
    }),
  )
})

test.each(['', 'a', '[]', '["a"]', '["a","b"]', '["[]","b"]', '["[1,2]",null]', '["[\\"a\\",1.5]",null]', 'null'])(
  '%s is none',
  (text) => expect(queryOfHistoryKey(text)).toBeNull(),
)
