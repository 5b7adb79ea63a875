import { expect, test } from 'vitest'
import { extensionOf, isSameFile, isSourcePath, mayBeFile } from '../../../src/judge/profile/source-path.ts'

test.each([
  ['src/A.cpp', 'src/A.cpp', true],
  ['./src/A.cpp', 'src/A.cpp', true],
  ['/build/./src/A.cpp', 'src/A.cpp', true],
  ['./build_docker/./src/A.cpp', 'src/A.cpp', true],
  ['/home/ci/engine/src/A.cpp', 'src/A.cpp', true],
  ['main.go', 'main.go', true],
  ['A.cpp', 'src/A.cpp', false],
  ['/x/main.go', 'main.go', false],
  ['lib/src/A.cpp', 'src/A.cpp', false],
  ['/home/ci/mysrc/A.cpp', 'src/A.cpp', false],
  ['/home/ci/contrib/x/src/A.cpp', 'src/A.cpp', false],
  ['/build/./contrib/x/src/A.cpp', 'src/A.cpp', false],
  ['/usr/lib/python3/site-packages/src/a.py', 'src/a.py', false],
])('%s is %s: %s', (ofFrame, ofRepository, expected) => {
  expect(isSameFile(ofFrame, ofRepository)).toBe(expected)
})

test.each([
  ['src/A.cpp', 'src/A.cpp', true],
  ['/home/ci/engine/src/A.cpp', 'src/A.cpp', true],
  ['A.cpp', 'src/A.cpp', true],
  ['com/x/A.java', 'src/main/java/com/x/A.java', true],
  ['/x/main.go', 'main.go', true],
  ['/venv/lib/site-packages/x/a.py', 'src/x/a.py', true],
  ['/venv/lib/site-packages/a.py', 'src/a.py', false],
  ['/venv/lib/site-packages/y/a.py', 'src/x/a.py', false],
  ['B.cpp', 'src/A.cpp', false],
  ['lib/A.cpp', 'src/A.cpp', false],
  ['/lib/A.cpp', 'src/A.cpp', false],
  ['/home/ci/contrib/x/src/A.cpp', 'src/A.cpp', false],
  ['/home/ci/node_modules/x/main.js', 'main.js', false],
])('%s may be %s: %s', (ofFrame, ofRepository, expected) => {
  expect(mayBeFile(ofFrame, ofRepository)).toBe(expected)
})

test('source files are known by their ending', () => {
  for (const path of ['src/A.cpp', 'a.py', '/x/y-z.go', 'A.java']) expect(isSourcePath(path), path).toBe(true)
  for (const text of ['', 'std::list.size', 'a b.cpp', 'f(a.cpp', '.py', 'Makefile', 'a.txt']) {
    expect(isSourcePath(text), text).toBe(false)
  }
  expect([extensionOf('a/b.c/d'), extensionOf('a/.gitignore'), extensionOf('a.tar.gz')]).toEqual([null, null, 'gz'])
})
