import { existsSync } from 'node:fs'
import { access, constants, mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pino } from 'pino'
import { readAppManifest } from '../../config/app-manifest.ts'
import {
  type Environment,
  EnvironmentError,
  type InboxEnvironment,
  readEnvironment,
  SWITCHED_OFF,
} from '../../config/environment.ts'
import { type RepositoryConfig, testEntries } from '../../config/repository-config.ts'
import {
  type AppSettings,
  getAppSettings,
  getWebhookUrl,
  isTaken,
  lastDeliveries,
  type SentDelivery,
  sendAgain,
} from '../../github/app-settings.ts'
import { createGitHubApp } from '../../github/github-app.ts'
import { createOAuth, SignInFailed, type SignInProblem } from '../../github/oauth.ts'
import type { Octokit } from '../../github/octokit.ts'
import { Configs } from '../../inbox/configs.ts'
import { type DatabaseSize, InboxUnusable } from '../../inbox/database.ts'
import { INBOX_FILE } from '../../inbox/inbox.ts'
import { Processes } from '../../inbox/processes.ts'
import { openSqliteToRead } from '../../inbox/sqlite.ts'
import { entryPhrase } from '../../report/render/sections/ignored.ts'
import { SIGN_IN_CALLBACK_PATH } from '../../report/urls.ts'
import { EXPIRED_WORDS } from '../../report/words.ts'
import { type ClickHouse, openClickHouse } from '../../store/client.ts'
import { type CopyState, historyCopies } from '../../store/history/history-copies.ts'
import { brokenParts, requireNotNewer } from '../../store/migrate.ts'
import { databaseDisks, tableSizes } from '../../store/table-sizes.ts'
import { count, counted, list } from '../../text/numbers.ts'
import { toText } from '../../text/phrase.ts'
import { isoTime } from '../../text/time.ts'
import { HEALTH_PATH, PROXIES_HEADER, WEBHOOK_PATH } from '../../web/server.ts'
import { type CommandIO, EXIT_CONDITION, EXIT_OK, printJson } from './command.ts'
import { byteCount } from './progress.ts'
import { plainText } from './terminal-text.ts'

interface DoctorOptions {
  readonly json?: boolean
  readonly deliveries?: boolean
  readonly redeliver?: boolean
}

/** A check of the doctor. `warning`: the bot works, but not as somebody would expect. */
export interface Finding {
  readonly check:
    | 'environment'
    | 'private-key'
    | 'github'
    | 'sign-in'
    | 'permissions'
    | 'installations'
    | 'events'
    | 'webhook'
    | 'deliveries'
    | 'proxies'
    | 'inbox'
    | 'workers'
    | 'configuration'
    | 'database'
    | 'ci-database'
    | 'history'
    | 'storage'
    | 'disk'
    | 'database-disk'
  readonly status: 'ok' | 'warning' | 'failed'
  /** The finding, and where it is not ok what to do. */
  readonly message: string
}

/** `perf-triage doctor`: everything the bot depends on, each looked at for real. Exit code 1 when something failed. */
export async function run(options: DoctorOptions, io: CommandIO): Promise<number> {
  const deliveries: SentDelivery[] = []
  const findings = await examine(io.env, options.redeliver === true, deliveries)
  const isWell = findings.every(({ status }) => status !== 'failed')
  if (options.json) {
    printJson({ ok: isWell, findings, deliveries }, io)
  } else {
    for (const { check, status, message } of findings) {
      io.stdout.write(`${status.padEnd(7)}  ${check.padEnd(13)}  ${message}\n`)
    }
    if (options.deliveries) io.stdout.write(deliveries.map((one) => `${deliveryLine(one)}\n`).join(''))
  }
  return isWell ? EXIT_OK : EXIT_CONDITION
}

function deliveryLine({ deliveredAt, statusCode, event, action, status, guid }: SentDelivery): string {
  const what = action === null ? event : `${event}.${action}`
  return plainText(`${deliveredAt} ${statusCode} ${what} (${status}) ${guid}`)
}

