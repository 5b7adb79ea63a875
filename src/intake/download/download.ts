import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { ScratchFile } from './scratch-folder.ts'

/** Downloads results from allowed hosts within limits. No credentials leave with a request. */

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
  /** Milliseconds for the whole transfer, redirects included. */
  readonly timeoutMs: number
  /** Milliseconds for the connection and the headers of each host on the way. */
  readonly headersMs: number
  /** Bytes that come at least in each `paceMs`: who sends a byte a second is not waited for. */
  readonly paceBytes: number
  readonly paceMs: number
}

export const DOWNLOAD_LIMITS: DownloadLimits = {
  maxBytes: 2 * 1024 ** 3,
  timeoutMs: 5 * 60_000,
  headersMs: 15_000,
  paceBytes: 64 * 1024,
  paceMs: 15_000,
}

const REDIRECTS = 3

/**
 * Streams an address into a file, once there is room for it; no credentials are sent. Every host on the way, redirects included, must be allowed.
 * 403 and 404 both mean that nothing is there: Amazon S3 answers a missing key with 403. `stopping` ends it with its
 * own reason.
 */
export async function download(
  url: URL,
  file: ScratchFile,
  isAllowed: (url: URL) => boolean,
  { stopping, ...limits }: DownloadLimits & { readonly stopping?: AbortSignal } = DOWNLOAD_LIMITS,
): Promise<void> {
  const ended = new AbortController()
  const endAfter = (milliseconds: number, what: string) =>
    setTimeout(() => ended.abort(new Error(`${what} after ${milliseconds / 1000} s`)), milliseconds)
  const whole = endAfter(limits.timeoutMs, 'not finished')
  let pace: NodeJS.Timeout | undefined
  const signal = stopping === undefined ? ended.signal : AbortSignal.any([ended.signal, stopping])
  try {
    const response = await follow(url, isAllowed, signal, () => endAfter(limits.headersMs, 'no headers'))
    const most = mostBytes(response, limits.maxBytes)
    if (most > limits.maxBytes) {
      await response.body?.cancel()
      throw tooLarge(url, limits.maxBytes)
    }
    await file.take(most, signal).catch(async (error: unknown) => {
      await response.body?.cancel()
      throw error
    })
    const bytes = upTo(most, url)
    let before = 0
    pace = setInterval(() => {
      const slow = `under ${limits.paceBytes} bytes in ${limits.paceMs / 1000} s`
      if (bytes.received() - before < limits.paceBytes) ended.abort(new Error(slow))
      before = bytes.received()
    }, limits.paceMs)
    await pipeline(
      Readable.fromWeb(response.body as ReadableStream<Uint8Array>),
      bytes.transform,
      createWriteStream(file.path, { mode: 0o600 }),
      { signal },
    )
  } catch (error) {
    stopping?.throwIfAborted()
    if (error instanceof DownloadError) throw error
    const why = ended.signal.aborted ? (ended.signal.reason as Error).message : reasonOf(error)
    throw new DownloadError('failed', `${plain(url)}: ${why}`, { cause: error })
  } finally {
    clearTimeout(whole)
    clearInterval(pace)
  }
}

async function follow(
  url: URL,
  isAllowed: (url: URL) => boolean,
  signal: AbortSignal,
  limitHeaders: () => NodeJS.Timeout,
): Promise<Response> {
  let at = url
  for (let hop = 0; hop <= REDIRECTS; hop += 1) {
    if (!isAllowed(at)) {
      throw new DownloadError(
        'host-not-allowed',
        `${at.host} is not in ARTIFACT_HOSTS, so nothing was fetched from it; whoever runs the bot can add it`,
      )
    }
    const limit = limitHeaders()
    const response = await fetch(at, { redirect: 'manual', signal }).finally(() => clearTimeout(limit))
    if (response.ok && response.body) return response
    await response.body?.cancel()
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400 && location) at = new URL(location, at)
    else if (response.status === 403 || response.status === 404) {
      throw new DownloadError('missing', `${plain(at)}: not found (${response.status})`)
    } else if (response.status === 410) {
      throw new DownloadError('expired', `${plain(at)}: expired (410)`)
    } else {
      throw new DownloadError('failed', `${plain(at)}: answered ${response.status}`)
    }
  }
  throw new DownloadError('failed', `${plain(url)}: more than ${REDIRECTS} redirects`)
}

function upTo(maxBytes: number, url: URL): { readonly transform: Transform; readonly received: () => number } {
  let received = 0
  const transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length
      if (received > maxBytes) done(tooLarge(url, maxBytes))
      else done(null, chunk)
    },
  })
  return { transform, received: () => received }
}

/** Bytes that can come: what is packed, or says nothing of its length, may have all. */
function mostBytes({ headers }: Response, maxBytes: number): number {
  const length = Number(headers.get('content-length') ?? Number.NaN)
  return Number.isSafeInteger(length) && !headers.has('content-encoding') ? length : maxBytes
}

function tooLarge(url: URL, maxBytes: number): DownloadError {
  return new DownloadError('too-large', `${plain(url)}: over ${maxBytes} bytes`)
}

function plain(url: URL): string {
  return `${url.host}${url.pathname}`
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? `${message} (${cause.message})` : message
}
