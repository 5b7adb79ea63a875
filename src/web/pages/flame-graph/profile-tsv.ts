import { stackOf } from '../../../profile/folded-difference.ts'
import type { StackDifference } from '../../../profile/stack-difference.ts'
import type { TextInPieces } from '../../kit/text-pieces.ts'
import { type TsvColumn, tsvTable } from '../../kit/tsv.ts'

/** A line for every stack of either side: the frames, outermost first, and how often each side has it. */
export function profileTsv(difference: StackDifference): TextInPieces {
  const columns: readonly TsvColumn<number>[] = [
    ['stack', (node) => stackOf(difference, node)],
    ['old', (node) => difference.old.self[node]!],
    ['new', (node) => difference.new.self[node]!],
  ]
  const nodes = Array.from(difference.parent.keys()).filter(
    (node) => difference.old.self[node]! > 0 || difference.new.self[node]! > 0,
  )
  return tsvTable(columns, () => nodes)
}
