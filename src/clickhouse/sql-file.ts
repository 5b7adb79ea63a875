import { readFileSync } from 'node:fs'

/** The text of a file beside the code, without the comment lines and the closing semicolon. */
export function readSql(name: string): string {
  return withoutComments(readFileSync(new URL(name, import.meta.url), 'utf8'))
    .trim()
    .replace(/;$/, '')
}

/** The statements of a migration: each ends with a semicolon at the end of a line. */
export function splitStatements(text: string): string[] {
  return withoutComments(text)
    .split(/;[ \t]*(?:\r?\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*--/.test(line))
    .join('\n')
}
