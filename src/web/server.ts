import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, BlockList } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { InboxUnavailable } from '../inbox/database.ts'
import { type Connections, limitConnections } from './connections.ts'
import { type Log, type LogLimit, limitedLog } from './kit/log.ts'
import type { PagesEnv } from './pages.ts'
import { type Readiness, type ReadinessCheck, readinessProbe } from './readiness.ts'
import { bodyBudget, clientOf, declaredLength, networkOf, readBody } from './request-body.ts'
import { SERVER_LIMITS, type ServerLimits } from './server-limits.ts'
import type { DeliveryHead, Webhook } from './webhook.ts'

/** The address of GitHub's deliveries; the default of Probot and of app.yml. */
export const WEBHOOK_PATH = '/api/github/webhooks'
export const HEALTH_PATH = '/healthz'
export const READY_PATH = '/readyz'
/** With `HEALTH_PATH`: `named`, or `not-named` where the request came through a proxy that nobody has named. */
export const PROXIES_HEADER = 'Perf-Triage-Proxies'

/** A slash at the end is easily typed into the settings of an App. */
export function isWebhook(path: string): boolean {
  return path === WEBHOOK_PATH || path === `${WEBHOOK_PATH}/`
}

export interface ServerOptions {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /** null: pages only. */
  readonly webhook: Webhook | null
  /** A Hono application or anything else that answers a request. */
  readonly pages: { fetch(request: Request, env: PagesEnv): Response | Promise<Response> }
  readonly readiness: readonly ReadinessCheck[]
  /** Further fields of the answer of `/readyz`, for anybody; asked every `DETAILS_KEPT_MS` at most. */
  readonly details?: () => Promise<object>
  /** Proxies whose `X-Forwarded-For` says who the client is. Default: none. */
  readonly trustedProxies?: BlockList
  readonly limits?: Partial<ServerLimits>
  readonly log: Log
}

export interface RunningServer {
  /** With the port that was taken, without a slash at the end. */
  readonly url: string
  /**
   * Takes no new connections, lets the requests in flight finish and resolves when all connections are closed, at the
   * latest after `limits.shutdown`. Calling it again waits for the same end.
   */
  close(): Promise<void>
}

/** Rejects with Node's error (`EADDRINUSE`, `EACCES`, …) when the address can't be taken. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const limits: ServerLimits = { ...SERVER_LIMITS, ...options.limits }
  const server = createServer({
    maxHeaderSize: limits.header,
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    keepAliveTimeout: limits.keepAliveTimeout,
    // Node looks at the two time-outs only this often, every 30 s by default.
    connectionsCheckingInterval: Math.ceil(Math.min(limits.headersTimeout, limits.requestTimeout) / 4),
  })
  server.setTimeout(limits.idleTimeout)

  const dropLog = limitedLog(options.log, DROP_LIMIT)
  const connections = limitConnections(server, limits, options.trustedProxies ?? new BlockList(), (why) =>
    dropLog.warn({ limit: limits[why === 'network' ? 'connectionsOfNetwork' : 'connections'] }, TOO_MANY[why]),
  )
  const shutdown = gracefulShutdown(server, connections, limits.shutdown)
  const answer = requestHandler(options, limits, shutdown, connections)
  server.on('request', (request, response) => void answer(request, response))
  // A client that asks first is told before it sends 25 MiB for nothing.
  server.on('checkContinue', (request, response) => void answer(request, response, () => response.writeContinue()))
  await listen(server, options.host, options.port)
  return { url: urlOf(server, options.host), close: shutdown.close }
}

interface Shutdown {
  readonly isClosing: () => boolean
  readonly started: (response: ServerResponse) => void
  readonly close: () => Promise<void>
}

function gracefulShutdown(server: Server, connections: Connections, timeout: number): Shutdown {
  const inFlight = new Set<ServerResponse>()
  let closing: Promise<void> | null = null

  const close = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), timeout)
      server.close(() => {
        clearTimeout(timer)
        resolve()
      })
      for (const response of inFlight) response.shouldKeepAlive = false
      server.closeIdleConnections()
      connections.closeUnused()
    })

  return {
    isClosing: () => closing !== null,
    started: (response) => {
      inFlight.add(response)
      if (closing) response.shouldKeepAlive = false
      response.on('close', () => {
        inFlight.delete(response)
        // An answer whose headers were on their way before the end has left its connection open.
        if (closing) setImmediate(() => server.closeIdleConnections())
      })
    },
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** `mayContinue` is called when the body is wanted, for a client that waits for that. */
type Answer = (request: IncomingMessage, response: ServerResponse, mayContinue?: () => void) => Promise<void>

type Route = (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  mayContinue: () => void,
) => Promise<void>

