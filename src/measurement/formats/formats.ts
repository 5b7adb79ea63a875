import { SourceError } from '../source-error.ts'
import { clickhouseCommits } from './clickhouse-commits.ts'
import { clickhouseRaw } from './clickhouse-raw.ts'
import { clickhouseRunErrors } from './clickhouse-run-errors.ts'
import type { Format } from './format.ts'
import { measurements } from './measurements.ts'

/** All formats. A new one is one file and one entry here. */
const FORMATS: readonly Format[] = [clickhouseRaw, clickhouseRunErrors, clickhouseCommits, measurements]

/** The names that `--format` takes, besides `auto`. */
export const FORMAT_NAMES: readonly string[] = [...new Set(FORMATS.map((format) => format.name))]

/** The formats that a name stands for; throws `SourceError` for an unknown one. */
export function formatsNamed(name: string): readonly Format[] {
  if (name === 'auto') return FORMATS
  const formats = FORMATS.filter((format) => format.name === name)
  if (formats.length > 0) return formats
  throw new SourceError('usage', `unknown format "${name}"; there are: auto, ${FORMAT_NAMES.join(', ')}`)
}
