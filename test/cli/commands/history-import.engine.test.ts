import { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { main } from '../../../src/cli.ts'
import { type HistoryRun, historyLine, trunkRowsOf } from '../../../src/intake/imports/history/history-lines.ts'
import { type Measurement, queryKey, type Run } from '../../../src/intake/measurement/run.ts'
import { oneSidedHistoriesInFile } from '../../../src/judge/history/history-file.ts'
import { trunkHistoryOfRows } from '../../../src/judge/history/trunk-history-of-rows.ts'
import type { TrunkSeries } from '../../../src/judge/history/trunk-series.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { knownRepositories, storedHistories } from '../../../src/store/history/stored-history.ts'
import { storedTrunkHistory } from '../../../src/store/history/stored-trunk-history.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { storeOn } from '../../../src/store/store.ts'
import {
  migratedDatabase,
  type OwnDatabase,
  temporaryFolder,
  variablesOf,
} from '../../store/embedded/engine-fixture.ts'
import { DAY, measuredRows, measuredRuns, NOON, repetitionRows, trunkRow } from '../../store/history/trunk-rows.ts'

let folder = ''
let database: OwnDatabase
let env: Record<string, string> = {}
beforeAll(async () => {
  folder = await temporaryFolder()
  database = await migratedDatabase()
  env = variablesOf(database)
})

async function run(
  argv: readonly string[],
  stdin = '',
  variables = env,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text
    },
  })
  const bytes = async function* () {
    yield Buffer.from(stdin)
  }
  const code = await main(['history', 'import', ...argv], {
    stdin: bytes(),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: variables,
  })
  return { code, ...written }
}

async function file(name: string, contents: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, contents)
  return path
}

async function seriesOf(repositoryId: number): Promise<TrunkSeries[]> {
  const clickhouse = await openClickHouse(database)
  try {
    const of = { repositoryId, metric: 'client_time', now: NOON }
    const found: TrunkSeries[] = []
    for await (const some of storedTrunkHistory(clickhouse).allSeries(of, { from: 0, to: NOON + 1000 * DAY }))
      found.push(...some)
    return found
  } finally {
    await clickhouse.close()
  }
}

const HEADER =
  'event_time\tpr_number\told_sha\tnew_sha\ttest\tquery_index\tquery_display_name\tmetric\told_value\tnew_value\tdiff\tstat_threshold'
const tsv = (...rows: (string | number)[][]) => `${[HEADER, ...rows.map((row) => row.join('\t'))].join('\n')}\n`
const row = (changes: Readonly<Record<string, unknown>> = {}) =>
  `${JSON.stringify({
    event_time: '2026-06-01 10:00:00',
    pr_number: 0,
    old_sha: 'a',
    new_sha: 'b',
    test: 't',
    query_index: 0,
    query_display_name: 'SELECT 1',
    metric: 'client_time',
    old_value: 1,
    new_value: 1.5,
    diff: 0.5,
    stat_threshold: 0.1,
    ...changes,
  })}\n`

test('a table without the newer columns, twice; rows of pull requests do not count', async () => {
  const path = await file(
    'a.tsv',
    tsv(
      ['2026-06-01 10:00:00', 0, 'a', 'b', 't', 0, 'SELECT 1', 'client_time', 1, 1.5, 0.5, 0.1],
      ['2026-06-02 10:00:00', 0, 'b', 'c', 't', 0, 'SELECT 1', 'client_time', 1.5, 1.5, 0, '\\N'],
      ['2026-06-02 11:00:00', 7, 'b', 'd', 't', 0, 'SELECT 1', 'client_time', 1, 9, 8, 0.1],
    ),
  )
  const expected = {
    code: 0,
    stdout: 'imported 2 rows: 1 query, 2 runs, 2026-06-01 to 2026-06-02; 1 row is not of the main branch\n',
    stderr: '',
  }
  expect(await run([path, '--repository-id', '11'])).toEqual(expected)
  const [before, after] = expected.stdout.split('; ')
  expect(await run([path, '--repository-id', '11'])).toEqual({
    ...expected,
    stdout: `${before}; all were already stored; ${after}`,
  })
  expect(await seriesOf(11)).toEqual([
    {
      test: 't',
      queryIndex: 0,
      queryName: 'SELECT 1',
      architecture: null,
      metric: 'client_time',
      source: 'imported',
      points: [
        {
          time: Date.UTC(2026, 5, 1, 10),
          commit: 'b',
          referenceCommit: 'a',
          old: 1,
          new: 1.5,
          difference: 0.5,
          threshold: 0.1,
        },
        {
          time: Date.UTC(2026, 5, 2, 10),
          commit: 'c',
          referenceCommit: 'b',
          old: 1.5,
          new: 1.5,
          difference: 0,
          threshold: null,
        },
      ],
    },
  ])
})

