import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { parse } from 'yaml'
import { z } from 'zod'
import { type LocalGitHub, type LocalGitHubOptions, startLocalGitHub } from '../../demo/github/local-github.ts'
import type { CheckRun, Comment, Installation, Permissions, PullRequest, Repository } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { type Bot, type BotOptions, startBot } from '../../src/main.ts'
import { type ClickHouseSettings, openClickHouse } from '../../src/store/client.ts'
import { WEBHOOK_PATH } from '../../src/web/server.ts'
import { MEMORY_FOLDER } from '../memory-folder.ts'
import { migratedDatabase, serverVariablesOf } from '../store/embedded/engine-fixture.ts'

export const WEBHOOK_SECRET = 'a-secret-of-the-test'
export const PUBLIC_URL = 'https://perf.example.org'

const appManifest = parse(readFileSync(new URL('../../app.yml', import.meta.url), 'utf8')) as {
  readonly default_permissions: Permissions
  readonly default_events: readonly string[]
}

export interface BotSetting {
  readonly github: LocalGitHub
  readonly repo: Repository
  /** Replaced by `restart`. */
  bot: Bot
  readonly dataDir: string
  readonly database: ClickHouseSettings
  /** Resolves when all deliveries are answered and everything that is due is done: what waits for a pause is not. */
  settled(): Promise<void>
  /** Stops the bot and starts it again on the same data folder. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface BotSettingOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly private?: boolean
  /** With the App's client ID and secret in the environment. */
  readonly signIn?: boolean
  /** With an engine of its own in its data folder instead of a database in that of the run. */
  readonly embedded?: boolean
  readonly github?: LocalGitHubOptions
  readonly bot?: Partial<BotOptions>
  readonly env?: Readonly<Record<string, string>>
}

/** The whole bot, with a database of its own, installed by app.yml on a repository of a local GitHub. */
export async function makeBotSetting(options: BotSettingOptions = {}): Promise<BotSetting> {
  const github = await startLocalGitHub(options.github ?? {})
  const repo = github.createRepository({
    owner: 'acme',
    name: 'engine',
    private: options.private ?? false,
    ...(options.files === undefined ? {} : { files: { 'README.md': '# engine\n', ...options.files } }),
  })
  const dataDir = mkdtempSync(join(MEMORY_FOLDER, 'perf-triage-bot-'))
  const own = options.embedded === true ? null : await migratedDatabase()
  /** Milliseconds by which the bot's clock is ahead: while hints are collected nothing else happens. */
  let ahead = 0
  const now = options.bot?.now ?? Date.now
  const clock = () => now() + ahead
  const debounceMs = options.bot?.debounceMs ?? 250
  const start = async () => {
    const signIn = options.signIn === true ? signInVariables(github) : {}
    const bot = await startBot(
      readEnvironment({
        ...environmentVariables(github, dataDir),
        ...(own === null ? {} : serverVariablesOf(own)),
        ...signIn,
        ...options.env,
      }),
      {
        log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
        paced: false,
        ...options.bot,
        debounceMs,
        now: clock,
      },
    )
    github.setWebhook({ url: `${bot.url}${WEBHOOK_PATH}`, secret: WEBHOOK_SECRET })
    return bot
  }
  const setting: BotSetting = {
    github,
    repo,
    dataDir,
    database: own ?? { url: null, dataDir },
    bot: await start(),
    async settled() {
      // A test may have moved the bot's clock.
      setting.bot.worker.poke()
      for (;;) {
        await github.idle()
        const { inbox, worker } = setting.bot
        const { received, working } = await inbox.deliveries.counts()
        const answers = await inbox.answers.due(clock())
        const pause = ((await inbox.triages.nextAt()) ?? Number.POSITIVE_INFINITY) - clock()
        if (received + working + (await inbox.triages.counts()).working + answers === 0 && pause > debounceMs) return
        // All hints are in: no more of them are collected.
        if (received + working === 0 && pause > 0 && pause <= debounceMs) {
          ahead += pause
          worker.poke()
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    async restart() {
      await setting.bot.stop()
      setting.bot = await start()
    },
    async close() {
      await setting.bot.stop()
      await github.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  installApp(github)
  await setting.bot.store.ping()
  await setting.settled()
  return setting
}

export function environmentVariables(github: LocalGitHub, dataDir: string): Record<string, string> {
  return {
    APP_ID: String(github.credentials.appId),
    PRIVATE_KEY: github.credentials.privateKey,
    WEBHOOK_SECRET,
    PORT: '0',
    PUBLIC_URL,
    GITHUB_URL: github.url,
    GITHUB_API_URL: `${github.url}/api/v3`,
    ARTIFACT_HOSTS: new URL(github.blobUrl).host,
    PERF_TRIAGE_DATA_DIR: dataDir,
  }
}

export function signInVariables({ credentials }: LocalGitHub): Record<string, string> {
  return { CLIENT_ID: credentials.clientId, CLIENT_SECRET: credentials.clientSecret }
}

/** Installs the App for an account with exactly what app.yml asks for. */
export function installApp(github: LocalGitHub, account = 'acme'): Installation {
  return github.install({
    account,
    permissions: appManifest.default_permissions,
    events: appManifest.default_events,
  })
}

/** The comments of the bot on a pull request. */
export function botComments(pull: PullRequest): Comment[] {
  return pull.comments.filter(({ author }) => author.login === 'perf-triage[bot]')
}

const RECORDED_RUN = fileURLToPath(new URL('../../demo/recording/run-25.8-vs-26.9/', import.meta.url))

/** The recorded run as the artifact that a workflow uploads; `only` picks tests by name. */
export function recordedArtifact(only?: (file: string) => boolean): Uint8Array {
  const files = readdirSync(RECORDED_RUN).filter((file) => file.endsWith('-raw.tsv') && (only?.(file) ?? true))
  return zipOf(Object.fromEntries(files.map((file) => [file, readFileSync(join(RECORDED_RUN, file))])))
}

/** The bot's check runs of one name on a commit, the oldest first. */
export function botChecks({ github }: BotSetting, head: string, name = 'perf-triage'): CheckRun[] {
  return botChecksOf(github, head, name)
}

export function botChecksOf(github: LocalGitHub, head: string, name = 'perf-triage'): CheckRun[] {
  return github.state.repositories
    .flatMap((repo) => repo.checkRuns)
    .filter((run) => run.suite.headSha === head && run.suite.app.slug === 'perf-triage' && run.name === name)
}

/** What the bot wrote to GitHub since the request log was emptied: `POST /repos/…/comments`. */
export function writes({ github }: BotSetting): string[] {
  return github.requests
    .filter(({ method, actor }) => method !== 'GET' && actor.startsWith('installation'))
    .map(({ method, path }) => `${method} ${path}`)
}

/** Rows of a table counted plainly, without FINAL. */
export function countRows({ database }: BotSetting, table: Table): Promise<number> {
  return countRowsIn(database, table)
}

type Table = 'samples' | 'runs' | 'query_results'

export async function countRowsIn(database: ClickHouseSettings, table: Table): Promise<number> {
  const clickhouse = await openClickHouse(database)
  try {
    const row = z.object({ count: z.coerce.number() })
    // a run whose other metrics came later has a row more until the database merges them
    const from = table === 'runs' ? 'runs FINAL' : table
    const [counted] = await clickhouse.read('count', `SELECT count() AS count FROM ${from}`, {}, row)
    return counted!.count
  } finally {
    await clickhouse.close()
  }
}

export { rawRun, SLOWER, STEADY } from '../intake/measurement/raw-run.ts'
