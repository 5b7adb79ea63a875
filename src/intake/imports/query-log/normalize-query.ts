/** Characters of a query that are looked at. */
const LONGEST_QUERY = 64 * 1024

/**
 * Comments, texts, names in quotes, and numbers that are no end of a word. An open comment or text reaches to the end: nothing is
 * looked at twice, however the query is written.
 */
const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|`[^`]*(?:`|$)|"[^"]*(?:"|$)|(?<![\w$])\d\w*(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** `1, 2, 3` of a list or of rows to insert: how many there are is no part of the query. */
const LIST = /\?(?:\s*,\s*\?)+/g

/**
 * A query without what differs from execution to execution: numbers and texts are `?`, lists of them `?..`, comments and line
 * ends a space. `SELECT a FROM t WHERE id IN (1, 2)` is `SELECT a FROM t WHERE id IN (?..)`.
 */
export function normalizeQuery(query: string): string {
  const tokens = query.slice(0, LONGEST_QUERY).replaceAll(TOKEN, (token) => {
    const [first] = token
    if (first === '-' || first === '/') return ' '
    return first === '`' || first === '"' ? token : '?'
  })
  return tokens.replaceAll(/\s+/g, ' ').replaceAll(LIST, '?..').trim()
}

/**
 * A function that writes the first of these tables in the place of each of them, however a query names it: `db.new`,
 * `` `db`.`new` `` or `new`.
 */
export function withOneTable(tables: readonly string[]): (query: string) => string {
  const names = new Set(tables.flatMap((table) => [table, table.slice(table.indexOf('.') + 1)]))
  const longestFirst = [...names].toSorted((a, b) => b.length - a.length)
  const patterns = longestFirst.map((name) => name.split('.').map(quoted).join('\\s*\\.\\s*'))
  const pattern = new RegExp(`(?<![\\w.\`"])(?:${patterns.join('|')})(?![\\w\`"])`, 'g')
  return (query) => query.replaceAll(pattern, () => tables[0]!)
}

function quoted(part: string): string {
  const name = part.replaceAll(/[^\w]/gu, '\\$&')
  return `(?:\`${name}\`|"${name}"|${name})`
}
