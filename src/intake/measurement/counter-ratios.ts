import type { Better } from './run.ts'

/** What two counters of one repetition say together. */
export interface CounterRatio {
  readonly metric: string
  readonly unit: string
  /** The names that the counters have in one source or another; of several that are there the first counts. */
  readonly part: readonly string[]
  readonly whole: readonly string[]
  /** Absent: lower. */
  readonly better?: Better
}

/**
 * By the names of `perf stat` and of ClickHouse's ProfileEvents and query log, where `PerfCPUCycles` was `PerfCpuCycles` before.
 * The number of bytes in a row changes with the columns that are read.
 */
export const COUNTER_RATIOS: readonly CounterRatio[] = [
  {
    metric: 'instructions-per-cycle',
    unit: '1',
    part: ['instructions', 'PerfInstructions'],
    whole: ['cycles', 'cpu-cycles', 'PerfCPUCycles', 'PerfCpuCycles'],
    better: 'higher',
  },
  {
    metric: 'branch-miss-rate',
    unit: '1',
    part: ['branch-misses', 'PerfBranchMisses'],
    whole: ['branches', 'PerfBranchInstructions'],
  },
  {
    metric: 'cache-miss-rate',
    unit: '1',
    part: ['cache-misses', 'PerfCacheMisses'],
    whole: ['cache-references', 'PerfCacheReferences'],
  },
  {
    metric: 'bytes-per-row',
    unit: 'bytes',
    part: ['read_bytes', 'SelectedBytes'],
    whole: ['read_rows', 'SelectedRows'],
  },
]

/** The ratio of two counts; null where there is none. */
export function ratioOf(part: number, whole: number): number | null {
  const ratio = part / whole
  return whole > 0 && Number.isFinite(ratio) ? ratio : null
}
