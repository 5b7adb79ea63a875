import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { chooseCoding, compressed } from './content-coding.ts'
import type { Html } from './layout.ts'
import { messagePage } from './message-page.ts'
import { notFoundPage } from './not-found-page.ts'
import { chooseFormat, type ReportFormat } from './report-format.ts'

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
export type Formats = { readonly [format in ReportFormat]?: () => Html | string | Promise<string> }

/** How everything is answered: with an entity tag, compressed, in the format that is asked for. */
export interface Answers {
  page(context: Context, content: Html, cache: string): Promise<Response>
  text(context: Context, text: string, type: string, cache: string): Promise<Response>
  /** By `?format=`, else by the `Accept` header, else the page. What has no page is for programs only. */
  inFormat(context: Context, formats: Formats, cache?: string): Promise<Response>
  message(
    context: Context,
    status: 400 | 403 | 404 | 405 | 500 | 503,
    title: string,
    text: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>
  /** One and the same for what does not exist and what may not be seen. */
  notFound(context: Context): Promise<Response>
}

/** `hasSignIn`: what is answered depends on who asks. */
export function answers(version: string, hasSignIn: boolean): Answers {
  const answer = async (context: Context, text: string, type: string, cache: string) => {
    if (!hasSignIn || cache === IMMUTABLE_CACHE) return send(context, text, type, cache)
    context.header('Vary', 'Cookie', { append: true })
    // Each page says who is signed in.
    return send(context, text, type, cache === PUBLIC_CACHE ? PRIVATE_CACHE : cache)
  }
  const page: Answers['page'] = async (context, content, cache) => answer(context, String(await content), HTML, cache)
  const message: Answers['message'] = async (context, status, title, text, headers = {}) => {
    context.status(status)
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    return page(context, messagePage(version, title, text), 'no-store')
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
      const render = format === null ? undefined : formats[format]
      if (format === null || render === undefined) {
        const names = Object.keys(formats)
        return message(
          context,
          400,
          'No such format',
          `The format is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`,
        )
      }
      context.header('Vary', 'Accept')
      return answer(context, String(await render()), TYPES[format], cache)
    },

    notFound: (context) => {
      context.status(404)
      return page(context, notFoundPage(version, hasSignIn), 'no-store')
    },
  }
}

/** Below this size the headers weigh more than what compression saves. */
const COMPRESSED_FROM = 1024

/** With an entity tag of the content, compressed as the client allows, and without a body where it has it already. */
async function send(context: Context, text: string, type: string, cache: string): Promise<Response> {
  const tag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  context.header('Cache-Control', cache)
  context.header('Vary', 'Accept-Encoding', { append: true })
  if (cache !== 'no-store') {
    context.header('ETag', tag)
    if (matchesTag(context.req.header('if-none-match'), tag)) return context.body(null, 304)
  }
  context.header('Content-Type', type)
  const body = Buffer.from(text)
  const coding = body.length < COMPRESSED_FROM ? null : chooseCoding(context.req.header('accept-encoding'))
  const sent = coding === null ? body : await compressed(body, coding)
  if (coding !== null) context.header('Content-Encoding', coding)
  context.header('Content-Length', String(sent.length))
  return context.body(new Uint8Array(sent))
}

/** The weak comparison of RFC 9110, 13.1.2. */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((candidate) => candidate.trim() === tag || candidate.trim() === '*')
}
