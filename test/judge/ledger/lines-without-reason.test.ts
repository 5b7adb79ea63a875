import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { infrastructureProblem } from '../../../src/judge/ledger/infrastructure-phrases.ts'
import { isBareMessage, isFramingLine, isIdleLine } from '../../../src/judge/ledger/lines-without-reason.ts'
import { OUTPUT_READ, signatureOf, signatureOfText } from '../../../src/judge/ledger/signature.ts'
import { computed } from '../../computing-time.ts'
import { handedOver } from './handed-over.ts'

const FRAMES = [
  'TAP version 13',
  'not ok 12',
  '1..30',
  '---',
  'duration_ms: 120.04',
  'severity: fail',
  'exitcode: 1',
  "failureType: 'testCodeFailure'",
  'stack: |-',
  '...',
  '[ RUN      ] Cart.Adds',
  '[  FAILED  ] Cart.Adds (3 ms)',
  '[  FAILED  ] Cart/Sizes.Adds/1, where GetParam() = (3, "a b") (12 ms)',
  '[  FAILED  ] 2 tests, listed below:',
  '[  PASSED  ] 12 tests.',
  '[----------] Global test environment tear-down',
  '[----------] 3 tests from Cart (5 ms total)',
  '[==========] 12 tests from 3 test suites ran. (41 ms total)',
  ' 1 FAILED TEST',
  '--- FAIL: TestCart/adds (0.00s)',
  '=== RUN   TestCart',
  'FAIL\texample.com/cart\t0.012s',
  'FAIL',
  'exit status 1',
  '================ FAILURES ================',
  '____________ test_adds ____________',
  '=========== short test summary info ===========',
  'FAILED tests/test_cart.py::test_adds[1-2]',
  '======== 1 failed, 2 passed in 0.12s ========',
  'test cart::adds ... FAILED',
  '---- cart::adds stdout ----',
  'test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s',
  'error: test failed, to rerun pass `--lib`',
  '  1 failing',
  '  2 passing (12ms)',
  'Tests:       1 failed, 2 total',
  'Tests run: 5, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.5 s',
  'Failures: 1',
  'There was 1 failure:',
  'FAILURES!',
  '50% tests passed, 1 tests failed out of 2',
  'Process completed with exit code 1.',
  'Error: Process completed with exit code 1.',
  '##[error]Process completed with exit code 1.',
  'error Command failed with exit code 1.',
  'child process exited with code 1',
  ' ELIFECYCLE  Command failed with exit code 1.',
  "Command '['pytest']' returned non-zero exit status 1.",
  "subprocess.CalledProcessError: Command '['pytest', '-x']' returned non-zero exit status 1.",
  "Error: The process '/usr/bin/npm' failed with exit code 1",
  'Error: exit code 1',
  'npm ERR! Test failed.  See above for more details.',
  'npm ERR! code ELIFECYCLE',
  'See test.log for details',
  ' ELIFECYCLE  Test failed. See above for more details.',
  'Please refer to /app/target/surefire-reports for the individual test results.',
  "Execution failed for task ':app:test'.",
  '> There were failing tests. See the report at: file:///app/build/reports/tests/test/index.html',
  'Executing tests from //cart:total',
  'NX   Running target test for project cart failed',
  '[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful',
  'Command failed with status (1): [ruby -I"lib:test" ...]',
  '3/9 cart totals FAIL            0.02s   exit status 1',
  '  3 - cart_totals (Failed)',
  'mix test failed with exit status 2',
  "##[error]Bash exited with code '1'.",
  '🚨 Error: The command exited with status 1',
  'Exited with code exit status 1',
  'ERROR: Job failed: exit code 1',
  'ERROR: InvocationError for command /usr/bin/pytest (exited with code 1)',
  'ERROR: script returned exit code 1',
  'ERROR  run failed: command  exited (1)',
  'info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.',
  'Test was not run because a previous step failed',
]

test.each(FRAMES)('a framework writes it around every failure: %j', (line) => {
  expect(isFramingLine(line)).toBe(true)
  expect(signatureOf('a_test', line).kind).toBe('frames')
})

test.each([
  "error: 'x' is undefined",
  'Error: 5',
  '[  FAILED  ] Foo.Bar: connection refused',
  '[  FAILED  ] connection refused',
  '[==========] no tests were found',
  'status: 500',
  'signal: SIGABRT',
  'FAIL timeout',
  'FAILED tests/test_cart.py::test_adds - KeyError: 7',
  'return code: 134',
  'Process completed with exit code 137.',
  'Error: Process completed with exit code 137.',
  'child process exited with code 139',
  'See line 12 for details',
  'npm ERR! missing script: test',
  'Killed by the OOM killer',
  'Aborted',
  'Assertion failed: rows > 0',
  'assertion failed: 42',
  'Login request failed with code 16',
  'RPC failed with status 5',
  'AssertionError: agent lost 3 of 5 jobs, expected 0',
  'expected "running", but the runner was stopped',
  'insert failed 12',
  'upload failed with status 403',
  'AssertionError: row 3 is missing',
  'java.lang.NullPointerException',
  'Segmentation fault (exit code 139)',
  '==1234==ERROR: AddressSanitizer: heap-use-after-free',
  'expected 3 tests, got 2',
  'not ok 3 - cart adds an item',
  '-1 passed',
])('it says something: %j', (line) => {
  expect(signatureOf('a_test', line).kind).toBe('output')
})

