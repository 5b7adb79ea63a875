/** Limits on the share of the process that one client, or all of them together, may take. Sizes in bytes, times in milliseconds. */
export interface ServerLimits {
  /** GitHub sends at most 25 MB and drops larger payloads. */
  readonly webhookBody: number
  /** Every other route; none takes more than a form. */
  readonly otherBody: number
  /** Up to here a body is small by its declared length, as almost every delivery is. */
  readonly smallBody: number
  /** All bodies that are held at one time: the signature of a webhook is known only when all of it is there. */
  readonly heldSmallBodies: number
  readonly heldBodies: number
  /** The fewest bytes of a body that must come in each period, until it is whole. */
  readonly bodyPace: { readonly bytes: number; readonly period: number }
  /** Request line and headers together. */
  readonly header: number
  /** From the start of a connection too, also where no byte comes. */
  readonly headersTimeout: number
  /** From the first byte to the last one of a request, its body included. */
  readonly requestTimeout: number
  /** Above the 60 s of the usual proxies: the side that closes first must be the proxy. */
  readonly keepAliveTimeout: number
  /** Without a byte in either direction: somebody who does not read the answer. */
  readonly idleTimeout: number
  readonly connections: number
  /** Of one IPv4 address or IPv6 /64 that is no trusted proxy. GitHub sends hundreds of webhooks at once from one. */
  readonly connectionsOfNetwork: number
  /** Of all of them those on which nothing but a webhook or a probe is answered. */
  readonly connectionsForWebhooks: number
  /** How long `close()` waits for requests in flight. Longer than the 9 s after which a webhook is answered anyway. */
  readonly shutdown: number
  /** How long a connection stays open after a refusal, so that the client can read it before the reset. */
  readonly linger: number
}

const KIB = 1024
const MIB = 1024 * KIB

export const SERVER_LIMITS: ServerLimits = {
  webhookBody: 25 * MIB,
  otherBody: 64 * KIB,
  smallBody: MIB,
  heldSmallBodies: 64 * MIB,
  heldBodies: 192 * MIB,
  bodyPace: { bytes: 64 * KIB, period: 5_000 },
  header: 16 * KIB,
  headersTimeout: 5_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  idleTimeout: 60_000,
  connections: 1_000,
  connectionsOfNetwork: 250,
  connectionsForWebhooks: 100,
  shutdown: 15_000,
  linger: 500,
}
