import { Buffer } from 'node:buffer'

/** Looks at the beginning of a stream without losing it, to recognise its format. */

export interface Peeked {
  /** The first `count` bytes; fewer when there are no more. */
  readonly head: Uint8Array
  /**
   * The whole again from its beginning. Its iterator passes `return` on also where nothing was read of it: a stream that
   * is only looked at is let go.
   */
  readonly bytes: AsyncIterable<Uint8Array>
}

export interface PeekOptions {
  /** Bytes that end with an error before `count` are given all the same, and the error after them. */
  readonly untilError?: boolean
}

/**
 * The first `count` bytes and the whole. Throws the error of the bytes when they end with one before `count`; with
 * `untilError` only when nothing came before it.
 */
export async function peek(
  bytes: AsyncIterable<Uint8Array>,
  count: number,
  { untilError = false }: PeekOptions = {},
): Promise<Peeked> {
  const iterator = bytes[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let failure: Failure | null = null
  let length = 0
  while (length < count) {
    try {
      const next = await iterator.next()
      if (next.done === true) break
      chunks.push(next.value)
      length += next.value.length
    } catch (error) {
      if (!untilError || length === 0) throw error
      failure = { error }
      break
    }
  }
  // a copy: who reads the whole may give its memory back
  const head = Buffer.concat(chunks, Math.min(length, count))
  return { head, bytes: new Replay(chunks, iterator, failure) }
}

/** Ends a stream that is not read to its end; of one that was, nothing happens. */
export async function closeBytes(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await bytes[Symbol.asyncIterator]().return?.()
}

/** How a stream has ended before its time. */
interface Failure {
  readonly error: unknown
}

/** The chunks, then the rest. No generator: one that nobody has started does not run its `finally` when it is closed. */
class Replay implements AsyncIterableIterator<Uint8Array, undefined> {
  /** The last one first: taking from the front of a long list takes as long as it is. */
  readonly #chunks: Uint8Array[]
  readonly #rest: AsyncIterator<Uint8Array>
  readonly #failure: Failure | null
  #isDone = false

  constructor(chunks: Uint8Array[], rest: AsyncIterator<Uint8Array>, failure: Failure | null) {
    this.#chunks = chunks.toReversed()
    this.#rest = rest
    this.#failure = failure
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#isDone) return DONE
    const chunk = this.#chunks.pop()
    if (chunk !== undefined) return { done: false, value: chunk }
    try {
      if (this.#failure !== null) throw this.#failure.error
      const next = await this.#rest.next()
      if (next.done !== true) return next
    } catch (error) {
      this.#isDone = true
      throw error
    }
    this.#isDone = true
    return DONE
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isDone) {
      this.#isDone = true
      this.#chunks.length = 0
      await this.#rest.return?.()
    }
    return DONE
  }
}

const DONE = { done: true, value: undefined } as const
