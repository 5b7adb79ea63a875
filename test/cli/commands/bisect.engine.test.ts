import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { historyCopies } from '../../../src/store/history/history-copies.ts'
import { storedHistories } from '../../../src/store/history/stored-history.ts'
import { saveTrunkRows } from '../../../src/store/history/trunk-history-rows.ts'
import { Clone } from '../../judge/bisect/clone-builder.ts'
import { recordedSuite } from '../../judge/bisect/recorded-suite.ts'
import { normalNoise } from '../../judge/bisect/series-builder.ts'
import { engineOfRun, migratedDatabase, temporaryFolder, variablesOf } from '../../store/embedded/engine-fixture.ts'
import { perfTriage } from './capture.ts'

const POINTS = 80
const FIRST = Date.UTC(2026, 4, 1)
const DAY = 86_400_000
const NOW = '2026-08-01 00:00:00'

let clone: Clone
let env: Record<string, string> = {}
/** The commits of the points, and two in between each. */
const shas: string[] = []

beforeAll(async () => {
  clone = new Clone()
  // One commit of code in each window, and two of documentation.
  const commits = Array.from({ length: POINTS * 3 }, (_, index) => {
    const path = index % 3 === 1 ? 'src/a.c' : 'docs/a.md'
    return [
      'commit refs/heads/main',
      `committer a <a@example.org> ${1_700_000_000 + index} +0000`,
      'data <<END',
      `Change ${index} (#${1000 + index})`,
      'END',
      `M 100644 inline ${path}`,
      'data <<END',
      `${index}`,
      'END',
      '',
    ].join('\n')
  })
  execFileSync('git', ['-C', clone.folder, 'fast-import', '--quiet'], { input: commits.join('\n') })
  shas.push(...clone.git('rev-list', '--reverse', 'main').split('\n'))

  const database = await migratedDatabase()
  env = variablesOf(database)
  const clickhouse = await openClickHouse(database)
  try {
    await saveTrunkRows(clickhouse, 1, [
      ...history('jit_sort', 12, 'arm', 1, 0.639, { 45: 1.187 }),
      ...history('jit_sort', 12, 'amd', 2, 0.6, {}),
      ...history('insert_codecs', 3, 'arm', 3, 0.1, { 30: 1.4, 60: 1 / 1.4 }),
    ])
  } finally {
    await clickhouse.close()
  }
})
afterAll(() => {
  clone.remove()
})

function commitAt(point: number): string {
  return shas[point * 3]!
}

function history(
  test: string,
  queryIndex: number,
  architecture: string,
  seed: number,
  start: number,
  changes: Readonly<Record<number, number>>,
): TrunkRow[] {
  let level = start
  let before = start
  return normalNoise(seed, POINTS, 0.01).map((noise, index): TrunkRow => {
    level *= changes[index] ?? 1
    const [old, fresh] = [before, level * noise]
    before = fresh
    return rowOf(test, queryIndex, architecture, index, old, fresh)
  })
}

function rowOf(
  test: string,
  queryIndex: number,
  architecture: string,
  index: number,
  old: number,
  fresh: number,
): TrunkRow {
  return {
    source: 'imported',
    time: FIRST + index * DAY,
    oldCommit: index === 0 ? shas[0]! : commitAt(index - 1),
    newCommit: commitAt(index),
    test,
    queryIndex,
    queryName: `SELECT ${test} ${queryIndex}`,
    metric: 'client_time',
    architecture,
    old,
    new: fresh,
    difference: (fresh - old) / old,
    threshold: 0.02,
    workflowName: 'MasterCI',
    baseBranch: '',
    reportUrl: '',
    instanceType: '',
    instanceId: '',
  }
}

const bisect = async (...argv: string[]) =>
  await perfTriage(['bisect', '--repository-id', '1', '--now', NOW, ...argv], { env })

