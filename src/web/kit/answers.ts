import type { Context, MiddlewareHandler } from 'hono'
import { accepts } from 'hono/accepts'
import { compress } from 'hono/compress'
import { etag } from 'hono/etag'
import type { TextInPieces } from '../../text/text-pieces.ts'
import { type LargeAnswers, largeAnswers, MOST_BYTES, smallText } from './large-answers.ts'
import type { Html } from './layout.ts'
import { messagePage, notFoundPage } from './message-page.ts'

/** A page of the site itself is the same until the next version. */
export const PUBLIC_CACHE = 'public, max-age=300'

/** Asked for again each time and kept by no shared cache, so that what turns private is not shown from one. */
export const PRIVATE_CACHE = 'private, no-cache'

/** The address holds a hash of the content. */
export const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable'

export type Format = 'html' | 'json' | 'tsv'

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  html: 'text/html',
  json: 'application/json',
  tsv: 'text/tab-separated-values',
}

const HTML = `${MEDIA_TYPES.html}; charset=utf-8`
const TYPES: Readonly<Record<Format, string>> = {
  html: HTML,
  json: MEDIA_TYPES.json,
  tsv: `${MEDIA_TYPES.tsv}; charset=utf-8`,
}

/**
 * The format that `?format=` names (null when it names none there is), else the one that the `Accept` header prefers, else
 * the page: a browser and `curl` get it, and a person with an odd client is better served by it than by an error.
 */
export function askedFormat(context: Context): Format | null {
  const named = context.req.query('format')
  const formats = Object.keys(MEDIA_TYPES) as Format[]
  if (named !== undefined) return formats.find((format) => format === named) ?? null
  const supports = Object.values(MEDIA_TYPES)
  const type = accepts(context, { header: 'Accept', supports, default: MEDIA_TYPES.html })
  return formats.find((format) => MEDIA_TYPES[format] === type)!
}

/**
 * Each answer is compressed as its client allows, and not sent again to who has it. Its tag is weak: it names the content in
 * each coding. An application that answers with `answers` uses both, in this order.
 */
export const TRANSFER: readonly MiddlewareHandler[] = [compress(), etag({ weak: true })]

/** The same content in each format that its address has; only the one that is asked for is made. */
export interface Formats {
  readonly html?: () => Html
  readonly json?: () => TextInPieces | Promise<TextInPieces>
  readonly tsv?: () => TextInPieces | Promise<TextInPieces>
}

/** How everything is answered: in the format that is asked for, with what caches may do with it. */
export interface Answers {
  page(context: Context, content: Html, cache: string): Promise<Response>
  text(context: Context, text: string, type: string, cache: string): Promise<Response>
  /** By `?format=`, else by the `Accept` header, else the page. What has no page is for programs only. */
  inFormat(context: Context, formats: Formats, cache?: string): Promise<Response>
  message(
    context: Context,
    status: 400 | 403 | 404 | 405 | 406 | 429 | 500 | 503,
    title: string,
    text: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>
  /** The same answer for a page that does not exist and for one that may not be seen; JSON to whoever asks for JSON. */
  notFound(context: Context): Promise<Response>
}

/** `hasSignIn`: what is answered depends on who asks. */
export function answers(version: string, hasSignIn: boolean, large: LargeAnswers = largeAnswers()): Answers {
  const head = headOf(hasSignIn)
  const text: Answers['text'] = async (context, content, type, cache) => {
    head(context, type, cache)
    context.header('Content-Length', String(Buffer.byteLength(content)))
    return context.body(content)
  }
  const page: Answers['page'] = async (context, content, cache) => text(context, String(await content), HTML, cache)
  const message: Answers['message'] = async (context, status, title, words, headers = {}) => {
    context.status(status)
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    return page(context, messagePage(version, title, words), 'no-store')
  }
  const inPieces = answerInPieces(head, text, message, large)
  return {
    page,
    text,
    message,

    async inFormat(context, formats, cache = PRIVATE_CACHE) {
      const format = formatAmong(context, formats)
      if (format === null) return message(context, 400, 'No such format', formatWords(formats))
      context.header('Vary', 'Accept')
      if (format === 'html') return page(context, await formats.html!(), cache)
      return inPieces(context, await formats[format]!(), TYPES[format], cache)
    },

    notFound: (context) => {
      context.status(404)
      context.header('Vary', 'Accept')
      if (askedFormat(context) === 'json') return text(context, NOT_FOUND_JSON, TYPES.json, 'no-store')
      return page(context, notFoundPage(version, hasSignIn), 'no-store')
    },
  }
}

type Head = (context: Context, type: string, cache: string) => void

/** Sets the headers of each answer. */
function headOf(hasSignIn: boolean): Head {
  const cacheOf = (context: Context, cache: string): string => {
    if (!hasSignIn || cache === IMMUTABLE_CACHE) return cache
    context.header('Vary', 'Cookie', { append: true })
    // Each page says who is signed in.
    return cache === PUBLIC_CACHE ? PRIVATE_CACHE : cache
  }
  return (context, type, cache) => {
    context.header('Content-Type', type)
    context.header('Cache-Control', cacheOf(context, cache))
    // `compress` says so of what it may compress alone, and a 304 has no type to tell it by.
    context.header('Vary', 'Accept-Encoding', { append: true })
  }
}

/** Answers with a text that may be too long to be held whole: then it is sent piece by piece, in one of a few places. */
function answerInPieces(head: Head, answer: Answers['text'], message: Answers['message'], large: LargeAnswers) {
  return async (context: Context, text: TextInPieces, type: string, cache: string): Promise<Response> => {
    const whole = smallText(text)
    if (whole !== null) return answer(context, whole, type, cache)
    const place = large.take()
    if (place === null) return message(context, 503, ...TOO_MANY_AT_ONCE)
    let response: Response | null = null
    try {
      // `etag` would hold all of it to find its tag: here it is read once more in the place of that.
      const tag = await large.measured(text)
      if (tag === null) return await message(context, 406, ...TOO_LARGE)
      head(context, type, cache)
      context.header('ETag', tag)
      response = context.req.method === 'HEAD' ? context.body(null) : context.body(large.stream(text, place))
      return response
    } finally {
      // A stream releases it at its end.
      if (response === null || response.body === null) place.release()
    }
  }
}

/** The format to answer in; null where the address does not have the one that is asked for. */
function formatAmong(context: Context, formats: Formats): Format | null {
  const asked = askedFormat(context)
  const isNamed = context.req.query('format') !== undefined
  // A program that names no format gets the one there is.
  const format = !isNamed && asked === 'html' && !formats.html ? 'json' : asked
  return format === null || formats[format] === undefined ? null : format
}

function formatWords(formats: Formats): string {
  const names = Object.keys(formats)
  return `The format is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`
}

const NOT_FOUND_JSON = '{ "error": "not found" }\n'

const TOO_LARGE = [
  'Too large to send',
  `This would be more than ${MOST_BYTES / 2 ** 20} MiB. The page shows most of it; the rest can be queried in the database, as “Reproduce” on the page says.`,
] as const

const TOO_MANY_AT_ONCE = [
  'Too much at once',
  'Several large answers are being prepared. Try again in ten seconds.',
  { 'Retry-After': '10' },
] as const
