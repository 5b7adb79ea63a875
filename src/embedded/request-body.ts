import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { exception } from './exception.ts'

/** The body of a request without its gzip. @throws HttpException for another encoding. */
export function openBody(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity' || encoding === '') return request
  if (encoding !== 'gzip') throw exception(48, 'NOT_IMPLEMENTED', `Content-Encoding ${encoding} is not served`)
  // An error of either side reaches the reader of the unzipped side.
  return pipeline(request, createGunzip(), () => {})
}

/** The whole body as text. @throws HttpException beyond `maxBytes`. */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of limited(body, maxBytes)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** The data of an INSERT in a file of its own, apart from the statement: data can never be run. */
export interface DataFile {
  /** For FROM INFILE. Not the file's name, which might hold what the engine takes for a pattern. */
  readonly path: string
  readonly bytes: number
  close(): Promise<void>
}

/**
 * Writes the start of the data and the rest of the body to a file that has no name any more when this resolves, so that
 * nothing is left behind by a crash. @throws HttpException beyond `maxBytes`.
 */
export async function writeDataFile(
  directory: string,
  start: string,
  rest: Readable | null,
  maxBytes: number,
): Promise<DataFile> {
  const name = join(directory, `insert-${randomUUID()}`)
  const file = await open(name, 'wx+', 0o600)
  try {
    await unlink(name)
    const head = Buffer.from(start)
    let bytes = await writeAll(file, head)
    if (rest !== null) {
      for await (const chunk of limited(rest, maxBytes - head.length)) bytes += await writeAll(file, chunk)
    }
    return { path: `/dev/fd/${file.fd}`, bytes, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<number> {
  for (let written = 0; written < chunk.length; ) {
    written += (await file.write(chunk, written)).bytesWritten
  }
  return chunk.length
}

/** A refused body is left as it is and not torn down: the answer still has to reach the client on that connection. */
async function* limited(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length
    if (bytes > maxBytes) throw exception(307, 'TOO_MANY_BYTES', 'The body of the request is too large')
    yield chunk as Buffer
  }
}
