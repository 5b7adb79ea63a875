import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startLocalGitHub } from '../../../demo/github/local-github.ts'
import { main } from '../../../src/cli.ts'
import { readEnvironment } from '../../../src/config/environment.ts'
import { openPostgres } from '../../../src/inbox/postgres.ts'
import { Processes } from '../../../src/inbox/processes.ts'
import { startBot } from '../../../src/main.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { environmentVariables, installApp, makeBotSetting } from '../../bot/bot-setting.ts'
import { postgresServer } from '../../inbox/postgres-server.ts'
import { engineOfRun, ownDatabase, serverVariablesOf } from '../../store/embedded/engine-fixture.ts'
import { perfTriage } from './capture.ts'

/** Nobody listens there. */
const NOWHERE = { url: 'http://127.0.0.1:9/api/github/webhooks', secret: 'a-secret-of-the-test' }
const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

function aKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

async function doctor(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  let text = ''
  const output = {
    write(part: string) {
      text += part
    },
  }
  const exitCode = await main(['doctor', '--json', ...args], { stdout: output, stderr: output, env })
  const { ok, findings } = JSON.parse(text) as {
    ok: boolean
    findings: { check: string; status: string; message: string }[]
  }
  return { exitCode, ok, findings, status: Object.fromEntries(findings.map(({ check, status }) => [check, status])) }
}

test('beside a running bot everything is ok, its embedded database included', async () => {
  const setting = await makeBotSetting({ embedded: true })
  try {
    const url = new URL(setting.bot.url).origin
    const { exitCode, status, findings } = await doctor({
      ...environmentVariables(setting.github, setting.dataDir),
      PUBLIC_URL: url,
    })
    expect(status).toMatchObject({
      environment: 'ok',
      github: 'ok',
      permissions: 'ok',
      events: 'ok',
      webhook: 'ok',
      deliveries: 'ok',
      inbox: 'ok',
      configuration: 'ok',
      database: 'ok',
      storage: 'ok',
      disk: 'ok',
      'sign-in': 'ok',
      proxies: 'ok',
    })
    expect(findings.find(({ check }) => check === 'inbox')!.message).toMatch(
      /inbox\.sqlite can be read: \d+ kB on disk, \d+ rows: [a-z_]+ \d+/,
    )
    expect(exitCode).toBe(0)
    const proxy = createServer((incoming, answer) => {
      const headers = { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress }
      const { method } = incoming
      const forwarded = request(`${url}${incoming.url}`, { method, headers }, (response) => {
        answer.writeHead(response.statusCode!, response.headers)
        response.pipe(answer)
      })
      incoming.pipe(forwarded)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const through = await doctor({
      ...environmentVariables(setting.github, setting.dataDir),
      PUBLIC_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    })
    proxy.close()
    expect(through.findings).toContainEqual({
      check: 'proxies',
      status: 'warning',
      message: expect.stringContaining('that is not in TRUSTED_PROXIES'),
    })
    expect(setting.github.violations).toEqual([])
  } finally {
    await setting.close()
  }
})

test('says how fresh the copied history of the trunk is, and what can’t be copied', async () => {
  const { url, user, password } = engineOfRun()
  const access = { CIDB_URL: url, CIDB_USER: user, CIDB_PASSWORD: password, CIDB_REPOSITORIES: 'acme/engine' }
  const cidb = { ...access, CIDB_TABLES: 'nowhere.medians nowhere.raw' }
  const yaml = 'history: { table: nowhere.medians, runsTable: nowhere.raw }\n'
  const setting = await makeBotSetting({ files: { '.github/perf-triage.yml': yaml }, env: cidb })
  try {
    const env = {
      ...environmentVariables(setting.github, setting.dataDir),
      ...serverVariablesOf({ url: null, dataDir: '', database: setting.database.database! }),
      ...cidb,
    }
    const historyOf = async () => (await doctor(env)).findings.find(({ check }) => check === 'history')
    await setting.bot.historySync.round()
    expect(await historyOf()).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(
        /^not copied: client_time of repository \d+ from .*nowhere\.medians: .*nowhere/,
      ) as string,
    })
    const copies = setting.bot.store.historyCopies
    const [state] = await copies.states()
    await copies.remove(state!.repositoryId, state!.copiedFrom)
    for (const { repositoryId, copiedFrom } of await copies.states()) await copies.remove(repositoryId, copiedFrom)
    expect(await historyOf()).toMatchObject({ status: 'ok', message: expect.stringContaining('yet') as string })
    await copies.save({ ...state!, problem: null, checkedAt: Date.now() - 60_000 })
    expect(await historyOf()).toMatchObject({ status: 'ok', message: expect.stringContaining('up to 20') as string })
    await copies.save({ ...state!, problem: null, checkedAt: Date.now() - 2 * 3_600_000 })
    expect(await historyOf()).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('copied last') as string,
    })
  } finally {
    await setting.close()
  }
})

