import { oldScale, type StackDifference } from './stack-difference.ts'

export interface FoldedDifferenceOptions {
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

/** As Perl prints a number, with 15 digits, so that 0.1 + 0.2 is 0.3; but never with an exponent, which no reader takes. */
function text(count: number): string {
  if (Number.isInteger(count)) return String(count)
  const rounded = Number(count.toPrecision(15))
  return rounded < 1e-6 ? rounded.toFixed(20).replace(/\.?0+$/, '') : String(rounded)
}