test('of two tests’ queries without a text at the same index the one that stepped is named', async () => {
  const file = join(await temporaryFolder(), 'history.tsv')
  const columns = 'event_time new_sha old_sha test query_index query_display_name metric old_value new_value diff'
  const rows = [...history('alpha', 0, 'amd', 4, 0.1, {}), ...history('beta', 0, 'amd', 5, 0.1, { 40: 1.5 })]
  const lines = rows.map(({ time, newCommit, oldCommit, test: name, old, new: fresh, difference }) =>
    [time / 1000, newCommit, oldCommit, name, 0, '', 'nameless_time', old, fresh, difference].join('\t'),
  )
  await writeFile(file, `${[columns.replaceAll(' ', '\t'), ...lines].join('\n')}\n`)
  expect((await perfTriage(['history', 'import', '--repository-id', '1', file], { env })).code).toBe(0)
  const { stdout } = await bisect('--metric', 'nameless_time')
  expect(stdout).toMatch(/^1 step in 2 histories of the main branch\n/)
  expect(stdout.match(/^[a-z_]+ #\d+.*$/gm)).toEqual([expect.stringMatching(/^beta #0 {2}\+(4[89]|5[012])\.\d% /)])
})

describe('without a clone', () => {
  test('every query that has a step, what lasts first', async () => {
    const { code, stdout, stderr } = await bisect()
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^3 steps \(1 fixed since\) in 3 histories of the main branch\n/)
    const titles = stdout.match(/^[a-z_]+ #\d+.*$/gm)
    expect(titles).toEqual([
      expect.stringMatching(/^jit_sort #12 on arm {2}\+1\d\.\d% {2}\d{3} → \d{3} ms$/),
      expect.stringMatching(/^insert_codecs #3 on arm {2}−2\d\.\d% {2}/),
      expect.stringMatching(/^insert_codecs #3 on arm {2}\+\d\d\.\d% {2}/),
    ])
    expect(stdout).toContain(
      `  last good ${commitAt(44).slice(0, 12)} (2026-06-14 00:00 UTC), first bad ${commitAt(45).slice(0, 12)} (2026-06-15 00:00 UTC)\n`,
    )
    expect(stdout).toContain(`  fixed on the main branch since ${commitAt(60).slice(0, 12)} (2026-06-30 00:00 UTC)`)
  })

  test('one JSON document with the stable fields', async () => {
    const { code, stdout } = await bisect('--test', 'jit_sort', '--query', '12', '--architecture', 'arm', '--json')
    expect(code).toBe(0)
    const document = JSON.parse(stdout)
    expect(document).toMatchObject({ schemaVersion: 1, metric: 'client_time', histories: 1 })
    expect(document.windows).toHaveLength(1)
    const [window] = document.windows
    expect(window).toMatchObject({
      series: 'jit_sort #12 arm',
      index: 45,
      lastGood: { commit: commitAt(44), time: '2026-06-14T00:00:00.000Z' },
      firstBad: { commit: commitAt(45), time: '2026-06-15T00:00:00.000Z' },
      direction: 'slower',
      earliest: 45,
      latest: 45,
      test: 'jit_sort',
      queryIndex: 12,
      queryName: 'SELECT jit_sort 12',
      metric: 'client_time',
      architecture: 'arm',
      commits: null,
      commitCount: null,
      plan: [],
      recovered: null,
      source: 'imported',
    })
    expect(window.step).toBeCloseTo(window.after / window.before - 1, 12)
    expect(window.step).toBeCloseTo(0.187, 1)
    expect(window.firstBad.value).toBeGreaterThan(0.7)
  })

  test('the history ends and starts where it is told to', async () => {
    const early = await perfTriage(['bisect', '--now', '2026-05-20 00:00:00', '--json'], { env })
    expect(JSON.parse(early.stdout).windows).toEqual([])
    const { stdout } = await bisect('--days', '35', '--json', '--test', 'insert_codecs')
    expect(JSON.parse(stdout).windows.every(({ step }: { step: number }) => step < 0)).toBe(true)
  })
})

describe('with a clone', () => {
  test('the commits in between, which can change the binary, and the build to confirm', async () => {
    const { code, stdout } = await bisect(
      '--architecture',
      'arm',
      '--test',
      'jit_sort',
      '--repository',
      clone.folder,
      '--json',
    )
    expect(code).toBe(0)
    const [window] = JSON.parse(stdout).windows
    expect(window).toMatchObject({ commitCount: 3, setAside: 2, steps: 0, problem: null })
    const culprit = shas[44 * 3 + 1]!
    expect(
      window.commits.map(({ sha, functional }: { sha: string; functional: boolean }) => [sha, functional]),
    ).toEqual([
      [culprit, true],
      [shas[44 * 3 + 2], false],
      [shas[45 * 3], false],
    ])
    expect(window.commits[0]).toMatchObject({
      title: 'Change 133 (#1133)',
      pullRequestNumber: 1133,
      files: ['src/a.c'],
    })
    expect(window.plan).toEqual([{ commit: culprit, repetitions: 7, level: 1, after: null }])

    const table = await bisect('--architecture', 'arm', '--test', 'jit_sort', '--repository', clone.folder)
    expect(table.stdout).toContain('  3 commits, 2 of them can’t change the binary\n')
    expect(table.stdout).toContain(
      `  one functional change in the window: ${culprit.slice(0, 12)} Change 133 (#1133)\n`,
    )
    expect(table.stdout).not.toContain('--clone')
    const named = await bisect('--architecture', 'arm', '--test', 'jit_sort', '--clone', clone.folder)
    expect(named).toEqual(table)
    expect(table.stdout).toContain('  7 repetitions per side are enough to confirm it\n')
  })

  test('a clone without the commits says so in each window; no clone is bad input', async () => {
    const other = new Clone()
    try {
      other.commit('one', { a: '1' })
      const { code, stdout } = await bisect('--test', 'jit_sort', '--repository', other.folder)
      expect(code).toBe(0)
      expect(stdout).toContain(
        `  the commits are not known: the commit ${commitAt(44)} is not in the clone; fetch it\n`,
      )
    } finally {
      other.remove()
    }
    const none = await bisect('--test', 'jit_sort', '--repository', '/nonexistent')
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toBe(
      'perf-triage bisect: --repository /nonexistent: not an owner/name, not a number, and no folder of a clone\n',
    )
    expect((await bisect('--clone', '/nonexistent')).stderr).toBe(
      'perf-triage bisect: /nonexistent: not a clone of a repository\n',
    )
  })
})

describe('the script', () => {
  test('bisects the one window, with the address of a build', async () => {
    const link = 'https://builds.example/{sha}/clickhouse'
    const { code, stdout } = await bisect('--test', 'jit_sort', '--script', '--build-link', link)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^#!\/bin\/sh\n/)
    expect(stdout).toContain(`good=${commitAt(44)}\nbad=${commitAt(45)}\n`)
    expect(stdout).toContain('https://builds.example/')
    expect(stdout).not.toContain('results/inert')
    const skipping = await bisect('--test', 'jit_sort', '--script', '--repository', clone.folder, '--skip-inert')
    expect(skipping.stdout).toContain(`<<'END'\n${shas[44 * 3 + 2]}\n${shas[45 * 3]}\nEND\n`)
  })

  test('one is to be chosen, there must be one, and an address that is none is bad input', async () => {
    const some = await bisect('--script')
    expect(some.code).toBe(2)
    expect(some.stderr).toMatch(/^perf-triage bisect: 2 windows, but a script bisects only one: choose with --test/)
    const none = await bisect('--script', '--test', 'jit_sort', '--architecture', 'amd')
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toContain('there is no step')
    expect((await bisect('--test', 'jit_sort', '--script', '--build-link', 'ftp://{sha}')).stderr).toContain('{sha}')
  })
})

test('no history of what was asked for is not "no step"', async () => {
  const { code, stdout, stderr } = await bisect('--test', 'nothing', '--query', '1')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(
    /^perf-triage bisect: there is no history of client_time of nothing #1 in the 365 days until 2026-08-01 00:00 UTC in the history in /,
  )
  const json = await bisect('--test', 'nothing', '--json')
  expect([json.code, JSON.parse(json.stdout).windows]).toEqual([2, []])
  const quiet = await bisect('--test', 'jit_sort', '--architecture', 'amd')
  expect(quiet).toMatchObject({ code: 0, stdout: 'no steps in 1 history of the main branch\n' })
})

describe('other histories', () => {
  let stored: Record<string, string> = {}
  beforeAll(async () => {
    const database = await migratedDatabase()
    stored = variablesOf(database)
    const clickhouse = await openClickHouse(database)
    const short = (row: TrunkRow): TrunkRow => ({
      ...row,
      oldCommit: row.oldCommit.slice(0, 12),
      newCommit: row.newCommit.slice(0, 12),
    })
    try {
      await saveTrunkRows(
        clickhouse,
        1,
        Array.from({ length: 12 }, (_, i) => history('release', i, 'arm', 20 + i, 0.1, { 45: 1.3 + i / 10 })).flat(),
      )
      await saveTrunkRows(clickhouse, 1, history('short', 0, 'arm', 40, 0.1, { 45: 1.5 }).map(short))
      // Its own run has much noise, so that the step rule does not see it, and was measured against another build than that
      // of the run before, so that it is no paired evidence; and it is below 20%.
      const slow = history('unsure', 0, 'arm', 41, 0.1, { 45: 1.15 }).map((row, index) => ({
        ...row,
        ...(index === 45 && { threshold: 0.5, oldCommit: commitAt(43) }),
      }))
      await saveTrunkRows(clickhouse, 1, slow)
      const recorded = recordedSuite('orders_sort').flatMap(({ test, queryIndex, points }) =>
        points.map(({ old, new: fresh, threshold }, index) => ({
          ...rowOf(test, queryIndex!, 'amd', index, old, fresh),
          threshold: threshold!,
        })),
      )
      await saveTrunkRows(clickhouse, 1, recorded)
      await saveTrunkRows(
        clickhouse,
        1,
        history('memory', 0, 'arm', 42, 2.5e8, { 45: 1.4 }).map((row) => ({ ...row, metric: 'memory_usage' })),
      )
    } finally {
      await clickhouse.close()
    }
  })
  const ask = async (argv: readonly string[], columns?: number) =>
    await perfTriage(['bisect', '--repository-id', '1', '--now', NOW, ...argv], {
      env: { ...stored, NO_COLOR: '1' },
      ...(columns === undefined ? {} : { columns }),
    })

  test('steps between the same two commits are one window', async () => {
    const { stdout } = await ask(['--test', 'release', '--repository', clone.folder])
    expect(stdout).toMatch(/^12 steps in 12 histories of the main branch\n\n12 queries {2}\+[23]\d\.\d … \+1\d\d%\n/)
    expect(stdout.match(/last good/g)).toHaveLength(1)
    expect(stdout.match(/one functional change in the window/g)).toHaveLength(1)
    // The largest first, and no more than ten of them.
    expect(stdout).toMatch(/ {2}- release #11 on arm {2}\+1\d\d% {2}[\d.]+ → \d+ ms/)
    expect(stdout).toContain('  - and 2 more\n')
    expect(stdout).not.toContain('release #1 on arm')
    const all = JSON.parse((await ask(['--test', 'release', '--json'])).stdout) as { windows: unknown[] }
    expect(all.windows).toHaveLength(12)
  })

  test('the beginnings of commit ids are completed by the clone for the script', async () => {
    const { code, stdout } = await ask(['--test', 'short', '--script', '--repository', clone.folder])
    expect(code).toBe(0)
    expect(stdout).toContain(`good=${commitAt(44)}\nbad=${commitAt(45)}\n`)
    expect((await ask(['--test', 'short', '--script'])).stderr).toContain('is not a full commit ID')
  })

  test('a step that is not sure enough is said of a test that was asked for', async () => {
    const { stdout } = await ask(['--test', 'unsure'])
    expect(stdout).toMatch(
      /^no steps in 1 history of the main branch\n\nseen only by the change points, so too uncertain for a window:\n {2}- unsure #0 on arm {2}\+1\d\.\d% {2}[\d.]+ → [\d.]+ ms, first bad [0-9a-f]{12} \(2026-06-15 00:00 UTC\)\n$/,
    )
    expect((await ask(['--architecture', 'arm'])).stdout).not.toContain('not sure enough')
  })

  test('a query that stepped with its neighbour is named, also where it alone is asked for', async () => {
    const alone = await ask(['--test', 'orders_sort', '--query', '0'])
    expect(alone.stdout).toMatch(
      /^1 step in 1 history of the main branch\n\norders_sort #0 on amd {2}\+1\d\.\d% {2}48\.\d → 5\d/,
    )
    expect(alone.stdout).toContain('seen by the levels where a neighbour stepped alone')
    const { stdout } = await ask(['--test', 'orders_sort', '--json'])
    const { windows } = JSON.parse(stdout) as { windows: { queryIndex: number; seenBy: string; firstBad: object }[] }
    const [first, second] = windows
    expect(windows.map(({ queryIndex }) => queryIndex)).toEqual([1, 0])
    expect([first!.seenBy === 'neighbour', second!.seenBy]).toEqual([false, 'neighbour'])
  })

  test('memory has a unit', async () => {
    expect((await ask(['--metric', 'memory_usage'])).stdout).toMatch(
      /memory #0 on arm {2}\+\d+\.\d% {2}\d+ → \d+ MiB\n/,
    )
  })

  test('a narrow terminal breaks lines and loses nothing; one that says it has no columns has 80', async () => {
    const wide = (await ask(['--test', 'short'])).stdout
    const words = (text: string) => text.split(/\s+/).filter((word) => word !== '')
    for (const columns of [60, 80, 0]) {
      const { stdout } = await ask(['--test', 'short'], columns)
      expect(words(stdout)).toEqual(words(wide))
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns || 80)
    }
    expect(wide).toContain('--clone DIR, a local clone, adds the commits in between\n')
  })
})

test('the repository with a history is taken where nobody has said which, and said', async () => {
  const database = await migratedDatabase()
  const data = variablesOf(database)
  const clickhouse = await openClickHouse(database)
  try {
    await saveTrunkRows(clickhouse, 5, history('jit_sort', 12, 'arm', 1, 0.639, { 45: 1.187 }))
  } finally {
    await clickhouse.close()
  }
  const asked = await perfTriage(['bisect', '--now', NOW], { env: data })
  expect(asked.stdout).toMatch(/^1 step in 1 history of the main branch\n/)
  expect({ code: asked.code, stderr: asked.stderr }).toEqual({
    code: 0,
    stderr: 'perf-triage bisect: the history of repository 5, the only one stored\n',
  })
  expect((await perfTriage(['bisect', '--now', NOW, '--repository', '5'], { env: data })).stdout).toBe(asked.stdout)
  expect((await perfTriage(['bisect', '--repository', 'acme/engine'], { env: data })).stderr).toMatch(
    /^perf-triage bisect: no report of acme\/engine is stored: give its ID with --repository;/,
  )
  const early = await perfTriage(['bisect', '--now', '2025-01-01', '--repository-id', '5'], { env: data })
  expect({ code: early.code, stderr: early.stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('in the 365 days until 2025-01-01 00:00 UTC in ') as string,
  })
})

test('what the CI database has is copied first, by the command itself', async () => {
  const database = await migratedDatabase()
  const clickhouse = await openClickHouse(database)
  try {
    await clickhouse.command(
      'create',
      `CREATE TABLE default.query_metrics_v2 (event_time DateTime('UTC'), pr_number UInt32, old_sha String, new_sha String, test String,
        query_index UInt32, query_display_name String, metric String, old_value Float64, new_value Float64, diff Float64,
        stat_threshold Float64, arch String) ENGINE = MergeTree ORDER BY event_time`,
    )
    const columns =
      'event_time pr_number old_sha new_sha test query_index query_display_name metric old_value new_value diff stat_threshold arch'
    const rows = history('jit_sort', 12, 'arm', 1, 0.639, { 45: 1.187 }).map((row) => [
      ...[row.time / 1000, 0, row.oldCommit, row.newCommit, row.test, row.queryIndex, row.queryName, row.metric],
      ...[row.old, row.new, row.difference, row.threshold, row.architecture],
    ])
    await clickhouse.insert('default.query_metrics_v2', columns.split(' '), rows)
    const { url, user, password } = engineOfRun()
    const withDatabase = { ...variablesOf(database), CIDB_USER: user, CIDB_PASSWORD: password }
    const ask = async (ciUrl: string, ...argv: string[]) =>
      await perfTriage(['bisect', '--now', NOW, ...argv], { env: { ...withDatabase, CIDB_URL: ciUrl } })
    expect((await ask(url)).stderr).toContain('give its ID with --repository')
    const asked = await ask(url, '--repository-id', '7')
    expect([asked.code, asked.stderr]).toEqual([0, ''])
    expect(asked.stdout).toMatch(/^1 step in 1 history of the main branch\n/)
    expect(
      (await storedHistories(clickhouse)).map(({ repositoryId, runs, sources }) => [repositoryId, runs, sources]),
    ).toEqual([[7, POINTS, ['ci-database']]])
    const other = await ask(url, '--repository-id', '7', '--trunk', 'develop')
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('is copied for the branch master main')])
    const down = await ask('http://127.0.0.1:1', '--repository-id', '8')
    expect([down.code, down.stderr.trim().split('\n').length]).toEqual([2, 1])

    // A database that refuses it: what was copied is used where it reaches back far enough. Raw runs it never had.
    const refused = async (...argv: string[]) =>
      await perfTriage(['bisect', '--now', NOW, '--repository-id', '7', ...argv], {
        env: { ...withDatabase, CIDB_URL: url, CIDB_PASSWORD: 'changed' },
      })
    for (let again = 0; again < 2; again += 1) {
      const used = await refused()
      expect([used.code, used.stdout]).toEqual([0, asked.stdout])
      expect(used.stderr).toMatch(
        /^perf-triage bisect: .* What was copied from it before, until 20.* UTC, is used\.\n$/,
      )
    }
    const far = await refused('--days', '3000')
    expect([far.code, far.stdout]).toEqual([2, ''])
    expect(far.stderr).toMatch(
      /^perf-triage bisect: .* reaches back to 20.* UTC, not to 20.* UTC: give fewer --days\n$/,
    )
    const copies = historyCopies(clickhouse)
    const whole = (await copies.states()).find(({ copiedFrom }) => copiedFrom === `${url}/query_metrics_v2`)!
    const hour = Date.parse(`${NOW}Z`) / 3_600_000
    const [first, end] = whole.covered[0]!
    // Copied but for two stretches, and copied half.
    for (const [covered, code, words] of [
      [
        [
          [first, hour - 50],
          [hour - 48, hour - 20],
          [hour - 19, end],
        ],
        0,
        /is used; 3 hours are missing: (\S+ \S+ UTC to \S+ \S+ UTC(, )?){2}\.\n$/,
      ],
      [[[hour - 2400, end]], 2, /reaches back to .* give fewer --days\n$/],
      [[], 2, /^perf-triage bisect: (?!.*copied).*\n$/],
    ] as const) {
      await copies.save({ ...whole, covered })
      const { code: ended, stdout, stderr } = await refused()
      expect([ended, stdout]).toEqual([code, code === 0 ? asked.stdout : ''])
      expect(stderr).toMatch(words)
    }
    await copies.save({ ...whole, covered: [[hour - 2400, end]] })
    const near = await refused('--days', '90')
    expect([near.code, near.stderr]).toEqual([0, expect.stringMatching(/ is used\.\n$/)])
    await copies.save(whole)
    // Another table than those that it would copy: the server's, which it leaves as it is.
    const states = async () => await historyCopies(clickhouse).states()
    const before = await states()
    const stored = await ask('http://127.0.0.1:1', '--repository-id', '7')
    expect([stored.code, stored.stdout]).toEqual([0, asked.stdout])
    expect(await states()).toEqual(before)
  } finally {
    await clickhouse.command('drop', 'DROP TABLE default.query_metrics_v2')
    await clickhouse.close()
  }
})

test('bad input is one line', async () => {
  for (const argv of [
    ['--script', '--json'],
    ['--build-link', 'https://a/{sha}'],
    ['--script', '--skip-inert'],
    ['--query', '1'],
    ['--test', 'a', '--query', 'x'],
    ['--days', '0'],
    ['--now', 'soon'],
    ['extra'],
  ]) {
    const { code, stdout, stderr } = await perfTriage(['bisect', ...argv], { env })
    expect([code, argv.includes('--json') || stdout === ''], argv.join(' ')).toEqual([2, true])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  }
})
