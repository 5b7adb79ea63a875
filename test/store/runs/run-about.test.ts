import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ENVIRONMENT_FIELDS, type Environments } from '../../../src/intake/measurement/environment.ts'
import { aboutColumn, writeAbout } from '../../../src/store/runs/run-about.ts'

const side = () =>
  fc.dictionary(fc.constantFrom(...ENVIRONMENT_FIELDS), fc.array(fc.string(), { minLength: 1, maxLength: 3 }))
const environments = (): fc.Arbitrary<Environments> =>
  fc.record({
    architecture: fc.option(fc.string()),
    old: side(),
    new: side(),
    differing: fc.subarray([...ENVIRONMENT_FIELDS]),
  })

test('where the sides were measured is read as it was written', () => {
  fc.assert(
    fc.property(fc.array(environments()), (written) => {
      const column = JSON.parse(JSON.stringify(writeAbout({ environments: written }))) as string
      const read = aboutColumn.parse(column)
      expect(read).toEqual({ environments: JSON.parse(JSON.stringify(written)) as unknown })
    }),
  )
})

test('a run that was stored before that was kept has none, and one that another version wrote differently has the rest', () => {
  expect(aboutColumn.parse('')).toEqual({})
  expect(aboutColumn.parse('{"machine":"EPYC 7763"}')).toEqual({ machine: 'EPYC 7763' })
  expect(aboutColumn.parse('{"machine":"EPYC 7763","environments":[{"old":1}]}')).toEqual({ machine: 'EPYC 7763' })
})
