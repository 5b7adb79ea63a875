import { readByteLines } from '../../intake/measurement/lines.ts'
import type { ReadWarningCode, Side } from '../../intake/measurement/run.ts'
import { SourceError } from '../../intake/measurement/source.ts'
import { splitLine } from '../../intake/measurement/stack-counts.ts'
import { asUtf8 } from '../../intake/measurement/utf8.ts'
import type { Warnings } from '../../intake/measurement/warnings.ts'
import { oldScale, type StackDifference } from './stack-difference.ts'
import { STACK_LIMITS, type StackRefusal, type StackTree } from './stack-tree.ts'

/** Where the stacks of a file go. */
export interface FoldedTarget {
  readonly tree: StackTree
  readonly side: Side
  /** The name of the file in warnings. */
  readonly where: string
  readonly warnings: Warnings
  /** Write `0x...` for addresses, so that stacks which differ in them only are one. */
  readonly stripHex: boolean
}

/** The contents of a file of folded stacks. */
export interface FoldedFile {
  /** Lines with a stack and its count. */
  readonly stacks: number
  /** Lines that are neither that, nor empty, nor a comment (`# …`); a warning each. */
  readonly badLines: number
}

const REFUSALS: Readonly<Record<StackRefusal, string>> = {
  'too-many-frames': `more than ${STACK_LIMITS.nodes.toLocaleString('en')} frames in distinct stacks`,
  'too-much-text': `more than ${STACK_LIMITS.text.toLocaleString('en')} characters of distinct frame names`,
}

/** The problem of a line. */
const NO_COUNT = 'not a stack followed by a count'
const TOO_LONG = `longer than ${STACK_LIMITS.lineLength.toLocaleString('en')} characters`

/**
 * Reads folded stacks, `frame;frame;frame COUNT` a line and outermost frame first, as the stackcollapse scripts write
 * them: any ends of lines, UTF-8 or UTF-16, counts also with a fraction, lines of the same stack add up. The count is
 * what `difffolded.pl` takes for one: digits, and maybe a point with digits, after a space or a tab.
 *
 * Memory is one chunk, one line and the tree. Throws `SourceError` when the tree is full.
 */
export async function readFolded(bytes: AsyncIterable<Uint8Array>, into: FoldedTarget): Promise<FoldedFile> {
  const { side, tree, where, warnings } = into
  let stacks = 0
  let badLines = 0
  const bad = (number: number, message: string, code: ReadWarningCode = 'malformed-line'): void => {
    badLines += 1
    warnings.add(code, where, number, message)
  }
  const add = (refusal: StackRefusal | null, number: number): void => {
    if (refusal !== null) throw new SourceError('unreadable', `${where}:${number}: ${REFUSALS[refusal]}`)
    stacks += 1
  }
  await readByteLines(
    asUtf8(bytes),
    STACK_LIMITS.lineLength,
    (line, from, to, number) => {
      const plain = into.stripHex ? null : plainLine(line, from, to)
      if (plain !== null) {
        add(tree.addBytes(line, from, plain.end, side, plain.count), number)
        return
      }
      const text = DECODER.decode(line.subarray(from, to))
      const found = splitLine(text)
      if (found === null) {
        if (text.trim() !== '' && !isComment(text)) bad(number, NO_COUNT)
        return
      }
      if (isComment(text)) return
      add(tree.add(into.stripHex ? stripHex(found.stack) : found.stack, side, found.count), number)
    },
    (number) => bad(number, TOO_LONG, 'limit-reached'),
  )
  return { stacks, badLines }
}

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })
const HASH = 0x23
const ZERO = 0x30
/** More digits may be more than an exact integer. */
const MOST_DIGITS = 15

const PLAIN = { end: 0, count: 0 }

/**
 * Where the stack of a line ends and its count, of a line that begins with a printed character of ASCII, no comment, and ends in a whole
 * count: what `splitLine` says of it, without a string. null: another line. The next call changes the answer.
 */
function plainLine(
  bytes: Uint8Array,
  from: number,
  to: number,
): { readonly end: number; readonly count: number } | null {
  const first = bytes[from]!
  if (first <= HASH || first >= 0x7f) return null
  let end = to
  while (end > from && isSpace(bytes[end - 1]!)) end -= 1
  let start = end
  let count = 0
  for (let power = 1; start > from; start -= 1, power *= 10) {
    const digit = bytes[start - 1]! - ZERO
    if (digit < 0 || digit > 9) break
    count += digit * power
  }
  if (start === end || end - start > MOST_DIGITS || start - 1 <= from || !isSpace(bytes[start - 1]!)) return null
  PLAIN.end = start - 1
  PLAIN.count = count
  return PLAIN
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d
}

/** `# duration: 23873`, as austin writes them. */
function isComment(line: string): boolean {
  return line.startsWith('# ')
}

/** `0x…` for every hexadecimal number, written as `difffolded.pl -s` does: addresses differ between any two processes. */
export function stripHex(stack: string): string {
  return stack.includes('0x') ? stack.replaceAll(/0x[0-9a-fA-F]+/g, '0x...') : stack
}

interface FoldedDifferenceOptions {
  /** Scale the old counts to the sum of the new ones. */
  readonly normalize: boolean
  /** Keep fractions of counts. `difffolded.pl` does; inferno and most readers of its output know whole counts only. */
  readonly fractions: boolean
}

/**
 * The difference as `difffolded.pl OLD NEW` prints it, `frame;frame;frame OLD NEW` a line, without line ends: a line for
 * every stack of either side, 0 where a side has none. Normalised old counts are cut to whole ones, as there. The order
 * is that in which the places of the stacks first appear; `difffolded.pl` has none.
 *
 * Source: difffolded.pl and inferno's diff-folded.
 */
export function* foldedDifference(
  difference: StackDifference,
  { normalize, fractions }: FoldedDifferenceOptions,
): Generator<string> {
  const { ends, old, new: fresh } = difference
  const scaled = oldScale(difference, normalize) !== 1
  const shown = fractions ? (value: number) => value : Math.trunc
  for (let node = 1; node < ends.length; node += 1) {
    if (ends[node] === 0) continue
    const before = old.self[node]!
    // in this order, so that rounding is that of difffolded.pl
    const oldCount = scaled ? Math.trunc((before * fresh.sum) / old.sum) : shown(before)
    yield `${stackOf(difference, node)} ${text(oldCount)} ${text(shown(fresh.self[node]!))}`
  }
}

/** The stack that ends in the node, frames separated by `;`. */
export function stackOf({ frames, frame, parent }: StackDifference, node: number): string {
  const names: string[] = []
  for (let at = node; at > 0; at = parent[at]!) names.push(frames[frame[at]!]!)
  return names.reverse().join(';')
}

/**
 * The number as Perl prints it, with 15 digits, so that 0.1 + 0.2 is 0.3; but never with an exponent, which no reader
 * takes.
 */
function text(count: number): string {
  if (Number.isInteger(count)) return String(count)
  const rounded = Number(count.toPrecision(15))
  return rounded < 1e-6 ? rounded.toFixed(20).replace(/\.?0+$/, '') : String(rounded)
}
