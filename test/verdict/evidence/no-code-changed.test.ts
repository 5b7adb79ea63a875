import { expect, test } from 'vitest'
import { DEFAULT_INERT_PATHS } from '../../../src/bisect/binary-paths.ts'
import { noCodeChanged } from '../../../src/verdict/evidence/no-code-changed.ts'

test('only documentation, tests and CI', () => {
  const files = ['docs/en/index.md', '.github/workflows/ci.yml']
  expect(noCodeChanged(files, DEFAULT_INERT_PATHS)).toEqual({ kind: 'no-code-changed', files: 2 })
})

test.each([
  ['one source file', ['docs/en/index.md', 'src/Common/Arena.h']],
  ['none known', null],
  ['none at all', []],
])('%s: nothing', (_name, files) => {
  expect(noCodeChanged(files, DEFAULT_INERT_PATHS)).toBeNull()
})

test('what reaches the binary is the repository’s to say', () => {
  expect(noCodeChanged(['site/index.html'], DEFAULT_INERT_PATHS)).toBeNull()
  expect(noCodeChanged(['site/index.html'], ['site/**'])?.files).toBe(1)
})
