import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { METRIC_GROUPS, metricGroup } from '../../../src/intake/measurement/metric-group.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { computed } from '../../computing-time.ts'

test.each([
  ['client_time', 's', 'time'],
  ['QueryAnalysisMicroseconds', null, 'time'],
  ['RealTimeMicroseconds', null, 'time'],
  ['compile phase', 'ms', 'cpu'],
  ['parse', 'ms', 'time'],
  ['UserTimeMicroseconds', null, 'cpu'],
  ['OSCPUWaitMicroseconds', null, 'cpu'],
  ['PerfInstructions', null, 'cpu'],
  ['LocalThreadPoolBusyMicroseconds', null, 'cpu'],
  ['memory_usage', 'bytes', 'memory'],
  ['ArenaAllocBytes', 'bytes', 'memory'],
  ['SoftPageFaults', null, 'memory'],
  ['DiskReadElapsedMicroseconds', null, 'io'],
  ['ReadBufferFromFileDescriptorReadBytes', 'bytes', 'io'],
  ['CompressedReadBufferBlocks', null, 'io'],
  ['ExternalAggregationWritePart', null, 'io'],
  ['ThreadpoolReaderTaskMicroseconds', null, 'io'],
  ['MarkCacheMisses', null, 'cache'],
  ['OpenedFileCacheHits', null, 'cache'],
  ['QueryCacheReadRows', null, 'cache'],
  ['NetworkSendBytes', 'bytes', 'network'],
  ['ReadBufferFromS3Bytes', 'bytes', 'network'],
  ['ZooKeeperBytesSent', 'bytes', 'network'],
  ['SelectedRows', null, 'work'],
  ['SelectedBytes', 'bytes', 'work'],
  ['read_bytes', 'bytes', 'work'],
  ['FilteringMarksWithPrimaryKeyProcessedMarks', null, 'work'],
  ['ContextLock', null, 'other'],
  ['LogTrace', null, 'other'],
  ['threads', null, 'other'],
  ['spread', null, 'other'],
  ['profiles', null, 'other'],
  ['bookmarks', null, 'other'],
  ['borrows', null, 'other'],
  ['arrows', null, 'other'],
  ['rows', null, 'work'],
  ['total_rows', null, 'work'],
  ['WRITES', null, 'io'],
  ['disk.reads', null, 'io'],
  ['OSReadBytes', null, 'io'],
  ['', null, 'other'],
] as const)('%s in %s is %s', (metric, unit, group) => {
  expect(metricGroup(metric, unit)).toBe(group)
})

test('any name has one, at once', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.constant('a_'.repeat(50_000)),
    fc.constant('read'.repeat(50_000)),
  )
  const started = computed()
  fc.assert(
    fc.property(text, fc.option(text), (metric, unit) => {
      expect(METRIC_GROUPS).toContain(metricGroup(metric, unit))
    }),
  )
  expect(computed() - started).toBeLessThan(2_000)
})
