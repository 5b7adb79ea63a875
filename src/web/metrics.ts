import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { withDeadline } from '../bot/triage/with-deadline.ts'
import { METRICS_PATH } from '../report/urls.ts'
import type { PagesEnv } from './pages.ts'

/** Serves the process’s metrics, on a port of their own or behind a token. */

interface Pages {
  fetch(request: Request, env?: PagesEnv): Response | Promise<Response>
}

/** The type of Prometheus' text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** How long the record is waited for: Prometheus gives up after ten seconds by itself. */
const RECORD_MS = 4_000

/** The record of public repositories, which anybody may ask for, and after it how the process does. */
async function whole(pages: Pages, metrics: () => Promise<string>): Promise<string> {
  const record = async () => {
    const answer = await pages.fetch(new Request(`http://localhost${METRICS_PATH}`))
    return answer.ok ? await answer.text() : ''
  }
  // The record needs the inbox and the database; without them the rest says so.
  const parts = await Promise.all([withDeadline(record, RECORD_MS).catch(() => ''), metrics()])
  return parts.join('')
}

/** The pages, and at the address of the metrics all of them for whoever knows the token. */
export function withMetrics(pages: Pages, token: string | null, metrics: () => Promise<string>): Pages {
  if (token === null) return pages
  const expected = digest(`Bearer ${token}`)
  return {
    async fetch(request, env) {
      const given = request.headers.get('authorization')
      const isAsked = given !== null && new URL(request.url).pathname === METRICS_PATH
      if (!isAsked || !timingSafeEqual(digest(given), expected)) return await pages.fetch(request, env)
      const headers = { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }
      return new Response(await whole(pages, metrics), { headers })
    },
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export interface MetricsServer {
  readonly url: string
  close(): void
}

/** The metrics on a port of their own, for everybody who reaches it. */
export async function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  pages: Pages,
  metrics: () => Promise<string>,
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    if (request.url?.split('?', 1)[0] !== METRICS_PATH) {
      response.writeHead(404).end()
      return
    }
    whole(pages, metrics).then(
      (text) => response.writeHead(200, { 'content-type': METRICS_TYPE }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.maxConnections = 20
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `http://${host}:${taken}${METRICS_PATH}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
