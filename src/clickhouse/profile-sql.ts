import { readSql } from './sql-file.ts'

const FILES = {
  summaries: readSql('./profile-queries/summaries.sql'),
  stacks: readSql('./profile-queries/stacks.sql'),
}
const ROWS = {
  own: readSql('./profile-queries/own-rows.sql'),
  external: readSql('./profile-queries/external-rows.sql'),
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
