import { createPrivateKey } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { DEFAULT_ARTIFACT_HOSTS, hostPatternProblem, isLoopback } from './host-allowed.ts'
import { ROLES, type Role } from './process-roles.ts'

/** The settings of the server process, from its environment. */
export interface Environment {
  readonly appId: number
  /** PEM, an RSA key. */
  readonly privateKey: string
  /** Others on the machine can read the file of the private key; what to do. */
  readonly privateKeyWarning: string | null
  readonly webhookSecret: string
  readonly port: number
  readonly host: string
  /** The proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: BlockList
  /** The address of the pages, without a slash at the end; null: no links to pages are shown. */
  readonly publicUrl: string | null
  /** `https://github.com`, or that of an Enterprise Server; without a slash at the end, like the next. */
  readonly githubUrl: string
  readonly githubApiUrl: string
  /** null: nobody signs in, pages of private repositories are shown to nobody. */
  readonly signIn: SignInEnvironment | null
  readonly clickHouse: ClickHouseEnvironment
  readonly inbox: InboxEnvironment
  readonly role: Role
  /** The CI database that exists already, read only; null: there is none. */
  readonly ciDatabase: CiDatabaseEnvironment | null
  /** There is a CI database, and no repository may use it; what to write. */
  readonly ciDatabaseWarning: string | null
  /** The channel that is told what waits for a person; null: none is. */
  readonly slack: SlackEnvironment | null
  /** Absolute. */
  readonly dataDir: string
  /** Patterns for `hostAllowed`. */
  readonly artifactHosts: readonly string[]
  /** The port of the metrics; null: they have none of their own. */
  readonly metricsPort: number | null
  /** A port for webhooks beside that of the pages, whose connections no page can take; null: there is none. */
  readonly webhookPort: number | null
  /** Who knows it may ask for the metrics at the address of the pages; null: nobody. */
  readonly metricsToken: string | null
  /** Where traces are sent; null: nothing is traced. */
  readonly traces: TracesEnvironment | null
  readonly logLevel: LogLevel
  /** false: webhooks are kept, and nothing is judged or written to GitHub. */
  readonly isOn: boolean
}

export interface InboxEnvironment {
  /** PostgreSQL, which replicas share; null: SQLite in `dataDir`, of one process alone. It may hold a password. */
  readonly databaseUrl: string | null
  /** Absolute. */
  readonly dataDir: string
}

export interface TracesEnvironment {
  /** OTLP over HTTP. */
  readonly endpoint: string
  readonly serviceName: string
}

export interface SlackEnvironment {
  /** A secret: whoever knows it may write to the channel. */
  readonly webhookUrl: string
  /** `owner/name` of the repositories that the channel is told of; null: those that are public. */
  readonly repositories: readonly string[] | null
}

export interface SignInEnvironment {
  readonly clientId: string
  readonly clientSecret: string
}

export interface ClickHouseEnvironment {
  /** null: the embedded engine, in `dataDir`. */
  readonly url: string | null
  readonly user: string
  readonly password: string
  readonly database: string
  /** null: a single server. */
  readonly cluster: string | null
  /** Absolute. */
  readonly dataDir: string
}

