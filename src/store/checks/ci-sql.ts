import { readdirSync } from 'node:fs'
import { OUTPUT_CUT, OUTPUT_END_READ, OUTPUT_READ } from '../../judge/ledger/signature.ts'
import { FAILING_STATUSES, PASSING_STATUSES } from '../../judge/ledger/test-status.ts'
import { readSql } from '../sql-file.ts'
import type { ReadOptions } from './ci-queries.ts'

/**
 * The statements over CI results, put together from the files in `queries/`. There are two sources of rows, and all
 * that differs between them is in `own-rows.sql` and `external-rows.sql`; everything else is the same text for both.
 *
 * `{{NAME WHERE condition}}` in a file stands for the statement of that file, which has the condition where it says
 * `{{where}}`; `{{rows …}}` is the source. The condition so reaches the statement that reads the table: on a cluster it
 * is what is sent to the shards, and no optimizer has to carry it there.
 */
export interface RowSource {
  readonly file: 'own-rows' | 'external-rows'
  /** The file in the place of `{{executions}}`: the executions of tests, where nothing is said. */
  readonly executions?: Executions
  /** The text for each placeholder that `file` leaves open. */
  readonly parts: Readonly<Record<string, string>>
}

export type Executions = 'executions' | 'executions-of-checks' | 'executions-of-patterns'

/** Those that a lookup wants. */
export function executionsOf({ ofChecks = false, byPattern = false }: ReadOptions): Executions {
  if (ofChecks) return 'executions-of-checks'
  return byPattern ? 'executions-of-patterns' : 'executions'
}

const FOLDER = new URL('./queries/', import.meta.url)
const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER).map((file) => [file.replace(/\.sql$/, ''), readSql(new URL(file, FOLDER))]),
)

const REFERENCE = /\{\{([a-z-]+)(?:\s+WHERE\s+((?:[^{}]|\{[^{}]*\})*))?\}\}/g

/** @param name of a file in `queries/` */
export function ciSql(name: string, source: RowSource, where = '1'): string {
  const file = name === 'rows' ? source.file : name === 'executions' ? (source.executions ?? name) : name
  let text = FILES[file]
  if (text === undefined) throw new Error(`SQL file ${file} is unknown`)
  if (name === 'rows')
    for (const [part, value] of Object.entries(source.parts)) text = text.replaceAll(`{{${part}}}`, () => value)
  return text
    .replaceAll('{{where}}', () => where)
    .replace(REFERENCE, (_, inner: string, condition?: string) => ciSql(inner, source, condition))
}

/** Rows of performance checks: a job with one has failed because of what it measured. Lower case. */
export const MEASURED_STATUSES = ['slower', 'faster', 'unstable'] as const

/** The statuses by outcome, parameters of `external-rows.sql`; the bot's own table has the outcome in a column. */
export const STATUS_PARAMETERS = {
  failing: FAILING_STATUSES,
  passing: PASSING_STATUSES,
  measured: MEASURED_STATUSES,
} as const

/** How much of an output is handed over, parameters of `output-of-rows.sql`: as much as a signature is made of. */
export const OUTPUT_PARAMETERS = {
  outputRead: OUTPUT_READ,
  outputEndRead: OUTPUT_END_READ,
  outputCut: OUTPUT_CUT,
} as const