/** The deliveries are added to `deliveries`. */
async function examine(env: CommandIO['env'], redeliver: boolean, deliveries: SentDelivery[]): Promise<Finding[]> {
  let environment: Environment
  try {
    environment = readEnvironment(env)
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error
    return error.problems.map((message) => failed('environment', message))
  }
  const denied = await whyDenied(environment.dataDir)
  const { inbox, clickHouse, ciDatabaseWarning } = environment
  return [
    environment.isOn ? ok('environment', 'all variables are valid') : warning('environment', SWITCHED_OFF),
    examinePrivateKey(environment),
    ...(await examineGitHub(environment, redeliver, deliveries)),
    await examineProxies(environment),
    ...(denied !== null && inbox.databaseUrl === null ? [failed('inbox', DENIED)] : await examineInbox(inbox)),
    ...(denied !== null && clickHouse.url === null ? [failed('database', DENIED)] : await examineDatabase(environment)),
    ...(ciDatabaseWarning === null ? [] : [warning('ci-database', ciDatabaseWarning)]),
    denied === null ? await examineDisk(environment.dataDir) : failed('disk', denied),
  ]
}

function examinePrivateKey({ privateKeyWarning }: Environment): Finding {
  return privateKeyWarning === null
    ? ok('private-key', 'no other user can read it from a file')
    : warning('private-key', privateKeyWarning)
}

async function examineGitHub(
  environment: Environment,
  redeliver: boolean,
  deliveries: SentDelivery[],
): Promise<Finding[]> {
  const github = createGitHubApp({
    appId: environment.appId,
    privateKey: environment.privateKey,
    webhookSecret: environment.webhookSecret,
    apiUrl: environment.githubApiUrl,
    log: pino({ level: 'silent' }),
  })
  let octokit: Octokit
  let settings: AppSettings
  try {
    octokit = await github.asApp()
    settings = await getAppSettings(octokit)
  } catch (error) {
    const { status } = error as { status?: number }
    const what = status === 401 || status === 404 ? 'does not know the App' : 'can’t be reached'
    const reason = oneLine(error)
    const advice = /certificate/i.test(reason)
      ? 'Name a file with the certificate authority of the server’s certificate in NODE_EXTRA_CA_CERTS, for this command and for the bot'
      : 'Check APP_ID, PRIVATE_KEY, GITHUB_API_URL and the network'
    return [failed('github', `${environment.githubApiUrl} ${what}: ${reason}. ${advice}`)]
  }
  return [
    settings.installations.length > 0
      ? ok('github', `the App is "${settings.slug}", installations: ${settings.installations.length}`)
      : warning('github', `the App "${settings.slug}" is installed nowhere: install it on a repository`),
    examinePermissions(settings),
    examineInstallations(settings),
    examineEvents(settings),
    await examineWebhook(octokit, environment),
    await examineDeliveries(octokit, redeliver, deliveries),
    await examineSignIn(settings, environment),
  ]
}

const SIGN_IN_ADVICE: Readonly<Record<SignInProblem, string>> = {
  expired: 'try again',
  'not-set-up': 'generate a client secret on the App’s page and put it in CLIENT_SECRET',
  unavailable: 'check GITHUB_URL and the network',
}

async function examineSignIn(
  { clientId }: AppSettings,
  { signIn, publicUrl, githubUrl, githubApiUrl }: Environment,
): Promise<Finding> {
  if (signIn === null) {
    return ok(
      'sign-in',
      'off, so nobody can see pages of private repositories: CLIENT_ID and CLIENT_SECRET are not set',
    )
  }
  if (clientId !== null && clientId !== signIn.clientId) {
    return failed('sign-in', `CLIENT_ID is not the App’s client ID, which is ${clientId}`)
  }
  const callbackUrl = `${publicUrl ?? ''}${SIGN_IN_CALLBACK_PATH}`
  try {
    await createOAuth({ ...signIn, githubUrl, githubApiUrl, callbackUrl }).checkClient()
    return ok('sign-in', `on; make sure that the App’s page lists the callback URL ${callbackUrl}`)
  } catch (error) {
    const advice = error instanceof SignInFailed ? SIGN_IN_ADVICE[error.problem] : 'try again'
    return failed('sign-in', `${oneLine(error)}: ${advice}`)
  }
}

type Permissions = Readonly<Record<string, string>>

/** Permissions that are asked for and not there: `checks: write`. */
function lacking(asked: Permissions, permissions: Permissions): string[] {
  return Object.entries(asked)
    .filter(
      ([name, level]) => permissions[name] !== 'write' && permissions[name] !== level && permissions[name] !== 'admin',
    )
    .map(([name, level]) => `${name}: ${level}`)
}

/** The App may have been registered from an older app.yml. */
function examinePermissions({ permissions }: AppSettings): Finding {
  const missing = lacking(readAppManifest().default_permissions, permissions)
  if (missing.length === 0) return ok('permissions', 'the App has all permissions of app.yml')
  return failed(
    'permissions',
    `the App lacks ${missing.join(', ')}: grant them on its page; each owner must then accept them`,
  )
}

