import type { Format } from './formats/format.ts'
import { compileGlob, type Glob, matchesGlob } from './glob.ts'
import { looksLike } from './near-miss.ts'
import { baseName } from './source.ts'

/** Names of members that were seen and not wanted, kept for a message. */
const NAMES_SHOWN = 5

/** Formats that are named where they are few, and those that stand for all where they are many. */
const FORMATS_SHOWN = 8
const KNOWN_TO_MANY = [
  'clickhouse-raw',
  'go',
  'jmh',
  'criterion',
  'google-benchmark',
  'hyperfine',
  'pytest-benchmark',
  'measurements',
]

/** Files that a tool opens before it measures, and leaves empty where it fails. */
const EMPTIED = /\.(?:json|xml)$/i

/** The folder of the confirmation rerun of ClickHouse's perf.py: the same files again, of flagged queries only, are no run. */
const CONFIRMATION_FOLDER = 'analyze-confirm'

/** Outputs of the copy of the base, of which `measure.json` says what they gave: they are of neither side. */
export const EQUAL_BUILDS_FOLDER = 'equal-builds'

/** Decides by a member's path alone whether it is worth opening. */
export class Interest {
  readonly formats: readonly Format[]
  readonly #pattern: string | null
  readonly #glob: Glob | null
  readonly #passedOver: string[] = []
  #passedOverCount = 0
  #emptyCount = 0

  /** `pattern` picks measurement members; companions are read by their own names. */
  constructor(formats: readonly Format[], pattern: string | null) {
    this.formats = formats
    this.#pattern = pattern
    this.#glob = pattern === null ? null : compileGlob(pattern)
  }

  /** The formats that the member's name allows, best first; empty when it is not to be read. */
  candidates(name: string, direct: boolean): readonly Format[] {
    if (name.split('/').includes(EQUAL_BUILDS_FOLDER)) return []
    const fileName = withoutCompression(baseName(name))
    const isConfirming = isOfConfirmation(name)
    const known = this.formats.filter((format) => (format.ofConfirmation ?? false) === isConfirming)
    const sure = known.filter((format) => format.matchesName(fileName) === 'yes')
    if (isConfirming) return sure
    const companions = sure.filter((format) => format.companion)
    if (companions.length > 0) return companions
    if (direct) return sure.length > 0 ? sure : known
    if (this.#glob !== null) {
      if (!fits(this.#glob, name) && !fits(this.#glob, withoutCompression(name))) return []
      return sure.length > 0 ? sure : known
    }
    return sure.length > 0 ? sure : known.filter((format) => format.matchesName(fileName) === 'maybe')
  }

  /** True when the member is to be opened; the others are remembered for the message that nothing was found. */
  wants(name: string): boolean {
    if (this.candidates(name, false).length > 0) return true
    this.passOver(name, null)
    return false
  }

  /** How many of those are empty, as a tool leaves the file of its results where it fails. */
  get empty(): number {
    return this.#emptyCount
  }

  get passedOver(): number {
    return this.#passedOverCount
  }

  /** `head`: how the file begins; null where it was not opened. */
  passOver(name: string, head: string | null): void {
    this.#passedOverCount += 1
    if (head === '' && EMPTIED.test(name)) this.#emptyCount += 1
    if (this.#passedOver.length >= NAMES_SHOWN) return
    const looks = looksLike(name, head)
    this.#passedOver.push(`${name.slice(0, 100)}${looks === null ? '' : ` (looks like ${looks})`}`)
  }

  /** The formats that are read, by name. */
  names(): string {
    const names = new Set(this.formats.filter((format) => !format.companion).map(({ name }) => name))
    if (names.size <= FORMATS_SHOWN) return [...names].join(', ')
    return `${KNOWN_TO_MANY.join(', ')} and ${names.size - KNOWN_TO_MANY.length} more (perf-triage classify --help lists all)`
  }

  /** `found …; formats that are read: …`: why there was nothing to read. */
  explain(): string {
    const more = this.#passedOverCount - this.#passedOver.length
    const names = `${this.#passedOver.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
    const unfit = this.#pattern === null ? 'no results' : `nothing matching ${this.#pattern}`
    const found = this.#passedOverCount === 0 ? unfit : `${names}, and ${unfit}`
    return `found ${found}; supported formats: ${this.names()}`
  }
}

/** `sum-raw.tsv` for `sum-raw.tsv.zst`. */
export function withoutCompression(name: string): string {
  return name.replace(/\.(?:gz|zst)$/i, '')
}

function fits(glob: Glob, name: string): boolean {
  return matchesGlob(glob, name.split('/'))
}

function isOfConfirmation(name: string): boolean {
  return name.split('/').includes(CONFIRMATION_FOLDER)
}