test('a private key that others can read, and a CI database for no repository, are warned of by the bot and by doctor', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-doctor-'))
  folders.push(dataDir)
  try {
    const { PRIVATE_KEY, ...others } = environmentVariables(github, dataDir)
    const file = join(dataDir, 'key.pem')
    writeFileSync(file, PRIVATE_KEY ?? '', { mode: 0o644 })
    const env = { ...others, PRIVATE_KEY_PATH: file, CIDB_URL: 'http://127.0.0.1:1' }
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    await expect(startBot(readEnvironment(env), { log, signal: AbortSignal.abort() })).rejects.toThrow()
    const warning = `Others can read the private key in PRIVATE_KEY_PATH and act as the App: chmod 600 ${file}`
    const said = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
    const noRepositories = expect.stringMatching(/^CIDB_URL is set but CIDB_REPOSITORIES is not, so /) as string
    expect(said).toEqual(expect.arrayContaining([warning, noRepositories]))
    const { findings } = await doctor(env)
    expect(findings).toContainEqual({ check: 'ci-database', status: 'warning', message: noRepositories })
    expect(findings).toContainEqual({ check: 'private-key', status: 'warning', message: warning })
  } finally {
    await github.stop()
  }
})

test('a permission and an event that are missing are named, with what to do; a data folder that is not there is not made', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-doctor-'))
  folders.push(folder)
  const dataDir = join(folder, 'of', 'the bot')
  try {
    github.createRepository({ owner: 'acme', name: 'engine' })
    github.install({ account: 'acme', permissions: { checks: 'read' }, events: ['check_run'] })
    const { exitCode, findings, status } = await doctor(environmentVariables(github, dataDir))
    expect(exitCode).toBe(1)
    expect(status).toMatchObject({ permissions: 'failed', events: 'failed', database: 'ok', disk: 'ok' })
    expect(findings.find(({ check }) => check === 'database')?.message).toContain('created at the first start')
    expect(readdirSync(folder)).toEqual([])
    expect(findings.find(({ check }) => check === 'permissions')?.message).toContain('checks: write')
    expect(findings.find(({ check }) => check === 'events')?.message).toContain('workflow_run')
  } finally {
    await github.stop()
  }
})

test('installations that are suspended, or have not accepted what the App asks for since, are named with what to do', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  const env = { ...environmentVariables(github, tmpdir()), ...serverVariablesOf(ownDatabase()) }
  const installations = async () => (await doctor(env)).findings.find(({ check }) => check === 'installations')
  try {
    installApp(github)
    const older = installApp(github, 'older')
    const away = installApp(github, 'away')
    expect(await installations()).toMatchObject({ status: 'ok' })
    const { checks: _, ...before } = older.permissions
    older.permissions = { ...before, pull_requests: 'read' }
    github.suspend(away, true)
    const page = (id: number) => `${github.url}/settings/installations/${id}`
    expect(await installations()).toEqual({
      check: 'installations',
      status: 'warning',
      message:
        `the bot can’t do all its work there. older has not accepted checks: write, pull_requests: write: its owner can do that at ${page(older.id)}; ` +
        `away is suspended: its owner can unsuspend it at ${page(away.id)}`,
    })
  } finally {
    await github.stop()
  }
})