/** Problems of more installations are counted: the line stays within a screen. */
const NAMED_INSTALLATIONS = 5

/** A permission that the App itself lacks is said of it alone. */
function examineInstallations({ permissions, installations }: AppSettings): Finding {
  const asked = Object.fromEntries(
    Object.entries(readAppManifest().default_permissions).filter(
      ([name, level]) => lacking({ [name]: level }, permissions).length === 0,
    ),
  )
  const problems = installations.flatMap(({ account, url, isSuspended, permissions: accepted }) => {
    if (isSuspended) return [`${account} is suspended: its owner can unsuspend it at ${url}`]
    const missing = lacking(asked, accepted)
    return missing.length === 0
      ? []
      : [`${account} has not accepted ${missing.join(', ')}: its owner can do that at ${url}`]
  })
  if (problems.length === 0)
    return ok('installations', 'none are suspended, and all have accepted the App’s permissions')
  const more = problems.length - NAMED_INSTALLATIONS
  const named = [...problems.slice(0, NAMED_INSTALLATIONS), ...(more > 0 ? [`${more} more`] : [])]
  return warning('installations', `the bot can’t do all its work there. ${plainText(named.join('; '))}`)
}

function examineEvents({ events }: AppSettings): Finding {
  const missing = readAppManifest().default_events.filter((event) => !events.includes(event))
  if (missing.length === 0) return ok('events', 'the App is subscribed to all events of app.yml')
  return failed('events', `the App is not subscribed to ${missing.join(', ')}: select them on its page`)
}

async function examineWebhook(octokit: Octokit, { publicUrl }: Environment): Promise<Finding> {
  try {
    const url = await getWebhookUrl(octokit)
    if (url === null) return failed('webhook', 'the App has no webhook address: set one on its page')
    if (publicUrl === null) {
      return warning('webhook', `deliveries go to ${url}; PUBLIC_URL is not set, so comments don’t link to pages`)
    }
    const expected = `${publicUrl}${WEBHOOK_PATH}`
    if (url === expected || url === `${expected}/`) return ok('webhook', `deliveries go to ${url}`)
    return warning('webhook', `deliveries go to ${url}, but PUBLIC_URL says ${expected}: correct only behind a relay`)
  } catch (error) {
    return failed('webhook', `the webhook's address can't be read: ${oneLine(error)}`)
  }
}

/** The advice for a status code with which deliveries end; the first that fits stands. */
const DELIVERY_ADVICE: readonly (readonly [is: (statusCode: number) => boolean, advice: string])[] = [
  [(code) => code === 0, 'no answer in time: is the bot running, and can GitHub reach its address?'],
  [(code) => code === 400 || code === 401, 'WEBHOOK_SECRET is probably not the secret on the App’s page'],
  [(code) => code === 403, 'a proxy or firewall in front of the bot refuses GitHub'],
  [(code) => code === 404 || code === 405, `the webhook address must end with ${WEBHOOK_PATH}`],
  [(code) => code === 413, 'a proxy in front of the bot refuses large bodies: allow 25 MB'],
  [(code) => code === 500 || code === 503, 'the bot could not store it: its log says why'],
  [(code) => code >= 502 && code <= 504, 'a proxy answers, but the bot behind it does not: is it running?'],
  [() => true, 'the log of the bot, or of a proxy in front of it, says why'],
]

async function examineDeliveries(octokit: Octokit, redeliver: boolean, deliveries: SentDelivery[]): Promise<Finding> {
  try {
    deliveries.push(...(await lastDeliveries(octokit)))
    const newest = deliveries.find((delivery) => !isTaken(delivery))
    if (redeliver && newest !== undefined) {
      const again = await sendAgain(octokit, newest)
      if (again === null) {
        return failed('deliveries', `GitHub was asked to resend ${newest.guid} but did not: try again in a minute`)
      }
      deliveries.splice(deliveries.indexOf(newest), 1, again)
      const words = `${again.event} was resent and answered with ${again.statusCode}`
      if (!isTaken(again)) return failed('deliveries', `${words}: ${adviceFor(again.statusCode)}`)
      return ok('deliveries', `${words}; the bot requests the other failed ones while it runs`)
    }
    if (deliveries.length === 0) {
      return warning('deliveries', 'GitHub has delivered nothing yet: push to a pull request, then run doctor again')
    }
    const lost = deliveries.filter((delivery) => !isTaken(delivery))
    const message = `${lost.length} of the last ${deliveries.length} deliveries failed`
    if (lost.length === 0) return ok('deliveries', message)
    const codes = [...new Set(lost.map(({ statusCode }) => statusCode))].map((code) => {
      const times = lost.filter(({ statusCode }) => statusCode === code)
      return `${times.length} with ${code}, last at ${times[0]!.deliveredAt} (${adviceFor(code)})`
    })
    // The bot has taken a newer delivery since: why the older ones failed is gone.
    const isOver = isTaken(deliveries[0]!)
    return (isOver ? warning : failed)('deliveries', `${message}: ${codes.join('; ')}. After a fix: doctor --redeliver`)
  } catch (error) {
    return failed('deliveries', `deliveries can't be listed: ${oneLine(error)}`)
  }
}

