import { Buffer } from 'node:buffer'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openInbox } from '../../../src/inbox/inbox.ts'
import { openStore, type Store } from '../../../src/store/store.ts'
import { failure, judged } from '../../report/render/failing-tests-builder.ts'
import {
  engineOfRun,
  migratedDatabase,
  type OwnDatabase,
  serverVariablesOf,
  temporaryFolder,
  variablesOf,
} from '../../store/embedded/engine-fixture.ts'
import { sampleReport } from '../../web/sample-report.ts'
import { type Captured, ledger, line } from './ledger-setting.ts'

const OUTPUT = 'Code: 241. DB::Exception: Memory limit exceeded\nwhile executing'
const CHECK = 'Stateless (asan)'

let folder = ''
let database: OwnDatabase
let env: Record<string, string> = {}

/** Pull requests 11 to 17 failed like 42 does, the first of them in two commits; the trunk ran 200 times and never did. */
function history(): string {
  const rows: string[] = []
  const other = (pr: number, sha: string, day: number) =>
    line({
      pull_request_number: pr,
      commit_sha: sha,
      check_start_time: `2026-11-${day < 10 ? '0' : ''}${day} 12:00:00`,
      base_ref: 'master',
      head_ref: `b${pr}`,
      head_repo: `author${pr}/r`,
      test_context_raw: OUTPUT,
    })
  for (let pr = 11; pr <= 17; pr += 1) rows.push(other(pr, `s${pr}`, pr - 7))
  rows.push(other(11, 's11-again', 11))
  for (let run = 0; run < 200; run += 1) {
    const time = new Date(Date.UTC(2026, 10, 20, 11) - run * 2 * 3_600_000).toISOString()
    for (const test_name of ['chronic', "mine | 'quoted' [a-1]"]) {
      rows.push(
        line({
          commit_sha: `trunk${run}`,
          check_start_time: time,
          test_name,
          test_status: 'OK',
          check_status: 'success',
        }),
      )
    }
  }
  const own = { pull_request_number: 42, commit_sha: 'head', base_ref: 'master', head_ref: 'fix', head_repo: 'me/r' }
  rows.push(
    line({ ...own, test_context_raw: OUTPUT }),
    line({ ...own, commit_sha: 'before', check_start_time: '2026-11-18 12:00:00', test_context_raw: OUTPUT }),
    line({ ...own, test_name: "mine | 'quoted' [a-1]", test_context_raw: 'result differs\n-1\n+2' }),
    line({ ...own, test_name: 'new_test', test_context_raw: 'boom' }),
    line({ ...own, test_name: 'Check failed', test_context_raw: 'Connection refused' }),
    line({ ...own, test_name: '', test_status: '' }),
    line({ ...own, check_name: 'Mergeable Check', test_name: '', test_status: '' }),
    line({ ...own, commit_sha: 'measured', check_name: 'Performance', test_name: 'sum #1', test_status: 'slower' }),
    line({ ...own, commit_sha: 'measured', check_name: 'Performance', test_name: 'sum #3', test_status: 'slower' }),
    line({ ...own, commit_sha: 'measured', check_name: 'Performance', test_name: 'min #2', test_status: 'unstable' }),
    line({ ...own, commit_sha: 'measured', check_name: 'Performance', test_name: '', test_status: '' }),
    line({ ...own, commit_sha: 'green', test_name: 'chronic', test_status: 'OK', check_status: 'success' }),
  )
  const trunk = { test_name: 'recovered', test_context_raw: OUTPUT }
  rows.push(
    line({ ...trunk, commit_sha: `a1${'0'.repeat(38)}`, check_start_time: '2026-11-17 12:00:00' }),
    line({ ...trunk, commit_sha: `a2${'0'.repeat(38)}`, check_start_time: '2026-11-18 12:00:00' }),
    line({ ...trunk, commit_sha: `a3${'0'.repeat(38)}`, check_start_time: '2026-11-19 12:00:00', test_status: 'OK' }),
    line({ test_name: 'params[utc-1]', commit_sha: `abcdef0${'1'.repeat(33)}`, pull_request_number: 50 }),
    line({ test_name: 'params[utc-2]', commit_sha: `abcdef0${'2'.repeat(33)}`, pull_request_number: 51 }),
    line({ test_name: 'never params', commit_sha: `a3${'0'.repeat(38)}`, test_status: 'OK' }),
  )
  return rows.join('')
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21) })
  folder = await temporaryFolder()
  database = await migratedDatabase()
  env = variablesOf(database)
  const { code, stdout } = await ledger(['import', '-'], { env, stdin: history() })
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'imported 426 rows: 3 checks, 11 tests, 20 failing, 2026-11-03 to 2026-11-20\n',
  })
})
afterAll(() => {
  vi.useRealTimers()
})

