import { parseIndex, unescapeTsv } from '../fields.ts'
import type { TableProfile } from '../profiles.ts'
import type { Side } from '../run.ts'
import { ownCopy, type StackCounts, splitLine } from '../stack-counts.ts'
import { TRACE_TYPES, type TraceType } from '../trace-type.ts'
import { type Contribution, type Format, type MemberReader, NOTHING, type ReaderContext } from './format.ts'

const TABLE = /^stacks\.(?<side>left|right)\.tsv$/
const OF_QUERY = /^(?<key>.+)\.stacks\.(?<side>left|right)\.tsv$/

/**
 * The stacks that ClickHouse's profilers saw while the queries ran, in `report/` beside the raw files:
 * `stacks.left.tsv` of the old build and `stacks.right.tsv` of the new one, and the same in a file for each query and
 * trace type.
 */
export const clickhouseStacks: readonly Format[] = [
  format(TABLE, 'stacks.left.tsv, stacks.right.tsv', (context, side) => new TableReader(context, side)),
  format(OF_QUERY, '<query>.stacks.left.tsv', (context, side, key) => new QueryReader(context, side, key)),
]

function format(
  name: RegExp,
  looksFor: string,
  reader: (context: ReaderContext, side: Side, key: string) => MemberReader,
): Format {
  return {
    name: 'clickhouse-raw',
    companion: true,
    // An empty file says that nothing looked changed, or that the profiler saw nothing on this side.
    mayBeEmpty: true,
    looksFor,
    oneSided: false,
    matchesName: (fileName) => (name.test(fileName) ? 'yes' : 'no'),
    matchesContent: () => false,
    claim: (fileName) => fileName,
    reader(context) {
      const { key = '', side } = name.exec(context.fileName)?.groups ?? {}
      return reader(context, side === 'left' ? 'old' : 'new', key)
    },
  }
}

/** Names of tests are those of files. */
const LONGEST_TEST = 1000

const CUT = 'the last line has no newline, so it may be cut off: skipped'
const NO_STACK_AND_COUNT = 'not a stack followed by a whole count: skipped'

/** test, query_index, trace_type, query_display_name, readable_trace, count; the lines of a query stand together. */
class TableReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #side: Side
  readonly #profiles = new Map<string, TableProfile>()
  /** The first four fields of the line before with the tab behind them. */
  #prefix: string | null = null
  /** The trace type that they name; null where it is not known. */
  #profile: TableProfile | null = null
  #isCut = false

  constructor(context: ReaderContext, side: Side) {
    this.#context = context
    this.#side = side
  }

  line(text: string, number: number, ended: boolean): void {
    if (text === '') return
    if (!ended) {
      this.#isCut = true
      this.#context.warn('truncated-line', number, CUT)
      return
    }
    if (this.#prefix === null || !text.startsWith(this.#prefix)) {
      const reason = this.#begin(text)
      if (reason !== null) {
        this.#context.warn('malformed-line', number, reason)
        return
      }
    }
    if (this.#profile === null) return
    const start = this.#prefix!.length
    const tab = text.lastIndexOf('\t')
    const count = tab < start || text.indexOf('\t', start) !== tab ? null : parseCount(text.slice(tab + 1))
    if (count === null || !addStack(this.#context, this.#profile.counts, text.slice(start, tab), count)) {
      this.#context.warn('malformed-line', number, NO_STACK_AND_COUNT)
    }
  }

  end(stopped: boolean): Contribution {
    const isWhole = !stopped && !this.#isCut
    // where the file ends too early, so do the stacks of the query that it ends in
    if (!isWhole && this.#profile !== null) this.#profiles.delete(keyOf(this.#profile))
    const { where } = this.#context
    if (isWhole) this.#context.stacks.gotTable(this.#side)
    return {
      ...NOTHING,
      stacks: { kind: 'table', side: this.#side, where, isWhole, profiles: [...this.#profiles.values()] },
    }
  }

  /** Another query or trace type; gives what is wrong with the line, or null. */
  #begin(text: string): string | null {
    this.#prefix = null
    this.#profile = null
    let end = -1
    for (let field = 0; field < 4; field += 1) {
      end = text.indexOf('\t', end + 1)
      if (end === -1) return 'fewer than six fields: skipped'
    }
    const prefix = text.slice(0, end + 1)
    const [test = '', index, type = ''] = prefix.split('\t', 3)
    const queryIndex = parseIndex(index)
    if (test === '' || test.length > LONGEST_TEST || queryIndex === null) return 'no test and query: skipped'
    const traceType = traceTypeOf(type)
    if (traceType === null) this.#warnOfType(type)
    else this.#profile = this.#profileOf({ test: unescapeTsv(test), queryIndex, traceType })
    this.#prefix = prefix
    return null
  }

  #profileOf(id: Omit<TableProfile, 'counts'>): TableProfile {
    const key = keyOf(id)
    const known = this.#profiles.get(key)
    if (known !== undefined) return known
    const profile: TableProfile = { ...id, test: ownCopy(id.test), counts: this.#context.stacks.open() }
    this.#profiles.set(key, profile)
    return profile
  }

  #warnOfType(type: string): void {
    if (!this.#context.stacks.isNewUnknownType(type)) return
    this.#context.warn('invalid-value', null, `stacks of the unknown trace type "${type}": skipped`)
  }
}

/** `frame;frame;frame COUNT` a line; the name of the file says of which query. */
class QueryReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #side: Side
  readonly #key: string
  #counts: StackCounts | null = null
  #isCut = false

  constructor(context: ReaderContext, side: Side, key: string) {
    this.#context = context
    this.#side = side
    this.#key = key
  }

  line(text: string, number: number, ended: boolean): void {
    // the tables have all of it
    if (text === '' || this.#context.stacks.hasTables()) return
    if (!ended) {
      this.#isCut = true
      this.#context.warn('truncated-line', number, CUT)
      return
    }
    this.#counts ??= this.#context.stacks.open()
    const found = splitLine(text)
    const isRead =
      found !== null && Number.isInteger(found.count) && addStack(this.#context, this.#counts, found.stack, found.count)
    if (!isRead) this.#context.warn('malformed-line', number, NO_STACK_AND_COUNT)
  }

  end(stopped: boolean): Contribution {
    const isWhole = !stopped && !this.#isCut
    const { where } = this.#context
    return {
      ...NOTHING,
      stacks: { kind: 'query', side: this.#side, where, isWhole, key: this.#key, counts: this.#counts },
    }
  }
}

function keyOf({ test, queryIndex, traceType }: Omit<TableProfile, 'counts'>): string {
  return `${queryIndex} ${traceType} ${test}`
}

function traceTypeOf(text: string): TraceType | null {
  return TRACE_TYPES.find((type) => type === text) ?? null
}

function parseCount(text: string): number | null {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(count) ? count : null
}

/** Line ends and tabs that were escaped would be such in a file of folded stacks. */
const CONTROL = /\p{Cc}/gu

/** False for an empty stack. Nothing is kept of one that was never seen. */
function addStack({ stacks }: ReaderContext, counts: StackCounts, escaped: string, count: number): boolean {
  const stack = escaped.includes('\\') ? unescapeTsv(escaped).replaceAll(CONTROL, ' ') : escaped
  if (stack.trim() === '') return false
  if (count > 0) stacks.add(counts, stack, count)
  return true
}
