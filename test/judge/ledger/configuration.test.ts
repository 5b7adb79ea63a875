import { expect, test } from 'vitest'
import { configurationOf } from '../../../src/judge/ledger/configuration.ts'
import { computed } from '../../computing-time.ts'

test.each([
  ['Integration tests (amd_asan, 3/6)', 'Integration tests (amd_asan, 1/6)'],
  ['Stateless tests (amd_debug, parallel, 12/40)', 'Stateless tests (amd_debug, parallel, 1/40)'],
  ['test (ubuntu, shard 2)', 'test (ubuntu, shard 11)'],
  ['test (ubuntu, shard 2 of 6)', 'test (ubuntu, shard 4 of 6)'],
  ['e2e-shard-1', 'e2e-shard-2'],
  ['jest (1 of 4)', 'jest (3 of 4)'],
  ['e2e (1, 4)', 'e2e (3, 4)'],
  ['test (default, 1, 5, linux.2xlarge)', 'test (default, 4, 5, linux.2xlarge)'],
  ['rspec 3/20', 'rspec 7/20'],
  ['test [2/8]', 'test [5/8]'],
  ['unit (bucket 1)', 'unit (bucket 2)'],
])('one configuration: %s, %s', (one, other) => {
  expect(configurationOf(one)).toBe(configurationOf(other))
})

test.each([
  ['tests (linux)', 'tests (windows)'],
  ['tests (py3.9)', 'tests (py3.10)'],
  ['build (node 20)', 'build (node 22)'],
  ['tests (3.9/3.10)', 'tests (3.9/3.11)'],
  ['java 8/11', 'java 8/17'],
  ['tests (i386, 64/32)', 'tests (i386, 64/16)'],
  ['split 3', 'split 4'],
  ['Stress test (0)', 'Stress test (1)'],
  ['postgres 14/15', 'postgres 13/15'],
  ['Stress test (amd_tsan)', 'Stress test (arm_tsan)'],
  ['Integration tests (amd_asan, 3/6)', 'Integration tests (amd_msan, 3/6)'],
])('two configurations: %s, %s', (one, other) => {
  expect(configurationOf(one)).not.toBe(configurationOf(other))
})

test('a long name takes no time', () => {
  const name = `${'shard '.repeat(20_000)}${'1/'.repeat(20_000)}${' '.repeat(20_000)}`
  const start = computed()
  configurationOf(name)
  expect(computed() - start).toBeLessThan(500)
})
