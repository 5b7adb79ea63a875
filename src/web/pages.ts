import { type ErrorHandler, Hono, type MiddlewareHandler } from 'hono'
import { contextStorage } from 'hono/context-storage'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { NOTHING_REMEMBERED } from '../bot/triage/queue.ts'
import { NOTHING_RECORDED } from '../bot/triage/record.ts'
import { DEFAULT_CONFIG } from '../config/repository-config.ts'
import { InboxUnavailable } from '../inbox/database.ts'
import { CHANGES_PICTURE_ROUTE, TRUNK_PICTURE_ROUTE } from '../report/urls.ts'
import { askedByPage } from '../store/page-asking.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import { type Access, publicAccess } from './access/access.ts'
import type { SignIn } from './access/sign-in.ts'
import { type Answers, answers as answersOf, TRANSFER } from './kit/answers.ts'
import { noteVisitor } from './kit/layout.ts'
import type { Log } from './kit/log.ts'
import { type PageTurns, pageTurns } from './kit/page-turns.ts'
import { compareRoutes } from './pages/compare.ts'
import { digestRoutes } from './pages/digest.ts'
import { flameGraphRoutes } from './pages/flame-graph/flame-graph.ts'
import { rememberedDifferences } from './pages/flame-graph/remembered-differences.ts'
import { forProgramsRoutes } from './pages/for-programs.ts'
import { entryRoutes } from './pages/ledger/entry.ts'
import { ledgerRoutes } from './pages/ledger/ledger.ts'
import { type TimelineOf, timelineOf } from './pages/ledger/timeline-of-entry.ts'
import { mcpRoutes } from './pages/mcp/mcp.ts'
import { qualityRoutes } from './pages/quality.ts'
import { queryRoutes } from './pages/query/query.ts'
import { type TrunkHistoryOf, trunkHistoryOf } from './pages/query/trunk-of-repository.ts'
import { queueRoutes } from './pages/queue.ts'
import { recordRoutes } from './pages/record.ts'
import { pictureHeaders, pictureRoutes } from './pages/report/pictures.ts'
import { reportRoutes } from './pages/report/report.ts'
import { repositoryRoutes } from './pages/repository.ts'
import { rowRoutes } from './pages/row/row.ts'
import { searchRoutes } from './pages/search.ts'
import { signInRoutes } from './pages/sign-in.ts'
import type { PagesStore, Site } from './pages/site.ts'
import { siteRoutes } from './pages/start.ts'

/** The application of the pages: access, headers and all routes. Each page has a file in `web/pages/`. */

export interface PagesOptions {
  readonly store: PagesStore
  /** Absent: public repositories only, for everybody. */
  readonly access?: Access
  /** Absent: those that are public by their reports. */
  readonly publicOnly?: Access
  /** Absent: all have the default configuration. */
  readonly configOf?: Site['configOf']
  /** Absent or null: nobody signs in. */
  readonly signIn?: SignIn | null
  /** Absent: what is stored, nothing of it copied, by the default configuration. */
  readonly trunkHistoryOf?: TrunkHistoryOf
  /** Absent: of what the bot has stored. */
  readonly timelineOf?: TimelineOf
  /** Absent: nobody has said anything, and nothing was found. */
  readonly queueMemory?: Site['queueMemory']
  /** Absent: nobody has said anything, and the trunk has shown nothing. */
  readonly recordMemory?: Site['recordMemory']
  /** Absent: nobody has declared anything. */
  readonly declarationsOf?: Site['declarationsOf']
  /** Absent: `https://github.com`. */
  readonly githubUrl?: string
  /** Absent: as many pages at once as a small machine makes beside its work. */
  readonly turns?: PageTurns
  /** Milliseconds since 1970; absent: the time of the machine. */
  readonly now?: () => number
  /** The address of the bot from outside: `https://perf.example.org`. */
  readonly publicUrl: string
  readonly version: string
  readonly log: Log
}

/** What the server knows of a request beside it; a request of this process has none. */
export interface PagesEnv {
  /** The network that it comes from. */
  readonly network: string
}