test('JSON lines, compressed and from stdin, of the trunk by any of its names; as JSON', async () => {
  const zst = await file(
    'b.jsonl.zst',
    zstdCompressSync(row({ arch: 'amd', base_branch: 'master' }) + row({ arch: 'amd', base_branch: '25.8' })),
  )
  const gz = await file(
    'c.jsonl.gz',
    gzipSync(row({ arch: 'arm', base_branch: 'trunk', report_url: 'https://ci.example.com' })),
  )
  const { code, stdout, stderr } = await run(
    [zst, gz, '-', '--trunk', 'master', '--trunk', 'trunk', '--repository-id', '12', '--json'],
    row({ arch: 'amd', baseline_kind: 'release_base' }) + row({ arch: 'amd', test: 'u' }),
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    schemaVersion: 1,
    rows: 3,
    refused: [],
    passedOver: [],
    newRows: 3,
    skipped: 2,
    unread: 0,
    queries: 2,
    runs: 2,
    from: '2026-06-01T10:00:00.000Z',
    to: '2026-06-01T10:00:00.000Z',
    files: [
      { path: zst, format: 'JSONEachRow', rows: 1, complete: true },
      { path: gz, format: 'JSONEachRow', rows: 1, complete: true },
      { path: '-', format: 'JSONEachRow', rows: 1, complete: true },
    ],
    warnings: [],
  })
  expect((await seriesOf(12)).map((one) => `${one.test} ${one.architecture}`).toSorted()).toEqual([
    't amd',
    't arm',
    'u amd',
  ])
})

test('the index that is written behind a text that was cut is no part of it; equal texts are told apart', async () => {
  const long = 'x'.repeat(1000)
  const lines = [
    row({ query_index: 4, query_display_name: `${long}...(4)` }),
    row({ query_index: 7, query_display_name: `${long}...(7)` }),
    row({ query_index: 8, query_display_name: 'short...(8)' }),
  ]
  expect((await run(['-', '--repository-id', '13'], lines.join(''))).code).toBe(0)
  const found = (await seriesOf(13)).toSorted((a, b) => a.queryIndex! - b.queryIndex!)
  expect(found.map(({ queryName, queryIndex, ordinal }) => [queryName, queryIndex, ordinal])).toEqual([
    [long, 4, undefined],
    [long, 7, 1],
    ['short...(8)', 8, undefined],
  ])
})

