import { createHmac, randomUUID } from 'node:crypto'
import { type ClientRequest, request } from 'node:http'
import { checkWebhook } from './contract.ts'
import { ENTERPRISE_VERSION, enterpriseJson } from './enterprise.ts'
import { accountJson } from './resources/account.ts'
import type { JsonObject } from './resources/json.ts'
import { nodeId } from './resources/json.ts'
import { repositoryJson } from './resources/repository.ts'
import type { Account, Installation, Repository, State } from './state.ts'

export interface Delivery {
  readonly id: number
  readonly guid: string
  readonly event: string
  readonly action: string | null
  readonly installationId: number | null
  readonly repositoryId: number | null
  readonly redelivery: boolean
  readonly payload: string
  readonly requestHeaders: Readonly<Record<string, string>>
  /** The rest is known once it was answered, refused or timed out. */
  deliveredAt: Date | null
  /** Seconds. */
  duration: number
  /** 0 when there was no answer. */
  statusCode: number
  status: string
  responseHeaders: Readonly<Record<string, string>>
  responseBody: string
}

/** An event of a repository, with the body of its webhook. */
export interface HeardEvent {
  readonly event: string
  readonly action: string | null
  readonly repo: Repository
  readonly sender: Account
  readonly body: JsonObject
}

export interface WebhookTarget {
  readonly url: string
  readonly secret: string
}

/** GitHub delivers nothing larger than this. */
const maxPayloadBytes = 25 * 1024 * 1024

/** Events that an app gets without a subscription. */
const always = new Set(['installation', 'installation_repositories'])

export class Webhooks {
  readonly listeners: ((event: HeardEvent) => void)[] = []
  /** Everything that was sent or tried, oldest first. */
  readonly log: Delivery[] = []
  readonly hookId = 480_000_001
  target: WebhookTarget | null
  readonly #state: State
  readonly #violations: string[]
  readonly #timeout: number
  #queue: Delivery[] = []
  #paused = false
  #sending: Promise<void> | null = null
  #outgoing: ClientRequest | null = null

  constructor(state: State, violations: string[], target: WebhookTarget | null, timeoutMilliseconds: number) {
    this.#state = state
    this.#violations = violations
    this.target = target
    this.#timeout = timeoutMilliseconds
  }