function adviceFor(statusCode: number): string {
  return DELIVERY_ADVICE.find(([is]) => is(statusCode))![1]
}

/** Milliseconds. */
const LONGEST_ANSWER = 5_000

/** Asks the bot itself, the way that everybody comes to it. */
async function examineProxies({ publicUrl }: Environment): Promise<Finding> {
  if (publicUrl === null) return ok('proxies', 'not checked: PUBLIC_URL is not set')
  const url = `${publicUrl}${HEALTH_PATH}`
  let answer: string | null
  try {
    const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(LONGEST_ANSWER) })
    answer = response.headers.get(PROXIES_HEADER)
  } catch (error) {
    const message = `not checked: ${url} does not answer (${oneLine(error)}). Is the bot running?`
    return warning('proxies', message)
  }
  if (answer === 'named') return ok('proxies', `every proxy between ${publicUrl} and the bot is in TRUSTED_PROXIES`)
  if (answer === null) return warning('proxies', `not checked: something other than the bot answers at ${url}`)
  return warning(
    'proxies',
    `requests to ${publicUrl} come through a proxy that is not in TRUSTED_PROXIES, so all clients share the request memory meant for one: add the proxy’s address, which is in the log`,
  )
}

async function examineInbox({ databaseUrl, dataDir }: InboxEnvironment): Promise<Finding[]> {
  if (databaseUrl !== null) return await examineSharedInbox(databaseUrl)
  const file = join(dataDir, INBOX_FILE)
  if (!existsSync(file)) return [ok('inbox', `${file} will be created at the first start`)]
  try {
    const { database, isOlder } = openSqliteToRead(file)
    try {
      const found = ok('inbox', `${file} can be read: ${sizeOf(await database.size())}`)
      return isOlder ? [found] : [found, await examineConfigurations(new Configs(database))]
    } finally {
      await database.close()
    }
  } catch (error) {
    // The message ends with what to do.
    return [failed('inbox', error instanceof InboxUnusable ? error.message : oneLine(error))]
  }
}

async function examineSharedInbox(url: string): Promise<Finding[]> {
  const { NO_TABLES, PostgresDatabase } = await import('../../inbox/postgres.ts')
  const database = new PostgresDatabase(url)
  try {
    if (!(await database.hasTables())) {
      return [warning('inbox', NO_TABLES)]
    }
    await database.ping()
    return [
      ok('inbox', `the database of DATABASE_URL can be written: ${sizeOf(await database.size(), 'about ')}`),
      examineWorkers(await new Processes(database, '', true).living(Date.now())),
      await examineConfigurations(new Configs(database)),
    ]
  } catch (error) {
    return [failed('inbox', oneLine(error))]
  } finally {
    await database.close()
  }
}

function sizeOf({ bytes, tables }: DatabaseSize, about = ''): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const most = tables.filter((table) => table.rows > 0).toSorted((a, b) => b.rows - a.rows)
  const named = most.slice(0, NAMED_TABLES).map((table) => `${table.table} ${count(table.rows)}`)
  const of = named.length === 0 ? '' : `: ${list(named)}`
  return `${byteCount(bytes)} on disk, ${about}${counted(rows, 'row', 'rows')}${of}`
}

function examineWorkers(living: number): Finding {
  if (living > 0) return ok('workers', `${counted(living, 'process is', 'processes are')} working on the inbox`)
  return warning(
    'workers',
    'no process is working on the inbox, so everything waits: start one with serve --role worker, or all',
  )
}

/** Expired entries that are named. */
const NAMED_EXPIRED = 5

