import { z } from 'zod'
import { meantIn } from '../../../bot/slash/rows-named.ts'
import { shownValue } from '../../../judge/verdict/classified-query.ts'
import { decisive } from '../../../report/parts.ts'
import type { View } from '../../../report/render/view.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { queryName } from '../../../report/row/name.ts'
import { reportPath } from '../../../report/urls.ts'
import { VERDICT_WORDS } from '../../../report/words.ts'
import { NAME_LIMIT } from '../../../text/markdown.ts'
import { addressOf } from '../shown-report.ts'
import { untrusted, untrustedOrNull, untrustedText } from './outside.ts'

/** A row of a report in answers. */

/** The units of what is measured; any other is a text of its tool. */
const UNITS = ['s', 'bytes', '1/s', '1'] as const

export const verdictShape = z.enum(Object.keys(VERDICT_WORDS) as (keyof typeof VERDICT_WORDS)[]).nullable()

export const rowShape = {
  row: z.string().describe('Its id, for the other tools.'),
  name: untrustedText,
  architecture: untrustedText.nullable().describe('The one that decides.'),
  verdict: verdictShape,
  outcome: z.enum(['changed', 'unstable', 'too-small', 'not-significant']).nullable(),
  direction: z.enum(['slower', 'faster']).nullable(),
  difference: z.number().nullable().describe('A fraction of the old median.'),
  old: z.number().nullable().describe('Median.'),
  new: z.number().nullable().describe('Median.'),
  unit: z.enum([...UNITS, 'other']).nullable(),
}

export function rowAnswer(row: ReportRow, { idOf }: Pick<View, 'idOf'>, result = decisive(row)) {
  const { outcome, direction, verdict } = row
  return {
    row: idOf(row),
    name: untrusted(queryName(row, NAME_LIMIT)),
    architecture: untrustedOrNull(result.architecture),
    verdict,
    outcome,
    direction,
    difference: result.difference,
    old: shownValue(result.old),
    new: shownValue(result.new),
    unit: result.unit === null ? null : (UNITS.find((unit) => unit === result.unit) ?? ('other' as const)),
  }
}

/** The row of an id or a name; a sentence where there is not just one. */
export function rowOf(report: TriageReport, name: string): ReportRow | string {
  const { rows } = meantIn(report, name)
  const [only, ...others] = rows
  if (only === undefined) return 'The report has no such row. The tool open_rows lists ids.'
  return others.length === 0 ? only.row : 'Several rows have this name. The tool open_rows lists ids.'
}

/** The page of a row by its id: its usual address has a part of the test's name. */
export function rowPagePath(
  report: TriageReport,
  { idOf }: Pick<View, 'idOf'>,
  row: ReportRow,
  page: 'query' | 'flame',
) {
  return `${reportPath(addressOf(report))}/${page}/${idOf(row)}`
}
