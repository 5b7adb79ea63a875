import {
  COMMAND_FAILED,
  isBareMessage,
  isCutMark,
  isFramingLine,
  isIdleLine,
  isStatusOf,
} from './lines-without-reason.ts'
import { cleanLine } from './normalize-line.ts'
import { isClickHouseFrame } from './stack-trace-id.ts'

/** Enough candidates that three are left when those that say the same are one. */
const MOST_CANDIDATES = 12

/** A status repeated in the output tells no more than the status does. */
const SAYS_NOTHING =
  /^(?:● |\d{1,6}\) )?(?:(?:the )?(?:test suite|test|check|job|step) )?(?:fail|failed|failure|error|errored|null|none|undefined|n\/a)(?: to run)?[.:!]?$/i

// After a single space it is a line of a result that a difference shows unchanged.
const TIMESTAMP =
  /^(?! \S)\s{0,8}\[?\d{4}[-./]\d{2}[-./]\d{2}[ T]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?\]? ?/
/** The prefix that the server puts before that, where the client shows it, and the client's own time once more. */
const HOST = /^\[[\w.-]{1,64}\] (?=\d{4}\.\d{2}\.\d{2} )/
/** Thread and query of a line of the server's log. */
const THREAD = /^\s?\[ ?\d{1,10} ?\](?: \{[^{}]{0,64}\})?/

/** The lines with what the runner and the server's log put before each taken off; what is left keeps its indent. */
export function withoutPrefixes(lines: readonly string[]): readonly string[] {
  return lines.map((line) => {
    const said = line.replace(TIMESTAMP, '')
    const logged = said.replace(HOST, '')
    return (logged === said ? said : logged.replace(TIMESTAMP, '')).replace(THREAD, '')
  })
}

/**
 * `message`: of it the words count. `comparison`: it says what was expected and what was there, and its values count as
 * well; `value`: one such side alone; `source`: the statement that failed. `difference`: one side of a difference between two files, beginning with its `-` or
 * `+`. `place`: where it failed, with its number.
 */
export interface FailingLine {
  readonly kind: 'message' | 'comparison' | 'value' | 'source' | 'difference' | 'place'
  readonly text: string
}

/** The lines of an output that are looked at, without prefixes: from its beginning, and to its end. */
export interface OutputLines {
  readonly first: readonly string[]
  /** Cut from the output only where it is asked for. */
  readonly last: () => readonly string[]
}

/**
 * The lines that say why it failed, those first that say it best. Of messages a dozen at most, of a difference all lines.
 *
 * Those that pytest marks with `E`, with the source that it marks with `>`; else those that speak of an error, what stands
 * below a heading, and the difference between two files; the reason that ClickHouse's runner gives comes first. Where none
 * does, or the front of the output was cut off, those at its end.
 *
 * `testName`: empty of a check without a failing test, of which more lines say nothing.
 */
export function failingLines(lines: OutputLines, testName: string): readonly FailingLine[] {
  const found = reasonLines(lines, testName)
  const isBare = testName !== '' && found.every(({ text }) => isBareMessage(text))
  return isBare ? [] : found
}

function reasonLines({ first, last }: OutputLines, testName: string): readonly FailingLine[] {
  const cut = first.findIndex(isCutMark)
  const said = sayingLines(first, testName)
  if (cut >= 0 && reasonsOf(sayingLines(first.slice(0, cut), testName)).length === 0) {
    return distinct(reasonsAtTheEnd(sayingLines(last(), testName)))
  }
  const found = reasonsOf(said)
  if (found.length > 0) return distinct(withPlace(found, first, testName))
  const source = said.find((line) => /^>\s+\S/.test(line))
  const beginning = source ?? said.find((line) => saysAWord(line) && !isFrame(line))
  const inEnd = source === undefined ? reasonsAtTheEnd(sayingLines(last(), testName)) : []
  const all = beginning === undefined ? inEnd : [lineOf(beginning), ...inEnd]
  return distinct(withPlace(all, first, testName))
}

function sayingLines(lines: readonly string[], testName: string): readonly string[] {
  return lines.flatMap((whole) => {
    const line = withoutTool(whole)
    const isEmpty = [...new Set([whole, line, whole.replace(LEVEL, '')])].some((one) => saysNothing(one, testName))
    return REASON.test(line) || !isEmpty ? line : []
  })
}

/**
 * What a tool puts before each of its lines: valgrind the process, cmocka that it is an error, Terraform the frame of a box,
 * insta the numbers of both sides. Gatling counts at the end. Before the first line Maven and sbt have the level, Ginkgo
 * `[FAILED]`.
 */
const TOOL =
  /^(?:==\d{1,10}== ?(?! *(?:ERROR|WARNING):)|\[ {1,4}(?:ERROR|LINE) {1,4}\] --- |[│|] (?=\S| {2})|[\d ]{1,30}│ {0,2}(?=[-+]))/
const COUNT_OF_GATLING = / {2,40}\d{1,9} {1,4}\( ?\d{1,3}(?:\.\d{1,2})?%\)$/
const LEVEL = /^(?:\[(?:ERROR|INFO|WARN(?:ING)?)\]|\s{0,8}\[FAILED\]) /i

/** A level stays where nothing else tells of an error. */
function withoutTool(whole: string): string {
  const line = whole.replace(TOOL, '').replace(COUNT_OF_GATLING, '')
  const said = line.replace(LEVEL, '')
  return said === line ||
    !saysAWord(said) ||
    isTelling(said) ||
    headingOf(said.trim(), false) !== null ||
    !isTelling(line)
    ? said
    : line
}

