import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError, notFound } from './api-error.ts'
import { type Actor, type Authentication, covers, permits } from './auth.ts'
import type { BlobHost } from './blob-host.ts'
import { checkBody, checkQuery, checkResponse } from './contract.ts'
import { ENTERPRISE_API_VERSION, ENTERPRISE_CHECK_STATES, ENTERPRISE_VERSION } from './enterprise.ts'
import type { RateLimiter } from './limits.ts'
import { type Answer, type Call, forbidden, type Route } from './route.ts'
import { match } from './router.ts'
import { type Account, fullName, reaches } from './state.ts'
import type { World } from './world.ts'

export interface ApiRequest {
  readonly method: string
  /** Without `/api/v3`. */
  readonly path: string
  readonly search: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** `/api/v3` or nothing: links keep it. */
  readonly prefix: string
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly content: Buffer
  /** `app`, `installation 1`, `user alice` or `anonymous`, for the log. */
  readonly actor: string
  readonly operation: string | null
}

/** Token requests and redeliveries write nothing that anybody is told of. */
const notContent = new Set(['apps/create-installation-access-token', 'apps/redeliver-webhook-delivery'])

/** Answers API requests: who asks, may they, is it what GitHub describes; then the operation; then is the answer too. */
export class Api {
  readonly #world: World
  readonly #authentication: Authentication
  readonly #limiter: RateLimiter
  readonly #blobs: BlobHost
  readonly #violations: string[]
  #requests = 0

  constructor(
    world: World,
    authentication: Authentication,
    limiter: RateLimiter,
    blobs: BlobHost,
    violations: string[],
  ) {
    this.#world = world
    this.#authentication = authentication
    this.#limiter = limiter
    this.#blobs = blobs
    this.#violations = violations
  }

  async answer(request: ApiRequest): Promise<ApiAnswer> {
    let actor: Actor = { kind: 'anonymous' }
    let owner = 'anonymous'
    let operation: string | null = null
    let answer: Answer
    try {
      actor = this.#authentication.actorOf(request.headers.authorization)
      owner = nameOf(actor)
      const moved = this.#movedTo(request)
      if (moved !== null) throw moved
      const path = this.#pathByName(request.path)
      const found = match(request.method, path)
      if (found === null) throw new Deviation(`${request.method} ${path} is not served by the local GitHub`)
      operation = found.route.operation
      const writes = request.method !== 'GET' && !notContent.has(operation)
      if (this.#enterprise) checkEnterprise(request, operation)
      else if (operation !== 'rate-limit/get') this.#limiter.admit(owner, writes, this.#now())
      this.#authorise(found.route, actor, found.parameters)
      answer = await this.#run(request, found.route, found.parameters, actor, owner)
    } catch (error) {
      // A mistake in the request of a person is theirs; the bot's own is a fault that a test must show.
      const isTheirs = actor.kind === 'user' && error instanceof Deviation
      answer = this.#refusal(isTheirs ? new ApiError(422, error.message) : error, request)
    }
    return { ...this.#packed(request, answer, owner, operation), actor: owner, operation }
  }

  get #enterprise(): boolean {
    return this.#world.state.enterprise !== null
  }

  #now(): number {
    return this.#world.state.now().getTime()
  }