const NOBODY = 65534
/** What lets root read and write the files of others. */
const DENIED = '-dac_override,-dac_read_search'

test('a data folder of another user is not taken for a new one or a full disk', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  onTestFinished(() => github.stop())
  const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-doctor-'))
  folders.push(dataDir)
  writeFileSync(join(dataDir, 'inbox.sqlite'), '')
  // Root is denied nothing, but for a process of its own that has given that right away.
  const isRoot = process.getuid?.() === 0
  if (isRoot) chownSync(dataDir, NOBODY, NOBODY)
  chmodSync(dataDir, isRoot ? 0o700 : 0)
  const script = `
    import { main } from ${JSON.stringify(new URL('../../../src/cli.ts', import.meta.url).href)}
    await main(['doctor', '--json'])`
  const doctorAlone = [process.execPath, '--input-type=module', '-e', script]
  const [program, ...words] = isRoot ? ['setpriv', '--bounding-set', DENIED, ...doctorAlone] : doctorAlone
  const { stdout } = await promisify(execFile)(program!, words, { env: environmentVariables(github, dataDir) })
  chmodSync(dataDir, 0o700)
  const { findings } = JSON.parse(stdout) as Awaited<ReturnType<typeof doctor>>
  const failures = findings.filter(({ check }) => ['inbox', 'database', 'disk'].includes(check))
  const denied = { status: 'failed', message: expect.stringContaining('not checked') }
  const message = isRoot
    ? expect.stringContaining(`belongs to user ${NOBODY}, but doctor runs as user 0: run it as the bot’s user`)
    : expect.stringContaining('run doctor as the user of the bot')
  expect(failures).toMatchObject([denied, denied, { check: 'disk', status: 'failed', message }])
})

test('the disks of a ClickHouse server; a damaged inbox with what to do about it', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-damaged-'))
  folders.push(dataDir)
  const env = { ...environmentVariables(github, dataDir), ...serverVariablesOf(ownDatabase()) }
  try {
    installApp(github)
    writeFileSync(join(dataDir, 'inbox.sqlite'), 'no inbox '.repeat(1000))
    const { findings } = await doctor(env)
    expect(findings.find(({ check }) => check === 'inbox')).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(/inbox\.sqlite is damaged .*restore a backup .* without people’s decisions$/),
    })
    expect(findings.find(({ check }) => check === 'database-disk')?.message).toMatch(/ of .* free on default/)
    const queue = await perfTriage(['queue'], { env })
    expect(queue).toMatchObject({ code: 2, stderr: expect.stringContaining('restore a backup') })
  } finally {
    await github.stop()
  }
})

test('the sign-in: off, on, not that of the App, with a secret that GitHub does not take, GitHub not there', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  const { clientId, clientSecret } = github.credentials
  const signIn = async (env: Readonly<Record<string, string>>) => {
    const all = { ...environmentVariables(github, tmpdir()), ...serverVariablesOf(ownDatabase()), ...env }
    return (await doctor(all)).findings.find(({ check }) => check === 'sign-in')
  }
  try {
    installApp(github)
    expect(await signIn({})).toMatchObject({ status: 'ok', message: expect.stringMatching(/^off, /) })
    const on = { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
    expect(await signIn(on)).toEqual({
      check: 'sign-in',
      status: 'ok',
      message: expect.stringContaining('https://perf.example.org/sign-in/callback'),
    })
    const other = await signIn({ ...on, CLIENT_ID: 'Iv1.other' })
    expect(other).toMatchObject({ status: 'failed', message: expect.stringContaining(clientId) })
    const secret = 'a-secret-of-another-app'
    const refused = await signIn({ ...on, CLIENT_SECRET: secret })
    expect(refused).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('incorrect_client_credentials'),
    })
    expect(refused?.message).not.toContain(secret)
    github.fault({ method: 'POST', path: /access_token/, kind: 'status', status: 502, times: 1 })
    expect(await signIn(on)).toMatchObject({ status: 'failed', message: expect.stringContaining('GITHUB_URL') })
    expect(github.violations).toEqual([])
  } finally {
    await github.stop()
  }
})

