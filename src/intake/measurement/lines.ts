/**
 * Splits bytes into lines: UTF-8 with or without a byte order mark, ends of lines with or without CR. Memory is one
 * chunk and one line.
 *
 * `onLine` gets each line without its end, its 1-based number, and whether it was ended: the last line of a file that
 * was cut is not, and a cut number still parses. `onTooLong` gets the numbers of lines beyond `lineLength`.
 */
export async function readLines(
  bytes: AsyncIterable<Uint8Array>,
  lineLength: number,
  onLine: (line: string, number: number, ended: boolean) => void,
  onTooLong: (number: number) => void,
): Promise<void> {
  const decoder = new TextDecoder('utf-8')
  let carry = ''
  let skipping = false
  let number = 1

  const take = (text: string): void => {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (skipping || carry.length + end - start > lineLength) onTooLong(number)
      else onLine(withoutCarriageReturn(carry + text.slice(start, end)), number, true)
      carry = ''
      skipping = false
      number += 1
      start = end + 1
    }
    if (skipping) return
    if (carry.length + text.length - start > lineLength) {
      carry = ''
      skipping = true
    } else {
      carry += text.slice(start)
    }
  }

  for await (const chunk of bytes) take(decoder.decode(chunk, { stream: true }))
  take(decoder.decode())
  if (skipping) onTooLong(number)
  else if (carry !== '') onLine(withoutCarriageReturn(carry), number, false)
}

/** `line` stands in `bytes` from one place to another, without its end. */
type OnByteLine = (bytes: Uint8Array, from: number, to: number, number: number) => void

/** The same lines in UTF-8, for a reader that makes no string of most. Bytes of a line stay as they are. */
export async function readByteLines(
  bytes: AsyncIterable<Uint8Array>,
  lineLength: number,
  onLine: OnByteLine,
  onTooLong: (number: number) => void,
): Promise<void> {
  let carry: Uint8Array[] = []
  let carried = 0
  let number = 1
  const take = (line: Uint8Array, start: number, to: number): void => {
    const from = number === 1 && BOM.every((byte, at) => line[start + at] === byte) ? start + BOM.length : start
    const end = to > from && line[to - 1] === CARRIAGE_RETURN ? to - 1 : to
    // a unit of UTF-16 has at most three bytes, and at least one
    const isLong = to - from > lineLength && new TextDecoder().decode(line.subarray(from, to)).length > lineLength
    if (isLong) onTooLong(number)
    else onLine(line, from, end, number)
  }
  const end = (rest: Uint8Array): void => {
    if (carried + rest.length > MOST_BYTES * lineLength) onTooLong(number)
    else {
      const line = carry.length === 0 ? rest : Buffer.concat([...carry, rest])
      take(line, 0, line.length)
    }
    carry = []
    carried = 0
  }
  for await (const chunk of bytes) {
    const piece = asBuffer(chunk)
    let start = 0
    for (let at = piece.indexOf(NEWLINE, start); at !== -1; at = piece.indexOf(NEWLINE, start)) {
      if (carried > 0) end(piece.subarray(start, at))
      else take(piece, start, at)
      number += 1
      start = at + 1
    }
    if (start === piece.length) continue
    carried += piece.length - start
    // of one that is too long already nothing more is held
    if (carried <= MOST_BYTES * lineLength) carry.push(piece.subarray(start))
    else carry = []
  }
  if (carried > 0) end(EMPTY)
}

const MOST_BYTES = 3
const CARRIAGE_RETURN = 0x0d
const BOM = [0xef, 0xbb, 0xbf]

/** The fields of a table's lines, counted from 0, by which it is decided whether a line is read. */
export interface TableFields {
  readonly metric: number
  /** Where the test stands behind the metric, its index next: the first line of each query is read whatever its metric, so that none is missed. */
  readonly test?: number
}

const NEWLINE = 0x0a
const TAB = 0x09

/** Bytes within which a line names what it is of; one that does not is read. */
const LONGEST_BEGINNING = 4096

/** Queries that are remembered; a shard of ClickHouse's check has some 800. A table with more is read line by line from there on. */
const MOST_QUERIES = 100_000

/**
 * The bytes of a table without the lines of metrics that are not `wanted`. Such a line leaves its end, so that the numbers of lines stay, and
 * one that was cut its beginning, so that a reader sees the cut. `onLeftOut` is told of the first. The memory of a chunk is given back when the
 * next is asked for: nobody else may hold it.
 */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  fields: TableFields,
  wanted: ReadonlySet<string>,
  onLeftOut: () => void,
): AsyncGenerator<Uint8Array> {
  const lines = new LinesOf(fields, wanted, onLeftOut)
  for await (const chunk of bytes) {
    const given = lines.take(chunk)
    if (given.length > 0) yield given.length === 1 ? given[0]! : Buffer.concat(given)
    giveBack(chunk)
  }
  const cut = lines.end()
  if (cut !== null) yield cut
}

/** Without this V8 collects its whole heap for each 60 MB of chunks, which took a third of the time of reading a table of 75 MB. */
function giveBack({ buffer, byteLength }: Uint8Array): void {
  // a part of a larger buffer is not ours alone
  if (buffer instanceof ArrayBuffer && byteLength > 0 && byteLength === buffer.byteLength) buffer.transfer(0)
}

const EMPTY = Buffer.alloc(0)
const NO_LINE = { isWanted: null, beginning: EMPTY }

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

function newlines(count: number): Uint8Array[] {
  return count === 0 ? [] : [new Uint8Array(count).fill(NEWLINE)]
}

/** Length, first and last byte as a number: few names have it in common, and nearly all lines are told by it. */
function outlineOf(bytes: Buffer, from: number, to: number): number {
  return ((to - from) << 16) | (bytes[from]! << 8) | bytes[to - 1]!
}

