import { type FailingLine, failingLines, type OutputLines, withoutPrefixes } from './failing-lines.ts'
import { formerFailingLines } from './former-failing-lines.ts'
import { isFramingLine } from './lines-without-reason.ts'
import {
  cleanLine,
  formerComparison,
  normalizeComparison,
  normalizeDifference,
  normalizeLine,
  normalizePlace,
  PLACEHOLDER,
  withoutColours,
} from './normalize-line.ts'
import { stackTraceIdOf, statedStackTraceId } from './stack-trace-id.ts'

/**
 * A signature identifies the same failure again.
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
export const SIGNATURE_RULE = 7

/**
 * UTF-16 code units of an output that are looked at, from its beginning and to its end. Candidate rows are read by the
 * thousand, and outputs reach megabytes; a message stands at the beginning, and what comes later is its context, or at
 * the end of a log. An output that is handed over as so many code points of both with `OUTPUT_CUT` between them gives the
 * same signature as the whole one.
 */
export const OUTPUT_READ = 6144
export const OUTPUT_END_READ = 3072
export const OUTPUT_CUT = '\n~~~~~ truncated ~~~~~\n'

/**
 * Characters of an output, in whole lines, that are looked at for failing lines, a number counted as one: of two
 * outputs that differ in numbers alone the same lines, though the one with the longer numbers was cut some lines
 * earlier.
 */
const LOOKED_AT = 4096
/** The same of those at its end. */
const LOOKED_AT_END = 2048
const NUMBER = /\d+(?:[.,:]\d+)*/g

/** Longest text of a signature: few lines that a person can still compare with a look. */
const LONGEST_TEXT = 300
const MOST_LINES = 3

/** Names are cut by whoever stores them; a longer one holds no id that anybody put there. */
const NAME_READ = 4096

/** `testName` is empty of a check without a failing test. Takes time proportional to what is read, and never throws. */
export function signatureOf(testName: string, output: string): Signature {
  return signatureBy(RULE, testName, output)
}

/**
 * The signature by rule 4, where that is another output: entries and declarations from before are of it. Null: the rules
 * agree, or there was nothing to tell by.
 */
export function formerSignatureOf(testName: string, output: string): Signature | null {
  const former = signatureBy(RULE_4, testName, output)
  return former.kind !== 'output' || former.text === signatureOf(testName, output).text ? null : former
}

