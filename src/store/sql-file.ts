import { readFileSync } from 'node:fs'

/** The text of a file, which stands beside the code that runs it, without the comment lines and the closing semicolon. */
export function readSql(file: URL): string {
  return statementIn(readFileSync(file, 'utf8'))
}

/** The statement of such a text. */
export function statementIn(text: string): string {
  return withoutComments(text).trim().replace(/;$/, '')
}

/** The statements of a file that has several. */
export function readStatements(file: URL): string[] {
  return splitStatements(readFileSync(file, 'utf8'))
}

/** Each statement ends with a semicolon at the end of a line. */
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
