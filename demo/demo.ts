import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { parse } from 'yaml'
import { readEnvironment } from '../src/config/environment.ts'
import { startBot } from '../src/main.ts'
import type { TriageReport } from '../src/report/report.ts'
import { queryPath } from '../src/report/urls.ts'
import { WEBHOOK_PATH } from '../src/web/server.ts'
import { Ci } from './ci.ts'
import { startLocalGitHub } from './github/local-github.ts'
import type { Permissions, PullRequest } from './github/state.ts'
import { earlierFailures, SCENES, type Scene } from './scenes.ts'
import { layPast } from './trunk.ts'

const HELP = `Usage: npm run demo -- [options]

The whole bot with its embedded database, and a GitHub on this machine: a repository with its past, and five pull
requests of which the bot says something. Nothing leaves the machine and nothing stays.

  --once         end when all have been answered (the default where stdout is no terminal)
  --keep         go on running: answer the bot on the pages, as author, maintainer or stranger
  --json         with --keep: one line of JSON on stdout when all have been answered, with tokens for the API
  --port NUMBER  where GitHub listens (default: a free port)
  --help         this text

The exit code is 0 only if every comment says what it must.

Examples:
  npm run demo
  npm run demo -- --keep --port 4080
  npm run -s demo -- --keep --json
`

/** Who writes on the pages: all pull requests are of the first. */
const PEOPLE = { author: 'alice', maintainer: 'maria', stranger: 'sam' } as const
const SECRET = 'of-the-demo'
const BOT = 'perf-triage[bot]'
/** Tags of measured commits of the trunk, by their numbers from 0. */
const RELEASES = [
  { tag: 'v25.8', point: 4 },
  { tag: 'v26.3', point: 17 },
  { tag: 'v26.8', point: 33 },
]

process.exitCode = await main()

