import * as fc from 'fast-check'
import { Warnings } from '../../../src/intake/measurement/warnings.ts'
import { readFolded } from '../../../src/judge/profile/folded.ts'
import type { StackDifference } from '../../../src/judge/profile/stack-difference.ts'
import { StackTree } from '../../../src/judge/profile/stack-tree.ts'

/** A stack and its count. */
export type Stack = readonly [stack: string, count: number]

/** The difference of two lists of stacks. */
export function differenceOf(old: readonly Stack[], fresh: readonly Stack[]): StackDifference {
  const tree = new StackTree()
  for (const [stack, count] of old) tree.add(stack, 'old', count)
  for (const [stack, count] of fresh) tree.add(stack, 'new', count)
  return tree.finish()
}

export interface FoldedRead {
  readonly difference: StackDifference
  readonly badLines: number
  readonly stacks: number
  /** `where: message` */
  readonly warnings: readonly string[]
}

/** Reads pieces of a file as the old side. */
export async function readOld(pieces: readonly (Uint8Array | string)[]): Promise<FoldedRead> {
  const tree = new StackTree()
  const warnings = new Warnings(100)
  const encoder = new TextEncoder()
  const bytes = async function* () {
    for (const piece of pieces) yield typeof piece === 'string' ? encoder.encode(piece) : piece
  }
  const read = await readFolded(bytes(), { tree, side: 'old', where: 'f', warnings, stripHex: false })
  const list = warnings.list().map(({ where, message }) => `${where}: ${message}`)
  return { ...read, difference: tree.finish(), warnings: list }
}

/** Stacks with few names, so that they share frames, recurse and come twice. */
export const stacks = (): fc.Arbitrary<Stack[]> =>
  fc.array(
    fc.tuple(
      fc
        .array(fc.constantFrom('a', 'b', 'c', 'aa', 'A::b<c, d>', '', 'é→'), { minLength: 1, maxLength: 6 })
        .map((frames) => frames.join(';')),
      fc.integer({ min: 0, max: 1000 }),
    ),
    { maxLength: 40 },
  )