export interface CiDatabaseEnvironment {
  readonly url: string
  readonly user: string
  readonly password: string
  /**
   * `owner/name` of the repositories that may use it, in lower case. Not set: none may, because whoever installs the App would read
   * there what is somebody else's.
   */
  readonly repositories: readonly string[]
  /** The tables that a repository's configuration may name. */
  readonly tables: readonly string[]
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const NO_CI_REPOSITORIES =
  'CIDB_URL is set but CIDB_REPOSITORIES is not, so no repository uses the CI database. List the repositories it covers in the server’s environment, for example CIDB_REPOSITORIES=owner/name,owner/other'

/** Said where the whole bot is switched off. */
export const SWITCHED_OFF =
  'PERF_TRIAGE_ENABLED is false: webhooks are kept in the inbox and pages are served, but nothing is judged or written to GitHub'

/** Everything that is wrong with the environment, at once. The message holds no value of a secret. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
  /** A line each: the variable, what is wrong, what to do. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
    super(`The environment has ${count}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** Variables that the registration of the App gives; none of them: there was none, or its file is not loaded. */
const APP_VARIABLES = ['APP_ID', 'WEBHOOK_SECRET', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH']
const NO_APP =
  'The GitHub App is not configured. "perf-triage setup" registers one and writes these variables to perf-triage.env. If you have done that, load them in this shell: set -a; . ./perf-triage.env; set +a'

type Variables = Readonly<Record<string, string | undefined>>

/** Reads everything that `serve` needs. Throws `EnvironmentError`. */
export function readEnvironment(env: Variables): Environment {
  const variables = setOnly(env)
  const result = serverSchema.safeParse(variables)
  const key = readPrivateKey(variables)
  const problems = [
    ...(result.success ? [] : problemsOf(result.error)),
    ...(key.problem === null ? [] : [key.problem]),
    ...(APP_VARIABLES.some((name) => name in variables) ? [] : [NO_APP]),
    ...signInProblems(variables),
    ...replicaProblems(variables),
  ]
  if (!result.success || key.problem !== null || problems.length > 0) throw new EnvironmentError(problems)
  const read = result.data
  const githubUrl = read.GITHUB_URL
  const ciDatabase = ciDatabaseOf(read)
  return {
    appId: read.APP_ID,
    privateKey: key.pem,
    privateKeyWarning: key.warning,
    webhookSecret: read.WEBHOOK_SECRET,
    port: read.PORT,
    host: read.HOST,
    trustedProxies: read.TRUSTED_PROXIES,
    publicUrl: read.PUBLIC_URL ?? null,
    githubUrl,
    githubApiUrl: read.GITHUB_API_URL ?? apiOf(githubUrl),
    signIn: signInOf(read),
    clickHouse: clickHouseOf(read),
    inbox: inboxOf(read),
    role: read.PERF_TRIAGE_ROLE,
    ciDatabase,
    ciDatabaseWarning: ciDatabase?.repositories.length === 0 ? NO_CI_REPOSITORIES : null,
    slack:
      read.SLACK_WEBHOOK_URL === undefined
        ? null
        : { webhookUrl: read.SLACK_WEBHOOK_URL, repositories: read.SLACK_REPOSITORIES ?? null },
    dataDir: read.PERF_TRIAGE_DATA_DIR,
    artifactHosts: read.ARTIFACT_HOSTS ?? artifactHostsOf(githubUrl),
    metricsPort: read.METRICS_PORT ?? null,
    webhookPort: read.WEBHOOK_PORT ?? null,
    metricsToken: read.METRICS_TOKEN ?? null,
    traces:
      read.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? null
        : { endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT, serviceName: read.OTEL_SERVICE_NAME },
    logLevel: read.LOG_LEVEL,
    isOn: read.PERF_TRIAGE_ENABLED,
  }
}

/** A job as GitHub's runner describes it, with the inputs of this Action. */
export interface JobEnvironment {
  readonly eventName: string
  /** The file with the payload of the event. */
  readonly eventPath: string
  /** `owner/name`. */
  readonly repository: string
  /** The path of the workflow, `.github/workflows/perf-triage.yml`. */
  readonly workflow: string
  readonly githubApiUrl: string
  /** The page of the job's run. */
  readonly runUrl: string
  readonly token: string
  /** A folder that the runner empties. */
  readonly tempDir: string
  /** Patterns for `hostAllowed`. */
  readonly artifactHosts: readonly string[]
}

/** Reads what the judging job of the Action needs. Throws `EnvironmentError`. */
export function readJobEnvironment(env: Variables): JobEnvironment {
  const read = readBy(jobSchema, env)
  const { GITHUB_SERVER_URL: githubUrl, GITHUB_REPOSITORY: repository } = read
  return {
    eventName: read.GITHUB_EVENT_NAME,
    eventPath: read.GITHUB_EVENT_PATH,
    repository,
    workflow: read.GITHUB_WORKFLOW_REF,
    githubApiUrl: read.GITHUB_API_URL,
    runUrl: `${githubUrl}/${repository}/actions/runs/${read.GITHUB_RUN_ID}`,
    token: read.INPUT_TOKEN,
    tempDir: read.RUNNER_TEMP,
    artifactHosts: read.ARTIFACT_HOSTS ?? artifactHostsOf(githubUrl),
  }
}

/** Reads the part that a command without GitHub needs. Throws `EnvironmentError`. */
export function readClickHouseEnvironment(env: Variables): ClickHouseEnvironment {
  return clickHouseOf(readBy(clickHouseSchema, env))
}

/** Reads where the inbox is. Throws `EnvironmentError`. */
export function readInboxEnvironment(env: Variables): InboxEnvironment {
  return inboxOf(readBy(inboxSchema, env))
}

/** Reads what a command needs that asks the CI database; null: there is none. Throws `EnvironmentError`. */
export function readCiDatabaseEnvironment(env: Variables): CiDatabaseEnvironment | null {
  return ciDatabaseOf(readBy(ciDatabaseSchema, env))
}

export interface SetupEnvironment {
  readonly publicUrl: string
  readonly githubUrl: string
  readonly githubApiUrl: string
  /** null: no App is registered yet. */
  readonly appId: string | null
}

/** Reads what `setup` needs. Throws `EnvironmentError`. */
export function readSetupEnvironment(env: Variables): SetupEnvironment {
  const { PUBLIC_URL, GITHUB_URL, GITHUB_API_URL } = readBy(setupSchema, env)
  return {
    publicUrl: PUBLIC_URL,
    githubUrl: GITHUB_URL,
    githubApiUrl: GITHUB_API_URL ?? apiOf(GITHUB_URL),
    appId: setOnly(env)['APP_ID'] ?? null,
  }
}

function readBy<Schema extends z.ZodType>(schema: Schema, env: Variables): z.output<Schema> {
  const result = schema.safeParse(setOnly(env))
  if (!result.success) throw new EnvironmentError(problemsOf(result.error))
  return result.data
}

/** A variable that is set to nothing is not set: that is how a compose file or a shell leaves one out. */
function setOnly(env: Variables): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1].trim() !== ''),
  )
}

