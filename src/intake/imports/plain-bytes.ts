import { containerOf, decompress, MAGIC_BYTES } from '../archive/decompress.ts'
import { Budget } from '../measurement/budget.ts'
import { LimitReached } from '../measurement/limits.ts'
import { closeBytes, peek } from '../measurement/peek.ts'
import { SourceError } from '../measurement/source.ts'
import { HEAD_BYTES, ReadStopped } from './format.ts'

export { closeBytes } from '../measurement/peek.ts'

/** Compressions around each other; one is usual. */
const DEEPEST = 3

/**
 * A stream costs no memory, so that only what is out of all proportion is refused: rows of a table repeat themselves, and
 * compress a hundred times and more.
 */
const LIMITS = {
  totalBytes: Number.POSITIVE_INFINITY,
  ratio: 5000,
  ratioFrom: 1024 * 1024 * 1024,
  workFrom: Number.POSITIVE_INFINITY,
}

export interface PlainBytes {
  /** The first `HEAD_BYTES`, fewer where there are no more. */
  readonly head: Uint8Array
  /** The whole from its beginning. Throws `ReadStopped` where it can't be read to its end. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/** The contents of a file without their compression. `where` names it in messages. Throws `SourceError`. */
export async function plainBytes(where: string, bytes: AsyncIterable<Uint8Array>): Promise<PlainBytes> {
  try {
    const plain = await decompressed(where, bytes, new Budget({ limits: LIMITS }), 0)
    return await peek(stopping(plain), HEAD_BYTES, { untilError: true })
  } catch (error) {
    if (error instanceof ReadStopped) throw new SourceError('unreadable', `${where}: ${error.message}`)
    throw error
  }
}

async function decompressed(
  where: string,
  bytes: AsyncIterable<Uint8Array>,
  budget: Budget,
  depth: number,
): Promise<AsyncIterable<Uint8Array>> {
  const peeked = await peek(stopping(bytes), MAGIC_BYTES, { untilError: true })
  const container = containerOf(peeked.head)
  if (container === null) return peeked.bytes
  if (container === 'zip' || container === 'tar') {
    await closeBytes(peeked.bytes)
    throw new SourceError('usage', `${where}: a ${container} archive; unpack it and give the files inside`)
  }
  if (depth === DEEPEST) {
    await closeBytes(peeked.bytes)
    throw new SourceError('unreadable', `${where}: compressed more than ${DEEPEST} times`)
  }
  return await decompressed(where, decompress(container, peeked.bytes, budget), budget, depth + 1)
}

/** Bytes that end before their time, for whatever reason, end the reading and not the import. */
async function* stopping(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } catch (error) {
    if (error instanceof ReadStopped || error instanceof SourceError || !(error instanceof Error)) throw error
    if (error instanceof LimitReached) throw new ReadStopped('limit-reached', null, error.message)
    throw new ReadStopped('unreadable-member', null, `can’t be read completely: ${error.message}`)
  }
}