/** The first two bytes as a number. */
function beginningOf(bytes: Uint8Array, from: number): number {
  return (bytes[from]! << 8) | bytes[from + 1]!
}

/** Looks at bytes: a table may have 180,000 lines, of which one in thirty is wanted. */
class LinesOf {
  readonly #fields: TableFields
  readonly #last: number
  /** The names of the metrics by `outlineOf` them. */
  readonly #names: ReadonlyMap<number, readonly Buffer[]>
  /** 1 at `beginningOf` a line of them, where it begins with its metric: most lines are told by it. */
  readonly #beginnings = new Uint8Array(2 ** 16)
  readonly #onLeftOut: () => void
  readonly #queries = new Set<string>()
  /** Test and index of the line before, from the tab before to the tab behind them, and how far from its end they begin. */
  #before: { readonly query: Buffer; readonly fromEnd: number } = { query: EMPTY, fromEnd: 0 }
  /** The line that goes on in the next chunk: whether it is wanted (null: its fields have not ended), and its first bytes. */
  #open: { readonly isWanted: boolean | null; readonly beginning: Buffer } = NO_LINE
  #hasLeftOut = false

  constructor(fields: TableFields, wanted: ReadonlySet<string>, onLeftOut: () => void) {
    this.#fields = fields
    this.#last = fields.test === undefined ? fields.metric : fields.test + 1
    this.#names = Map.groupBy(
      [...wanted].map((name) => Buffer.from(name)),
      (name) => outlineOf(name, 0, name.length),
    )
    for (const name of wanted) this.#beginnings[beginningOf(Buffer.from(`${name}\t`), 0)] = 1
    this.#onLeftOut = onLeftOut
  }

  /** The wanted bytes of the next chunk, in pieces. */
  take(chunk: Uint8Array): Uint8Array[] {
    if (chunk.length === 0) return []
    const piece = asBuffer(this.#open.isWanted === null ? Buffer.concat([this.#open.beginning, chunk]) : chunk)
    const given: Uint8Array[] = []
    let ends = 0
    let start = 0
    let from = 0
    let { isWanted, beginning } = this.#open
    this.#open = NO_LINE
    while (start < piece.length) {
      const end = piece.indexOf(NEWLINE, start)
      const to = end === -1 ? piece.length : end
      if (start > 0 || isWanted === null) {
        isWanted = this.#isWanted(piece, start, to)
        beginning = EMPTY
      }
      if (end === -1) {
        if (isWanted === null && to - start >= LONGEST_BEGINNING) isWanted = true
        if (isWanted !== true && beginning.length === 0)
          beginning = Buffer.from(piece.subarray(start, start + LONGEST_BEGINNING))
        this.#open = { isWanted, beginning }
      }
      if (isWanted === false || (isWanted === null && end === -1)) {
        if (from < start) {
          given.push(...newlines(ends), piece.subarray(from, start))
          ends = 0
        }
        from = end === -1 ? to : end + 1
        if (end !== -1) ends += 1
        if (isWanted === false && !this.#hasLeftOut) {
          this.#hasLeftOut = true
          this.#onLeftOut()
        }
      }
      start = to + 1
    }
    given.push(...newlines(ends))
    if (from < piece.length) given.push(piece.subarray(from))
    return given
  }

  /** The beginning of a last line without an end that is not wanted, or has not named its metric; null: there is none. */
  end(): Uint8Array | null {
    const { isWanted, beginning } = this.#open
    return isWanted === true || beginning.length === 0 ? null : beginning
  }

  /** null: the line has not so many fields that end before `to`. */
  #isWanted(piece: Buffer, start: number, to: number): boolean | null {
    const { metric, test = -1 } = this.#fields
    const isOfAnother = metric === 0 && this.#beginnings[beginningOf(piece, start)] === 0
    if (isOfAnother && this.#endsAsBefore(piece, start, to)) return false
    let from = start
    let query = start
    let isOfMetric = false
    for (let at = start, field = 0; at < to; at += 1) {
      if (piece[at] !== TAB) continue
      if (field === metric) {
        isOfMetric = this.#isNamed(piece, from, at)
        if (this.#endsAsBefore(piece, at, to)) return isOfMetric
      }
      if (field === test) query = from
      if (field === this.#last) {
        if (test === -1) return isOfMetric
        this.#before = { query: Buffer.from(piece.subarray(query - 1, at + 1)), fromEnd: to - query + 1 }
        return this.#isFirst(piece, query, at) || isOfMetric
      }
      field += 1
      from = at + 1
    }
    return null
  }

  /** Apart from the loop that asks: a closure in there takes a kilobyte for each line. */
  #isNamed(piece: Buffer, from: number, to: number): boolean {
    const alike = this.#names.get(outlineOf(piece, from, to))
    return alike?.some((name) => piece.compare(name, 0, name.length, from, to) === 0) ?? false
  }

  /**
   * The text behind test and index is the same in each line of a query, so that these stand as far before its end: most lines are told so. The
   * fields between metric and test are numbers, and none is taken for the name of a test.
   */
  #endsAsBefore(piece: Buffer, after: number, to: number): boolean {
    const { query, fromEnd } = this.#before
    const start = to - fromEnd
    if (start < after || fromEnd === 0) return false
    for (let i = 0; i < query.length; i += 1) if (piece[start + i] !== query[i]) return false
    return true
  }

  /** Whether no line before was of the query whose test and index stand there. */
  #isFirst(piece: Buffer, from: number, to: number): boolean {
    const key = piece.toString('latin1', from, to)
    if (this.#queries.has(key)) return false
    if (this.#queries.size < MOST_QUERIES) this.#queries.add(key)
    return true
  }
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