function problemsOf(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) => `${String(path[0])} ${message}`)
}

function clickHouseOf(read: z.output<typeof clickHouseSchema>): ClickHouseEnvironment {
  return {
    url: read.CLICKHOUSE_URL ?? null,
    user: read.CLICKHOUSE_USER,
    password: read.CLICKHOUSE_PASSWORD,
    database: read.CLICKHOUSE_DATABASE,
    cluster: read.CLICKHOUSE_CLUSTER ?? null,
    dataDir: read.PERF_TRIAGE_DATA_DIR,
  }
}

function inboxOf({ DATABASE_URL, PERF_TRIAGE_DATA_DIR }: z.output<typeof inboxSchema>): InboxEnvironment {
  return { databaseUrl: DATABASE_URL ?? null, dataDir: PERF_TRIAGE_DATA_DIR }
}

function ciDatabaseOf(read: z.output<typeof ciDatabaseSchema>): CiDatabaseEnvironment | null {
  if (read.CIDB_URL === undefined) return null
  return {
    url: read.CIDB_URL,
    user: read.CIDB_USER,
    password: read.CIDB_PASSWORD,
    repositories: read.CIDB_REPOSITORIES.map((name) => name.toLowerCase()),
    tables: read.CIDB_TABLES,
  }
}

function signInOf({ CLIENT_ID, CLIENT_SECRET }: z.output<typeof serverSchema>): SignInEnvironment | null {
  if (CLIENT_ID === undefined || CLIENT_SECRET === undefined) return null
  return { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }
}

