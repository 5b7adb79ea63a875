import { readLines } from '../measurement/lines.ts'
import type { Side } from '../measurement/run.ts'
import { SourceError } from '../measurement/source-error.ts'
import { splitLine } from '../measurement/stack-counts.ts'
import type { Warnings } from '../measurement/warnings.ts'
import { STACK_LIMITS } from './limits.ts'
import type { StackRefusal, StackTree } from './stack-tree.ts'
import { stripHex } from './strip-hex.ts'
import { asUtf8 } from './utf8.ts'

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

/** What a file of folded stacks held. */
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

/** What is wrong with a line. */
const NO_COUNT = 'no stack with a count at its end'
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
  const bad = (number: number, message: string): void => {
    badLines += 1
    warnings.add('malformed-line', where, number, message)
  }
  await readLines(
    asUtf8(bytes),
    STACK_LIMITS.lineLength,
    (line, number) => {
      const found = splitLine(line)
      if (found === null) {
        if (line.trim() !== '' && !isComment(line)) bad(number, NO_COUNT)
        return
      }
      if (isComment(line)) return
      const refusal = tree.add(into.stripHex ? stripHex(found.stack) : found.stack, side, found.count)
      if (refusal !== null) throw new SourceError('unreadable', `${where}:${number}: ${REFUSALS[refusal]}`)
      stacks += 1
    },
    (number) => bad(number, TOO_LONG),
  )
  return { stacks, badLines }
}

/** `# duration: 23873`, as austin writes them. */
function isComment(line: string): boolean {
  return line.startsWith('# ')
}
