import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ProbotOctokit } from 'probot'
import { type LocalGitHub, type LocalGitHubOptions, startLocalGitHub } from '../../demo/github/local-github.ts'
import type { Installation, Permissions, Repository } from '../../demo/github/state.ts'

export const allPermissions: Permissions = {
  actions: 'write',
  checks: 'write',
  contents: 'read',
  issues: 'write',
  pull_requests: 'write',
  statuses: 'write',
}

export const allEvents = [
  'check_run',
  'check_suite',
  'issue_comment',
  'pull_request',
  'push',
  'repository',
  'status',
  'workflow_run',
]

export interface Setting {
  readonly github: LocalGitHub
  readonly repo: Repository
  readonly installation: Installation
  readonly octokit: ProbotOctokit
  readonly at: { readonly owner: string; readonly repo: string }
}

/** A repository with the app installed, and an octokit with the installation's token. */
export async function makeSetting(
  options: LocalGitHubOptions = {},
  permissions: Permissions = allPermissions,
): Promise<Setting> {
  const github = await startLocalGitHub(options)
  const repo = github.createRepository({ owner: 'ClickHouse', name: 'ClickHouse' })
  const installation = github.install({ account: 'ClickHouse', permissions, events: allowedEvents(permissions) })
  const octokit = octokitOf(github, installation)
  return { github, repo, installation, octokit, at: { owner: 'ClickHouse', repo: 'ClickHouse' } }
}

function allowedEvents(permissions: Permissions): string[] {
  return permissions === allPermissions ? allEvents : []
}

/** The client that the bot uses, without waiting between requests; without an installation it speaks as the app. */
export function octokitOf(github: LocalGitHub, installation?: Installation): ProbotOctokit {
  const { appId, privateKey } = github.credentials
  return clientOf(github, {
    ...{ appId, privateKey },
    ...(installation === undefined ? {} : { installationId: installation.id }),
  })
}

/** The same client with other credentials, such as a token. */
export function clientOf(github: LocalGitHub, auth: object): ProbotOctokit {
  return new ProbotOctokit({
    auth,
    baseUrl: `${github.url}/api/v3`,
    throttle: { enabled: false },
    retry: { enabled: false },
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  })
}

function ignore(): void {}

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Record<string, unknown>
}

/** A webhook receiver that keeps what comes. */
export class Receiver {
  readonly received: Received[] = []
  /** What it answers, and after how many milliseconds. */
  status = 200
  delay = 0
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const body = JSON.parse(text) as Record<string, unknown>
        this.received.push({ headers: request.headers, text, body })
        setTimeout(() => response.writeHead(this.status).end('thanks'), this.delay)
      })
    })
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver()
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/github/webhooks`
  }

  /** `event.action` of each delivery, in order. */
  get names(): string[] {
    return this.received.map(({ headers, body }) => {
      const event = String(headers['x-github-event'])
      return typeof body['action'] === 'string' ? `${event}.${body['action']}` : event
    })
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
