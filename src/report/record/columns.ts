import { count, counted, percent, percentRange } from '../../text/numbers.ts'
import type { Column } from '../../text/table.ts'
import { EVIDENCE_WORDS } from '../evidence-words.ts'
import { VERDICT_WORDS } from '../words.ts'
import type { RecordLine, Says, Witness } from './record.ts'

/** The record as columns, JSON and words. What it counts: `record.ts`. */

const WITNESS_WORDS: Readonly<Record<Witness, string>> = {
  trunk: 'the main branch after the merge',
  rerun: 'later runs of the commit',
  person: 'a person, by a command',
  label: 'a person, by a label or button',
}
const WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(EVIDENCE_WORDS).map(([kind, { term }]) => [`evidence ${kind}`, term])),
  ...Object.fromEntries(Object.entries(VERDICT_WORDS).map(([verdict, { term }]) => [`verdict ${verdict}`, term])),
  ...Object.fromEntries(Object.entries(WITNESS_WORDS).map(([witness, term]) => [`witness ${witness}`, term])),
}
const SAYS_WORDS: Readonly<Record<Says, string>> = { real: 'real', noise: 'noise', neither: '–' }

/** What a line is of, in words. */
export function nameOf({ of, name }: RecordLine): string {
  return WORDS[`${of} ${name}`] ?? name
}

/** `82% (58–94%)`: never without its interval. */
function precisionWords({ precision }: RecordLine): string {
  return precision === null ? '–' : `${percent(precision.share)} (${percentRange(precision.low, precision.high)})`
}

/** A line of the record in the TSV, on a page and on a terminal. */
export const RECORD_COLUMNS: readonly Column<RecordLine>[] = [
  { key: 'of', value: ({ of }) => of, heading: 'of', text: ({ of }) => of },
  { key: 'name', value: ({ name }) => name, heading: 'name', text: nameOf },
  { key: 'says', value: ({ says }) => says, heading: 'says', text: ({ says }) => SAYS_WORDS[says] },
  numberColumn('rows', ({ rows }) => rows),
  numberColumn('real', ({ real }) => real),
  numberColumn('noise', ({ noise }) => noise),
  numberColumn('undecided', ({ undecided }) => undecided),
  numberColumn('pull_requests', ({ pullRequests }) => pullRequests),
  {
    key: 'precision',
    value: ({ precision }) => precision?.share ?? null,
    heading: 'precision',
    isNumber: true,
    text: precisionWords,
  },
  { key: 'precision_low', value: ({ precision }) => precision?.low ?? null },
  { key: 'precision_high', value: ({ precision }) => precision?.high ?? null },
]

function numberColumn(key: string, value: (line: RecordLine) => number): Column<RecordLine> {
  return { key, value, heading: key.replaceAll('_', ' '), isNumber: true, text: (line) => count(value(line)) }
}

/** The record for other programs. */
export function recordJson(lines: readonly RecordLine[], days: number) {
  const linesOf = (wanted: RecordLine['of']) => lines.flatMap(({ of, ...line }) => (of === wanted ? [line] : []))
  return { days, verdicts: linesOf('verdict'), evidence: linesOf('evidence'), witnesses: linesOf('witness') }
}

export function emptyRecord(days: number): string {
  return `No report from the last ${counted(days, 'day', 'days')} has a row with a verdict.`
}
