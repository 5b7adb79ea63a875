import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, type Header } from 'tar-stream'

/** An entry of a tar: its header, and its bytes, to be read before the next entry is asked for. */
export interface TarEntry {
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Reads a tar as a stream. Throws when it is cut or wrong, and what `bytes` throws. */
export async function* tarEntries(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const input = Readable.from(bytes, { objectMode: false, highWaterMark: 64 * 1024 })
  const tar = extract()
  // its error reaches the loop below
  const pumped = pipeline(input, tar).catch(() => undefined)
  try {
    for await (const entry of tar) {
      const iterator = (entry as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
      yield { name: entry.header.name, kind: kindOf(entry.header), bytes: unowned(iterator) }
      // pass over what was not read: destroying an entry would destroy the whole tar
      while ((await iterator.next()).done !== true);
    }
  } finally {
    tar.destroy()
    input.destroy()
    await pumped
  }
}

async function* unowned(iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
}

function kindOf({ type }: Header): TarEntry['kind'] {
  if (type === 'file' || type === 'contiguous-file') return 'file'
  if (type === 'directory') return 'folder'
  return type === 'symlink' || type === 'link' ? 'link' : 'other'
}
