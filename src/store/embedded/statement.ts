/**
 * The statement that one request asks the embedded engine to run, and the data of an INSERT apart from it.
 *
 * The engine's own sessions protect nothing here. Tried with chdb 3.4.0: `SELECT 1; SELECT 2` runs both; the data of
 * `INSERT … FORMAT TabSeparated` after a blank line is the next statement, and a `DROP TABLE` in it is run; with `readonly = 1`
 * `SELECT file('/etc/passwd')` reads the file, `DESCRIBE TABLE url('http://…')` asks the address and `INTO OUTFILE` writes. A
 * ClickHouse server does none of it. So the text is read here before the engine sees it.
 *
 * Where this reading and the engine's could differ (typographic quotes, here-documents, a backslash outside of quotes)
 * the text is refused, so that nothing hides in the difference.
 */

export type Statement =
  | {
      readonly kind: 'query'
      /** Without the closing semicolon and what follows it. */
      readonly text: string
      /** The first keyword in capitals: `SELECT`, `CREATE`, … */
      readonly verb: string
      /** The name after FORMAT; null where the statement states none. */
      readonly format: string | null
      /** How many times SELECT stands in it. */
      readonly selects: number
    }
  | {
      readonly kind: 'insert'
      /** `INSERT INTO table (columns)`. */
      readonly target: string
      /** `SETTINGS …` or empty. */
      readonly settings: string
      /** Format of the data, `Values` for an INSERT … VALUES. */
      readonly format: string
      /** The data that follows in the text; more may follow in the body. */
      readonly data: string
    }

/** The text is not one statement that the embedded engine may run. `code` is ClickHouse's number for it. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused'
  readonly code: number
  readonly type: string

  constructor(code: number, type: string, message: string) {
    super(message)
    this.code = code
    this.type = type
  }
}

/** @throws StatementRefused when the text holds several statements or one that the embedded engine does not serve. */
export function readStatement(sql: string): Statement {
  const reader = new TokenReader(sql)
  const first = reader.peek()
  if (first === null) throw new StatementRefused(62, 'SYNTAX_ERROR', 'Empty query')
  const insert = keyword(first) === 'INSERT' ? readInsert(sql) : null
  return insert ?? readQuery(sql)
}

function readQuery(sql: string): Statement {
  refuseDescribedFunction(new TokenReader(sql))
  const reader = new TokenReader(sql)
  let verb = ''
  let depth = 0
  let selects = 0
  let format: string | null = null
  let afterFormat = false
  let inSettings = false
  let end = 0
  for (let token = reader.next(); token !== null; token = reader.next()) {
    if (token.text === ';') {
      requireEnd(reader)
      break
    }
    const word = keyword(token)
    if (end === 0) verb = word
    end = token.end
    if (token.text === '(') depth++
    if (token.text === ')') depth--
    if (word === 'SELECT') selects++
    // FORMAT and its name stand at the end; anywhere else it is a name like any other.
    if (afterFormat) format = token.text
    else if (word === 'SETTINGS' && format !== null) inSettings = true
    else if (!inSettings) format = null
    afterFormat = word === 'FORMAT' && depth === 0 && reader.peek()?.kind === 'word'
    refuseServerFiles(word)
    refuseFileFunction(token)
    refuseLimit(word)
  }
  return { kind: 'query', text: sql.slice(0, end), verb, format, selects }
}

