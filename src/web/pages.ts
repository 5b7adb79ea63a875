import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { type Store, StoreUnavailable } from '../clickhouse/store.ts'
import type { TriageReport } from '../triage/report.ts'
import { ASSETS } from './assets.ts'
import { chooseCoding, compressed } from './content-coding.ts'
import { failingTestsJson, failingTestsTsv } from './failing-tests-data.ts'
import { indexPage } from './index-page.ts'
import type { Html } from './layout.ts'
import type { Log } from './log.ts'
import { messagePage } from './message-page.ts'
import { parseReportAddress } from './report-address.ts'
import { chooseFormat, type ReportFormat } from './report-format.ts'
import { reportPage } from './report-page.ts'
import { reportTsv } from './report-tsv.ts'
import { parseReportView } from './report-view.ts'
import { securityHeaders } from './security-headers.ts'
import {
  FAILING_TESTS_ROUTE,
  INDEX_PATH,
  REPORT_OF_HEAD_ROUTE,
  REPORT_ROUTE,
  type ReportAddress,
  reportPath,
  WORDS_PATH,
} from './urls.ts'
import { wordsPage } from './words-page.ts'

export interface PagesOptions {
  readonly store: Pick<Store, 'repositoryByName' | 'reportOf'>
  /** Where the bot is reached from outside: `https://perf.example.org`. */
  readonly publicUrl: string
  readonly version: string
  readonly log: Log
}

/** Everything that a browser or a script may ask for. Works without JavaScript and sends none. */
export function pages({ store, publicUrl, version, log }: PagesOptions): Hono {
  const app = new Hono()
  const headers = Object.entries(securityHeaders(publicUrl))

  app.use(async (context, next) => {
    await next()
    for (const [name, value] of headers) context.res.headers.set(name, value)
  })
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (context, methods) =>
        message(context, 405, 'Method not allowed', `Ask for this address with ${methods.join(' or ')}.`, {
          Allow: methods.join(', '),
        }),
    }),
  )

  app.get(INDEX_PATH, (context) => page(context, indexPage(version), PUBLIC_CACHE))
  app.get(WORDS_PATH, (context) => page(context, wordsPage(version), PUBLIC_CACHE))
  for (const { path, type, content } of ASSETS) {
    app.get(path, (context) => answer(context, content, type, 'public, max-age=31536000, immutable'))
  }
  app.get(REPORT_ROUTE, (context) => showReport(context, parseReportAddress(context.req.param())))
  app.get(REPORT_OF_HEAD_ROUTE, (context) => showReport(context, parseReportAddress(context.req.param())))
  app.get(FAILING_TESTS_ROUTE, (context) => showFailingTests(context, parseReportAddress(context.req.param())))

  app.notFound(notFound)
  app.onError((error, context) => {
    if (error instanceof StoreUnavailable) {
      log.warn({ err: error }, 'page without a store')
      return message(
        context,
        503,
        'The database can’t be reached',
        'The reports are kept in a database that does not answer at the moment. Nothing is lost; try again in a minute.',
        { 'Retry-After': '60' },
      )
    }
    log.error({ err: error }, 'page failed')
    return message(context, 500, 'Something went wrong', 'This page could not be made. The reason is in the log.', {})
  })
  return app

  async function showReport(context: Context, address: ReportAddress | null): Promise<Response> {
    const report = address === null ? null : await visibleReport(store, address)
    if (address === null || report === null) return notFound(context)
    const format = chooseFormat(context.req.query('format'), context.req.header('accept'))
    if (format === null) {
      return message(context, 400, 'No such format', 'The format is html, json or tsv.', {})
    }
    context.header('Vary', 'Accept')
    const view = parseReportView(new URL(context.req.url).searchParams)
    const { type, render } = FORMATS[format]
    const body = await render(report, { view, path: reportPath(address), version })
    return answer(context, body, type, REPORT_CACHE)
  }

  /** Only for programs: a person reads them on the report's page. */
  async function showFailingTests(context: Context, address: ReportAddress | null): Promise<Response> {
    const report = address === null ? null : await visibleReport(store, address)
    if (report === null || report.failingTests === null) return notFound(context)
    const asked = context.req.query('format')
    const format = chooseFormat(asked, context.req.header('accept'))
    if (format === null || asked === 'html') {
      return message(context, 400, 'No such format', 'The format is json or tsv.', {})
    }
    context.header('Vary', 'Accept')
    return format === 'tsv'
      ? answer(context, failingTestsTsv(report, report.failingTests), FORMATS.tsv.type, REPORT_CACHE)
      : answer(context, failingTestsJson(report, report.failingTests), FORMATS.json.type, REPORT_CACHE)
  }

  /** One and the same for what does not exist and what may not be seen. */
  function notFound(context: Context): Response | Promise<Response> {
    return message(
      context,
      404,
      'Not found',
      'There is no such page. A report is here once the first performance check of its pull request has finished; those of private repositories are not shown.',
      {},
    )
  }

  function message(
    context: Context,
    status: 400 | 404 | 405 | 500 | 503,
    title: string,
    text: string,
    more: Readonly<Record<string, string>>,
  ): Response | Promise<Response> {
    context.status(status)
    for (const [name, value] of Object.entries(more)) context.header(name, value)
    return page(context, messagePage(version, title, text), 'no-store')
  }
}

/** The pages are the same until the next version. */
const PUBLIC_CACHE = 'public, max-age=300'

/** Asked for again each time and kept by no shared cache, so that a report of a repository that turns private is not. */
const REPORT_CACHE = 'private, no-cache'

/**
 * Whether it may be seen is decided before any report is looked up, by what the newest report says of the repository. What
 * does not exist and what is private cost the same one question.
 */
async function visibleReport(
  store: PagesOptions['store'],
  { owner, repo, number, head }: ReportAddress,
): Promise<TriageReport | null> {
  const repository = await store.repositoryByName(owner, repo)
  if (repository === null || repository.isPrivate) return null
  return head === undefined
    ? await store.reportOf(repository.id, number)
    : await store.reportOf(repository.id, number, head)
}

interface ReportShown {
  readonly view: ReturnType<typeof parseReportView>
  readonly path: string
  readonly version: string
}

const FORMATS: Record<
  ReportFormat,
  { readonly type: string; readonly render: (report: TriageReport, shown: ReportShown) => string | Promise<string> }
> = {
  html: {
    type: 'text/html; charset=utf-8',
    render: async (report, { view, path, version }) => String(await reportPage(report, view, path, version)),
  },
  json: { type: 'application/json', render: (report) => JSON.stringify(report) + '\n' },
  tsv: { type: 'text/tab-separated-values; charset=utf-8', render: reportTsv },
}

async function page(context: Context, content: Html, cache: string): Promise<Response> {
  return answer(context, String(await content), 'text/html; charset=utf-8', cache)
}

/** Below this size the headers weigh more than what compression saves. */
const COMPRESSED_FROM = 1024

/** With an entity tag of the content, compressed as the client allows, and without a body where it has it already. */
async function answer(context: Context, text: string, type: string, cache: string): Promise<Response> {
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
