import type { FailingLine } from './failing-lines.ts'
import { isFramingLine, isIdleLine, wasFramingLine } from './lines-without-reason.ts'
import { cleanLine } from './normalize-line.ts'
import { isClickHouseFrame } from './stack-trace-id.ts'

/**
 * The lines that signatures were made of by rule 4, whose texts entries and declarations keep until they end. Nothing else
 * asks for them. An entry ends 90 days after it was opened or declared at most.
 */

const MOST_CANDIDATES = 12
const SAYS_NOTHING =
  /^(?:● )?(?:(?:the )?(?:test suite|test|check|job|step) )?(?:fail|failed|failure|error|errored|null|none|undefined|n\/a)(?: to run)?[.:!]?$/i

/** The first of them. `ofCheck`: of a check without a failing test. */
export function formerFailingLines(lines: readonly string[], ofCheck: boolean): readonly FailingLine[] {
  const found = foundLines(lines, ofCheck)
  // What says nothing by now excuses nothing any more
  return found.every(({ text }) => isFramingLine(text)) ? [] : found
}

function foundLines(lines: readonly string[], ofCheck: boolean): readonly FailingLine[] {
  const said = lines.filter((line) => {
    return !isEmptyWord(line, ofCheck) && (REASON.test(line) || !wasFramingLine(line))
  })
  const marked = said.flatMap((line) => /^\s{0,32}E\s+(\S.*)$/.exec(line)?.[1] ?? [])
  if (marked.length > 0) {
    // Lines that pytest marks after a comparison explain it: where a value came from, which items differ.
    const kind = marked.some(comparesValues) ? 'comparison' : 'message'
    return distinct(marked.map((text) => ({ kind, text })))
  }
  const telling = tellingLines(said)
  if (telling.length > 0) return distinct(telling)
  const source = said.find((line) => /^>\s+\S/.test(line))
  return distinct([lineOf(source ?? said.find((line) => /[\p{L}\p{N}]/u.test(line)) ?? '')])
}

function isEmptyWord(line: string, ofCheck: boolean): boolean {
  return SAYS_NOTHING.test(line.trim()) || (ofCheck && isIdleLine(line))
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

const TELLING =
  /assert|error|exception|fail|panic|fatal|expect|received|\bgot\b|\bwant\b|time-?out|timed? out|mismatch|killed|sanitizer|segmentation/i

/** The reason that ClickHouse's runner gives before it shows a failure; older ones give it without `Reason:`. */
const REASON =
  /^\s?(?:Reason: \S|(?:- )?(?:result differs with reference|having stderror|having (?:having )?exception|return code:? *-?\d|server died|Timeout!|Test runs too long|Internal query|Test internal error))/
/** Drawn anew for each run, and their names hold words that are looked for. */
const SETTINGS = /^\s?Settings used in the test:/

function tellingLines(lines: readonly string[]): readonly FailingLine[] {
  const reasons: FailingLine[] = []
  const found: FailingLine[] = []
  let inDifference = false
  let afterFrame = false
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1] ?? ''
    if (startsDifference(line, next) || (inDifference && isSecondHeader(line, lines[at - 1] ?? ''))) {
      inDifference = true
      continue
    }
    if (inDifference && (/^[-+ \t\\]/.test(line) || (line === '' && /^[-+ \t@]/.test(next)))) {
      if (/^[-+]/.test(line)) found.push({ kind: 'difference', text: line })
      continue
    }
    inDifference = false
    // Under a frame of Python stands its source, which may well hold the word that is looked for.
    const isSource = afterFrame && /^\s{4}/.test(line)
    afterFrame = /^\s*File "/.test(line)
    if (REASON.test(line)) reasons.push({ kind: 'message', text: line })
    else if (!isSource && isTelling(line) && !isFrame(line)) found.push(lineOf(line))
  }
  const promised = found.length === 0 && reasons.some((reason) => /:\s*$/.test(reason.text))
  const first = promised ? lines.find((line) => /[\p{L}\p{N}]/u.test(line) && !REASON.test(line)) : undefined
  return [...reasons, ...(first === undefined || SETTINGS.test(first) ? [] : [lineOf(first)]), ...found]
}

function isTelling(line: string): boolean {
  return (TELLING.test(line) || comparesValues(line)) && !SETTINGS.test(line)
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

/** Where the failure came through, in the words of Java, JavaScript, Python, Go, Ruby, PHP and C++. */
function isFrame(line: string): boolean {
  const text = line.trim()
  return (
    /^(?:at |File "|\.\.\. \d|goroutine \d|from |#\d)/.test(text) ||
    /:\d{1,6}:in |\+0x[0-9a-f]+$|:\d{1,6}: in \S+$/.test(text) ||
    /^>?\s{0,8}\d{1,6} ?\|/.test(text) ||
    // A place alone: `tests/error_test.cpp:12`.
    /^\S{1,300}:\d{1,6}:?$/.test(text) ||
    isClickHouseFrame(text)
  )
}

/**
 * Does a line say which value was expected and which was there? Then the values are what failed: `expected: 3, got: 4` is
 * another failure than `expected: 3, got: 0`, and a signature keeps them.
 *
 * Is: `assert 5 == 7`, `AssertionError: 143 != 0`, `expected [1] but found [2]`, `Received: 4`, `left: 3`. Is not, since a
 * number in it is no more than where or how much: `AssertionError: row 17 is missing`, `panic: got 3 errors`, and a limit
 * that was passed: `assert 31.2 < 30`, `12 not less than or equal to 10`.
 */
function comparesValues(line: string): boolean {
  const read = line.slice(0, LONGEST_READ)
  if (LIMIT.test(read)) return false
  return (
    LABELLED.test(read) ||
    BARE.test(read) ||
    (ASSERTS.test(read) && EQUALS.test(read)) ||
    (EXPECTED.test(read) && ACTUAL.test(read))
  )
}

/** Both sides of a comparison stand in its beginning, or neither is worth reading. */
const LONGEST_READ = 1000

/** How far a limit was passed is chance, and so is how long something took. */
const LIMIT =
  / [<>]=? |\b(?:less|greater|more|fewer|longer|shorter|larger|smaller) than\b|\bat (?:least|most)\b|\b(?:almost|approx(?:imately)?|within|tolerance|elapsed|timed? ?out|timeout)\b/i

/** A value on a line of its own, as Jest, testify, Minitest, GoogleTest and Rust write it. */
const LABELLED = /^[\W_]{0,16}(?:expected|actual|received|got|want(?:ed)?|left|right|which is) {0,8}:/i

/** `143 != 0`, `4 == 3`: all that some runners say. */
const BARE = /^\s{0,16}[^\s=!]{1,100} [!=]==? [^\s=!]{1,100}\s{0,16}$/
const ASSERTS = /\bassert|assertion/i
const EQUALS = /[!=]==?(?!=)|\bis not\b|\bin ["'[({]|\b(?:does not |not )?(?:equals?|match(?:es)?)\b/i

const EXPECTED = /\b(?:expect(?:ed|s)?|want(?:ed)?)\b/i
const ACTUAL =
  /\b(?:got|was|were|found|actual(?:ly)?|received|but|instead|(?:to|not) (?:be|equal|eql|include|match|have|contain|deeply|strictly|loosely))\b/i