/** The configuration files as the bot has read them last: entries of `tests` whose last day is over. */
async function examineConfigurations(configs: Configs): Promise<Finding> {
  const all = await configs.all()
  const expired = all.flatMap(({ owner, repo, config }) =>
    testEntries(config, Date.now()).expired.map((entry) => `${owner}/${repo}: ${toText(entryPhrase(entry))}`),
  )
  const silent = quiet(all)
  if (expired.length === 0) {
    return ok('configuration', ['no entry under `tests` in a repository’s file has expired', ...silent].join('; '))
  }
  const more = expired.length - NAMED_EXPIRED
  const named = [...expired.slice(0, NAMED_EXPIRED), ...(more > 0 ? [`${more} more`] : [])]
  const words = `${EXPIRED_WORDS.term}. ${list(named)}: renew these entries under \`tests\`, or remove them`
  return warning('configuration', [words, ...silent].join('; '))
}

/** Repositories in which the bot says nothing by their own files. */
function quiet(configs: Awaited<ReturnType<Configs['all']>>): string[] {
  const named = (isMeant: (config: RepositoryConfig) => boolean) =>
    configs.flatMap(({ owner, repo, config }) => (isMeant(config) ? [`${owner}/${repo}`] : []))
  const off = named(({ enabled }) => !enabled)
  const shadow = named(({ enabled, mode }) => enabled && mode === 'shadow')
  return [
    ...(off.length === 0 ? [] : [`switched off: ${list(off)}`]),
    ...(shadow.length === 0 ? [] : [`in shadow: ${list(shadow)}`]),
  ]
}

async function examineDatabase(environment: Environment): Promise<Finding[]> {
  const { clickHouse, ciDatabase } = environment
  if (clickHouse.url === null && !existsSync(clickHouse.dataDir)) return [await examineEngine(clickHouse)]
  try {
    const database = await openClickHouse(clickHouse)
    try {
      await database.withoutDatabase().ping()
      const isMigrated = await requireNotNewer(database)
      const broken = isMigrated ? await brokenParts(database) : []
      const answers: Finding =
        broken.length === 0
          ? ok('database', `${database.where} answers`)
          : warning(
              'database',
              `${database.where} could not read ${list(broken)}, so rows are missing. Restore the folder from a backup, or import and measure again; then remove the broken part`,
            )
      const sizes = isMigrated ? [examineStorage(await tableSizes(database))] : []
      // That of an embedded one is the disk of the data folder.
      if (clickHouse.url !== null) sizes.push(await examineDatabaseDisks(database))
      if (ciDatabase === null || ciDatabase.repositories.length === 0) return [answers, ...sizes]
      const states = isMigrated ? await historyCopies(database).states() : []
      return [answers, ...sizes, examineHistory(states, Date.now())]
    } finally {
      await database.close()
    }
  } catch (error) {
    return [failed('database', oneLine(error))]
  }
}