const lookupIn = async (of: Readonly<Record<string, string>>, argv: readonly string[]): Promise<Captured> =>
  await ledger(['lookup', '--lookback', '30', ...argv], { env: of })
const lookup = (...argv: readonly string[]) => lookupIn(env, argv)

interface Document {
  readonly schemaVersion: number
  readonly lookbackDays: number
  readonly failures: readonly Readonly<Record<string, unknown>>[]
}

async function json(...argv: readonly string[]): Promise<Document> {
  const { code, stdout, stderr } = await lookup('--json', ...argv)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Document
}

describe('names that are another one in each run', () => {
  const uuid = (n: number) => `3fa85f64-5717-4562-b3fc-${String(n).padStart(12, '0')}`
  const names: Readonly<Record<string, (n: number) => string>> = {
    uuid: (n) => `tests/test_db.py::test_write[${uuid(n)}]`,
    same: (n) => `Logical error: 'Bucket ${n} is pushed twice' (STID: 2508-468c)`,
    other: (n) => `Logical error: '${n === 42 ? 'Bucket 42 is lost' : `Block ${n} is lost`}' (STID: 1486-3231)`,
  }
  const row = (number: number, name: (n: number) => string, sha: string) =>
    line({
      pull_request_number: number,
      commit_sha: sha,
      check_start_time: `2026-11-${number === 42 ? 20 : 10} 12:00:00`,
      test_name: name(number),
      base_ref: 'master',
      head_ref: `b${number}`,
      head_repo: `u${number}/r`,
      test_context_raw: 'E   TimeoutError: timed out',
    })

  test('have the history of their test, and of their stack', async () => {
    const own = variablesOf(await migratedDatabase())
    const rows = Object.entries(names).flatMap(([, name]) => [
      ...[11, 12, 13, 14].map((number) => row(number, name, `s${number}`)),
      row(42, name, 'varying'),
    ])
    // The check ran often enough to say that a failure came nowhere else.
    for (let run = 0; run < 100; run += 1) {
      rows.push(line({ commit_sha: `t${run}`, test_name: '', test_status: '', check_status: 'success' }))
    }
    expect((await ledger(['import', '-'], { env: own, stdin: rows.join('') })).code).toBe(0)
    const { stdout } = await lookupIn(own, ['--json', '--pr', '42', '--sha', 'varying', '--repository', 'o/r'])
    const { failures } = JSON.parse(stdout) as Document
    const told = failures.map(({ testName, classification, unrelatedPullRequests, hits }) => [
      String(testName),
      [classification, unrelatedPullRequests, hits],
    ])
    expect(Object.fromEntries(told)).toEqual({
      [names['uuid']!(42)]: ['chronic', 4, 4],
      [names['same']!(42)]: ['chronic', 4, 4],
      [names['other']!(42)]: ['unknown', 0, 0],
    })
    const text = await lookupIn(own, ['--details', '--pr', '42', '--sha', 'varying', '--repository', 'o/r'])
    expect(text.stdout).toContain(
      'the same stack with a different message elsewhere (4 times, in 4 pull requests), so neither chronic nor new',
    )
    expect(text.stdout).not.toContain('nowhere else')
  })
})

