import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'

export type DownloadProblem = 'missing' | 'expired' | 'host-not-allowed' | 'too-large' | 'failed'

/** The bytes could not be had. `problem` says why; the message names host and path, never a signature in the query. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
  readonly problem: DownloadProblem

  constructor(problem: DownloadProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

export interface DownloadLimits {
  readonly maxBytes: number
  /** For the whole transfer. */
  readonly timeoutMs: number
}

export const DOWNLOAD_LIMITS: DownloadLimits = { maxBytes: 2 * 1024 ** 3, timeoutMs: 5 * 60_000 }

const REDIRECTS = 3

/**
 * Streams an address into a file; no credentials are sent. Every host on the way, redirects included, must be allowed.
 * 403 and 404 both mean that nothing is there: Amazon S3 answers a missing key with 403.
 */
export async function download(
  url: URL,
  file: string,
  isAllowed: (url: URL) => boolean,
  limits: DownloadLimits = DOWNLOAD_LIMITS,
): Promise<void> {
  const signal = AbortSignal.timeout(limits.timeoutMs)
  try {
    const response = await follow(url, isAllowed, signal)
    await pipeline(
      Readable.fromWeb(response.body as ReadableStream<Uint8Array>),
      upTo(limits.maxBytes, url),
      createWriteStream(file, { mode: 0o600 }),
      { signal },
    )
  } catch (error) {
    if (error instanceof DownloadError) throw error
    const why = signal.aborted ? `not finished after ${limits.timeoutMs / 1000} s` : reasonOf(error)
    throw new DownloadError('failed', `${plain(url)}: ${why}`, { cause: error })
  }
}

async function follow(url: URL, isAllowed: (url: URL) => boolean, signal: AbortSignal): Promise<Response> {
  let at = url
  for (let hop = 0; hop <= REDIRECTS; hop += 1) {
    if (!isAllowed(at)) {
      throw new DownloadError('host-not-allowed', `${at.host} is not among ARTIFACT_HOSTS; nothing was fetched from it`)
    }
    const response = await fetch(at, { redirect: 'manual', signal })
    if (response.ok && response.body) return response
    await response.body?.cancel()
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400 && location) at = new URL(location, at)
    else if (response.status === 403 || response.status === 404) {
      throw new DownloadError('missing', `${plain(at)}: nothing there (${response.status})`)
    } else if (response.status === 410) {
      throw new DownloadError('expired', `${plain(at)}: expired (410)`)
    } else {
      throw new DownloadError('failed', `${plain(at)}: answered ${response.status}`)
    }
  }
  throw new DownloadError('failed', `${plain(url)}: more than ${REDIRECTS} redirects`)
}

function upTo(maxBytes: number, url: URL): Transform {
  let received = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      if (received > maxBytes) done(new DownloadError('too-large', `${plain(url)}: over ${maxBytes} bytes`))
      else done(null, chunk)
    },
  })
}

function plain(url: URL): string {
  return `${url.host}${url.pathname}`
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