/** Variables of the sign-in that make sense only together. */
function signInProblems({ CLIENT_ID, CLIENT_SECRET, PUBLIC_URL }: Readonly<Record<string, string>>): string[] {
  if (CLIENT_ID === undefined && CLIENT_SECRET === undefined) return []
  if (CLIENT_SECRET === undefined) {
    return ['CLIENT_SECRET is missing: CLIENT_ID is set, and signing in needs both']
  }
  if (CLIENT_ID === undefined) {
    return ['CLIENT_ID is missing: CLIENT_SECRET is set, and signing in needs both']
  }
  if (PUBLIC_URL === undefined) {
    return ['PUBLIC_URL is missing: CLIENT_ID is set, and GitHub sends people back to that address after they sign in']
  }
  const url = URL.parse(PUBLIC_URL)
  if (url?.protocol !== 'http:' || isLoopback(url.hostname)) return []
  return [
    'PUBLIC_URL must begin with https:// when CLIENT_ID is set, because session cookies are sent there; http:// is allowed only for this machine',
  ]
}

/** What several processes share can't be in a folder. */
function replicaProblems({
  DATABASE_URL,
  CLICKHOUSE_URL,
  PERF_TRIAGE_ROLE = 'all',
}: Readonly<Record<string, string>>): string[] {
  if (DATABASE_URL !== undefined) {
    return CLICKHOUSE_URL !== undefined
      ? []
      : ['CLICKHOUSE_URL is missing: DATABASE_URL is set, and replicas must share a ClickHouse server too']
  }
  return PERF_TRIAGE_ROLE === 'all'
    ? []
    : ['PERF_TRIAGE_ROLE must be all without DATABASE_URL: web and worker processes need a shared database']
}

/** github.com, GitHub with data residency (`https://api.NAME.ghe.com`), or an Enterprise Server. */
function apiOf(githubUrl: string): string {
  const { host, hostname, protocol } = new URL(githubUrl)
  if (hostname === 'github.com' || hostname.endsWith('.ghe.com')) return `${protocol}//api.${host}`
  return `${githubUrl}/api/v3`
}

/** An Enterprise Server may keep artifacts itself. */
function artifactHostsOf(githubUrl: string): readonly string[] {
  const { host, hostname } = new URL(githubUrl)
  return hostname === 'github.com' ? DEFAULT_ARTIFACT_HOSTS : [...DEFAULT_ARTIFACT_HOSTS, host]
}

/** An identifier that needs no quoting, so that it is the same in every statement. */
const identifier = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be a name of letters, digits and "_"')

/** Values are never part of a message: an address may hold a password, and a secret may stand in the wrong variable. */
function address(options: { readonly encrypted: boolean }) {
  return z.string().transform((value, context) => {
    const url = URL.parse(value)
    const fail = (message: string) => {
      context.issues.push({ code: 'custom', input: value, message })
      return z.NEVER
    }
    if (url === null || !/^https?:$/.test(url.protocol))
      return fail('must be an address like https://host or http://host:port')
    if (url.username !== '' || url.password !== '')
      return fail('must not contain a user or password; they have their own variables')
    if (url.search !== '' || url.hash !== '') return fail('must not contain "?" or "#"')
    if (options.encrypted && url.protocol === 'http:' && !isLoopback(url.hostname)) {
      return fail('must begin with https://, because tokens are sent there; http:// is allowed only for this machine')
    }
    return url.href.replace(/\/+$/, '')
  })
}

/** A password may stand in it, so that it is never part of a message. */
const databaseUrl = z.string().refine((value) => {
  const url = URL.parse(value)
  return url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && url.pathname.length > 1
}, 'must be an address like postgresql://user:password@host:5432/name; in the user and password, write @ as %40, # as %23 and / as %2F')

