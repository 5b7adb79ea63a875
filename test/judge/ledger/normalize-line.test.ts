import { describe, expect, test } from 'vitest'
import {
  normalizeComparison,
  normalizeDifference,
  normalizeLine,
  PLACEHOLDER,
} from '../../../src/judge/ledger/normalize-line.ts'

describe('normalizeLine', () => {
  test.each([
    ['AssertionError: 143 != 0', 'AssertionError: N != N'],
    ['rows: -12, 1,234.5, 1e9 and 99.9%', 'rows: N and N'],
    ['expected:<3> but was:<4>', 'expected:<N> but was:<N>'],
    ['at 0x7ffd12ab and 0xDEADBEEF', 'at N and N'],
    ['query b9e9c693-629a-4b08-9847-c8c811e89cc5 failed', 'query UUID failed'],
    ['commit 2bc1bd4f17bad33bb4aebef2f3aee7dfa15dd7a7', 'commit N'],
    ['container 3f909e363d82, then 390912363182', 'container N, then N'],
    ['table_17 on node3', 'table_N on nodeN'],
    ['pod-x7k2p3 is gone', 'pod-N is gone'],
    ['in /tmpfs/src/github/samples/main_test.py:22', 'in …/main_test.py:N'],
    ['in C:\\Users\\me\\a_test.py, line 3', 'in …/a_test.py, line N'],
    ['cat tests/queries/0_stateless/00002_log.sql', 'cat …/N_log.sql'],
    ['open /tmp/tmp8x2k9q1z: no such file', 'open …/TMP: no such file'],
    ['open /tmp/xyzabc/: no such file', 'open …/TMP: no such file'],
    ['open tmp8x2k9q1z', 'open TMP'],
    ['open /tmp/tmpab12cd/file.txt', 'open …/TMP/file.txt'],
    ['open tmpab12cd', 'open TMP'],
    ['table test_3ujixnm7.t, test_rows2, test_rows', 'table test_TMP.t, test_rowsN, test_rows'],
    ['pod web-7d9f8b6c5-x2x4z, job-x2x4z, web-0', 'pod web-N, job-N, web-N'],
    ['a non-empty web-front-small-store', 'a non-empty web-front-small-store'],
    ['and/or', 'and/or'],
    ['2026-05-28T01:02:03.123456789Z boom', 'TIME boom'],
    ['2024.08.05 15:30:32.864291 boom', 'TIME boom'],
    ['Sat Nov 21 14:33:53 UTC 2026 boom', 'TIME boom'],
    ['Thu, 11 Jun 2020 22:41:07 GMT boom', 'TIME boom'],
    ['at 14:33:53.5 o clock', 'at TIME o clock'],
    ['after 600 seconds, 1.5s, 120ms, 1m2.5s', 'after DURATION, DURATION, DURATION, DURATION'],
    ['after 1,234 ms, 99 ms, 12_345.5 s', 'after DURATION, DURATION, DURATION'],
    ['would use 9.32 GiB of 300MB', 'would use SIZE of SIZE'],
    ['would use 1,234.5 MiB', 'would use SIZE'],
    ['from localhost:9000 or 127.0.0.1:9000', 'from HOST or HOST'],
    ['from [::1]:9000', 'from [HOST]:N'],
    ['GET https://bucket-17.example.com:8443/a/b/file_3.tsv', 'GET https://HOST/file_N.tsv'],
    ['com.google.cloud.NotFoundException: gone', 'com.google.cloud.NotFoundException: gone'],
    ['DB::add and std::vector', 'DB::add and std::vector'],
    ['\u001b[31mError\u001b[0m: \u001b[1mno\u001b[22m', 'Error: no'],
    ['#x1B[31mError#x1B[0m [1mno[0m', 'Error no'],
    ['a\tb  \u00a0 c\u200b', 'a b c'],
    ['[1, 2, 3] is not [1, 2]', '[N] is not [N]'],
    ['', ''],
  ])('%s', (line, normalized) => {
    expect(normalizeLine(line)).toBe(normalized)
  })

  test('a code says what failed and stays', () => {
    expect(normalizeLine('Code: 159. DB::Exception')).toBe('Code: 159. DB::Exception')
    expect(normalizeLine('returned non-zero exit status 1.')).toBe('returned non-zero exit status 1.')
    expect(normalizeLine('exit code 137')).not.toBe(normalizeLine('exit code 1'))
    expect(normalizeLine('signal 9')).not.toBe(normalizeLine('signal 11'))
    expect(normalizeLine('HTTP 404')).not.toBe(normalizeLine('HTTP 503'))
    expect(normalizeLine('googleapi: Error 404: gone')).not.toBe(normalizeLine('googleapi: Error 503: gone'))
    expect(normalizeLine('code 1234567890')).toBe('code N')
  })

  test('once normalised it stays as it is', () => {
    for (const line of [
      'in /a/b/c_1.py:22 after 3s',
      'from 10.0.0.1:9000 at 2026-01-01 00:00:00',
      '/tmp/tmp8x2k9q1z 4 GiB',
    ]) {
      const once = normalizeLine(line)
      expect(normalizeLine(once)).toBe(once)
    }
  })

  test('the marks for what was left out are found in it', () => {
    const parts = normalizeLine('cannot open /a/b.sql after 3 s').split(new RegExp(PLACEHOLDER, 'g'))
    expect(parts).toEqual(['cannot open ', 'b.sql after ', ''])
  })
})

describe('normalizeComparison', () => {
  test.each([
    ['assert 5 == 7', 'assert 5 == 7'],
    ["assert '1\\n2.5\\t3' == ''", "assert '1\\n2.5\\t3' == ''"],
    ['expected: 3, got: 4', 'expected: 3, got: 4'],
    ['expected [1, 2] but found 99.9%', 'expected [1, 2] but found 99.9%'],
    ['main_test.py:22: expected 1,234 rows, got -3', 'main_test.py:N: expected 1,234 rows, got -3'],
    ['expected 3 on node17, got 4 at 0x7f01', 'expected 3 on nodeN, got 4 at N'],
    ['expected 3, got 4 after 31.2 s on 10.0.0.1:9000', 'expected 3, got 4 after DURATION on HOST'],
    ['expected 3, got 140234234234234', 'expected 3, got N'],
    ['expected 3, got 1763742342.5', 'expected 3, got TIME'],
    ['expected 2026-01-01, got 9.32 GiB', 'expected TIME, got SIZE'],
    ['expected 2bc1bd4f17bad33b, got 3', 'expected N, got 3'],
    ['C:\\new\\tests\\a_1.py: expected 3, got 4', '…/a_N.py: expected 3, got 4'],
  ])('%s', (line, normalized) => {
    expect(normalizeComparison(line)).toBe(normalized)
  })
})

describe('normalizeDifference', () => {
  test.each([
    ['-table_17\t12', '-table_17 12'],
    ['+18446744073709551615', '+18446744073709551615'],
    ['+-5', '+-5'],
    ['+5d41402abc4b2a76b9719d911017c592', '+5d41402abc4b2a76b9719d911017c592'],
    ['+0x7f01ab at 2026-01-01 10:00:00', '+N at TIME'],
    ['+from localhost:9000 after 3 s', '+from HOST after DURATION'],
    ['+cannot open /home/ci/run_3/00002_log.sql', '+cannot open …/00002_log.sql'],
    ['+test_3ujixnm7', '+test_TMP'],
    ['+1763742342', '+TIME'],
    ['', ''],
  ])('%s', (line, normalized) => {
    expect(normalizeDifference(line)).toBe(normalized)
  })
})
