import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checksum,
  formerSignatureOf,
  OUTPUT_READ,
  signatureOf,
  signatureOfText,
} from '../../../src/judge/ledger/signature.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { computed } from '../../computing-time.ts'
import { handedOver } from './handed-over.ts'

const PUBLISHED = [
  'DB::writeVarUInt',
  'DB::BlockInfo::write',
  'DB::NativeWriter::write',
  'DB::Aggregator::writeToTemporaryFileImpl',
  'DB::Aggregator::writeToTemporaryFile',
]
const TRACE = PUBLISHED.map((name, index) => `${index}. ./src/A.cpp:10: ${name}(int) @ 0x0000${index}`).join('\n')

const textOf = (output: string) => signatureOf('a_test', output).text

describe('signatureOf', () => {
  test('the id in the name comes before frames, frames before lines', () => {
    const name = 'Segmentation fault (STID: 1111-2222)'
    expect(signatureOf(name, `Error: boom\n${TRACE}`)).toEqual({ kind: 'stack-trace-id', text: '1111-2222' })
    expect(signatureOf('Segmentation fault', `Error: boom\n${TRACE}`)).toEqual({
      kind: 'stack-trace-id',
      text: '1486-3231',
    })
    expect(signatureOf('Segmentation fault', 'Error: boom')).toEqual({ kind: 'output', text: 'Error: boom' })
  })

  test.each(['', ' \n\t\n', '----\n===='])('%j is no output', (output) => {
    expect(signatureOf('a_test', output)).toEqual({ kind: 'name', text: '' })
  })

  test.each([
    'Failed',
    '\u001b[31mFAIL\u001b[0m\n',
    'None',
    'a_test',
    'exited with error code 1',
    'no logs found',
    'Test failed, see the log for details',
    '17',
    '-1\n+2',
    '0x7f01',
    '/tmp/xyz',
  ])('%j was printed and says nothing', (output) => {
    expect(signatureOf('a_test', output).kind).toBe('frames')
  })

  test('pytest: the lines marked with E', () => {
    const output = `
started_cluster = <helpers.cluster.ClickHouseCluster object at 0x7f2a3c>

    def test_rows(started_cluster):
        assert error_of(3)
>       assert node.query("SELECT 1") == "2"
E       AssertionError: assert '1' == '2'
E         - 2
E         + 1

test_rows/test.py:17: AssertionError`
    expect(textOf(output)).toBe(`assert node.query("SELECT 1") == "2"\nAssertionError: assert '1' == '2'\n- 2\n+ 1`)
  })

  test('pytest whose message was cut off: the marked line of the source, not the fixture', () => {
    expect(textOf('cluster = <helpers.cluster object at 0x7f>\n\n    def f():\n>       node.query("SELECT 1")')).toBe(
      '> node.query("SELECT N")',
    )
  })

  test('a stateless test: what differs, without the headers and the lines around it', () => {
    const output = (time: string, folder: string, count: number) => `${time} [ ${count} ] result differs with reference:
${time} --- /usr/share/clickhouse-test/queries/0_stateless/00002_log.reference\t2023-04-05 05:04:31.407900193 -0800
${time} +++ ${folder}/00002_log.stdout\t${time}.923013277 -0800
${time} @@ -2,7 +2,7 @@
${time}  runtime exceptions\t0.05
${time} -messages shorter than 10\t10
${time} +messages shorter than 10\t${count}`
    const text = textOf(output('2023-04-05 06:01:46', '/tmp/clickhouse-test/0_stateless', 12))
    expect(text).toBe('result differs with reference:\n-messages shorter than 10 10\n+messages shorter than 10 12')
    expect(textOf(output('2026-11-21 16:31:06', '/var/lib/a7', 12))).toBe(text)
    expect(textOf(output('2026-11-21 16:31:06', '/var/lib/a7', 777))).not.toBe(text)
  })

  const differs = (...lines: string[]) =>
    textOf(`Reason: result differs with reference:\n--- /ref\n+++ /out\n@@ -1,3 +1,3 @@\n${lines.join('\n')}`)

  test('another wrong result is another failure', () => {
    expect(differs('-1', '+2')).toBe('Reason: result differs with reference:\n-1\n+2')
    expect(differs('-100', '+0')).not.toBe(differs('-1', '+2'))
    expect(differs('-1', '+2')).not.toBe(differs('-1', '+12'))
    expect(differs('-1', '+2')).not.toBe(differs('+1', '-2'))
    expect(differs('-1\t2.5', '+1\t3.5')).toBe('Reason: result differs with reference:\n-1 2.5\n+1 3.5')
    expect(differs('-rows 1', '+rows 2')).not.toBe(differs('-rows 1', '+rows 3'))
    expect(differs('-2026-01-01', '+2026-01-02')).toBe(
      'Reason: result differs with reference:\n-2026-01-01\n+2026-01-02',
    )
    expect(differs('-5d41402abc4b2a76b9719d911017c592', '+7d793037a0760186574b0282f2f435e7')).not.toBe(
      differs('-5d41402abc4b2a76b9719d911017c592', '+9d4e1e23bd5b727046a9e3b4b7db57bd'),
    )
  })

  test('in a difference times, addresses and temporary names make none', () => {
    const one = differs('-ok', '+error at 2026-11-21 10:00:00 of test_3ujixnm7.t, 0x7f01, /tmp/tmpab12cd/a_1.txt')
    expect(one).toBe('Reason: result differs with reference:\n-ok\n+error at TIME of test_TMP.t, N, …/TMP/a_1.txt')
    expect(differs('-ok', '+error at 2025-01-02 11:00:00 of test_x92kd.t, 0x7fab, /tmp/tmpzz99q/a_1.txt')).not.toBe(one)
    expect(differs('-ok', '+error at 2025-01-02 11:00:00 of test_x92kdd.t, 0x7fab, /tmp/tmpzz99q/a_1.txt')).toBe(one)
  })

  test('of a longer difference two lines are shown, and all of them count', () => {
    const rows = ['-1', '-2', '-3', '+1', '+2', '+4']
    expect(differs(...rows)).toMatch(/^Reason: result differs with reference:\n-1\n\+1\nand more: [0-9a-f]{8}$/)
    expect(differs(...rows)).toBe(differs(...rows))
    expect(differs(...rows)).not.toBe(differs('-1', '-2', '-3', '+1', '+2', '+5'))
    const long = 'word '.repeat(100)
    expect(differs('-1', `+${long}1`)).not.toBe(differs('-1', `+${long}2`))
    expect(differs('-1', `+${long}1`).length).toBeLessThanOrEqual(300)
  })

  test('where the end is cut off a difference stays the same whatever stands before it', () => {
    const rows = Array.from({ length: 300 }, (_, row) => `2026-11-21 10:00:00 ${row % 2 === 0 ? '-' : '+'}row ${row}`)
    const output = (folder: string) =>
      `Reason: result differs with reference:\n${folder}\n@@ -1 +1 @@\n${rows.join('\n')}`
    expect(textOf(output('--- /a/ref\n+++ /b'))).toBe(textOf(output(`--- /a/ref\n+++ /${'folder/'.repeat(40)}b`)))
  })

  test('lines around a difference are none of it', () => {
    const text = differs(' 2020-01-01 00:00:00', '', '-1', '+2', '', 'Settings used in the test: --max_errors 3', '-3')
    expect(text).toBe('Reason: result differs with reference:\n-1\n+2')
    expect(textOf('Error: x\n--- a comment\n- an item')).toBe('Error: x')
    // A removed line that begins with two dashes is no header.
    expect(differs('--- { echoOn }', '-1', '+2')).toMatch(/\n--- \{ echoOn \}\n\+2\n/)
  })

  test('Jest, PHPUnit, Rust and testify: what was expected and what was there', () => {
    const jest = (value: number) =>
      textOf(
        `Error: expect(received).toEqual(expected)\n\n- Expected  - 1\n+ Received  + 1\n\n  {\n-   a: 1,\n+   a: ${value},\n  }`,
      )
    expect(jest(2)).toBe('Error: expect(received).toEqual(expected)\n-a: 1,\n+a: 2,')
    expect(textOf("Failed asserting that two strings are equal.\n--- Expected\n+++ Actual\n@@ @@\n-'3'\n+'4'")).toBe(
      "Failed asserting that two strings are equal.\n-'3'\n+'4'",
    )
    expect(textOf('assertion `left == right` failed\n  left: 3\n right: 4\nnote: run with')).toBe(
      'assertion `left == right` failed\nleft: 3\nright: 4',
    )
    expect(textOf('Not equal:\n expected: 3\n actual  : 4')).toBe('expected: 3\nactual : 4')
    expect(textOf('REQUIRE( x == 3 )\nwith expansion:\n  4 == 3')).toBe('REQUIRE( x == 3 )\n4 == 3')
  })

  test('lines of placeholders and signs alone are no part of a signature', () => {
    expect(textOf('17\nError: boom')).toBe('Error: boom')
  })

  test('only a line with words is part of another', () => {
    expect(textOf('Error 12\nError 3')).not.toBe(textOf('Error 12\nError 31\nError'))
    expect(textOf('E  assert [1, 12] == [1, 2]\nE  - 2\nE  + 12')).toBe('assert [1, 12] == [1, 2]\n- 2\n+ 12')
  })

  test('what the runner of ClickHouse gives as the reason comes first', () => {
    const text = textOf('Reason: return code:  134\n[a] 2026.01.01 00:00:00 <Fatal> BaseDaemon: foo')
    expect(text).toMatch(/^Reason: return code: 134\n/)
    expect(textOf('Reason: return code: 1\n<Fatal> BaseDaemon: foo')).not.toBe(text)
    expect(textOf('Error: x\nReason: server died')).toBe('Reason: server died\nError: x')
    expect(textOf('Reason: having stderror: \nWARNING: a thing')).toBe('Reason: having stderror:\nWARNING: a thing')
    expect(textOf('Reason: Timeout! \nTimeout! Killing process group 4711 after 600 seconds')).toBe(
      'Reason: Timeout!\nTimeout! Killing process group N after DURATION',
    )
    const logged =
      '[ip-10-2-3-62] 2025.11.06 09:53:59.267547 [ 81421 ] {aef40b88-d7de} <Error> executeQuery: Code: 115. No'
    expect(textOf(`Reason: return code:  115\n${logged}`)).toBe(
      'Reason: return code: 115\n<Error> executeQuery: Code: 115. No',
    )
  })

  test('a line of the log of the server', () => {
    const line = (time: string, thread: number, query: string) =>
      `2024.08.05 ${time} [ ${thread} ] {${query}} <Fatal> : Logical error: 'Not-ready Set is passed'.`
    const text = textOf(line('15:30:32.864291', 1180, 'b9e9c693-629a-4b08-9847-c8c811e89cc5'))
    expect(text).toBe("<Fatal> : Logical error: 'Not-ready Set is passed'.")
    expect(textOf(line('00:00:00.000001', 7, ''))).toBe(text)
  })

  test('a time-out, and what the client says of it', () => {
    expect(textOf('Timeout! Killing process group 1234 after 600 seconds')).toBe(
      'Timeout! Killing process group N after DURATION',
    )
    expect(
      textOf(
        'Code: 159. DB::Exception: Received from localhost:9000. DB::Exception: Timeout exceeded: elapsed 1.5 seconds, maximum: 1. (TIMEOUT_EXCEEDED)',
      ),
    ).toBe(
      'Code: 159. DB::Exception: Received from HOST. DB::Exception: Timeout exceeded: elapsed DURATION, maximum: N. (TIMEOUT_EXCEEDED)',
    )
  })

  test('a traceback of Python: the error, not the source that it came through', () => {
    expect(
      textOf(`Traceback (most recent call last):
  File "/usr/lib/python3.8/unittest/case.py", line 60, in testPartExecutor
    self.assertEqual(expected_error, result)
AssertionError: 143 != 0`),
    ).toBe('AssertionError: 143 != 0')
  })

  test('frames of Java and JavaScript are left out, causes are not', () => {
    expect(
      textOf(`java.lang.RuntimeException: cannot start
\tat org.junit.Assert.assertEquals(Assert.java:115)
\tat com.example.ErrorHandler.fail(ErrorHandler.java:9)
Caused by: java.io.IOException: Broken pipe
\t... 23 more`),
    ).toBe('java.lang.RuntimeException: cannot start\nCaused by: java.io.IOException: Broken pipe')
  })

  test('a message that stands there twice is one, the longer of both', () => {
    expect(textOf("expected 'a' to be 'b'\n    AssertionError: expected 'a' to be 'b'\n    at x (y.js:1:2)")).toBe(
      "AssertionError: expected 'a' to be 'b'",
    )
    expect(textOf('Error: no\nretry\nError: no\nError: no')).toBe('Error: no')
  })

  test('without a telling line the first one that says anything', () => {
    expect(textOf('=====\n\n  Boom  \nand more')).toBe('Boom')
  })

  test('frames alone are told of a test; a check with nothing else has its name', () => {
    expect(signatureOf('a_test', '~ ~').kind).toBe('name')
    expect(signatureOf('a_test', 'severity: fail').kind).toBe('frames')
    expect(signatureOf('', 'severity: fail')).toEqual({ kind: 'name', text: '' })
  })

  test('compared values that do not fit count all the same: too many of them, or too long ones', () => {
    const text = (output: string) => signatureOf('a_test', output).text
    const asserts = (last: number) => [1, 2, 3, 4, last].map((value) => `E   assert x${value} == ${value}`).join('\n')
    expect(text(asserts(5))).toContain('and more: ')
    expect(text(asserts(5))).not.toBe(text(asserts(6)))
    const long = (end: string) => `E   assert '${'word '.repeat(70)}${end}' == 'x'`
    expect(text(long('a'))).toHaveLength(300)
    expect(text(long('a'))).not.toBe(text(long('b')))
  })

  test('a difference of one side alone shows two lines of it', () => {
    const shown = signatureOf('a_test', '@@ -1,2 +1,0 @@\n-first row\n-second row').text
    expect(shown).toContain('-first row\n-second row')
  })

  test('a single line that is longer than what is read stays', () => {
    const long = (words: string) => signatureOf('a_test', `Error: ${words} ${'no word '.repeat(1000)}`)
    expect(long('boom').kind).toBe('output')
    expect(long('boom').text).not.toBe(long('bang').text)
  })

  test('at most three lines and 300 characters', () => {
    expect(textOf('Error p\nError q\nError r\nError s').split('\n')).toEqual(['Error p', 'Error q', 'Error r'])
    expect(textOf(`Error ${'word '.repeat(200)}`).length).toBeLessThanOrEqual(300)
    expect(textOf(`Error ${'😀'.repeat(400)}`).isWellFormed()).toBe(true)
  })

  test('an output cut after as many characters as are read gives the same signature', () => {
    const long = fc.array(
      fc.constantFrom('Error: 😀 boom', 'E   assert 1', ' line', '', TRACE, '--- a', '@@', '+x', 'x'.repeat(900)),
      { minLength: 1, maxLength: 60 },
    )
    fc.assert(
      fc.property(long, (lines) => {
        const output = lines.join('\n')
        expect(signatureOf('a_test', handedOver(output))).toEqual(signatureOf('a_test', output))
      }),
    )
  })

  test('nothing that is not read changes it', () => {
    const head = `Error: boom\n${'x\n'.repeat(OUTPUT_READ)}`
    expect(signatureOf('a', `${head}${TRACE}`)).toEqual(signatureOf('a', head))
  })
})