/** Everything that a browser or a script may ask for. */
export function pages(options: PagesOptions): Hono {
  const site = siteOf(options)
  const { answers, signIn, publicUrl, log } = site
  const app = new Hono()

  for (const route of [CHANGES_PICTURE_ROUTE, TRUNK_PICTURE_ROUTE]) app.use(route, pictureHeaders)
  app.use(securityHeaders(publicUrl), ...TRANSFER)
  app.use(inTurn(site, options.turns ?? pageTurns()))
  if (signIn !== null) app.use(contextStorage(), noteVisitor(signIn.sessions))
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (context, methods) =>
        answers.message(context, 405, 'Method not allowed', `Request this address with ${methods.join(' or ')}.`, {
          Allow: methods.join(', '),
        }),
    }),
  )

  signInRoutes(app, site)
  siteRoutes(app, site)
  queueRoutes(app, site)
  digestRoutes(app, site)
  recordRoutes(app, site)
  qualityRoutes(app, site)
  repositoryRoutes(app, site)
  searchRoutes(app, site)
  compareRoutes(app, site)
  reportRoutes(app, site)
  pictureRoutes(app, site)
  rowRoutes(app, site)
  flameGraphRoutes(app, site)
  queryRoutes(app, site)
  ledgerRoutes(app, site)
  entryRoutes(app, site)
  mcpRoutes(app, site)
  forProgramsRoutes(app, site)

  app.notFound((context) => answers.notFound(context))
  app.onError(failedPage(answers, log))
  return app
}

/** The options with what stands for those that are absent. */
function siteOf(options: PagesOptions): Site {
  const { store, access = publicAccess(store.reports), signIn = null, version, log } = options
  const { now = Date.now, githubUrl = 'https://github.com' } = options
  const configOf = options.configOf ?? (async () => DEFAULT_CONFIG)
  const defaults = { store, configOf, log, now }
  return {
    store,
    access,
    publicOnly: options.publicOnly ?? publicAccess(store.reports),
    configOf,
    signIn,
    answers: answersOf(version, signIn !== null),
    trunkHistoryOf: options.trunkHistoryOf ?? trunkHistoryOf({ ...defaults, sources: null }),
    timelineOf: options.timelineOf ?? timelineOf({ ...defaults, databases: null }),
    profile: rememberedDifferences(now),
    queueMemory: options.queueMemory ?? {
      ...NOTHING_REMEMBERED,
      addMarks: async () => {},
      releasesOf: async () => [],
    },
    recordMemory: options.recordMemory ?? NOTHING_RECORDED,
    declarationsOf: options.declarationsOf ?? (async () => new Map()),
    githubUrl,
    now,
    publicUrl: options.publicUrl.replace(/\/+$/, ''),
    version,
    log,
  }
}

/** Each page that comes from outside has its turn, in which whoever leaves ends what was asked for them. */
function inTurn({ signIn, answers }: Site, turns: PageTurns): MiddlewareHandler {
  return async (context, next) => {
    const { signal } = context.req.raw
    const { network } = (context.env ?? {}) as Partial<PagesEnv>
    if (network === undefined) return await askedByPage(signal, next)
    const person = signIn?.sessions.userOf(context)?.id
    const turn = await turns.take(person === undefined ? network : `person ${person}`, signal)
    if (typeof turn === 'string') {
      const [status, title, words] = REFUSED[turn]
      return await answers.message(context, status, title, words, { 'Retry-After': '10' })
    }
    try {
      await askedByPage(signal, next)
    } finally {
      turn.end()
    }
  }
}

const REFUSED = {
  share: [
    429,
    'Too many pages at once',
    'You, or others at your address, ask for more pages than can be made for one visitor. Try again in ten seconds; whoever signs in has a share of their own.',
  ],
  busy: [
    503,
    'Too many visitors at once',
    'Others ask for more pages than can be made at the moment. Try again in ten seconds.',
  ],
} as const

/** The status of nginx for it; nobody reads it. */
const GONE = 499

function failedPage(answers: Answers, log: Log): ErrorHandler {
  return (error, context) => {
    if (context.req.raw.signal.aborted) return new Response(null, { status: GONE })
    if (error instanceof StoreUnavailable || error instanceof InboxUnavailable) {
      log.warn({ err: error }, 'page without a database')
      return answers.message(
        context,
        503,
        'The database can’t be reached',
        'The database with the reports does not answer at the moment. Nothing is lost; try again in a minute.',
        { 'Retry-After': '60' },
      )
    }
    log.error({ err: error }, 'page failed')
    return answers.message(
      context,
      500,
      'Something went wrong',
      'This page could not be created. The reason is in the bot’s log.',
    )
  }
}

const YEAR = 31_536_000
const NOTHING = "'none'"
const OURS = "'self'"

/**
 * No script and no style but from files of our own, nothing from anywhere else, in no frame: an injection that slipped
 * through stays text. `Strict-Transport-Security` only where the public address is https, or a bot on plain http would lock
 * its users out.
 */
function securityHeaders(publicUrl: string): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: [NOTHING],
      scriptSrc: [OURS],
      styleSrc: [OURS],
      imgSrc: [OURS],
      connectSrc: [OURS],
      formAction: [OURS],
      baseUri: [NOTHING],
      frameAncestors: [NOTHING],
    },
    xFrameOptions: 'DENY',
    permissionsPolicy: { camera: [], geolocation: [], microphone: [] },
    strictTransportSecurity: publicUrl.startsWith('https://') ? `max-age=${YEAR}` : false,
  })
}
