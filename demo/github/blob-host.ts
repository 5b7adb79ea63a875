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

  addressOf(artifact: Artifact): string {
    const expires = this.#state.now().getTime() + lifetime
    const query = new URLSearchParams({ se: String(expires), sig: this.#signature(artifact.id, expires) })
    return `${this.origin}/artifacts/${artifact.id}.zip?${query.toString()}`
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
    const id = Number(/^\/artifacts\/(\d+)\.zip$/.exec(url.pathname)?.[1])
    const expires = Number(url.searchParams.get('se'))
    if (url.searchParams.get('sig') !== this.#signature(id, expires)) return refuse(403, 'AuthenticationFailed')
    if (expires <= this.#state.now().getTime()) return refuse(403, 'AuthenticationFailed')
    const artifact = this.#artifact(id)
    if (artifact === undefined) return refuse(404, 'BlobNotFound')
    response.writeHead(200, {
      'content-type': 'application/zip',
      'content-length': artifact.bytes,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(artifact.name)}.zip`,
    })
    const bytes = truncate ? Math.floor(artifact.bytes / 2) : artifact.bytes
    if (typeof artifact.content === 'string') {
      const part = createReadStream(artifact.content, { end: Math.max(0, bytes - 1) })
      part.on('error', () => response.destroy())
      part.on('end', () => (truncate ? response.destroy() : response.end()))
      part.pipe(response, { end: false })
    } else {
      response.write(artifact.content.subarray(0, bytes), () => (truncate ? response.destroy() : response.end()))
    }
    return 200
  }

  #artifact(id: number): Artifact | undefined {
    for (const repo of this.#state.repositories) {
      for (const run of repo.workflowRuns) {
        const found = run.artifacts.find((artifact) => artifact.id === id)
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  #signature(id: number, expires: number): string {
    return createHmac('sha256', this.#secret).update(`${id} ${expires}`).digest('base64url')
  }
}
