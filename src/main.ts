import { type BotOptions, clearUp, GRACE_MS, type OpenBot, openBot } from './app.ts'
import type { Environment } from './config/environment.ts'
import { limitedLog } from './web/kit/log.ts'
import { startMetricsServer, withMetrics } from './web/metrics.ts'
import { type ServerOptions, startServer } from './web/server.ts'
import { createWebhook } from './web/webhook.ts'

export type { BotOptions } from './app.ts'

/** The bot with its own server: webhooks, pages, health and metrics. `app.ts` opens everything behind it. */

export interface Bot extends Pick<OpenBot, 'store' | 'inbox' | 'worker' | 'historySync' | 'digests'> {
  /** Where it listens, without a slash at the end. */
  readonly url: string
  /** The webhooks on a port of their own, as `url`; null: they have none. */
  readonly webhookUrl: string | null
  /** The metrics on a port of their own; null: they have none. */
  readonly metricsUrl: string | null
  /** Takes nothing new, lets what is under way end, closes everything. */
  stop(): Promise<void>
}

const NO_PAGES = {
  fetch: () =>
    new Response(
      'There are no pages here. The metrics of a process without pages are at METRICS_PORT, or here for whoever sends METRICS_TOKEN.\n',
      { status: 404 },
    ),
}

/** The bot as one process behind a server of its own, whose limits and fairness Probot's has not. Rejects as `openBot`. */
export async function startBot(environment: Environment, options: BotOptions): Promise<Bot> {
  const { log, now = Date.now } = options
  const bot = await openBot(environment, options)
  const { github, store, inbox, worker, historySync, digests, pages, opened } = bot
  try {
    const webhook = createWebhook({
      verify: (body, signature) => github.isSigned(body, signature),
      receive: (arrival) => bot.keep(arrival),
      onRefused: (why) => bot.counted.refused(why),
      onMissed: () => worker.missed(),
      log: limitedLog(log),
    })
    const takesWebhooks = environment.role !== 'worker'
    const serving = {
      host: environment.host,
      webhook: takesWebhooks ? webhook : null,
      readiness: [
        { name: 'inbox', check: () => inbox.ping(), keptFor: 10_000 },
        { name: 'clickhouse', check: () => store.ping() },
      ],
      details: async () => {
        const { deliveries, triages, oldestSeconds, paused } = await inbox.queue(now())
        const answers = await inbox.answers.due(now())
        return { isOn: environment.isOn, queue: { deliveries, triages, answers, oldestSeconds, paused: paused.length } }
      },
      trustedProxies: environment.trustedProxies,
      limits: { shutdown: GRACE_MS },
      log,
    } satisfies Partial<ServerOptions>
    const server = await startServer({
      ...serving,
      port: environment.port,
      pages: withMetrics(takesWebhooks ? pages : NO_PAGES, environment.metricsToken, () => bot.metrics()),
    })
    const webhookServer =
      environment.webhookPort === null || !takesWebhooks
        ? null
        : await startServer({ ...serving, port: environment.webhookPort, pages: NO_PAGES })
    opened.defer(async () => {
      await Promise.all([server.close(), webhookServer?.close(), bot.stopWork()])
    })
    const { host, metricsPort: port } = environment
    const metricsServer = port === null ? null : await startMetricsServer({ host, port }, pages, () => bot.metrics())
    opened.defer(() => metricsServer?.close())
    options.signal?.throwIfAborted()
    log.info({ url: server.url, publicUrl: environment.publicUrl, dataDir: environment.dataDir }, 'listening')
    void worker.sweepInTurn()
    const metricsUrl = metricsServer?.url ?? null
    return {
      url: server.url,
      webhookUrl: webhookServer?.url ?? null,
      metricsUrl,
      store,
      inbox,
      worker,
      historySync,
      digests,
      stop: () => opened.disposeAsync(),
    }
  } catch (error) {
    await clearUp(opened, log)
    throw error
  }
}
