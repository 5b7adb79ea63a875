import { COMMAND_FAILED, isBareMessage, isCutMark, isFramingLine, isIdleLine } from './lines-without-reason.ts'
import { cleanLine } from './normalize-line.ts'
import { isClickHouseFrame } from './stack-trace-id.ts'

/** Enough candidates that three are left when those that say the same are one. */
const MOST_CANDIDATES = 12

/** A status repeated in the output tells no more than the status does. */
const SAYS_NOTHING =
  /^(?:● )?(?:(?:the )?(?:test suite|test|check|job|step) )?(?:fail|failed|failure|error|errored|null|none|undefined|n\/a)(?: to run)?[.:!]?$/i

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
  return lines.filter((line) => REASON.test(line) || !saysNothing(line, testName))
}

/** A status once again, what a framework writes around every failure, how much was cut off, or the name of the test. */
function saysNothing(line: string, testName: string): boolean {
  const text = line.trim()
  return (
    SAYS_NOTHING.test(text) ||
    isFramingLine(text) ||
    isIdleLine(text, testName) ||
    isCutMark(text) ||
    repeats(text, testName)
  )
}

function repeats(text: string, testName: string): boolean {
  return text !== '' && testName !== '' && (text === testName || (text.length > 3 && lastPartOf(testName) === text))
}

