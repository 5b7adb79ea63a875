import { createReadStream, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type CommandIO, InputError } from './command.ts'

/** Bytes that are read at once. */
const PIECE = 256 * 1024

/** Looks at a file before it is read; null: `-`, which is stdin. `inFolder` says what to give in the place of a folder. */
export async function lookAt(path: string, inFolder: string): Promise<Stats | null> {
  if (path === '-') return null
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new InputError(error.code === 'ENOENT' ? `${path}: there is no such file` : `${path}: ${error.message}`)
  })
  if (stats.isDirectory()) throw new InputError(`${path}: a folder; give ${inFolder}`)
  return stats
}

/** The bytes of a file or of stdin; `onRead` is told how many there were so far, and how many of them just now. */
export async function* readInput(
  path: string,
  io: CommandIO,
  onRead: (bytes: number, added: number) => void,
): AsyncGenerator<Uint8Array> {
  const bytes: AsyncIterable<Uint8Array> =
    path === '-' ? (io.stdin ?? process.stdin) : createReadStream(path, { highWaterMark: PIECE })
  let read = 0
  for await (const chunk of bytes) {
    read += chunk.length
    onRead(read, chunk.length)
    yield chunk
  }
}