/** A status once again, what a framework writes around every failure, how much was cut off, or the name of the test. */
function saysNothing(line: string, testName: string): boolean {
  const text = line.trim()
  return (
    SAYS_NOTHING.test(text) ||
    isFramingLine(text) ||
    isIdleLine(text, testName) ||
    isCutMark(text) ||
    isStatusOf(text, testName)
  )
}

function saysAWord(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line)
}

function reasonsOf(said: readonly string[]): readonly FailingLine[] {
  const marked = markedLines(said)
  return marked.length > 0 ? marked : tellingLines(said)
}

/** Under pytest's comparison: how to see more of it. */
const MARKED_ADVICE =
  /^(?:Use -v|Omitting \d|Full diff:|\.\.\.Full output|\(pytest|Skipping \d|Matching attributes:|\['|Drill down)/

/**
 * Those that pytest marks: the source that failed, the first line and the last one, which is the reason where one error
 * tells of another, and the lines between.
 */
function markedLines(said: readonly string[]): readonly FailingLine[] {
  const marks = said.flatMap((line, at) => {
    const text = /^\s{0,32}E\s+(\S.*)$/.exec(line)?.[1]
    return text === undefined || MARKED_ADVICE.test(text) ? [] : { text, at }
  })
  const [begin] = marks
  if (begin === undefined) return []
  const source = said.slice(0, begin.at).findLast((line) => /^>\s+\S/.test(line))
  // Lines that pytest marks after a comparison explain it: where a value came from, which items differ.
  const kind = marks.some(({ text }) => comparesValues(text)) ? 'comparison' : 'message'
  const ordered = kind === 'comparison' ? marks : [begin, marks.at(-1)!, ...marks.slice(1, -1)]
  const texts = ordered.map(({ text }): FailingLine => ({ kind, text }))
  return source === undefined ? texts : [{ kind: 'source', text: source.replace(/^>\s+/, '') }, ...texts]
}

function lineOf(text: string): FailingLine {
  return { kind: comparesValues(text) ? 'comparison' : 'message', text }
}

/** The same message again and again is one of a retrying test; in a difference it is another result. */
function distinct(lines: readonly FailingLine[]): readonly FailingLine[] {
  const seen = new Set<string>()
  const kept: FailingLine[] = []
  for (const line of lines) {
    const clean = cleanLine(line.text)
    if (line.kind === 'difference') kept.push(line)
    else if (clean !== '' && !seen.has(clean) && seen.size < MOST_CANDIDATES) {
      seen.add(clean)
      kept.push({ kind: line.kind, text: clean })
    }
  }
  return kept
}

/**
 * Of an output whose beginning is missing or says nothing: the last lines that belong together and speak of an error, and
 * the very last one. What stood before them is what happened on the way.
 */
function reasonsAtTheEnd(said: readonly string[]): readonly FailingLine[] {
  const marked = markedLines(said)
  if (marked.length > 0) return marked
  const last = said.findLast((line) => saysAWord(line) && !isFrame(line))
  const found = positionedReasons(said)
  const end = found.at(-1)
  if (end === undefined) return last === undefined ? [] : [lineOf(last)]
  let from = found.length - 1
  while (from > 0 && found[from - 1]!.at >= found[from]!.at - 1) from -= 1
  const together = found.slice(from).map(({ line }) => line)
  const group = together.some(({ kind }) => kind !== 'message') ? together : together.slice(-MOST_AT_THE_END)
  return last === undefined || said.lastIndexOf(last) <= end.at ? group : [...group, lineOf(last)]
}

const MOST_AT_THE_END = 2

const TELLING =
  /assert|error|exception|fail|panic|fatal|expect|received|\bgot\b|\bwant\b|time-?out|timed? out|mismatch|killed|sanitizer|segmentation|data race|undefined (?:reference|symbol)|unresolved|invalid (?:read|write|free)|uninitiali[sz]ed|(?:definitely|indirectly|possibly) lost|overflowed|\bnot (?:equal|found)\b|\bdid not contain\b|\b(?:REQUIRE|CHECK)(?:_[A-Z]{1,20}){0,4} ?\(/i

/** The reason that ClickHouse's runner gives before it shows a failure; older ones give it without `Reason:`. */
const REASON =
  /^\s?(?:Reason: \S|(?:- )?(?:result differs with reference|having stderror|having (?:having )?exception|return code:? *-?\d|server died|Timeout!|Test runs too long|Internal query|Test internal error))/
/** Drawn anew for each run, and their names hold words that are looked for. */
const SETTINGS = /^\s?Settings used in the test:/

function tellingLines(said: readonly string[]): readonly FailingLine[] {
  const all = positionedReasons(said)
  const found = all.map(({ line }) => line)
  const isReason = ({ text }: FailingLine) => REASON.test(text)
  // Before the difference that stands above them.
  const words = all.filter(({ at }) => MESSAGES.test(said[at]!.trim())).map(({ line }) => line)
  const rest = found.filter((line) => !isReason(line) && !words.includes(line))
  return [...found.filter(isReason), ...sourceOf(said, found), ...words, ...wordsAbove(said, all), ...rest]
}

/** More lines are what the test printed. */
const MOST_ABOVE = 3

/** What the test itself says of a comparison: right above its first line, as PHPUnit, minitest, NUnit and others have it. */
function wordsAbove(said: readonly string[], all: readonly PositionedLine[]): readonly FailingLine[] {
  const first = all.find(({ line: { kind, text } }) => /comparison|value/.test(kind) || FAILED_ASSERTING.test(text))
  if (first === undefined) return []
  const isBelowHeading = headingOf((said[first.at - 1] ?? '').trim(), false)?.isBare === true
  const end = isBelowHeading ? first.at - 1 : first.at
  let from = end
  while (from > 0 && isOwnWord(said[from - 1]!)) from -= 1
  const words = said.slice(from, end)
  return words.length > MOST_ABOVE ? [] : words.map((text): FailingLine => ({ kind: 'message', text: text.trim() }))
}

/** A log, which other threads write as well. */
const LOGGED = /\b(?:TRACE|DEBUG|INFO|WARN(?:ING)?)\b/
const ENDS_WITH_PLACE = /\S:\d{1,6}(?::\d{1,6})?[\])]?:?$/
const FAILED_ASSERTING = /^Failed asserting that /

function isOwnWord(line: string): boolean {
  const text = line.trim()
  return (
    saysAWord(text) &&
    !isTelling(line) &&
    !isFrame(line) &&
    !ENDS_WITH_PLACE.test(text) &&
    !PLACE_BEFORE.test(line) &&
    !LOGGED.test(text) &&
    headingOf(text, false) === null
  )
}

/** The reason stands below a heading that was read: lines of it that are left, and whether they are sides of a comparison. */
interface Below {
  readonly kind: 'message' | 'value'
  readonly left: number
  readonly isBegun: boolean
}

/** Both sides of a comparison of GoogleTest are four, with the words that a test adds. */
const MOST_BELOW = 6

interface PositionedLine {
  readonly at: number
  readonly line: FailingLine
}

function positionedReasons(lines: readonly string[]): readonly PositionedLine[] {
  const found: PositionedLine[] = []
  let difference: 'none' | 'flush' | 'indented' = 'none'
  let afterFrame = false
  let below = null as Below | null
  for (const [at, whole] of lines.entries()) {
    const line = whole.replace(TESTIFY_CONTINUED, '')
    const next = (lines[at + 1] ?? '').replace(TESTIFY_CONTINUED, '')
    const indent = /^\s{0,32}/.exec(line)![0].length
    if (indent > 0 && startsDifference(line.slice(indent), next.slice(indent))) {
      difference = 'indented'
      continue
    }
    if (difference === 'indented' && isSecondHeader(line.trim(), (lines[at - 1] ?? '').trim())) continue
    if (
      startsDifference(line, next) ||
      (difference === 'flush' && isSecondHeader(line, lines[at - 1]?.replace(TESTIFY_CONTINUED, '') ?? ''))
    ) {
      difference = 'flush'
      continue
    }
    if (difference === 'flush' && (/^[-+ \t\\─]/.test(line) || (line === '' && /^[-+ \t@]/.test(next)))) {
      if (/^[-+]/.test(line)) found.push({ at, line: { kind: 'difference', text: line } })
      continue
    }
    if (
      difference === 'indented' &&
      (line.trim() === '' || (/^[-+<>\s]/.test(line) && !isFrame(line) && !PLACE_BEFORE.test(line)))
    ) {
      const changed = /^\s{0,32}([-+<>].*)$/.exec(line)?.[1]
      if (changed !== undefined) found.push({ at, line: { kind: 'difference', text: withSign(changed) } })
      continue
    }
    difference = 'none'
    // Under a frame of Python stands its source, which may well hold the word that is looked for.
    const isSource = afterFrame && /^\s{4}/.test(line)
    afterFrame = PYTHON_FRAME.test(line)
    const text = line.trim()
    if (startsIndentedDifference(text)) {
      difference = 'indented'
      below = null
      if (saysAWord(text.replace(MARKS_SIDES, '')) && isTelling(text) && !/^\+/.test(text))
        found.push({ at, line: lineOf(text) })
      continue
    }
    if (isSource || CARETS.test(next)) continue
    if (at > 0 && text === BOX_BEGINS && lines[at + 2]?.trim() === BOX_ENDS)
      found.push({ at: at - 1, line: { kind: 'value', text: lines[at - 1]!.trim() } })
    if (text === BOX_ENDS && lines[at - 2]?.trim() === BOX_BEGINS) below = { kind: 'value', left: 1, isBegun: false }
    if (text === '' || !saysAWord(text)) {
      if (text === '' && below?.isBegun === true) below = null
      continue
    }
    const heading = REASON.test(line) ? null : headingOf(text, below !== null)
    if (heading !== null) {
      if (!heading.isBare) found.push({ at, line: lineOf(text) })
      below = { kind: heading.below, left: heading.left ?? MOST_BELOW, isBegun: false }
    } else if (isFrame(line) || SETTINGS.test(line)) {
      below = null
    } else if (MESSAGES.test(text)) {
      found.push({ at, line: { kind: 'message', text: text.replace(MESSAGES, '') } })
    } else if (REASON.test(line)) {
      found.push({ at, line: { kind: 'message', text: line } })
      below = text.endsWith(':') ? { kind: 'message', left: 1, isBegun: false } : null
    } else if (below !== null) {
      const kind = below.kind === 'value' ? 'value' : lineOf(text).kind
      found.push({ at, line: { kind: comparesValues(text) ? 'comparison' : kind, text } })
      below = below.left > 1 ? { ...below, left: below.left - 1, isBegun: true } : null
    } else if (isTelling(line)) {
      found.push({ at, line: lineOf(text) })
    }
  }
  return found
}

/** Elm shows what was expected below a box of one line and what was there above it. Terraform's are longer. */
const BOX_BEGINS = '╷'
const BOX_ENDS = '╵'

/** Of a difference with `<` and `>` as Rust's `pretty_assertions` writes it. */
function withSign(changed: string): string {
  return changed.replace(/^[<>]/, (side) => (side === '<' ? '-' : '+'))
}

function isTelling(line: string): boolean {
  return (TELLING.test(line) || comparesValues(line)) && !SETTINGS.test(line)
}

/** Rust since 1.73: the message stands below. */
const PANICKED = /^thread '.{0,300}' (?:\(\d{1,20}\) )?panicked at (\S{1,300}:\d{1,9}:\d{1,9}):$/
/** `cart_test.cpp:20: FAILED:` of Catch2, `cart_test.cc:15: Failure` of GoogleTest, `Error:` of testify and of many. */
const FAILED_AT =
  /^(?:\S{1,300}(?::\d{1,6}|\(\d{1,6}\)):? ?)?(?:FAILED|Failure|Failed|Error|Caused by|Exception|Reason|Messages?|Details?|Assertion failed|Test failed)[:.]?$/i
/** Of its words alone: `Expected equality of these values:`, `with expansion:`, `due to unexpected exception with message:`. */
const WORDS_ONLY = /^[-*#]{0,4} ?\p{L}[\p{L} ,'/-]{0,90}:$/u
/** Gomega and Shouldly, which end without a colon. */
const VALUE_BELOW = /^(?:Expected|should (?:not )?\p{L}[\p{L} ]{1,60}|but was(?: not)?)$/u
/** Headings that are messages of their own: Karate, and xUnit and its like. */
const SAYS_AND_VALUE_BELOW =
  /^(?:\S{1,300}:\d{1,6} - )?match failed: [A-Z_!]{1,40}$|^(?:String|Collection)?Assert\.\w{1,40}\(.{0,200}\) Failure(?:: .{1,200})?$/
/** What a framework kept of the output: `The following output was logged:`. */
const WRITTEN = /\b(?:logged|captured|printed)\b/i
/** javac's, above the line that it could not read. */
const SYMBOL_BELOW = /[\s\]]cannot find symbol$/
const COMPARES_BELOW =
  /expect|equal|actual|values?\b|\bwant|\bgot\b|expansion|contain|match|compar|differ|passed in|\bwas\b|\bto be\b|should/i
const TELLS_BELOW =
  /assert|error|exception|fail|condition|satisf|invo(?:ked|cation)|interaction|call log|messages?\b|reason|caused?\b|unexpected|panic|received/i

interface Heading {
  /** It says no more than that the reason follows. */
  readonly isBare: boolean
  readonly below: Below['kind']
  /** How many lines below it are the reason; `MOST_BELOW` where nothing else is known. */
  readonly left?: number
}

/**
 * A line above the reason. Is: `thread 't' panicked at src/a.rs:1:2:`, `with expansion:`, `Expected equality of these
 * values:`, `org.opentest4j.AssertionFailedError:`, `failed to open "a":`. Is not: `Traceback (most recent call last):`,
 * `Captured stdout:`.
 */
function headingOf(whole: string, isBelow: boolean): Heading | null {
  if (whole.length > LONGEST_READ) return null
  const text = whole.replace(/: ?[-=*~]{3,100}$/, ':')
  if (PANICKED.test(text) || COMMAND_FAILED.test(text) || (FAILED_AT.test(text) && !isFrame(text)))
    return { isBare: true, below: 'message' }
  if (VALUE_BELOW.test(text)) return { isBare: true, below: 'value' }
  if (SAYS_AND_VALUE_BELOW.test(text)) return { isBare: false, below: 'value' }
  if (SYMBOL_BELOW.test(text)) return { isBare: false, below: 'message', left: 1 }
  if (!text.endsWith(':') || isFrame(text) || WRITTEN.test(text)) return null
  const isOfError = /error|exception|fail|panic/i.test(text)
  const below =
    COMPARES_BELOW.test(text) && !/unexpected (?:error|exception)|was thrown/i.test(text) ? 'value' : 'message'
  if (WORDS_ONLY.test(text)) {
    return below === 'value' || TELLS_BELOW.test(text) ? { isBare: !isOfError || text.length < 30, below } : null
  }
  return isTelling(text) || isBelow ? { isBare: false, below } : null
}

/**
 * `--- a` and `+++ b`, `- Expected` and `+ Received` as Jest has it, or `-old snapshot` and `+new results` of insta stand
 * together; alone they are lines like others.
 */
const FIRST_HEADER = /^(?:--- \S|- (?:Expected|Snapshot)\b|-old snapshot$)/
const SECOND_HEADER = /^(?:\+\+\+ \S|\+ (?:Received|Actual)\b|\+new results$)/

function startsDifference(line: string, next: string): boolean {
  return line.startsWith('@@') || (FIRST_HEADER.test(line) && SECOND_HEADER.test(next))
}

function isSecondHeader(line: string, previous: string): boolean {
  return SECOND_HEADER.test(line) && FIRST_HEADER.test(previous)
}

/**
 * `(-want +got):` of go-cmp, `(- actual, + expected):` of AVA and munit; `+ actual - expected` of Node.js and Mocha; Deno's
 * `[Diff] Actual / Expected`; `Diff < left / right > :` of `pretty_assertions`. Their lines are indented as the message is.
 */
const MARKS_SIDES =
  /\([-+] ?\w{1,16}[,|]? ?[-+] ?\w{1,16}\):?$|^\+ (?:actual|expected) - (?:actual|expected)$|^\[Diff\] Actual \/ Expected$|^Diff < left \/ right > ?:$/

function startsIndentedDifference(text: string): boolean {
  return text.length <= LONGEST_READ && MARKS_SIDES.test(text)
}

/** The words that a test adds to what testify says of every comparison. */
const MESSAGES = /^Messages: {1,16}\t? ?(?=\S)/

/** Testify puts it before each line but the first of `Error:` and `Messages:`. */
const TESTIFY_CONTINUED = /^ {0,16}\t {4,16}\t/

/** Where the failure came through, in the words of Java, .NET, JavaScript, Python, Go, Ruby, PHP, Rust and C++. */
function isFrame(line: string): boolean {
  const text = line.trim()
  return (
    /^(?:(?:-> )?at |File "|\.\.\. \d|goroutine \d|from |#\d|# \.?\/|❯ |note: run with|stack backtrace:$|Loc: \[|- (?:file|line) {0,8}:)/.test(
      text,
    ) ||
    /^\d{1,4}: (?:0x[0-9a-f]{1,16} - )?\S{1,300}::\S/.test(text) ||
    /:\d{1,6}:in |\+0x[0-9a-f]+$|:\d{1,6}: in \S+$/.test(text) ||
    /^>?\s{0,8}\d{1,6} ?\|/.test(text) ||
    /^(?:Error Trace|Test|Trace):\s/.test(text) ||
    // Go: `example.com/cart.Total(0xc000012345, 0x1?)`.
    /^(?:created by |[\w./*()[\]-]{1,300}\([0-9a-f{}, ]{0,300}(?:0x|\.\.\.)[0-9a-fx?{}, .]{0,300}\)$)/.test(text) ||
    // A place alone: `tests/error_test.cpp:12`, `cart_test.cpp(12)`, and `test.py:17: AssertionError` below pytest's lines.
    /^\S{1,300}(?::\d{1,6}|\(\d{1,6}\)):?(?: [\w.]{0,100}(?:Error|Exception))?$/.test(text) ||
    MINITEST_PLACE.test(text) ||
    // PostgreSQL, valgrind and Zig
    /\(\w{0,100}\+0x[0-9a-f]+\)\s?\[0x[0-9a-f]+\]$|^by 0x[0-9A-F]+: |^\S{1,300}\.zig:\d{1,6}:\d{1,6}: 0x[0-9a-f]+ in /.test(
      text,
    ) ||
    // Dart
    /^(?:package:\S{1,300}|\S{1,300}\.dart)(?: \d{1,6}:\d{1,6})?\s{2,}\S{1,300}$/.test(text) ||
    isClickHouseFrame(text)
  )
}

/** `CartTest#test_total [test/cart_test.rb:17]:` */
const MINITEST_PLACE = /^\S{1,300}#\S{1,300} \[(\S{1,300}\.rb:\d{1,6})\]:$/

const PYTHON_FRAME = /^\s{0,32}File "([^"]{1,500})", line \d/
/** `cart_test.go:12: got 1`. */
const PLACE_BEFORE = /^\s{0,16}\S{1,300}\.\w{1,5}:\d{1,6}: /

/**
 * The source that failed, where the message does not hold it: below the last frame of a traceback of Python, or in the
 * listing of Jest and its like, `> 12 | expect(total).toBe(3)`.
 */
function sourceOf(said: readonly string[], found: readonly FailingLine[]): readonly FailingLine[] {
  const listed = said.flatMap((line) => /^\s{0,16}>\s{0,8}\d{1,6} \| {0,40}(\S.*)$/.exec(line)?.[1] ?? [])
  if (listed[0] !== undefined) return [{ kind: 'source', text: listed[0] }]
  const marked = markedByCarets(said) ?? sourceAtPlace(said) ?? sourceOfTap(said)
  if (marked !== null) return [{ kind: 'source', text: marked }]
  const assertion = found.some(({ text }) => /^AssertionError\b/.test(text))
  const at = assertion ? said.findLastIndex((line) => isOwnPythonFrame(line)) : -1
  const below = said[at + 1]
  return at >= 0 && below !== undefined && /^\s{4}/.test(below) ? [{ kind: 'source', text: below.trim() }] : []
}

/** A compiler, FileCheck or Zig puts it below the place in a line that it shows. */
const CARETS = /^[\s|]{0,200}[~^][~^\s]{0,300}$/
/** `20 | total();`, `   |  total();` and TypeScript's `20   total()`. */
const NUMBERED = /^\s{0,16}(?:\d{0,6} {0,4}\| ?|\d{1,6} {2,})/

/** The first line that carets mark, but for those of a library and of a warning. */
function markedByCarets(said: readonly string[]): string | null {
  const at = said.findIndex(
    (line, index) =>
      index > 0 &&
      CARETS.test(line) &&
      saysAWord(said[index - 1]!) &&
      !LIBRARY_PATH.test(said[index - 2] ?? '') &&
      !PYTHON_FRAME.test(said[index - 2] ?? '') &&
      !isOfWarning(said.slice(Math.max(index - MOST_BEFORE_CARETS, 0), index - 1)),
  )
  return at < 0 ? null : said[at - 1]!.replace(NUMBERED, '').trim()
}

/** rustc has the place and an empty line between its message and the line that it marks. */
const MOST_BEFORE_CARETS = 5

/** A build warns in another order each time. */
function isOfWarning(before: readonly string[]): boolean {
  return /\b(?:warning|note)\b/i.test(before.findLast((line) => /\b(?:error|warning|note)\b/i.test(line)) ?? '')
}

/** `20: t.is(total(), 3)` below `cart.js:20` as AVA has it, or below `on main.tf line 20`. */
function sourceAtPlace(said: readonly string[]): string | null {
  const at = said.findIndex((line) => /(?:(?:^| )\S{1,300}:| line )\d{1,6}[,:]?(?: in .{1,100})?$/.test(line.trim()))
  const number = at < 0 ? undefined : /(\d{1,6})[,:]?(?: in .{1,100})?$/.exec(said[at]!.trim())?.[1]
  if (number === undefined) return null
  const listed = said.slice(at + 1, at + 6).find((line) => line.trim().startsWith(`${number}: `))
  return listed === undefined
    ? null
    : listed
        .trim()
        .slice(number.length + 2)
        .trim()
}

/** The failing line of code that node-tap prints below `source: |`. */
function sourceOfTap(said: readonly string[]): string | null {
  const at = said.findIndex((line) => /^\s{0,16}source: [|>]-?$/.test(line))
  return at < 0 ? null : (said[at + 1]?.trim() ?? null)
}

function isOwnPythonFrame(line: string): boolean {
  const file = PYTHON_FRAME.exec(line)?.[1]
  return file !== undefined && !LIBRARY_PATH.test(file)
}

/**
 * Words of which messages consist that any assertion leaves, without a value or an expression: `expected: <true> but was:
 * <false>`, `Should be true`, `java.lang.NullPointerException`, ``called `Option::unwrap()` on a `None` value``.
 */
const COMMON_WORDS = new Set(
  (
    'a actual an and argument as asserted asserting assertion be been bool boolean but by called caused code condition did ' +
    'does e equal equality error exception expect expected expecting explicit fail failed failing failure false falsy for ' +
    'found got had has have in instance invocation is it left message must never nil none not null object of on option or ' +
    'outcome panic panicked received reference result returned right satisfied set should some test that the this thrown to ' +
    'tobe tobedefined tobefalsy tobenull tobetruthy tobeundefined true truthy type undefined unexpected unwrap value values ' +
    'was were with without'
  ).split(' '),
)
const WORD = /[\p{L}\p{N}_]+/gu
/** `java.lang.AssertionError:`, `NUnit.Framework.AssertionException`, `Assert.True()`, `[ERR_ASSERTION]:`. */
const TYPE = /(?:Error|Exception|Failure):?$|^Assert\.\w{1,40}(?:\(\))?$|^XCTAssert\w{0,40}$|^\[[A-Z_]{3,40}\]:?$/

/** Says no more than that an assertion failed, or an error of a kind came up: any other of that test would have left it. */
function isCommonMessage(text: string): boolean {
  if (KIND_OF_CRASH.test(text)) return true
  const said = text
    .slice(0, LONGEST_READ)
    .replace(PLACE_BEFORE, '')
    .replace(PLACE_BEHIND, '')
    .replace(OF_METHOD, '')
    .split(' ')
    .filter((word) => !TYPE.test(word))
  const words = said.join(' ').match(WORD) ?? []
  return words.length <= MOST_COMMON_WORDS && words.every((word) => COMMON_WORDS.has(word.toLowerCase()))
}

const MOST_COMMON_WORDS = 20

/** What kind of crash it is, with numbers: which one, the frames say. */
const KIND_OF_CRASH =
  /^(?:==\d{1,10}==)?\s{0,4}(?:ERROR|WARNING): (?:Address|Thread|Memory|Leak|HWAddress|UndefinedBehavior)Sanitizer: |^(?:fatal error|panic): (?:runtime error: )?(?:index out of range|slice bounds out of range|invalid memory address or nil pointer|integer divide by zero|unexpected signal|assignment to entry in nil map|concurrent map |all goroutines are asleep)/

/** `-[CartTests testTotal] :` of XCTest. */
const OF_METHOD = /^error: -\[\S{1,200} \S{1,200}\] : /
/** `false was not true (CartSpec.scala:17)`, `org.opentest4j.AssertionFailedError at CartTest.java:17` */
const PLACE_BEHIND = / (?:\(|at )(\S{1,300}\.\w{1,5}:\d{1,6})\)?$/

/** Where no line says what failed, the first place that is of the program or its tests does. */
function withPlace(found: readonly FailingLine[], lines: readonly string[], testName: string): readonly FailingLine[] {
  const crashed = withFunctions(found, lines)
  if (crashed !== null) return crashed
  const isCommon = testName !== '' && found.every(({ kind, text }) => kind !== 'difference' && isCommonMessage(text))
  if (!isCommon) return found
  for (const line of lines) {
    const place = placeOf(line)
    if (place === null || LIBRARY_FRAME.test(place) || LIBRARY_PATH.test(place)) continue
    return [...found, { kind: isOfTest(place, testName) ? 'place' : 'message', text: place }]
  }
  return found
}

/** What kind of crash it is, as `KIND_OF_CRASH`, where only functions tell which one: a line moves, a function does not. */
const CRASHED =
  /^(?:WARNING: DATA RACE$|Invalid (?:read|write) of size|Invalid free\(\)|Mismatched free\(\)|Conditional jump or move depends on|Use of uninitialised value|Syscall param |Jump to the invalid address|[\d,]{1,20} (?:\([^()]{1,80}\) )?bytes in [\d,]{1,20} blocks are |(?:Program|Thread \d{1,9}\b.{0,100}) (?:received|terminated with) signal SIG|thread \d{1,20} panic: |\S{1,300}:\d{1,6}:\d{1,6}: runtime error: |\S{1,300}\.swift:\d{1,6}: Fatal error: )/
/** Of a race where the other access was. Which of both is met first is chance. */
const OTHER_ACCESS = /^\s{0,8}Previous (?:atomic )?(?:read|write)/i

/** The functions in which it crashed, right behind the kind of the crash; null where it did not, or nothing shows them. */
function withFunctions(found: readonly FailingLine[], lines: readonly string[]): readonly FailingLine[] | null {
  const [crash, ...rest] = found.filter(({ kind }) => kind !== 'source')
  const isCrash = (text: string) => CRASHED.test(text) || KIND_OF_CRASH.test(text)
  if (crash === undefined || !isCrash(crash.text)) return null
  const stack = lines.slice(lines.findIndex((line) => isCrash(line.replace(TOOL, '').trim())))
  const other = stack.findIndex((line) => OTHER_ACCESS.test(line))
  const stacks = other < 0 ? [stack] : [stack.slice(0, other), stack.slice(other)]
  const functions = new Set(stacks.flatMap((one) => firstFunction(one) ?? []))
  if (functions.size === 0) return null
  const texts = [...functions].toSorted().map((text): FailingLine => ({ kind: 'message', text }))
  return [crash, ...texts, ...rest.filter(({ text }) => !SUMMARY.test(text))]
}

/** Says the first function of sanitizers once more, a library's as well. */
const SUMMARY = /^SUMMARY: \w{1,40}Sanitizer: /

/** Functions of C and C++ that do what they are told: whoever called them is the reason. */
const OF_RUNTIME = String.raw`0x[0-9a-f]|operator |std::|\?\?|(?:(?:m|c|re|pvalloc|aligned_)alloc|c?free|posix_memalign|mem(?:cpy|set|move|cmp|chr)|str(?:len|n?cmp|n?cpy|n?cat|r?chr|str|n?dup|nlen|tok|n?casecmp)|raise|abort|gsignal|v?[fs]?n?printf(?:_common)?|(?:pthread|wrap)_\w{1,40}|__(?:interceptor_|[a-z]{1,6}san_|sanitizer_|libc_|GI_|pthread_|assert|cxa_|gnu_|fortify_fail|stack_chk_fail|mem|str)\w{0,60})(?![\w:])`

/** The function of a frame of sanitizers and gdb, valgrind, Go, Swift and Zig. */
const FUNCTIONS: readonly RegExp[] = [
  new RegExp(String.raw`^#\d{1,3} {1,4}(?:0x[0-9a-f]{1,16} in )?(?!${OF_RUNTIME})(\S.{0,300}?)(?: [/(<]|$)`),
  new RegExp(String.raw`^(?:==\d{1,10}== {1,8})?(?:at|by) 0x[0-9A-F]{1,16}: (?!${OF_RUNTIME})(\S.{0,300}?)(?: \(|$)`),
  /^(?!(?:runtime|testing|sync|reflect|panic|internal\/\S{1,100})[.(/])([\w./*()[\]-]{1,300}\.[\w*()[\]]{1,200})\((?:[0-9a-f{}, ]{0,300}(?:0x|\.\.\.)[0-9a-fx?{}, .]{0,300})?\)$/,
  /^\d{1,3} (?:\[[^[\]]{1,40}\] ){0,3}0x[0-9a-f]{1,16} (\S.{0,200}?) \+ \d{1,9} in /,
  /^(?!\S{0,300}[\\/]zig[\\/])\S{1,300}\.zig:\d{1,6}:\d{1,6}: 0x[0-9a-f]{1,16} in (\S{1,300})/,
]

/** Go has the place below the function. Where all functions are of libraries, the first of them. */
function firstFunction(stack: readonly string[]): string | null {
  const functions = stack.flatMap((line, at) => {
    const text = line.trim().slice(0, LONGEST_READ)
    const name = FUNCTIONS.map((one) => one.exec(text)?.[1]).find((found) => found !== undefined)
    return name === undefined ? [] : { name, isOfLibrary: LIBRARY_PATH.test(stack[at + 1] ?? '') }
  })
  return (functions.find(({ isOfLibrary }) => !isOfLibrary) ?? functions[0])?.name ?? null
}

/** `at com.acme.Cart.total(Cart.java:12)`, `src/cart.rs:12:4`, `cart_test.go:12`; null: the line holds no place. */
function placeOf(line: string): string | null {
  const text = line.trim().slice(0, LONGEST_READ)
  const stated =
    PANICKED.exec(text) ??
    /^Error Trace:\s{1,16}(\S{1,300}:\d{1,6})/.exec(text) ??
    PLACE_AT.exec(text) ??
    PLACE_BEHIND.exec(text) ??
    PLACES.map((place) => place.exec(text)).find((found) => found !== null)
  if (stated != null) return stated[1]!
  const frame = text.replace(/^(?:-> |❯ |# )/, '')
  return isFrame(frame) && /[:(]\d{1,6}|:line \d/.test(frame) && !PYTHON_FRAME.test(frame)
    ? frame.replace(/:$/, '')
    : null
}

/** `cart_test.go:12: got 1`, `cart_test.cpp(12): error`. */
const PLACE_AT = /^(\S{1,300}\.\w{1,5}(?::\d{1,6}|\(\d{1,6}\))):? /

/** Frames of sanitizers and Go by their function, of Dart and minitest by their place. */
const PLACES: readonly RegExp[] = [
  /^#\d{1,3} 0x[0-9a-f]{1,16} in (?!__|operator |malloc|free|calloc|realloc|mem(?:cpy|set|move|cmp)\b|str\w{1,8}\b|std::)(\S.{0,300}?)(?: [/(<]|$)/,
  /^(?!(?:runtime|testing|panic|main)[.(])([\w./*()[\]-]{1,300}\.[\w*()[\]]{1,200})\([0-9a-f{}, ]{0,300}(?:0x|\.\.\.)[0-9a-fx?{}, .]{0,300}\)$/,
  /^(\S{1,300}\.dart \d{1,6}:\d{1,6})\s/,
  MINITEST_PLACE,
]

/** The language's own library, the test runner and the library that mocks, as the frames of Java and .NET name them. */
const LIBRARY_FRAME =
  /^at (?:[\w.@-]{1,60}\/{1,2}){0,2}(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|org\.codehaus\.groovy|org\.junit|junit|org\.testng|org\.opentest4j|org\.assertj|org\.hamcrest|com\.google\.common\.truth|org\.mockito|org\.easymock|org\.powermock|io\.mockk|org\.jmock|net\.bytebuddy|org\.spockframework|spock|io\.kotest|org\.scalatest|munit|org\.apache\.maven|org\.gradle|org\.springframework\.test|System|Microsoft|Xunit|NUnit|Moq|NSubstitute|FakeItEasy|Rhino\.Mocks|Castle|FluentAssertions|AwesomeAssertions|Shouldly)\./
/** Paths of the same in Python, JavaScript, Go, Rust, PHP and Ruby. */
const LIBRARY_PATH =
  /node:|node_modules|site-packages|dist-packages|[\\/](?:lib|lib64)[\\/]python|<frozen|[\\/]go(?:-\d[\d.]{0,10})?[\\/](?:\d[\d.]{0,10}[\\/]\w{1,10}[\\/])?(?:src[\\/](?!\w{1,60}\.\w{1,20}[\\/])|pkg[\\/])|[\\/]testing[\\/]testing\.go|^testing\.go|_testmain\.go:|[\\/]rustc[\\/]|[\\/]\.cargo[\\/]|[\\/]vendor[\\/]|[\\/]gems[\\/]|[\\/]zig[\\/]|<anonymous>$/

/** `cart.test.ts:12`, `CartTests.cs:line 12`, `/app/test/cart.js:12`: by its name, or by its folder. */
const TEST_FILE =
  /(?:^|[\s(/\\])(?:[\w.-]{0,200}(?:[Tt]ests?|[Ss]pecs?)\.\w{1,5}|test_[\w.-]{1,200}\.\w{1,5}|(?:tests?|specs?|__tests__|e2e)[/\\][^\s:()]{1,200}):(?:line )?\d/

/**
 * Of the test itself the number of the line stays, as nothing else tells its assertions apart; of a function that it calls
 * the name does, and its lines move whenever the program is changed.
 */
function isOfTest(place: string, testName: string): boolean {
  const [, called] = /^at (?:async )?([^\s()]{1,300})/.exec(place) ?? []
  if (called === undefined) return true
  if (TEST_FILE.test(place)) return true
  const parts = called.split(/[.$/]/)
  const names = new Set(testName.slice(0, LONGEST_READ).match(WORD))
  return parts.slice(-2).some((part) => part.length > 2 && names.has(part))
}

/**
 * Does a line say which value was expected and which was there? Then the values are what failed: `expected: 3, got: 4` is
 * another failure than `expected: 3, got: 0`, and a signature keeps them.
 *
 * Is: `assert 5 == 7`, `AssertionError: 143 != 0`, `expected [1] but found [2]`, `Received: 4`, `left: 3`. Is not, since a
 * number in it is no more than where or how much: `AssertionError: row 17 is missing`, `panic: got 3 errors`, and a limit
 * that was passed: `assert 31.2 < 30`, `12 not less than or equal to 10`.
 */
export function comparesValues(line: string): boolean {
  const read = line.slice(0, LONGEST_READ)
  if (LIMIT.test(read.replace(RETRIED, ''))) return false
  return (
    LABELLED.test(read) ||
    BARE.test(read) ||
    WANTED.test(read) ||
    (ASSERTS.test(read) && EQUALS.test(read)) ||
    (EXPECTED.test(read) && ACTUAL.test(read))
  )
}

/** Both sides of a comparison stand in its beginning, or neither is worth reading. */
const LONGEST_READ = 1000

/** How far a limit was passed is chance, and so is how long something took. */
const LIMIT =
  / [<>]=? |\b(?:less|greater|more|fewer|longer|shorter|larger|smaller) than\b|\bat (?:least|most)\b|\b(?:almost|approx(?:imately)?|within|tolerance|elapsed|timed? ?out|timeout)\b/i

/** Cypress says so of every assertion that it waited for. */
const RETRIED = /\bTimed out retrying after \d{1,9}m?s: /

/** A value on a line of its own, as Jest, testify, Minitest, GoogleTest, NUnit, Qt, Playwright and Rust write it. */
const LABELLED =
  /^[\W_]{0,16}(?:(?:(?:expected|actual|received)(?: (?:number of (?:calls|returns|elements)|(?:sub)?string|pattern|length|value|path|array|object|set|constructor))?|got|have|want(?:ed)?|left|right|which(?: is)?|value of|expression|evaluated|to be equal to|but (?:was|got)|locator)\x60?(?: {0,8}\(.{1,200}?\))? {0,8}:|(?:expected|but was) {1,8}<|(?:got|expected)->?\S{1,200} = |(?<=\{)(?:expected|value|expression),)/iu

/** `143 != 0`, `4 == 3`, `41 did not equal 42 (CartSpec.scala:17)`: all that some runners say. */
const BARE =
  /^\s{0,16}[^\s=!]{1,100} (?:[!=]==?|(?:did|does) not equal|(?:(?:is|was) )?not equal to) [^\s=!]{1,100}(?: \(\S{1,200}:\d{1,6}\))?\s{0,16}$/
const ASSERTS =
  /\bassert|\bXCTAssert|assertion|\bexpectation failed\b|\b(?:REQUIRE|CHECK)(?:_[A-Z]{1,20}){0,4} ?\(|\bcheck .{1,400} has failed\b/i
/** `Total() = 3, want 4`. */
const WANTED = /= ?\S.{0,400}[,;] (?:want|expect)(?:ed)?\b/i
const EQUALS =
  /[!=]==?(?!=)|\bis not\b|\bin ["'[({]|\b(?:does not |not )?(?:equals?|match(?:es)?)\b|\b(?:equal|identical) to\b/i

const EXPECTED = /\b(?:expect(?:ed|s)?|want(?:ed)?)\b|\.is\(/i
const ACTUAL =
  /\b(?:got|was|were|found|actual(?:ly)?|received|but|instead|(?:to|not) (?:be|equal|eql|include|match|have|contain|deeply|strictly|loosely))\b/i
