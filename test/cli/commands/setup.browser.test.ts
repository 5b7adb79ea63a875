import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../../demo/github/local-github.ts'
import { main } from '../../../src/cli.ts'
import { readEnvironment } from '../../../src/config/environment.ts'
import { ownDatabase, serverVariablesOf } from '../../store/embedded/engine-fixture.ts'
import { launchBrowser } from '../../web/browser.ts'
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
  const { code, address, printed } = setup(['--file', file, '--public-url', PUBLIC_URL, '--organization', 'acme'], {
    GITHUB_URL: github.url,
  })
  const page = await browser.newPage()
  await page.goto(await address())
  await page.getByRole('button', { name: 'Go to GitHub' }).click()
  expect(page.url()).toContain(`${github.url}/organizations/acme/settings/apps/new?state=`)

  // GitHub has made the App and does not answer: the same page, loaded again, goes on.
  github.fault({ method: 'POST', path: /conversions/, kind: 'status', status: 502, times: 1 })
  await page.getByRole('button', { name: 'Create GitHub App' }).click()
  expect(await page.textContent('body')).toContain('Reload this page')
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
  github.createRepository({ owner: 'acme', name: 'engine' })
  await page.goto(install!)
  const installed = page.waitForRequest((request) => request.url().startsWith(`${PUBLIC_URL}/installed?`))
  await page.getByRole('button', { name: 'Install for acme' }).click()
  expect(new URL((await installed).url()).searchParams.get('setup_action')).toBe('install')
  expect(await (await fetch(install!)).text()).toContain('acme has installed it')
  const doctor = await perfTriage(['doctor', '--json'], { env: { ...written, ...serverVariablesOf(ownDatabase()) } })
  const findings = (JSON.parse(doctor.stdout) as { findings: { check: string; status: string }[] }).findings
  const status = Object.fromEntries(findings.map((finding) => [finding.check, finding.status]))
  expect(status).toMatchObject({ github: 'ok', permissions: 'ok', events: 'ok', webhook: 'ok', 'sign-in': 'ok' })
  expect(github.violations).toEqual([])

  const again = await perfTriage(['setup', '--file', file])
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('already has the App 900001') })
  for (const command of ['serve', 'doctor']) {
    expect(again.stdout).toContain(`set -a; . '${file}'; set +a; perf-triage ${command}\n`)
  }
})