test('that the runner was shut down says nothing of a test, and of a check it is the reason', () => {
  const line =
    'The runner has received a shutdown signal. This can happen when the runner service is stopped, or a manually started runner is canceled.'
  expect(signatureOf('a_test', line).kind).toBe('frames')
  expect(signatureOf('', line).kind).toBe('output')
})

describe('the name of the test with nothing beside it but how it ended', () => {
  test.each([
    ['a_test', 'a_test FAILED'],
    ['a_test', 'FAIL: a_test'],
    ['a_test', '✘ a_test (12 ms)'],
    ['a_test', '[FAILED] a_test 3.2 sec'],
    ['a_test', 'not ok 3 - a_test'],
    ['a_test', "Test 'a_test' failed."],
    ['a_test', 'a_test (exit code 1)'],
    ['a_test', '3/9 Test #3: a_test .....***Failed  0.02 sec'],
    ['a_test', '(see a_test.log)'],
    ['a_test', 'FAILED (see test.log for details)'],
    ['a_test', 'a_test FAILED (see /tmp/x/a_test.log)'],
    ['com.acme.CartTest.total', '[ERROR] com.acme.CartTest.total  Time elapsed: 0.012 s  <<< FAILURE!'],
    ['com.acme.CartTest.total', '[ERROR]   CartTest.total:20'],
    ['cart/total', '//cart:total                 FAILED in 3 out of 3 in 4.2s'],
    ['should total', '[info] - should total *** FAILED ***'],
    ['Cart › totals', '  ● Cart › totals'],
    ['CartTest::testTotal', '1) CartTest::testTotal'],
    ['test_cart.py::test_total', 'test_cart.py::test_total FAILED                     [100%]'],
    ['store::tests::put', 'FAIL [   0.012s] store store::tests::put'],
  ])('of %s: %s', (testName, line) => {
    expect(signatureOf(testName, line).kind).toBe('frames')
    expect(signatureOf(testName, `${line}\nBoom`).text).toBe('Boom')
  })

  test.each([
    ['a_test', 'a_test FAILED: no refund'],
    ['a_test', 'a_test exited with code 139'],
    ['a_test', 'a_test failed after 3 refunds'],
    ['a_test', 'refund FAILED'],
    ['a_test', 'a_test: no such table'],
    ['a_test', 'no refund (see a_test.log)'],
    ['CartTest.total', 'total: 17'],
    ['CartTest.total', 'CartTest failed'],
    ['CartTest.total', '[ERROR] CartTest.total:20 refund is missing'],
    ['client timeout', 'Error: Timeout exceeded'],
  ])('of %s it says more: %s', (testName, line) => {
    expect(signatureOf(testName, line).kind).toBe('output')
  })
})

test.each([
  '[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0',
  '[ERROR] There are test failures.',
  '[INFO] BUILD FAILURE',
  '[error] Total time: 12 s, completed Nov 28, 2026, 10:00:00 AM',
  '[INFO] Finished at: 2026-11-28T10:00:00Z',
  'ERROR: Build did NOT complete successfully',
  'BUILD FAILED in 12s',
  '12 actionable tasks: 3 executed, 9 up-to-date',
  '> Run with --stacktrace option to get the stack trace.',
  'Done. Your build exited with 1.',
  'The command "make test" exited with 2.',
  'collect2: error: ld returned 1 exit status',
  '==77== ERROR SUMMARY: 3 errors from 1 contexts (suppressed: 0 from 0)',
])('a build tool says it of every build: %s', (line) => {
  expect(signatureOf('', line)).toEqual({ kind: 'name', text: '' })
  expect(signatureOf('', `${line}\nundefined reference to \`refund'`).text).toBe("undefined reference to `refund'")
})

test.each([
  'The command "make test" exited with 139.',
  'error: Recipe `test` failed on line 3 with exit code 134',
  'Command: deploy cart failed',
  'Total time: exceeded',
  'BUILD FAILED in refund',
])('it says what failed: %s', (line) => {
  expect(signatureOf('', line).kind).toBe('output')
})

describe('a message that says no more than that it failed', () => {
  const BARE = [
    'Killed',
    'Test crashed',
    'Assertion failed',
    'AssertionError',
    'java.lang.AssertionError',
    'Exception',
    'false',
    'Error: Command failed: make test',
  ]

  test.each(BARE)('alone is a frame: %s', (line) => {
    expect(signatureOf('a_test', line)).toEqual(signatureOf('a_test', 'severity: fail'))
    expect(signatureOf('a_test', `exit code 1\n${line}\nKilled`).kind).toBe('frames')
  })

  test('stays where a place stands below it, and of a check', () => {
    const place = 'at com.acme.Cart.total(Cart.java:12)'
    expect(signatureOf('a_test', `AssertionError\n${place}`).text).toBe(
      'AssertionError\nat com.acme.Cart.total(Cart.java:N)',
    )
    expect(signatureOf('', 'Killed').text).toBe('Killed')
  })

  test('of a command the reason stands below', () => {
    for (const line of ['Command failed: make test', 'Error: Command failed: make test']) {
      expect(signatureOf('a_test', `${line}\nundefined reference to foo`).text).toBe('undefined reference to foo')
    }
  })
})

