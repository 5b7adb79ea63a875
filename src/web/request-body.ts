import type { IncomingMessage } from 'node:http'
import { type BlockList, isIP } from 'node:net'
import type { ServerLimits } from './server-limits.ts'

/** Reads a request’s body within limits for one request, one address and the process. */

export type BodyRead =
  | { readonly kind: 'read'; readonly body: Buffer; release(): void }
  /** Longer than the limit of its route; the rest was not read. */
  | { readonly kind: 'too-large' }
  /** Others, or the same client, hold all that there is to hold. */
  | { readonly kind: 'busy' }
  /** Fewer bytes came than must. */
  | { readonly kind: 'slow' }
  /** The client went away, or its request took too long. */
  | { readonly kind: 'aborted' }

/** The `Content-Length` in bytes; null when there is none. Node's parser has refused anything but digits before. */
export function declaredLength(request: IncomingMessage): number | null {
  const length = request.headers['content-length']
  return length === undefined ? null : Number(length)
}

/** Bytes of the bodies that are held at one time, by size, by connection and by address. */
export interface BodyBudget {
  accountOf(request: IncomingMessage): BodyAccount
}

/** The bytes that one body holds. */
interface BodyAccount {
  /** False when that is more than there is. */
  take(bytes: number): boolean
  /** Gives everything back. */
  release(): void
}

/** An IPv4 address or an IPv6 /64 may hold this share of what there is for all: who fills it stands in nobody else's way. */
const ADDRESS_SHARE = 1 / 4

/** @param trustedProxies whose `X-Forwarded-For` holds */
export function bodyBudget(limits: ServerLimits, trustedProxies: BlockList): BodyBudget {
  const held = new Map<unknown, number>()
  return {
    accountOf(request) {
      // Small bodies have a budget of their own, so that no number of large ones keeps them out.
      const isSmall = (declaredLength(request) ?? Infinity) <= limits.smallBody
      const pool = isSmall ? limits.heldSmallBodies : limits.heldBodies
      const holders: readonly (readonly [unknown, number])[] = [
        [isSmall, pool],
        [`${isSmall} ${networkOf(clientOf(request, trustedProxies).address)}`, pool * ADDRESS_SHARE],
        [request.socket, limits.webhookBody],
      ]
      let taken = 0
      return {
        take(bytes) {
          taken += bytes
          let fits = true
          for (const [holder, limit] of holders) {
            const now = (held.get(holder) ?? 0) + bytes
            held.set(holder, now)
            fits &&= now <= limit
          }
          return fits
        },
        release() {
          for (const [holder] of holders) {
            const left = (held.get(holder) ?? 0) - taken
            if (left > 0) held.set(holder, left)
            else held.delete(holder)
          }
          taken = 0
        },
      }
    },
  }
}

export interface Client {
  readonly address: string
  /** True where it names others that it forwards for and is not trusted: a client that says so, or a proxy that nobody has named. */
  readonly forwards: boolean
}

/**
 * Behind a trusted proxy the last address of `X-Forwarded-For` that is no trusted proxy itself. Earlier ones are the client's
 * words: `198.51.100.7, 203.0.113.9` is a client at 203.0.113.9 that says it is another one.
 */
export function clientOf({ socket, headers }: IncomingMessage, trustedProxies: BlockList): Client {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
  let address = socket.remoteAddress ?? ''
  while (trustedProxies.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) {
    const before = forwarded.pop()?.trim() ?? ''
    if (isIP(before) === 0) return { address, forwards: false }
    address = before
  }
  return { address, forwards: forwarded.some((before) => before.trim() !== '') }
}

/** An IPv6 client has a whole /64 of addresses, an IPv4 client one, also where that is written `::ffff:203.0.113.9`. */
export function networkOf(address: string): string {
  const canonical = URL.parse(`http://[${address.split('%', 1)[0]}]`)?.hostname.slice(1, -1)
  if (canonical === undefined || canonical.startsWith('::ffff:')) return address
  const [front, back = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array<string>(Math.max(0, 8 - front!.length - back.length)).fill('0')
  return [...front!, ...zeros, ...back].slice(0, 4).join(':')
}

/**
 * Reads a body of at most `limit` bytes. Never throws. What it holds is given back by `release()`, or at once when the
 * body is not handed out. `bodyLimit` of Hono knows the length of one body alone: neither what all clients and each address
 * hold together, nor how slowly bytes may come, nor an answer before the body is sent.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  budget: BodyBudget,
  pace: ServerLimits['bodyPace'],
): Promise<BodyRead> {
  if ((declaredLength(request) ?? 0) > limit) return Promise.resolve({ kind: 'too-large' })

  return new Promise((resolve) => {
    const account = budget.accountOf(request)
    const chunks: Buffer[] = []
    let length = 0
    let lengthBefore = 0
    let settled = false
    const finish = (result: BodyRead) => {
      settled = true
      clearInterval(timer)
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
      // A late error of a connection that nobody reads any more must not end the process.
      request.on('error', () => {})
      if (result.kind !== 'read') {
        request.pause()
        account.release()
      }
      resolve(result)
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      const fits = account.take(chunk.length)
      if (length > limit) return finish({ kind: 'too-large' })
      if (!fits) return finish({ kind: 'busy' })
      chunks.push(chunk)
    }
    const onEnd = () => finish({ kind: 'read', body: Buffer.concat(chunks), release: () => account.release() })
    const onGone = () => finish({ kind: 'aborted' })
    const onPeriod = () => {
      if (settled) return
      if (length - lengthBefore < pace.bytes) finish({ kind: 'slow' })
      lengthBefore = length
    }
    // Bytes that have arrived while this process was busy are read first: timers come before it, immediates after it.
    const timer = setInterval(() => setImmediate(onPeriod), pace.period)
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
  })
}