  async #run(
    request: ApiRequest,
    route: Route,
    parameters: Record<string, string>,
    actor: Actor,
    owner: string,
  ): Promise<Answer> {
    const query = checkQuery(route.operation, request.search)
    const body = parsed(request.body)
    const checked = checkBody(route.operation, body)
    const problems = [...query.problems, ...checked.problems]
    // GitHub passes over what it does not know. The bot must not count on that; people's scripts may.
    if (problems.length > 0 && actor.kind !== 'user') throw new Deviation(problems.join('; '))
    if (checked.refused.length > 0) {
      throw new ApiError(422, `Invalid request.\n\n${checked.refused.join('\n')}`)
    }
    const call: Call = {
      ...this.#world,
      actor,
      path: parameters,
      query: query.values,
      body,
      headers: request.headers,
      address: `${this.#world.state.origin}${request.prefix}${request.path}`,
      search: request.search,
      authentication: this.#authentication,
      limiter: this.#limiter,
      limitOwner: owner,
      blobs: this.#blobs,
    }
    const answer = await route.answer(call)
    if (answer.raw === undefined) {
      const sent: unknown = answer.body === undefined ? undefined : JSON.parse(JSON.stringify(answer.body))
      const deviations = checkResponse(route.operation, answer.status, sent)
      if (deviations.length > 0) throw new Deviation(`answer of ${route.operation}: ${deviations.join('; ')}`)
    }
    return answer
  }

  #authorise(route: Route, actor: Actor, parameters: Record<string, string>): void {
    if (route.needs === 'any') return
    if (actor.kind === 'anonymous') throw new ApiError(401, 'Requires authentication')
    if (route.needs === 'app') {
      if (actor.kind === 'app') return
      throw new ApiError(401, 'A JSON web token could not be decoded')
    }
    if (route.needs === 'user') {
      if (actor.kind === 'user') return
      throw new ApiError(403, 'Resource not accessible by integration')
    }
    if (actor.kind === 'user' && actor.isPersonal) {
      this.#authorisePerson(route, actor.account, parameters)
      return
    }
    if (actor.kind !== 'installation') {
      throw new ApiError(401, 'Bad credentials')
    }
    if (route.needs === 'installation') return
    const repo = this.#world.state.repository(parameters['owner'] ?? '', parameters['repo'] ?? '')
    if (repo === undefined) throw notFound()
    const reached = covers(actor, repo)
    if (!reached && repo.private) throw notFound()
    const granted = route.needs.some((need) => permits(actor.permissions, need))
    const reads = route.needs.every((need) => need.endsWith(':read'))
    if (!granted || (!reached && !reads)) throw new ApiError(403, 'Resource not accessible by integration')
  }

  #authorisePerson(route: Route, account: Account, parameters: Record<string, string>): void {
    const { state } = this.#world
    const repo = state.repository(parameters['owner'] ?? '', parameters['repo'] ?? '')
    if (repo === undefined || !Array.isArray(route.needs)) throw notFound()
    const role = state.roleOf(repo, account)
    const reads = route.needs.every((need: string) => need.endsWith(':read'))
    if (!reaches(role, 'read')) throw notFound()
    const least = reads ? 'read' : route.person
    if (least === undefined || !reaches(role, least)) throw forbidden()
  }

  /** `/repositories/{id}/…` is another name of `/repos/{owner}/{repo}/…`. */
  #pathByName(path: string): string {
    const [, id, rest] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? []
    if (id === undefined) return path
    const repo = this.#world.state.repositoryById(Number(id))
    if (repo === undefined) throw notFound()
    return `/repos/${fullName(repo)}${rest ?? ''}`
  }

  /** Requests under a former name are redirected to the id. */
  #movedTo(request: ApiRequest): ApiError | null {
    const [, owner, name, rest] = /^\/repos\/([^/]+)\/([^/]+)(\/.*)?$/.exec(request.path) ?? []
    if (owner === undefined || name === undefined) return null
    const { state } = this.#world
    const repo = state.formerNames.get(`${owner}/${name}`.toLowerCase())
    if (repo === undefined || state.repository(owner, name) !== undefined) return null
    const search = request.search.size === 0 ? '' : `?${request.search.toString()}`
    const url = `${state.origin}${request.prefix}/repositories/${repo.id}${rest ?? ''}${search}`
    const status = request.method === 'GET' ? 301 : 307
    return new ApiError(status, status === 301 ? 'Moved Permanently' : 'Temporary Redirect', { url }, { location: url })
  }

  #refusal(error: unknown, request: ApiRequest): Answer {
    if (error instanceof ApiError) return { status: error.status, body: error.body, headers: error.headers }
    const message = error instanceof Error ? error.message : String(error)
    const violation = `${request.method} ${request.path}: ${message}`
    if (!this.#violations.includes(message)) this.#violations.push(violation)
    return { status: 500, body: { message: `Deviates from GitHub's API: ${violation}` } }
  }

  #packed(
    request: ApiRequest,
    answer: Answer,
    owner: string,
    operation: string | null,
  ): { status: number; headers: Record<string, string>; content: Buffer } {
    const content =
      answer.raw?.content ??
      (answer.body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(answer.body), 'utf8'))
    const type = answer.raw?.type ?? 'application/json; charset=utf-8'
    const headers: Record<string, string> = {
      'x-github-media-type': 'github.v3; format=json',
      'x-github-request-id': this.#requestId(),
      'cache-control': 'private, max-age=60, s-maxage=60',
      vary: 'Accept, Authorization',
      date: new Date(this.#now()).toUTCString(),
      ...(content.length > 0 ? { 'content-type': type } : {}),
    }
    let { status } = answer
    if (request.method === 'GET' && status === 200) {
      const etag = `"${createHash('sha256').update(type).update(content).digest('hex')}"`
      headers['etag'] = `W/${etag}`
      if (sameTag(request.headers['if-none-match'], etag)) status = 304
    }
    const free = status === 304 || operation === 'rate-limit/get'
    if (!free) this.#limiter.count(owner, this.#now())
    const ofKind = this.#enterprise
      ? { 'x-github-enterprise-version': `enterprise-server@${ENTERPRISE_VERSION}` }
      : this.#limiter.headers(owner, this.#now())
    Object.assign(headers, ofKind, answer.headers)
    if (status !== 304) return { status, headers, content }
    delete headers['content-type']
    return { status, headers, content: Buffer.alloc(0) }
  }

  #requestId(): string {
    this.#requests += 1
    return `LOCAL:${this.#requests.toString(16).toUpperCase().padStart(4, '0')}`
  }
}

/** @throws ApiError for what an Enterprise Server of that age does not have */
function checkEnterprise({ headers, body }: ApiRequest, operation: string): void {
  const version = headers['x-github-api-version'] ?? ENTERPRISE_API_VERSION
  if (version !== ENTERPRISE_API_VERSION) throw new ApiError(400, `"${String(version)}" is not a supported API version`)
  if (operation === 'rate-limit/get') throw new ApiError(404, 'Rate limiting is not enabled.')
  const { status } = operation.startsWith('checks/') ? ((parsed(body) ?? {}) as { status?: unknown }) : {}
  if (!ENTERPRISE_CHECK_STATES.has(status)) throw new ApiError(422, `status: ${String(status)} is not possible`)
}

/** The caller or the local GitHub itself does what GitHub's description doesn't know: a fault of a test. */
class Deviation extends Error {}

function nameOf(actor: Actor): string {
  if (actor.kind === 'installation') return `installation ${actor.installation.id}`
  return actor.kind === 'user' ? `user ${actor.account.login}` : actor.kind
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new ApiError(400, 'Problems parsing JSON')
  }
}

function sameTag(given: string | undefined, etag: string): boolean {
  return (given ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
