import { createHash } from 'node:crypto'
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openClickHouse } from '../../../src/store/client.ts'
import {
  migratedDatabase,
  type OwnDatabase,
  temporaryFolder,
  variablesOf,
} from '../../store/embedded/engine-fixture.ts'
import { type Captured, ledger, line } from './ledger-setting.ts'

/** The id of a commit that nobody else has. */
const sha = (name: string): string => createHash('sha1').update(name).digest('hex')

const DATA = new URL('../../data/', import.meta.url).pathname

let folder = ''
let env: Record<string, string> = {}
let database: OwnDatabase
beforeAll(async () => {
  folder = await temporaryFolder()
  // Each command uses the engine that runs on its folder.
  database = await migratedDatabase()
  env = variablesOf(database)
})

const run = async (argv: readonly string[], stdin?: string): Promise<Captured> =>
  await ledger(['import', ...argv], stdin === undefined ? { env } : { env, stdin })

async function file(name: string, contents: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, contents)
  return path
}

/** What a query over the stored rows gives. */
async function stored(sql: string): Promise<readonly unknown[]> {
  const clickhouse = await openClickHouse(database)
  try {
    return await clickhouse.read('stored', sql, {}, z.unknown())
  } finally {
    await clickhouse.close()
  }
}

test('rows are counted by check, test, failure and day; the same again changes nothing', async () => {
  const rows = await file(
    'a.jsonl',
    [
      line({ commit_sha: 'a', test_name: 'one' }),
      line({ commit_sha: 'a', test_name: 'two', test_status: 'OK' }),
      line({ commit_sha: 'a', test_name: '', test_status: '' }),
      line({ commit_sha: 'b', test_name: 'one', check_name: 'Other', check_start_time: '2026-10-20 00:00:00' }),
    ].join(''),
  )
  const summary = 'imported 4 rows: 2 checks, 2 tests, 3 failing, 2026-10-20 to 2026-11-20'
  expect(await run([rows])).toEqual({ code: 0, stdout: `${summary}\n`, stderr: '' })
  expect(await run([rows])).toEqual({ code: 0, stdout: `${summary}; all were already stored\n`, stderr: '' })
  const more = await file('more.jsonl', `${await readFile(rows, 'utf8')}${line({ commit_sha: 'b', test_name: 'two' })}`)
  expect((await run([more])).stdout).toContain('; 1 new, the others were already stored\n')
  expect(JSON.parse((await run([more, '--json'])).stdout)).toMatchObject({ rows: 5, newRows: 0 })
  const counts = await stored(
    "SELECT count() AS rows, uniq(commit_sha) AS commits FROM checks FINAL WHERE commit_sha IN ('a', 'b')",
  )
  expect(counts).toEqual([{ rows: '5', commits: '2' }])
})

test('several files, compressed and not, of several formats, and stdin; as JSON', async () => {
  const zipped = await file('c.jsonl.gz', gzipSync(line({ commit_sha: 'c' })))
  const tsv = await file('d.tsv', 'test_name\ttest_status\tcheck_start_time\nd\tOK\t2026-11-20 12:00:00\n')
  const argv = [
    zipped,
    '-',
    tsv,
    '--check',
    'Given',
    '--sha',
    sha('given'),
    '--pr',
    '7',
    '--branch',
    'fix',
    '--base',
    'master',
  ]
  const { code, stdout, stderr } = await run(
    [...argv, '--repository', 'o/r', '--repository-id', '5', '--json'],
    line({ commit_sha: 'e' }),
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    schemaVersion: 1,
    rows: 3,
    refused: [],
    passedOver: [],
    newRows: 3,
    checks: 2,
    tests: 2,
    failing: 2,
    from: '2026-11-20T12:00:00.000Z',
    to: '2026-11-20T12:00:00.000Z',
    unknownStatuses: {},
    files: [
      { path: zipped, format: 'JSONEachRow', rows: 1, complete: true },
      { path: '-', format: 'JSONEachRow', rows: 1, complete: true },
      { path: tsv, format: 'TSVWithNames', rows: 1, complete: true },
    ],
    warnings: [],
  })
  const rows = await stored(
    "SELECT repository_id AS id, pull_request_number AS pr, commit_sha AS sha, check_name AS name, head_ref, base_ref, base_repo, head_repo FROM checks FINAL WHERE test_name = 'd'",
  )
  expect(rows).toEqual([
    {
      id: '5',
      pr: 7,
      sha: sha('given'),
      name: 'Given',
      head_ref: 'fix',
      base_ref: 'master',
      base_repo: 'o/r',
      head_repo: '',
    },
  ])
})

