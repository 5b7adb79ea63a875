import { describe, expect, test } from 'vitest'
import type { Signature } from '../../../src/judge/ledger/signature.ts'
import { signatureOf } from '../../../src/judge/ledger/signature.ts'
import { isSilent, namesAnEvent } from '../../../src/judge/ledger/silent.ts'
import { compileNamePattern } from '../../../src/text/name-pattern.ts'
import { computed } from '../../computing-time.ts'

const NO_OUTPUT: Signature = { kind: 'name', text: '' }
const FALLOUT = ['Check failed', 'Server died'].map(compileNamePattern)

describe('names of an event, or of a file to look in', () => {
  test.each([
    'Sanitizer assert (in stderr.log or clickhouse-server.log)',
    'Error message in clickhouse-server.log (see upgrade_error_messages.txt)',
    'Backward compatibility check: Error message in clickhouse-server.log (see bc_check_error_messages.txt)',
    'Fatal message in clickhouse-server.log (see fatal_messages.txt)',
    'S3_ERROR No such key thrown (see clickhouse-server.log or no_such_key_errors.txt)',
    'Logical error thrown (see clickhouse-server.log or logical_errors.txt)',
    'Unknown job error',
    'Core dumps found (cores)',
    'OOM in dmesg',
    'OOM killer (or signal 9) in clickhouse-server.log',
    'Killed by signal (in clickhouse-server.log)',
    'Killed by signal',
    'Found signal in gdb.log',
    'AddressSanitizer (in stderr.log)',
    'Server failed to start (see application_errors.txt and clickhouse-server.clean.log)',
    'Server died',
    'Test runner crashed',
    'Segmentation fault',
    'Lost connection to runner',
    'Stress test script error',
    'Post-run check failed',
    'Errors in log file',
    'Job timeout expired',
    'Process exited with code 134',
    'Unexpected exception in worker process',
    'Logical error in clickhouse-server.log',
    'Server failed to start',
    'Cannot start clickhouse-server',
  ])('%s', (name) => {
    expect(namesAnEvent(name)).toBe(true)
    expect(isSilent({ testName: name, signature: NO_OUTPUT }, [])).toBe(true)
  })

  test.each([
    'Hung check failed, possible deadlock found',
    'Hung check failed, possible deadlock found (see hung_check.log)',
    "Logical error: 'Bad cast from type A to B'",
    'Assertion `rows == 3` failed',
    '01234_timeout',
    'test_storage_s3/test.py::test_error_codes',
    'org.example.ErrorTest.fails',
    'Start ClickHouse Server',
    'adds an item',
    'ThreadSanitizer: data race',
    'No space left on device',
    'test',
    'reads settings.txt',
    'Cart › logs in (as an admin)',
    'Cluster reconnects after server died',
    'reports that the server failed to start',
    'prints usage in stderr',
    'prints errors in stderr',
    'says in app.log which error it was',
    'reads the settings (see settings.json)',
    'client connection timeout',
    'connection timeout',
  ])('not %s', (name) => {
    expect(namesAnEvent(name)).toBe(false)
    expect(isSilent({ testName: name, signature: NO_OUTPUT }, FALLOUT)).toBe(false)
  })

  test('a long one takes no time', () => {
    const started = computed()
    for (const unit of ['error ', '(see a', 'in a.', 'a.', 'core ', ' ', '(in .log', 'x'])
      namesAnEvent(unit.repeat(100_000))
    expect(computed() - started).toBeLessThan(100)
  })
})

describe('isSilent', () => {
  test.each([
    ['a check without a word', '', '', true],
    ['a check that says why', '', "error: 'x' is defined but never used", false],
    ['a test without output is told by its name', '01234_test', '', false],
    ['a name of ledger.falloutTests', 'Check failed', '', true],
    ['that says why', 'Check failed', 'Code: 115. Unknown setting', false],
    ['an event whose output repeats its name', 'Server died', 'Server died\n', true],
    ['or names it in other words', 'OOM in dmesg', 'OOM killer (see dmesg.log)', true],
    ['or points at a file and says why', 'Unknown job error', 'Error in job.log: Code: 115. Unknown setting', false],
    [
      'an event with a reason',
      'Sanitizer assert (in stderr.log)',
      'ERROR: AddressSanitizer: heap-use-after-free',
      false,
    ],
    ['an event with a stack', 'Server died (STID: 2508-38c6)', 'Server died', false],
    ['a test about an event with another', 'client connection timeout', 'Error: Timeout exceeded', false],
    ['a test whose output is an event', '01234_test', 'Killed by signal', false],
  ])('%s', (_, testName, output, expected) => {
    expect(isSilent({ testName, signature: signatureOf(testName, output) }, FALLOUT)).toBe(expected)
  })
})