describe('the failing tests of a commit', () => {
  test('as lines to paste', async () => {
    const { stdout } = await lookup('--pr', '42', '--sha', 'head', '--repository', 'o/r', '--as', 'markdown')
    expect(stdout).toMatchInlineSnapshot(`
      "4 failures of \`head\` (#42)
      - \`mine | 'quoted' [a-1]\` in \`Stateless (asan)\` looks like this pull request’s: new error: 0 of 200 executions elsewhere had it.
      - \`Check failed\` in \`Stateless (asan)\` is fallout: follows from \`mine | 'quoted' [a-1]\` in the same job.
      - \`new_test\` in \`Stateless (asan)\` is unknown: no execution elsewhere is known in that time; 59 without a failure would settle it. Nobody has it.
      - \`chronic\` in \`Stateless (asan)\` is chronic: 7 unrelated pull requests, 8 hits, 0 on the main branch in 30 days, since Nov 4, failed in 0 of 200 runs on the main branch. No issue and no owner.
      - \`Mergeable Check\` only sums up other checks.
      "
    `)
    const nothing = await lookup('--pr', '42', '--sha', 'green', '--repository', 'o/r', '--as', 'slack')
    const ofTest = await lookup('--test', 'chronic', '--as', 'markdown')
    expect(ofTest).toMatchObject({ code: 2, stderr: expect.stringContaining('give --sha') })
    expect(nothing.stdout).toMatch(/^no failing test of the commit green in the CI results/)
  })

  test('as JSON: exactly the fields of the interface, with its numbers', async () => {
    const { schemaVersion, lookbackDays, failures } = await json('--pr', '42', '--sha', 'head', '--repository', 'o/r')
    expect({ schemaVersion, lookbackDays }).toEqual({ schemaVersion: 1, lookbackDays: 30 })
    const { stdout } = await ledger(['lookup', '--json', '--test', 'chronic'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ lookbackDays: 60 })
    const classes = Object.fromEntries(
      failures.map((failure) => [failure['testName'] || failure['checkName'], failure['classification']]),
    )
    expect(classes).toEqual({
      chronic: 'chronic',
      "mine | 'quoted' [a-1]": 'pr-suspect',
      new_test: 'unknown',
      'Check failed': 'fallout',
      'Mergeable Check': 'rollup',
    })
    expect(failures.find(({ testName }) => testName === 'chronic')).toMatchObject({
      checkName: CHECK,
      testName: 'chronic',
      signature: 'Code: 241. DB::Exception: Memory limit exceeded',
      status: 'FAIL',
      classification: 'chronic',
      unrelatedPullRequests: 7,
      hits: 8,
      trunkHits: 0,
      runs: 208,
      firstSeen: '2026-11-04T12:00:00.000Z',
      lastSeen: '2026-11-11T12:00:00.000Z',
      reasons: [
        {
          kind: 'unrelated-pull-requests',
          pullRequests: 7,
          needed: 3,
          text: 'failed in 7 unrelated pull requests; 3 make it chronic',
        },
      ],
      causedBy: null,
      issue: null,
    })
    expect(failures.find(({ testName }) => testName === 'Check failed')).toMatchObject({
      causedBy: "mine | 'quoted' [a-1]",
    })
    for (const failure of failures) {
      for (const { kind, text } of failure['reasons'] as readonly Record<string, unknown>[]) {
        expect(typeof kind).toBe('string')
        expect(text).toMatch(/^[^\n\u00a0]+$/)
      }
    }
  })

  test('as a table, a line each', async () => {
    const { code, stdout, stderr } = await lookup('--pr', '42', '--sha', 'head')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')).toEqual([
      '5 failures: 1 looks like yours, 1 fallout, 1 unknown, 1 chronic, 1 rollup',
      '',
      'test                                failure is        pull requests  hits  main branch  since  check',
      "mine | 'quoted' [a-1]               looks like yours              0     0            0         Stateless (asan)",
      'Check failed                        fallout                       0     0            0         Stateless (asan)',
      'new_test                            unknown                       0     0            0         Stateless (asan)',
      'chronic                             chronic                       7     8            0  Nov 4  Stateless (asan)',
      'Mergeable Check (the check itself)  rollup',
      '',
      'failures elsewhere in 30 days; --details has the reasons',
      '',
    ])
  })

  test('in detail, in the words of a maintainer', async () => {
    const { code, stdout, stderr } = await lookup('--pr', '42', '--sha', 'head', '--details')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('5 failures: 1 looks like yours, 1 fallout, 1 unknown, 1 chronic, 1 rollup')
    const block = stdout.slice(stdout.indexOf('\nchronic\n') + 1).split('\n\n')[0]!
    expect(block.split('\n')).toEqual([
      'chronic',
      '  Stateless (asan): Code: 241. DB::Exception: Memory limit exceeded',
      '  chronic  7 unrelated pull requests, 8 hits, 0 on the main branch in 30 days, since Nov 4, failed in 0 of 200 runs on the main branch',
      '  last seen Nov 11: #11, #17, #16, #15, #14 and others',
      '  - failed in 7 unrelated pull requests; 3 make it chronic',
    ])
    expect(stdout).toMatch(/^ {2}- 0 of 200 executions elsewhere had this error/m)
    expect(stdout).not.toContain('\x1b')
  })

  test('a terminal has colours, and lines that fit', async () => {
    const argv = ['lookup', '--pr', '42', '--sha', 'head']
    const table = await ledger(argv, { env, columns: 80 })
    expect(table.stdout).toContain('\x1b[31m')
    for (const text of stripVTControlCharacters(table.stdout).split('\n')) expect(text.length).toBeLessThanOrEqual(80)
    const { stdout } = await ledger([...argv, '--details'], { env, columns: 40 })
    expect(stdout).toContain('\x1b[31m')
    for (const text of stripVTControlCharacters(stdout).split('\n')) expect(text.length).toBeLessThanOrEqual(40)
  })

  test('what a person declared to the bot of the data folder counts, by the name or the number of the repository', async () => {
    const dataDir = await temporaryFolder()
    const inbox = await openInbox(dataDir)
    const repository = { repositoryId: 7, installationId: 1, owner: 'o', repo: 'r', isPrivate: false }
    await inbox.repositories.heard([{ kind: 'there', ...repository }], Date.now())
    const failures = [{ testName: 'new_test', checkName: CHECK, signature: 'boom', issue: null }]
    const by = {
      reason: 'the pool',
      via: 'command',
      actor: 'maria',
      actorId: 1,
      saidAt: Date.UTC(2026, 10, 20),
    } as const
    const subject = { pullRequestNumber: 42, failures }
    await inbox.decisions.add(7, null, { kind: 'chronic', subject, until: Date.UTC(2027, 0, 1), ...by }, Date.now())
    await inbox.close()
    const of = { ...serverVariablesOf(database), PERF_TRIAGE_DATA_DIR: dataDir }
    const named = ['--test', 'new_test', '--repository', 'O/r', '--json']
    const numbered = ['--test', 'new_test', '--repository', '7', '--json']
    for (const argv of [named, numbered, ['--pr', '42', '--sha', 'head', ...named]]) {
      const { stdout } = await lookupIn(of, argv)
      expect(JSON.parse(stdout)).toMatchObject({ failures: [{ testName: 'new_test', classification: 'chronic' }] })
    }
    const { stdout } = await lookupIn(of, ['--test', 'new_test'])
    expect(stdout).toContain('unknown')
  })

  test('without --pr the rows of the commit say whose it is', async () => {
    const { failures } = await json('--sha', 'head', '--test', 'chronic')
    expect(failures.map(({ testName, hits, pullRequestNumber }) => [testName, hits, pullRequestNumber])).toEqual([
      ['chronic', 8, 42],
    ])
  })

  test('--now, --lookback, --changed-file and the configuration change what counts', async () => {
    const of = async (...argv: readonly string[]) =>
      (await json('--pr', '42', '--sha', 'head', '--test', 'chronic', ...argv)).failures[0]!
    expect(await of('--lookback', '12')).toMatchObject({ hits: 3, unrelatedPullRequests: 3, classification: 'chronic' })
    expect(await of('--now', '2026-11-05 12:00:00')).toMatchObject({ hits: 2, classification: 'unknown' })
    const config = join(folder, 'perf-triage.yml')
    await writeFile(config, 'ledger:\n  chronic:\n    pullRequests: 8\n')
    expect(await of('--config', config)).toMatchObject({ hits: 8, classification: 'unknown' })
    const other = await lookup('--pr', '42', '--sha', 'head', '--repository', 'some/other')
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(other.stderr).toContain('no CI results of the commit head of pull request 42 of some/other in')
  })

  test('--mode gating believes those alone whom the bot of the data folder knows', async () => {
    const dataDir = await temporaryFolder()
    const of = { ...serverVariablesOf(database), PERF_TRIAGE_DATA_DIR: dataDir }
    const argv = ['--pr', '42', '--sha', 'head', '--test', 'chronic', '--repository', 'o/r', '--repository-id', '7']
    const judged = async (...more: readonly string[]) => {
      const { stdout } = await lookupIn(of, [...argv, '--json', ...more])
      const [{ classification, reasons }] = JSON.parse(stdout).failures
      return [classification, JSON.stringify(reasons).includes('"word-not-counted","strangers":0,"notKnown":7')]
    }
    expect(await judged()).toEqual(['chronic', false])
    const [unknown, isSaid] = await judged('--mode', 'gating')
    expect([unknown === 'chronic', isSaid]).toEqual([false, true])
    const inbox = await openInbox(dataDir)
    for (const login of ['author11', 'author12', 'author13']) {
      await inbox.people.keep(7, { login, accountId: null, trusted: 'has-commit' }, Date.now())
    }
    await inbox.close()
    expect((await judged('--mode', 'gating'))[0]).toBe('chronic')
  })

  test('--fail-on decides the exit code', async () => {
    const failed = await lookup('--pr', '42', '--sha', 'head', '--fail-on', 'pr-suspect,unknown', '--json')
    expect(failed).toMatchObject({ code: 1, stderr: 'perf-triage ledger lookup: --fail-on: 1 pr-suspect, 1 unknown\n' })
    expect((JSON.parse(failed.stdout) as Document).failures.length).toBe(5)
    expect(await lookup('--pr', '42', '--sha', 'head', '--test', 'chronic', '--fail-on', 'pr-suspect')).toMatchObject({
      code: 0,
      stderr: '',
    })
  })
})

