import { createReadStream, readFileSync, statSync } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Budget } from '../measurement/budget.ts'
import { type Interest, withoutCompression } from '../measurement/interest.ts'
import { LimitReached } from '../measurement/limits.ts'
import { closeBytes, peek } from '../measurement/peek.ts'
import type { Side } from '../measurement/run.ts'
import { sideOfName } from '../measurement/side-of-name.ts'
import { type FailedMember, SourceError, type SourceItem } from '../measurement/source.ts'
import { type Container, containerOf, decompress, isArchiveName, MAGIC_BYTES } from './decompress.ts'

/** A path of the caller: a folder, an archive or a file. */
export interface SourcePath {
  readonly path: string
  /** The bytes to read in the place of a file on disk, such as those of stdin. */
  readonly bytes?: AsyncIterable<Uint8Array>
  readonly side: Side | null
  /** How messages name what lies in it; empty: by the path inside alone. */
  readonly label: string
  /** How messages name it where its path says nothing to a person; absent: by the path. */
  readonly shownAs?: string | undefined
}

/** Where a file lies: on disk, which a zip needs, or in a stream. */
interface Place {
  readonly name: string
  readonly where: string
  readonly direct: boolean
  readonly side: Side | null
  readonly depth: number
  readonly path: string | null
  readonly bytes: AsyncIterable<Uint8Array>
}

/**
 * All wanted members of a path, one after the other. Folders and archives are opened, archives inside them as well;
 * only what the interest wants is read. Nothing is written. An archive that cannot be read is an item of its own.
 * Throws `SourceError` when the path is not there, and `LimitReached` when nothing more of the source is to be read.
 */
export async function* sourceItems(source: SourcePath, interest: Interest, budget: Budget): AsyncGenerator<SourceItem> {
  if (source.bytes !== undefined) {
    yield* new Walk(interest, budget, source).stream(source.bytes)
    return
  }
  const stats = await stat(source.path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new SourceError('unreadable', `${source.path}: ${error.message}`)
    throw new SourceError('missing', `${source.path}: there is no such file or folder`)
  })
  const walk = new Walk(interest, budget, source)
  if (stats.isDirectory()) {
    if (isConfirmation(source.path)) throw new SourceError('usage', `${source.path}: ${CONFIRMATION}`)
    yield* walk.folder(source.path)
  } else if (stats.isFile()) {
    if (isConfirmation(dirname(resolve(source.path)))) throw new SourceError('usage', `${source.path}: ${CONFIRMATION}`)
    yield* walk.namedFile(source.path)
  } else {
    throw new SourceError('usage', `${source.path}: neither a file nor a folder`)
  }
}

const CONFIRMATION = 'this is the confirmation rerun of a run, not a run of its own; give its parent folder'

function isConfirmation(path: string): boolean {
  return basename(resolve(path)) === 'analyze-confirm'
}

class Walk {
  readonly #interest: Interest
  readonly #budget: Budget
  readonly #source: SourcePath
  readonly #sideOfRoot: Side | null

  constructor(interest: Interest, budget: Budget, source: SourcePath) {
    this.#interest = interest
    this.#budget = budget
    this.#source = source
    this.#sideOfRoot = sideOfName(basename(resolve(source.path)))
  }

