import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isIdleLine } from '../../src/ledger/idle-line.ts'
import { infrastructureProblem } from '../../src/ledger/infrastructure.ts'
import { signatureOf } from '../../src/ledger/signature.ts'

const IDLE = [
  'Process completed with exit code 1.',
  'Process completed with exit code 137.',
  '##[error]Process completed with exit code 2.',
  'Error: Process completed with exit code 1.',
  "The process '/usr/bin/npm' failed with exit code 1",
  'Command exited with status 1',
  'exit status 1',
  'ERROR: Job failed: exit code 1',
  'The check timed out.',
  'The check could not be started.',
  'Build failed',
  'Build failed in 3m 2s',
  'The build has failed!',
  'Job failed',
  'Compilation failed.',
  '3 checks failed',
  '2 of 3 jobs failed',
  'Some checks were unsuccessful',
  'All checks have failed',
  'Found 3 errors in 2 files.',
  '✖ 3 problems (3 errors, 0 warnings)',
  'fail: 3, passed: 1234, skipped: 5',
  'Failed: 1, Passed: 300',
  '3 failed, 20 passed, 1 skipped in 12.5s',
  '❌ Failure',
  'See the log',
  'See the logs for details: https://ci.example/job/17#step:4',
  'https://ci.example/job/17',
  'An error occurred',
  'The operation was canceled.',
  '3 failing checks',
  'Something went wrong.',
  'Your tests failed on CircleCI',
  'The Travis CI build failed',
  'ninja: build stopped: subcommand failed.',
  'make: *** [Makefile:12: lint] Error 1',
]

const TELLING = [
  'No space left on device',
  'Job timed out',
  'Job timed out after 60 minutes',
  'The job has exceeded the maximum execution time of 60 minutes',
  'The runner has received a shutdown signal.',
  'bash: clang-format: command not found',
  'File not found',
  'No tests found',
  'Read error',
  "error: use of undeclared identifier 'x'",
  "'x' is defined but never used",
  '01234_flaky failed',
  'Test a_test failed',
  'Error in src/error.log',
  'build.test failed',
  'FAILED: src/Parsers/Lexer.cpp.o',
  'Killed',
  'Segmentation fault (core dumped)',
  'There are 2 commits incorrectly signed off',
  '72.31% (-0.50%) compared to 5b7f2aa',
  'ошибка',
  '',
  '----',
]

test.each(IDLE)('says nothing: %s', (line) => {
  expect(isIdleLine(line)).toBe(true)
  expect(signatureOf('', line)).toEqual({ kind: 'name', text: '' })
})

test.each(TELLING)('says something, or is none: %s', (line) => {
  expect(isIdleLine(line)).toBe(false)
})

test('around a telling line they make no difference', () => {
  const idle = fc.array(fc.constantFrom(...IDLE), { maxLength: 4 })
  fc.assert(
    fc.property(idle, idle, fc.constantFrom(...TELLING.slice(0, -2)), (before, after, line) => {
      expect(signatureOf('', [...before, line, ...after].join('\n'))).toEqual(signatureOf('', line))
    }),
  )
  expect(signatureOf('', [...IDLE, 'No space left on device'].join('\n')).text).toBe('No space left on device')
})

test('nothing that names the machine is lost', () => {
  for (const line of IDLE.filter((one) => one !== 'The check timed out.'))
    expect(infrastructureProblem(line)).toBeNull()
})

test('of a test they stay, and the signal that killed it says what happened; a bare exit code does not', () => {
  expect(signatureOf('a_test', 'Process completed with exit code 137.')).toEqual({
    kind: 'output',
    text: 'Process completed with exit code 137.',
  })
  expect(signatureOf('a_test', 'Build failed').kind).toBe('output')
  expect(signatureOf('a_test', 'exit status 1')).toMatchObject({ kind: 'frames' })
})

test('takes no time on hostile text', () => {
  const begun = performance.now()
  for (const unit of ['error ', "'", '"a', '`', 'https://', 'make: *** ', 'a', '1', ' ', 'exit code 1 ', "' code 1"]) {
    const text = unit.repeat(4096).slice(0, 4096)
    for (let turn = 0; turn < 20; turn += 1) isIdleLine(text)
    isIdleLine(`make: *** ${text}`)
    isIdleLine(`${text} exit code 1`)
  }
  expect(performance.now() - begun).toBeLessThan(2000)
})
