import { expect, test } from 'vitest'
import { CI_RESULTS_FORMATS } from '../../../../src/intake/imports/checks/format-names.ts'
import { ciResultsFormatsNamed } from '../../../../src/intake/imports/checks/formats.ts'
import { FORMAT_NAMES } from '../../../../src/intake/measurement/formats/format-names.ts'
import { formatsNamed } from '../../../../src/intake/measurement/formats/formats.ts'

test('the names that the help lists are those of the readers, in the order in which they are tried', () => {
  const readers = formatsNamed('auto').filter(({ companion }) => !companion)
  expect(FORMAT_NAMES).toEqual(['auto', ...new Set(readers.map(({ name }) => name))])
  expect(CI_RESULTS_FORMATS).toEqual(['auto', ...ciResultsFormatsNamed('auto').map(({ name }) => name)])
})