  /** A file that the caller named: it is opened whatever its name. */
  async *namedFile(path: string): AsyncGenerator<SourceItem> {
    const { label, side } = this.#source
    this.#budget.entry()
    const name = basename(path)
    // the name of an archive that the caller named is no part of the paths inside it
    const place = { name: '', where: label, direct: true, side, depth: 0, path, bytes: this.#file(path) }
    yield* this.#guarded(place, name)
  }

  /** Bytes without a name: they are opened like a file that the caller named. */
  async *stream(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SourceItem> {
    const { path, side } = this.#source
    const place = { name: '', where: path, direct: true, side, depth: 0, path: null, bytes: this.#counted(bytes) }
    yield* this.#guarded(place, path)
  }

  async *folder(root: string): AsyncGenerator<SourceItem> {
    const archives: Place[] = []
    const files = await folderFiles(root, this.#budget).catch((error: unknown) => {
      if (error instanceof LimitReached || !(error instanceof Error)) throw error
      throw new SourceError('unreadable', `${root}: ${error.message}`)
    })
    for (const { name, path, link } of files) {
      const place = this.#inside({ name: '', where: this.#source.label, depth: 0 }, name, this.#file(path), path)
      if (!this.#wants(name)) continue
      if (link) yield refuse(place, 'a symbolic link: not followed')
      // plain files first: when an archive beside them holds them again, the plain ones stand
      else if (isArchiveName(name)) archives.push(place)
      else yield* this.#guarded(place, name)
    }
    for (const place of archives) yield* this.#guarded(place, place.name)
  }

  /** Opens a place, and makes an item of the failure of an archive. */
  async *#guarded(place: Place, fileName: string): AsyncGenerator<SourceItem> {
    try {
      yield* this.#open(place, fileName)
    } catch (error) {
      if (!(error instanceof Error) || error instanceof SourceError || error.name === 'AbortError') throw error
      if (error instanceof LimitReached && error.stopsSource) throw error
      yield failure(place, this.#whereOf(place, fileName), error)
    }
  }

  async *#open(place: Place, fileName: string): AsyncGenerator<SourceItem> {
    const { head, bytes } = await peek(place.bytes, MAGIC_BYTES)
    try {
      yield* this.#opened({ ...place, bytes }, fileName, containerOf(head))
    } finally {
      // also where nothing of it was read: a zip on disk is read by its path, and what is too deep not at all
      await closeBytes(bytes)
    }
  }

  async *#opened(place: Place, fileName: string, container: Container | null): AsyncGenerator<SourceItem> {
    const { bytes } = place
    if (container === null) {
      yield* this.#plain(place, fileName)
      return
    }
    const depth = place.depth + 1
    if (depth > this.#budget.limits.depth) throw new LimitReached('depth', this.#budget.limits.depth, false)
    if (container === 'zip') {
      yield* this.#zip({ ...place, depth })
    } else if (container === 'tar') {
      yield* this.#tar({ ...place, depth })
    } else {
      const plain = decompress(container, bytes, this.#budget)
      yield* this.#open({ ...place, depth, path: null, bytes: plain }, fileName)
    }
  }

  *#plain(place: Place, fileName: string): Generator<SourceItem> {
    const name = place.name === '' ? fileName : place.name
    const where = this.#whereOf(place, fileName)
    const { direct, side, bytes } = place
    if (direct || this.#interest.candidates(name, false).length > 0)
      yield { name, where, direct, side, sideOfRoot: this.#sideOfRoot, bytes }
    else throw new Error(`its name says it is an archive (${withoutCompression(fileName)}), but its contents are not`)
  }

  async *#zip(place: Place): AsyncGenerator<SourceItem> {
    const { zipEntries } = await import('./zip.ts')
    const source = place.path ?? (await this.#buffered(place.bytes))
    const wants = (name: string): boolean => this.#wants(memberName(place.name, normalName(name)))
    for await (const { name, refused, bytes } of zipEntries(source, this.#budget, wants)) {
      const inner = this.#inside(place, name, bytes, null)
      if (refused !== null) yield refuse(inner, `${refused}: skipped`)
      else yield* this.#guarded(inner, name)
    }
  }

  async *#tar(place: Place): AsyncGenerator<SourceItem> {
    const { tarEntries } = await import('./tar.ts')
    const names = new Set<string>()
    for await (const { name, kind, bytes } of tarEntries(place.bytes)) {
      this.#budget.entry()
      if (kind === 'folder' || kind === 'other') continue
      const inner = this.#inside(place, name, bytes, null)
      const refused = refusedName(name)
      if (refused === null && !this.#wants(inner.name)) continue
      if (refused !== null) yield refuse(inner, `${refused}: skipped`)
      else if (kind === 'link') yield refuse(inner, 'a link: not followed')
      else if (names.has(inner.name)) yield refuse(inner, 'a second entry with that name: skipped')
      else yield* this.#guarded(inner, name)
      names.add(inner.name)
    }
  }

  /** How messages name a place: by its path inside the source, and the source itself by what it is called. */
  #whereOf({ where }: Place, fileName: string): string {
    return where === '' ? (this.#source.shownAs ?? fileName) : where
  }

  #inside(
    outer: Pick<Place, 'name' | 'where' | 'depth'>,
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    path: string | null,
  ): Place {
    const normal = normalName(name)
    return {
      name: memberName(outer.name, normal),
      where: memberName(outer.where, normal),
      direct: false,
      side: this.#source.side,
      depth: outer.depth,
      path,
      bytes,
    }
  }

  #wants(name: string): boolean {
    return isArchiveName(name) ? !name.split('/').includes('analyze-confirm') : this.#interest.wants(name)
  }

  #file(path: string): AsyncGenerator<Uint8Array> {
    return this.#counted(lazily(() => bytesOf(path)))
  }

  async *#counted(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.#budget.source(chunk.length)
      this.#budget.bytes(chunk.length)
      yield chunk
    }
  }

