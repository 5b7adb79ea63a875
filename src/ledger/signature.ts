import { checksum } from './checksum.ts'
import { shownDifference } from './difference.ts'
import { failingLines, isFrameOf, withoutPrefixes } from './failing-lines.ts'
import { normalizeComparison, normalizeLine, PLACEHOLDER, withoutColours } from './normalize-line.ts'
import { stackTraceIdOf, statedStackTraceId } from './stack-trace-id.ts'

/**
 * What identifies the same failure again.
 *
 * `stack-trace-id`: `2508-38c6`, stated in the test's name or computed from the frames of its output.
 * `output`: the first failing lines, normalised. `frames`: the output holds lines of a test framework alone, `text` says
 * so. `name`: no output to tell by; `text` is empty.
 */
export interface Signature {
  readonly kind: 'stack-trace-id' | 'output' | 'frames' | 'name'
  readonly text: string
}

const FRAMES: Signature = { kind: 'frames', text: '(lines of the test framework alone)' }

/** The version of the rule, stored beside each signature. Raised whenever the same input gives another result. */
export const SIGNATURE_RULE = 4

/**
 * So many UTF-16 code units of an output are looked at, from its beginning. Candidate rows are read by the thousand, and
 * outputs reach megabytes; a message stands at the beginning, and what comes later is its context. An output that is
 * handed over cut after so many code points gives the same signature as the whole one.
 */
export const OUTPUT_READ = 6144

/**
 * So many characters of it, in whole lines, are looked at for failing lines, a number counted as one: of two outputs that
 * differ in numbers alone the same lines, though the one with the longer numbers was cut some lines earlier.
 */
const LOOKED_AT = 4096
const NUMBER = /\d+(?:[.,:]\d+)*/g

/** Longest text of a signature: three lines that a person can still compare with a look. */
const LONGEST_TEXT = 300
const MOST_LINES = 3

/** Names are cut by whoever stores them; a longer one holds no id that anybody put there. */
const NAME_READ = 4096

/** `testName` is empty of a check without a failing test. Takes time proportional to what is read, and never throws. */
export function signatureOf(testName: string, output: string): Signature {
  const stated = statedStackTraceId(testName.slice(0, NAME_READ))
  if (stated !== null) return { kind: 'stack-trace-id', text: stated }

  const isCut = output.length >= OUTPUT_READ
  const lines = withoutPrefixes(linesOf(output.slice(0, OUTPUT_READ), isCut))
  const computed = stackTraceIdOf(lines, isCut)
  if (computed !== null) return { kind: 'stack-trace-id', text: computed }

  const isCheck = testName === ''
  const first = firstOf(lines)
  const text = outputText(first, isCheck)
  if (text !== '') return { kind: 'output', text }
  return first.some((line) => isFrameOf(line, isCheck)) ? FRAMES : { kind: 'name', text }
}

const STACK_TRACE_ID = /^\d{4}-[0-9a-f]{4}$/

/**
 * The signature whose text was kept without its kind, as an entry keeps it. An id can't be taken for an output: in a
 * message these digits would have been left out, and where they stay there are words or a sign before them.
 */
export function signatureOfText(text: string): Signature {
  if (text === '') return { kind: 'name', text }
  if (text === FRAMES.text) return FRAMES
  return { kind: STACK_TRACE_ID.test(text) ? 'stack-trace-id' : 'output', text }
}

/** Where the text was cut, its last line is left out, unless it is the only one: half a line is another line. */
function linesOf(text: string, isCut: boolean): readonly string[] {
  const lines = withoutColours(text.toWellFormed()).split(/\r\n|[\n\r\u2028\u2029]/)
  return isCut && lines.length > 1 ? lines.slice(0, -1) : lines
}

function firstOf(lines: readonly string[]): readonly string[] {
  let length = 0
  const end = lines.findIndex((line) => {
    length += line.replace(NUMBER, 'N').length + 1
    return length > LOOKED_AT
  })
  // A first line that is longer stays: of a signature it is cut anyway.
  return end < 0 ? lines : lines.slice(0, Math.max(end, 1))
}

function outputText(lines: readonly string[], ofCheck: boolean): string {
  const found = failingLines(lines, ofCheck)
  const difference = shownDifference(found.flatMap((line) => (line.kind === 'difference' ? line.text : [])))
  const messages = found.flatMap((line) => {
    const text = line.kind === 'comparison' ? normalizeComparison(line.text) : normalizeLine(line.text)
    return line.kind === 'difference' || !saysAnything(text) ? [] : { ...line, text }
  })

  const kept: string[] = []
  const hidden: string[] = []
  // Before a difference what was compared, or that something was; then the difference says it.
  const mostMessages = difference.shown.length > 0 ? 1 : MOST_LINES
  for (const { kind, text } of messages) {
    // A report often says the message twice, once with the type before it: the longer one stays, in the first one's place.
    const same = kept.findIndex((earlier) => isSameMessage(earlier, text))
    if (same >= 0) kept[same] = text.length > kept[same]!.length ? text : kept[same]!
    else if (kept.length < mostMessages) kept.push(text)
    else if (kind === 'comparison') hidden.push(text)
  }
  const hasValues = difference.shown.length > 0 || messages.some((line) => line.kind === 'comparison')
  const text = [...kept, ...difference.shown].join('\n')
  if (difference.shown.length > 0) hidden.length = 0
  hidden.push(...difference.hidden)
  if (!hasValues || (hidden.length === 0 && text.length <= LONGEST_TEXT)) return cutText(text, LONGEST_TEXT)
  const sum = checksum([text, ...hidden].join('\n'))
  return `${cutText(text, LONGEST_TEXT - REST.length - sum.length)}${REST}${sum}`
}

/** Before the check sum of compared values that did not fit: which they were makes a difference all the same. */
const REST = '\nand more: '

/** Half a character or a space at the end would be lost by whoever stores it. */
function cutText(text: string, longest: number): string {
  return text
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()
}

/** Not a line of placeholders and signs alone, which every other failure of that test would have as well. */
function saysAnything(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replace(PLACEHOLDERS, ''))
}

const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g')

function isSameMessage(a: string, b: string): boolean {
  if (!/\p{L}/u.test(a.replace(PLACEHOLDERS, '')) || !/\p{L}/u.test(b.replace(PLACEHOLDERS, ''))) return a === b
  return a.includes(b) || b.includes(a)
}
