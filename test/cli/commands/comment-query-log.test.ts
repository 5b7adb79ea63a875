import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NEW_TABLE, OLD_TABLE, seedCosts, seedLog } from '../../intake/imports/query-log/seed-log.ts'
import { LOGS, rowsOf } from '../../judge/statistics/query-log/executions-of.ts'
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

async function file(name: string, rows: Iterable<object>): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, [...rows].map((row) => `${JSON.stringify(row)}\n`).join(''))
  return path
}

async function run(...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await perfTriage(['comment', '--format', 'query-log', ...argv])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

/** The comment, which is safe whatever stands in the log. */
async function comment(...argv: readonly string[]): Promise<string> {
  const body = await run(...argv)
  expectSafe(body, report([]))
  return body
}

const withSpaces = (text: string) => text.replaceAll('\u00a0', ' ')
const golden = (name: string) => `../../golden/query-log/${name}.md`
const BY_THREADS = ['--side', 'Settings.max_threads=4,8', '--group', 'log_comment.window']

describe('index_granularity 1,024 against 32, as the talk saw it', () => {
  const side = ['--side', `tables=${OLD_TABLE},${NEW_TABLE}`, '--group', 'log_comment.time_window_in_mins']
  let paths: readonly string[] = []
  beforeAll(async () => {
    paths = [
      await file('seed.jsonl', seedLog({ share: 0.01, hours: 24 })),
      await file('costs.jsonl', seedCosts({ hours: 24 })),
    ]
  })

  test('faster at 5 minutes, slower at 60, where 6.6 times the marks are read', async () => {
    const body = await comment(...paths, ...side)
    const lineOf = (minutes: number) =>
      withSpaces(body)
        .split('\n')
        .find((line) => line.includes(`_mins = ${minutes}\`**`))!
    expect(lineOf(5)).toMatch(/\*\*faster\*\*.*\| 7[67]\.\d → 2[78]\.\d ms<br>\*\*−6[234]\.\d%\*\* \|$/)
    expect(lineOf(60)).toMatch(/\*\*slower\*\*.* marks 11 → 7\d \(6\.\d×\).*<br>\*\*\+1\d\.\d%\*\* \|$/)
    await expect(body).toMatchFileSnapshot(golden('seed'))
  })

  test('the page has the averages of the talk, and asks for nothing', async () => {
    const page = withSpaces(await run(...paths, ...side, '--html'))
    const of = (minutes: number) =>
      page.split('<bdi class="label">').find((part) => part.includes(`_in_mins = ${minutes}<`))!
    const metric = (group: string, name: string) => group.split('<tr ').find((row) => row.includes(`title="${name}"`))!
    expect(metric(of(5), 'query_duration')).toMatch(/<b class="faster">faster<.*>76\.\d → 2[78]\.\d ms<\/td>/s)
    expect(metric(of(60), 'query_duration')).toMatch(/<b class="slower">slower<.*>8[12]\.\d → 9[234]\.\d ms<\/td>/s)
    expect(metric(of(60), 'SelectedMarks')).toMatch(/<b class="slower">more<.*\(6\.\d×\).*>11\.\d → 7[34]\.\d</s)
    expect(page).toContain('What it costs besides the queries')
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(page).not.toMatch(/<script|<link|<img|<form|url\(|@import|\bsrc=/)
    expect([...page.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['#content'])
  })
})

test.each(['alternating', 'oneAfterTheOther', 'twoGroups'] as const)('%s', async (name) => {
  const path = await file(`${name}.jsonl`, rowsOf(LOGS[name]))
  await expect(await comment(path, ...BY_THREADS)).toMatchFileSnapshot(golden(name))
})

test('three variants: each against the first', async () => {
  const rows = Array.from({ length: 400 }, (_, minute) => minute).flatMap((minute) =>
    [8192, 131_072, 1_048_576].flatMap((size, variant) =>
      ['a', 'b'].map((user, of) => ({
        event_time: 1_767_225_600 + minute * 60,
        query_duration_ms: 1000 + ((97 * minute + 11 * of + 31 * variant) % 800) + 200 * variant * (of === 0 ? 1 : -1),
        query: 'SELECT 1',
        user,
        Settings: { max_read_buffer_size: size },
      })),
    ),
  )
  const side = ['--side', 'Settings.max_read_buffer_size=8192,131072,1048576', '--group', 'user']
  const path = await file('sizes.jsonl', rows)
  const body = await comment(path, ...side)
  expect(body).toContain(
    '### 2 variants against the first: 0 slower, 0 faster over all queries; 2 slower, 2 faster in some group\n',
  )
  await expect(body).toMatchFileSnapshot(golden('three-variants'))
  const page = withSpaces(await run(path, ...side, '--html'))
  const [, , ofA] = page.split('<bdi class="label">')
  const lines = [
    ...ofA!.matchAll(/<bdi>8192<\/bdi><\/code> → <code><bdi>(\d+)<.*?<b class="slower">.*?>\+(\d+\.\d)%</gs),
  ]
  expect(lines.map(([, variant, by]) => [variant, by])).toEqual([
    ['131072', '14.9'],
    ['1048576', '29.6'],
  ])
})

describe('whatever stands in a log', () => {
  const hostile = Array.from({ length: 30 }, (_, minute) => minute).flatMap((minute) =>
    HOSTILE.flatMap((text, of) =>
      ['4', '8'].map((max_threads, variant) => ({
        event_time: 1_767_225_600 + minute * 60,
        query_duration_ms: 100 + ((37 * minute + 11 * of) % 23) + 50 * variant,
        query: `SELECT \`${text}\``,
        log_comment: JSON.stringify({ window: text }),
        Settings: { max_threads },
        ProfileEvents: { [text]: 5 + variant },
      })),
    ),
  )

  test('the comment is safe', async () => {
    const body = await comment(await file('hostile.jsonl', hostile), ...BY_THREADS)
    expect(body).toContain(`${HOSTILE.length} of ${HOSTILE.length} groups`)
  })

  test('and so is the page', async () => {
    const page = await run(await file('hostile.jsonl', hostile), ...BY_THREADS, '--html', '--metric', HOSTILE[0]!)
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(page.replaceAll('\n', '')).not.toMatch(/<img|<details open>|[\p{Cc}\u202e]/u)
  })

  test('a comment of thousands of groups fits, and says how many it leaves out', async () => {
    const rows = Array.from({ length: 3000 }, (_, of) => of).flatMap((of) =>
      ['4', '8'].map((max_threads) => ({
        event_time: 1_767_225_600,
        query_duration_ms: 100,
        query: `SELECT ${'x'.repeat(60)}_${of}_x`,
        log_comment: JSON.stringify({ window: `${'w'.repeat(60)} ${of}` }),
        Settings: { max_threads },
      })),
    )
    const body = await comment(await file('many.jsonl', rows), ...BY_THREADS)
    const shown = body.match(/^\| \*\*`w/gm)!.length
    expect(shown).toBeGreaterThan(100)
    const left = Number(/^\| and ([\d,]+) more /m.exec(body)![1]!.replaceAll(',', ''))
    // all together have a row as well
    expect(shown + left).toBe(3000)
  })
})

test('--json has the body and the report', async () => {
  const path = await file('json.jsonl', rowsOf(LOGS.alternating))
  const { body, report: found } = JSON.parse(await run(path, ...BY_THREADS, '--json'))
  expect(body).toBe((await run(path, ...BY_THREADS)).trimEnd())
  expect(found).toMatchObject({ counted: 'query_duration', counts: { slower: 1 }, executions: 300 })
})

test('--fail-on, and options that are for a query log alone', async () => {
  const path = await file('fail.jsonl', rowsOf(LOGS.alternating))
  const failed = await perfTriage(['comment', path, '--format', 'query-log', ...BY_THREADS, '--fail-on', 'slower'])
  expect(failed).toMatchObject({ code: 1, stderr: 'perf-triage comment: --fail-on: 1 slower\n' })
  for (const option of [
    ['--side', 'a=b,c'],
    ['--since', '2026-01-01'],
  ]) {
    const { code, stderr } = await perfTriage(['comment', path, ...option])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `perf-triage comment: ${option[0]} is for --format query-log\n`,
    })
  }
})
