import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { type Arrival, decodedEvent } from '../bot/events/event.ts'
import { DELIVERY_EVENT, DELIVERY_GUID, type Delivery } from '../inbox/deliveries.ts'
import type { Refusal } from '../telemetry/metrics.ts'
import type { Log } from './kit/log.ts'

/** Deliveries of GitHub, from the headers to the inbox. */
export interface Webhook {
  /** Reads the headers before a byte of the body; null: GitHub does not send such ones. */
  headOf(headers: IncomingHttpHeaders): DeliveryHead | null
  /** Takes it when GitHub has signed it; else says in a word why not. Throws when it can't be kept. */
  receive(head: DeliveryHead, body: Buffer): Promise<'taken' | 'empty' | 'not-signed' | 'not-a-payload'>
  /** Counts one that the server does not take. */
  refused(why: Refusal): void
  /** One that may be GitHub's was not kept: it is asked for again. */
  missed(): void
}

export interface DeliveryHead extends Pick<Delivery, 'guid' | 'event'> {
  /** `sha256=` and 64 digits. */
  readonly signature: string
}

export interface WebhookOptions {
  /** Whether the signature is that of the body. */
  readonly verify: (body: string, signature: string) => Promise<boolean>
  /** The delivery is on disk when the promise resolves. */
  readonly receive: (arrival: Arrival) => Promise<void>
  readonly onRefused?: (why: Refusal) => void
  readonly onMissed?: () => void
  readonly log: Log
}

const headSchema = z.object({
  'content-type': z.string().regex(/^\s*application\/json\s*(;|$)/i),
  'x-github-delivery': z.string().regex(DELIVERY_GUID),
  'x-github-event': z.string().regex(DELIVERY_EVENT),
  'x-hub-signature-256': z.string().regex(/^sha256=[0-9a-f]{64}$/),
})

export function createWebhook({
  verify,
  receive,
  onRefused = () => {},
  onMissed = () => {},
  log,
}: WebhookOptions): Webhook {
  return {
    headOf(headers) {
      const { success, data } = headSchema.safeParse(headers)
      if (!success) return null
      return {
        guid: data['x-github-delivery'],
        event: data['x-github-event'],
        signature: data['x-hub-signature-256'],
      }
    },

    async receive({ guid, event, signature }, body) {
      if (body.length === 0) return 'empty'
      const payload = body.toString('utf8')
      if (!(await verify(payload, signature))) {
        // The sender is not known, so nothing of it is repeated but what tells one body from another.
        const sha256 = createHash('sha256').update(body).digest('hex')
        log.warn({ event, bytes: body.length, sha256 }, 'a webhook is not signed with WEBHOOK_SECRET')
        return 'not-signed'
      }
      const decoded = isNestedDeep(body) ? null : decodedEvent(event, payload)
      if (decoded === null) return 'not-a-payload'
      await receive({ guid, name: event, payload, event: decoded })
      return 'taken'
    },

    refused: onRefused,
    missed: onMissed,
  }
}

/** GitHub's payloads go some ten levels deep. What goes millions deep takes seconds to read, for everybody. */
const DEEPEST = 100

const [OPENING_LIST, OPENING_MAP, CLOSING_LIST, CLOSING_MAP, QUOTE, BACKSLASH] = [...Buffer.from('[{]}"\\')] as const

/** Whether a JSON text has more levels than any delivery; brackets in its texts are none. */
function isNestedDeep(json: Buffer): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at]
    if (isText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === OPENING_LIST || byte === OPENING_MAP) {
      depth += 1
      if (depth > DEEPEST) return true
    } else if (byte === CLOSING_LIST || byte === CLOSING_MAP) depth -= 1
  }
  return false
}