describe('what can’t be read', () => {
  test('rows that say nothing are warnings; a file that is cut ends with 2', async () => {
    const lines = [
      row({ new_value: 'nan' }),
      row({ query_index: -1 }),
      row({ event_time: 'soon' }),
      row({ new_sha: '' }),
      'no json\n',
      row(),
    ]
    const { code, stdout, stderr } = await run(['-', '--repository-id', '14'], lines.join(''))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^imported 1 row: .*; 5 lines were not read\n$/)
    expect(stderr).toBe(
      [
        'warning: stdin:1: new_value is not a number from 0: skipped',
        'warning: stdin:2: query_index is not a whole number from 0: skipped',
        'warning: stdin:3: event_time is not a time like 2026-10-20 08:15:00 (UTC), ISO 8601 or seconds since 1970: skipped',
        'warning: stdin:4: new_sha is empty: skipped',
        'warning: stdin:5: this is not a JSON object: skipped\n',
      ].join('\n'),
    )
    const rows = Array.from({ length: 5000 }, (_, i) => row({ test: `test_${i}_${Math.sin(i)}` })).join('')
    const cut = await file('cut.gz', gzipSync(rows).subarray(0, -5000))
    const end = await run([cut, '--repository-id', '15'])
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/not read completely/)
  })

  test.each([
    ['', 'the file is empty'],
    ['a\tb\n1\t2\n', 'these are not rows of query_metrics_v2'],
    ['BenchmarkSort-8 10 5 ns/op\n', 'one run of the main branch, with --commit SHA --time TIME'],
    [`${HEADER.replace('new_sha\t', '').replace('metric\t', '')}\n`, 'the columns new_sha, metric are missing'],
  ])('a file of something else is one line: %j', async (contents, message) => {
    const { code, stdout, stderr } = await run(['-', '--repository-id', '17'], contents)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr.trimEnd()).not.toContain('\n')
  })
})

test('the same file given twice, and one that can’t be read beside a good one', async () => {
  const path = await file('twice.jsonl', row() + row({ query_index: 1, query_display_name: 'SELECT 2' }))
  expect((await run([path, path, '--repository-id', '31'])).stdout).toMatch(
    /^imported 4 rows: 2 queries, .*; 2 new, the others were already stored\n$/,
  )
  const garbage = await file('garbage.bin', 'nothing of this kind\n')
  const { code, stdout, stderr } = await run([path, garbage, '--repository-id', '32'])
  expect(code).toBe(2)
  expect(stdout).toMatch(/^imported 2 rows: [^\n]*\n1 file read, 1 not read\n$/)
  expect(stderr).toMatch(
    /^not read: [^\n]*garbage\.bin: [^\n]*\nperf-triage history import: 1 of 2 files was not read; [^\n]*\n$/,
  )
  expect(await seriesOf(32)).toHaveLength(2)
})

test('commits that are none are told', async () => {
  const { code, stderr } = await run(
    ['-', '--repository-id', '33'],
    row({ new_sha: 'v26.3-x$(id)' }) + row({ new_sha: '3ec2e8cf7b3b' }),
  )
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'warning: 1 row names something that isn’t a commit ID as new_sha (v26.3-x$(id)), so the commits of their steps can’t be listed\n',
  })
})

test('Ctrl-C stores what was read and says so', async () => {
  const written = { stdout: '', stderr: '' }
  const write = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text
    },
  })
  const stdin = (async function* () {
    for (let i = 0; i < 1000; i += 1) {
      if (i === 500) process.emit('SIGINT')
      yield Buffer.from(
        Array.from({ length: 20 }, (_, k) => row({ test: `interrupted ${i} ${k} ${Math.sin(i)}` })).join(''),
      )
    }
  })()
  const code = await main(['history', 'import', '-', '--repository-id', '34'], {
    stdin,
    stdout: write('stdout'),
    stderr: write('stderr'),
    env,
  })
  expect(code).toBe(130)
  expect(written.stderr).toBe(
    'perf-triage history import: interrupted; what was read is stored, the rest is not. Run the same import again to complete it\n',
  )
  const stored = (await seriesOf(34)).length
  expect(stored).toBeGreaterThan(0)
  expect(stored).toBeLessThan(20_000)
  expect(written.stdout).toContain(`imported ${stored.toLocaleString('en')} rows`)
})

