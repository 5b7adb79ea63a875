import { createHmac, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Artifact, State } from './state.ts'

/** A signed address is good for one minute. */
const lifetime = 60_000

/** The storage that artifact downloads are redirected to: another origin, which knows no GitHub token. */
export class BlobHost {
  readonly #state: State
  readonly #secret = randomBytes(32)
  origin = ''

  constructor(state: State) {
    this.#state = state
  }

  /** @param path `artifacts/ID.zip` or `logs/JOB.txt` */
  addressOf(path: string): string {
    const expires = this.#state.now().getTime() + lifetime
    const query = new URLSearchParams({ se: String(expires), sig: this.#signature(path, expires) })
    return `${this.origin}/${path}?${query.toString()}`
  }

  /** Answers a download and returns its status. */
  answer(request: IncomingMessage, response: ServerResponse, truncate: boolean): number {
    const url = new URL(request.url ?? '/', this.origin)
    const refuse = (status: number, code: string): number => {
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code></Error>`)
      return status
    }
    if (request.headers.authorization !== undefined) return refuse(401, 'InvalidAuthenticationInfo')
    const path = url.pathname.slice(1)
    const [, kind, id] = /^(artifacts|logs)\/(\d+)\.(?:zip|txt)$/.exec(path) ?? []
    const expires = Number(url.searchParams.get('se'))
    if (url.searchParams.get('sig') !== this.#signature(path, expires)) return refuse(403, 'AuthenticationFailed')
    if (expires <= this.#state.now().getTime()) return refuse(403, 'AuthenticationFailed')
    const stored = kind === 'logs' ? this.#log(Number(id)) : this.#artifact(Number(id))
    if (stored === undefined) return refuse(404, 'BlobNotFound')
    response.writeHead(200, {
      'content-type': stored.type,
      'content-length': stored.bytes,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(stored.name)}`,
    })
    const bytes = truncate ? Math.floor(stored.bytes / 2) : stored.bytes
    if (typeof stored.content === 'string') {
      const part = createReadStream(stored.content, { end: Math.max(0, bytes - 1) })
      part.on('error', () => response.destroy())
      part.on('end', () => (truncate ? response.destroy() : response.end()))
      part.pipe(response, { end: false })
    } else {
      response.write(stored.content.subarray(0, bytes), () => (truncate ? response.destroy() : response.end()))
    }
    return 200
  }

  #artifact(id: number): Stored | undefined {
    const runs = this.#state.repositories.flatMap(({ workflowRuns }) => workflowRuns)
    for (const { artifacts } of runs) {
      const found = artifacts.find((artifact) => artifact.id === id)
      if (found !== undefined) return { ...found, name: `${found.name}.zip`, type: 'application/zip' }
    }
    return undefined
  }

  #log(id: number): Stored | undefined {
    const checks = this.#state.repositories.flatMap(({ checkRuns }) => checkRuns)
    const log = checks.find((known) => known.id === id)?.job?.log
    if (log === undefined) return undefined
    const content = Buffer.from(log)
    return { content, bytes: content.length, name: 'job.log', type: 'text/plain' }
  }

  #signature(path: string, expires: number): string {
    return createHmac('sha256', this.#secret).update(`${path} ${expires}`).digest('base64url')
  }
}

interface Stored extends Pick<Artifact, 'content' | 'bytes'> {
  readonly name: string
  readonly type: string
}
