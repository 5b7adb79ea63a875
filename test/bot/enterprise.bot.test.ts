import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENTERPRISE_VERSION } from '../../demo/github/enterprise.ts'
import { type LocalGitHub, startLocalGitHub } from '../../demo/github/local-github.ts'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { WEBHOOK_PATH } from '../../src/web/server.ts'
import { migratedDatabase, serverVariablesOf } from '../store/embedded/engine-fixture.ts'
import { VisitingBrowser } from '../web/access/visiting-browser.ts'
import {
  botChecksOf,
  botComments,
  environmentVariables,
  installApp,
  PUBLIC_URL,
  rawRun,
  SLOWER,
  STEADY,
  signInVariables,
  WEBHOOK_SECRET,
} from './bot-setting.ts'

const CHILD = fileURLToPath(new URL('serve-child.ts', import.meta.url))
const CERTIFICATE = fileURLToPath(new URL('../data/enterprise/certificate.pem', import.meta.url))
const certificate = readFileSync(CERTIFICATE, 'utf8')
const key = readFileSync(new URL('../data/enterprise/key.pem', import.meta.url), 'utf8')

const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-enterprise-'))
let github: LocalGitHub
let child: ChildProcess
let botUrl: string
let pull: PullRequest

/** Node reads its certificates once, at its start: the bot is a process of its own. */
beforeAll(async () => {
  github = await startLocalGitHub({ enterprise: { certificate, key } })
  // The address of the API is derived from that of the server.
  const { GITHUB_API_URL: _, ...variables } = environmentVariables(github, dataDir)
  const database = serverVariablesOf(await migratedDatabase())
  child = fork(CHILD, {
    env: { ...process.env, ...variables, ...database, ...signInVariables(github), NODE_EXTRA_CA_CERTS: CERTIFICATE },
    execArgv: [],
  })
  ;[botUrl] = (await once(child, 'message')) as [string]
  github.setWebhook({ url: botUrl + WEBHOOK_PATH, secret: WEBHOOK_SECRET })
  const repo = github.createRepository({ owner: 'acme', name: 'engine', private: true })
  github.setPermission(repo, 'alice', 'read')
  installApp(github)
  pull = github.openPullRequest({ repo, head: 'work' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
})
afterAll(async () => {
  child.kill('SIGKILL')
  await github.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

test('an artifact on the storage of an Enterprise Server becomes a comment and a check run', async () => {
  await expect
    .poll(() => botChecksOf(github, pull.head.sha).map(({ status }) => status), { timeout: 60_000 })
    .toEqual(['completed'])
  await expect.poll(() => botComments(pull).length).toBe(1)
  expect(github.url).toMatch(/^https:\/\/localhost:/)
  expect(github.blobUrl).toMatch(/^https:\/\/127\.0\.0\.1:/)
  expect(botComments(pull)[0]!.body).toMatch(/^### Query \[?`sum #0`(?:\]\(\S+\))? got slower: /m)
  expect(botComments(pull)[0]!.body).not.toContain('github.com')
  expect(botChecksOf(github, pull.head.sha)[0]!.conclusion).toBe('neutral')
  expect(github.requests.filter(({ host }) => host === 'blob').map(({ status }) => status)).toEqual([200])
})

test('a command is answered', async () => {
  const asked = github.comment(pull, 'alice', '/perf explain sum')
  await expect.poll(() => asked.reactions.map(({ content }) => content)).toEqual(['+1'])
  await expect.poll(() => botComments(pull).length).toBe(2)
})

test('a person signs in on the same host, and sees the page of a private repository', async () => {
  github.atBrowser('alice')
  const browser = new VisitingBrowser((url, init) => fetch(url.replace(PUBLIC_URL, botUrl), init), PUBLIC_URL)
  const page = '/r/acme/engine/pull/1'
  const begun = await browser.get(`/sign-in?return=${encodeURIComponent(page)}`)
  const address = begun.headers.get('location')!
  expect(address).toMatch(new RegExp(`^${github.url}/login/oauth/authorize\\?`))
  const back = new URL(await locationOf(address))
  expect((await browser.get(back.pathname + back.search)).status).toBe(303)
  expect((await browser.get(page)).status).toBe(200)
})

test('no request went past the address of its API, and every webhook was answered in its time', async () => {
  await github.idle()
  const refused = github.requests.filter(({ host, status }) => host === 'page' || (status >= 400 && status !== 404))
  expect(refused).toEqual([])
  expect(github.deliveries.filter(({ statusCode }) => statusCode !== 200)).toEqual([])
  expect(github.deliveries[0]!.requestHeaders['X-GitHub-Enterprise-Version']).toBe(ENTERPRISE_VERSION)
  expect(github.violations).toEqual([])
})

/** Where the browser is sent on; it trusts the certificate as the bot does. */
async function locationOf(url: string): Promise<string> {
  const request = get(url, { ca: certificate })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.headers.location!
}
