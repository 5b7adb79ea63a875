/** Serves `git clone` and `git fetch`: git's own server over a bare repository that follows the records. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from './api-error.ts'
import { type Actor, type Authentication, covers, permits } from './auth.ts'
import { type Repository, reaches, refsOf, type State } from './state.ts'

const address = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/

export class GitHost {
  readonly #state: State
  readonly #authentication: Authentication
  #folder: Promise<string> | null = null

  constructor(state: State, authentication: Authentication) {
    this.#state = state
    this.#authentication = authentication
  }

  /** null: another address; else the status of the answer. */
  async answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<number | null> {
    const [, owner = '', name = '', service = ''] = address.exec(url.pathname) ?? []
    if (service === '') return null
    const repo = this.#state.repository(decodeURIComponent(owner), decodeURIComponent(name))
    const status = this.#statusOf(repo, request.headers.authorization, service + url.search)
    if (repo === undefined || status !== 200) {
      response.writeHead(status, status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {}).end()
      return status
    }
    await serve(await this.#written(repo), request, response, `/${service}`, url.search.slice(1))
    return 200
  }

  async stop(): Promise<void> {
    if (this.#folder !== null) await rm(await this.#folder, { recursive: true, force: true })
  }

  /** Whether who asks may read; nobody pushes: the records change by the API and by what people do. */
  #statusOf(repo: Repository | undefined, authorization: string | undefined, wanted: string): number {
    if (wanted.includes('git-receive-pack')) return 403
    try {
      const actor = this.#authentication.actorOf(bearerOf(authorization))
      if (repo !== undefined && this.#mayRead(actor, repo)) return 200
      return actor.kind === 'anonymous' ? 401 : 404
    } catch (error) {
      return error instanceof ApiError ? error.status : 500
    }
  }

  #mayRead(actor: Actor, repo: Repository): boolean {
    if (!repo.private) return true
    if (actor.kind === 'user') return actor.isPersonal && reaches(this.#state.roleOf(repo, actor.account), 'read')
    return actor.kind === 'installation' && covers(actor, repo) && permits(actor.permissions, 'contents:read')
  }

  /** The bare repository as the records are now; forks share their objects. @returns its folder */
  async #written(repo: Repository): Promise<string> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'local-github-'))
    const folder = join(await this.#folder, String(repo.id))
    const first = this.#state.repositories.find(({ graph }) => graph === repo.graph)
    const objects = join(await this.#folder, `${first?.id}.objects`)
    for (const made of ['objects/info', 'refs']) await mkdir(join(folder, made), { recursive: true })
    await mkdir(objects, { recursive: true })
    await repo.graph.objects.writeTo(objects)
    const files = {
      HEAD: `ref: refs/heads/${repo.defaultBranch}\n`,
      // Any commit may be asked for by its id, as on GitHub.
      config: '[core]\n\tbare = true\n[uploadpack]\n\tallowAnySHA1InWant = true\n',
      'objects/info/alternates': `${objects}\n`,
      'packed-refs': [...refsOf(repo)]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([ref, sha]) => `${sha} ${ref}\n`)
        .join(''),
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return folder
  }
}

/** Git sends a token as the password of anybody. */
function bearerOf(authorization: string | undefined): string | undefined {
  const basic = /^basic (\S+)$/i.exec(authorization ?? '')?.[1]
  if (basic === undefined) return authorization
  return `token ${Buffer.from(basic, 'base64').toString('utf8').split(':').slice(1).join(':')}`
}

/** Runs `git http-backend`, whose answer is that of a CGI program. */
async function serve(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: string,
): Promise<void> {
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  // It may have answered before it read everything.
  backend.stdin.on('error', () => {})
  request.pipe(backend.stdin)
  let head = Buffer.alloc(0)
  for await (const chunk of backend.stdout as AsyncIterable<Buffer>) {
    if (response.headersSent) {
      response.write(chunk)
      continue
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) continue
    const fields = head.subarray(0, end).toString('utf8').split('\r\n')
    const headers = Object.fromEntries(fields.map((field) => field.split(': ', 2) as [string, string]))
    response.writeHead(Number.parseInt(headers['Status'] ?? '200', 10), headers)
    response.write(head.subarray(end + 4))
  }
  response.end()
}
