import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Api } from './api.ts'
import type { BlobHost } from './blob-host.ts'
import type { Enterprise } from './enterprise.ts'
import type { Fault, Faults } from './faults.ts'
import type { Forms } from './forms.ts'
import type { GitHost } from './git-host.ts'
import type { OAuth } from './oauth.ts'
import type { Pages } from './pages.ts'

export interface LoggedRequest {
  readonly host: 'api' | 'blob' | 'page' | 'oauth' | 'git'
  readonly method: string
  /** Without `/api/v3` and without the query. */
  readonly path: string
  readonly query: string
  /** 0 when a fault kept the answer back. */
  readonly status: number
  /** `app`, `installation 60000001`, `user alice` or `anonymous`. */
  readonly actor: string
  /** As GitHub's description calls it, `issues/create-comment`; null for what it doesn't know. */
  readonly operation: string | null
}

/** Larger than anything GitHub takes. */
const maxBodyBytes = 30 * 1024 * 1024

/** The two HTTP servers: the API with its pages, and the storage on another origin. */
export class Servers {
  readonly requests: LoggedRequest[] = []
  readonly #api: Api
  readonly #pages: Pages
  readonly #forms: Forms
  readonly #oauth: OAuth
  readonly #git: GitHost
  readonly #blobs: BlobHost
  readonly #faults: Faults
  readonly #enterprise: Enterprise | null
  readonly #servers: Server[] = []

  constructor(
    api: Api,
    pages: Pages,
    forms: Forms,
    oauth: OAuth,
    git: GitHost,
    blobs: BlobHost,
    faults: Faults,
    enterprise: Enterprise | null,
  ) {
    this.#api = api
    this.#pages = pages
    this.#forms = forms
    this.#oauth = oauth
    this.#git = git
    this.#blobs = blobs
    this.#faults = faults
    this.#enterprise = enterprise
  }

