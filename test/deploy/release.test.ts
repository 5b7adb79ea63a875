import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import config from '../../rolldown.config.ts'

// The step of the release that tags the Action, run as the runner does: in a checkout with the bundle beside it.

const ROOT = join(import.meta.dirname, '../..')

const workflow = z.object({
  on: z.object({ push: z.object({ tags: z.array(z.string()) }) }),
  jobs: z.record(
    z.string(),
    z.object({ steps: z.array(z.object({ name: z.string().optional(), run: z.string().optional() })) }),
  ),
})
const release = workflow.parse(parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')))
const { run: script } = release.jobs['action']!.steps.find(({ name }) => name === 'Tag the Action')!

let folder: string
let checkout: string
let origin: string

const git = (where: string, ...args: readonly string[]) =>
  execFileSync('git', ['-C', where, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perf-triage-release-'))
  ;[checkout, origin] = [join(folder, 'checkout'), join(folder, 'origin.git')]
  for (const one of [checkout, origin]) mkdirSync(one)
  git(origin, 'init', '--quiet', '--bare')
  git(checkout, 'init', '--quiet', '--initial-branch', 'main')
  git(checkout, 'remote', 'add', 'origin', origin)
  for (const name of ['action.yml', 'LICENSE', 'README.md', '.gitignore', 'package.json', 'src/text'])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true })
  git(checkout, 'add', '--all')
  git(checkout, 'commit', '--quiet', '--message', 'source')
  await build({
    ...config,
    cwd: ROOT,
    output: { ...config.output, file: join(checkout, config.output.file) },
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function tagAction(version: string): string {
  const env = { ...process.env, GITHUB_REF_NAME: version, TOKEN: 'token' }
  execFileSync('bash', ['-e', '-c', script!], { cwd: checkout, env, stdio: ['ignore', 'pipe', 'pipe'] })
  git(checkout, 'reset', '--quiet')
  return git(origin, 'rev-parse', `action-${version}`)
}

test('the Action is what its tag holds: it runs from a clone of it', () => {
  const first = tagAction('v1.2.3')
  expect(git(origin, 'rev-parse', 'v1')).toBe(first)
  expect(git(origin, 'rev-parse', 'v1^')).toBe(git(checkout, 'rev-parse', 'HEAD'))
  const clone = join(folder, 'clone')
  git(folder, 'clone', '--quiet', '--branch', 'v1', origin, clone)
  expect(git(clone, 'ls-files').split('\n')).toEqual(['LICENSE', 'README.md', 'action.yml', 'action/index.mjs'])
  const { runs } = z
    .object({ runs: z.object({ main: z.string() }) })
    .parse(parse(readFileSync(join(clone, 'action.yml'), 'utf8')))
  const work = join(folder, 'work')
  mkdirSync(join(work, 'results'), { recursive: true })
  for (const side of ['old', 'new'])
    writeFileSync(join(work, `results/bench-${side}.txt`), 'BenchmarkSort-8  100  5000 ns/op\n'.repeat(7))
  const printed = execFileSync(process.execPath, [join(clone, runs.main)], {
    cwd: work,
    env: { GITHUB_EVENT_NAME: 'pull_request', INPUT_RESULTS: 'results' },
    encoding: 'utf8',
  })
  expect(printed).toContain('1 benchmark compared')
})

test('the tag of the major version moves, that of a version stays', () => {
  const [first, second, other] = [tagAction('v2.0.0'), tagAction('v2.1.0'), tagAction('v3.0.0')]
  expect(new Set([first, second, other]).size).toBe(3)
  expect(git(origin, 'rev-parse', 'action-v2.0.0')).toBe(first)
  expect(git(origin, 'rev-parse', 'v2')).toBe(second)
  expect(git(origin, 'rev-parse', 'v3')).toBe(other)
})

test('no tag of the Action starts a release', () => {
  const [pattern] = release.on.push.tags
  const started = new RegExp(`^${pattern!.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')}$`)
  expect(started.test('v1.2.3')).toBe(true)
  for (const tag of ['v1', 'action-v1.2.3']) expect(started.test(tag)).toBe(false)
})
