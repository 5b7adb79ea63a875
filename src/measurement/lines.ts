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

/** The fields of a table's lines, counted from 0, by which it is decided whether a line is read. */
export interface TableFields {
  readonly metric: number
  /** Where the test stands, its index behind it: the first line of each query is read whatever its metric, so that none is missed. */
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
 * one that was cut its beginning, so that a reader sees the cut. `onLeftOut` is told of the first.
 */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  fields: TableFields,
  wanted: ReadonlySet<string>,
  onLeftOut: () => void,
): AsyncGenerator<Uint8Array> {
  const lines = new LinesOf(fields, wanted)
  /** The line that goes on in the next chunk: whether it is wanted (null: its fields have not ended), and its first bytes. */
  let open: { readonly isWanted: boolean | null; readonly beginning: Buffer } = NO_LINE
  let hasLeftOut = false
  for await (const chunk of bytes) {
    if (chunk.length === 0) continue
    const piece = asBuffer(open.isWanted === null ? Buffer.concat([open.beginning, chunk]) : chunk)
    const given: Uint8Array[] = []
    let ends = 0
    let start = 0
    let from = 0
    const give = (to: number) => {
      if (from === to) return
      if (ends > 0) given.push(new Uint8Array(ends).fill(NEWLINE))
      given.push(piece.subarray(from, to))
      ends = 0
    }
    let { isWanted, beginning } = open
    open = NO_LINE
    while (start < piece.length) {
      const end = piece.indexOf(NEWLINE, start)
      const to = end === -1 ? piece.length : end
      if (start > 0 || isWanted === null) {
        isWanted = lines.isWanted(piece, start, to)
        beginning = EMPTY
      }
      if (end === -1) {
        if (isWanted === null && to - start >= LONGEST_BEGINNING) isWanted = true
        if (isWanted !== true && beginning.length === 0)
          beginning = Buffer.from(piece.subarray(start, start + LONGEST_BEGINNING))
        open = { isWanted, beginning }
      }
      if (isWanted === false || (isWanted === null && end === -1)) {
        give(start)
        from = end === -1 ? to : end + 1
        if (end !== -1) ends += 1
        if (isWanted === false && !hasLeftOut) onLeftOut()
        hasLeftOut ||= isWanted === false
      }
      start = to + 1
    }
    give(piece.length)
    if (ends > 0) given.push(new Uint8Array(ends).fill(NEWLINE))
    if (given.length > 0) yield given.length === 1 ? given[0]! : Buffer.concat(given)
  }
  if (open.isWanted !== true && open.beginning.length > 0) yield open.beginning
}

const EMPTY = Buffer.alloc(0)
const NO_LINE = { isWanted: null, beginning: EMPTY }

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

/** Looks at bytes: a table may have 180,000 lines, of which one in thirty is wanted. */
class LinesOf {
  readonly #fields: TableFields
  readonly #last: number
  /** The names of the metrics by their length. */
  readonly #names: ReadonlyMap<number, readonly Buffer[]>
  readonly #queries = new Set<string>()
  /** Where the line before stands, from its test on. */
  #before: { readonly piece: Buffer; readonly from: number; readonly to: number } = { piece: EMPTY, from: 0, to: 0 }

  constructor(fields: TableFields, wanted: ReadonlySet<string>) {
    this.#fields = fields
    this.#last = Math.max(fields.metric, (fields.test ?? -1) + 1)
    this.#names = Map.groupBy(
      [...wanted].map((name) => Buffer.from(name)),
      ({ length }) => length,
    )
  }

  /** null: the line has not so many fields that end before `to`. */
  isWanted(piece: Buffer, start: number, to: number): boolean | null {
    const { metric, test = -1 } = this.#fields
    let from = start
    let query = start
    let isOfMetric = false
    for (let at = start, field = 0; at < to; at += 1) {
      if (piece[at] !== TAB) continue
      if (field === metric) {
        isOfMetric = (this.#names.get(at - from) ?? []).some((name) =>
          name.every((byte, i) => byte === piece[from + i]),
        )
        if (metric < test && this.#endsAsBefore(piece, at, to)) return isOfMetric
      }
      if (field === test) query = from
      if (field === this.#last) {
        if (test === -1) return isOfMetric
        this.#before = { piece, from: query, to }
        return this.#isFirst(piece, query, at) || isOfMetric
      }
      field += 1
      from = at + 1
    }
    return null
  }

  /** A line that is the same from its test on is of the same query: most are, and so many bytes are compared at once. */
  #endsAsBefore(piece: Buffer, after: number, to: number): boolean {
    const { piece: of, from, to: end } = this.#before
    const start = to - (end - from)
    return start > after && end > from && piece[start - 1] === TAB && of.compare(piece, start, to, from, end) === 0
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
