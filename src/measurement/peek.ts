import { Buffer } from 'node:buffer'

/** The first `count` bytes (fewer when there are no more) and the whole again from its beginning. */
export async function peek(
  bytes: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ head: Uint8Array; bytes: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let length = 0
  while (length < count) {
    const next = await iterator.next()
    if (next.done === true) break
    chunks.push(next.value)
    length += next.value.length
  }
  const head = chunks.length === 1 ? chunks[0]!.subarray(0, count) : Buffer.concat(chunks).subarray(0, count)
  return { head, bytes: replay(chunks, iterator) }
}

async function* replay(chunks: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