function requestHandler(
  options: ServerOptions,
  limits: ServerLimits,
  shutdown: Shutdown,
  connections: Connections,
): Answer {
  const log = limitedLog(options.log)
  const trustedProxies = options.trustedProxies ?? new BlockList()
  const noteProxy = noteOfUnnamedProxy(trustedProxies, log)
  const route = routeOf({ options, limits, shutdown, connections, trustedProxies, log })

  return async (request, response, mayContinue = () => {}) => {
    shutdown.started(response)
    connections.began(response)
    response.setHeader('X-Content-Type-Options', 'nosniff')
    const path = pathOf(request)
    logWhenDone(options.log, log, path, request, response)
    noteProxy(request)
    try {
      await route(path, request, response, mayContinue)
    } catch (error) {
      log.error({ err: error, path: path.slice(0, LOGGED_PATH_LENGTH) }, 'request failed')
      if (response.headersSent) response.destroy()
      else if (error instanceof InboxUnavailable) answerText(response, 503, 'The inbox does not answer, try again')
      else answerText(response, 500, 'Internal error')
    }
  }
}

interface Routed {
  readonly options: ServerOptions
  readonly limits: ServerLimits
  readonly shutdown: Shutdown
  readonly connections: Connections
  readonly trustedProxies: BlockList
  readonly log: Log
}

/** A delivery goes to the webhook, a probe is answered here, everything else is a page's; the body is read before. */
function routeOf({ options, limits, shutdown, connections, trustedProxies, log }: Routed): Route {
  const budget = bodyBudget(limits, trustedProxies)
  const answerReadiness = readinessAnswer(options, shutdown, log)
  const answerPage = pageListener(options.pages, trustedProxies, log)

  return async (path, request, response, mayContinue) => {
    const webhook = isWebhook(path) ? options.webhook : null
    const head = webhook?.headOf(request.headers) ?? null
    if (webhook !== null && request.method !== 'POST') {
      response.setHeader('Allow', 'POST')
      return refuse(response, 405, 'Method not allowed', limits.linger)
    }
    if (webhook !== null && head === null) {
      webhook.refused('not-github')
      return refuse(response, 400, WEBHOOK_REFUSED['not-github'], limits.linger)
    }

    const isProbe = path === HEALTH_PATH || path === READY_PATH
    if (webhook === null && !isProbe && connections.isFull())
      return refuse(response, ...BODY_REFUSED.busy, limits.linger)

    const limit = webhook === null ? limits.otherBody : limits.webhookBody
    if ((declaredLength(request) ?? 0) <= limit) mayContinue()
    const body = await readBody(request, limit, budget, limits.bodyPace)
    if (webhook !== null && (body.kind === 'aborted' || body.kind === 'busy' || body.kind === 'slow')) webhook.missed()
    if (body.kind === 'aborted') return void response.destroy()
    if (body.kind !== 'read') {
      webhook?.refused(body.kind)
      const [status, words] = BODY_REFUSED[body.kind]
      return refuse(response, status, words, limits.linger)
    }

    response.on('close', () => body.release())
    if (response.closed) return body.release()
    if (webhook !== null && head !== null) return deliver(webhook, head, body.body, response)
    if (isProbe) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed(response, 'GET, HEAD')
      if (path === READY_PATH) return answerReadiness(response)
      response.setHeader(PROXIES_HEADER, clientOf(request, trustedProxies).forwards ? 'not-named' : 'named')
      return answerJson(response, 200, { alive: true })
    }
    await answerPage(Object.assign(request, { rawBody: body.body }), response)
  }
}

async function deliver(webhook: Webhook, head: DeliveryHead, body: Buffer, response: ServerResponse): Promise<void> {
  const received = await webhook.receive(head, body).catch((error: unknown) => {
    webhook.missed()
    throw error
  })
  if (received === 'taken') return answerText(response, 200, 'ok')
  webhook.refused(received)
  answerText(response, 400, WEBHOOK_REFUSED[received])
}

/** Says once that a proxy forwards requests and nobody has named it. */
function noteOfUnnamedProxy(trustedProxies: BlockList, log: Log): (request: IncomingMessage) => void {
  let isSaid = false
  return (request) => {
    const client = clientOf(request, trustedProxies)
    if (!client.forwards || isSaid) return
    isSaid = true
    log.warn({ address: client.address }, PROXY_NOT_NAMED)
  }
}

function readinessAnswer(
  options: ServerOptions,
  shutdown: Shutdown,
  log: Log,
): (response: ServerResponse) => Promise<void> {
  const probe = readinessProbe(options.readiness, (name, error) => log.warn({ name, err: error }, 'not ready'))
  const details = keptDetails(options)
  return async (response) => {
    const readiness: Readiness = shutdown.isClosing() ? { ready: false, notReady: ['shutting-down'] } : await probe()
    answerJson(response, readiness.ready ? 200 : 503, { ...readiness, ...(await details()) })
  }
}