describe('no repository is named', () => {
  const SHA = 'feed'.repeat(10)
  const named = async (ids: readonly number[]) => {
    const own = await migratedDatabase()
    for (const id of ids) {
      const stdin = line({ pull_request_number: 42, commit_sha: SHA, test_name: `of ${id}`, head_repo: 'me/r' })
      const { code } = await ledger(['import', '-', '--repository-id', String(id)], { env: variablesOf(own), stdin })
      expect(code).toBe(0)
    }
    return own
  }
  const ofCommit = ['--pr', '42', '--sha', SHA]

  test('the only one that is stored is taken, with what its people declared', async () => {
    const dataDir = await temporaryFolder()
    const inbox = await openInbox(dataDir)
    const repository = { repositoryId: 7, installationId: 1, owner: 'o', repo: 'r', isPrivate: false }
    await inbox.repositories.heard([{ kind: 'there', ...repository }], Date.now())
    const failures = [{ testName: 'of 7', checkName: CHECK, signature: '', issue: null }]
    const saidAt = Date.UTC(2026, 10, 20)
    const by = { reason: 'the pool', via: 'command', actor: 'maria', actorId: 1, saidAt } as const
    const subject = { pullRequestNumber: 42, failures }
    await inbox.decisions.add(7, null, { kind: 'chronic', subject, until: Date.UTC(2027, 0, 1), ...by }, Date.now())
    await inbox.close()
    const own = await named([7, 0])
    const of = { ...serverVariablesOf(own), PERF_TRIAGE_DATA_DIR: dataDir }
    const { code, stdout, stderr } = await lookupIn(of, [...ofCommit, '--json'])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'perf-triage ledger lookup: the CI results of repository 7, the only one stored\n',
    })
    // What was imported for any repository counts by its name.
    expect(JSON.parse(stdout)).toMatchObject({
      failures: [{ testName: 'of 0' }, { testName: 'of 7', classification: 'chronic' }],
    })
    expect((await lookupIn(of, [...ofCommit, '--repository', '7'])).stderr).toBe('')
  })

  test('what the bot said on the pull request stands before what the history says alone', async () => {
    const own = await migratedDatabase()
    const row = { pull_request_number: 42, commit_sha: SHA, test_name: 'of 7', head_repo: 'me/r', head_ref: 'fix' }
    const stdin = line({ ...row, base_ref: 'master' })
    await ledger(['import', '-', '--repository-id', '7'], { env: variablesOf(own), stdin })
    const env = { ...serverVariablesOf(own), PERF_TRIAGE_DATA_DIR: await temporaryFolder() }
    const said = (testName: string) =>
      judged('pr-suspect', failure(testName, CHECK, { signature: { kind: 'name', text: '' } }), [
        { kind: 'test-changed', added: true, path: `${testName}.sql` },
      ])
    const report = sampleReport()
    await using store = Object.assign(await openStore(own), {
      async [Symbol.asyncDispose](this: Store) {
        await this.close()
      },
    })
    await store.reports.save({
      ...report,
      repository: { ...report.repository, id: 7, owner: 'o', name: 'r' },
      pullRequest: { ...report.pullRequest, number: 42 },
      head: SHA,
      failingTests: {
        source: 'own',
        problem: null,
        lookbackDays: 60,
        notJudged: 0,
        redChecks: [],
        failures: [said('of 7'), said('without rows')],
      },
    })
    const ofTest = await ledger(['lookup', '--test', 'of 7'], { env })
    expect(ofTest.stdout.split('\n').slice(0, 6)).toEqual([
      '1 failure: 1 looks like yours',
      '',
      'of 7',
      `  ${CHECK}`,
      '  looks like yours: so the bot says on #42 at feedfee',
      '  - new in this pull request (of 7.sql)',
    ])
    expect(ofTest.stdout).toMatch(/^ {2}its history alone says: unknown /m)
    expect((await ledger(['lookup', ...ofCommit], { env })).stdout).toMatch(/^of 7 +looks like yours /m)
    expect((await ledger(['lookup', '--test', 'without rows', '--pr', '42'], { env })).stdout).toMatch(
      /^looks like yours: so the bot says on #42 at feedfee\n- new in this pull request .*\nno failure of without rows /,
    )
    // what would be said as of another time, or by other rules, the bot has not said
    expect((await ledger(['lookup', '--test', 'of 7', '--now', '2026-11-20 12:00:00'], { env })).stdout).not.toContain(
      'the bot',
    )
    const { failures } = JSON.parse((await ledger(['lookup', '--test', 'of 7', '--json'], { env })).stdout) as Document
    expect(failures).toMatchObject([
      {
        classification: 'unknown',
        stored: { pullRequestNumber: 42, head: SHA, judged: { classification: 'pr-suspect' } },
      },
    ])
  })

  test('of several, one has to be named', async () => {
    const of = variablesOf(await named([7, 8]))
    expect(await lookupIn(of, ofCommit)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'perf-triage ledger lookup: 2 repositories have CI results: 7 and 8; choose with --repository\n',
    })
    expect((await lookupIn(of, [...ofCommit, '--repository-id', '8'])).stdout).toContain('of 8')
  })

  test('where there is none, that is no answer', async () => {
    const { code, stdout, stderr } = await lookupIn(variablesOf(await named([])), ['--test', 'x'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/: there is nothing in the CI results in [^\n]*: `perf-triage ledger import` loads some\n$/)
  })
})