test('deliveries that failed are named with their codes and what to do, and one that is taken after a fix is over', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  let code = 400
  const receiver = createServer((incoming, answer) => {
    incoming.resume().on('end', () => answer.writeHead(code).end())
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const env = { ...environmentVariables(github, tmpdir()), ...serverVariablesOf(ownDatabase()) }
  const deliveries = async (...args: string[]) =>
    (await doctor(env, args)).findings.find(({ check }) => check === 'deliveries')
  try {
    const repo = github.createRepository({ owner: 'acme', name: 'engine' })
    installApp(github)
    github.openPullRequest({ repo, head: 'nobody-listens' })
    await github.idle()
    github.setWebhook({ ...NOWHERE, url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` })
    github.openPullRequest({ repo, head: 'another-secret' })
    await github.idle()
    const sent = github.deliveries.length
    const with400 = github.deliveries.filter(({ statusCode }) => statusCode === 400).length
    expect(with400).toBeGreaterThan(0)
    const refused = await deliveries()
    expect(refused).toMatchObject({ status: 'failed' })
    expect(refused?.message).toContain(`${sent} of the last ${sent} deliveries failed: ${with400} with 400, last at `)
    expect(refused?.message).toContain('WEBHOOK_SECRET is probably not')
    expect(refused?.message).toContain(`${sent - with400} with 0, last at `)
    expect(await deliveries('--redeliver')).toMatchObject({ status: 'failed', message: expect.stringContaining('400') })

    code = 200
    expect(await deliveries('--redeliver')).toEqual({
      check: 'deliveries',
      status: 'ok',
      message: 'pull_request was resent and answered with 200; the bot requests the other failed ones while it runs',
    })
    expect(await deliveries()).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(`^${sent - 1} of the last ${sent} deliveries failed: `),
    })
    const listed = await perfTriage(['doctor', '--deliveries'], { env })
    expect(listed.stdout).toMatch(/^20\S+ 200 pull_request\.opened \(OK\) \S+$/m)
    expect(listed.stdout).toMatch(/^20\S+ 0 pull_request\.opened \(/m)
    expect(github.violations).toEqual([])
  } finally {
    receiver.close()
    await github.stop()
  }
})

test('entries of tests that have expired are named with their repository, until the file is mended', async () => {
  const entry = (until: string) =>
    `tests:\n  - { test: "su*", query: 3, ignore: "new \\e[31mdisks", until: ${until} }\n`
  const path = '.github/perf-triage.yml'
  const setting = await makeBotSetting({ files: { [path]: entry('2026-01-31') } })
  const { github, repo } = setting
  const configuration = async () => {
    const { findings } = await doctor(environmentVariables(github, setting.dataDir))
    return findings.find(({ check }) => check === 'configuration')
  }
  try {
    expect(await configuration()).toMatchObject({ status: 'ok' })
    github.openPullRequest({ repo, head: 'one' })
    await setting.settled()
    expect(await configuration()).toEqual({
      check: 'configuration',
      status: 'warning',
      message:
        'entries of the repository’s file that ignored or accepted queries have expired. acme/engine: su* #3 until 2026-01-31 (new \ufffd[31mdisks): renew these entries under `tests`, or remove them',
    })
    github.commit(repo, { files: { [path]: entry('2999-12-31') } })
    github.openPullRequest({ repo, head: 'two' })
    await setting.settled()
    expect(await configuration()).toMatchObject({ status: 'ok' })
  } finally {
    await setting.close()
  }
})

test('serve refuses an inbox and a database of a newer version, and doctor says so', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-newer-'))
  folders.push(dataDir)
  const env = environmentVariables(github, dataDir)
  const serve = async (changes: Readonly<Record<string, string>> = {}) =>
    await perfTriage(['serve'], { env: { ...env, LOG_LEVEL: 'silent', ...changes } })
  try {
    installApp(github)
    const inbox = new DatabaseSync(join(dataDir, 'inbox.sqlite'))
    inbox.exec('PRAGMA user_version = 99')
    inbox.close()
    expect(await serve()).toMatchObject({ code: 2, stderr: expect.stringMatching(/inbox.*newer.*Start the newer/) })
    expect((await doctor(env)).status).toMatchObject({ inbox: 'failed', database: 'ok' })

    const database = await openClickHouse({ url: null, dataDir })
    await migrate(database)
    await database.insert('migrations', ['repository_id', 'name', 'applied_at'], [[0, '999_x', 0]])
    await database.close()
    rmSync(join(dataDir, 'inbox.sqlite'))
    expect(await serve()).toMatchObject({ code: 2, stderr: expect.stringMatching(/database.*newer.*999_x\. Start/) })
    expect((await doctor(env)).status).toMatchObject({ inbox: 'ok', database: 'failed' })
  } finally {
    await github.stop()
  }
})

test('a PostgreSQL without tables: to start the bot once, and then all is well', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  const postgres = await postgresServer()
  const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-shared-'))
  folders.push(dataDir)
  const env = {
    ...environmentVariables(github, dataDir),
    DATABASE_URL: postgres.url,
    CLICKHOUSE_URL: 'http://127.0.0.1:9',
  }
  const inbox = async () => (await doctor(env)).findings.filter(({ check }) => check === 'inbox')
  try {
    installApp(github)
    const message = 'the database of DATABASE_URL has no tables yet: start the bot once to create them'
    expect(await inbox()).toEqual([{ check: 'inbox', status: 'warning', message }])
    const database = await openPostgres(postgres.url)
    const size = /^the database of DATABASE_URL can be written: \d+ kB on disk, about \d+ rows?/
    expect(await inbox()).toMatchObject([{ status: 'ok', message: expect.stringMatching(size) }])
    const workers = async () => (await doctor(env)).findings.find(({ check }) => check === 'workers')
    expect(await workers()).toMatchObject({ status: 'warning', message: expect.stringContaining('--role worker') })
    const processes = new Processes(database, 'one', true)
    await processes.enter(Date.now())
    expect(await workers()).toMatchObject({ status: 'ok', message: '1 process is working on the inbox' })
    await processes.enter(Date.now() - 60_000)
    expect(await workers()).toMatchObject({ status: 'warning' })
    await database.close()
  } finally {
    await github.stop()
    await postgres.remove()
  }
})

test('a wrong key, a database that is down, a missing variable', async () => {
  const github = await startLocalGitHub({ webhook: NOWHERE })
  try {
    installApp(github)
    const env = {
      ...environmentVariables(github, tmpdir()),
      PRIVATE_KEY: aKey(),
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
    }
    const { exitCode, status } = await doctor(env)
    expect(exitCode).toBe(1)
    expect(status).toMatchObject({ environment: 'ok', github: 'failed', database: 'failed' })

    const nothing = await doctor({})
    expect(nothing.exitCode).toBe(1)
    expect(nothing.findings.map(({ message }) => message.split(' ')[0])).toEqual([
      'APP_ID',
      'WEBHOOK_SECRET',
      'PRIVATE_KEY',
      'The',
    ])
    expect(nothing.findings.at(-1)!.message).toContain('set -a; . ./perf-triage.env')
  } finally {
    await github.stop()
  }
})
