import { expect, test } from 'vitest'
import { unmeasuredBy } from '../../../src/intake/measurement/run.ts'
import { measured, STEADY } from '../../report/judge-setting.ts'

const memory = { metric: 'memory', unit: 'bytes', reportThreshold: 0.2, rounded: true }
const failed = { reason: 'run-error', side: 'new', message: 'Code: 1' } as const

test('a query that only other metrics have is one without samples, with all that is said of it once', () => {
  const lost = [
    measured('uniq', STEADY, memory),
    measured('uniq', STEADY, { ...memory, problems: [failed] }),
    measured('uniq', STEADY, { metric: 'cpu_time', problems: [failed, { ...failed, side: 'old' }] }),
  ]
  expect(unmeasuredBy('client_time', [measured('sum', STEADY), measured('sum', STEADY, memory), ...lost])).toEqual([
    {
      test: 'uniq',
      queryIndex: 0,
      queryName: 'SELECT uniq',
      metric: 'client_time',
      unit: null,
      architecture: null,
      old: [],
      new: [],
      reportThreshold: null,
      rounded: false,
      problems: [failed, { ...failed, side: 'old' }],
    },
  ])
})

test('texts, ordinals and architectures tell queries apart, positions do not', () => {
  const found = unmeasuredBy('client_time', [
    measured('sum', STEADY, { architecture: 'amd' }),
    measured('sum', STEADY, { ...memory, architecture: 'arm' }),
    measured('sum', STEADY, { ...memory, architecture: 'amd', ordinal: 1 }),
    measured('sum', STEADY, { ...memory, architecture: 'amd', queryName: 'SELECT 2' }),
    measured('sum', STEADY, { ...memory, architecture: 'amd', queryIndex: 7 }),
  ])
  expect(found.map(({ architecture, ordinal, queryName }) => [architecture, ordinal, queryName])).toEqual([
    ['arm', undefined, 'SELECT sum'],
    ['amd', 1, 'SELECT sum'],
    ['amd', undefined, 'SELECT 2'],
  ])
})