test('a red performance check is told by its rows', async () => {
  const { code, stdout } = await lookup('--pr', '42', '--sha', 'measured', '--repository', 'o/r')
  expect(code).toBe(0)
  expect(stdout.split('\n').slice(1)).toEqual([
    'Performance measured slower: sum #1 and sum #3',
    'Performance measured unstable: min #2',
    '',
  ])
})

describe('one test', () => {
  test('without a commit nobody’s rows are left out: a line for each signature', async () => {
    const { failures } = await json('--test', 'chronic')
    expect(failures).toMatchObject([
      { classification: 'chronic', hits: 10, unrelatedPullRequests: 8, time: '2026-11-20T12:00:00.000Z' },
    ])
    expect(await json('--test', 'chronic', '--pr', '42')).toMatchObject({ failures: [{ hits: 8 }] })
    expect((await json('--test', 'chronic', '--check', 'Other')).failures).toEqual([])
  })

  test('what is not there: what was looked for, and in how much', async () => {
    expect(await lookup('--test', 'nonesuch\x1b[2J')).toEqual({
      code: 0,
      stdout: `no failure of nonesuch\u{fffd}[2J in the last 30 days, nor in the last 365, in the CI results in ${database.database} (the embedded database): 426 rows there\n`,
      stderr: '',
    })
    expect((await lookup('--test', 'chronic', '--now', '2026-10-01')).stdout).toContain(
      'no failure of chronic in the 30 days up to 2026-10-01 00:00 UTC',
    )
  })
})

