import { Readable, type Transform } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'
import type { Budget } from '../measurement/budget.ts'
import { LimitReached } from '../measurement/limits.ts'

/** A stream of one file, compressed. */
export type CompressedStream = 'gzip' | 'zstd'

/** The kind of a file, by its first bytes: an archive of several files, or one that is compressed. */
export type Container = 'zip' | 'tar' | CompressedStream

/** Bytes that `containerOf` needs: the mark of a tar stands at 257. */
export const MAGIC_BYTES = 512

export function containerOf(head: Uint8Array): Container | null {
  const [a, b, c, d] = head
  if (a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6))) return 'zip'
  if (a === 0x1f && b === 0x8b) return 'gzip'
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return 'zstd'
  // a skippable frame may stand before the first one
  if (a !== undefined && a >= 0x50 && a <= 0x5f && b === 0x2a && c === 0x4d && d === 0x18) return 'zstd'
  if (head.length >= 262 && String.fromCharCode(...head.subarray(257, 262)) === 'ustar') return 'tar'
  return null
}

/** Whether a member's name promises an archive worth opening, though what is in it is not known. */
export function isArchiveName(name: string): boolean {
  return /\.(?:zip|tar|tgz|tzst|tar\.gz|tar\.zst)$/i.test(name)
}

/** zstd's own default: a frame that wants a larger window than 128 MiB is refused instead of given the memory. */
const LARGEST_WINDOW_LOG = 27

const CHUNK_BYTES = 64 * 1024

type Bytes = AsyncIterable<Uint8Array>

const DECODERS = { gzip: gunzip, zstd: unzstd } as const satisfies Record<CompressedStream, unknown>

/** The contents of a compressed stream. Throws `LimitReached`, or zlib's error when the stream is cut or wrong. */
export function decompress(container: CompressedStream, bytes: Bytes, budget: Budget): AsyncGenerator<Uint8Array> {
  return DECODERS[container](bytes, budget)
}

async function* gunzip(bytes: Bytes, budget: Budget): AsyncGenerator<Uint8Array> {
  budget.decoder()
  const gauge = new Gauge(budget)
  const input = Readable.from(gauge.counted(bytes), { objectMode: false, highWaterMark: CHUNK_BYTES })
  const engine = createGunzip({ chunkSize: CHUNK_BYTES })
  input.on('error', (error) => engine.destroy(error))
  input.pipe(engine)
  try {
    for await (const chunk of engine as AsyncIterable<Uint8Array>) {
      gauge.out(chunk.length)
      yield chunk
    }
  } finally {
    input.destroy()
    engine.destroy()
  }
}

/** All frames of a zstd stream: Node's decoder ends after the first one and drops the rest without a word. */
async function* unzstd(bytes: Bytes, budget: Budget): AsyncGenerator<Uint8Array> {
  const gauge = new Gauge(budget)
  const input = new Pushback(gauge.counted(bytes))
  try {
    for (let frames = 1; (await input.peek()) !== null; frames += 1) {
      if (frames > budget.limits.frames) throw new LimitReached('frames', budget.limits.frames, false)
      budget.decoder()
      const engine = createZstdDecompress({
        chunkSize: CHUNK_BYTES,
        params: { [constants.ZSTD_d_windowLogMax]: LARGEST_WINDOW_LOG },
      })
      const fed = feed(engine, input)
      // the loop below fails with the same error; this one only must not be left unhandled
      fed.catch(() => undefined)
      try {
        for await (const chunk of engine as AsyncIterable<Uint8Array>) {
          gauge.out(chunk.length)
          yield chunk
        }
        await fed
      } finally {
        engine.destroy()
      }
    }
  } finally {
    await input.close()
  }
}

/** Writes chunk by chunk until the decoder has had enough, and puts back what it did not take. */
async function feed(engine: Transform & { readonly bytesWritten: number }, input: Pushback): Promise<void> {
  try {
    let open = true
    const ended = new Promise<void>((resolve) => {
      const close = (): void => {
        open = false
        resolve()
      }
      engine.once('end', close)
      engine.once('close', close)
    })
    for (let chunk = await input.next(); chunk !== null; chunk = await input.next()) {
      const before = engine.bytesWritten
      const piece = chunk
      await Promise.race([ended, new Promise<void>((resolve) => engine.write(piece, () => resolve()))])
      const taken = engine.bytesWritten - before
      if (taken < chunk.length) {
        // a decoder that takes nothing would be given the same bytes for ever
        if (engine.bytesWritten === 0) throw new Error('the zstd decoder takes no bytes')
        input.putBack(chunk.subarray(taken))
        break
      }
      if (!open) return
    }
    engine.end()
  } catch (error) {
    engine.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  }
}

/** Chunks one by one, of which the last can be put back. */
class Pushback {
  readonly #iterator: AsyncIterator<Uint8Array>
  #back: Uint8Array | null = null

  constructor(bytes: Bytes) {
    this.#iterator = bytes[Symbol.asyncIterator]()
  }

  putBack(chunk: Uint8Array): void {
    this.#back = chunk.length > 0 ? chunk : null
  }

  /** The next chunk, null at the end. */
  async next(): Promise<Uint8Array | null> {
    const back = this.#back
    this.#back = null
    if (back !== null) return back
    for (;;) {
      const next = await this.#iterator.next()
      if (next.done === true) return null
      if (next.value.length > 0) return next.value
    }
  }

  async peek(): Promise<Uint8Array | null> {
    this.#back ??= await this.next()
    return this.#back
  }

  async close(): Promise<void> {
    await this.#iterator.return?.()
  }
}

/** Compares what came out of a decompressor with what went in. */
export class Gauge {
  readonly #budget: Budget
  #in = 0
  #out = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  async *counted(bytes: Bytes): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.#in += chunk.length
      yield chunk
    }
  }

  in(count: number): void {
    this.#in += count
  }

  /** Throws `LimitReached` when too much came out for what went in, or out of the whole source. */
  out(count: number): void {
    this.#budget.bytes(count)
    this.#out += count
    const { ratio, ratioFrom } = this.#budget.limits
    if (this.#out > ratioFrom && this.#out > ratio * this.#in) throw new LimitReached('ratio', ratio, false)
  }
}