/** null where the rows come from a SELECT, or where the text is no INSERT that could be read: the engine says why. */
function readInsert(sql: string): Statement | null {
  const reader = new TokenReader(sql)
  reader.next()
  if (keyword(reader.peek()) === 'INTO') reader.next()
  if (keyword(reader.peek()) === 'TABLE') reader.next()
  if (keyword(reader.peek()) === 'FUNCTION') {
    throw new StatementRefused(48, 'NOT_IMPLEMENTED', 'The embedded engine inserts into tables only')
  }
  let name = reader.next()
  while (reader.peek()?.text === '.') {
    reader.next()
    name = reader.next()
  }
  if (name === null || (name.kind !== 'word' && name.kind !== 'quoted')) return null
  let targetEnd = name.end

  if (reader.peek()?.text === '(') {
    reader.next()
    const inside = keyword(reader.peek())
    if (inside === 'SELECT' || inside === 'WITH') return null
    targetEnd = skipParentheses(reader)
  }

  let settings = ''
  const settingsToken = reader.peek()
  if (keyword(settingsToken) === 'SETTINGS' && settingsToken !== null) {
    let settingsEnd = settingsToken.end
    while (!['FORMAT', 'VALUES', 'SELECT', 'WITH', 'FROM', ''].includes(keywordOrEnd(reader.peek()))) {
      const token = reader.next()
      if (token === null || token.text === ';') return null
      refuseLimit(keyword(token))
      settingsEnd = token.end
    }
    settings = sql.slice(settingsToken.start, settingsEnd)
  }

  const source = reader.next()
  const word = keyword(source)
  refuseServerFiles(keyword(reader.peekUnlessData(word)))
  if (source === null || (word !== 'FORMAT' && word !== 'VALUES')) return null
  let format = 'Values'
  let dataStart = source.end
  if (word === 'FORMAT') {
    const formatName = reader.next()
    if (formatName?.kind !== 'word') return null
    format = formatName.text
    // A semicolon right after the format's name belongs to it, as in ClickHouse.
    dataStart = sql[formatName.end] === ';' ? formatName.end + 1 : formatName.end
  }
  if (word === 'VALUES') refuseSecondStatement(sql.slice(dataStart))
  const data = sql.slice(dataStart).replace(/^[ \t]*\r?\n?/, '')
  return { kind: 'insert', target: sql.slice(0, targetEnd), settings, format, data }
}

function skipParentheses(reader: TokenReader): number {
  let depth = 1
  for (let token = reader.next(); token !== null; token = reader.next()) {
    if (token.text === '(') depth++
    if (token.text === ')' && --depth === 0) return token.end
  }
  throw new StatementRefused(62, 'SYNTAX_ERROR', 'Syntax error: a parenthesis is not closed')
}

/** Values are SQL themselves. They would not be run, but a server says so and so does this. */
function refuseSecondStatement(values: string): void {
  const reader = new TokenReader(values)
  for (let token = reader.next(); token !== null; token = reader.next()) {
    if (token.text === ';') requireEnd(reader)
  }
}

function requireEnd(reader: TokenReader): void {
  for (let token = reader.next(); token !== null; token = reader.next()) {
    if (token.text !== ';') {
      throw new StatementRefused(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)')
    }
  }
}

/** A server reads and writes no files of its own machine on behalf of a client; the engine would. */
function refuseServerFiles(word: string): void {
  if (word === 'INFILE' || word === 'OUTFILE') {
    throw new StatementRefused(48, 'NOT_IMPLEMENTED', `${word} is not supported over HTTP`)
  }
}

/**
 * `file` reads any file as a function, `SELECT file('/etc/passwd')`, which `readonly` does not keep from it. A quoted name
 * with another escape than that of a quote or a backslash may be the same: "fil\x65".
 */
