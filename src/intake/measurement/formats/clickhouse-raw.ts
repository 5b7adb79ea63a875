import { Draft } from '../draft.ts'
import { parseIndex, parseSample, unescapeTsv } from '../fields.ts'
import { PRIMARY_METRIC, type Side } from '../run.ts'
import { type RunNotes, slowOnClient } from '../run-notes.ts'
import { type Contribution, type Format, type MemberReader, NOTHING, type ReaderContext } from './format.ts'

/**
 * `<test>-raw.tsv`, what ClickHouse's perf.py prints: one record a line, the record's type first, fields separated by
 * tabs. Server 0 is the old one, server 1 the new one; times are seconds.
 */
export const clickhouseRaw: Format = {
  name: 'clickhouse-raw',
  companion: false,
  looksFor: '<test>-raw.tsv',
  oneSided: false,
  matchesName: (fileName) => (fileName.endsWith(ENDING) && fileName.length > ENDING.length ? 'yes' : 'no'),
  matchesContent(head) {
    const line = head.split('\n', 50).find((text) => text.trim() !== '')
    return line?.includes('\t') === true && RECORDS.has(line.slice(0, line.indexOf('\t')))
  },
  claim: (fileName) => testName(fileName),
  reader: (context) => new RawReader(context),
}

const ENDING = '-raw.tsv'

const RECORDS: ReadonlySet<string> = new Set([
  'stage',
  'server',
  'drop',
  'create',
  'report-threshold',
  'skipped',
  'display-name',
  'prewarm',
  'partial',
  'query',
  'client-time',
  'median',
  'diff',
  'profile',
  'profile-total',
  'run-error',
])

/** Queries of a test that are slow on the client. */
const MOST_CLIENT_TIMES = 1000

/** perf.py cuts names after so many characters and writes `...(<index>)` behind, so that they stay distinct. */
const LONGEST_DISPLAY_NAME = 1000

export function withoutSuffix(name: string, queryIndex: number | null): string {
  const suffix = `...(${queryIndex})`
  const isCut = name.endsWith(suffix) && name.length >= LONGEST_DISPLAY_NAME + suffix.length
  return isCut ? name.slice(0, -suffix.length) : name
}

/** The test is named by the file: `sum-raw.tsv` is the test `sum`. */
function testName(fileName: string): string {
  return fileName.endsWith(ENDING) ? fileName.slice(0, -ENDING.length) : fileName.replace(/\.[^.]*$/, '')
}

function sideOf(server: string | undefined): Side | null {
  if (server === '0') return 'old'
  return server === '1' ? 'new' : null
}

const TAB = 9
const ZERO = 48
const POINT = 46
/** More digits may be more than an exact integer. */
const MOST_DIGITS = 15
const POWERS = Array.from({ length: MOST_DIGITS + 1 }, (_, power) => 10 ** power)

/** Digits of a text from a place on, as `parseIndex` takes them. */
class Digits {
  value = 0
  end = 0

  /** False: there are none, or too many. */
  read(text: string, from: number): boolean {
    let value = 0
    let at = from
    for (; ; at += 1) {
      const digit = text.charCodeAt(at) - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    this.value = value
    this.end = at
    return at > from && at - from <= 9
  }
}

class RawReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #test: string
  readonly #queries = new Map<number, Draft>()
  readonly #skipped: string[] = []
  readonly #notes: RunNotes[] = []
  #errorsOfTest: { side: Side | null; message: string }[] = []
  #reportThreshold: number | null = null

  constructor(context: ReaderContext) {
    this.#context = context
    this.#test = context.budget.keep(testName(context.fileName))
  }

