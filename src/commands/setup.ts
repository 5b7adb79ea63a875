import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, open, readFile, rename } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Command, InvalidArgumentError } from 'commander'
import { html } from 'hono/html'
import { readAppManifest } from '../config/app-manifest.ts'
import { EnvironmentError, readSetupEnvironment, type SetupEnvironment } from '../config/environment.ts'
import { type RegisteredApp, RegistrationFailed, registeredApp } from '../github/app-registration.ts'
import { INSTALLED_PATH, SIGN_IN_CALLBACK_PATH } from '../report/urls.ts'
import { WEBHOOK_PATH } from '../web/server.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, InputError } from './command.ts'

interface SetupOptions {
  readonly envFile: string
  readonly publicUrl?: string
  readonly organization?: string
  readonly name: string
  readonly port: number
}

/** The description, options and examples of `perf-triage setup`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Registers the GitHub App in your browser and writes the environment file with its keys, which only you can read. Begin again at any time: what is there stays.',
    )
    .option('--env-file <file>', 'the environment file', 'perf-triage.env')
    .option('--public-url <url>', 'the address at which GitHub and people reach the bot (default: PUBLIC_URL)')
    .option('--organization <name>', 'the organization that owns the App (default: you)', parseOrganization)
    .option('--name <name>', 'the name of the App, of which there is one on all of GitHub', readAppManifest().name)
    .option('--port <number>', 'the port of the page on this machine; 0: a free one', parsePort, 0)
    .addHelpText(
      'after',
      examples(
        ['setup --public-url https://perf.example.org', 'on github.com'],
        ['setup --public-url https://perf.example.org --organization acme', 'owned by an organization'],
      ) +
        '\n\nOn an Enterprise Server set GITHUB_URL before: GITHUB_URL=https://github.example.org perf-triage setup …',
    )
    .action(async (options: SetupOptions) => {
      finished(await run(options, io))
    })
}

/** `perf-triage setup`: GitHub's manifest flow with a page on this machine, to which the browser comes back with a code. */
async function run(options: SetupOptions, io: CommandIO): Promise<number> {
  const file = await EnvironmentFile.read(options.envFile)
  const environment = environmentOf({
    ...io.env,
    ...file.values,
    ...(options.publicUrl !== undefined && { PUBLIC_URL: options.publicUrl }),
  })
  if (environment.appId !== null) {
    io.stdout.write(`${options.envFile} has the App ${environment.appId} already.\n${nextSteps(options.envFile, null)}`)
    return EXIT_OK
  }
  const app = await registered(environment, options, io, (made) => file.write(variablesOf(made, environment)))
  io.stdout.write(
    `${options.envFile} is written, and only you can read it.\n${nextSteps(options.envFile, app.html_url)}`,
  )
  return EXIT_OK
}

function environmentOf(env: CommandIO['env']): SetupEnvironment {
  try {
    return readSetupEnvironment(env)
  } catch (error) {
    throw error instanceof EnvironmentError ? new InputError(error.problems.join('; ')) : error
  }
}

function variablesOf(app: RegisteredApp, { publicUrl, githubUrl }: SetupEnvironment): Record<string, string> {
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY: Buffer.from(app.pem).toString('base64'),
    WEBHOOK_SECRET: app.webhook_secret,
    CLIENT_ID: app.client_id,
    CLIENT_SECRET: app.client_secret,
    PUBLIC_URL: publicUrl,
    GITHUB_URL: githubUrl,
  }
}

function nextSteps(envFile: string, appUrl: string | null): string {
  const install = appUrl === null ? 'on the page of the App, "Install App"' : `${appUrl}/installations/new`
  return `Next:
  1. start the bot:                   set -a; . ./${envFile}; set +a; perf-triage serve
  2. install the App on a repository: ${install}
  3. see what is missing:             perf-triage doctor
`
}

