import { Buffer } from 'node:buffer'
import { type StackCounts, splitLine } from '../stack-counts.ts'
import type { TraceType } from '../trace-type.ts'
import {
  type Contribution,
  type Format,
  MemberError,
  type MemberReader,
  NOTHING,
  type ReaderContext,
} from './format.ts'

const PPROF = /\.(?:pprof|prof|pb)$|^(?:cpu|mem|alloc)profile$/i
const FOLDED = /\.(?:folded|collapsed)$/i

const companion = {
  name: 'profile',
  companion: true,
  // a side's own; where the whole source is of one side it is, too
  oneSided: true,
  mayRepeat: true,
  claim: () => null,
} as const

/** Profiles that lie beside results: those of pprof, as `go test -cpuprofile` writes them, and folded stacks. */
export const profileFiles: readonly Format[] = [
  {
    ...companion,
    looksFor: '*.pprof, *.prof, *.pb.gz',
    matchesName: (fileName) => (PPROF.test(fileName) ? 'yes' : /\.out$/i.test(fileName) ? 'maybe' : 'no'),
    matchesContent: beginsAsPprof,
    reader: async (context) => {
      const { pprofProfile } = await import('./pprof-profile.ts')
      return new PprofReader(context, pprofProfile)
    },
  },
  {
    ...companion,
    looksFor: '*.folded, *.collapsed',
    matchesName: (fileName) => (FOLDED.test(fileName) ? 'yes' : 'no'),
    matchesContent: () => false,
    reader: (context) => new FoldedReader(context),
  },
]

/** A profile of Go has some 100 KiB. */
export const MOST_PPROF_BYTES = 64 * 1024 * 1024

/** The first field is the first kind of values, at most two numbers; Go writes the time before it. */
function beginsAsPprof(head: string): boolean {
  const types = head.replace(/^H\P{ASCII}{0,9}\p{ASCII}/u, '')
  return types.startsWith('\n') && types.charCodeAt(1) <= 8 && types.charCodeAt(2) === 8
}

/** Whether a file, given by its name without a compression and its beginning, is a profile of pprof, or should be one. */
export function isPprof(fileName: string, head: string): boolean {
  return PPROF.test(fileName) || beginsAsPprof(head)
}

type ReadPprof = (bytes: Uint8Array, take: (stack: string, count: number) => void) => TraceType

class PprofReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #readPprof: ReadPprof
  readonly #chunks: Uint8Array[] = []
  #size = 0

  constructor(context: ReaderContext, readPprof: ReadPprof) {
    this.#context = context
    this.#readPprof = readPprof
  }

  chunk(bytes: Uint8Array): void {
    this.#size += bytes.length
    if (this.#size > MOST_PPROF_BYTES)
      throw new MemberError(`it has more than ${MOST_PPROF_BYTES.toLocaleString('en')} bytes`)
    this.#chunks.push(bytes)
  }

  line(): void {}

  end(stopped: boolean): Contribution {
    if (stopped) throw new MemberError('it was not read completely')
    const { stacks } = this.#context
    const counts = stacks.open()
    const traceType = this.#readPprof(Buffer.concat(this.#chunks), (stack, count) => stacks.add(counts, stack, count))
    return contributionOf(this.#context, traceType, counts)
  }
}

const CUT = 'the last line has no newline, so it may be cut off: skipped'
const NO_STACK_AND_COUNT = 'not a stack followed by a whole count: skipped'

/** `frame;frame;frame COUNT` a line: samples of the processor. */
class FoldedReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #counts: StackCounts

  constructor(context: ReaderContext) {
    this.#context = context
    this.#counts = context.stacks.open()
  }

  line(text: string, number: number, ended: boolean): void {
    const { stacks, warn } = this.#context
    if (text.trim() === '' || text.startsWith('# ')) return
    const found = ended ? splitLine(text) : null
    if (found === null) warn('malformed-line', number, ended ? NO_STACK_AND_COUNT : CUT)
    else if (found.count >= 1) stacks.add(this.#counts, found.stack, Math.round(found.count))
  }

  end(): Contribution {
    return contributionOf(this.#context, 'CPU', this.#counts)
  }
}

/** Of a profile of which nothing says the side nobody knows what it differs from. */
function contributionOf(
  { side: given, sideOfName, fileName, where }: ReaderContext,
  traceType: TraceType,
  counts: StackCounts,
): Contribution {
  const side = given ?? sideOfName
  if (side === null) return NOTHING
  const name = fileName.replace(/(?:[-_.](?:old|base|new|head))?(?:\.[a-z\d]{1,12}){0,2}$/i, '')
  return { ...NOTHING, stacks: { kind: 'run', side, where, name, traceType, counts } }
}