describe('whose history it is', () => {
  test('nothing says it: one line with what to do, and nothing is stored', async () => {
    const empty = variablesOf(await migratedDatabase())
    for (const [argv, why] of [
      [['-'], 'nothing stored says whose history it is'],
      [['-', '--repository', 'acme/engine'], 'no report of acme/engine is stored'],
      [['-', '--repository-id', '0'], '--repository-id 0 is not a repository'],
      [['-', '--repository-id', '1', '--repository', 'acme/engine'], 'give only one'],
    ] as const) {
      const { code, stdout, stderr } = await run(argv, row(), empty)
      expect([code, stdout], argv.join(' ')).toEqual([2, ''])
      expect(stderr).toContain(why)
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
    const clickhouse = await openClickHouse(database)
    expect((await knownRepositories(clickhouse)).map(({ repositoryId }) => repositoryId)).not.toContain(0)
    await clickhouse.close()
  })

  test('the only repository that is known is taken, and said; a name is that of its newest report', async () => {
    const other = await migratedDatabase()
    const clickhouse = await openClickHouse(other)
    await saveTrunkRows(clickhouse, 5, [trunkRow()])
    await clickhouse.insert('reports', ['repository_id', 'owner', 'name'], [[5, 'acme', 'engine']])
    const taken = await run(['-'], row(), variablesOf(other))
    expect(taken.code).toBe(0)
    expect(taken.stderr).toContain(
      'perf-triage history import: the history of repository 5 (acme/engine), the only one stored',
    )
    expect((await run(['-', '--repository', 'Acme/Engine'], row({ test: 'named' }), variablesOf(other))).code).toBe(0)
    const stored = await storedHistories(clickhouse)
    expect(stored.map(({ repositoryId }) => repositoryId)).toEqual(stored.map(() => 5))
    expect(stored.find(({ architecture }) => architecture === null)).toMatchObject({ queries: 2 })
    await clickhouse.close()
  })
})

test('a limit on the size of files is one line: where, and what to do', async () => {
  const rows = Array.from({ length: 4000 }, (_, i) => row({ test: `t${i}` }))
  const path = await file('many.jsonl', rows.join(''))
  const launcher = fileURLToPath(new URL('../../../bin/perf-triage.js', import.meta.url))
  // In blocks of 512 or 1,024 bytes.
  const script = 'ulimit -f 64 && exec "$0" "$@"'
  const argv = ['-c', script, process.execPath, launcher, 'history', 'import', '--repository-id', '1', path]
  const { PATH } = process.env
  const dataDir = join(folder, 'limited')
  const child = spawn('sh', argv, { env: { ...(PATH !== undefined && { PATH }), PERF_TRIAGE_DATA_DIR: dataDir } })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  expect((await once(child, 'close'))[0]).toBe(2)
  expect(said).toMatch(/^perf-triage history import: the embedded database can't take the request now: [^\n]*\n$/)
  expect(said).toContain(`${dataDir}/clickhouse-inserts can't hold the rows (EFBIG: file too large, write)`)
  expect(said).toContain('raise the limit ("ulimit -f"). ')
})

test('the measured history', async () => {
  const rows = measuredRows().map((one) =>
    row({
      event_time: one.time / 1000,
      old_sha: one.oldCommit,
      new_sha: one.newCommit,
      test: one.test,
      query_index: one.queryIndex,
      query_display_name: one.queryName,
      old_value: one.old,
      new_value: one.new,
      diff: one.difference,
      stat_threshold: one.threshold,
    }),
  )
  const { code, stdout } = await run(['-', '--repository-id', '16'], rows.join(''))
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'imported 1,564 rows: 68 queries, 23 runs, 2026-11-21\n' })
  expect(await seriesOf(16)).toHaveLength(68)
})