describe('one test is judged as of its newest execution', () => {
  test('so that what passes again on the trunk is not called broken', async () => {
    const { stdout } = await lookup('--test', 'recovered')
    expect(stdout.split('\n')).toEqual([
      '1 failure: 1 unknown',
      '',
      'recovered',
      '  Stateless (asan): Code: 241. DB::Exception: Memory limit exceeded',
      '  unknown  0 unrelated pull requests, 2 hits, 2 on the main branch in 30 days, since Nov 17, failed in 2 of 3 runs on the main branch, 21–94%',
      '  as of 2026-11-19 12:00 UTC: last failed 2026-11-18 12:00 UTC in a200000, passed on the main branch since: 2026-11-19 12:00 UTC in a300000',
      '  last seen Nov 18: the main or a release branch',
      '  - was broken on the main branch from Nov 17 to Nov 18, and has passed there since (1 run)',
      '  - too few hits to call it chronic: 0 unrelated pull requests, 2 on the main branch',
      '',
    ])
    expect((await json('--test', 'recovered')).failures).toMatchObject([
      {
        time: '2026-11-18T12:00:00.000Z',
        asOf: '2026-11-19T12:00:00.000Z',
        passedOnTrunkSince: { commitSha: `a3${'0'.repeat(38)}`, time: '2026-11-19T12:00:00.000Z' },
      },
    ])
  })

  test('--now asks as of then', async () => {
    const { failures } = await json('--test', 'recovered', '--now', '2026-11-19 11:00:00')
    expect(failures).toMatchObject([
      { classification: 'broken-trunk', asOf: '2026-11-19T11:00:00.000Z', passedOnTrunkSince: null },
    ])
  })

  test('one that passed longer than a lookback since, as of its failure', async () => {
    const { failures } = await json('--test', 'recovered', '--lookback', '1')
    expect(failures).toMatchObject([{ hits: 1, asOf: '2026-11-18T12:00:00.000Z' }])
  })
})

