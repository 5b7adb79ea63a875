import { SourceError } from '../../measurement/source.ts'
import type { CiResultsFormat } from '../format.ts'
import { jsonEachRow } from '../json-each-row.ts'
import { tsvWithNames } from '../tsv-with-names.ts'
import { dequarantineReport } from './dequarantine-report.ts'
import { flakeFlagger } from './flakeflagger.ts'
import { junit } from './junit.ts'

/** All formats of CI results, in the order in which they are tried. */
const FORMATS: readonly CiResultsFormat[] = [junit, jsonEachRow, dequarantineReport, flakeFlagger, tsvWithNames]

/** The formats that a name of `CI_RESULTS_FORMATS` stands for. */
export function ciResultsFormatsNamed(name: string): readonly CiResultsFormat[] {
  return FORMATS.filter((format) => name === 'auto' || format.name === name)
}

/** The format of a file that begins like this. Throws `SourceError` when it is of none of them. */
export function formatOf(head: string, formats: readonly CiResultsFormat[], where: string): CiResultsFormat {
  if (head.trim() === '') throw new SourceError('no-measurements', `${where}: the file is empty`)
  // the only format that was asked for is believed, and says itself what is wrong
  const format = formats.length === 1 ? formats[0] : formats.find((candidate) => candidate.matches(head))
  if (format !== undefined) return format
  const known = formats.map(({ name, looksFor }) => `${name} (${looksFor})`).join('; ')
  throw new SourceError('no-measurements', `${where}: not CI results in a supported format; supported: ${known}`)
}