describe('raw runs', () => {
  const header = Object.keys(repetitionRows(trunkRow(), [[1]])[0]!)
  const tsvOf = (rows: ReturnType<typeof repetitionRows>) =>
    `${[header, ...rows.map((one) => header.map((name) => one[name]))].map((fields) => fields.join('\t')).join('\n')}\n`
  const jsonOf = (rows: ReturnType<typeof repetitionRows>) => rows.map((one) => `${JSON.stringify(one)}\n`).join('')
  const measured = measuredRuns().flatMap(({ row: of, sides }) => repetitionRows(of, sides))
  const sorted = (series: readonly TrunkSeries[]) =>
    series.toSorted((a, b) => (`${a.queryName}` < `${b.queryName}` ? -1 : 1))

  test('the measured history: medians and T are those of its samples, in whichever order the rows come', async () => {
    const expected = measuredRows()
    // Sides and repetitions of all queries and runs mixed.
    const mixed = measured.map((_, i) => measured[(i * 7919) % measured.length]!)
    expect(new Set(mixed).size).toBe(measured.length)
    for (const [id, contents] of [
      [21, tsvOf(measured)],
      [22, jsonOf(mixed)],
    ] as const) {
      const { code, stdout, stderr } = await run(['-', '--repository-id', String(id)], contents)
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: 'imported 1,564 rows: 68 queries, 23 runs, 2026-11-21\n',
        stderr: '',
      })
      const found = sorted(await seriesOf(id))
      for (const series of found) {
        const rows = expected.filter(({ queryName }) => queryName === series.queryName)
        expect(series.source).toBe('imported')
        expect(series.points.map(({ old, new: fresh, threshold }) => [old, fresh, threshold])).toEqual(
          rows.toSorted((a, b) => a.time - b.time).map(({ old, new: fresh, threshold }) => [old, fresh, threshold]),
        )
      }
      expect(found).toHaveLength(68)
    }
  })

  const one = (
    changes: Parameters<typeof trunkRow>[0],
    sides = [
      [1, 2, 3],
      [2, 4, 6],
    ],
  ) => repetitionRows(trunkRow(changes), sides)

  test('of pull requests, other branches and release builds are passed over; one side alone is told', async () => {
    const [base] = one({})
    const { code, stdout, stderr } = await run(
      ['-', '--repository-id', '23'],
      jsonOf([
        ...one({}),
        { ...base!, pr_number: 7, metric_value: 9 },
        { ...base!, base_branch: '25.8', metric_value: 9 },
        { ...base!, baseline_kind: 'release_base', metric_value: 9 },
        ...one({ queryName: 'only new' }, [[], [1]]),
        ...one({ queryName: 'failed' }, [[1], [-1, 2]]),
        { ...base!, side: 'left' },
      ]),
    )
    expect(code).toBe(0)
    expect(stdout).toBe(
      'imported 1 row: 1 query, 1 run, 2026-06-01; 3 rows are not of the main branch; 1 line was not read\n',
    )
    expect(stderr).toBe(
      [
        'warning: stdin:14: side is neither baseline nor candidate: skipped',
        'warning: stdin: 2 queries of runs were measured on one side only, or with a value that is not a number from 0: skipped\n',
      ].join('\n'),
    )
    expect(await seriesOf(23)).toMatchObject([{ points: [{ old: 2, new: 4, difference: 1, threshold: 1 }] }])
  })

  test('of a file that was cut the last run is left out, for it may lack repetitions', async () => {
    const lines = tsvOf([...one({ newCommit: 'c1' }), ...one({ newCommit: 'c2', time: NOON + 1000 })])
    const { code, stdout, stderr } = await run(['-', '--repository-id', '24'], lines.slice(0, -20))
    expect(code).toBe(2)
    expect(stdout).toMatch(/^imported 1 row: /)
    expect(stderr).toContain('the end is missing: 1 run, which may lack repetitions, was not read')
    expect((await seriesOf(24)).flatMap(({ points }) => points.map(({ commit }) => commit))).toEqual(['c1'])
  })

  test('a file without a column is one line', async () => {
    const { code, stderr } = await run(['-', '--repository-id', '18'], tsvOf(one({})).replace('\tside\t', '\tend\t'))
    expect({ code, stderr: stderr.trimEnd() }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^perf-triage.*the column side is missing; docs\/formats.md lists them all$/,
      ) as string,
    })
  })
})

