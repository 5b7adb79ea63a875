import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { parse } from 'yaml'
import { readEnvironment } from '../src/config/environment.ts'
import { startBot } from '../src/main.ts'
import type { TriageReport } from '../src/report/report.ts'
import { WEBHOOK_PATH } from '../src/web/server.ts'
import { startLocalGitHub } from './github/local-github.ts'
import type { Permissions } from './github/state.ts'
import { zipOf } from './github/zip.ts'

/**
 * `npm run demo`: the whole bot against a GitHub on this machine, with its embedded database, on a recorded run of
 * ClickHouse 25.8 against 26.9. Nothing leaves the machine and nothing stays. With `--once`, or when stdout is no
 * terminal and nothing says `--keep`, it ends by itself; the exit code is 0 only if the comment stands with the expected counts.
 */

const RECORDING = fileURLToPath(new URL('recording/run-25.8-vs-26.9/', import.meta.url))

/** What the definitions in docs/classification.md give for the recording. */
const EXPECTED: TriageReport['counts'] = {
  slower: 7,
  faster: 21,
  unstable: 26,
  tooSmall: 2,
  notSignificant: 11,
  notCompared: 1,
}
const COMPARED = 67
/** Of the faster ones those that are said: eight may be chance, or are faster because the whole run is. */
const FASTER_SAID = 13

const SECRET = 'of-the-demo'
const keepsRunning = (process.stdout.isTTY || process.argv.includes('--keep')) && !process.argv.includes('--once')
const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-demo-'))
const github = await startLocalGitHub()
say(`GitHub stand-in   ${github.url}`)

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
  { log: pino({ level: process.env['LOG_LEVEL'] ?? 'warn' }), debounceMs: 100, paced: false },
)
github.setWebhook({ url: `${bot.url}${WEBHOOK_PATH}`, secret: SECRET })
say(`perf-triage       ${bot.url}   (embedded ClickHouse, data in ${dataDir})`)

let exitCode = 1
try {
  exitCode = await play()
  if (keepsRunning) {
    say('\nBoth keep running; Ctrl-C ends them.')
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  }
} finally {
  await bot.stop()
  await github.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
}
process.exitCode = exitCode

async function play(): Promise<number> {
  const repo = github.createRepository({ owner: 'acme', name: 'engine' })
  const manifest = parse(readFileSync(new URL('../app.yml', import.meta.url), 'utf8')) as {
    default_permissions: Permissions
    default_events: string[]
  }
  github.install({ account: 'acme', permissions: manifest.default_permissions, events: manifest.default_events })
  const pull = github.openPullRequest({ repo, head: 'upgrade', title: 'Upgrade the engine from 25.8 to 26.9' })
  say(`pull request      ${github.url}/acme/engine/pull/${pull.number}`)

  const workflow = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(workflow, {
    artifacts: [{ name: 'performance-results', zip: recordedArtifact(pull.base.sha) }],
  })
  say('The workflow "Performance" has finished with the artifact "performance-results" …')
  await settled()

  const comments = pull.comments.filter(({ author }) => author.login === 'perf-triage[bot]')
  const reportUrl = `${publicUrl}/r/acme/engine/pull/${pull.number}`
  const report = (await (await fetch(`${reportUrl}?format=json`)).json()) as Partial<TriageReport>
  const problems = [
    comments.length === 1 ? null : `${comments.length} comments stand instead of one`,
    sameCounts(report.counts)
      ? null
      : `the counts are ${JSON.stringify(report.counts)}, not ${JSON.stringify(EXPECTED)}`,
    comments[0]?.body.includes(`${EXPECTED.slower} of ${COMPARED} queries slower, ${FASTER_SAID} faster`)
      ? null
      : 'the comment does not say what was measured',
    ...github.violations.map((violation) => `not as GitHub describes it: ${violation}`),
  ].filter((problem) => problem !== null)

  if (comments[0]) say(`\n${comments[0].body}\n`)
  say(
    `To look at:\n  the pull request  ${github.url}/acme/engine/pull/${pull.number}\n  the report        ${reportUrl}`,
  )
  say(`  as data           ${reportUrl}?format=json and ?format=tsv`)
  if (problems.length === 0) {
    say('\nOne comment stands: 7 slower, 21 faster, 26 unstable, 2 too small, 11 not significant, 1 not compared.')
    return 0
  }
  for (const problem of problems) console.error(`demo: ${problem}`)
  return 1
}

/** What the bot writes causes deliveries again, and those may cause work. */
async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await github.idle()
    await bot.worker.idle()
  }
}

/** The recording, with the commit of the old build beside it as ClickHouse's CI writes it: the merge base. */
function recordedArtifact(oldCommit: string): Uint8Array {
  const files = readdirSync(RECORDING).filter((file) => file.endsWith('-raw.tsv'))
  return zipOf({
    ...Object.fromEntries(files.map((file) => [file, readFileSync(join(RECORDING, file))])),
    'left-commit.txt': `${oldCommit}\n`,
  })
}

function sameCounts(counts: TriageReport['counts'] | undefined): boolean {
  return (Object.keys(EXPECTED) as (keyof typeof EXPECTED)[]).every((key) => counts?.[key] === EXPECTED[key])
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

function say(text: string): void {
  console.log(text)
}