test('frames alone are one signature, whatever they are; kept without its kind it is the same', () => {
  const frames = signatureOf('a_test', 'severity: fail\ncode: ERR_TEST_FAILURE\nduration_ms: 3')
  expect(signatureOf('a_test', '17\nexitcode: 1')).toEqual(frames)
  expect(signatureOfText(frames.text)).toEqual(frames)
  // A check says as much with any of its idle lines.
  expect(signatureOf('', 'Process completed with exit code 1.').kind).toBe('name')
})

describe('signatures of what stands between the frames', () => {
  const word = fc
    .string({ unit: fc.constantFrom(...'bcdghjklmopqrsvwxyz'.split('')), minLength: 4, maxLength: 9 })
    .map((text) => `q${text}z`)
  const telling = fc.array(word, { minLength: 2, maxLength: 5 }).map((words) => `Error: ${words.join(' ')}`)
  const frames = fc.array(fc.constantFrom(...FRAMES), { maxLength: 6 })

  test('of two causes in the same frames they differ, of one cause in any frames they do not', () => {
    fc.assert(
      fc.property(frames, frames, frames, telling, telling, (before, after, others, one, other) => {
        const between = (cause: string) => signatureOf('a_test', [...before, cause, ...after].join('\n'))
        expect(between(one).text).toBe(one)
        expect(signatureOf('a_test', [...others, one].join('\n'))).toEqual(between(one))
        if (one !== other) expect(between(other)).not.toEqual(between(one))
      }),
    )
  })

  /** Two outputs of the same lines, each with numbers of its own: up to 9 digits, one in each line. */
  const twice = fc
    .array(
      fc.record({
        words: fc.array(word, { minLength: 3, maxLength: 8 }),
        isTelling: fc.integer({ min: 0, max: 39 }).map((n) => n === 0),
        numbers: fc.tuple(fc.nat({ max: 999_999_999 }), fc.nat({ max: 9 })),
      }),
      { minLength: 60, maxLength: 250, size: 'max' },
    )
    .map((lines) =>
      [0, 1].map((side) =>
        lines
          .map(({ words, isTelling, numbers }) => {
            return `${isTelling ? 'Error: ' : ''}${words.join(' ')} row ${numbers[side]!} ${words[0]!}`
          })
          .join('\n'),
      ),
    )

  test('outputs that differ in numbers, and so in where they were cut, have the same', () => {
    let cut = 0
    fc.assert(
      fc.property(twice, ([one = '', other = '']) => {
        const [a, b] = [one, other].map((output) => signatureOf('a_test', handedOver(output)))
        expect(a).toEqual(b)
        cut += one.length > OUTPUT_READ ? 1 : 0
      }),
      { numRuns: 300 },
    )
    expect(cut).toBeGreaterThan(100)
  })
})

test('takes no time on hostile text', () => {
  const begun = computed()
  for (const unit of [
    '=',
    '= ',
    '_ a',
    '--- FAIL: ',
    'FAIL\t',
    '1 failed ',
    'test a',
    ' ',
    '[  FAILED',
    'exit code ',
    '1.',
    'error ',
    "npm ERR! '",
    "command '",
    'a.',
  ]) {
    for (let turn = 0; turn < 200; turn += 1) {
      isFramingLine(unit.repeat(600).slice(0, 500))
      isBareMessage(unit.repeat(600).slice(0, 500))
    }
  }
  expect(computed() - begun).toBeLessThan(1000)
})

describe('idle line', () => {
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
    '72.31% (−0.50%) compared to 5b7f2aa',
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

  test('of a test as well, but for the signal that killed it, numbers and what an error says', () => {
    expect(signatureOf('a_test', 'Process completed with exit code 137.')).toEqual({
      kind: 'output',
      text: 'Process completed with exit code 137.',
    })
    for (const line of ['Error: Some error', 'Error 12', '"ok"'])
      expect(signatureOf('a_test', line).kind).toBe('output')
    expect(signatureOf('a_test', 'Build failed').kind).toBe('frames')
    expect(signatureOf('a_test', 'exit status 1')).toMatchObject({ kind: 'frames' })
  })

  test('takes no time on hostile text', () => {
    const begun = computed()
    for (const unit of [
      'error ',
      "'",
      '"a',
      '`',
      'https://',
      'make: *** ',
      'a',
      '1',
      ' ',
      'exit code 1 ',
      "' code 1",
    ]) {
      const text = unit.repeat(4096).slice(0, 4096)
      for (let turn = 0; turn < 20; turn += 1) isIdleLine(text)
      isIdleLine(`make: *** ${text}`)
      isIdleLine(`${text} exit code 1`)
    }
    expect(computed() - begun).toBeLessThan(2000)
  })
})
