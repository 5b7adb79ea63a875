/** The bytes are no message of Protocol Buffers. */
export class ProtobufError extends Error {}

/** A field of a message: a number, or bytes, which are a text, a message or a list of numbers. */
export interface ProtobufField {
  readonly number: number
  /** Of a negative number -1, whichever it is; null: it has bytes, or is of a fixed size. */
  readonly value: number | null
  readonly bytes: Uint8Array | null
}

const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5
const LONGEST_VARINT = 10

/** The fields of a message one after the other. Throws `ProtobufError` where it ends within one, or is none. */
export function* fieldsOf(message: Uint8Array): Generator<ProtobufField> {
  let at = 0
  while (at < message.length) {
    const key = varint(message, at)
    at = key.end
    const number = Math.floor(key.value / 8)
    const kind = key.value % 8
    if (number < 1 || number > 536_870_911) throw new ProtobufError('a field has no number')
    if (kind === VARINT) {
      const { value, end } = varint(message, at)
      at = end
      yield { number, value, bytes: null }
    } else if (kind === BYTES) {
      const { value: length, end } = varint(message, at)
      at = end + length
      if (length < 0 || at > message.length) throw new ProtobufError('it ends too early')
      yield { number, value: null, bytes: message.subarray(end, at) }
    } else if (kind === FIXED_64 || kind === FIXED_32) {
      at += kind === FIXED_64 ? 8 : 4
      if (at > message.length) throw new ProtobufError('it ends too early')
      yield { number, value: null, bytes: null }
    } else {
      throw new ProtobufError(`a field is of the kind ${kind}`)
    }
  }
}

/** The numbers of a field that may come more than once: packed into one, or each by itself. */
export function* varintsOf({ value, bytes }: ProtobufField): Generator<number> {
  if (value !== null) yield value
  if (bytes === null) return
  let at = 0
  while (at < bytes.length) {
    const found = varint(bytes, at)
    at = found.end
    yield found.value
  }
}

/** Ids above 2^53 lose their last digits, alike wherever they stand. */
function varint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let place = 0; place < LONGEST_VARINT; place += 1) {
    const byte = bytes[start + place]
    if (byte === undefined) throw new ProtobufError('it ends too early')
    // the tenth byte is the sign
    if (place === LONGEST_VARINT - 1) return { value: -1, end: start + LONGEST_VARINT }
    value += (byte & 0x7f) * 2 ** (7 * place)
    if (byte < 0x80) return { value, end: start + place + 1 }
  }
  throw new ProtobufError('a number does not end')
}
