import { createReadStream, type Stats } from 'node:fs'
import { glob, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
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

/** Files that one folder or pattern may find, and folders inside each other. */
const MOST_FILES = 10_000
const DEEPEST = 32

/** Endings of files that hold rows or results, compressed or not. */
const ROWS = /\.(?:xml|jsonl?|ndjson|tsv|csv|txt)(?:\.(?:gz|zst|zstd))?$/i
const PATTERN = /[*?[\]{}]/

/**
 * The files of a folder and the folders in it, or those that a pattern such as `junit/*.xml` matches, in the order of
 * their names; null: the path is neither. Throws `InputError` when there are none, or too many.
 */
export async function filesAt(path: string, holding: string): Promise<readonly string[] | null> {
  const stats = await stat(path).catch(() => null)
  if (stats === null ? !PATTERN.test(path) : !stats.isDirectory()) return null
  const found: string[] = []
  for await (const file of stats === null ? filesOfPattern(path) : filesOfFolder(path, 0)) {
    if (found.length === MOST_FILES) throw new InputError(`${path}: more than ${MOST_FILES} files; give fewer`)
    found.push(file)
  }
  if (found.length === 0) {
    const what = stats === null ? 'no file matches' : `no file of ${holding} is in the folder`
    throw new InputError(`${path}: ${what}`)
  }
  return found.toSorted()
}

async function* filesOfPattern(pattern: string): AsyncGenerator<string> {
  for await (const entry of glob(pattern, { withFileTypes: true })) {
    if (!entry.isDirectory()) yield join(entry.parentPath, entry.name)
  }
}

/** Hidden ones, links to folders and files with other endings are left alone. */
async function* filesOfFolder(folder: string, depth: number): AsyncGenerator<string> {
  if (depth > DEEPEST) throw new InputError(`${folder}: more than ${DEEPEST} nested folders`)
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory()) yield* filesOfFolder(path, depth + 1)
    else if (entry.isFile() && ROWS.test(entry.name)) yield path
  }
}