test('a code that comes from elsewhere is not taken, nor a page of another name', async () => {
  const file = join(folder, 'other.env')
  const { code, address } = setup(['--file', file], { GITHUB_URL: github.url, PUBLIC_URL })
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

/** Goes through GitHub's page; what this machine answers then. */
async function agree(origin: string) {
  const page = await browser.newPage()
  await page.goto(origin)
  await page.getByRole('button', { name: 'Go to GitHub' }).click()
  await page.getByRole('button', { name: 'Create GitHub App' }).click()
  return page
}

test('a folder that goes away meanwhile costs no key: they are elsewhere, or kept until there is room', async () => {
  const gone = join(folder, 'gone')
  const file = join(gone, 'new.env')
  const env = { GITHUB_URL: github.url, PUBLIC_URL }
  const before = await perfTriage(['setup', '--file', file], { env })
  expect(before).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/new\.env can't be written .* another --file\n$/),
  })

  mkdirSync(gone)
  const first = setup(['--file', file], env)
  const origin = await first.address()
  expect(readdirSync(gone)).toEqual([])
  rmSync(gone, { recursive: true })
  await agree(origin)
  expect(await first.code).toBe(0)
  const other = /Move (\S+) there/.exec(first.printed())![1]!
  expect(statSync(other).mode & 0o777).toBe(0o600)
  expect(readEnvironment(variables(other))).toMatchObject({ appId: github.credentials.appId })
  expect(first.printed()).toContain(`set -a; . '${other}'; set +a;`)
  rmSync(dirname(other), { recursive: true })

  mkdirSync(gone)
  const second = setup(['--file', file], env)
  const again = await second.address()
  const { TMPDIR } = process.env
  process.env['TMPDIR'] = join(folder, 'no-room')
  rmSync(gone, { recursive: true })
  const page = await agree(again)
  expect(await page.textContent('body')).toContain('free some space and reload the page')
  if (TMPDIR === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = TMPDIR
  mkdirSync(gone)
  await page.reload()
  expect(await second.code).toBe(0)
  expect(variables(file)['APP_ID']).toBe('900001')
})

test('keys are left nowhere but where it says, and those that were left there before stay', async () => {
  const file = join(folder, 'taken.env')
  const env = { GITHUB_URL: github.url, PUBLIC_URL }
  const beside = `${file}.${process.pid}`
  writeFileSync(beside, 'APP_ID=7\n')
  expect(await perfTriage(['setup', '--file', file], { env })).toMatchObject({ code: 2 })
  expect(readFileSync(beside, 'utf8')).toBe('APP_ID=7\n')
  rmSync(beside)

  const { code, address, printed } = setup(['--file', file], env)
  const origin = await address()
  mkdirSync(file)
  await agree(origin)
  expect(await code).toBe(0)
  expect(readdirSync(folder).filter((name) => name.startsWith('taken.env'))).toEqual(['taken.env'])
  rmSync(dirname(/Move (\S+) there/.exec(printed())![1]!), { recursive: true })
})

test('as it is started: the file need not be there, and a container listens on all addresses', async () => {
  const launcher = fileURLToPath(new URL('../../../bin/perf-triage.js', import.meta.url))
  const args = ['setup', '--file', 'not-there.env', '--public-url', PUBLIC_URL, '--host', '0.0.0.0']
  const child = spawn(process.execPath, [launcher, ...args], { cwd: folder, env: {} })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  const address = /^Open (http:\/\/127\.0\.0\.1:\d+) /.exec(said.toString())![1]!
  expect((await fetch(address)).status).toBe(200)
  child.kill()
  await once(child, 'close')
})

/** What a container is given by `-v ./env:/env`, as a shell of its own sees it: the file alone, in a folder that can't be written. */
const MOUNT = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount --bind "$2" "$3"'
const namespace = process.getuid?.() === 0 ? ['-m'] : ['-rm']
const canMount = spawnSync('unshare', [...namespace, 'sh', '-c', 'mount --bind /tmp /tmp']).status === 0

test.skipIf(!canMount).each([
  ['in a folder that can be written', 'mount --bind "$2" "$3"', 0],
  ['in one that can not', MOUNT, 0],
  ['to be read only', 'mount --bind "$2" "$3" && mount -o remount,bind,ro "$3"', 2],
] as const)('a file that is mounted by itself, %s', async (_, mount, status) => {
  const inside = mkdtempSync(join(folder, 'container-'))
  const [file, given] = [join(inside, 'env'), `${inside}.env`]
  writeFileSync(file, '')
  writeFileSync(given, '# ours\nLOG_LEVEL=warn\n', { mode: 0o644 })
  const launcher = fileURLToPath(new URL('../../../bin/perf-triage.js', import.meta.url))
  const run = `${mount} && shift 3 && exec "$@"`
  const command = [process.execPath, launcher, 'setup', '--file', file]
  const child = spawn('unshare', [...namespace, 'sh', '-c', run, 'sh', inside, given, file, ...command], {
    env: { ...process.env, GITHUB_URL: github.url, PUBLIC_URL },
  })
  onTestFinished(() => void child.kill())
  const said = once(child.stdout, 'data')
  const errors = text(child.stderr)
  const end = once(child, 'close')
  if (status === 0) {
    const [opened] = (await said) as [Buffer]
    expect(readFileSync(given, 'utf8')).toBe('# ours\nLOG_LEVEL=warn\n')
    await agree(/^Open (http:\S+) /.exec(opened.toString())![1]!)
  } else expect(await errors).toMatch(/env can't be written \(EROFS: .* or give another --file\n$/)
  expect(await end).toEqual([status, null])
  expect(readdirSync(inside)).toEqual(['env'])
  if (status !== 0) return
  expect(statSync(given).mode & 0o777).toBe(0o600)
  expect(readFileSync(given, 'utf8')).toMatch(/^# ours\nLOG_LEVEL=warn\nAPP_ID=900001\n/)
  expect(readEnvironment(variables(given))).toMatchObject({ appId: github.credentials.appId })
})

test('a file that is a symbolic link stays one, and what it leads to is written', async () => {
  const inside = mkdtempSync(join(folder, 'linked-'))
  const [file, link] = [join(inside, 'bot.env'), join(folder, 'linked.env')]
  writeFileSync(file, '# ours\n', { mode: 0o644 })
  symlinkSync(file, link)
  const { code, address } = setup(['--file', link], { GITHUB_URL: github.url, PUBLIC_URL })
  const origin = await address()
  expect(readFileSync(file, 'utf8')).toBe('# ours\n')
  await agree(origin)
  expect(await code).toBe(0)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readdirSync(inside)).toEqual(['bot.env'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toMatch(/^# ours\nAPP_ID=/)
})

test('an App of the shell is not said to be in the file', async () => {
  const file = join(folder, 'none.env')
  const { code, stderr } = await perfTriage(['setup', '--file', file], { env: { APP_ID: '5', PUBLIC_URL } })
  expect([code, stderr]).toEqual([2, expect.stringMatching(/APP_ID is 5 in this shell, but .*none\.env has no App: /)])
})

test('what is missing is said in one line', async () => {
  const nothing = await perfTriage(['setup', '--file', join(folder, 'none.env')])
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringMatching(/PUBLIC_URL is missing: .*--public-url\n$/) })
  const plain = await perfTriage([
    'setup',
    '--file',
    join(folder, 'none.env'),
    '--public-url',
    'http://perf.example.org',
  ])
  expect(plain).toMatchObject({ code: 2, stderr: expect.stringMatching(/PUBLIC_URL must begin with https:/) })
})
