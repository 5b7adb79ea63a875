import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { chooseCoding, compressed, compressor } from './content-coding.ts'
import { entityTag, type LargeAnswers, largeAnswers, MOST_BYTES, type Place, smallText } from './large-answers.ts'
import type { Html } from './layout.ts'
import { messagePage } from './message-page.ts'
import { notFoundPage } from './not-found-page.ts'
import { chooseFormat, type ReportFormat } from './report-format.ts'
import type { TextInPieces } from './text-pieces.ts'

/** A page of the site itself is the same until the next version. */
export const PUBLIC_CACHE = 'public, max-age=300'

/** Asked for again each time and kept by no shared cache, so that what turns private is not shown from one. */
export const PRIVATE_CACHE = 'private, no-cache'

/** Its address holds a hash of what it is. */
export const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable'

const HTML = 'text/html; charset=utf-8'
const TYPES: Record<ReportFormat, string> = {
  html: HTML,
  json: 'application/json',
  tsv: 'text/tab-separated-values; charset=utf-8',
}

/** The same content in each format that its address has; only the one that is asked for is made. */
export interface Formats {
  readonly html?: () => Html
  readonly json?: () => TextInPieces | Promise<TextInPieces>
  readonly tsv?: () => TextInPieces | Promise<TextInPieces>
}

/** How everything is answered: with an entity tag, compressed, in the format that is asked for. */
export interface Answers {
  page(context: Context, content: Html, cache: string): Promise<Response>
  text(context: Context, text: string, type: string, cache: string): Promise<Response>
  /** By `?format=`, else by the `Accept` header, else the page. What has no page is for programs only. */
  inFormat(context: Context, formats: Formats, cache?: string): Promise<Response>
  message(
    context: Context,
    status: 400 | 403 | 404 | 405 | 406 | 500 | 503,
    title: string,
    text: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>
  /** One and the same for what does not exist and what may not be seen; JSON to whoever asks for JSON. */
  notFound(context: Context): Promise<Response>
}

/** `hasSignIn`: what is answered depends on who asks. */
export function answers(version: string, hasSignIn: boolean, large: LargeAnswers = largeAnswers()): Answers {
  const cacheOf = (context: Context, cache: string): string => {
    if (!hasSignIn || cache === IMMUTABLE_CACHE) return cache
    context.header('Vary', 'Cookie', { append: true })
    // Each page says who is signed in.
    return cache === PUBLIC_CACHE ? PRIVATE_CACHE : cache
  }
  const answer = async (context: Context, text: string, type: string, cache: string) =>
    send(context, text, type, cacheOf(context, cache))
  const page: Answers['page'] = async (context, content, cache) => answer(context, String(await content), HTML, cache)
  const message: Answers['message'] = async (context, status, title, text, headers = {}) => {
    context.status(status)
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    return page(context, messagePage(version, title, text), 'no-store')
  }
  const inPieces = async (context: Context, text: TextInPieces, type: string, cache: string) => {
    const whole = smallText(text)
    if (whole !== null) return answer(context, whole, type, cache)
    const place = large.take()
    if (place === null) return message(context, 503, ...TOO_MANY_AT_ONCE)
    let response: Response | null = null
    try {
      const tag = await large.measured(text)
      if (tag === null) return await message(context, 406, ...TOO_LARGE)
      response = sendLarge(context, { text, tag, type, cache: cacheOf(context, cache), place, large })
      return response
    } finally {
      // A stream releases it at its end.
      if (response === null || response.body === null) place.release()
    }
  }
  return {
    page,
    text: answer,
    message,

    async inFormat(context, formats, cache = PRIVATE_CACHE) {
      const asked = context.req.query('format')
      const chosen = chooseFormat(asked, context.req.header('accept'))
      // A program that names no format gets the one there is.
      const format = asked === undefined && chosen === 'html' && !formats.html ? 'json' : chosen
      if (format === null || formats[format] === undefined) {
        const names = Object.keys(formats)
        return message(
          context,
          400,
          'No such format',
          `The format is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`,
        )
      }
      context.header('Vary', 'Accept')
      if (format === 'html') return page(context, await formats.html!(), cache)
      return inPieces(context, await formats[format](), TYPES[format], cache)
    },

    notFound: (context) => {
      context.status(404)
      context.header('Vary', 'Accept')
      if (chooseFormat(context.req.query('format'), context.req.header('accept')) === 'json') {
        return answer(context, NOT_FOUND_JSON, TYPES.json, 'no-store')
      }
      return page(context, notFoundPage(version, hasSignIn), 'no-store')
    },
  }
}

const NOT_FOUND_JSON = '{ "error": "not found" }\n'

const TOO_LARGE = [
  'Too large to be sent',
  `This would be more than ${MOST_BYTES / 2 ** 20} MiB. The page shows the most of it; what is stored can be asked for in the database, as “Reproduce” on the page says.`,
] as const

const TOO_MANY_AT_ONCE = [
  'Too much at once',
  'Several large answers are being made at the moment. Try again in ten seconds.',
  { 'Retry-After': '10' },
] as const

/** Below this size the headers weigh more than what compression saves. */
const COMPRESSED_FROM = 1024

/** With an entity tag of the content, compressed as the client allows, and without a body where it has it already. */
async function send(context: Context, text: string, type: string, cache: string): Promise<Response> {
  const tag = entityTag(createHash('sha256').update(text).digest('base64url'))
  if (isKnown(context, tag, cache)) return context.body(null, 304)
  context.header('Content-Type', type)
  const body = Buffer.from(text)
  const coding = body.length < COMPRESSED_FROM ? null : chooseCoding(context.req.header('accept-encoding'))
  const sent = coding === null ? body : await compressed(body, coding)
  if (coding !== null) context.header('Content-Encoding', coding)
  context.header('Content-Length', String(sent.length))
  return context.body(new Uint8Array(sent))
}

interface LargeAnswer {
  readonly text: TextInPieces
  readonly tag: string
  readonly type: string
  readonly cache: string
  readonly place: Place
  readonly large: LargeAnswers
}

/** The same of a text that is not held: without its length, which nobody knows before it has been compressed. */
function sendLarge(context: Context, { text, tag, type, cache, place, large }: LargeAnswer): Response {
  if (isKnown(context, tag, cache)) return context.body(null, 304)
  context.header('Content-Type', type)
  const coding = chooseCoding(context.req.header('accept-encoding'))
  if (coding !== null) context.header('Content-Encoding', coding)
  if (context.req.method === 'HEAD') return context.body(null)
  return context.body(large.stream(text, coding === null ? null : compressor(coding), place))
}

/** Says how it may be kept and what it is; whether the client has it already. */
function isKnown(context: Context, tag: string, cache: string): boolean {
  context.header('Cache-Control', cache)
  context.header('Vary', 'Accept-Encoding', { append: true })
  if (cache === 'no-store') return false
  context.header('ETag', tag)
  return matchesTag(context.req.header('if-none-match'), tag)
}

/** The weak comparison of RFC 9110, 13.1.2. */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((candidate) => candidate.trim() === tag || candidate.trim() === '*')
}
