import { RequestError } from '@octokit/request-error'
import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { Probot, ProbotOctokit } from 'probot'
import type { Metrics } from '../telemetry/metrics.ts'
import { traced } from '../telemetry/tracing.ts'
import { boundedFetch, CALL_LIMITS, type CallLimits } from './bounded-fetch.ts'
import { rememberedAnswers, withEtags } from './etags.ts'
import type { Octokit } from './octokit.ts'
import { paced, type WritePace } from './write-pace.ts'

/** The App’s clients: one for each installation, counted, traced, paced and with ETags. */

export interface GitHubAppSettings {
  readonly appId: number
  readonly privateKey: string
  readonly webhookSecret: string
  /** `https://api.github.com`, or `https://host/api/v3` of an Enterprise Server. */
  readonly apiUrl: string
  readonly log: Logger
  /** False only against a local GitHub, which may be asked as often as one likes. */
  readonly paced?: boolean
  /** Absent: nothing is written, or as fast as it comes. */
  readonly pace?: WritePace
  readonly limits?: CallLimits
  /** Absent: nobody counts the calls. */
  readonly metrics?: Metrics
  /** Ends every call that is under way. */
  readonly stopping?: AbortSignal
}

/** The App's identity on GitHub, by which its own writes are recognised. */
export interface AppIdentity {
  readonly appId: number
  /** `perf-triage[bot]`. */
  readonly botLogin: string
  readonly slug: string
}

/** The App as GitHub sees it: authentication, signatures, and a client per installation. */
export interface GitHubApp {
  /** Whether the signature of a webhook is that of its body and our secret. */
  isSigned(body: string, signature: string): Promise<boolean>
  identity(): Promise<AppIdentity>
  /** A client with the App's own rights (installations, deliveries). */
  asApp(): Promise<Octokit>
  /** A client with the rights of one installation; the same one as long as it is used, so that it keeps its pace. */
  forInstallation(installationId: number): Promise<Octokit>
}

/** Longest pause that is waited for inside a call; beyond it everything of the installation is put off instead. */
const LONGEST_PAUSE_SECONDS = 3
const RATE_LIMIT_RETRIES = 2

/** Clients that are kept: each takes some 14 KB. */
const MOST_CLIENTS = 1000

export function createGitHubApp(settings: GitHubAppSettings): GitHubApp {
  const probot = new Probot({
    appId: settings.appId,
    privateKey: settings.privateKey,
    secret: settings.webhookSecret,
    baseUrl: settings.apiUrl,
    log: settings.log,
    Octokit: octokitWith(settings),
    request: { fetch: boundedFetch(settings.limits ?? CALL_LIMITS, settings.stopping ?? new AbortController().signal) },
  })
  const installations = new LRUCache<number, Promise<Octokit>>({ max: MOST_CLIENTS })
  const answers = rememberedAnswers()
  let identity: Promise<AppIdentity> | undefined

  const asApp = () => probot.auth()
  return {
    async isSigned(body, signature) {
      await probot.ready()
      return probot.webhooks.verify(body, signature)
    },
    asApp,
    identity() {
      identity ??= asApp().then(readIdentity)
      identity.catch(() => {
        identity = undefined
      })
      return identity
    },
    forInstallation(installationId) {
      const known = installations.get(installationId)
      if (known !== undefined) return known
      const client = probot
        .auth(installationId)
        .then((octokit) => withEtags(counted(octokit, installationId, settings.metrics), installationId, answers))
        .then((octokit) => (settings.pace ? paced(octokit, installationId, settings.pace, settings.stopping) : octokit))
      installations.set(installationId, client)
      client.catch(() => installations.delete(installationId))
      return client
    },
  }
}

/** Counts the calls of an installation, and notes what GitHub says is left of its budget. */
function counted(octokit: Octokit, installationId: number, metrics: Metrics | undefined): Octokit {
  if (metrics === undefined) return octokit
  octokit.hook.wrap('request', async (request, options) => {
    const started = performance.now()
    let status = 0
    // `/repos/{owner}/{repo}`; the address of a further page of a list has names in it.
    const route = options.url.startsWith('/') ? options.url : 'next page'
    return await traced(`GitHub ${options.method} ${route}`, { installation: installationId }, async (note) => {
      try {
        const response = await request(options)
        status = response.status
        const { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } = response.headers
        if (remaining !== undefined && reset !== undefined)
          metrics.githubBudget(installationId, Number(remaining), Number(reset) * 1000)
        return response
      } catch (error) {
        status = error instanceof RequestError ? error.status : 0
        throw error
      } finally {
        note({ 'http.response.status_code': status })
        metrics.githubCall(status, (performance.now() - started) / 1000)
      }
    })
  })
  return octokit
}

/**
 * Probot's client with our answer to rate limits (its own only logs a secondary limit and gives up) and the API version
 * named. The outer defaults win over Probot's, so that what stands here holds.
 */
function octokitWith(settings: GitHubAppSettings): typeof ProbotOctokit {
  const patient = (retryAfter: number, _options: unknown, _octokit: unknown, retries: number) =>
    retries < RATE_LIMIT_RETRIES && retryAfter <= LONGEST_PAUSE_SECONDS
  const throttle = {
    enabled: settings.paced !== false,
    // Comments wait for slots that all processes share: the plugin's own wait, of one process, would come on top. What it repeats after an error keeps its pace of writes.
    triggersNotification: () => false,
    onRateLimit: patient,
    onSecondaryRateLimit: patient,
  }
  return ProbotOctokit.defaults((options: Record<string, unknown>) => ({
    ...options,
    userAgent: 'perf-triage',
    throttle: { ...(options['throttle'] as object | undefined), ...throttle },
  }))
}

async function readIdentity(octokit: Octokit): Promise<AppIdentity> {
  const { data } = await octokit.rest.apps.getAuthenticated()
  if (!data?.slug) throw new Error('GitHub did not return the slug of this App (GET /app)')
  return { appId: data.id, slug: data.slug, botLogin: `${data.slug}[bot]` }
}
