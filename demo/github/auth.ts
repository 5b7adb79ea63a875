import { createHmac, createPublicKey, type KeyObject, randomBytes, timingSafeEqual, verify } from 'node:crypto'
import { ApiError } from './api-error.ts'
import type { OAuth } from './oauth.ts'
import type { Account, App, Installation, Permissions, Repository, State } from './state.ts'

/** Who a request comes from. */
export type Actor =
  | { readonly kind: 'app' }
  | {
      readonly kind: 'installation'
      /** Whose token it is: the App's, or that of GitHub Actions for a job's token. */
      readonly app: App
      readonly installation: Installation
      readonly permissions: Permissions
      /** null: all that the installation covers. */
      readonly repositoryIds: ReadonlySet<number> | null
    }
  | {
      readonly kind: 'user'
      readonly account: Account
      /** A personal access token does what its owner may do; one of the sign-in only says who that is. */
      readonly isPersonal: boolean
    }
  | { readonly kind: 'anonymous' }

export interface TokenGrant {
  readonly token: string
  readonly expiresAt: Date
}

const tokenLifetime = 3_600_000
/** GitHub refuses a JWT that is valid for longer than ten minutes. */
const longestJwt = 600

export class Authentication {
  readonly #state: State
  readonly #publicKey: KeyObject
  readonly #oauth: OAuth
  readonly #secret = randomBytes(32)
  readonly #personal = new Map<string, Account>()
  readonly #jobs = new Map<number, Installation>()

  /** @param key the app's private or public key, PEM */
  constructor(state: State, key: string, oauth: OAuth) {
    this.#state = state
    this.#oauth = oauth
    this.#publicKey = createPublicKey(key)
  }

  /** @throws ApiError 401 for credentials that don't hold, 403 for a suspended installation */
  actorOf(authorization: string | undefined): Actor {
    if (authorization === undefined) return { kind: 'anonymous' }
    const token = /^(?:bearer|token) (\S+)$/i.exec(authorization)?.[1]
    if (token === undefined) throw new ApiError(401, 'Bad credentials')
    if (token.startsWith('ghs_')) return this.#installationActor(token)
    if (token.startsWith('ghu_')) return this.#userActor(token)
    const owner = this.#personal.get(token)
    if (owner !== undefined) return { kind: 'user', account: owner, isPersonal: true }
    if (token.startsWith('ghp_')) throw badCredentials()
    this.#checkJwt(token)
    return { kind: 'app' }
  }

  /** A long token that carries what it grants, as GitHub's new ones do. */
  grant(installation: Installation, permissions: Permissions, repositoryIds: ReadonlySet<number> | null): TokenGrant {
    const expiresAt = new Date(this.#state.now().getTime() + tokenLifetime)
    const claims = {
      iss: 'github',
      installation: installation.id,
      permissions,
      repositories: repositoryIds === null ? null : [...repositoryIds],
      exp: Math.floor(expiresAt.getTime() / 1000),
      jti: randomBytes(24).toString('hex'),
    }
    const signed = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`
    return { token: `ghs_${this.#state.app.id}_${signed}.${this.#signature(signed)}`, expiresAt }
  }

  /** The token of a job, `GITHUB_TOKEN`: GitHub Actions on one repository. */
  jobToken(repo: Repository, permissions: Permissions): string {
    const repositoryIds = new Set([repo.id])
    const installation: Installation = {
      id: this.#state.id('installation'),
      account: repo.owner,
      permissions,
      events: [],
      repositoryIds,
      suspendedAt: null,
      createdAt: this.#state.now(),
    }
    this.#jobs.set(installation.id, installation)
    return this.grant(installation, permissions, repositoryIds).token
  }

  endJobToken(token: string): void {
    const actor = this.#installationActor(token)
    if (actor.kind === 'installation') this.#jobs.delete(actor.installation.id)
  }

  /** A new personal access token. */
  personalToken(account: Account): string {
    const token = `ghp_${randomBytes(27).toString('base64url').replaceAll(/[-_]/g, 'x')}`
    this.#personal.set(token, account)
    return token
  }

  #userActor(token: string): Actor {
    const account = this.#oauth.ownerOf(token)
    if (account === null) throw badCredentials()
    return { kind: 'user', account, isPersonal: false }
  }

  #installationActor(token: string): Actor {
    const parts = /^ghs_(\d+)_([^.]+\.([^.]+))\.(.+)$/.exec(token)
    const [, , signed, payload, signature] = parts ?? []
    if (signed === undefined || payload === undefined || signature === undefined) throw badCredentials()
    const expected = Buffer.from(this.#signature(signed))
    const given = Buffer.from(signature)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw badCredentials()
    const claims = decode(payload)
    if (Number(claims['exp']) * 1000 <= this.#state.now().getTime()) throw badCredentials()
    const id = Number(claims['installation'])
    const ofJob = this.#jobs.get(id)
    const installation = ofJob ?? this.#state.installations.find((known) => known.id === id)
    if (installation === undefined) throw badCredentials()
    if (installation.suspendedAt !== null) throw new ApiError(403, 'This installation has been suspended')
    const repositories = claims['repositories']
    return {
      kind: 'installation',
      app: ofJob === undefined ? this.#state.app : this.#state.actionsApp,
      installation,
      permissions: claims['permissions'] as Permissions,
      repositoryIds: Array.isArray(repositories) ? new Set(repositories.map(Number)) : null,
    }
  }

  #checkJwt(token: string): void {
    const [header, payload, signature] = token.split('.')
    if (header === undefined || payload === undefined || signature === undefined) throw badCredentials()
    const undecodable = new ApiError(401, 'A JSON web token could not be decoded')
    let claims: Record<string, unknown>
    try {
      if (decode(header)['alg'] !== 'RS256') throw undecodable
      claims = decode(payload)
    } catch {
      throw undecodable
    }
    const signed = Buffer.from(`${header}.${payload}`)
    if (!verify('RSA-SHA256', signed, this.#publicKey, Buffer.from(signature, 'base64url'))) throw undecodable
    // The machine's time, not the moved one: whoever signs knows no other.
    const now = Math.floor(Date.now() / 1000)
    const { iat, exp, iss } = claims
    if (!Number.isInteger(iat) || Number(iat) > now) {
      throw new ApiError(
        401,
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
      )
    }
    if (!Number.isInteger(exp) || Number(exp) <= now) {
      throw new ApiError(
        401,
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
      )
    }
    if (Number(exp) > now + longestJwt) {
      throw new ApiError(401, "'Expiration time' claim ('exp') is too far in the future")
    }
    if (String(iss) !== String(this.#state.app.id)) throw new ApiError(404, 'Integration not found')
  }

  #signature(signed: string): string {
    return createHmac('sha256', this.#secret).update(signed).digest('base64url')
  }
}

/** Whether the actor's token reaches the repository. */
export function covers(actor: Actor, repo: Repository): boolean {
  if (actor.kind !== 'installation') return false
  const { installation, repositoryIds } = actor
  return (
    installation.account === repo.owner &&
    (installation.repositoryIds === null || installation.repositoryIds.has(repo.id)) &&
    (repositoryIds === null || repositoryIds.has(repo.id))
  )
}

const ranks = { read: 1, write: 2, admin: 3 }

/** @param need `name:level`, such as `checks:write` */
export function permits(permissions: Permissions, need: string): boolean {
  const [name, level] = need.split(':') as [string, keyof typeof ranks]
  const granted = permissions[name]
  return granted !== undefined && ranks[granted] >= ranks[level]
}

function badCredentials(): ApiError {
  return new ApiError(401, 'Bad credentials')
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>
}