const dataDir = z
  .string()
  .default('./data')
  .transform((folder) => resolve(folder))

const clickHouseSchema = z.object({
  CLICKHOUSE_URL: address({ encrypted: false }).optional(),
  CLICKHOUSE_USER: z.string().default('default'),
  CLICKHOUSE_PASSWORD: z.string().default(''),
  CLICKHOUSE_DATABASE: identifier.default('perf_triage'),
  CLICKHOUSE_CLUSTER: identifier.optional(),
  PERF_TRIAGE_DATA_DIR: dataDir,
})

const inboxSchema = z.object({ DATABASE_URL: databaseUrl.optional(), PERF_TRIAGE_DATA_DIR: dataDir })

/** Names with spaces or commas between them. */
const words = z.string().transform((value) => value.split(/[\s,]+/).filter((word) => word !== ''))

const repositoryNames = words.refine(
  (names) => names.every((name) => /^[\w.-]+\/[\w.-]+$/.test(name)),
  'must be a comma-separated list of names like owner/name',
)

const DEFAULT_CI_TABLES = ['checks', 'query_metrics_v2', 'query_metric_runs_v1', 'perf_flamegraph_stacks_v1'].flatMap(
  (table) => [table, `default.${table}`],
)

const ciDatabaseSchema = z.object({
  CIDB_URL: address({ encrypted: false }).optional(),
  CIDB_USER: z.string().default('default'),
  CIDB_PASSWORD: z.string().default(''),
  CIDB_REPOSITORIES: repositoryNames.default([]),
  CIDB_TABLES: words.default([...DEFAULT_CI_TABLES]),
})

const artifactHosts = words.check((context) => {
  for (const pattern of context.value) {
    const problem = hostPatternProblem(pattern)
    if (problem === null) continue
    context.issues.push({ code: 'custom', input: pattern, message: `has an entry that ${problem}` })
  }
})

const networks = words.transform((entries, context) => {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const version = isIP(address)
    const bits = Number(prefix ?? (version === 4 ? 32 : 128))
    if (version === 0 || !/^(?:[^/]+|[^/]+\/\d{1,3})$/.test(entry) || bits > (version === 4 ? 32 : 128)) {
      context.issues.push({
        code: 'custom',
        input: entry,
        message: 'must be a comma-separated list of addresses or ranges like 172.17.0.1 or 10.0.0.0/8',
      })
      return z.NEVER
    }
    list.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6')
  }
  return list
})

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be a number from 0 to 65535')

const serverSchema = clickHouseSchema.extend({
  APP_ID: z
    .string('is missing: use the App ID shown on the GitHub App’s page')
    .regex(/^[1-9]\d{0,14}$/, 'must be the App ID shown on the GitHub App’s page, digits only')
    .transform(Number),
  WEBHOOK_SECRET: z
    .string('is missing: use the GitHub App’s webhook secret; without one, anybody could send events')
    .refine(
      (secret) => secret !== 'development',
      'is the public default of a library: choose a random one, for example with "openssl rand -hex 32"',
    ),
  PORT: port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  TRUSTED_PROXIES: networks.default(() => new BlockList()),
  PUBLIC_URL: address({ encrypted: false }).optional(),
  GITHUB_URL: address({ encrypted: true }).default('https://github.com'),
  GITHUB_API_URL: address({ encrypted: true }).optional(),
  CLIENT_ID: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must be the client ID shown on the GitHub App’s page')
    .optional(),
  CLIENT_SECRET: z
    .string()
    .regex(/^[!-~]{20,200}$/, 'must be a client secret generated on the GitHub App’s page')
    .optional(),
  ...inboxSchema.shape,
  ...ciDatabaseSchema.shape,
  SLACK_WEBHOOK_URL: address({ encrypted: true }).optional(),
  SLACK_REPOSITORIES: repositoryNames.optional(),
  ARTIFACT_HOSTS: artifactHosts.optional(),
  METRICS_PORT: port.optional(),
  WEBHOOK_PORT: port.optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]{16,200}$/, 'must be 16 to 200 characters without spaces, for example from "openssl rand -hex 32"')
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: address({ encrypted: false }).optional(),
  OTEL_SERVICE_NAME: z.string().max(200).default('perf-triage'),
  PERF_TRIAGE_ENABLED: z
    .enum(['true', 'false'], 'must be true or false')
    .default('true')
    .transform((word) => word === 'true'),
  PERF_TRIAGE_ROLE: z.enum(ROLES, `must be one of ${ROLES.join(', ')}`).default('all'),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
})