/** A data folder that is not there yet is not made: one of another user than the bot's would keep the bot out. */
async function examineEngine(clickHouse: Environment['clickHouse']): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-doctor-'))
  try {
    const database = await openClickHouse({ ...clickHouse, dataDir: folder })
    await database.close()
    return ok(
      'database',
      `the embedded database starts; its folder in ${clickHouse.dataDir} will be created at the first start`,
    )
  } catch (error) {
    return failed('database', oneLine(error))
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The largest tables say where the space went; the rest is in the total. */
const NAMED_TABLES = 3

/** What is stored, and what of it leaves by itself. */
function examineStorage(sizes: Awaited<ReturnType<typeof tableSizes>>): Finding {
  const bytes = sizes.reduce((sum, table) => sum + table.bytes, 0)
  const rows = sizes.reduce((sum, table) => sum + table.rows, 0)
  const largest = sizes.slice(0, NAMED_TABLES).map((table) => `${table.table} ${byteCount(table.bytes)}`)
  const of = largest.length === 0 ? '' : `: ${list(largest)}`
  const leaves = sizes.flatMap((table) => (table.leaves > 0 ? [table.leaves] : [])).sort((a, b) => a - b)[0]
  const first = leaves === undefined ? '' : `, the first on ${isoTime(leaves * 1000).slice(0, 10)}`
  return ok(
    'storage',
    `${byteCount(bytes)} on disk, ${counted(rows, 'row', 'rows')}${of}. samples and stacks are deleted after retention.sampleDays (90)${first}; the rest is kept`,
  )
}

/** Copies are brought up to date every few minutes while the bot runs. */
const STALE_HISTORY_MS = 3_600_000

/** How fresh the history of the trunk is that is copied out of the CI database, and what can't be copied. */
function examineHistory(states: readonly CopyState[], now: number): Finding {
  if (states.length === 0) return ok('history', 'nothing has been copied from the CI database yet: `serve` does that')
  const named = (some: readonly CopyState[], words: (state: CopyState) => string) =>
    list(some.slice(0, 3).map((state) => `${state.metric} of repository ${state.repositoryId} ${words(state)}`))
  const failing = states.filter(({ problem }) => problem !== null)
  if (failing.length > 0) {
    const message = oneLine(named(failing, ({ copiedFrom, problem }) => `from ${copiedFrom}: ${problem?.message}`))
    return warning('history', `not copied: ${message}`)
  }
  const stale = states.filter(({ checkedAt }) => now - checkedAt > STALE_HISTORY_MS)
  const time = ({ checkedAt }: CopyState) => (checkedAt === 0 ? 'not yet' : `at ${new Date(checkedAt).toISOString()}`)
  if (stale.length > 0) {
    const message = `copied last: ${named(stale, time)}. Copying continues while the bot runs (\`serve\`)`
    return warning('history', message)
  }
  const oldest = Math.min(...states.map(({ checkedAt }) => checkedAt))
  return ok(
    'history',
    `${states.length} metrics are copied from the CI database, up to ${new Date(oldest).toISOString()}`,
  )
}

const DENIED = 'not checked: this user can’t use the data folder, see `disk`'

/** Why this user can't use the data folder, with what to do; null: it can, or the folder is not there yet. */
async function whyDenied(dataDir: string): Promise<string | null> {
  const { R_OK, W_OK, X_OK } = constants
  const wanted = [
    [dataDir, R_OK | W_OK | X_OK],
    [join(dataDir, INBOX_FILE), R_OK | W_OK],
  ] as const
  for (const [path, mode] of wanted) {
    const isDenied = await access(path, mode).then(
      () => false,
      ({ code }: NodeJS.ErrnoException) => code === 'EACCES',
    )
    if (!isDenied) continue
    const self = process.getuid?.()
    const owner = await stat(path).then(
      ({ uid }) => uid,
      () => self,
    )
    return owner === self
      ? `${path} can’t be read and written by user ${self}: run doctor as the bot’s user, or give this user permission`
      : `${path} belongs to user ${owner}, but doctor runs as user ${self}: run it as the bot’s user, with sudo -u '#${owner}'`
  }
  return null
}

/** A day of deliveries and the samples of a busy repository fit into a few hundred megabytes. */
const LITTLE_SPACE_GB = 1

async function examineDisk(dataDir: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(nearestFolder(dataDir))
    const free = (bavail * bsize) / 1e9
    const message = `${free.toFixed(1)} GB free in ${dataDir}`
    if (free >= LITTLE_SPACE_GB) return ok('disk', message)
    return warning('disk', `${message}: free some space, because nothing is stored on a full disk`)
  } catch (error) {
    return failed('disk', `PERF_TRIAGE_DATA_DIR: ${oneLine(error)}`)
  }
}

/** The folder itself, or the one above it in which it will be made. */
function nearestFolder(path: string): string {
  const folder = resolve(path)
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

/** As docs/metrics/alerts.yaml has it: a merge needs room for what it writes. */
const LITTLE_SHARE = 0.05

async function examineDatabaseDisks(database: ClickHouse): Promise<Finding> {
  try {
    const disks = await databaseDisks(database)
    const message = disks
      .map(({ disk, freeBytes, sizeBytes }) => `${byteCount(freeBytes)} of ${byteCount(sizeBytes)} free on ${disk}`)
      .join('; ')
    if (disks.every(({ freeBytes, sizeBytes }) => freeBytes >= LITTLE_SHARE * sizeBytes))
      return ok('database-disk', message === '' ? 'the server names no local disk' : message)
    return warning('database-disk', `${message}: free some space, because nothing is stored on a full disk`)
  } catch (error) {
    return warning('database-disk', `not checked: ${oneLine(error)}. The user needs SELECT on system.disks`)
  }
}

const finding = (status: Finding['status']) => (check: Finding['check'], message: string) => ({
  check,
  status,
  message,
})

const ok = finding('ok')
const warning = finding('warning')
const failed = finding('failed')

/** A proxy in between may answer with a whole page. */
const LONGEST_REASON = 300

function oneLine(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim()
  return text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}…` : text
}
