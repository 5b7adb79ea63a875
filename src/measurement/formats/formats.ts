import { SourceError } from '../source.ts'
import { clickhouseCommits } from './clickhouse-commits.ts'
import { clickhouseConfirmation } from './clickhouse-confirmation.ts'
import { clickhouseMetrics } from './clickhouse-metrics.ts'
import { clickhouseRaw } from './clickhouse-raw.ts'
import { clickhouseRunErrors } from './clickhouse-run-errors.ts'
import { clickhouseStacks } from './clickhouse-stacks.ts'
import type { Format } from './format.ts'
import { measurements } from './measurements.ts'

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
  ]
}

/** The names that `--format` takes, besides `auto`. */
const FORMAT_NAMES: readonly string[] = [...new Set(allFormats().map((format) => format.name))]

/**
 * The formats that a name stands for; throws `SourceError` for an unknown one. `oldCommitFile`: the file name that states
 * the commit of the old build, where it is not ClickHouse's.
 */
export function formatsNamed(name: string, oldCommitFile?: string): readonly Format[] {
  const all = allFormats(oldCommitFile)
  if (name === 'auto') return all
  const formats = all.filter((format) => format.name === name)
  if (formats.length > 0) return formats
  throw new SourceError('usage', `unknown format "${name}"; there are: auto, ${FORMAT_NAMES.join(', ')}`)
}