const setupSchema = z.object({
  ...serverSchema.pick({ GITHUB_URL: true, GITHUB_API_URL: true }).shape,
  PUBLIC_URL: z
    .string('is missing: it is the address where GitHub and people reach the bot; give it with --public-url')
    .pipe(address({ encrypted: true })),
})

type PrivateKey =
  | { readonly pem: string; readonly problem: null; readonly warning: string | null }
  | { readonly pem: null; readonly problem: string }

function readPrivateKey(env: Readonly<Record<string, string>>): PrivateKey {
  const { PRIVATE_KEY: value, PRIVATE_KEY_PATH: path } = env
  if (value !== undefined) return checkPrivateKey('PRIVATE_KEY', value)
  if (path === undefined) {
    return {
      pem: null,
      problem:
        'PRIVATE_KEY is missing: put the GitHub App’s private key there, or its file name in PRIVATE_KEY_PATH; you can generate one on the App’s page',
    }
  }
  try {
    const key = checkPrivateKey('PRIVATE_KEY_PATH', readFileSync(path, 'utf8'))
    const isOpen = (statSync(path).mode & 0o077) !== 0
    const warning = `Others can read the private key in PRIVATE_KEY_PATH and act as the App: chmod 600 ${path}`
    return isOpen && key.problem === null ? { ...key, warning } : key
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return { pem: null, problem: `PRIVATE_KEY_PATH: the file can't be read (${code})` }
  }
}

/** PEM as it is, with its line ends written as `\n`, or the whole in base64: what fits into one line of a file. */
function checkPrivateKey(variable: string, value: string): PrivateKey {
  const text = value.trim().replace(/^(["'])(.*)\1$/s, '$2')
  const pem = text.includes('-----BEGIN') ? text.replaceAll('\\n', '\n') : Buffer.from(text, 'base64').toString('utf8')
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa')
      return { pem: pem.trim() + '\n', problem: null, warning: null }
  } catch {
    // The message of the library could quote the key.
  }
  return {
    pem: null,
    problem: `${variable} does not contain an RSA private key: it must be the GitHub App’s .pem file, as is, with \\n for line breaks, or in base64`,
  }
}

/** `owner/name/.github/workflows/judge.yml@refs/heads/main` */
const WORKFLOW_REF = /^[^/]+\/[^/]+\/([^@]+)@/

const jobSchema = z.object({
  GITHUB_EVENT_NAME: z.string(),
  GITHUB_EVENT_PATH: z.string(),
  GITHUB_REPOSITORY: z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must be OWNER/NAME'),
  GITHUB_WORKFLOW_REF: z
    .string()
    .regex(WORKFLOW_REF, 'must be OWNER/NAME/PATH@REF')
    .transform((ref) => WORKFLOW_REF.exec(ref)![1]!),
  GITHUB_SERVER_URL: address({ encrypted: false }),
  GITHUB_API_URL: address({ encrypted: false }),
  GITHUB_RUN_ID: z.string().regex(/^\d+$/, 'must be a number'),
  INPUT_TOKEN: z.string(),
  RUNNER_TEMP: z.string(),
  ARTIFACT_HOSTS: artifactHosts.optional(),
})
