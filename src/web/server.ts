import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Log } from './log.ts'
import { type Readiness, type ReadinessCheck, readinessProbe } from './readiness.ts'
import { type BodyBudget, declaredLength, readBody } from './request-body.ts'
import { SERVER_LIMITS, type ServerLimits } from './server-limits.ts'

/** Where GitHub sends its deliveries; the default of Probot and of app.yml. */
export const WEBHOOK_PATH = '/api/github/webhooks'
export const HEALTH_PATH = '/healthz'
export const READY_PATH = '/readyz'

/** The body has been read within its limit; `@octokit/webhooks` takes it from `body`. */
export type WebhookRequest = IncomingMessage & { body: string }

/** Answers; the promise of `false` says that it did not. Probot's `createNodeMiddleware` gives one. */
export type WebhookHandler = (request: WebhookRequest, response: ServerResponse) => unknown

export interface ServerOptions {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  readonly webhook: WebhookHandler
  /** A Hono application or anything else that answers a request. */
  readonly pages: { fetch(request: Request): Response | Promise<Response> }
  readonly readiness: readonly ReadinessCheck[]
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
  server.maxConnections = limits.connections
  server.setTimeout(limits.idleTimeout)

  const shutdown = gracefulShutdown(server, limits.shutdown)
  const answer = requestHandler(options, limits, shutdown)
  server.on('request', (request, response) => void answer(request, response))
  server.on('checkContinue', (request, response) => {
    // A client that asks first is told before it sends 25 MiB for nothing.
    if (declaredLength(request) <= bodyLimit(pathOf(request), limits)) response.writeContinue()
    void answer(request, response)
  })
  server.on('drop', throttledDropWarning(options.log, limits.connections))

  await listen(server, options.host, options.port)
  return { url: urlOf(server, options.host), close: shutdown.close }
}

interface Shutdown {
  readonly isClosing: () => boolean
  readonly started: (response: ServerResponse) => void
  readonly close: () => Promise<void>
}

function gracefulShutdown(server: Server, timeout: number): Shutdown {
  const inFlight = new Set<ServerResponse>()
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
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
      // Browsers open connections ahead of need. Node does not count one as idle before its first request.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
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

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

function requestHandler(options: ServerOptions, limits: ServerLimits, shutdown: Shutdown): Answer {
  const { log } = options
  const budget: BodyBudget = { held: 0, limit: limits.heldBodies }
  const probe = readinessProbe(options.readiness, (name, error) => log.warn({ name, err: error }, 'not ready'))
  const isReady = async (): Promise<Readiness> =>
    shutdown.isClosing() ? { ready: false, notReady: ['shutting-down'] } : probe()
  const pages = getRequestListener((request) => options.pages.fetch(request), {
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
  })

  const route = async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request, bodyLimit(path, limits), budget)
    if (body.kind === 'aborted') return void response.destroy()
    if (body.kind === 'too-large') return refuse(response, 413, 'The request body is too large', limits.linger)
    if (body.kind === 'busy') return refuse(response, 503, 'Too much at once, try again', limits.linger)

    response.on('close', () => body.release())
    if (response.closed) return body.release()
    if (path === WEBHOOK_PATH) {
      if (request.method !== 'POST') return notAllowed(response, 'POST')
      const handled = await options.webhook(Object.assign(request, { body: body.body.toString('utf8') }), response)
      if (handled === false && !response.writableEnded) answerText(response, 404, 'Not found')
      return
    }
    if (path === HEALTH_PATH || path === READY_PATH) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed(response, 'GET, HEAD')
      if (path === HEALTH_PATH) return answerJson(response, 200, { alive: true })
      const readiness = await isReady()
      return answerJson(response, readiness.ready ? 200 : 503, readiness)
    }
    await pages(Object.assign(request, { rawBody: body.body }), response)
  }

  return async (request, response) => {
    shutdown.started(response)
    response.setHeader('X-Content-Type-Options', 'nosniff')
    const path = pathOf(request)
    logWhenDone(log, path, request, response)
    try {
      await route(path, request, response)
    } catch (error) {
      log.error({ err: error, path }, 'request failed')
      if (response.headersSent) response.destroy()
      else answerText(response, 500, 'Internal error')
    }
  }
}

function bodyLimit(path: string, limits: ServerLimits): number {
  return path === WEBHOOK_PATH ? limits.webhookBody : limits.otherBody
}

/** Without the query, which may hold a code or a token; as sent, not decoded. */
function pathOf(request: IncomingMessage): string {
  const target = request.url ?? '/'
  if (target.startsWith('/')) return target.split(/[?#]/, 1)[0]!
  return URL.parse(target)?.pathname ?? '/'
}

const LOGGED_PATH_LENGTH = 300

function logWhenDone(log: Log, path: string, request: IncomingMessage, response: ServerResponse): void {
  const started = performance.now()
  response.on('close', () => {
    const fields = {
      method: request.method,
      path: path.slice(0, LOGGED_PATH_LENGTH),
      status: response.headersSent ? response.statusCode : null,
      milliseconds: Math.round((performance.now() - started) * 10) / 10,
      ...(response.writableFinished ? {} : { aborted: true }),
    }
    if (path === HEALTH_PATH || path === READY_PATH) log.debug(fields, 'request')
    else log.info(fields, 'request')
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

const DROP_WARNING_INTERVAL = 10_000

/** At most one line in ten seconds: a flood of connections must not become a flood of log lines. */
function throttledDropWarning(log: Log, limit: number): () => void {
  let dropped = 0
  let last = -Infinity
  return () => {
    dropped += 1
    const now = performance.now()
    if (now - last < DROP_WARNING_INTERVAL) return
    log.warn({ dropped, limit }, 'connections refused: too many at once')
    dropped = 0
    last = now
  }
}

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