function signatureBy(rule: Rule, testName: string, output: string): Signature {
  const stated = statedStackTraceId(testName.slice(0, NAME_READ))
  if (stated !== null) return { kind: 'stack-trace-id', text: stated }

  const isCut = output.length >= OUTPUT_READ
  const lines = withoutPrefixes(linesOf(output.slice(0, OUTPUT_READ), isCut))
  const computed = stackTraceIdOf(lines, isCut)
  if (computed !== null) return { kind: 'stack-trace-id', text: computed }

  const found = rule.linesOfReason({ first: firstOf(lines), last: () => lastOf(output) }, testName)
  const text = outputText(rule, found)
  if (text !== '') return { kind: 'output', text }
  // Of a check that says nothing its name is left; of a test the name may say what failed, but only if nothing was printed.
  return testName !== '' && lines.some((line) => isFramingLine(line) || /[\p{L}\p{N}]/u.test(line))
    ? FRAMES
    : { kind: 'name', text }
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

function lastOf(output: string): readonly string[] {
  const isCut = output.length > OUTPUT_END_READ
  const lines = withoutPrefixes(linesOf(output.slice(-OUTPUT_END_READ), false)).slice(isCut ? 1 : 0)
  let length = 0
  const before = lines.findLastIndex((line) => {
    length += line.replace(NUMBER, 'N').length + 1
    return length > LOOKED_AT_END
  })
  return lines.slice(before + 1)
}

const NORMALIZED: Readonly<Record<FailingLine['kind'], (line: string) => string>> = {
  message: normalizeLine,
  comparison: normalizeComparison,
  value: normalizeComparison,
  source: normalizeComparison,
  difference: normalizeDifference,
  place: normalizePlace,
}

interface Rule {
  readonly linesOfReason: (lines: OutputLines, testName: string) => readonly FailingLine[]
  readonly normalized: typeof NORMALIZED
  /** Lines where values were compared. */
  readonly mostWithValues: number
}

/** Both sides of a comparison with what they are are four lines. */
const RULE: Rule = { linesOfReason: failingLines, normalized: NORMALIZED, mostWithValues: 4 }

const RULE_4: Rule = {
  linesOfReason: ({ first }, testName) => formerFailingLines(first, testName === ''),
  normalized: { ...NORMALIZED, comparison: formerComparison },
  mostWithValues: MOST_LINES,
}

function outputText({ normalized, mostWithValues }: Rule, found: readonly FailingLine[]): string {
  const difference = shownDifference(found.flatMap((line) => (line.kind === 'difference' ? line.text : [])))
  const messages = found.flatMap((line) => {
    const text = normalized[line.kind](line.text)
    return line.kind === 'difference' || !saysAnything(text) ? [] : { ...line, text }
  })

  const kept: string[] = []
  const hidden: string[] = []
  // Before a difference what was compared, or that something was; then the difference says it.
  const [mostMessages, mostOfAll] = difference.shown.length > 0 ? [1, 1] : [MOST_LINES, mostWithValues]
  for (const { kind, text } of messages) {
    // A report often says the message twice, once with the type before it: the longer one stays, in the first one's place.
    const same = kind === 'value' ? kept.indexOf(text) : kept.findIndex((earlier) => isSameMessage(earlier, text))
    if (same >= 0) kept[same] = text.length > kept[same]!.length ? text : kept[same]!
    else if (kept.length < (kind === 'message' ? mostMessages : mostOfAll)) kept.push(text)
    else if (kind === 'comparison' || kind === 'value') hidden.push(text)
  }
  const hasValues =
    difference.shown.length > 0 || messages.some(({ kind }) => kind === 'comparison' || kind === 'value')
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

/**
 * FNV-1a of the UTF-16 code units, 32 bits as eight hexadecimal digits: tells the few wrong results of one test apart. Not
 * safe against somebody who looks for another text with the same sum.
 */
export function checksum(text: string): string {
  let sum = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    sum = Math.imul(sum ^ (unit & 0xff), 0x01000193)
    sum = Math.imul(sum ^ (unit >> 8), 0x01000193)
  }
  return (sum >>> 0).toString(16).padStart(8, '0')
}

/**
 * A difference between a reference and what was there instead, as two lines that a person can compare and the rest.
 *
 * So many characters of it are compared, so that the same difference is the same where the end of an output was cut off
 * a few characters earlier because a path or a duration before it was longer.
 */
const LONGEST_COMPARED = 2400
/** Characters that a runner puts before each line, a time with brackets, and the end of the line. */
const PREFIX = 24
const LONGEST_SHOWN = 90

interface ShownDifference {
  /** The first line that is missing and the first that is there instead, or two of one side; none of no difference. */
  readonly shown: readonly string[]
  /** Every line compared, where the shown ones are not all there is; else none. */
  readonly hidden: readonly string[]
}

/**
 * `changed`: its lines with their signs. Times, addresses and temporary names are left out, unless they are what differs:
 * `-2026-01-01` and `+2026-01-02` stay as they are.
 */
function shownDifference(changed: readonly string[]): ShownDifference {
  const compared: string[] = []
  let length = 0
  for (const line of changed) {
    length += line.length + PREFIX
    if (length > LONGEST_COMPARED && compared.length > 0) break
    compared.push(line)
  }
  const lines = withoutWhatVaries(compared)
  const shown = firstOfBothSides(lines)
  const isAll = shown.length === lines.length && shown.every((line) => line.length <= LONGEST_SHOWN)
  return {
    shown: shown.map((line) => (line.length <= LONGEST_SHOWN ? line : `${line.slice(0, LONGEST_SHOWN).trimEnd()}…`)),
    hidden: isAll ? [] : lines,
  }
}

/** A line that would then stand on both sides stays as it is: what would be left out is what differs. */
function withoutWhatVaries(changed: readonly string[]): readonly string[] {
  const normalized = changed.map(normalizeDifference)
  const all = new Set(normalized)
  return normalized.map((line, at) => {
    const other = `${line.startsWith('-') ? '+' : '-'}${line.slice(1)}`
    return all.has(other) ? cleanLine(changed[at]!) : line
  })
}

function firstOfBothSides(lines: readonly string[]): readonly string[] {
  const missing = lines.find((line) => line.startsWith('-'))
  const there = lines.find((line) => line.startsWith('+'))
  if (missing === undefined || there === undefined) return lines.slice(0, 2)
  return lines.indexOf(missing) < lines.indexOf(there) ? [missing, there] : [there, missing]
}