test('statuses that say nothing are told with their numbers', async () => {
  const rows = (status: string, number: number) =>
    Array.from({ length: number }, (_, i) => line({ commit_sha: 'statuses', test_name: `s${i}`, test_status: status }))
  const known = ['FAIL', 'Passed', 'SKIPPED', 'slower'].flatMap((status) => rows(status, 1))
  const pseudo = line({ commit_sha: 'statuses', test_name: 'Usage Storage', test_status: '123' })
  expect((await run(['-'], [...known, pseudo].join(''))).stderr).toBe('')

  const odd = [
    ...rows('TIMEOUT', 3),
    ...rows('WAT\x1b[31m', 1),
    ...['a', 'b', 'c', 'd'].flatMap((name) => rows(name, 2)),
  ]
  const { code, stderr } = await run(['-'], [...known, ...odd].join(''))
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'warning: 12 rows have a status that is neither passing nor failing: TIMEOUT (3), a (2), b (2), c (2), d (2) and 1 other; counted as not executed (docs/ledger.md lists the statuses)\n',
  })
  const { stdout } = await run(['-', '--json'], rows('WAT\x1b[31m', 1).join(''))
  expect(JSON.parse(stdout)).toMatchObject({ unknownStatuses: { 'WAT\x1b[31m': 1 } })
})

describe('the head repository', () => {
  const table = 'test_name\ttest_status\tcheck_start_time\nt\tOK\t2026-11-20 12:00:00\n'
  const imported = async (name: string, ...argv: readonly string[]) => {
    const given = ['--check', 'Heads', '--sha', sha(name), '--repository', 'o/r']
    const { code, stderr } = await run(['-', ...given, ...argv], table)
    const rows = await stored(`SELECT head_repo FROM checks FINAL WHERE commit_sha = '${sha(name)}'`)
    return { code, stderr, rows }
  }
  const WARNING =
    'warning: 1 row of a pull request names no head repository, so these pull requests count as one; give --head-repository OWNER/NAME (docs/ci-results.md)\n'

  test.each([
    ['of a pull request', ['--pr', '7', '--head-repository', 'fork/r'], 'fork/r', ''],
    ['not given', ['--pr', '7'], '', WARNING],
    ['empty, where the fork is gone', ['--pr', '7', '--head-repository', ''], '', WARNING],
    ['empty, on a push', ['--pr', '0', '--head-repository', ''], 'o/r', ''],
    ['of a fork’s own CI', ['--head-repository', 'fork/r'], 'fork/r', ''],
  ])('%s', async (name, argv, expected, stderr) => {
    expect(await imported(name, ...argv)).toEqual({ code: 0, stderr, rows: [{ head_repo: expected }] })
  })

  test('a row says it itself', async () => {
    const row = line({ commit_sha: sha('itself'), pull_request_number: 7, head_repo: 'a/r' })
    expect((await run(['-', '--head-repository', 'b/r'], row)).stderr).toBe('')
    expect(await stored(`SELECT head_repo FROM checks FINAL WHERE commit_sha = '${sha('itself')}'`)).toEqual([
      { head_repo: 'a/r' },
    ])
  })
})

