import { InvalidArgumentError } from 'commander'
import { UNITS, type Unit } from '../profile/unit.ts'

/** What `flamegraph` can print. */
export const FLAMEGRAPH_OUTPUTS = ['text', 'svg', 'folded', 'json'] as const
export type FlamegraphOutput = (typeof FLAMEGRAPH_OUTPUTS)[number]

/** `flamegraph`, as the command line gives it. */
export interface FlamegraphOptions {
  /** `-` is stdin. */
  readonly old: string
  readonly new: string
  readonly as: FlamegraphOutput
  readonly normalize: boolean
  readonly stripHex: boolean
  readonly fractions: boolean
  readonly icicle: boolean
  readonly unit: Unit
  /** The heading of the graph; null: made from the names of the files. */
  readonly title: string | null
}

export function parseOutput(text: string): FlamegraphOutput {
  return oneOf(FLAMEGRAPH_OUTPUTS, text)
}

export function parseUnit(text: string): Unit {
  return oneOf(UNITS, text)
}

function oneOf<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text.trim())
  if (found === undefined) throw new InvalidArgumentError(`There are: ${names.join(', ')}.`)
  return found
}
