import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { TextInPieces } from '../../text/text-pieces.ts'

/** Characters above which an answer is not held as a whole. A report of 3,000 queries on two architectures has that many. */
export const LARGE_FROM = 2 * 2 ** 20

/** Bytes before compression. A row of 2,000 metrics with 100 repetitions and short names has a tenth of it. */
export const MOST_BYTES = 256 * 2 ** 20

/** An answer's rows are held until it is sent: some 200 MiB of the largest report that is stored. */
const MOST_AT_ONCE = 2

/** The time from the first piece to the last one, in milliseconds; somebody who reads more slowly does not get all of it. */
const LONGEST = 5 * 60_000

const CHUNK = 64 * 1024

export interface LargeAnswersOptions {
  readonly mostAtOnce?: number
  readonly mostBytes?: number
  /** Milliseconds. */
  readonly longest?: number
}

/** A place that its holder gives back; a second time does nothing. */
export interface Place {
  release(): void
}

/** Sends texts that are too large to be held, a few at a time. */
export interface LargeAnswers {
  /** null: as many as there may be are under way. */
  take(): Place | null
  /** Reads it once: the weak entity tag of the content; null where it has more bytes than may be sent. */
  measured(text: TextInPieces): Promise<string | null>
  /** Reads it again, at the pace of whoever takes it, and releases the place at its end, whatever that is. */
  stream(text: TextInPieces, place: Place): ReadableStream<Uint8Array>
}

export function largeAnswers(options: LargeAnswersOptions = {}): LargeAnswers {
  const { mostAtOnce = MOST_AT_ONCE, mostBytes = MOST_BYTES, longest = LONGEST } = options
  let underWay = 0
  return {
    take() {
      if (underWay >= mostAtOnce) return null
      underWay += 1
      let isHeld = true
      return {
        release() {
          if (isHeld) underWay -= 1
          isHeld = false
        },
      }
    },

    async measured(text) {
      const hash = createHash('sha256')
      let bytes = 0
      for await (const chunk of chunksOf(text)) {
        bytes += chunk.length
        if (bytes > mostBytes) return null
        hash.update(chunk)
      }
      return `W/"${hash.digest('base64url').slice(0, 27)}"`
    },

    stream(text, place) {
      const sent = Readable.from(chunksOf(text), { objectMode: false, highWaterMark: CHUNK })
      const timer = setTimeout(() => sent.destroy(new Error(`the answer was not read within ${longest} ms`)), longest)
      sent.once('close', () => {
        clearTimeout(timer)
        place.release()
      })
      return Readable.toWeb(sent) as ReadableStream<Uint8Array>
    },
  }
}

/** UTF-8. Between two chunks others have their turn. */
async function* chunksOf(text: TextInPieces): AsyncGenerator<Buffer> {
  let held = ''
  for (const piece of text.pieces()) {
    held += piece
    if (held.length < CHUNK) continue
    yield Buffer.from(held)
    held = ''
    await setImmediate()
  }
  if (held !== '') yield Buffer.from(held)
}

/** The whole text where it is not large, else null. */
export function smallText(text: TextInPieces): string | null {
  const pieces: string[] = []
  let length = 0
  for (const piece of text.pieces()) {
    length += piece.length
    if (length > LARGE_FROM) return null
    pieces.push(piece)
  }
  return pieces.join('')
}