describe('what a person types', () => {
  test('the first digits of a commit are enough where one begins so', async () => {
    const { failures } = await json('--sha', 'abcdef01')
    expect(failures).toMatchObject([{ testName: 'params[utc-1]', commitSha: `abcdef0${'1'.repeat(33)}` }])
    expect(await json('--sha', 'ABCDEF02')).toMatchObject({ failures: [{ testName: 'params[utc-2]' }] })
    expect(await lookup('--sha', 'abcdef0')).toEqual({
      code: 2,
      stdout: '',
      stderr: `perf-triage ledger lookup: --sha abcdef0 matches 2 commits: abcdef0${'1'.repeat(33)}, abcdef0${'2'.repeat(33)}; give more digits\n`,
    })
    expect((await lookup('--sha', 'abcdef')).stderr).toMatch(
      /no CI results of the commit abcdef in .*; give at least 7 digits of a commit\n$/,
    )
    expect((await lookup('--sha', 'fedcba9')).stderr).toMatch(/no CI results of the commit fedcba9 in [^;]*\n$/)
    const merged = await lookup('--sha', 'head', '--merge-base', 'abcdef0')
    expect(merged.stderr).toContain('--merge-base abcdef0 matches 2 commits')
  })

  test('names like the one that is in no row', async () => {
    const lines = async (...argv: readonly string[]) => (await lookup(...argv)).stdout.split('\n').slice(1)
    expect(await lines('--test', 'Params')).toEqual([
      'did you mean',
      '  params[utc-1]',
      '  params[utc-2]',
      '  never params',
      '',
    ])
    expect(await lines('--test', 'CHRONIC')).toEqual(['did you mean', '  chronic', ''])
    expect(await lines('--test', '%')).toEqual([''])
    expect(await lines('--check', 'mergeable')).toEqual(['did you mean', '  Mergeable Check', ''])
    expect(await lines('--test', 'never params')).toEqual(['it passed once in that time', ''])
    expect(await lines('--test', 'chronic', '--check', 'Other')).toEqual(['it failed in Stateless (asan)', ''])
    expect(await json('--test', 'Params')).toMatchObject({
      failures: [],
      suggestions: ['params[utc-1]', 'params[utc-2]', 'never params'],
    })
  })
})

describe('more failing tests than are judged', () => {
  // A database of its own: other tests say how many rows theirs has.
  let many: Record<string, string> = {}
  const lookupMany = (...argv: readonly string[]) => lookupIn(many, ['--sha', 'many', ...argv])

  beforeAll(async () => {
    many = variablesOf(await migratedDatabase())
    const rows = Array.from({ length: 503 }, (_, i) =>
      line({ pull_request_number: 60, commit_sha: 'many', check_name: 'Many', test_name: `many ${i + 1000}` }),
    )
    await ledger(['import', '-'], { env: many, stdin: rows.join('') })
  })

  test('are told, and no condition holds without them', async () => {
    expect((await lookupMany()).stdout).toContain('\n3 more failing tests not judged\n')
    expect(await lookupMany('--fail-on', 'chronic')).toMatchObject({
      code: 2,
      stderr: 'perf-triage ledger lookup: --fail-on: 3 failing tests were not judged\n',
    })
    expect(await lookupMany('--fail-on', 'unknown')).toMatchObject({ code: 1 })
  })

  test('one that may be among them is not said to have passed', async () => {
    expect(await lookupMany('--test', 'many 1502', '--fail-on', 'unknown')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'perf-triage ledger lookup: only 500 of the commit’s 503 failing tests were read, and many 1502 is not among them; omit --sha to look up its failures\n',
    })
    expect(await lookupMany('--check', 'Nany')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('were read, none of them in the check Nany\n'),
    })
    const { stdout } = await lookupMany('--test', 'many 1001')
    expect(stdout).toMatch(/^1 failure: /)
    expect(stdout).not.toContain('not judged')
  })
})