  line(text: string, number: number, ended: boolean): void {
    if (text === '') return
    if (!ended) {
      this.#context.warn('truncated-line', number, 'the last line has no newline, so it may be cut off: skipped')
      return
    }
    if (text.startsWith('query\t') && this.#usualSample(text, number)) return
    const fields = text.split('\t')
    const record: string = fields[0]!
    switch (record) {
      case 'query':
        this.#sample(fields, number)
        break
      case 'display-name':
        this.#displayName(fields, number)
        break
      case 'client-time':
        this.#clientTime(fields)
        break
      case 'prewarm':
        if (this.#query(fields, number) !== null && fields.length < 5) this.#malformed(number, 'prewarm')
        break
      case 'partial':
        this.#partial(fields, number)
        break
      case 'run-error':
        this.#runError(fields, number)
        break
      case 'report-threshold':
        this.#threshold(fields, number)
        break
      case 'skipped':
        if (this.#skipped.length < 10) this.#skipped.push(unescapeTsv(fields.slice(1).join(' ')))
        break
      default:
        // the other records repeat what the samples say, or are about the machine
        if (!RECORDS.has(record)) this.#malformed(number, null)
    }
  }

  end(): Contribution {
    const { budget } = this.#context
    if ((this.#skipped.length > 0 || this.#errorsOfTest.length > 0) && this.#queries.size === 0) {
      this.#queries.set(-1, this.#draft(null))
    }
    for (const query of this.#queries.values()) {
      query.reportThreshold = this.#reportThreshold
      if (query.old.values.length > 0 && query.new.values.length > 0) continue
      for (const reason of this.#skipped) query.problem('skipped', null, reason, budget)
      for (const { side, message } of this.#errorsOfTest) query.problem('run-error', side, message, budget)
    }
    const notes = this.#notes.length > 0 && { notes: this.#notes }
    return { ...NOTHING, drafts: [...this.#queries.values()], ...notes }
  }

  readonly #digits = new Digits()
  /** Beginnings of the ids of samples, by the query's index. */
  readonly #prefixes = new Map<number, string>()

  #prefixOf(index: number): string {
    let prefix = this.#prefixes.get(index)
    if (prefix === undefined) this.#prefixes.set(index, (prefix = `${this.#test}.query${index}.run`))
    return prefix
  }

  /** A sample as the script writes it, read without a string for each field; false: another one, of which nothing was taken. */
  #usualSample(text: string, line: number): boolean {
    const digits = this.#digits
    if (!digits.read(text, 'query\t'.length) || text.charCodeAt(digits.end) !== TAB) return false
    const index = digits.value
    const id = digits.end + 1
    const prefix = this.#prefixOf(index)
    if (!text.startsWith(prefix, id)) return false
    if (!digits.read(text, id + prefix.length) || text.charCodeAt(digits.end) !== TAB) return false
    const repetition = digits.value
    const server = text.charCodeAt(digits.end + 1) - ZERO
    if ((server !== 0 && server !== 1) || text.charCodeAt(digits.end + 2) !== TAB) return false
    let value = 0
    let count = 0
    let decimals = -1
    for (let at = digits.end + 3; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      const digit = code - ZERO
      if (digit >= 0 && digit <= 9) {
        value = value * 10 + digit
        count += 1
        if (decimals >= 0) decimals += 1
      } else if (code === POINT && decimals < 0) decimals = 0
      else return false
    }
    if (count === 0 || count > MOST_DIGITS) return false
    // both are exact, so that their quotient is rounded once
    if (decimals > 0) value /= POWERS[decimals]!
    this.#context.budget.sample()
    const side = server === 0 ? 'old' : 'new'
    if (!this.#at(index)[side].add(value, repetition)) this.#duplicate(text.slice(id, digits.end), side, line)
    return true
  }

  #duplicate(id: string, side: Side, line: number): void {
    this.#context.warn('duplicate-sample', line, `${id} on the ${side} server appears twice: the first one counts`)
  }

  #sample(fields: readonly string[], number: number): void {
    const query = this.#query(fields, number)
    if (query === null) return
    const id = fields[2]
    const side = sideOf(fields[3])
    const text = fields[4]
    if (id === undefined || id === '' || side === null || text === undefined) {
      this.#malformed(number, 'query')
      return
    }
    const value = parseSample(text)
    if (value === null) {
      this.#context.warn('invalid-value', number, `"${text}" is not a number of seconds: skipped`)
      return
    }
    this.#context.budget.sample()
    if (!query[side].add(value, this.#repetition(id, query))) this.#duplicate(id, side, number)
  }

  /** The repetition's number when the id has the usual form `<test>.query<index>.run<number>`, else the id itself. */
  #repetition(id: string, query: Draft): number | string {
    const prefix = `${this.#test}.query${query.queryIndex}.run`
    const number = id.startsWith(prefix) ? parseIndex(id.slice(prefix.length)) : null
    return number ?? this.#context.budget.keep(id)
  }

  /** Of all repetitions together; a wrong one says nothing. */
  #clientTime([, index, client = '', server = '']: readonly string[]): void {
    const queryIndex = parseIndex(index)
    if (queryIndex === null) return
    const found = slowOnClient({ test: this.#test, queryIndex }, parseSample(client), parseSample(server))
    if (found !== null && this.#notes.length < MOST_CLIENT_TIMES) this.#notes.push(found)
  }

  #displayName(fields: readonly string[], number: number): void {
    const query = this.#query(fields, number)
    if (query === null) return
    const name = withoutSuffix(unescapeTsv(fields.slice(2).join('\t')), query.queryIndex)
    if (name === '' || name === query.queryName) return
    if (query.queryName !== null) {
      this.#context.warn(
        'malformed-line',
        number,
        `query ${query.queryIndex} already has another name: the first one counts`,
      )
      return
    }
    query.queryName = this.#context.budget.keep(name)
  }

  #partial(fields: readonly string[], number: number): void {
    const servers = /^\[\s*([01](?:\s*,\s*[01])*)?\s*\]$/.exec(fields[2] ?? '')
    const query = this.#query(fields, number)
    if (query === null) return
    if (servers === null) {
      this.#malformed(number, 'partial')
      return
    }
    const works = servers[1] ?? ''
    const { budget } = this.#context
    if (works.includes('0') && works.includes('1')) return
    if (works.includes('1')) query.problem('partial', 'old', 'works on the new server only', budget)
    else if (works.includes('0')) query.problem('partial', 'new', 'works on the old server only', budget)
    else query.problem('partial', null, 'works on neither server', budget)
  }

  #runError(fields: readonly string[], number: number): void {
    const { budget, warn } = this.#context
    const index = parseIndex(fields[1])
    const side = sideOf(fields[2])
    if (index === null && fields.length < 3) {
      this.#malformed(number, 'run-error')
      return
    }
    const message = unescapeTsv(fields.slice(index === null ? 1 : side === null ? 2 : 3).join(' '))
    if (index === null) {
      if (this.#errorsOfTest.length < 10) this.#errorsOfTest.push({ side, message: budget.keep(message) })
      warn('run-error', number, message)
    } else if (this.#at(index).problem('run-error', side, message, budget)) {
      warn('run-error', number, `query ${index}${side === null ? '' : ` on the ${side} server`}: ${message}`)
    }
  }

  #threshold(fields: readonly string[], number: number): void {
    const value = parseSample(fields[1] ?? '')
    if (value === null || !(value >= 0) || value === Number.POSITIVE_INFINITY) {
      this.#context.warn('invalid-value', number, `"${fields[1] ?? ''}" is not a threshold, so the test has none`)
      return
    }
    this.#reportThreshold = value
  }

  /** The query that the record is about, by its second field. */
  #query(fields: readonly string[], number: number): Draft | null {
    const index = parseIndex(fields[1])
    if (index !== null && fields.length > 2) return this.#at(index)
    this.#malformed(number, fields[0]!)
    return null
  }

  #at(index: number): Draft {
    const known = this.#queries.get(index)
    if (known !== undefined) return known
    const query = this.#draft(index)
    this.#queries.set(index, query)
    return query
  }

  #draft(queryIndex: number | null): Draft {
    this.#context.budget.measurement()
    const id = { test: this.#test, queryIndex, queryName: null, metric: PRIMARY_METRIC, architecture: null }
    const draft = new Draft(id, 's', false)
    // the script asks one server and then the other, run by run
    draft.clock = true
    return draft
  }

  #malformed(number: number, record: string | null): void {
    const what = record === null ? 'this is not a known record' : `the fields of this ${record} record are wrong`
    this.#context.warn('malformed-line', number, `${what}: skipped`)
  }
}