describe('JUnit', () => {
  const report = join(DATA, 'junit-enricomi/pytest/junit.fail.xml')

  test('is one job of the check and commit', async () => {
    const { code, stdout, stderr } = await run([
      report,
      '--check',
      'Unit',
      '--sha',
      sha('junit'),
      '--pr',
      '42',
      '--head-repository',
      'o/r',
    ])
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'imported 5 rows: 1 check, 5 tests, 1 failing, 2020-09-04\n',
      stderr: '',
    })
    const rows = await stored(
      `SELECT test_name AS test, signature_kind AS kind FROM checks FINAL WHERE commit_sha = '${sha('junit')}' AND test_status = 'FAIL'`,
    )
    expect(rows).toEqual([{ test: 'test/test_spark.py::SparkTests::test_rsh_events', kind: 'output' }])
  })

  test('without check and commit nothing is read', async () => {
    expect(await run([report])).toEqual({
      code: 2,
      stdout: '',
      stderr: `perf-triage ledger import: ${report}: JUnit XML does not say which check and commit it belongs to; give --check NAME and --sha SHA\n`,
    })
  })

  test('without a time that of the file stands for it; given, all files have that one', async () => {
    const one = await file('1.xml', '<testsuites><testcase name="t1"/></testsuites>')
    const two = await file('2.xml', '<testsuites timestamp="2026-03-01T10:00:00"><testcase name="t2"/></testsuites>')
    await utimes(one, 1_770_000_000, 1_770_000_000)
    const told = await run([one, two, '--check', 'Unit', '--sha', sha('times')])
    expect(told.stderr).toBe(
      `warning: ${one}: it states no time: taken from the file’s modification time, 2026-02-02T02:40:00Z (--time gives another)\n`,
    )
    await run([one, two, '--check', 'Unit', '--sha', sha('given'), '--time', '2026-03-02 10:00:00'])
    const sql = `SELECT commit_sha AS sha, groupUniqArray(toString(check_start_time)) AS times FROM checks FINAL WHERE commit_sha IN ('${sha('times')}', '${sha('given')}') AND test_name IN ('t1', 't2') GROUP BY sha ORDER BY times DESC`
    expect(await stored(sql)).toEqual([
      { sha: sha('given'), times: ['2026-03-02 10:00:00'] },
      { sha: sha('times'), times: ['2026-02-02 02:40:00'] },
    ])
  })

  test('without a time the same file is the same job, however new it is', async () => {
    const results = await file(
      'no-time.xml',
      '<testsuites><testcase name="t1"><failure>x</failure></testcase></testsuites>',
    )
    const argv = [results, '--check', 'Unit', '--sha', sha('no-time')]
    await utimes(results, 1_770_000_000, 1_770_000_000)
    await run(argv)
    await utimes(results, 1_770_100_000, 1_770_100_000)
    expect(await run(argv)).toEqual({
      code: 0,
      stdout: 'imported 1 row: 1 check, 1 test, 1 failing, 2026-02-02; all were already stored\n',
      stderr: `warning: ${results}: it states no time: taken to be the job of this check and commit that is already stored, 2026-02-02T02:40:00Z (--time gives another)\n`,
    })
    // of another pull request, or with a time of its own, it is another job
    expect((await run([...argv, '--pr', '9'])).stdout).toContain('2026-02-03\n')
    expect((await run([...argv, '--time', '2026-02-04'])).stdout).toContain('2026-02-04\n')
  })

  test('a damaged file: what was read is there, the exit code says that it is not all', async () => {
    const path = join(DATA, 'junit-enricomi/pytest/corrupt-xml.xml')
    expect(await run([path, '--check', 'Unit', '--sha', sha('corrupt')])).toEqual({
      code: 2,
      stdout: 'imported 1 row: 1 check, 1 test, 0 failing, 2020-09-04\n',
      stderr: [
        `warning: ${path}:11: column 21: unclosed tag: skipped; the rest is skipped\n`,
        `perf-triage ledger import: not read completely: ${path}; the rows before are stored\n`,
      ].join(''),
    })
  })
})

describe('a compressed file that was cut', () => {
  const whole = gzipSync(
    Array.from({ length: 40 }, (_, i) => line({ commit_sha: 'cut', test_name: `t${i * 7919}` })).join(''),
  )

  test('what was read of it is there, however little it is', async () => {
    const path = await file('cut.jsonl.gz', whole.subarray(0, -20))
    const { code, stdout, stderr } = await run([path])
    expect(code).toBe(2)
    expect(stdout).toMatch(/^imported \d+ rows: 1 check, /)
    expect(stderr).toContain(`warning: ${path}: can’t be read completely: unexpected end of file\n`)
    expect(stderr).toContain(`perf-triage ledger import: not read completely: ${path}; the rows before are stored\n`)
  })

  test('of one without a byte the name is told', async () => {
    const path = await file('cut-at-once.jsonl.gz', whole.subarray(0, 12))
    expect(await run([path])).toEqual({
      code: 2,
      stdout: '',
      stderr: `perf-triage ledger import: ${path}: can’t be read completely: unexpected end of file\n`,
    })
  })
})

