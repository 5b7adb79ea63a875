import { readdirSync } from 'node:fs'
import { readSql } from '../sql-file.ts'

/**
 * The statements over the trunk's history, put together from the files in `queries/` as `ci-sql.ts` does it for CI
 * results: `{{rows …}}` is the one source of rows that is asked, with the condition in the statement that reads the table.
 * `{{rows-unmerged …}}` is the same where a row that was written twice, or a run that was imported as well, may come twice;
 * `{{rows-merged …}}`, of the bot's own rows, where the latter may.
 */
export interface HistoryRowSource {
  readonly file: 'own-rows' | 'external-rows' | 'repetitions'
  /** The statement that gives the columns of the table; not of `own-rows`. */
  readonly columns: string
}

/**
 * Files that stand for others over one source: of the bot's own rows, that series come with the rows of both sources; of
 * raw runs, that the rows are put together first, and that T is computed where it is asked for alone.
 */
const IN_PLACE_OF: Readonly<Record<HistoryRowSource['file'], Readonly<Record<string, string>>>> = {
  'own-rows': {
    rows: 'own-rows',
    'rows-merged': 'own-rows',
    'rows-unmerged': 'own-rows',
    series: 'own-series',
    'keyed-differences': 'keyed',
  },
  'external-rows': { rows: 'external-rows', 'rows-unmerged': 'external-rows', 'keyed-differences': 'keyed' },
  repetitions: {
    'rows-unmerged': 'repetitions',
    keyed: 'medians-with-thresholds',
    'keyed-differences': 'medians',
    'points-of-tests': 'points-of-tests-of-runs',
  },
}

const FOLDER = new URL('./queries/', import.meta.url)
const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER).map((file) => [file.replace(/\.sql$/, ''), readSql(new URL(file, FOLDER))]),
)

const REFERENCE = /\{\{([a-z-]+)(?:\s+WHERE\s+((?:[^{}]|\{[^{}]*\})*))?\}\}/g

/** @param name of a file in `queries/` */
export function historySql(name: string, source: HistoryRowSource, where = '1'): string {
  const text = FILES[IN_PLACE_OF[source.file][name] ?? name]
  if (text === undefined) throw new Error(`SQL file ${name} is unknown`)
  return text
    .replace('{{columns}}', () => source.columns)
    .replace('{{final}}', () => (name === 'rows-unmerged' ? '' : 'FINAL'))
    .replace('{{once}}', () => (name === 'rows' ? '{{each-run-once WHERE {{where}}}}' : '1'))
    .replaceAll('{{where}}', () => where)
    .replace(REFERENCE, (_, inner: string, condition?: string) => historySql(inner, source, condition))
}