/** Answers requests of pages, each with the network that it comes from. */
export function pageListener(pages: ServerOptions['pages'], trustedProxies: BlockList, log: Log) {
  const networkOfClient = (incoming: IncomingMessage) => networkOf(clientOf(incoming, trustedProxies).address)
  return getRequestListener(
    (request, { incoming }) => pages.fetch(request, { network: networkOfClient(incoming as IncomingMessage) }),
    {
      overrideGlobalObjects: false,
      hostname: 'localhost',
      errorHandler: (error) => {
        // Its own errors are about requests that can't be parsed: a missing host, an impossible path.
        const isRequestError = error instanceof Error && error.name === 'RequestError'
        if (!isRequestError) log.error({ err: error }, 'page failed')
        return new Response(isRequestError ? 'Bad request\n' : 'Internal error\n', {
          status: isRequestError ? 400 : 500,
          headers: { 'content-type': 'text/plain; charset=utf-8' },
        })
      },
    },
  )
}

const TOO_MANY = {
  network: 'connection refused: too many connections of one address',
  all: 'connection refused: too many connections',
} as const

const BODY_REFUSED = {
  'too-large': [413, 'The request body is too large'],
  slow: [408, 'The request body arrives too slowly'],
  busy: [503, 'Too much at once, try again'],
} as const

const PROXY_NOT_NAMED =
  'a request was forwarded from an address that is not in TRUSTED_PROXIES: if it is your proxy, add it there, because all its clients ' +
  'otherwise share one client’s memory for request bodies'

const WEBHOOK_REFUSED = {
  'not-github': 'A delivery has application/json, X-GitHub-Event, X-GitHub-Delivery and X-Hub-Signature-256',
  empty: 'The body is empty',
  'not-signed': 'The signature does not match the webhook secret',
  'not-a-payload': 'The payload is not a JSON object',
} as const

/** The queue is counted on the thread that answers everybody. */
const DETAILS_KEPT_MS = 5_000

function keptDetails({ details }: ServerOptions): () => Promise<object> {
  let kept: Promise<object> = Promise.resolve({})
  let asked = -Infinity
  return () => {
    const now = performance.now()
    if (details === undefined || now - asked < DETAILS_KEPT_MS) return kept
    asked = now
    // The inbox may be what is not ready.
    kept = details().catch(() => ({}))
    return kept
  }
}

/** Without the query, which may hold a code or a token; as sent, not decoded. */
function pathOf(request: IncomingMessage): string {
  const target = request.url ?? '/'
  if (target.startsWith('/')) return target.split(/[?#]/, 1)[0]!
  return URL.parse(target)?.pathname ?? '/'
}

const LOGGED_PATH_LENGTH = 300

/** A delivery that GitHub has signed is logged always, everything else as far as `limited` takes it. */
function logWhenDone(log: Log, limited: Log, path: string, request: IncomingMessage, response: ServerResponse): void {
  const started = performance.now()
  response.on('close', () => {
    const fields = {
      method: request.method,
      path: path.slice(0, LOGGED_PATH_LENGTH),
      status: response.headersSent ? response.statusCode : null,
      milliseconds: Math.round((performance.now() - started) * 10) / 10,
      ...(response.writableFinished ? {} : { aborted: true }),
    }
    if (path === HEALTH_PATH || path === READY_PATH) limited.debug(fields, 'request')
    else if (isWebhook(path) && fields.status === 200) log.info(fields, 'request')
    else limited.info(fields, 'request')
  })
}

function answerText(response: ServerResponse, status: number, text: string): void {
  const body = Buffer.from(text + '\n')
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': body.length }).end(body)
}

function answerJson(response: ServerResponse, status: number, value: object): void {
  const body = Buffer.from(JSON.stringify(value) + '\n')
  response
    .writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      'Cache-Control': 'no-store',
    })
    .end(body)
}

function notAllowed(response: ServerResponse, allow: string): void {
  response.setHeader('Allow', allow)
  answerText(response, 405, 'Method not allowed')
}

/**
 * Answers a request whose body is not read to its end, and closes the connection. The close of a connection with unread
 * bytes is a reset, which would overtake the answer: so the answer is complete at once and its end waits a moment.
 */
function refuse(response: ServerResponse, status: number, text: string, linger: number): void {
  const body = Buffer.from(text + '\n')
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': body.length,
    Connection: 'close',
    ...(status === 503 ? { 'Retry-After': '5' } : {}),
  })
  response.write(body)
  const timer = setTimeout(() => response.end(), linger)
  response.on('close', () => clearTimeout(timer))
}

/** A flood of connections is one line in ten seconds. */
const DROP_LIMIT: LogLimit = { lines: 1, period: 10_000 }

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo
  const anyAddress = host === '0.0.0.0' || host === '::'
  return `http://${anyAddress ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}