describe('what can’t be read', () => {
  const nothing = (message: string) => ({ code: 2, stdout: '', stderr: `perf-triage ledger import: ${message}\n` })

  test('a file beside others is told, and the others are imported', async () => {
    const good = await file('good.jsonl', line({ commit_sha: 'looked-at' }))
    const other = await file('other.xml', '<test-run><test-case/></test-run>')
    const missing = join(folder, 'missing.xml')
    const { code, stdout, stderr } = await run([other, good, missing, '--check', 'c', '--sha', sha('s')])
    expect(code).toBe(2)
    expect(stdout).toMatch(/^imported 1 row: [^\n]*\n1 file read, 2 not read\n$/)
    expect(stderr.split('\n')).toEqual([
      `not read: ${missing}: there is no such file`,
      `not read: ${other}: the root element is <test-run>, but JUnit XML has <testsuites> or <testsuite>`,
      'perf-triage ledger import: 2 of 3 files were not read; the rows of the others are stored',
      '',
    ])
    expect(await stored("SELECT 1 FROM checks WHERE commit_sha = 'looked-at'")).toHaveLength(1)
    const { stdout: document } = await run([other, good, '--check', 'c', '--sha', sha('s'), '--json'])
    expect(JSON.parse(document)).toMatchObject({
      rows: 1,
      files: [{ path: good, rows: 1 }],
      refused: [{ path: other, message: expect.stringContaining('the root element') as string }],
      passedOver: [],
    })
  })

  test('where none can be read nothing is imported', async () => {
    const [one, two] = [await file('one.jsonl', ''), await file('two.jsonl', '')]
    expect(await run([one, two])).toEqual({
      code: 2,
      stdout: '',
      stderr: `not read: ${one}: the file is empty\nnot read: ${two}: the file is empty\nperf-triage ledger import: none of 2 files could be read as CI results; nothing was imported\n`,
    })
  })

  test('a folder and a pattern are the files in it; what holds something else is passed over', async () => {
    const results = join(folder, 'results')
    await mkdir(join(results, 'api', '.cache'), { recursive: true })
    const junit = (name: string) => `<testsuite><testcase name="${name}"><failure/></testcase></testsuite>`
    await writeFile(join(results, 'a.xml'), junit('one'))
    await writeFile(join(results, 'api', 'b.xml'), junit('two'))
    await writeFile(join(results, 'api', '.cache', 'c.xml'), junit('hidden'))
    await writeFile(join(results, 'notes.txt'), 'to be done\n')
    await writeFile(join(results, 'page.html'), '<html/>')
    const given = ['--check', 'Folder', '--sha', sha('f')]
    const expected =
      /^imported 2 rows: 1 check, 2 tests, 2 failing, [^\n]*\n2 files read, 1 skipped, with other contents\n$/
    const ofFolder = await run([results, ...given])
    expect(ofFolder).toMatchObject({ code: 0, stdout: expect.stringMatching(expected) as string })
    const ofPattern = await run([join(results, '**', '*.xml'), ...given, '--json'])
    expect(JSON.parse(ofPattern.stdout)).toMatchObject({ rows: 2, newRows: 0, refused: [], passedOver: [] })
    expect(await run([join(results, '*.trx'), ...given])).toEqual(nothing(`${join(results, '*.trx')}: no file matches`))
  })

  test('paths and options that fit nothing are one line', async () => {
    await mkdir(join(folder, 'folder'))
    expect(await run([])).toEqual(nothing('no FILE: give files or folders of CI results, or - for stdin'))
    expect(await run(['-', '-'], '')).toEqual(nothing('stdin (-) can be read only once'))
    expect(await run([join(folder, 'folder')])).toEqual(
      nothing(`${join(folder, 'folder')}: no file of CI results is in the folder`),
    )
    expect(await run([join(folder, 'none')])).toEqual(nothing(`${join(folder, 'none')}: there is no such file`))
    for (const wrong of [
      ['--pr', 'x'],
      ['--sha', ''],
      ['--sha', '1f2e3d4c'],
      ['--sha', 'HEAD'],
      ['--sha', `${sha('x')}0`],
      ['--time', 'yesterday'],
      ['--repository', 'o'],
      ['--repository-id', '-1'],
      ['--head-repository', '17'],
      ['--check', ' '],
      ['--bogus'],
    ]) {
      const { code, stdout, stderr } = await run(['-', ...wrong], line({}))
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^perf-triage ledger import: [^\n]+; see "perf-triage ledger import --help"\n$/)
    }
    expect((await run(['-', '--format', 'csv'], line({}))).stderr).toMatch(
      /^perf-triage ledger import: option '--format <name>' argument 'csv' is invalid. Allowed choices are auto, junit, JSONEachRow, dequarantine, flakeflagger, TSVWithNames; see /,
    )
    expect((await ledger(['improt'], { env })).stderr).toBe(
      'perf-triage ledger: unknown command "improt"; the commands are "ledger import", "ledger lookup" and "ledger list"\n',
    )
  })

  test('a database that is not there is one line', async () => {
    const away = { ...env, CLICKHOUSE_URL: 'http://127.0.0.1:1', CLICKHOUSE_PASSWORD: 'hunter2' }
    const { code, stdout, stderr } = await ledger(['import', '-'], { env: away, stdin: line({}) })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^perf-triage ledger import: http:\/\/127\.0\.0\.1:1 can't be reached: [^\n]*\n$/)
  })

  test('warnings are counted; the first five are shown, and none steers a terminal', async () => {
    const path = await file('bad\x1b[31m.jsonl', `${line({ commit_sha: 'w' })}${'oops\n'.repeat(30)}`)
    const { code, stdout, stderr } = await run([path])
    expect(code).toBe(0)
    expect(stdout).toBe('imported 1 row: 1 check, 1 test, 1 failing, 2026-11-20\n')
    const lines = stderr.trimEnd().split('\n')
    expect(lines.length).toBe(6)
    expect(lines[0]).toContain(':2: this is not a JSON object: skipped')
    expect(lines[5]).toBe('and 25 more warnings (--json lists them)')
    expect(stderr).not.toContain('\x1b')
  })
})
