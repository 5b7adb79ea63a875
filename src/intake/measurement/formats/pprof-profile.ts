import type { TraceType } from '../trace-type.ts'
import { MemberError } from './format.ts'
import { fieldsOf, ProtobufError, varintsOf } from './protobuf.ts'

/** What is known by its address alone. */
const UNKNOWN = '(unknown)'

const LIMITS = { samples: 1_000_000, frames: 2000, name: 1000, text: 128 * 1024 * 1024 } as const

/** The kinds of values that are read, the best first: of times the number of samples, which is exact. */
const VALUES: readonly (readonly [traceType: TraceType, has: string, value: RegExp])[] = [
  ['CPU', 'cpu/nanoseconds', /^samples?\/count$/],
  ['Real', 'wall/nanoseconds', /^samples?\/count$/],
  ['MemorySample', 'alloc_space/bytes', /^alloc_space\/bytes$/],
]

/** Takes a stack with its frames, the outermost first, joined by `;`. The same one may come again. */
type TakeStack = (stack: string, count: number) => void

/**
 * Reads a profile of pprof, as much of `profile.proto` as stacks need. Throws `MemberError` where the bytes are none, or one of
 * another kind, or more than a profile has.
 */
export function pprofProfile(bytes: Uint8Array, take: TakeStack): TraceType {
  try {
    return new Profile(bytes).read(take)
  } catch (error) {
    if (error instanceof ProtobufError) throw new MemberError(`this is not a profile of pprof: ${error.message}`)
    throw error
  }
}

/** Fields of `Profile`, `ValueType`, `Sample`, `Location`, `Line` and `Function`. */
const PROFILE = { sampleType: 1, sample: 2, location: 4, function: 5, string: 6 } as const
const TYPE = { type: 1, unit: 2 } as const
const SAMPLE = { location: 1, value: 2 } as const
const LOCATION = { id: 1, line: 4 } as const
const FUNCTION = { id: 1, name: 2 } as const
const LINE_FUNCTION = 1

class Profile {
  readonly #bytes: Uint8Array
  readonly #strings: Uint8Array[] = []
  readonly #functions = new Map<number, number>()
  /** The functions at a place, the innermost first: those that were inlined there stand before their caller. */
  readonly #locations = new Map<number, readonly number[]>()
  readonly #types: Uint8Array[] = []
  readonly #samples: Uint8Array[] = []
  readonly #names = new Map<number, string>()

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  read(take: TakeStack): TraceType {
    for (const { number, bytes } of fieldsOf(this.#bytes)) {
      if (bytes === null) continue
      if (number === PROFILE.string) this.#strings.push(bytes)
      else if (number === PROFILE.sampleType) this.#types.push(bytes)
      else if (number === PROFILE.sample) this.#samples.push(bytes)
      else if (number === PROFILE.function) this.#function(bytes)
      else if (number === PROFILE.location) this.#location(bytes)
      if (this.#samples.length > LIMITS.samples) {
        throw new MemberError(`it has more than ${LIMITS.samples.toLocaleString('en')} samples`)
      }
    }
    const types = this.#types.map((type) => this.#type(type))
    for (const [traceType, has, value] of VALUES) {
      const place = types.findIndex((type) => value.test(type))
      if (!types.includes(has) || place < 0) continue
      this.#stacks(place, take)
      return traceType
    }
    const kinds = types.join(', ').slice(0, 200) || 'nothing'
    throw new MemberError(`it is a profile of ${kinds}; only profiles of CPU, wall-clock time and allocations are read`)
  }

  #stacks(place: number, take: TakeStack): void {
    let text = 0
    for (const bytes of this.#samples) {
      const locations: number[] = []
      const values: number[] = []
      for (const field of fieldsOf(bytes)) {
        const into = field.number === SAMPLE.location ? locations : field.number === SAMPLE.value ? values : null
        if (into === null) continue
        // the outermost frames of an endless recursion are all the same
        for (const value of varintsOf(field)) if (into.length < LIMITS.frames) into.push(value)
      }
      const count = values[place] ?? 0
      if (count <= 0) continue
      const frames = locations.flatMap((location) => this.#locations.get(location) ?? [])
      const stack = frames
        .slice(0, LIMITS.frames)
        .reverse()
        .map((id) => this.#nameOf(id))
        .join(';')
      text += stack.length
      if (text > LIMITS.text)
        throw new MemberError(`its stacks have more than ${LIMITS.text.toLocaleString('en')} characters`)
      take(stack === '' ? UNKNOWN : stack, count)
    }
  }

  #type(bytes: Uint8Array): string {
    let [type, unit] = ['', '']
    for (const { number, value } of fieldsOf(bytes)) {
      if (number === TYPE.type) type = this.#string(value)
      if (number === TYPE.unit) unit = this.#string(value)
    }
    return `${type}/${unit}`
  }

  #function(bytes: Uint8Array): void {
    let [id, name] = [0, 0]
    for (const { number, value } of fieldsOf(bytes)) {
      if (number === FUNCTION.id) id = value ?? 0
      if (number === FUNCTION.name) name = value ?? 0
    }
    this.#functions.set(id, name)
  }

  #location(bytes: Uint8Array): void {
    let id = 0
    const functions: number[] = []
    for (const field of fieldsOf(bytes)) {
      if (field.number === LOCATION.id) id = field.value ?? 0
      if (field.number !== LOCATION.line || field.bytes === null) continue
      for (const { number, value } of fieldsOf(field.bytes)) {
        if (number === LINE_FUNCTION && functions.length < LIMITS.frames) functions.push(value ?? 0)
      }
    }
    this.#locations.set(id, functions)
  }

  #nameOf(id: number): string {
    const known = this.#names.get(id)
    if (known !== undefined) return known
    // a semicolon parts frames
    const name =
      this.#string(this.#functions.get(id) ?? 0)
        .replaceAll(/[;\p{Cc}]/gu, ' ')
        .trim() || UNKNOWN
    this.#names.set(id, name)
    return name
  }

  #string(index: number | null): string {
    const bytes = this.#strings[index ?? 0]
    return bytes === undefined ? '' : new TextDecoder().decode(bytes.subarray(0, LIMITS.name))
  }
}