/** Serves the page until the browser has come back with a code that GitHub takes, and the App is kept. */
async function registered(
  environment: SetupEnvironment,
  options: SetupOptions,
  io: CommandIO,
  keep: (app: RegisteredApp) => Promise<void>,
): Promise<RegisteredApp> {
  const state = randomBytes(24).toString('base64url')
  const server = createServer()
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening').catch((error: Error) => {
    throw new InputError(`${error.message}: give another --port`)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  io.stdout.write(
    `Open ${origin} in your browser. From another machine: ssh -L ${new URL(origin).port}:${new URL(origin).host} HOST\n`,
  )
  const result = Promise.withResolvers<RegisteredApp>()
  let isUnderWay = false
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = URL.parse(request.url ?? '/', origin)
    // A page of another site that calls itself by a name of this address learns nothing.
    if (url === null || request.headers.host !== new URL(origin).host)
      return end(response, 400, 'Ask for the address that the terminal shows.')
    if (url.pathname === '/')
      return page(response, 200, formOf(environment, options, origin, state), environment.githubUrl)
    const code = url.searchParams.get('code')
    if (url.pathname !== RETURN_PATH || code === null || url.searchParams.get('state') !== state) {
      return end(response, 404, `This was not begun here: go to ${origin}`)
    }
    if (isUnderWay) return end(response, 409, 'This is under way: look at the terminal.')
    isUnderWay = true
    try {
      const app = await registeredApp(environment.githubApiUrl, code)
      await keep(app)
      response.once('finish', () => result.resolve(app))
      await page(response, 200, donePage(app))
    } catch (error) {
      isUnderWay = false
      if (!(error instanceof RegistrationFailed)) {
        result.reject(error)
        return end(response, 500, 'The environment file could not be written: look at the terminal.')
      }
      io.stderr.write(`perf-triage setup: ${error.message}; load the page again, or begin again at ${origin}\n`)
      end(response, 502, `${error.message}. Load this page again, or begin again at ${origin}`)
    }
  }
  server.on('request', (request, response) => void answer(request, response))
  try {
    return await result.promise
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

const RETURN_PATH = '/registered'

function formOf(
  { publicUrl, githubUrl }: SetupEnvironment,
  { organization, name }: SetupOptions,
  origin: string,
  state: string,
) {
  const owner = organization === undefined ? '' : `/organizations/${organization}`
  const { description, public: isPublic, default_events, default_permissions } = readAppManifest()
  const manifest = {
    ...{ name, description, public: isPublic, default_events, default_permissions },
    url: publicUrl,
    hook_attributes: { url: `${publicUrl}${WEBHOOK_PATH}`, active: true },
    redirect_url: `${origin}${RETURN_PATH}`,
    callback_urls: [`${publicUrl}${SIGN_IN_CALLBACK_PATH}`],
    setup_url: `${publicUrl}${INSTALLED_PATH}`,
  }
  return html`<h1>Register perf-triage</h1>
<p>GitHub shows the App on its own page and asks you to agree. Then your browser comes back here, and the keys are written to a file on this machine.</p>
<dl><dt>GitHub</dt><dd>${githubUrl}</dd><dt>Owner</dt><dd>${organization ?? 'you'}</dd><dt>Webhooks go to</dt><dd>${manifest.hook_attributes.url}</dd></dl>
<form method="post" action="${githubUrl}${owner}/settings/apps/new?state=${state}">
<input type="hidden" name="manifest" value="${JSON.stringify(manifest)}">
<button>Go to GitHub</button>
</form>`
}

function donePage({ slug, html_url }: RegisteredApp) {
  return html`<h1>${slug} is registered</h1>
<p>Its keys are in the environment file. Now start the bot as the terminal says, then <a href="${html_url}/installations/new">install the App on a repository</a>.</p>`
}

async function page(
  response: ServerResponse,
  status: number,
  content: ReturnType<typeof html>,
  formTarget = "'none'",
): Promise<void> {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${formTarget}; frame-ancestors 'none'; base-uri 'none'`,
  })
  const whole = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>perf-triage setup</title><style>body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}dt{font-weight:600}dd{margin:0 0 .5rem}button{font:inherit;padding:.5rem 1rem}</style></head>
<body><main>${content}</main></body></html>
`
  response.end(String(await whole))
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}

/** Lines `NAME=value`, as a shell, Docker and systemd read them. */
class EnvironmentFile {
  readonly values: Readonly<Record<string, string>>
  readonly #path: string
  readonly #text: string

  private constructor(path: string, text: string) {
    this.#path = path
    this.#text = text
    const lines = text.split('\n').flatMap((line) => {
      const [, name, value] = /^(?:export )?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line.trim()) ?? []
      return name === undefined ? [] : [[name, value!.replace(/^(["'])(.*)\1$/, '$2')] as const]
    })
    this.values = Object.fromEntries(lines)
  }

  static async read(path: string): Promise<EnvironmentFile> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw new InputError(`${path} can't be read (${error.message}): give another --env-file`)
    })
    return new EnvironmentFile(path, text)
  }

  /** Adds variables and keeps all other lines. The file is whole or as it was, and never one that others could read. */
  async write(variables: Readonly<Record<string, string>>): Promise<void> {
    const kept = this.#text.split('\n').filter((line) => {
      const name = /^(?:export )?([A-Z][A-Z0-9_]*)=/.exec(line.trim())?.[1]
      return line !== '' && (name === undefined || !Object.hasOwn(variables, name))
    })
    const lines = [...kept, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)]
    const beside = `${this.#path}.${process.pid}`
    const handle = await open(beside, 'wx', 0o600)
    try {
      await handle.writeFile(`${lines.join('\n')}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await chmod(beside, 0o600)
    await rename(beside, this.#path)
  }
}

function parseOrganization(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/.test(text))
    throw new InvalidArgumentError('It is the login of an organization.')
  return text
}

function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('It is a number from 0 to 65535.')
  return port
}