/** What differs between two runs of one failure, each in the ways in which outputs write it. */
const hex = (length: number) =>
  fc
    .array(fc.constantFrom(...Array.from('0123456789abcdef')), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))
const pad = (value: number, length = 2) => String(value).padStart(length, '0')
const number = fc.oneof(
  fc.integer({ min: 0, max: 2_000_000_000 }).map(String),
  fc.tuple(fc.nat(9999), fc.nat(9999)).map(([whole, part]) => `${whole}.${part}`),
)
const dateAndTime = fc
  .tuple(
    fc.constantFrom('-', '.', '/'),
    fc.integer({ min: 2000, max: 2099 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
    fc.nat(23),
    fc.nat(59),
    fc.nat(59),
    fc.constantFrom('', '.123', ',123456', 'Z'),
  )
  .map(
    ([dash, year, month, day, hour, minute, second, rest]) =>
      `${year}${dash}${pad(month)}${dash}${pad(day)} ${pad(hour)}:${pad(minute)}:${pad(second)}${rest}`,
  )
const temporaryPath = fc
  .tuple(fc.constantFrom('/tmp', '/var/tmp', '/tmp/pytest-of-root', '/private/var/folders/xy'), hex(8), fc.boolean())
  .map(([folder, name, python]) => `${folder}/${python ? `tmp${name}` : `d${name}`}`)
const folder = fc
  .tuple(fc.constantFrom('/home/ci', '/build', './src', '/__w/a/b', 'C:\\Users\\me'), hex(6))
  .map(([root, name]) => (root.startsWith('C') ? `${root}\\${name}\\` : `${root}/${name}/`))
const address = hex(12).map((digits) => `0x${digits}`)
const uuid = fc.uuid()
const duration = fc
  .tuple(fc.nat(100_000), fc.constantFrom(' seconds', 's', ' ms', 'ms', ' minutes'))
  .map(([count, unit]) => `${count}${unit}`)
const host = fc.oneof(
  fc.ipV4().map((ip) => `${ip}:9000`),
  fc.nat(65_535).map((port) => `localhost:${port}`),
)

/** A message with all of it; the words are what makes it this failure. */
const messageOf = (words: readonly [string, string]) =>
  fc
    .record({ number, dateAndTime, temporaryPath, folder, address, uuid, duration, host })
    .map(
      (v) =>
        `${v.dateAndTime} Error: ${words[0]} row ${v.number} at ${v.address} of ${v.temporaryPath} in ${v.folder}main.py:${v.number.split('.')[0]} after ${v.duration} on ${v.host} (${v.uuid}) ${words[1]}`,
    )

const word = fc
  .array(fc.constantFrom(...Array.from('ghijklopqvwxyz')), { minLength: 3, maxLength: 9 })
  .map((letters) => letters.join(''))

describe('the same failure in two runs', () => {
  test('numbers, addresses, times, temporary names and hosts make no difference', () => {
    const twice = fc.tuple(word, word).chain((words) => fc.tuple(messageOf(words), messageOf(words)))
    fc.assert(
      fc.property(twice, ([one, other]) => {
        expect(signatureOf('a_test', other)).toEqual(signatureOf('a_test', one))
        expect(textOf(one)).not.toBe('')
      }),
      { numRuns: 500 },
    )
  })

  test('other words do', () => {
    const different = fc
      .tuple(word, word, word, word)
      .filter(([a, b, c, d]) => a !== c || b !== d)
      .chain(([a, b, c, d]) => fc.tuple(messageOf([a, b]), messageOf([c, d])))
    fc.assert(
      fc.property(different, ([one, other]) => {
        expect(textOf(other)).not.toBe(textOf(one))
      }),
      { numRuns: 500 },
    )
  })
})

const value = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }).map(String),
  fc.tuple(fc.nat(9999), fc.nat(9999)).map(([whole, part]) => `${whole}.${part}`),
)
/** Ways in which values are compared, with all beside them that differs between two runs. */
const COMPARISONS: readonly ((expected: string, actual: string, around: string) => string)[] = [
  (expected, actual, around) => `E       AssertionError: assert '${actual}\\n' == '${expected}\\n' ${around}`,
  (expected, actual, around) => `AssertionError: ${actual} != ${expected} : ${around}`,
  (expected, actual, around) => `java.lang.AssertionError: ${around} expected:<${expected}> but was:<${actual}>`,
  (expected, actual, around) => `Error: expect ${around}\n\nExpected: ${expected}\nReceived: ${actual}`,
  (expected, actual, around) => `a_test.go:12: ${around} got ${actual}, want ${expected}`,
  (expected, actual, around) => `assertion failed ${around}\n  left: ${actual}\n right: ${expected}`,
  (expected, actual, around) =>
    `${around}\nReason: result differs with reference:\n@@ -1 +1 @@\n-${expected}\n+${actual}`,
  (expected, actual, around) =>
    `Reason: result differs with reference:\n@@ -1 +1,2 @@\n-a ${expected}\n+${around}\n+a ${actual}`,
]
const comparison = fc.constantFrom(...COMPARISONS)
const around = fc
  .record({ dateAndTime, temporaryPath, address, uuid, duration, host })
  .map((v) => `at ${v.dateAndTime} ${v.address} ${v.temporaryPath} after ${v.duration} on ${v.host} (${v.uuid})`)