  /**
   * Queues an event for the installation that covers the repository, if it subscribes to it.
   * @throws when the body isn't what GitHub's description says; the deviation is also among the violations
   */
  emit(event: string, action: string | null, repo: Repository, sender: Account, payload: JsonObject): void {
    const installation = this.installationOf(repo)
    const body: JsonObject = {
      ...(action === null ? {} : { action }),
      ...payload,
      ...this.#enterprise(),
      repository: payload['repository'] ?? repositoryJson(this.#state, repo),
      sender: accountJson(this.#state, sender),
    }
    // Checked whether or not anybody listens, so that a wrong body shows everywhere.
    this.#check(event, action, body)
    for (const listener of this.listeners) listener({ event, action, repo, sender, body })
    if (installation !== undefined && isSubscribed(installation, event)) {
      this.#enqueue(event, action, installation, repo, body)
    }
  }

  /** An event about the installation itself. */
  emitInstallation(event: string, action: string, installation: Installation, sender: Account, payload: JsonObject) {
    const body = { action, ...payload, ...this.#enterprise(), sender: accountJson(this.#state, sender) }
    this.#check(event, action, body)
    this.#enqueue(event, action, installation, null, body)
  }

  installationOf(repo: Repository): Installation | undefined {
    return this.#state.installations.find(
      (installation) =>
        installation.account === repo.owner &&
        installation.suspendedAt === null &&
        (installation.repositoryIds === null || installation.repositoryIds.has(repo.id)),
    )
  }

  pause(): void {
    this.#paused = true
  }

  /** Sends nothing more and gives up what is on its way. */
  async stop(): Promise<void> {
    this.#paused = true
    this.#outgoing?.destroy(new Error('stopped'))
    await this.idle()
  }

  /** @param order the waiting deliveries in the order in which they are sent now; leaving one out loses it */
  resume(order: (waiting: readonly Delivery[]) => readonly Delivery[] = (waiting) => waiting): void {
    this.#queue = [...order(this.#queue)]
    this.#paused = false
    this.#pump()
  }

  get waiting(): readonly Delivery[] {
    return this.#queue
  }

  /** Sends a delivery again under its GUID, as a new entry of the log. */
  redeliver(delivery: Delivery): Delivery {
    const again: Delivery = { ...delivery, ...unanswered, id: this.#state.id('delivery'), redelivery: true }
    this.#queue.push(again)
    this.#pump()
    return again
  }

  /** Resolves when nothing is on its way and nothing waits, except what is paused. */
  async idle(): Promise<void> {
    while (this.#sending !== null) await this.#sending
  }

  #check(event: string, action: string | null, body: JsonObject): void {
    const problems = checkWebhook(event, action, JSON.parse(JSON.stringify(body)))
    if (problems.length === 0) return
    const message = `webhook ${event}.${action}: ${problems.join('; ')}`
    this.#violations.push(message)
    throw new Error(message)
  }

  #enqueue(
    event: string,
    action: string | null,
    installation: Installation,
    repo: Repository | null,
    body: JsonObject,
  ): void {
    const reference = { id: installation.id, node_id: nodeId('MDI', installation.id) }
    const payload = JSON.stringify({ ...body, installation: body['installation'] ?? reference })
    if (Buffer.byteLength(payload) > maxPayloadBytes) return
    const guid = randomUUID()
    this.#queue.push({
      id: this.#state.id('delivery'),
      guid,
      event,
      action,
      installationId: installation.id,
      repositoryId: repo?.id ?? null,
      redelivery: false,
      payload,
      requestHeaders: {
        Accept: '*/*',
        'Content-Type': 'application/json',
        'User-Agent': 'GitHub-Hookshot/local00',
        'X-GitHub-Delivery': guid,
        'X-GitHub-Event': event,
        'X-GitHub-Hook-ID': String(this.hookId),
        'X-GitHub-Hook-Installation-Target-ID': String(this.#state.app.id),
        'X-GitHub-Hook-Installation-Target-Type': 'integration',
        ...(this.#state.enterprise === null
          ? {}
          : {
              'X-GitHub-Enterprise-Version': ENTERPRISE_VERSION,
              'X-GitHub-Enterprise-Host': new URL(this.#state.origin).host,
            }),
      },
      ...unanswered,
    })
    this.#pump()
  }

  #enterprise(): JsonObject {
    return this.#state.enterprise === null ? {} : { enterprise: enterpriseJson(this.#state.origin) }
  }

  #pump(): void {
    if (this.#sending !== null || this.#paused || this.#queue.length === 0) return
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null
      this.#pump()
    })
  }

  /** One after the other: GitHub promises no order, a test is easier to follow with one. */
  async #sendAll(): Promise<void> {
    // A change may cause several events: they leave after it is complete.
    await new Promise((resolve) => setImmediate(resolve))
    while (!this.#paused) {
      const next = this.#queue.shift()
      if (next === undefined) return
      await this.#send(next)
    }
  }

  async #send(delivery: Delivery): Promise<void> {
    const started = performance.now()
    const answer = this.target === null ? noAnswer('no webhook address') : await this.#post(this.target, delivery)
    delivery.deliveredAt = this.#state.now()
    delivery.duration = Math.round(performance.now() - started) / 1000
    delivery.statusCode = answer.statusCode
    delivery.status = answer.status
    delivery.responseHeaders = answer.headers
    delivery.responseBody = answer.body
    this.log.push(delivery)
  }

  #post(target: WebhookTarget, delivery: Delivery): Promise<Answer> {
    const signature = createHmac('sha256', target.secret).update(delivery.payload).digest('hex')
    const headers = {
      ...delivery.requestHeaders,
      'X-Hub-Signature-256': `sha256=${signature}`,
      'Content-Length': String(Buffer.byteLength(delivery.payload)),
    }
    return new Promise((resolve) => {
      const outgoing = request(target.url, { method: 'POST', headers, agent: false }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', (error) => resolve(noAnswer(error.message)))
        response.on('end', () => {
          const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
          const statusCode = response.statusCode ?? 0
          const status = statusCode >= 200 && statusCode < 300 ? 'OK' : (response.statusMessage ?? 'failed')
          const body = Buffer.concat(chunks).toString('utf8')
          resolve({ statusCode, status, headers: Object.fromEntries(entries), body })
        })
      })
      this.#outgoing = outgoing
      const timer = setTimeout(() => outgoing.destroy(new Error('timed out')), this.#timeout)
      outgoing.on('error', (error) => resolve(noAnswer(error.message)))
      outgoing.on('close', () => clearTimeout(timer))
      outgoing.end(delivery.payload)
    })
  }
}

interface Answer {
  readonly statusCode: number
  readonly status: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const unanswered = {
  deliveredAt: null,
  duration: 0,
  statusCode: 0,
  status: 'waiting',
  responseHeaders: {},
  responseBody: '',
}

function noAnswer(status: string): Answer {
  return { statusCode: 0, status, headers: {}, body: '' }
}

function isSubscribed(installation: Installation, event: string): boolean {
  if (always.has(event) || installation.events.includes(event)) return true
  // An app that may write checks hears of them without asking.
  return (event === 'check_run' || event === 'check_suite') && installation.permissions['checks'] === 'write'
}
