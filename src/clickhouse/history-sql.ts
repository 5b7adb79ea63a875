import { readdirSync } from 'node:fs'
import { readSql } from './sql-file.ts'

/**
 * The statements over the trunk's history, put together from the files in `history-queries/` as `ci-sql.ts` does it for CI
 * results: `{{rows …}}` is the one source of rows that is asked, with the condition in the statement that reads the table.
 * `{{rows-unmerged …}}` is the same where a row that was written twice may come twice.
 */
export interface HistoryRowSource {
  readonly file: 'own-rows' | 'external-rows'
  /** The statement that gives the columns of the table; of `external-rows` alone. */
  readonly columns: string
}

const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(new URL('./history-queries/', import.meta.url)).map((file) => [
    file.replace(/\.sql$/, ''),
    readSql(`./history-queries/${file}`),
  ]),
)

const REFERENCE = /\{\{([a-z-]+)(?:\s+WHERE\s+((?:[^{}]|\{[^{}]*\})*))?\}\}/g

/** @param name of a file in `history-queries/` */
export function historySql(name: string, source: HistoryRowSource, where = '1'): string {
  const isRows = name === 'rows' || name === 'rows-unmerged'
  let text = FILES[isRows ? source.file : name]
  if (text === undefined) throw new Error(`SQL file ${name} is unknown`)
  if (isRows) {
    text = text
      .replace('{{columns}}', () => source.columns)
      .replace('{{final}}', () => (name === 'rows' ? 'FINAL' : ''))
  }
  return text
    .replaceAll('{{where}}', () => where)
    .replace(REFERENCE, (_, inner: string, condition?: string) => historySql(inner, source, condition))
}
