import { expect, test } from 'vitest'
import { InertPaths, UNBUILT_PATHS } from '../../../../src/judge/bisect/binary-paths.ts'
import { noCodeChanged } from '../../../../src/judge/verdict/evidence/no-code-changed.ts'

test('only documentation and tests', () => {
  const files = ['docs/en/index.md', 'tests/queries/0_stateless/03999_a.sql']
  expect(noCodeChanged(files, new InertPaths(UNBUILT_PATHS))).toEqual({ kind: 'no-code-changed', files: 2 })
})

test.each([
  ['one source file', ['docs/en/index.md', 'src/Common/Arena.h']],
  ['a workflow, which may build with another compiler', ['docs/en/index.md', '.github/workflows/build.yml']],
  ['the image that the build runs in', ['ci/docker/binary-builder/Dockerfile']],
  ['a part of the build among the documentation', ['docs/CMakeLists.txt']],
  ['none known', null],
  ['none at all', []],
])('%s: nothing', (_name, files) => {
  expect(noCodeChanged(files, new InertPaths(UNBUILT_PATHS))).toBeNull()
})

test('what reaches the binary is the repository’s to say', () => {
  expect(noCodeChanged(['site/index.html'], new InertPaths(UNBUILT_PATHS))).toBeNull()
  expect(noCodeChanged(['site/index.html'], new InertPaths(['site/**']))?.files).toBe(1)
})
