import { expect, test } from 'vitest'
import { filesOfStack, stackOnChanges } from '../../../src/judge/ledger/stack-files.ts'
import { computed } from '../../computing-time.ts'
import { added } from './values.ts'

test.each([
  ['0. ./src/Parsers/Lexer.cpp:112: DB::Lexer::next() @ 0x1', ['./src/Parsers/Lexer.cpp']],
  ['  File "/ci/engine/tests/helpers/cluster.py", line 12, in start', ['/ci/engine/tests/helpers/cluster.py']],
  ['    at Object.add (/app/src/cart.ts:7:13)\n    at next (/app/src/cart.ts:9:1)', ['/app/src/cart.ts']],
  ['\tat org.example.CartTest.adds(CartTest.java:42)', ['CartTest.java']],
  ["thread 'a' panicked at src/store.rs:10:14:", ['src/store.rs']],
  ['cart_test.go:17: got 3, want 4', ['cart_test.go']],
  ['see report.html:3 and 10.0.0.1:9000, took 1.5:2', []],
])('%s', (output, files) => {
  expect(filesOfStack(output)).toEqual(files)
})

test('of a long output the first twenty files, at once', () => {
  const output = Array.from({ length: 5000 }, (_, n) => `src/a${n}.cpp:${n} ${'a/'.repeat(50)}`).join('\n')
  const started = computed()
  expect(filesOfStack(output)).toHaveLength(20)
  filesOfStack(`${'a.'.repeat(50_000)}${'./'.repeat(50_000)}`)
  expect(computed() - started).toBeLessThan(1000)
})

test('a stack that goes through a changed file, through others alone, or nobody knows', () => {
  const changed = [added('src/Parsers/Lexer.cpp')]
  expect(stackOnChanges(['/build/src/Parsers/Lexer.cpp'], changed)).toEqual([
    { kind: 'stack-in-changed-file', path: 'src/Parsers/Lexer.cpp' },
  ])
  expect(stackOnChanges(['src/Storage.cpp', 'src/Disk.cpp'], changed)).toEqual([
    { kind: 'stack-in-other-files', files: 2 },
  ])
  for (const files of [[], ['Lexer.cpp']]) expect(stackOnChanges(files, changed)).toEqual([])
  expect(stackOnChanges(['src/Storage.cpp'], null)).toEqual([])
  expect(stackOnChanges(['src/Storage.cpp'], [])).toEqual([])
})
