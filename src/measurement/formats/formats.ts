import { clickbench } from './clickbench.ts'
import { clickhouseCommits } from './clickhouse-commits.ts'
import { clickhouseConfirmation } from './clickhouse-confirmation.ts'
import { clickhouseMetrics } from './clickhouse-metrics.ts'
import { clickhouseRaw } from './clickhouse-raw.ts'
import { clickhouseRunErrors } from './clickhouse-run-errors.ts'
import { clickhouseStacks } from './clickhouse-stacks.ts'
import { criterionFolder, criterionText } from './criterion.ts'
import type { Format } from './format.ts'
import { jmh } from './jmh.ts'
import { libtest } from './libtest.ts'
import { measurements } from './measurements.ts'
import { perfStat } from './perf-stat.ts'
import { pyperf } from './pyperf.ts'

/** All formats. A new one is one file and one entry here. */
function allFormats(oldCommitFile?: string): readonly Format[] {
  return [
    clickhouseRaw,
    clickhouseRunErrors,
    clickhouseCommits(oldCommitFile),
    ...clickhouseConfirmation,
    ...clickhouseStacks,
    ...clickhouseMetrics,
    measurements,
    perfStat,
    clickbench,
    criterionFolder,
    criterionText,
    libtest,
    pyperf,
    jmh,
  ]
}

/** The names that `--format` takes; `auto` stands for all. */
export const FORMAT_NAMES: readonly string[] = ['auto', ...new Set(allFormats().map((format) => format.name))]

/**
 * The formats that a name of `FORMAT_NAMES` stands for. `oldCommitFile`: the file name that states the commit of the old
 * build, where it is not ClickHouse's.
 */
export function formatsNamed(name: string, oldCommitFile?: string): readonly Format[] {
  return allFormats(oldCommitFile).filter((format) => name === 'auto' || format.name === name)
}