/** Runs of the trunk as the Action keeps them: of both builds, then of the new one alone. */
function linesOfAction(first: number, isAlone = false): HistoryRun[] {
  return Array.from({ length: 12 }, (_, i): HistoryRun => {
    const commit = (number: number) => number.toString(16).padStart(40, '0')
    const [before, after] = [1 + ((i * 7) % 5) / 100, 1 + ((i * 3) % 5) / 100]
    const rows = ['SELECT 1', 'SELECT 1', 'SELECT 2'].map((queryName, queryIndex) => ({
      ...{ test: 'join', queryName, queryIndex: isAlone ? null : queryIndex },
      ...{ old: isAlone ? null : before, new: after + queryIndex, repetitions: 15, processes: 3 },
      difference: isAlone ? null : 0.25,
      threshold: isAlone ? null : 0.1,
    }))
    return {
      ...{ run: first + i, attempt: 1, check: 'perf', shard: null, shards: null, machine: 'EPYC 7763' },
      ...{ commit: commit(first + i), base: isAlone ? null : commit(first + i - 1), branch: 'trunk', url: '' },
      ...{ time: NOON + i * DAY, architecture: 'amd64', metric: 'client_time' },
      rows: isAlone ? rows.slice(1) : rows,
    }
  })
}

test('the history of the Action is taken along, and nothing of it is judged anew', async () => {
  const runs = linesOfAction(100)
  const lines = runs.map(historyLine)
  const closed = await file('2026-05.jsonl.gz', gzipSync(`${lines.slice(0, 6).join('\n')}\n`))
  const open = await file('2026-06.jsonl', `${lines.slice(5).join('\n')}\n${lines.at(-1)!.slice(0, 80)}\n{"v":2}\n`)
  const argv = [closed, open, '--repository-id', '90']
  const expected = 'imported 39 rows: 2 queries, 12 runs, 2026-06-01 to 2026-06-12'
  const { stdout, stderr } = await run(argv)
  expect(stdout).toBe(`${expected}; 36 new, the others were already stored; 2 lines were not read\n`)
  expect(stderr).toBe(
    `warning: ${open}:8: this is not JSON: skipped\nwarning: ${open}:9: a later version of perf-triage wrote this line; import it with that version: skipped\n`,
  )
  expect((await run(argv)).stdout).toBe(`${expected}; all were already stored; 2 lines were not read\n`)
  const inMemory = trunkHistoryOfRows(runs.flatMap(trunkRowsOf))
  const of = { repositoryId: 90, metric: 'client_time', now: NOON }
  const all = await Array.fromAsync(inMemory.allSeries(of, { from: 0, to: NOON + 1000 * DAY }))
  const inOrder = (series: readonly TrunkSeries[]) => series.toSorted((a, b) => (queryKey(a) < queryKey(b) ? -1 : 1))
  expect(inOrder(await seriesOf(90))).toEqual(inOrder(all.flat()))
})

test('one-sided runs of the Action’s history are taken along', async () => {
  const runs = linesOfAction(200, true)
  const lines = await file('one-sided.jsonl', runs.map(historyLine).join('\n'))
  const { stdout } = await run([lines, '--repository-id', '91', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ rows: 0, oneSidedRuns: 12, warnings: [] })
  await run([lines, '--repository-id', '91'])
  const store = storeOn(await openClickHouse(database))
  try {
    const at = { metric: 'client_time', before: NOON + 100 * DAY }
    const wanted = { ...at, repositoryId: 91, head: { sha: 'head', pullRequestNumber: 7 } }
    const [measured] = runs[0]!.rows
    const one: Measurement = {
      ...{ test: measured!.test, queryName: measured!.queryName, queryIndex: null, metric: at.metric, unit: 's' },
      ...{ architecture: null, old: [], new: [1, 2, 3], reportThreshold: null, rounded: false, problems: [] },
    }
    const job: Run = {
      ...{ repositoryId: 91, pullRequestNumber: 7, head: 'head', check: 'perf', architecture: 'amd64', attempt: 1 },
      ...{ shard: null, shards: null, source: 'artifact 1', finishedAt: new Date(NOON + 90 * DAY).toISOString() },
      ...{ oldCommit: null, newCommit: null, warnings: [], measurements: [one] },
    }
    await store.runs.save(job, [])
    const stored = await store.runs.oneSidedHistories([job], wanted)
    expect(stored).toEqual(oneSidedHistoriesInFile(runs, [job], [job], at))
    expect([...stored.values()][0]).toMatchObject({ trunkRuns: 12, jobs: 1 })
  } finally {
    await store.close()
  }
})
