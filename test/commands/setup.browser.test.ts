import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../demo/github/local-github.ts'
import { main } from '../../src/cli.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { ownDatabase, serverVariablesOf } from '../embedded/engine-fixture.ts'
import { launchBrowser } from '../web/browser.ts'
import { perfTriage } from './capture.ts'

// As somebody does it: the terminal, the browser, GitHub's page, back again.

const PUBLIC_URL = 'https://perf.example.org'
let folder: string
let github: LocalGitHub
let browser: Browser
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perf-triage-setup-'))
  github = await startLocalGitHub()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await github.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The command as it runs, with what it has printed so far. */
function setup(args: readonly string[], env: Readonly<Record<string, string>>) {
  let printed = ''
  const output = {
    write(text: string) {
      printed += text
    },
  }
  const code = main(['setup', ...args], { stdout: output, stderr: output, env })
  const address = async () => {
    await expect.poll(() => printed).toMatch(/Open http/)
    return /Open (\S+)/.exec(printed)![1]!
  }
  return { code, address, printed: () => printed }
}

function variables(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  return Object.fromEntries(
    lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/=(.*)/s).slice(0, 2)),
  )
}

test('registers the App in the browser and writes what serve and doctor take', async () => {
  const file = join(folder, 'perf-triage.env')
  writeFileSync(file, '# ours\nLOG_LEVEL=warn\n', { mode: 0o644 })
  const { code, address, printed } = setup(['--env-file', file, '--public-url', PUBLIC_URL, '--organization', 'acme'], {
    GITHUB_URL: github.url,
  })
  const page = await browser.newPage()
  await page.goto(await address())
  await page.getByRole('button', { name: 'Go to GitHub' }).click()
  expect(page.url()).toContain(`${github.url}/organizations/acme/settings/apps/new?state=`)

  // GitHub has made the App and does not answer: the same page, loaded again, goes on.
  github.fault({ method: 'POST', path: /conversions/, kind: 'status', status: 502, times: 1 })
  await page.getByRole('button', { name: 'Create GitHub App' }).click()
  expect(await page.textContent('body')).toContain('Load this page again')
  await page.reload()
  expect(await page.textContent('h1')).toBe('perf-triage is registered')
  const install = await page.getByRole('link', { name: 'install the App' }).getAttribute('href')
  expect(install).toBe(`${github.url}/apps/perf-triage/installations/new`)

  expect(await code).toBe(0)
  expect(printed()).toContain(`2. install the App on a repository: ${install}`)
  expect(printed()).not.toMatch(/PRIVATE KEY|WEBHOOK_SECRET=/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const written = variables(file)
  expect(readFileSync(file, 'utf8')).toMatch(/^# ours\nLOG_LEVEL=warn\nAPP_ID=/)
  const environment = readEnvironment(written)
  expect(environment).toMatchObject({ appId: github.credentials.appId, publicUrl: PUBLIC_URL, githubUrl: github.url })

  // Nobody is at the address of the example.
  github.pauseDeliveries()
  github.install({ account: 'acme', permissions: github.state.app.permissions, events: [...github.state.app.events] })
  const doctor = await perfTriage(['doctor', '--json'], { env: { ...written, ...serverVariablesOf(ownDatabase()) } })
  const findings = (JSON.parse(doctor.stdout) as { findings: { check: string; status: string }[] }).findings
  const status = Object.fromEntries(findings.map((finding) => [finding.check, finding.status]))
  expect(status).toMatchObject({ github: 'ok', permissions: 'ok', events: 'ok', webhook: 'ok', 'sign-in': 'ok' })
  expect(github.violations).toEqual([])

  const again = await perfTriage(['setup', '--env-file', file])
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('has the App 900001 already') })
})

test('a code that comes from elsewhere is not taken, nor a page of another name', async () => {
  const file = join(folder, 'other.env')
  const { code, address } = setup(['--env-file', file], { GITHUB_URL: github.url, PUBLIC_URL })
  const origin = await address()
  expect((await fetch(`${origin}/registered?code=theirs&state=guessed`)).status).toBe(404)
  expect((await fetch(origin.replace('127.0.0.1', 'localhost'))).status).toBe(400)
  const page = await browser.newPage()
  await page.goto(origin)
  await page.getByRole('button', { name: 'Go to GitHub' }).click()
  await page.getByRole('button', { name: 'Create GitHub App' }).click()
  expect(await code).toBe(0)
  expect(variables(file)['APP_ID']).toBe('900001')
})

test('what is missing is said in one line', async () => {
  const nothing = await perfTriage(['setup', '--env-file', join(folder, 'none.env')])
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringMatching(/PUBLIC_URL is missing: .*--public-url\n$/) })
  const plain = await perfTriage([
    'setup',
    '--env-file',
    join(folder, 'none.env'),
    '--public-url',
    'http://perf.example.org',
  ])
  expect(plain).toMatchObject({ code: 2, stderr: expect.stringMatching(/PUBLIC_URL must begin with https:/) })
})