  /** @returns the origins of the API and of the storage */
  async start(port: number): Promise<{ api: string; blobs: string }> {
    const api = await this.#listen((request, response) => this.#answerApi(request, response), port, 'localhost')
    const blobs = await this.#listen((request, response) => this.#answerBlob(request, response), 0, '127.0.0.1')
    return { api, blobs }
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          }),
      ),
    )
  }

  async #listen(
    answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
    port: number,
    tlsName: string,
  ): Promise<string> {
    const listener: RequestListener = (request, response) => {
      answer(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy()
        else response.writeHead(500).end(String(error))
      })
    }
    const tls = this.#enterprise
    const server =
      tls === null ? createServer(listener) : createTlsServer({ key: tls.key, cert: tls.certificate }, listener)
    this.#servers.push(server)
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const origin = tls === null ? 'http://127.0.0.1' : `https://${tlsName}`
    return `${origin}:${(server.address() as AddressInfo).port}`
  }

  async #answerApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? 'GET'
    const url = new URL(request.url ?? '/', 'http://localhost')
    const browses = (request.headers.accept ?? '').includes('text/html')
    if (url.pathname.startsWith('/login/oauth/')) return this.#answerOAuth(request, response, method, url)
    const cloned = await this.#git.answer(request, response, url)
    if (cloned !== null) return this.#log('git', method, url, cloned, 'anonymous', null)
    const page = method === 'GET' ? this.#pages.answer(url.pathname, browses) : null
    if (page !== null) {
      this.#log('page', method, url, page.status, 'anonymous', null)
      response.writeHead(page.status, { 'content-type': page.type }).end(page.content)
      return
    }
    const isForm =
      method === 'POST' && /^application\/x-www-form-urlencoded\b/.test(request.headers['content-type'] ?? '')
    const body = await bodyOf(request)
    const filled = isForm ? this.#forms.answer(url.pathname, body, request.headers.origin, url.searchParams) : null
    if (filled !== null) {
      this.#log('page', method, url, filled.status, 'anonymous', null)
      const { status, location, text, isHtml } = filled
      const type = isHtml ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
      const headers = { 'content-type': type, ...(location === null ? {} : { location }) }
      response.writeHead(status, headers).end(text)
      return
    }
    const prefix = url.pathname.startsWith('/api/v3/') ? '/api/v3' : ''
    if (this.#enterprise !== null && prefix === '') {
      this.#log('page', method, url, 404, 'anonymous', null)
      response.writeHead(404, { 'content-type': 'text/html; charset=utf-8' }).end('<p>Not Found</p>')
      return
    }
    const path = url.pathname.slice(prefix.length)
    const fault = this.#faults.take(method, path + url.search)
    if (fault !== null && (await withhold(fault, response))) {
      this.#log('api', method, url, fault.kind === 'status' ? statusOf(fault) : 0, 'fault', null)
      return
    }
    const { headers } = request
    const answer = await this.#api.answer({ method, path, search: url.searchParams, headers, body, prefix })
    this.#log('api', method, url, answer.status, answer.actor, answer.operation)
    if (fault?.kind === 'unanswered') return
    if (answer.status === 204 || answer.status === 304) {
      response.writeHead(answer.status, answer.headers).end()
      return
    }
    response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.content.length })
    if (fault?.kind === 'truncate') {
      response.write(answer.content.subarray(0, answer.content.length / 2), () => response.destroy())
    } else {
      response.end(answer.content)
    }
  }

  async #answerOAuth(request: IncomingMessage, response: ServerResponse, method: string, url: URL): Promise<void> {
    const body = await bodyOf(request)
    const fault = this.#faults.take(method, url.pathname + url.search)
    if (fault !== null && (await withhold(fault, response))) {
      this.#log('oauth', method, url, fault.kind === 'status' ? statusOf(fault) : 0, 'fault', null)
      return
    }
    const answer = this.#oauth.answer(method, url, body, request.headers.accept ?? '')
    this.#log('oauth', method, url, answer?.status ?? 404, 'anonymous', null)
    if (answer === null) response.writeHead(404).end()
    else response.writeHead(answer.status, answer.headers).end(answer.body)
  }

  async #answerBlob(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? 'GET'
    const url = new URL(request.url ?? '/', 'http://localhost')
    const fault = this.#faults.take(method, url.pathname + url.search)
    if (fault !== null && (await withhold(fault, response))) {
      this.#log('blob', method, url, fault.kind === 'status' ? statusOf(fault) : 0, 'fault', null)
      return
    }
    const status = this.#blobs.answer(request, response, fault?.kind === 'truncate')
    this.#log('blob', method, url, status, 'anonymous', null)
  }

  #log(
    host: LoggedRequest['host'],
    method: string,
    url: URL,
    status: number,
    actor: string,
    operation: string | null,
  ): void {
    const path = url.pathname.replace(/^\/api\/v3(?=\/)/, '')
    this.requests.push({ host, method, path, query: url.search, status, actor, operation })
  }
}

/** Carries out a fault; false when the right answer is still to come. */
async function withhold(fault: Fault, response: ServerResponse): Promise<boolean> {
  if (fault.kind === 'status') {
    const body = JSON.stringify({
      message: fault.message ?? 'Server Error',
      documentation_url: '',
      status: String(statusOf(fault)),
    })
    response.writeHead(statusOf(fault), { 'content-type': 'application/json', ...fault.headers }).end(body)
  } else if (fault.kind === 'drip') {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 1000)
    response.write('{')
    response.on('close', () => clearInterval(timer))
  } else if (fault.kind === 'disconnect') {
    response.destroy()
  } else if (fault.kind === 'slow') {
    await (fault.until?.() ?? new Promise((resolve) => setTimeout(resolve, fault.delay ?? 200)))
  }
  return !['slow', 'truncate', 'unanswered'].includes(fault.kind)
}

function statusOf(fault: Fault): number {
  return fault.status ?? 502
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) throw new Error('request body too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
