import { expect, test } from 'vitest'
import { isCrash, saysProcessIsGone, saysServerIsLost } from '../../../src/judge/ledger/crash.ts'
import { computed } from '../../computing-time.ts'
import { NAME_ONLY, output, stid } from './values.ts'

test.each([
  "Logical error: 'promise has been destructed'",
  'Hung check failed, possible deadlock found (see hung_check.log)',
  'Sanitizer assert (in stderr.log)',
  'AddressSanitizer (in stderr.log)',
  'ThreadSanitizer: data race',
  'Fatal message in clickhouse-server.log (see fatal_messages.txt)',
  '<Fatal> : Received signal N',
  'Segmentation fault',
  'Assertion `x > N` failed.',
  'Aborted (core dumped)',
  'SIGSEGV: segmentation violation',
  'panic: runtime error: index out of range',
  'OOM killed (see dmesg.log)',
  'Killed by signal (in clickhouse-server.log)',
  'fork: out of memory',
  "terminate called after throwing an instance of 'std::bad_alloc'",
])('a crash, by its name or by what it says: %s', (text) => {
  expect(isCrash({ testName: text, signature: NAME_ONLY })).toBe(true)
  expect(isCrash({ testName: 'a_test', signature: output(text) })).toBe(true)
})

test('a stack trace is one', () => {
  expect(isCrash({ testName: 'a_test', signature: stid('2508-3e7b') })).toBe(true)
})

test.each([
  '',
  '01234_flaky',
  'test_sanitizer_settings/test.py::test_deadlock_avoided',
  "AssertionError: assert 'N' == 'N'",
  'Code: 236. DB::Exception: Query was aborted. (ABORTED)',
  'Code: 473. DB::Exception: Possible deadlock avoided. Client should retry. (DEADLOCK_AVOIDED)',
  'Code: 241. DB::Exception: Memory limit (total) exceeded',
  'Timeout exceeded: elapsed DURATION, maximum: N',
  "fatal: unable to access 'https://HOST/': Could not resolve host",
  'expected N, got N',
])('none: %s', (text) => {
  expect(isCrash({ testName: text, signature: NAME_ONLY })).toBe(false)
  expect(isCrash({ testName: 'a_test', signature: output(text) })).toBe(false)
})

test.each([
  ['Server died', true],
  ['Cannot start clickhouse-server', true],
  ['Cannot start clickhouse-server (in clickhouse-server.err.log)', true],
  ["Server can't start", true],
  ['Server does not start', true],
  ['clickhouse-server is not running', true],
  ['Failed to restart the node', true],
  ['Keeper process was killed', true],
  ['Killed by signal (in clickhouse-server.log)', true],
  ['Check failed', false],
  ['Test script failed', false],
  ['Server logs have errors', false],
  ['Some queries hung', false],
  ['', false],
])('%s: %s', (name, expected) => {
  expect(saysProcessIsGone(name)).toBe(expected)
})

test('takes no time on hostile names', () => {
  const begun = computed()
  for (const unit of ['server ', 'cannot ', 'address ', 'Assertion', '\n', 'a', 'fatal ', 'undefined behavior ']) {
    const name = unit.repeat(200_000)
    saysProcessIsGone(name)
    isCrash({ testName: name, signature: output(name.slice(0, 300)) })
  }
  expect(computed() - begun).toBeLessThan(1000)
})

test.each([
  ['curl: (52) Empty reply from server', true],
  ['No connection could be made because the target machine actively refused it', true],
  ['asyncio: Connect call failed (127.0.0.1, 5432)', true],
  ['FATAL: the database system is in recovery mode', true],
  ['expected the reader at the end of stream, got 3 bytes', false],
  ['the server is not configured', false],
])('whether a client says that its server is lost: %s', (text, isLost) => {
  expect(saysServerIsLost({ signature: { kind: 'output', text } })).toBe(isLost)
})
