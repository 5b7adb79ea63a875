import { readSql } from '../sql-file.ts'

const FILES = {
  summaries: readSql(new URL('./summaries.sql', import.meta.url)),
  stacks: readSql(new URL('./stacks.sql', import.meta.url)),
}
const ROWS = {
  own: readSql(new URL('./own-rows.sql', import.meta.url)),
  external: readSql(new URL('./external-rows.sql', import.meta.url)),
}

export type ProfileStatement = keyof typeof FILES

/** A statement over the bot's own rows. */
export function ownProfileSql(name: ProfileStatement): string {
  return FILES[name].replace('{{rows}}', () => ROWS.own)
}

/** The same over a table of others; `columns` is the SELECT that gives the columns of `perf_flamegraph_stacks_v1`. */
export function externalProfileSql(name: ProfileStatement, columns: string): string {
  return FILES[name].replace('{{rows}}', () => ROWS.external.replace('{{columns}}', () => columns))
}