describe('compared values', () => {
  test('durations, addresses, ids, hosts and times beside them make no difference', () => {
    fc.assert(
      fc.property(comparison, value, value, around, around, (show, expected, actual, one, other) => {
        expect(textOf(show(expected, actual, other))).toBe(textOf(show(expected, actual, one)))
        expect(textOf(show(expected, actual, one))).not.toBe('')
      }),
      { numRuns: 500 },
    )
  })

  test('what was expected and what was there do', () => {
    fc.assert(
      fc.property(comparison, value, value, value, around, (show, expected, actual, another, beside) => {
        fc.pre(actual !== another)
        expect(textOf(show(expected, another, beside))).not.toBe(textOf(show(expected, actual, beside)))
        expect(textOf(show(another, expected, beside))).not.toBe(textOf(show(actual, expected, beside)))
      }),
      { numRuns: 500 },
    )
  })
})

describe('hostile output', () => {
  const UNITS = [
    'a',
    '1',
    '/',
    '\\',
    '.',
    '-',
    '_',
    ':',
    '[',
    '](',
    '<',
    'E ',
    '\u001b[',
    '0x',
    '#x1B[',
    '\n',
    '1.',
    '1:',
    'a1',
    '2026-01-01 ',
    'Error',
    '\ud800',
    ' DB::',
    ', DB::',
    '0. DB::',
    '1m',
    '1 m',
    'tmp',
    'a/',
    'e+',
    'Jan 1 ',
    'http://',
    'code ',
    'N, ',
    '[1',
    '--- a\n',
    'File "',
    '1 |',
    ' ',
    '\t',
    '::1',
    '1.1.1.1',
    'STID: 1',
    '-1\n',
    '@@\n',
    '- Expected\n+ Received\n',
    'assert ',
    ' == ',
    'expected ',
    '1,234',
    '-2b4c6d8f9g-x2x4z',
    'test_a1b',
    '\\n',
    '/tmp/',
    '0 a @ 0x1 ',
  ]

  test('takes time in proportion to its length, whatever it holds', () => {
    const started = computed()
    let count = 0
    for (const first of UNITS) {
      for (const second of UNITS.slice(0, 15)) {
        const output = (first + second).repeat(OUTPUT_READ).slice(0, OUTPUT_READ)
        signatureOf(output, output)
        count += 1
      }
    }
    // Under 1 ms each; a pattern that goes back for every start needs twenty times as much for one of these alone.
    expect(computed() - started).toBeLessThan(count * 5)
  })

  test('is never thrown at, and gives text that can be stored', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCodePoint, maxLength: 300 }),
        fc.string({ unit: anyCodePoint, maxLength: 50 }),
        (output, name) => {
          for (const text of [output, `\ud800${output}\udc00`, `Error ${output}`]) {
            const signature = signatureOf(name, text)
            expect(signature.text.length).toBeLessThanOrEqual(300)
            expect(signature.text.isWellFormed()).toBe(true)
            expect(signature.text).not.toMatch(/[^\P{Cc}\n]/u)
            expect(signature.text === '').toBe(signature.kind === 'name')
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('formerSignatureOf', () => {
  test.each([
    ["thread 'a_test' (7) panicked at src/cart.rs:20:14:\nno refund", "thread 'a_test' (N) panicked at …/cart.rs:N:N:"],
    ['REQUIRE( x == 3 )\nwith expansion:\n  4 == 3', '4 == 3'],
    ['Start: ~~~~~ truncated 9 lines ~~~~~\nloading\nno keeper', 'Start: ~~~~~ truncated N lines ~~~~~'],
  ])('%j was known by %j', (output, text) => {
    expect(formerSignatureOf('a_test', output)).toEqual({ kind: 'output', text })
    expect(signatureOf('a_test', output).text).not.toBe(text)
  })

  // As rule 4 made it, whatever of it the rule of now reads otherwise.
  test.each([
    [
      'FAIL: test_total (test_cart.CartTest.test_total)\nAssertionError: 4 != 3',
      'FAIL: test_total (test_cart.CartTest.test_total)\nAssertionError: 4 != 3',
    ],
    ['AssertionError: expected {"a":3} to equal {"a":4}', 'AssertionError: expected {"a":N} to equal {"a":N}'],
    [
      'assertion `left == right` failed\nAssertionError: a\n  left: 3\n right: 4',
      'assertion `left == right` failed\nAssertionError: a\nleft: 3\nand more: 0e6d9b50',
    ],
  ])('of %j it is %j', (output, text) => {
    expect(formerSignatureOf('a_test', output)?.text).toBe(text)
  })

  // A line that says nothing by now is no reason by the rule before either.
  test.each([
    'Error: boom',
    '',
    'Failed',
    'exited with error code 1',
    'collect2: error: ld returned 1 exit status',
    TRACE,
  ])('%j is known as ever, or no more', (output) => {
    expect(formerSignatureOf('a_test', output)).toBeNull()
  })
})

describe('signatureOfText', () => {
  test('gives back the signature that a text was of', () => {
    const output = fc.oneof(
      fc.string({ unit: anyCodePoint, maxLength: 40 }),
      fc.constantFrom('', '2508-38c6', 'code 2508-38c6', 'status 2508', TRACE, '0000-0000'),
    )
    fc.assert(
      fc.property(fc.constantFrom('a_test', 'crash (STID: 2508-38c6)'), output, (name, text) => {
        const signature = signatureOf(name, text)
        expect(signatureOfText(signature.text)).toEqual(signature)
      }),
    )
  })
})

describe('checksum', () => {
  test('FNV-1a of the bytes of the text in UTF-16', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint, maxLength: 50 }), (text) => {
        let sum = 2_166_136_261n
        for (const byte of Buffer.from(text, 'utf16le')) sum = ((sum ^ BigInt(byte)) * 16_777_619n) % 2n ** 32n
        expect(checksum(text)).toBe(sum.toString(16).padStart(8, '0'))
      }),
    )
  })
})
