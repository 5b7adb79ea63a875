import type { Side } from '../measurement/run.ts'
import type { ClassifiedQuery } from '../verdict/classified-query.ts'
import type { ShownRow } from './shown-row.ts'
import { type TsvColumn, tsvTable } from './tsv.ts'

/** The row for other programs: everything that the page shows, unrounded, with every sample that is stored. */
export function rowJson({ report, row, measured }: ShownRow): string {
  const { owner, name } = report.repository
  return (
    JSON.stringify({
      schemaVersion: 1,
      repository: `${owner}/${name}`,
      pullRequest: report.pullRequest.number,
      head: report.head,
      row,
      measured: measured.map(({ result, run, metrics }) => ({ architecture: result.architecture, run, metrics })),
    }) + '\n'
  )
}

interface Sample {
  readonly result: ClassifiedQuery
  readonly metric: string
  readonly unit: string | null
  readonly side: Side
  /** 0-based. */
  readonly repetition: number
  readonly value: number
}

const COLUMNS: readonly TsvColumn<Sample>[] = [
  ['test', ({ result }) => result.test],
  ['query_index', ({ result }) => result.queryIndex],
  ['query_name', ({ result }) => result.queryName],
  ['architecture', ({ result }) => result.architecture],
  ['metric', ({ metric }) => metric],
  ['unit', ({ unit }) => unit],
  ['side', ({ side }) => side],
  ['repetition', ({ repetition }) => repetition],
  ['value', ({ value }) => value],
]

/** A line per sample that is stored: TabSeparatedWithNames, `\N` where there is nothing. */
export function rowTsv(shown: ShownRow): string {
  return tsvTable(COLUMNS, samplesOf(shown))
}

function* samplesOf({ measured }: ShownRow): Generator<Sample> {
  for (const { result, metrics } of measured) {
    for (const { metric, unit, samples } of metrics) {
      for (const side of ['old', 'new'] as const) {
        for (const [repetition, value] of (samples?.[side] ?? []).entries()) {
          yield { result, metric, unit, side, repetition, value }
        }
      }
    }
  }
}