  /** A zip is read from its end, so one in a stream must be held. */
  async #buffered(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const limit = this.#budget.limits.nestedZipBytes
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of bytes) {
      length += chunk.length
      if (length > limit) throw new LimitReached('nestedZipBytes', limit, false)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }
}

const SMALL_FILE = 256 * 1024

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** A small one is read at once: a stream for each of 200 files costs more than what is in them. */
function bytesOf(path: string): Chunks {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile() === true && stats.size <= SMALL_FILE) return [readFileSync(path)]
  return createReadStream(path) as AsyncIterable<Uint8Array>
}

/** A file is opened when it is read, and not before. */
async function* lazily(open: () => Chunks): AsyncGenerator<Uint8Array> {
  yield* open()
}

function memberName(outer: string, name: string): string {
  return outer === '' ? name : `${outer}/${name}`
}

function refuse(place: Place, message: string): FailedMember {
  return { name: place.name, where: place.where, failed: 'refused-member', message, spoiled: false }
}

function failure(place: Place, where: string, error: Error): FailedMember {
  if (error instanceof LimitReached) {
    return { name: place.name, where, failed: 'limit-reached', message: error.message, spoiled: false }
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return {
    name: place.name,
    where,
    failed: 'unreadable-member',
    message: `can’t be read: ${error.message}`,
    // a cut stream was right as far as it went; a wrong check sum says that something in it is not
    spoiled: code === 'Z_DATA_ERROR' || code.startsWith('ZSTD_error'),
  }
}

/**
 * Why a name from an archive is refused, or null. Nothing is ever written under such a name; an archive that holds one
 * was made to deceive, though, and a person would be told a path that is not there.
 */
function refusedName(name: string): string | null {
  if (name === '' || name.includes('\0')) return 'its name is empty or contains a NUL'
  if (name.startsWith('/') || /^[a-zA-Z]:/.test(name)) return 'its name is an absolute path'
  if (name.split(/[/\\]/).includes('..')) return 'its name leads out of the archive'
  return null
}

/** `a/b` for `./a//b/`. */
function normalName(name: string): string {
  return name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
}

interface FolderFile {
  /** The file's path from the folder with `/`. */
  readonly name: string
  readonly path: string
  /** A link is not followed: a folder may be an archive that somebody unpacked. */
  readonly link: boolean
}

/** Folders inside each other; nothing real is deeper. */
const DEEPEST_FOLDER = 32

/** All files of a folder and the folders in it, sorted by name, so that the same folder is always read in one order. */
async function folderFiles(root: string, budget: Budget): Promise<FolderFile[]> {
  const files: FolderFile[] = []
  const walk = async (folder: string, prefix: string, depth: number): Promise<void> => {
    if (depth > DEEPEST_FOLDER) throw new LimitReached('depth', DEEPEST_FOLDER, true)
    const folders: string[] = []
    for await (const entry of await opendir(folder)) {
      budget.entry()
      const name = `${prefix}${entry.name}`
      if (entry.isDirectory()) folders.push(entry.name)
      else if (entry.isFile() || entry.isSymbolicLink()) {
        files.push({ name, path: join(folder, entry.name), link: entry.isSymbolicLink() })
      }
    }
    for (const name of folders) await walk(join(folder, name), `${prefix}${name}/`, depth + 1)
  }
  await walk(root, '', 0)
  return files.sort((a, b) => (a.name < b.name ? -1 : 1))
}
