import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import type { Budget } from '../measurement/budget.ts'
import { LimitReached } from '../measurement/limits.ts'
import { Gauge, isArchiveName } from './decompress.ts'

/** An entry of a zip that is wanted, to be read before the next is asked for. */
export interface ZipEntry {
  readonly name: string
  /** Why it must not be read, or null. */
  readonly refused: string | null
  readonly bytes: AsyncIterable<Uint8Array>
}

/**
 * The wanted entries of a zip in the order of its directory, archives after everything else. yauzl refuses names that lead out of the archive
 * and stored entries whose size is not the declared one; it does not check CRC, sizes of what was packed, doubles, links and encryption, which
 * is done here. Throws when the directory is wrong or the file was cut.
 */
export async function* zipEntries(
  source: string | Buffer,
  budget: Budget,
  wants: (name: string) => boolean,
): AsyncGenerator<ZipEntry> {
  const zip = await open(source)
  try {
    if (typeof source === 'string') budget.source(zip.fileSize)
    const entries = await listEntries(zip, budget, wants)
    yield* entries.filter(({ name }) => !isArchiveName(name))
    yield* entries.filter(({ name }) => isArchiveName(name))
  } finally {
    zip.close()
  }
}

async function open(source: string | Buffer): Promise<ZipFile> {
  // closing is ours: yauzl would close with the last entry of the directory, before any is read
  if (typeof source === 'string') return await openPromise(source, { autoClose: false })
  return await fromBufferPromise(source, { autoClose: false })
}

async function listEntries(zip: ZipFile, budget: Budget, wants: (name: string) => boolean): Promise<ZipEntry[]> {
  const { limits } = budget
  if (zip.entryCount > limits.entries) throw new LimitReached('entries', limits.entries, true)
  let directoryBytes = 0
  const entries: ZipEntry[] = []
  const names = new Set<string>()
  for await (const entry of zip.eachEntry()) {
    budget.entry()
    directoryBytes += 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
    if (directoryBytes > limits.zipDirectoryBytes) {
      throw new LimitReached('zipDirectoryBytes', limits.zipDirectoryBytes, false)
    }
    const name = entry.fileName
    if (name.endsWith('/') || !wants(name)) continue
    entries.push({
      name,
      refused: names.has(name) ? 'a second entry with that name' : refusedEntry(entry),
      bytes: inflate(zip, entry, budget),
    })
    names.add(name)
  }
  return entries
}

const FILE_TYPE_MASK = 0o170000
const SYMBOLIC_LINK = 0o120000

function refusedEntry(entry: Entry): string | null {
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK) === SYMBOLIC_LINK) return 'a symbolic link'
  if (entry.isEncrypted()) return 'it is encrypted'
  if (!entry.canDecodeFileData()) return `its compression (method ${entry.compressionMethod}) is not supported`
  return null
}

/** Bytes that are inflated at once. */
const PIECE_BYTES = 256 * 1024

async function* inflate(zip: ZipFile, entry: Entry, budget: Budget): AsyncGenerator<Uint8Array> {
  budget.decoder()
  const gauge = new Gauge(budget)
  // what the directory says; yauzl reads no more of it than that
  gauge.in(entry.compressedSize)
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false })
  // yauzl would inflate in pieces of 16 KiB, which takes four times as long
  const stream = entry.compressionMethod === 0 ? packed : packed.pipe(createInflateRaw({ chunkSize: PIECE_BYTES }))
  packed.on('error', (error) => stream.destroy(error))
  let [size, sum] = [0, 0]
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      gauge.out(chunk.length)
      size += chunk.length
      if (size > entry.uncompressedSize) throw new Error(`too many bytes: the archive states ${entry.uncompressedSize}`)
      sum = crc32(chunk, sum)
      yield chunk
    }
  } finally {
    packed.destroy()
    stream.destroy()
  }
  if (size < entry.uncompressedSize) {
    throw new Error(`not enough bytes: ${size}, but the archive states ${entry.uncompressedSize}`)
  }
  if (sum !== entry.crc32) throw new Error('its checksum is wrong')
}
