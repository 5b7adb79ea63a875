import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type OutputChunk } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import config from '../rolldown.config.ts'

// The Action as `npm run build:action` makes it, alone in an empty folder.

const ROOT = join(import.meta.dirname, '..')

let folder: string
let bundle: string
let chunks: readonly OutputChunk[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perf-triage-action-'))
  bundle = join(folder, 'index.mjs')
  const { output } = await build({ ...config, cwd: ROOT, output: { ...config.output, file: bundle } })
  chunks = output.filter((one) => one.type === 'chunk')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('it is one file below 3 MB that imports nothing but Node', () => {
  expect(chunks).toHaveLength(1)
  expect(statSync(bundle).size).toBeLessThan(3_000_000)
  expect(chunks[0]!.imports.filter((name) => !name.startsWith('node:'))).toEqual([])
  expect(readFileSync(bundle, 'utf8')).not.toMatch(/\bimport\(["'`](?!node:)/)
})

test('it has no server, no database and nothing that measures the process', () => {
  const packages = chunks.flatMap(({ moduleIds }) =>
    moduleIds.flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
  )
  const own = chunks.flatMap(({ moduleIds }) => moduleIds.filter((id) => !id.includes('node_modules')))
  expect(packages).toContain('zod')
  expect(
    packages.filter((name) => /^(?:chdb|pg|pg-.*|probot|hono|prom-client)$|^@(?:opentelemetry|hono)\//.test(name)),
  ).toEqual([])
  expect(
    own.filter((id) =>
      /src\/(?:web|telemetry|store\/embedded)\/|src\/store\/client|src\/inbox\/(?:sqlite|postgres)/.test(id),
    ),
  ).toEqual([])
  expect(chunks[0]!.imports).not.toContain('node:sqlite')
})

test('it reads no file beside itself', () => {
  expect(readFileSync(bundle, 'utf8')).not.toMatch(/new URL\([^()]*,\s*import\.meta\.url\)|import\.meta\.dirname/)
})

/** Milliseconds that processes of Node compute. The system counts by tens, so that one alone says little: the mean of some, in turns. */
function computing(...of: readonly (readonly string[])[]): readonly number[] {
  const measured = `
    const { spawnSync } = require('node:child_process')
    const { readFileSync } = require('node:fs')
    const ofChildren = () => {
      const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\\) /, '').split(' ')
      return 10 * (Number(fields[13]) + Number(fields[14]))
    }
    const all = ${JSON.stringify(of)}
    const sums = all.map(() => 0)
    for (let turn = 0; turn < 8; turn++)
      for (const [index, args] of all.entries()) {
        const before = ofChildren()
        spawnSync(process.execPath, args, { env: {}, cwd: ${JSON.stringify(folder)} })
        sums[index] += ofChildren() - before
      }
    console.log(JSON.stringify(sums.map((sum) => sum / 8)))
  `
  return z.array(z.number()).parse(JSON.parse(execFileSync(process.execPath, ['-e', measured], { encoding: 'utf8' })))
}

test('its start computes for less than a second, and no more than twelve bare starts of Node', () => {
  const [bare, start] = computing(['-e', '0'], [bundle])
  expect(start).toBeLessThan(1000)
  expect(start! / Math.max(bare!, 30)).toBeLessThan(12)
})

test('it runs with action.yml beside it alone, and says what a run shows', () => {
  copyFileSync(join(ROOT, 'action.yml'), join(folder, 'action.yml'))
  const action = z
    .object({ inputs: z.record(z.string(), z.unknown()), runs: z.object({ using: z.string(), main: z.string() }) })
    .parse(parse(readFileSync(join(folder, 'action.yml'), 'utf8')))
  expect(Object.keys(action.inputs)).toEqual(['measure', 'results', 'fail-on', 'token'])
  expect(action.runs).toEqual({ using: 'node24', main: 'action/index.mjs' })
  const rows = [1, 2, 3, 4, 5, 6, 7].flatMap((value) => [
    { test: 'sum', side: 'old', value: 1 + value / 1000 },
    { test: 'sum', side: 'new', value: 2 + value / 1000 },
  ])
  writeFileSync(join(folder, 'results.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const env = { INPUT_RESULTS: 'results.jsonl', GITHUB_EVENT_NAME: 'push' }
  const printed = execFileSync(process.execPath, [bundle], { cwd: folder, env, encoding: 'utf8' })
  expect(printed).toContain('`sum` got slower')
})
