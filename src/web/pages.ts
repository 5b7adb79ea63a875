import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { StoreUnavailable } from '../clickhouse/store.ts'
import type { Access } from './access/access.ts'
import { publicAccess } from './access/public-access.ts'
import { answers as answersOf } from './answers.ts'
import type { Log } from './log.ts'
import { reportRoutes } from './routes/report.ts'
import { repositoryRoutes } from './routes/repository.ts'
import { siteRoutes } from './routes/site.ts'
import { securityHeaders } from './security-headers.ts'
import type { PagesStore, Site } from './site.ts'

export interface PagesOptions {
  readonly store: PagesStore
  /** Absent: public repositories only, for everybody. */
  readonly access?: Access
  /** Where the bot is reached from outside: `https://perf.example.org`. */
  readonly publicUrl: string
  readonly version: string
  readonly log: Log
}

/** Everything that a browser or a script may ask for. */
export function pages({ store, access = publicAccess(store), publicUrl, version, log }: PagesOptions): Hono {
  const app = new Hono()
  const answers = answersOf(version)
  const site: Site = { store, access, answers, publicUrl, version, log }
  const headers = Object.entries(securityHeaders(publicUrl))

  app.use(async (context, next) => {
    await next()
    for (const [name, value] of headers) context.res.headers.set(name, value)
  })
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (context, methods) =>
        answers.message(context, 405, 'Method not allowed', `Ask for this address with ${methods.join(' or ')}.`, {
          Allow: methods.join(', '),
        }),
    }),
  )

  siteRoutes(app, site)
  repositoryRoutes(app, site)
  reportRoutes(app, site)

  app.notFound((context) => answers.notFound(context))
  app.onError((error, context) => {
    if (error instanceof StoreUnavailable) {
      log.warn({ err: error }, 'page without a store')
      return answers.message(
        context,
        503,
        'The database can’t be reached',
        'The reports are kept in a database that does not answer at the moment. Nothing is lost; try again in a minute.',
        { 'Retry-After': '60' },
      )
    }
    log.error({ err: error }, 'page failed')
    return answers.message(
      context,
      500,
      'Something went wrong',
      'This page could not be made. The reason is in the log.',
    )
  })
  return app
}