function refuseFileFunction({ kind, text }: Token): void {
  const isFile = text === 'file' || text === '"file"' || text === '`file`'
  const isEscaped = kind === 'quoted' && !text.startsWith("'") && /\\[^`"\\]/.test(text.replaceAll('\\\\', ''))
  if (isFile || isEscaped) {
    throw new StatementRefused(48, 'NOT_IMPLEMENTED', `${text} is not served over HTTP: it could read a file`)
  }
}

/** `DESCRIBE TABLE url('http://…')` asks the address for its columns, with `readonly` too. */
function refuseDescribedFunction(reader: TokenReader): void {
  if (!['DESCRIBE', 'DESC'].includes(keyword(reader.next()))) return
  if (keyword(reader.peek()) === 'TABLE') reader.next()
  const name = reader.next()
  if (name !== null && name.kind !== 'symbol' && reader.peek()?.text === '(') {
    throw new StatementRefused(48, 'NOT_IMPLEMENTED', 'The embedded engine describes tables and statements only')
  }
}

/** The front caps the execution time and reads values as literals; a SETTINGS clause would lift that. */
function refuseLimit(word: string): void {
  if (word.startsWith('INPUT_FORMAT_VALUES_')) {
    throw new StatementRefused(48, 'NOT_IMPLEMENTED', 'The embedded engine takes literals alone as values')
  }
  if (word === 'MAX_EXECUTION_TIME' || word === 'READONLY') {
    const name = word.toLowerCase()
    throw new StatementRefused(
      452,
      'SETTING_CONSTRAINT_VIOLATION',
      `Give ${name} as a setting of the request, not in the statement`,
    )
  }
}

interface Token {
  readonly kind: 'word' | 'quoted' | 'symbol'
  readonly text: string
  readonly start: number
  readonly end: number
}

function keyword(token: Token | null): string {
  return token?.kind === 'word' ? token.text.toUpperCase() : ''
}

/** Like `keyword`, but a token that is no word is told apart from the end of the text. */
function keywordOrEnd(token: Token | null): string {
  return token === null ? '' : token.kind === 'word' ? token.text.toUpperCase() : token.text
}

const WORD = /[\p{L}\p{N}_]+/uy
const WHITESPACE = /\s+/uy
const TYPOGRAPHIC_QUOTES = '\u2018\u2019\u201c\u201d'

/** Reads ahead by one token and no further: what follows FORMAT or VALUES is data and not SQL. */
class TokenReader {
  readonly #sql: string
  #position = 0
  #ahead: Token | null | undefined

  constructor(sql: string) {
    this.#sql = sql
  }

  peek(): Token | null {
    if (this.#ahead === undefined) this.#ahead = this.#read()
    return this.#ahead
  }

  peekUnlessData(word: string): Token | null {
    return word === 'VALUES' ? null : this.peek()
  }

  next(): Token | null {
    const token = this.peek()
    this.#ahead = undefined
    return token
  }

  #read(): Token | null {
    const sql = this.#sql
    for (;;) {
      this.#skip(WHITESPACE)
      const comment = commentEnd(sql, this.#position)
      if (comment === null) break
      this.#position = comment
    }
    const start = this.#position
    const character = sql[start]
    if (character === undefined) return null
    if (character === "'" || character === '"' || character === '`') {
      this.#position = quotedEnd(sql, start, character)
      return this.#token('quoted', start)
    }
    WORD.lastIndex = start
    if (WORD.test(sql)) {
      this.#position = WORD.lastIndex
      return this.#token('word', start)
    }
    if (TYPOGRAPHIC_QUOTES.includes(character)) throw unreadable('typographic quotes', start)
    if (character === '$' || character === '\\' || character === '#' || character === '\0') {
      throw unreadable(JSON.stringify(character), start)
    }
    this.#position = start + 1
    return this.#token('symbol', start)
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#position
    if (pattern.test(this.#sql)) this.#position = pattern.lastIndex
  }

  #token(kind: Token['kind'], start: number): Token {
    return { kind, text: this.#sql.slice(start, this.#position), start, end: this.#position }
  }
}

/** Where the comment that starts here ends; null where none starts. */
function commentEnd(sql: string, start: number): number | null {
  if (sql.startsWith('--', start)) {
    const end = sql.indexOf('\n', start)
    return end === -1 ? sql.length : end + 1
  }
  if (sql.startsWith('/*', start)) {
    const end = sql.indexOf('*/', start + 2)
    if (end === -1) throw new StatementRefused(62, 'SYNTAX_ERROR', 'Syntax error: a comment is not closed')
    return end + 2
  }
  return null
}

function quotedEnd(sql: string, start: number, quote: string): number {
  for (let at = start + 1; at < sql.length; at++) {
    if (sql[at] === '\\') at++
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1
      at++
    }
  }
  throw new StatementRefused(62, 'SYNTAX_ERROR', 'Syntax error: a quoted text is not closed')
}

function unreadable(what: string, position: number): StatementRefused {
  return new StatementRefused(
    62,
    'SYNTAX_ERROR',
    `Syntax error: the embedded engine does not take ${what} outside of quotes (position ${position + 1})`,
  )
}
