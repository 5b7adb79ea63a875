import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { html } from 'hono/html'
import { readAppManifest } from '../../config/app-manifest.ts'
import { EnvironmentError, readSetupEnvironment, type SetupEnvironment } from '../../config/environment.ts'
import { type RegisteredApp, RegistrationFailed, registeredApp } from '../../github/app-registration.ts'
import { INSTALLED_PATH, SIGN_IN_CALLBACK_PATH } from '../../report/urls.ts'
import { shellQuote } from '../../text/quote.ts'
import { WEBHOOK_PATH } from '../../web/server.ts'
import { type CommandIO, EXIT_OK, InputError } from './command.ts'
import type { SetupActionOptions } from './setup-action.ts'
import { LOOPBACK } from './setup-options.ts'

/** `perf-triage setup`: makes the GitHub App in the browser and keeps its secrets in a file. */

interface SetupOptions extends SetupActionOptions {
  /** Workflows in the place of an App. */
  readonly action?: boolean
  readonly file: string
  readonly publicUrl?: string
  readonly organization?: string
  readonly name?: string
  readonly host: string
  readonly port: number
}

/** `perf-triage setup`: GitHub's manifest flow with a page on this machine, to which the browser comes back with a code. */
export async function run(options: SetupOptions, io: CommandIO): Promise<number> {
  if (options.action === true) return await (await import('./setup-action.ts')).setupAction(options, io)
  const ofAction = (['directory', 'measure', 'budget', 'uses', 'remove', 'yes'] as const).find(
    (name) => options[name] !== undefined,
  )
  if (ofAction !== undefined) throw new InputError(`--${ofAction} needs --action`)
  const { file: path } = options
  const file = await EnvironmentFile.read(path)
  const environment = environmentOf({
    ...io.env,
    ...file.values,
    ...(options.publicUrl !== undefined && { PUBLIC_URL: options.publicUrl }),
  })
  const { appId } = environment
  if (appId !== null && file.values['APP_ID'] !== appId) {
    throw new InputError(
      `APP_ID is ${appId} in this shell, but ${path} has no App: run "unset APP_ID" to register one, or give that App’s --file`,
    )
  }
  if (appId !== null) {
    io.stdout.write(`${path} already has the App ${appId}.\n${nextSteps(io.env, path, null)}`)
    return EXIT_OK
  }
  await file.tryOut()
  const { app, where } = await registered(environment, options, io, async (made) => {
    const variables = variablesOf(made, environment)
    try {
      await file.write(variables)
      return { app: made, where: path }
    } catch (error) {
      // GitHub's code is used up, and says these keys never again.
      const other = await EnvironmentFile.read(join(await mkdtemp(join(tmpdir(), 'perf-triage-')), basename(path)))
      await other.write(variables)
      io.stderr.write(
        `perf-triage setup: ${path} can't be written (${reasonOf(error)}). Move ${other.path} there: it has the keys, which ` +
          'GitHub shows only once\n',
      )
      return { app: made, where: other.path }
    }
  })
  io.stdout.write(`${where} is written, and only you can read it.\n${nextSteps(io.env, where, app.html_url)}`)
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

function nextSteps(env: CommandIO['env'], file: string, appUrl: string | null): string {
  // A shell looks for a name without a slash in PATH.
  const shown = `${/^\.{0,2}\//.test(file) ? '' : './'}${shellQuote(file) ?? file}`
  const install = appUrl === null ? 'on the page of the App, "Install App"' : `${appUrl}/installations/new`
  // The command of an installed package is found by npx alone; each step may be in a terminal of its own.
  const command = `set -a; . ${shown}; set +a; ${env['npm_command'] === 'exec' ? 'npx ' : ''}perf-triage`
  return `Next:
  1. start the bot:                   ${command} serve
  2. install the App on a repository: ${install}
  3. see what is missing:             ${command} doctor
`
}

/** Serves the page until the browser has come back with a code that GitHub takes, and the App is kept. */
async function registered(
  environment: SetupEnvironment,
  options: SetupOptions,
  io: CommandIO,
  keep: (app: RegisteredApp) => Promise<Kept>,
): Promise<Kept> {
  const state = randomBytes(24).toString('base64url')
  const server = createServer()
  server.listen(options.port, options.host)
  await once(server, 'listening').catch((error: Error) => {
    throw new InputError(`${error.message}: give another --port or --host`)
  })
  const origin = originOf(options.host, (server.address() as AddressInfo).port)
  io.stdout.write(
    `Open ${origin} in your browser. From another machine: ssh -L ${new URL(origin).port}:${new URL(origin).host} HOST\n`,
  )
  const result = Promise.withResolvers<Kept>()
  let isUnderWay = false
  let app: RegisteredApp | null = null
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = URL.parse(request.url ?? '/', origin)
    // A page of another site that calls itself by a name of this address learns nothing.
    if (url === null || request.headers.host !== new URL(origin).host)
      return end(response, 400, 'Use the address that the terminal shows.')
    if (url.pathname === '/')
      return page(response, 200, formOf(environment, options, origin, state), environment.githubUrl)
    const code = url.searchParams.get('code')
    if (url.pathname !== RETURN_PATH || code === null || url.searchParams.get('state') !== state) {
      return end(response, 404, `This was not started here: go to ${origin}`)
    }
    if (isUnderWay) return end(response, 409, 'This is in progress: see the terminal.')
    isUnderWay = true
    try {
      app ??= await registeredApp(environment.githubApiUrl, code)
      const kept = await keep(app)
      response.once('finish', () => result.resolve(kept))
      await page(response, 200, donePage(app))
    } catch (error) {
      isUnderWay = false
      if (error instanceof RegistrationFailed) {
        io.stderr.write(`perf-triage setup: ${error.message}; reload the page, or start again at ${origin}\n`)
        return end(response, 502, `${error.message}. Reload this page, or start again at ${origin}`)
      }
      const words = `The App is registered, but its keys can't be written (${reasonOf(error)}). They are kept in memory: free some space and reload the page`
      io.stderr.write(`perf-triage setup: ${words}\n`)
      end(response, 500, words)
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

interface Kept {
  readonly app: RegisteredApp
  /** The file with its keys. */
  readonly where: string
}

/** As the browser calls it: a container listens on all its addresses, and its port is published on this machine. */
function originOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? LOOPBACK : isIPv6(host) ? `[${host}]` : host
  return new URL(`http://${name}:${port}`).origin
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const RETURN_PATH = '/registered'

function formOf(
  { publicUrl, githubUrl }: SetupEnvironment,
  { organization, name }: SetupOptions,
  origin: string,
  state: string,
) {
  const owner = organization === undefined ? '' : `/organizations/${organization}`
  const { name: usualName, description, public: isPublic, default_events, default_permissions } = readAppManifest()
  const manifest = {
    ...{ name: name ?? usualName, description, public: isPublic, default_events, default_permissions },
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

/** A file that can't be replaced by another: it is mounted by itself, as in a container, or its folder can't be written. */
const IRREPLACEABLE = new Set(['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS'])

/** Lines `NAME=value`, as a shell, Docker and systemd read them. */
class EnvironmentFile {
  readonly values: Readonly<Record<string, string>>
  readonly path: string
  /** The file itself, where `path` is a symbolic link. */
  readonly #file: string
  readonly #text: string
  readonly #isThere: boolean

  private constructor(path: string, file: string, text: string | null) {
    this.path = path
    this.#file = file
    this.#text = text ?? ''
    this.#isThere = text !== null
    const lines = this.#text.split('\n').flatMap((line) => {
      const [, name, value] = /^(?:export )?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line.trim()) ?? []
      return name === undefined ? [] : [[name, value!.replace(/^(["'])(.*)\1$/, '$2')] as const]
    })
    this.values = Object.fromEntries(lines)
  }

  static async read(path: string): Promise<EnvironmentFile> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw new InputError(`${path} can't be read (${error.message}): give another --file`)
    })
    return new EnvironmentFile(path, text === null ? path : await realpath(path), text)
  }

  /** Does what `write` will do, with as many bytes, and leaves what was there: what GitHub gives once only must find its place. */
  async tryOut(): Promise<void> {
    const filled = `${this.#text}\n${'#'.repeat(ROOM)}\n`
    try {
      if (this.#isThere) {
        await this.#put(filled)
        await this.#put(this.#text)
      } else await rm(await this.#writeBeside(filled))
    } catch (error) {
      throw new InputError(
        `${this.path} can't be written (${reasonOf(error)}): make sure that its folder exists and is writable, or give another --file`,
      )
    }
  }

  /** Adds variables and keeps all other lines. */
  async write(variables: Readonly<Record<string, string>>): Promise<void> {
    const kept = this.#text.split('\n').filter((line) => {
      const name = /^(?:export )?([A-Z][A-Z0-9_]*)=/.exec(line.trim())?.[1]
      return line !== '' && (name === undefined || !Object.hasOwn(variables, name))
    })
    const lines = [...kept, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)]
    await this.#put(`${lines.join('\n')}\n`)
  }

  /** The file is never one that others could read, and whole or as it was where another can take its place. */
  async #put(text: string): Promise<void> {
    try {
      const beside = await this.#writeBeside(text)
      try {
        await rename(beside, this.#file)
      } catch (error) {
        await rm(beside, { force: true })
        throw error
      }
    } catch (error) {
      if (!this.#isThere || !IRREPLACEABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      await this.#writeInPlace(text)
    }
  }

  async #writeInPlace(text: string): Promise<void> {
    await using file = await open(this.#file, 'r+')
    await file.chmod(0o600)
    await file.writeFile(text)
    await file.truncate(Buffer.byteLength(text))
    await file.sync()
  }

  /** The name of a new file beside this one. */
  async #writeBeside(text: string): Promise<string> {
    const beside = `${this.#file}.${process.pid}`
    try {
      await writeFile(beside, text, { flag: 'wx', mode: 0o600, flush: true })
    } catch (error) {
      // A file that was there before may hold the only keys of an App.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(beside, { force: true })
      throw error
    }
    return beside
  }
}

/** Bytes, more than the keys of an App. */
const ROOM = 16_384
