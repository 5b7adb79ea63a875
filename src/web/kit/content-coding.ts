import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createDeflate, createGzip, deflate, gzip } from 'node:zlib'

/** The codings that are offered, the best one first. */
const CODINGS = ['br', 'gzip', 'deflate'] as const
export type ContentCoding = (typeof CODINGS)[number]

/** Quality 4 is a fifth smaller than gzip in the same time; the default of 11 takes a second for a large report. */
const BROTLI_QUALITY = 4

/**
 * What an `Accept-Encoding` header allows and prefers (RFC 9110, 12.5.3); null: send it as it is. Without a header nothing
 * is compressed, since the client may be a script that reads no coding.
 */
export function chooseCoding(header: string | undefined): ContentCoding | null {
  if (header === undefined) return null
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',').slice(0, 20)) {
    const [coding, ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    weights.set(coding!, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const weightOf = (coding: ContentCoding) => weights.get(coding) ?? weights.get('*') ?? 0
  const best = Math.max(...CODINGS.map(weightOf))
  return best <= 0 ? null : (CODINGS.find((coding) => weightOf(coding) === best) ?? null)
}

const COMPRESSORS: Record<ContentCoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: promisify<Buffer, Buffer>(gzip),
  deflate: promisify<Buffer, Buffer>(deflate),
}

/** On the thread pool, not on the event loop. */
export function compressed(body: Buffer, coding: ContentCoding): Promise<Buffer> {
  return COMPRESSORS[coding](body)
}

const STREAMS: Record<ContentCoding, () => Transform> = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: () => createGzip(),
  deflate: () => createDeflate(),
}

/** The same for what is not there as a whole. */
export function compressor(coding: ContentCoding): Transform {
  return STREAMS[coding]()
}
