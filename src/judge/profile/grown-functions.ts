import { TRACE_TYPES, TRACE_UNITS, type TraceType, type Unit } from '../../intake/measurement/trace-type.ts'
import { frameChanges } from './frame-changes.ts'
import { frameName } from './function-name.ts'
import type { StackDifference } from './stack-difference.ts'
import { countsSamples, FEWEST_STACK_SAMPLES, sharesDiffer } from './thresholds.ts'

/**
 * How much a share of all stack samples must have grown to count. What slows a query by the 5% that are called a change
 * takes about 5 points more; less than 2 explains little of any slowdown.
 *
 * Triggers: 31% → 44%, 0% → 2%. Does not: 31% → 32%, however many samples there are.
 */
export const FEWEST_POINTS_GROWN = 0.02

/**
 * Standard errors that it must have grown by. A profile has some hundred functions: at the two of `STANDARD_ERRORS` a few
 * of them would have grown by chance, at three it is one in 700.
 *
 * Triggers: 310 of 1,000 → 440 of 1,000 (6.0). Does not: 310 of 1,000 → 360 of 1,000 (2.4).
 */
export const GROWN_ERRORS = 3

/** A function over all its places in the stacks: whatever its parameters and template arguments are, its lambdas included. */
export interface ProfiledFunction {
  /** The function's name as `functionName` gives it; the frame's own text, or its file, where it names no function. */
  readonly name: string
  /** The parts of the name, outermost first; null where the frame names no function. */
  readonly parts: readonly string[] | null
  /** The source files that its frames name, as they name them. */
  readonly files: readonly string[]
}

/** A function whose share grew by more than chance, with what it calls or by itself. */
export interface GrownFrame extends ProfiledFunction {
  /**
   * Shares of all stack samples of the side, with everything that the function calls where that grew, else by itself;
   * fractions.
   */
  readonly oldShare: number
  readonly newShare: number
}

/** The findings of two profiles about where the time went. */
export interface GrownFunctions {
  /** Enough stack samples on both sides to say that something has not grown. */
  readonly isEnough: boolean
  /** Largest growth first. Empty where there are not enough. */
  readonly grown: readonly GrownFrame[]
  /** Every function that is in one stack with one of them, themselves included: their callers and what they call. */
  readonly near: readonly ProfiledFunction[]
  /** Every function that the new side has a frame of: it is not compiled into others everywhere. */
  readonly seen: readonly ProfiledFunction[]
}

/**
 * Only samples are counted one by one, so that chance can be told: of bytes nothing is said.
 *
 * Frames of one function are one, since a new parameter, another template argument or a line that moved would otherwise be
 * a function that is gone and one that has grown from nothing.
 */
export function grownFunctions(difference: StackDifference, unit: Unit): GrownFunctions {
  const { old, new: fresh } = difference
  const isEnough =
    countsSamples(difference, unit) && old.sum >= FEWEST_STACK_SAMPLES && fresh.sum >= FEWEST_STACK_SAMPLES
  if (!isEnough) return { isEnough, grown: [], near: [], seen: [] }
  const { functions, byFunction } = functionsOf(difference)
  const grown: GrownFrame[] = []
  const isGrown = new Set<number>()
  const changes = frameChanges(byFunction)
  for (const [id, { total, self }] of changes.entries()) {
    const share = [total, self].find(
      (one) =>
        one.newShare - one.oldShare >= FEWEST_POINTS_GROWN &&
        sharesDiffer(one.old, old.sum, one.new, fresh.sum, GROWN_ERRORS),
    )
    if (share === undefined) continue
    isGrown.add(id)
    grown.push({ ...functions[id]!, oldShare: share.oldShare, newShare: share.newShare })
  }
  grown.sort((a, b) => b.newShare - b.oldShare - (a.newShare - a.oldShare) || (a.name < b.name ? -1 : 1))
  return {
    isEnough,
    grown,
    near: nearTo(byFunction, isGrown).map((id) => functions[id]!),
    seen: functions.filter((_, id) => changes[id]!.total.new > 0),
  }
}

/** The same stacks with a frame for each function. */
function functionsOf(difference: StackDifference): {
  readonly functions: readonly ProfiledFunction[]
  readonly byFunction: StackDifference
} {
  const functions: { name: string; parts: readonly string[] | null; files: string[] }[] = []
  const ids = new Map<string, number>()
  const idOf = difference.frames.map((frame) => {
    const { parts, file } = frameName(frame)
    const name = parts?.join('::') ?? file ?? frame
    let id = ids.get(name)
    if (id === undefined) {
      id = functions.push({ name, parts, files: [] }) - 1
      ids.set(name, id)
    }
    const { files } = functions[id]!
    if (file !== null && !files.includes(file)) files.push(file)
    return id
  })
  return {
    functions,
    byFunction: {
      ...difference,
      frames: functions.map(({ name }) => name),
      frame: difference.frame.map((frame) => (frame === -1 ? -1 : idOf[frame]!)),
    },
  }
}

const BELOW = 1
const ABOVE = 2

function nearTo({ frame, parent }: StackDifference, isGrown: ReadonlySet<number>): number[] {
  const marks = new Uint8Array(parent.length)
  // a child comes after its parent
  for (let node = 1; node < parent.length; node += 1) {
    if (isGrown.has(frame[node]!) || (marks[parent[node]!]! & BELOW) !== 0) marks[node] = BELOW
  }
  for (let node = parent.length - 1; node > 0; node -= 1) {
    if (isGrown.has(frame[node]!) || (marks[node]! & ABOVE) !== 0) marks[parent[node]!]! |= ABOVE
  }
  const near = new Set<number>()
  for (let node = 1; node < parent.length; node += 1) if (marks[node] !== 0) near.add(frame[node]!)
  return [...near]
}

/** How much there is of a trace type on each side, in its unit. */
interface TraceSums {
  readonly traceType: TraceType
  readonly old: number
  readonly new: number
}

/**
 * The profile to speak of. Processor time says most of a program's own code, so it comes first where it has enough stack
 * samples on both sides; then time on the clock, then memory. Where none has enough it is the fullest of stack samples on
 * its emptier side, and too few is what is said of it; null: there is nothing.
 */
export function chooseTraceType(sums: readonly TraceSums[]): TraceType | null {
  const ordered = TRACE_TYPES.flatMap((type) => sums.find(({ traceType }) => traceType === type) ?? [])
  const isEnough = ({ traceType, old, new: fresh }: TraceSums) =>
    Math.min(old, fresh) >= (TRACE_UNITS[traceType] === 'samples' ? FEWEST_STACK_SAMPLES : 1)
  const enough = ordered.find(isEnough)
  if (enough !== undefined) return enough.traceType
  const fuller = ordered
    .filter((one) => one.old + one.new > 0)
    .toSorted((a, b) => Math.min(b.old, b.new) - Math.min(a.old, a.new))
  return fuller[0]?.traceType ?? null
}
