import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ApplicationFunction } from 'probot'
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { startLocalGitHub } from '../demo/github/local-github.ts'
import { environmentVariables, installApp, WEBHOOK_SECRET } from './bot/bot-setting.ts'

// The package as `npm pack` makes it of a copy of the checkout, installed by npm in an empty folder.

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)

const packedSchema = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
])

let folder: string
let checkout: string
let packed: z.infer<typeof packedSchema>[0]
let app: string
let installed: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perf-triage-package-'))
  checkout = join(folder, 'checkout')
  const copied = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'bin', 'src', 'schema', 'app.yml']
  for (const name of [...copied, 'LICENSE', 'README.md', 'CHANGELOG.md', 'docs/formats.md', 'docs/glossary.md'])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error'], { cwd: checkout, maxBuffer: 1e8 })
  ;[packed] = packedSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('[\n'))))

  app = join(folder, 'app')
  mkdirSync(app)
  const options = ['--omit=optional', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...options, join(checkout, packed.filename)], { cwd: app })
  installed = join(app, 'node_modules/perf-triage')
  // The engine is 543 MB: that of the checkout stands in for one more.
  symlinkSync(join(ROOT, 'node_modules/chdb'), join(app, 'node_modules/chdb'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

describe('the package', () => {
  test('is below 2.5 MB and holds what was compiled, maps, SQL, assets and the type of its application, and no source or test', () => {
    expect(packed.size).toBeLessThan(2_500_000)
    const paths = packed.files.map(({ path }) => path)
    const sources = ['cli.js', 'app.js', 'app.js.map', 'store/embedded/child.js', 'store/embedded/engine.xml']
    const others = ['inbox/sql/migrations.sql', 'web/assets/style.css', 'judge/profile/flame-graph-script.js']
    for (const name of [...sources, ...others]) expect(paths).toContain(`dist/${name}`)
    const rest = [
      'docs/formats.md',
      'docs/glossary.md',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'app.yml',
      'package.json',
      'schema/openapi.json',
      'schema/perf-triage.schema.json',
      'schema/report.schema.json',
    ]
    expect(paths.filter((path) => !path.startsWith('dist/')).toSorted()).toEqual(
      [...rest, 'bin/perf-triage.js', 'bin/app.d.ts'].toSorted(),
    )
    expect(paths.filter((path) => path.startsWith('dist/') && path.endsWith('.ts'))).toEqual([])
  })

  test('brings no Node of its own', () => {
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')))
    expect(Object.keys(optionalDependencies)).toEqual(['chdb'])
  })

  test('is an application of Probot to those who import it by its name, and to TypeScript', async () => {
    expectTypeOf<typeof import('../src/app.ts')['default']>().toExtend<ApplicationFunction>()
    const imported = "import perfTriage from 'perf-triage'\nconsole.log(typeof perfTriage)\n"
    writeFileSync(join(app, 'use.mjs'), imported)
    expect((await run(process.execPath, ['use.mjs'], { cwd: app })).stdout).toBe('function\n')
    const typed =
      "import type { ApplicationFunction } from 'probot'\nexport const app: ApplicationFunction = perfTriage\n"
    writeFileSync(join(app, 'use.mts'), imported.replace(/console.*/, typed))
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
    await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'use.mts'], { cwd: app })
  })
})

test('classify runs by the command that npm has linked', async () => {
  const runs = join(ROOT, 'test/data/run-metrics')
  const { stdout } = await run(process.execPath, [join(app, 'node_modules/.bin/perf-triage'), 'classify', runs])
  expect(stdout).toContain('group_by_spill #0')
})

test('serve keeps a webhook, answers with its embedded engine and pages, and ends when it is told', {
  timeout: 120_000,
}, async () => {
  const github = await startLocalGitHub()
  const repo = github.createRepository({ owner: 'acme', name: 'engine' })
  installApp(github)
  const env = { ...process.env, ...environmentVariables(github, join(folder, 'data')) }
  const child = spawn(process.execPath, [join(installed, 'bin/perf-triage.js'), 'serve'], { env })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => output.push(text))
  try {
    const address = () => /"url":"(http:[^"]+)"/.exec(output.join(''))?.[1]
    await expect.poll(address, { timeout: 30_000, message: output.join('') }).toBeDefined()
    github.setWebhook({ url: `${address()}/api/github/webhooks`, secret: WEBHOOK_SECRET })
    github.openPullRequest({ repo, head: 'packed' })
    await github.idle()
    expect(github.deliveries.at(-1)?.statusCode).toBe(200)
    // The engine answers.
    const ready = async () => (await fetch(`${address()}/readyz`)).status
    await expect.poll(ready, { timeout: 60_000 }).toBe(200)
    expect((await fetch(`${address()}/installed`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    await github.stop()
  }
})

test('probot receive takes it by its path', { timeout: 120_000 }, async () => {
  const github = await startLocalGitHub()
  installApp(github)
  writeFileSync(join(app, 'ping.json'), '{"zen":"Keep it logically awesome."}')
  const env = { ...process.env, ...environmentVariables(github, join(folder, 'received')) }
  const receive = ['receive', '-e', 'ping', '-p', 'ping.json', 'node_modules/perf-triage/dist/app.js']
  try {
    await run(process.execPath, [join(app, 'node_modules/.bin/probot'), ...receive], { cwd: app, env })
  } finally {
    await github.stop()
  }
})
