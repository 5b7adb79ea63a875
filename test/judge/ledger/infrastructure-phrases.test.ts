import { describe, expect, test } from 'vitest'
import { infrastructureProblem } from '../../../src/judge/ledger/infrastructure-phrases.ts'
import { computed } from '../../computing-time.ts'

describe('what machines and runners say', () => {
  test.each([
    ['runner-lost', 'The self-hosted runner lost communication with the server. Verify the machine is running.'],
    ['runner-lost', 'The runner has received a shutdown signal. This can happen when the runner service is stopped.'],
    ['runner-lost', 'Runner died'],
    ['runner-lost', 'The runner was lost after a timeout\nJob timed out'],
    ['disk-full', 'OSError: [Errno <n>] No space left on device'],
    ['disk-full', 'fatal: sh: write error: Disk quota exceeded'],
    ['disk-full', 'npm ERR! code ENOSPC'],
    ['out-of-memory', 'Memory cgroup out of memory: OOM-killed process <n>'],
    ['out-of-memory', 'fork: Cannot allocate memory'],
    ['out-of-memory', 'c++: fatal error: Killed signal terminated program cc1plus'],
    ['network', 'fatal: unable to access: Could not resolve host: github.com'],
    ['network', 'Error response from daemon: toomanyrequests: You have reached your pull rate limit'],
    ['network', 'ssh: connect: Connection timed out'],
    ['time-out', 'The job has exceeded the maximum execution time of <n> minutes'],
    ['no-result', 'Job killed or terminated, no Result provided'],
    ['no-result', 'No test results were found'],
    ['no-result', 'No test report files were found. Configuration error?'],
    ['time-out', 'Timeout'],
    ['time-out', 'Error: Timeout expired.'],
    ['time-out', 'Job timed out'],
    ['time-out', 'NO SPACE? no.\nWorkflow cancelled by timeout'],
  ])('%s: %s', (problem, text) => {
    expect(infrastructureProblem(text)).toBe(problem)
  })
})

describe('what may be the pull request’s', () => {
  test.each([
    [''],
    ['ninja: build stopped: subcommand failed.'],
    ["error: no member named 'timeout' in 'DB::Settings'"],
    ['error: unused variable job_timeout_ms'],
    ['Code: 241. DB::Exception: Memory limit (total) exceeded'],
    ['Code: 159. DB::Exception: Timeout exceeded: elapsed <n> seconds, maximum: <n>'],
    ['Connection refused (localhost:9000)'],
    ['Connection reset by peer'],
    ['expected 3 results, found no row'],
    ['the query returned no result'],
    ['result differs with reference'],
    ['Failed tests: 3, disk_usage changed'],
    ['style check: the runner script has wrong permissions'],
  ])('%s', (text) => {
    expect(infrastructureProblem(text)).toBeNull()
  })
})

test('takes no time on hostile text', () => {
  const begun = computed()
  for (const text of [
    'dial tcp'.repeat(20_000),
    'runner '.repeat(50_000),
    'error: '.repeat(50_000),
    '\n'.repeat(200_000),
  ]) {
    expect(infrastructureProblem(text)).toBeNull()
  }
  expect(computed() - begun).toBeLessThan(2000)
})
