import type { Context, Hono } from 'hono'
import { MOST_KNOWN_REPOSITORIES, MOST_QUEUE_REPOSITORIES } from '../../../bot/triage/queue.ts'
import { MCP_PATH } from '../../../report/urls.ts'
import type { Site } from '../site.ts'
import type { Sources } from './sources.ts'

/** Programs that ask over HTTP: about public repositories, whoever they are. Nothing is kept from one question to the next. */
export function mcpRoutes(app: Hono, site: Site): void {
  let loaded: ReturnType<typeof handlersOf> | undefined

  app.post(MCP_PATH, async (context) => {
    const body = bodyOf(await context.req.text())
    if (body === null) return context.json(failure('The body is one JSON-RPC message, and no list of them.'), 400)
    loaded ??= handlersOf(site).catch((error: unknown) => {
      loaded = undefined
      throw error
    })
    const { handlerOf, refusal } = await loaded
    const { raw } = context.req
    const response = refusal(raw) ?? (await handlerOf(publicSources(site, context)).fetch(raw, { parsedBody: body }))
    // Until its end, since a stream of events answers as it goes.
    const answer = await response.arrayBuffer()
    return new Response(answer.byteLength === 0 ? null : answer, { status: response.status, headers: response.headers })
  })
}

/** A list of messages would be many questions in the place of one. */
function bodyOf(text: string): object | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? body : null
  } catch {
    return null
  }
}

function failure(message: string) {
  return { jsonrpc: '2.0', id: null, error: { code: -32_600, message } }
}

/** The protocol is loaded with the first question: a server that nobody asks starts without it. */
async function handlersOf({ log, publicUrl }: Site) {
  const { createMcpHandler, hostHeaderValidationResponse, originValidationResponse, localhostAllowedHostnames } =
    await import('@modelcontextprotocol/server')
  const { mcpServer } = await import('./mcp-server.ts')
  const failed = (err: unknown) => log.warn({ err }, 'an MCP question failed')
  // A page of somebody else in a browser behind a firewall must not reach a bot there, under whatever name.
  const names = [...new Set([new URL(publicUrl).hostname, ...localhostAllowedHostnames()])]
  return {
    refusal: (request: Request) =>
      hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names),
    handlerOf: (sources: Sources) =>
      createMcpHandler(() => mcpServer((ask) => ask(sources), failed), {
        keepAliveMs: 0,
        maxSubscriptions: 0,
        onerror: (err) => log.debug({ err }, 'an MCP request was refused'),
      }),
  }
}

/** Asks as nobody: a cookie of a visitor shows nothing here. */
function publicSources(site: Site, context: Context): Sources {
  const { store, publicOnly, queueMemory, configOf, profile, publicUrl, now } = site
  return {
    ...{ store, queueMemory, configOf, profile, publicUrl, now },
    async repository({ owner, repo }) {
      const found = await publicOnly.visible(context, owner, repo)
      return found === null || found.isPrivate ? null : { id: found.id, owner, repo }
    },
    repositories: async () =>
      await publicOnly.firstVisible(
        context,
        await store.reports.repositories(MOST_KNOWN_REPOSITORIES),
        MOST_QUEUE_REPOSITORIES,
      ),
  }
}