async function main(): Promise<number> {
  const values = readOptions()
  if (typeof values === 'string') {
    console.error(`demo: ${values}; \`npm run demo -- --help\` lists the options`)
    return 2
  }
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const staysHere = (process.stdout.isTTY || values.keep) && !values.once
  const say = values.json ? console.error : console.log
  const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-demo-'))
  const github = await startLocalGitHub({ port: values.port })
  const repo = github.createRepository({ owner: 'acme', name: 'engine' })
  github.setPermission(repo, PEOPLE.maintainer, 'write')
  const past = layPast(github, repo)
  const manifest = parse(readFileSync(new URL('../app.yml', import.meta.url), 'utf8')) as {
    default_permissions: Permissions
    default_events: string[]
  }
  github.install({ account: 'acme', permissions: manifest.default_permissions, events: manifest.default_events })

  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const bot = await startBot(
    readEnvironment({
      APP_ID: String(github.credentials.appId),
      PRIVATE_KEY: github.credentials.privateKey,
      WEBHOOK_SECRET: SECRET,
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      GITHUB_URL: github.url,
      GITHUB_API_URL: `${github.url}/api/v3`,
      ARTIFACT_HOSTS: new URL(github.blobUrl).host,
      PERF_TRIAGE_DATA_DIR: dataDir,
    }),
    { log: pino({ level: process.env['LOG_LEVEL'] ?? 'warn' }, process.stderr), debounceMs: 100, paced: false },
  )
  github.setWebhook({ url: `${bot.url}${WEBHOOK_PATH}`, secret: SECRET })
  say(`GitHub       ${github.url}`)
  say(`perf-triage  ${bot.url}   (embedded ClickHouse, data in ${dataDir})`)
  try {
    await bot.store.trunkHistory.save(repo.id, past.rows)
    say(
      `acme/engine  ${past.measured.length} commits of the main branch were measured, by ${past.rows.length} medians\n`,
    )
    const ci = new Ci(github, repo, say)
    for (const { tag, point } of RELEASES) github.tag(repo, tag, past.measured[point]!)
    await settled()
    const pulls: PullRequest[] = []
    for (const { title, body, head, files, resultsOf } of SCENES) {
      const pull = github.openPullRequest({ repo, head, title, body, author: PEOPLE.author, files })
      pulls.push(pull)
      const results = resultsOf(pull, past)
      if (results.redChecks !== undefined) await bot.store.ciResults.save(repo.id, earlierFailures(pull))
      say(`#${pull.number}  ${title}: opened by ${pull.author.login}`)
      ci.watch(pull, results)
      await settled()
      say(`#${pull.number}  perf-triage: ${saidOf(pull)}\n`)
    }
    let linksAnswered = 0
    const pastCommits = new Set(pulls.flatMap(earlierFailures).map(({ commitSha }) => commitSha))
    const problems = [
      ...(await Promise.all(SCENES.map((scene, index) => problemsOf(scene, pulls[index]!)))).flat(),
      ...(await unanswered()),
      ...(await withoutReleases()),
      ...github.violations.map((violation) => `not as GitHub describes it: ${violation}`),
    ]
    for (const pull of pulls) say(`#${pull.number}  ${pull.title}: ${saidOf(pull)}\n    ${addressOf(pull)}`)
    say(
      `\nThe repository's reports, ledger and history: ${publicUrl}/r/acme/engine\nWhat needs attention: ${publicUrl}/queue\n${linksAnswered} links of the comments and pages answer.`,
    )
    for (const problem of problems) console.error(`demo: ${problem}`)
    if (!staysHere) return problems.length === 0 ? 0 : 1

    for (const login of Object.values(PEOPLE)) github.seat(login)
    const tokens = Object.fromEntries(Object.entries(PEOPLE).map(([who, login]) => [who, github.personalToken(login)]))
    if (values.json) {
      const pullRequests = pulls.map(({ number, title }) => ({ number, title }))
      const api = `${github.url}/api/v3`
      console.log(
        JSON.stringify({ github: github.url, api, bot: publicUrl, repository: 'acme/engine', tokens, pullRequests }),
      )
    }
    say('\nBoth keep running; answer the bot on the pages of the pull requests. Ctrl-C ends it.')
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    return problems.length === 0 ? 0 : 1

    /** What the bot writes causes deliveries again, and those may cause work. */
    async function settled(): Promise<void> {
      for (let round = 0; round < 3; round += 1) {
        await ci.idle()
        await github.idle()
        await bot.worker.idle()
      }
    }

    function addressOf(pull: PullRequest): string {
      return `${github.url}/acme/engine/pull/${pull.number}`
    }

    /** The headline of the comment; where there is none, that of the check. */
    function saidOf({ head, comments }: PullRequest): string {
      const headline = comments.find(({ author }) => author.login === BOT)?.body.split('\n')[1]
      if (headline !== undefined) return headline.replace(/^#+ /, '')
      const check = repo.checkRuns.findLast(
        ({ suite }) => suite.headSha === head.sha && suite.app.slug === 'perf-triage',
      )
      return `no comment; check: ${check?.conclusion}, ${check?.output.title}`
    }

    async function problemsOf({ isCommented, mustSay }: Scene, pull: PullRequest): Promise<string[]> {
      const comments = pull.comments.filter(({ author }) => author.login === BOT)
      const report = (await (
        await fetch(`${publicUrl}/r/acme/engine/pull/${pull.number}?format=json`)
      ).json()) as TriageReport
      const body = comments[0]?.body ?? ''
      const missing = mustSay({ body, report, past }).filter(([, isThere]) => !isThere)
      return [
        ...(comments.length === (isCommented ? 1 : 0) ? [] : [`#${pull.number}: ${comments.length} comments stand`]),
        ...missing.map(([what]) => `#${pull.number}: it is not said: ${what}`),
      ]
    }

    /** The links of the comments, and the pages that are named below, that do not answer. */
    async function unanswered(): Promise<string[]> {
      const markdown = pulls.flatMap(({ comments }) => comments.map(({ body }) => body))
      const linked = markdown.flatMap((body) => [...body.matchAll(/\]\((https?:[^)\s]+)\)/g)].map(([, url]) => url!))
      const pages = [
        ...new Set(linked),
        `${publicUrl}/r/acme/engine`,
        `${publicUrl}/r/acme/engine/ledger`,
        `${publicUrl}/queue`,
      ].filter((url) => !isOfThePast(url))
      const problems: string[] = []
      // one after the other, as a person does
      for (const url of pages) {
        const isHere = url.startsWith(`${publicUrl}/`) || url.startsWith(`${github.url}/`)
        const status = isHere ? (await fetch(url, { headers: { accept: 'text/html' } })).status : 'from elsewhere'
        if (status !== 200) problems.push(`${url} answers ${status}`)
      }
      linksAnswered = pages.length - problems.length
      return problems
    }

    /** The history page of a query of the trunk marks the releases, in both charts. */
    async function withoutReleases(): Promise<string[]> {
      const [row] = past.rows
      const address = `${publicUrl}${queryPath({ owner: 'acme', repo: 'engine' }, row!)}`
      const page = await (await fetch(address, { headers: { accept: 'text/html' } })).text()
      return RELEASES.flatMap(({ tag }) => {
        const marks = page.split(`<title>${tag}</title>`).length - 1
        return marks === 2 ? [] : [`${address} marks ${tag} ${marks} times`]
      })
    }

    /** Commits and pull requests that the CI database and the trunk’s messages name, and that were before what is played. */
    function isOfThePast(url: string): boolean {
      const [, kind, id = ''] = /\/acme\/engine\/(commit|pull)\/(\w+)$/.exec(url) ?? []
      if (!url.startsWith(github.url) || kind === undefined) return false
      return kind === 'pull' ? !repo.pulls.has(Number(id)) : pastCommits.has(id)
    }
  } finally {
    await bot.stop()
    await github.stop()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A text: what is wrong with them. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        once: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        port: { type: 'string', default: '0' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.POSITIVE_INFINITY
    return port > 65_535 ? `--port is a number up to 65535, not "${values.port}"` : { ...values, port }
  } catch (error) {
    return (error as Error).message
  }
}

/** The bot must know its public address before it listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