/** `total` of `org.example.CartTest.total` and of `test_cart.py::total`, `Cart totals` of `Shop › Cart totals`. */
function lastPartOf(testName: string): string {
  return testName
    .slice(0, LONGEST_READ)
    .split(/::|[./]| › | > /)
    .at(-1)!
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
  /assert|error|exception|fail|panic|fatal|expect|received|\bgot\b|\bwant\b|time-?out|timed? out|mismatch|killed|sanitizer|segmentation|\b(?:REQUIRE|CHECK)(?:_[A-Z]{1,20}){0,4} ?\(/i

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
  return [...found.filter(isReason), ...sourceOf(said, found), ...words, ...rest]
}

/** The reason stands below a heading that was read: lines of it that are left, and whether they are sides of a comparison. */
interface Below {
  readonly kind: 'message' | 'value'
  readonly left: number
  readonly isBegun: boolean
}

/** Both sides of a comparison of GoogleTest are four, with the words that a test adds. */
const MOST_BELOW = 6

function positionedReasons(lines: readonly string[]): readonly { readonly at: number; readonly line: FailingLine }[] {
  const found: { at: number; line: FailingLine }[] = []
  let difference: 'none' | 'flush' | 'indented' = 'none'
  let afterFrame = false
  let below = null as Below | null
  for (const [at, whole] of lines.entries()) {
    const line = whole.replace(TESTIFY_CONTINUED, '')
    const next = (lines[at + 1] ?? '').replace(TESTIFY_CONTINUED, '')
    if (
      startsDifference(line, next) ||
      (difference === 'flush' && isSecondHeader(line, lines[at - 1]?.replace(TESTIFY_CONTINUED, '') ?? ''))
    ) {
      difference = 'flush'
      continue
    }
    if (difference === 'flush' && (/^[-+ \t\\]/.test(line) || (line === '' && /^[-+ \t@]/.test(next)))) {
      if (/^[-+]/.test(line)) found.push({ at, line: { kind: 'difference', text: line } })
      continue
    }
    if (
      difference === 'indented' &&
      (line.trim() === '' || (/^[-+\s]/.test(line) && !isFrame(line) && !PLACE_BEFORE.test(line)))
    ) {
      const changed = /^\s{0,32}([-+].*)$/.exec(line)?.[1]
      if (changed !== undefined) found.push({ at, line: { kind: 'difference', text: changed } })
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
    if (isSource) continue
    if (text === '' || !saysAWord(text)) {
      if (text === '' && below?.isBegun === true) below = null
      continue
    }
    const heading = REASON.test(line) ? null : headingOf(text, below !== null)
    if (heading !== null) {
      if (!heading.isBare) found.push({ at, line: lineOf(text) })
      below = { kind: heading.below, left: MOST_BELOW, isBegun: false }
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
/** Gomega, and others that end without a colon. */
const GOMEGA = /^Expected$/
const COMPARES_BELOW =
  /expect|equal|actual|values?\b|\bwant|\bgot\b|expansion|contain|match|compar|differ|passed in|\bwas\b|\bto be\b|should/i
const TELLS_BELOW =
  /assert|error|exception|fail|condition|satisf|invo(?:ked|cation)|interaction|call log|messages?\b|reason|caused?\b|unexpected|panic|received/i

interface Heading {
  /** It says no more than that the reason follows. */
  readonly isBare: boolean
  readonly below: Below['kind']
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
  if (GOMEGA.test(text)) return { isBare: true, below: 'value' }
  if (!text.endsWith(':') || isFrame(text)) return null
  const isOfError = /error|exception|fail|panic/i.test(text)
  const below = COMPARES_BELOW.test(text) && !/unexpected (?:error|exception)/i.test(text) ? 'value' : 'message'
  if (WORDS_ONLY.test(text)) {
    return below === 'value' || TELLS_BELOW.test(text) ? { isBare: !isOfError || text.length < 30, below } : null
  }
  return isTelling(text) || isBelow ? { isBare: false, below } : null
}

/** `--- a` and `+++ b`, or `- Expected` and `+ Received` as Jest has it, stand together; alone they are lines like others. */
const FIRST_HEADER = /^(?:--- \S|- Expected\b)/
const SECOND_HEADER = /^(?:\+\+\+ \S|\+ (?:Received|Actual)\b)/

function startsDifference(line: string, next: string): boolean {
  return line.startsWith('@@') || (FIRST_HEADER.test(line) && SECOND_HEADER.test(next))
}

function isSecondHeader(line: string, previous: string): boolean {
  return SECOND_HEADER.test(line) && FIRST_HEADER.test(previous)
}

/** `(-want +got):` of go-cmp; `+ actual - expected` of Node.js and Mocha. Their lines are indented as the message is. */
const MARKS_SIDES = /\([-+]\w{1,16},? [-+]\w{1,16}\):?$|^\+ (?:actual|expected) - (?:actual|expected)$/

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
  const assertion = found.some(({ text }) => /^AssertionError\b/.test(text))
  const at = assertion ? said.findLastIndex((line) => isOwnPythonFrame(line)) : -1
  const below = said[at + 1]
  return at >= 0 && below !== undefined && /^\s{4}/.test(below) ? [{ kind: 'source', text: below.trim() }] : []
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
  /^(?:==\d{1,10}==)?\s{0,4}(?:ERROR|WARNING): (?:Address|Thread|Memory|Leak|HWAddress|UndefinedBehavior)Sanitizer: |^(?:fatal error|panic): (?:runtime error: )?(?:index out of range|slice bounds out of range|invalid memory address or nil pointer|integer divide by zero|unexpected signal|nil map)/

/** `-[CartTests testTotal] :` of XCTest. */
const OF_METHOD = /^error: -\[\S{1,200} \S{1,200}\] : /
/** `false was not true (CartSpec.scala:17)` */
const PLACE_BEHIND = / \((\S{1,300}\.\w{1,5}:\d{1,6})\)$/

/** Where no line says what failed, the first place that is of the program or its tests does. */
function withPlace(found: readonly FailingLine[], lines: readonly string[], testName: string): readonly FailingLine[] {
  const isCommon = testName !== '' && found.every(({ kind, text }) => kind !== 'difference' && isCommonMessage(text))
  if (!isCommon) return found
  for (const line of lines) {
    const place = placeOf(line)
    if (place === null || LIBRARY_FRAME.test(place) || LIBRARY_PATH.test(place)) continue
    return [...found, { kind: isOfTest(place, testName) ? 'place' : 'message', text: place }]
  }
  return found
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
  /node:|node_modules|site-packages|dist-packages|[\\/](?:lib|lib64)[\\/]python|<frozen|[\\/]go[\\/](?:src|pkg)[\\/]|[\\/]testing[\\/]testing\.go|^testing\.go|[\\/]rustc[\\/]|[\\/]\.cargo[\\/]|[\\/]vendor[\\/]|[\\/]gems[\\/]|<anonymous>$/

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
  if (LIMIT.test(read)) return false
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

/** A value on a line of its own, as Jest, testify, Minitest, GoogleTest, NUnit, Qt, Playwright and Rust write it. */
const LABELLED =
  /^[\W_]{0,16}(?:expected|actual|received|got|want(?:ed)?|left|right|which is|value of|expression|evaluated|to be equal to|but (?:was|got)|locator)(?: {0,8}\(.{1,200}?\))? {0,8}:/i

/** `143 != 0`, `4 == 3`, `41 did not equal 42 (CartSpec.scala:17)`: all that some runners say. */
const BARE =
  /^\s{0,16}[^\s=!]{1,100} (?:[!=]==?|(?:did|does) not equal|(?:is|was) not equal to) [^\s=!]{1,100}(?: \(\S{1,200}:\d{1,6}\))?\s{0,16}$/
const ASSERTS =
  /\bassert|\bXCTAssert|assertion|\b(?:REQUIRE|CHECK)(?:_[A-Z]{1,20}){0,4} ?\(|\bcheck .{1,400} has failed\b/i
/** `Total() = 3, want 4`. */
const WANTED = /= ?\S.{0,400}[,;] (?:want|expect)(?:ed)?\b/i
const EQUALS = /[!=]==?(?!=)|\bis not\b|\bin ["'[({]|\b(?:does not |not )?(?:equals?|match(?:es)?)\b|\bequal to\b/i

const EXPECTED = /\b(?:expect(?:ed|s)?|want(?:ed)?)\b/i
const ACTUAL =
  /\b(?:got|was|were|found|actual(?:ly)?|received|but|instead|(?:to|not) (?:be|equal|eql|include|match|have|contain|deeply|strictly|loosely))\b/i