describe('what can’t be answered', () => {
  test('a commit of another pull request', async () => {
    expect((await lookup('--pr', '43', '--sha', 'head')).stderr).toMatch(
      /^perf-triage ledger lookup: the CI results of the commit head are of pull request 42, not of pull request 43, in /,
    )
  })

  test('a commit without failures is fine, one that nobody knows is not', async () => {
    expect((await lookup('--pr', '42', '--sha', 'green')).stdout).toMatch(/^no failing test of the commit green in /)
    const unknown = await lookup('--pr', '42', '--sha', 'nobody', '--fail-on', 'pr-suspect')
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toMatch(
      /^perf-triage ledger lookup: there are no CI results of the commit nobody of pull request 42 in the CI results in perf_triage\w* \(the embedded database\): [\d,]+ rows there\n$/,
    )
    expect(JSON.parse((await lookup('--sha', 'nobody', '--json')).stdout)).toMatchObject({
      failures: [],
      error: { kind: 'input', command: 'ledger lookup', message: expect.stringMatching(/^there are no CI results/) },
    })
  })

  test('options that fit nothing', async () => {
    expect((await lookup()).stderr).toBe(
      'perf-triage ledger lookup: give --pr N --sha COMMIT for the failing tests of a commit, or --test NAME for one test\n',
    )
    expect((await lookup('--pr', '42')).stderr).toBe(
      'perf-triage ledger lookup: --sha is missing: give the commit of the pull request\n',
    )
    expect((await lookup('--test', 't', '--fail-on', 'flakey')).stderr).toContain(
      'Allowed choices are rollup, infrastructure',
    )
    const config = join(folder, 'wrong.yml')
    await writeFile(config, 'metric: a\nledger:\n  rollups: []\n')
    const wrong = await lookup('--test', 't', '--config', config)
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toMatch(/^perf-triage ledger lookup: [^\n]*wrong\.yml:3: [^\n]*rollups[^\n]*\n$/)
  })
})

describe('the CI database of CIDB_URL', () => {
  const cidbOf = () => {
    const { url, user, password } = engineOfRun()
    return { ...env, CIDB_URL: url, CIDB_USER: user, CIDB_PASSWORD: password }
  }

  test('has short commits, names like it and a proof, too', async () => {
    const config = join(folder, 'play.yml')
    await writeFile(
      config,
      `ledger:\n  table: ${database.database}.checks\n  playUrl: https://play.example.com/play?user=play\n`,
    )
    const ask = async (...argv: readonly string[]) =>
      await ledger(['lookup', '--config', config, ...argv], { env: cidbOf() })
    expect(JSON.parse((await ask('--sha', 'abcdef01', '--json')).stdout)).toMatchObject({
      source: 'ci-database',
      failures: [{ testName: 'params[utc-1]', proofUrl: expect.stringMatching(PLAY) }],
    })
    const { stdout } = await ask('--test', 'params[utc-1]')
    const address = /^ {2}proof: (.*)$/m.exec(stdout)?.[1] ?? ''
    expect(address).toMatch(PLAY)
    expect(Buffer.from(address.split('#')[1] ?? '', 'base64').toString()).toContain("'params[utc-1]'")
    expect((await ask('--sha', 'head', '--test', 'chronic', '--fail-on', 'chronic')).code).toBe(1)
    expect((await ask('--test', 'Params')).stdout).toMatch(
      /^no failure of Params in the last 60 days in perf_triage\w*\.checks of the CI database http[^\n]*\ndid you mean\n {2}params/,
    )
  })

  const PLAY = /^https:\/\/play\.example\.com\/play\?user=play#[\w+/]+=*$/

  test('is asked instead of the own tables, by the table of the configuration', async () => {
    const config = join(folder, 'table.yml')
    await writeFile(config, `ledger:\n  table: ${database.database}.checks\n`)
    const { code, stdout, stderr } = await ledger(
      ['lookup', '--json', '--pr', '42', '--sha', 'head', '--config', config],
      { env: cidbOf() },
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ source: 'ci-database', problem: null })
    const chronic = (JSON.parse(stdout) as Document).failures.find(({ testName }) => testName === 'chronic')
    expect(chronic).toMatchObject({
      classification: 'chronic',
      unrelatedPullRequests: 7,
      hits: 8,
      trunkHits: 0,
      runs: 208,
    })
  })

  test('that is away, or whose address is none, is one line without the password', async () => {
    const away = { ...env, CIDB_URL: 'http://127.0.0.1:1', CIDB_PASSWORD: 'hunter2' }
    const { code, stderr } = await ledger(['lookup', '--sha', 'head'], { env: away })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^perf-triage ledger lookup: [^\n]*127\.0\.0\.1:1[^\n]*\n$/)
    expect(stderr).not.toContain('hunter2')
    const document = await ledger(['lookup', '--sha', 'head', '--json'], { env: away })
    expect(document).toMatchObject({ code: 2, stderr })
    expect(JSON.parse(document.stdout)).toMatchObject({ problem: 'unreachable', failures: [] })
    const none = await ledger(['lookup', '--sha', 'head'], { env: { ...env, CIDB_URL: 'nonsense' } })
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toContain('CIDB_URL must be an address')
  })
})
