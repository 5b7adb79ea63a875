import type { IncomingMessage } from 'node:http'

/** Bytes of bodies that may be held at one time by the whole process. */
export interface BodyBudget {
  held: number
  readonly limit: number
}

export type BodyRead =
  | { readonly kind: 'read'; readonly body: Buffer; release(): void }
  /** Longer than the limit of its route; the rest was not read. */
  | { readonly kind: 'too-large' }
  /** Other requests hold the whole budget. */
  | { readonly kind: 'busy' }
  /** The client went away, or was too slow. */
  | { readonly kind: 'aborted' }

/** The `Content-Length` in bytes; 0 when there is none. Node's parser has refused anything but digits before. */
export function declaredLength(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0)
}

/**
 * Reads a body of at most `limit` bytes. Never throws. What it takes from the budget is given back by `release()`, or
 * at once when the body is not handed out.
 */
export function readBody(request: IncomingMessage, limit: number, budget: BodyBudget): Promise<BodyRead> {
  if (declaredLength(request) > limit) return Promise.resolve({ kind: 'too-large' })

  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const release = () => {
      budget.held -= length
      length = 0
    }
    const finish = (result: BodyRead) => {
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
      // A late error of a connection that nobody reads any more must not end the process.
      request.on('error', () => {})
      if (result.kind !== 'read') {
        request.pause()
        release()
      }
      resolve(result)
    }
    const onData = (chunk: Buffer) => {
      length += chunk.length
      budget.held += chunk.length
      if (length > limit) return finish({ kind: 'too-large' })
      if (budget.held > budget.limit) return finish({ kind: 'busy' })
      chunks.push(chunk)
    }
    const onEnd = () => finish({ kind: 'read', body: Buffer.concat(chunks), release })
    const onGone = () => finish({ kind: 'aborted' })
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
  })
}
