import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSafe } from '../../report/render/expect-safe.ts'
import { HOSTILE } from '../../report/render/hostile.ts'
import { report } from '../../report/render/report-builder.ts'
import { perfTriage } from './capture.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Three sizes of a buffer: `--variant 8K=…` with six repetitions of each query. */
async function variants(queries: readonly string[], names: readonly string[]): Promise<string[]> {
  const options: string[] = []
  for (const [place, name] of names.entries()) {
    const path = join(folder, `${queries.length}-${place}.jsonl`)
    const rows = queries.flatMap((queryName, query) =>
      Array.from({ length: 6 }, (_, repetition) => ({
        test: 'insert',
        queryName,
        metric: 'client_time',
        unit: 's',
        repetition,
        // the second variant is faster in every query, the third slower in the first alone
        value: (0.1 + query / 100 + repetition / 10_000) * [1, 0.7, query === 0 ? 1.5 : 1][place]!,
      })),
    )
    await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'))
    options.push('--variant', `${name}=${path}`)
  }
  return options
}

test('each against the first, in one table of the comment and of the page', async () => {
  const options = await variants(['a', 'b'], ['8K', '128K', '1M'])
  const { stdout, code } = await perfTriage(['comment', ...options])
  expect(code).toBe(0)
  expectSafe(stdout, report([]))
  await expect(stdout).toMatchFileSnapshot('../../golden/compare/three-variants.md')
  const { stdout: page } = await perfTriage(['comment', ...options, '--html'])
  const [, first, second] = page.split('<tr class="query">')
  const cells = (row: string) =>
    [...row.matchAll(/data-name="([^"]*)">(.*?)<\/td>/gs)].map(([, name, text]) => [
      name,
      text!.replace(/<[^>]*>/g, ''),
    ])
  expect(cells(first!).map(([name, text]) => [name, text!.replaceAll('\u00a0', ' ')])).toEqual([
    ['8K', '100 ms'],
    ['128K', '70.2 ms −30.0%, faster no overlap'],
    ['1M', '150 ms +50.0%, slower no overlap'],
  ])
  expect(cells(second!).at(-1)![1]).toContain('not significant')
  expect([...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['#content'])
})

test('--json has the body and what it says, and --fail-on counts every variant', async () => {
  const options = await variants(['a', 'b'], ['8K', '128K', '1M'])
  const { stdout, code, stderr } = await perfTriage(['comment', ...options, '--json', '--fail-on', 'slower'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'perf-triage comment: --fail-on: 1 slower\n' })
  const { body, report: found } = JSON.parse(stdout)
  expect(`${body}\n`).toBe((await perfTriage(['comment', ...options])).stdout)
  expect(found).toMatchObject({ reference: '8K', variants: [{ name: '128K' }, { name: '1M' }] })
})

test('whatever the queries are called, comment and page are safe, and the comment fits', async () => {
  const many = Array.from({ length: 900 }, (_, of) => `${HOSTILE[of % HOSTILE.length]} ${of} ${'x'.repeat(80)}`)
  const options = await variants(many, [HOSTILE[0]!.replaceAll(/[=/\\]/g, '') || 'a', 'b', 'c'])
  const { stdout, code } = await perfTriage(['comment', ...options])
  expect(code).toBe(0)
  expectSafe(stdout, report([]))
  expect(stdout).toMatch(/and \d+ more/)
  const { stdout: page } = await perfTriage(['comment', ...options, '--html'])
  expect(page.replaceAll('\n', '')).not.toMatch(/<img|<script|[\p{Cc}\u202e]/u)
})

test('a run is named in one way only', async () => {
  const { code, stderr } = await perfTriage(['comment', 'results/', '--variant', 'a=a.json', '--variant', 'b=b.json'])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'perf-triage comment: give either --variant, or PATH, or --old and --new\n',
  })
})
