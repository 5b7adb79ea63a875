import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { CheckRow } from '../../../src/intake/imports/checks/check-row.ts'
import type { HistoryWanted, Subject, TestHistory } from '../../../src/judge/ledger/failure.ts'
import { isOfRepository, isOfTrunk, isOwn } from '../../../src/judge/ledger/row-origin.ts'
import { signatureOf } from '../../../src/judge/ledger/signature.ts'
import { comparedName } from '../../../src/judge/ledger/test-name.ts'
import { testOutcome } from '../../../src/judge/ledger/test-status.ts'
import { LEDGER_THRESHOLDS } from '../../../src/judge/ledger/thresholds.ts'
import { saveChecks } from '../../../src/store/checks/checks.ts'
import { type CiDatabase, openCiDatabase } from '../../../src/store/checks/ci-database.ts'
import { CiLookup } from '../../../src/store/checks/ci-lookup.ts'
import type { CiResults } from '../../../src/store/checks/ci-results.ts'
import { hitsSql } from '../../../src/store/checks/hits-sql.ts'
import { ownCiQueries, ownCiResults } from '../../../src/store/checks/own-ci-results.ts'
import { proofSql } from '../../../src/store/checks/play-link.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { sqlText } from '../../../src/text/quote.ts'
import { ONE_TEST, TWO_TESTS } from '../../judge/ledger/varying-names.ts'
import { engineOfRun, migratedDatabase } from '../embedded/engine-fixture.ts'
import type { EngineOfRun } from '../embedded/engine-of-run.ts'
import { checkRow, DAY, HOUR, NOON, trunkRow } from './check-rows.ts'

let embedded: EngineOfRun
let clickhouse: ClickHouse
let external: CiDatabase
let own: CiResults

const CIDB_COLUMNS = `pull_request_number UInt32, commit_sha LowCardinality(String), check_name LowCardinality(String),
  check_status LowCardinality(String), check_duration_ms UInt64, check_start_time DateTime('UTC'),
  test_name LowCardinality(String), test_status LowCardinality(String), test_duration_ms UInt64, report_url String,
  pull_request_url String, commit_url String, task_url String, base_ref String, base_repo String, head_ref String,
  head_repo String, test_context_raw String, instance_type LowCardinality(String), instance_id String,
  workflow_name LowCardinality(String), attributes String`

beforeAll(async () => {
  embedded = engineOfRun()
  clickhouse = await openClickHouse(await migratedDatabase())
  await clickhouse.command('cidb', `CREATE TABLE cidb (${CIDB_COLUMNS}) ENGINE = MergeTree ORDER BY check_start_time`)
  external = openCiDatabase({
    url: embedded.url,
    user: embedded.user,
    password: embedded.password,
    table: `${clickhouse.database}.cidb`,
  })
  own = ownCiResults(clickhouse)
})
afterAll(async () => {
  await external.close()
  await clickhouse.close()
})

/** The same rows in both tables; the bot's own ones of repository 1. */
async function store(rows: readonly CheckRow[]): Promise<void> {
  await clickhouse.command('empty', 'TRUNCATE TABLE checks')
  await clickhouse.command('empty', 'TRUNCATE TABLE cidb')
  await saveChecks(clickhouse, 1, rows)
  await clickhouse.command(
    'fill',
    `INSERT INTO cidb SELECT ${CIDB_COLUMNS.replace(/ (UInt\d+|LowCardinality\(String\)|DateTime\('UTC'\)|String)(?=,|$)/g, '')} FROM checks FINAL`,
  )
}

/** With the lookback that the rows of these tests lie around. */
const THRESHOLDS = { ...LEDGER_THRESHOLDS, lookbackDays: 30 }

const bothSources = () => [own, external] as const

const SUBJECT: Subject = {
  pullRequestNumber: 7,
  commitSha: 'c7',
  headRepo: 'u7/r',
  headRef: 'feature-7',
  repository: 'o/r',
  trunk: ['master', 'main'],
  mergeBase: null,
}

const wanted = (changes: Partial<HistoryWanted> = {}): HistoryWanted => ({
  testName: '00001_select',
  checkName: null,
  failedIn: ['Stateless tests (amd_debug)'],
  until: NOON,
  ...changes,
})

async function historyOf(of: HistoryWanted, subject = SUBJECT, thresholds = THRESHOLDS): Promise<TestHistory> {
  const [fromOwn, fromExternal] = await Promise.all(
    bothSources().map(async (source) => (await source.historiesOf([of], subject, 1, thresholds))[0]!),
  )
  expect(fromOwn).toEqual(fromExternal)
  return fromOwn!
}

const outcomeOf = (row: CheckRow) => testOutcome(row.testName === '' ? row.checkStatus : row.testStatus)

/** When the job of a row began, by a plain loop: the latest that had begun, of its report where one has it. */
function jobStartOf(row: CheckRow, rows: readonly CheckRow[]): number {
  if (row.testName === '') return row.checkStartTime
  const begun = rows.filter(
    (job) =>
      job.testName === '' &&
      outcomeOf(job) !== 'other' &&
      job.checkName === row.checkName &&
      job.commitSha === row.commitSha &&
      job.pullRequestNumber === row.pullRequestNumber &&
      job.checkStartTime <= row.checkStartTime,
  )
  const ofReport = begun.filter(({ reportUrl }) => reportUrl !== '' && reportUrl === row.reportUrl)
  const starts = (ofReport.length > 0 ? ofReport : begun).map((job) => job.checkStartTime)
  return starts.length > 0 ? Math.max(...starts) : row.checkStartTime
}

describe('failures of a commit', () => {
  const failuresOf = async (changes = {}) => {
    const commit = { repositoryId: 1, repository: 'o/r', commitSha: 'c7', pullRequestNumber: 7, ...changes }
    const [fromOwn, fromExternal] = await Promise.all(bothSources().map((source) => source.failuresOf(commit)))
    expect(fromOwn).toEqual(fromExternal)
    return fromOwn!
  }
  const names = (found: Awaited<ReturnType<typeof failuresOf>>) =>
    found.failures.map(({ checkName, testName, passedOnRetry }) => `${checkName}: ${testName} ${passedOnRetry}`)

  test('are its failing tests, one for each test and check, with signature and origin', async () => {
    await store([
      checkRow(),
      checkRow({ testName: '00002_ok', testStatus: 'OK', testContextRaw: '' }),
      checkRow({ testName: '00003_skipped', testStatus: 'SKIPPED' }),
      checkRow({ testName: "it's | \\ \t\n[a-1]", testStatus: 'ERROR', testContextRaw: '' }),
      checkRow({ checkName: 'Fast test', testStatus: 'failure' }),
      checkRow({ commitSha: 'older', testName: 'of an older commit' }),
      checkRow({ pullRequestNumber: 8, testName: 'of another pull request' }),
      checkRow({ baseRepo: 'other/r', testName: 'of another repository' }),
    ])
    const found = await failuresOf()
    expect(names(found)).toEqual([
      'Fast test: 00001_select false',
      'Stateless tests (amd_debug): 00001_select false',
      "Stateless tests (amd_debug): it's | \\ \t\n[a-1] false",
    ])
    expect(found).toMatchObject({ notRead: 0, checks: ['Fast test', 'Stateless tests (amd_debug)'] })
    expect(found.failures[1]).toEqual({
      testName: '00001_select',
      checkName: 'Stateless tests (amd_debug)',
      status: 'FAIL',
      pullRequestNumber: 7,
      commitSha: 'c7',
      headRepo: 'u7/r',
      headRef: 'feature-7',
      baseRef: 'master',
      baseRepo: 'o/r',
      time: NOON,
      signature: signatureOf('00001_select', 'Expected 1, got 2'),
      passedOnRetry: false,
      reportUrl: 'https://reports.example/7',
    })
    expect(found.failures[2]!.signature).toEqual({ kind: 'name', text: '' })
    expect(names(await failuresOf({ pullRequestNumber: 8 }))).toHaveLength(1)
    expect((await failuresOf({ pullRequestNumber: null })).failures).toHaveLength(4)
    expect((await failuresOf({ repository: '' })).failures).toHaveLength(4)
    expect(await failuresOf({ commitSha: 'nobody' })).toEqual({ failures: [], notRead: 0, checks: [] })
  })

  test('retries are one failure, and a pass of the same job is said', async () => {
    await store([
      checkRow(),
      checkRow({ testContextRaw: '' }),
      checkRow({ testContextRaw: 'severity: fail' }),
      checkRow({ testStatus: 'OK' }),
      checkRow({ testName: 'passed before', checkStartTime: NOON }),
      checkRow({ testName: 'passed before', testStatus: 'OK', checkStartTime: NOON - HOUR }),
      checkRow({ testName: 'passed in a later job' }),
      checkRow({ testName: 'passed in a later job', testStatus: 'OK', checkStartTime: NOON + HOUR }),
      checkRow({ testName: 'passed elsewhere' }),
      checkRow({ testName: 'passed elsewhere', testStatus: 'OK', checkName: 'Fast test' }),
    ])
    const found = await failuresOf()
    expect(found.failures.map(({ testName, passedOnRetry }) => [testName, passedOnRetry])).toEqual([
      ['00001_select', true],
      ['passed before', false],
      ['passed elsewhere', false],
    ])
    expect(found.failures.map(({ passedInChecks }) => passedInChecks)).toEqual([undefined, undefined, 1])
    expect(found.failures[0]!.signature.kind).toBe('output')
  })

  test('a check that failed is one of its own only where no test failed and nothing was measured', async () => {
    const job = (checkName: string, changes: Partial<CheckRow> = {}) =>
      checkRow({ checkName, testName: '', testStatus: '', testContextRaw: 'Lost the runner', ...changes })
    await store([
      job('a build'),
      job('b with a failing test'),
      checkRow({ checkName: 'b with a failing test' }),
      job('c measured'),
      checkRow({ checkName: 'c measured', testName: 'q #1', testStatus: 'slower' }),
      job('d passed', { checkStatus: 'success' }),
      job('e failed with passing tests', { checkStatus: 'error' }),
      checkRow({ checkName: 'e failed with passing tests', testStatus: 'OK' }),
      job('f tried again', { checkStartTime: NOON + HOUR }),
      checkRow({ checkName: 'f tried again' }),
    ])
    expect(names(await failuresOf())).toEqual([
      'a build:  false',
      'b with a failing test: 00001_select false',
      'e failed with passing tests:  false',
      'f tried again:  false',
      'f tried again: 00001_select false',
    ])
  })

  test('a test that its runner counts as passed is none, and its check may be', async () => {
    const job = checkRow({ testName: '', testStatus: '', testContextRaw: 'coverage is too low' })
    const retry = checkRow({ attributes: '{"passedOnRetry":true}' })
    const passed = checkRow({ testStatus: 'OK', testContextRaw: '' })
    const commit = { repositoryId: 1, repository: 'o/r', commitSha: 'c7', pullRequestNumber: 7 }
    const failing = async (rows: readonly CheckRow[]) => {
      await store(rows)
      return (await own.failuresOf(commit)).failures.map(({ testName }) => testName)
    }
    expect(await failing([retry, passed])).toEqual([])
    expect(await failing([retry, passed, job])).toEqual([''])
    expect(await failing([{ ...retry, attributes: '' }, passed, job])).toEqual(['00001_select'])
    // For others it is a failure all the same, and their check one of its own.
    await store([retry, passed, job].map((row) => ({ ...row, pullRequestNumber: 9, commitSha: 'c9' })))
    const both = [wanted(), wanted({ testName: '', checkName: 'Stateless tests (amd_debug)' })]
    const found = await own.historiesOf(both, SUBJECT, 1, THRESHOLDS)
    expect(found.map(({ failing: rows }) => rows.length)).toEqual([1, 1])
  })

  test('of a job that broke down it is known whether tests ran in it', async () => {
    const job = (checkName: string, testContextRaw: string) =>
      checkRow({ checkName, testName: '', testStatus: '', checkStatus: 'error', testContextRaw })
    await store([
      job('before the tests', 'The job has exceeded the maximum execution time of 6h'),
      job('in the tests', 'The job has exceeded the maximum execution time of 6h'),
      checkRow({ checkName: 'in the tests', testStatus: 'OK' }),
      job('says something else', 'error: expected expression'),
    ])
    for (const source of bothSources()) {
      const { failures } = await source.failuresOf({
        repositoryId: 1,
        repository: 'o/r',
        commitSha: 'c7',
        pullRequestNumber: 7,
      })
      expect(failures.map(({ checkName, testsRan }) => [checkName, testsRan])).toEqual([
        ['before the tests', false],
        ['in the tests', true],
        ['says something else', undefined],
      ])
    }
  })

  describe('tried again', () => {
    const job = (checkStartTime: number, checkStatus: string, changes: Partial<CheckRow> = {}) =>
      checkRow({ testName: '', testStatus: '', testContextRaw: 'disk full', checkStartTime, checkStatus, ...changes })
    const failed = (testName: string, checkStartTime: number, changes: Partial<CheckRow> = {}) =>
      checkRow({ testName, checkStartTime, ...changes })

    test.each([
      ['a newest attempt that passed leaves nothing', [job(0, 'failure'), failed('t', 0), job(1, 'success')], []],
      ['the failures of the newest alone', [failed('t', 0), job(1, 'failure'), failed('u', 1)], ['u']],
      ['the job of the newest alone', [job(0, 'error'), failed('t', 1), job(1, 'failure')], ['t']],
      ['one that broke down replaces nothing', [failed('t', 0), job(0, 'failure'), job(1, 'error')], ['', 't']],
      ['one that only waits replaces nothing', [failed('t', 0), job(0, 'failure'), job(1, 'pending')], ['t']],
      ['without job rows a later pass replaces', [failed('t', 0), failed('t', 1, { testStatus: 'OK' })], []],
      ['a pass before the failure replaces nothing', [failed('t', 0, { testStatus: 'OK' }), failed('t', 1)], ['t']],
      ['the newest passed and an older job had no tests', [job(0, 'error'), job(1, 'success')], []],
      ['without job rows every attempt counts', [failed('t', 0), failed('u', 1)], ['t', 'u']],
      ['rows newer than the job count', [job(0, 'success'), failed('t', 1)], ['t']],
      ['a job of another check replaces nothing', [failed('t', 0), job(1, 'success', { checkName: 'other' })], ['t']],
    ])('%s', async (_, rows, expected) => {
      await store(rows.map((row) => ({ ...row, checkStartTime: NOON + row.checkStartTime * HOUR })))
      expect((await failuresOf()).failures.map(({ testName }) => testName)).toEqual(expected)
      expect((await failuresOf({ pullRequestNumber: null })).failures.map(({ testName }) => testName)).toEqual(expected)
    })

    test('of another pull request, or on the trunk, the same commit is another attempt', async () => {
      await store([
        failed('t', NOON),
        job(NOON + HOUR, 'success', { pullRequestNumber: 8 }),
        job(NOON + HOUR, 'success', { pullRequestNumber: 0 }),
        failed('u', NOON + HOUR, { pullRequestNumber: 8 }),
      ])
      expect((await failuresOf()).failures.map(({ testName }) => testName)).toEqual(['t'])
      expect((await failuresOf({ pullRequestNumber: null })).failures.map(({ testName }) => testName)).toEqual([
        't',
        'u',
      ])
      expect((await failuresOf({ pullRequestNumber: 0 })).failures).toEqual([])
    })
  })

  test('above the cap are counted', async () => {
    await store(Array.from({ length: 520 }, (_, i) => checkRow({ testName: `t${String(i).padStart(3, '0')}` })))
    const found = await failuresOf()
    expect(found.failures).toHaveLength(500)
    expect(found.failures[499]!.testName).toBe('t499')
    expect(found.notRead).toBe(20)
  })
})

describe('histories', () => {
  test('of a name without a pass the runs of its check are counted', async () => {
    const job = (number: number, changes: Partial<CheckRow> = {}) =>
      checkRow({
        pullRequestNumber: number,
        commitSha: `c${number}`,
        headRepo: `u${number}/r`,
        headRef: `b${number}`,
        testName: '',
        testStatus: '',
        checkStatus: 'success',
        checkStartTime: NOON - number * HOUR,
        ...changes,
      })
    await store([
      job(11),
      job(12, { checkStatus: 'failure' }),
      // One run, tried twice.
      job(12, { checkStartTime: NOON - HOUR }),
      job(13, { checkName: 'other' }),
      job(14, { checkStatus: 'skipped' }),
      job(15, { checkStartTime: NOON - 40 * DAY }),
      job(16, { baseRepo: 'o/other' }),
      job(7, { commitSha: 'c7-before' }),
    ])
    const runsOf = ({ checks }: TestHistory) => checks.map(({ checkName, runs }) => `${runs} of ${checkName}`)
    const inOne = wanted({ testName: 'crash (STID: 1-a)' })
    expect(runsOf(await historyOf(inOne))).toEqual(['2 of Stateless tests (amd_debug)'])
    const inBoth = wanted({ testName: 'crash (STID: 1-a)', failedIn: ['Stateless tests (amd_debug)', 'other'] })
    expect(runsOf(await historyOf(inBoth))).toEqual(['2 of Stateless tests (amd_debug)', '1 of other'])
  })

  test('of a test that nobody ran', async () => {
    await store([])
    expect(await historyOf(wanted())).toEqual({
      testName: '00001_select',
      checkName: null,
      until: NOON,
      failing: [],
      failingNotRead: 0,
      passes: 0,
      trunkPasses: 0,
      lastTrunkPass: null,
      passesBesideFailures: [],
      latestTrunk: [],
      checks: [{ checkName: 'Stateless tests (amd_debug)', passes: 0, runs: 0, trunkClean: [] }],
    })
    for (const source of bothSources()) {
      expect(await source.historiesOf([], SUBJECT, 1, THRESHOLDS)).toEqual([])
    }
  })

  test('each ends at its own time, and begins after the lookback', async () => {
    const failed = (checkStartTime: number) =>
      checkRow({ pullRequestNumber: 9, commitSha: `c${checkStartTime}`, checkStartTime })
    const until = NOON + 300
    const from = NOON - THRESHOLDS.lookbackDays * DAY
    await store([from, from + 1000, NOON, NOON + 1000, NOON + HOUR].map(failed))
    const both = [wanted({ until }), wanted({ until: NOON + HOUR - 1 }), wanted({ until: NOON - 1 })]
    for (const source of bothSources()) {
      const found = await source.historiesOf(both, SUBJECT, 1, THRESHOLDS)
      expect(found.map(({ failing }) => failing.map(({ time }) => time))).toEqual([
        [NOON, from + 1000],
        [NOON + 1000, NOON],
        [from + 1000, from],
      ])
    }
  })

  test('of a check without a failing test', async () => {
    const job = (commitSha: string, changes: Partial<CheckRow> = {}) =>
      trunkRow({
        commitSha,
        checkName: 'Build',
        testName: '',
        testStatus: '',
        testContextRaw: 'No space left',
        ...changes,
      })
    await store([
      job('t1', { checkStartTime: NOON - 5 * HOUR, checkStatus: 'success' }),
      job('t2', { checkStartTime: NOON - 4 * HOUR }),
      job('t3', { checkStartTime: NOON - 3 * HOUR }),
      trunkRow({ commitSha: 't3', checkName: 'Build', checkStartTime: NOON - 3 * HOUR }),
      job('t4', { checkStartTime: NOON - 2 * HOUR, checkName: 'Another build' }),
      trunkRow({ commitSha: 't5', checkName: 'Build', testName: '00001_select', checkStartTime: NOON - HOUR }),
    ])
    const history = await historyOf(wanted({ testName: '', checkName: 'Build', failedIn: ['Build'] }))
    expect(history.failing.map(({ commitSha }) => commitSha)).toEqual(['t2'])
    expect(history).toMatchObject({ passes: 1, trunkPasses: 1, lastTrunkPass: { commitSha: 't1' } })
    expect(history.latestTrunk.map(({ commitSha, failed }) => [commitSha, failed])).toEqual([
      ['t2', true],
      ['t1', false],
    ])
  })

  describe('of a test that is never said to have passed', () => {
    const NAME = "Logical error: 'x' (STID: 2508-38c6)"
    const check = 'Stateless tests (amd_debug)'
    const job = (commitSha: string, hours: number, changes: Partial<CheckRow> = {}) =>
      trunkRow({ commitSha, checkStartTime: NOON - hours * HOUR, testName: '', testStatus: '', ...changes })
    const failed = (commitSha: string, hours: number, changes: Partial<CheckRow> = {}) =>
      trunkRow({ commitSha, checkStartTime: NOON - hours * HOUR, testName: NAME, ...changes })
    const twice = [failed('t2', 4), job('t2', 4), failed('t4', 2), job('t4', 2)]
    const latest = async (of: HistoryWanted = wanted({ testName: NAME })) =>
      (await historyOf(of)).latestTrunk.map(({ commitSha, failed: hasFailed }) => `${commitSha} ${hasFailed}`)

    test('the jobs in which it did not appear are runs', async () => {
      await store([
        ...twice,
        job('t3', 3, { checkStatus: 'success' }),
        job('t5', 1),
        trunkRow({ commitSha: 't5', checkStartTime: NOON - HOUR }),
        job('other check', 1, { checkName: 'other' }),
        job('release', 1, { headRef: '26.3' }),
        job('fork', 1, { headRepo: 'u/r' }),
        job('c7', 1),
        job('skipped', 1, { checkStatus: 'skipped' }),
        job('too late', -1),
        job('too early', 24 * 31),
      ])
      expect(await latest()).toEqual(['t5 false', 't4 true', 't3 false', 't2 true'])
      expect(await latest(wanted({ testName: NAME, until: NOON - 2 * HOUR }))).toEqual([
        't4 true',
        't3 false',
        't2 true',
      ])
      expect(await latest(wanted({ testName: NAME, failedIn: ['other'] }))).toEqual([])
    })

    test('rows with start times of their own belong to their jobs', async () => {
      const later = twice.map((row) =>
        row.testName === '' ? row : { ...row, checkStartTime: row.checkStartTime + 60_000 },
      )
      await store([...later, job('t3', 3, { checkStatus: 'success' })])
      expect(await latest()).toEqual(['t4 true', 't3 false', 't2 true'])
    })

    test('a commit whose check ran twice has both', async () => {
      await store([...twice, job('t4', 1, { checkStatus: 'success' })])
      expect(await latest()).toEqual(['t4 false', 't4 true', 't2 true'])
    })

    test('without jobs there are its failures alone', async () => {
      await store(twice.filter(({ testName }) => testName !== ''))
      expect(await latest()).toEqual(['t4 true', 't2 true'])
    })

    test('with a pass its own rows say when it ran', async () => {
      await store([...twice, job('t3', 3), failed('t1', 5, { testStatus: 'OK', checkName: 'other' })])
      expect(await latest()).toEqual(['t4 true', 't2 true'])
    })

    test('a history with passes that is read beside it has none of these jobs', async () => {
      await store([
        ...twice,
        job('t3', 3, { checkStatus: 'success' }),
        failed('x', 3, { testName: '', testStatus: '' }),
      ])
      const both = [wanted({ testName: NAME }), wanted({ testName: '', checkName: check })]
      for (const source of bothSources()) {
        const found = await source.historiesOf(both, SUBJECT, 1, THRESHOLDS)
        expect(found.map(({ passes }) => passes)).toEqual([0, 1])
        expect(found.map(({ latestTrunk }) => latestTrunk.map(({ commitSha }) => commitSha))).toEqual([
          ['t4', 't3', 'x', 't2'],
          ['t3', 'x'],
        ])
      }
    })

    test('of one failing commit it does not matter', async () => {
      await store([...twice.slice(2), job('t5', 1)])
      expect(await latest()).toEqual(['t4 true'])
    })

    test('of a check without a failing test the jobs that failed otherwise are runs', async () => {
      await store([
        job('t1', 5),
        job('t2', 4),
        job('t3', 3),
        trunkRow({ commitSha: 't3', checkStartTime: NOON - 3 * HOUR }),
      ])
      expect(await latest(wanted({ testName: '', checkName: check }))).toEqual(['t3 false', 't2 true', 't1 true'])
    })
  })

  test('a signature of another version of the rule is computed anew', async () => {
    await store([checkRow({ pullRequestNumber: 9, commitSha: 'c9' })])
    await clickhouse.command(
      'stale',
      "ALTER TABLE checks UPDATE signature = 'stale', signature_rule = 0 WHERE 1 SETTINGS mutations_sync = 1",
    )
    expect((await historyOf(wanted())).failing[0]!.signature).toEqual(signatureOf('00001_select', 'Expected 1, got 2'))
  })

  test.each([
    ['shorter than what is kept', 30_000],
    ['longer', 300_000],
  ])('of an output %s the end is read as well as the beginning', async (_, length) => {
    const reason = "Code: 115. DB::Exception: Unknown setting 'max_foo'. (UNKNOWN_SETTING)"
    const log = `Start: ~~~~~ truncated 900 lines ~~~~~\n${'✓ loading 🙂 a table\n'.repeat(length / 20)}${reason}`
    await store([checkRow({ pullRequestNumber: 9, commitSha: 'c9', testContextRaw: log })])
    await clickhouse.command(
      'stale',
      "ALTER TABLE checks UPDATE signature = 'stale', signature_rule = 0 WHERE 1 SETTINGS mutations_sync = 1",
    )
    const { signature } = (await historyOf(wanted())).failing[0]!
    expect(signature).toEqual(signatureOf('00001_select', log))
    expect(signature.text).toBe(reason)
  })

  test('rows that were written twice and are not merged yet count once, as they were written last', async () => {
    await clickhouse.command('no merges', 'SYSTEM STOP MERGES checks')
    const failed = checkRow({ pullRequestNumber: 9, commitSha: 'c9', headRef: '', headRepo: '' })
    const passed = [
      trunkRow({ testStatus: 'OK', headRef: 'feature-7', headRepo: 'u7/r' }),
      trunkRow({ testStatus: 'OK', commitSha: 't2' }),
      trunkRow({ testStatus: 'OK', commitSha: 't2' }),
    ]
    await store([failed, ...passed])
    await saveChecks(clickhouse, 1, [
      { ...failed, headRef: 'feature-9', headRepo: 'u9/r' },
      trunkRow({ testStatus: 'OK' }),
    ])
    const [history] = await own.historiesOf([wanted()], SUBJECT, 1, THRESHOLDS)
    expect(history!.failing.map(({ headRef }) => headRef)).toEqual(['feature-9'])
    expect(history).toMatchObject({ passes: 3, trunkPasses: 3 })
    await clickhouse.command('merges', 'SYSTEM START MERGES checks')
  })

  test('only the newest failing rows are read, the others are counted', async () => {
    const rows = Array.from({ length: 5100 }, (_, i) =>
      checkRow({ pullRequestNumber: 9, commitSha: `c${i}`, checkStartTime: NOON - i * 10_000, testContextRaw: '' }),
    )
    await store(rows)
    const history = await historyOf(wanted())
    expect(history.failing).toHaveLength(5000)
    expect(history.failing.at(-1)!.time).toBe(NOON - 4999 * 10_000)
    expect(history.failingNotRead).toBe(100)
  })
})

describe('names with parts that vary', () => {
  const uuid = (n: number) => `3fa85f64-5717-4562-b3fc-${String(n).padStart(12, '0')}`
  const other = (number: number, changes: Partial<CheckRow> = {}) =>
    checkRow({
      pullRequestNumber: number,
      commitSha: `c${number}`,
      headRef: `b${number}`,
      headRepo: `u${number}/r`,
      checkStartTime: NOON - number * HOUR,
      ...changes,
    })

  test('have one history, with its passes, and the one of another parameter beside it', async () => {
    const name = (n: number, zone = 'utc') => `a.py::it's \\ .* (x) [${uuid(n)}-${zone}]`
    await store([
      checkRow({ testName: name(7) }),
      other(8, { testName: name(8) }),
      other(9, { testName: name(9) }),
      other(10, { testName: name(10), testStatus: 'OK' }),
      other(11, { testName: name(11, 'cet') }),
      other(12, { testName: `b.py::it's \\ .* (x) [${uuid(12)}-utc]` }),
      other(13, { testName: "a.py::it's \\ .* (x) [here-utc]" }),
      trunkRow({ testName: name(1), testStatus: 'OK', checkStartTime: NOON - DAY }),
      trunkRow({ testName: name(2), commitSha: 't2', checkStartTime: NOON - 2 * DAY }),
    ])
    const history = await historyOf(wanted({ testName: name(7) }))
    expect(history.failing.map(({ commitSha }) => commitSha)).toEqual(['c7', 'c8', 'c9', 't2'])
    expect(history).toMatchObject({ passes: 2, trunkPasses: 1, lastTrunkPass: { commitSha: 't1' }, failingNotRead: 0 })
    expect(history.latestTrunk.map(({ commitSha, failed }) => [commitSha, failed])).toEqual([
      ['t1', false],
      ['t2', true],
    ])
    expect(history).not.toHaveProperty('sameStack')
  })

  test('in SQL as in the code', async () => {
    const names = [...new Set([...ONE_TEST, ...TWO_TESTS].flat())]
    await store(names.map((testName, n) => other(n + 10, { testName, checkStartTime: NOON - HOUR })))
    const all = names.map((testName) => wanted({ testName }))
    for (const source of bothSources()) {
      const histories = await source.historiesOf(all, SUBJECT, 1, THRESHOLDS)
      for (const [n, { failing, failingNotRead }] of histories.entries()) {
        const alike = names.filter((name) => comparedName(name) === comparedName(names[n]!))
        const found = failing.map(({ pullRequestNumber }) => names[pullRequestNumber - 10]!)
        expect(found.toSorted(), names[n]).toEqual(alike.toSorted())
        expect(failingNotRead).toBe(0)
      }
    }
  })

  test('a stack under other words is told apart, and computed from no other row', async () => {
    const name = (words: string) => `Logical error: '${words}' (STID: 2508-468c)`
    await store([
      other(8, { testName: name('Bucket 7 is pushed twice') }),
      other(9, { testName: name('Bucket 812 is pushed twice'), testContextRaw: '' }),
      other(10, { testName: name('Bucket 7 is lost') }),
      other(11, { testName: "Logical error: 'Bucket 7 is pushed twice' (STID: 2508-38c6)" }),
    ])
    const history = await historyOf(wanted({ testName: name('Bucket 58 is pushed twice') }))
    expect(history.failing.map(({ commitSha }) => commitSha)).toEqual(['c8', 'c9'])
    expect(history.sameStack?.map(({ commitSha, signature }) => [commitSha, signature])).toEqual([
      ['c10', { kind: 'stack-trace-id', text: '2508-468c' }],
    ])
    expect(history.failingNotRead).toBe(0)
  })

  test('a pass beside a failure counts where each job ran the test once', async () => {
    const row = (n: number, testStatus: string, hours: number) =>
      other(8, { testName: `test_write[${uuid(n)}]`, testStatus, checkStartTime: NOON - hours * HOUR })
    await store([row(1, 'FAIL', 3), { ...row(2, 'OK', 2), reportUrl: 'https://reports.example/again' }])
    const once = await historyOf(wanted({ testName: `test_write[${uuid(7)}]` }))
    expect(once.passesBesideFailures).toMatchObject([{ commitSha: 'c8' }])
    // Two ids in each job: the one that failed may fail always.
    await store([row(1, 'FAIL', 3), row(2, 'OK', 3), row(3, 'FAIL', 2), row(4, 'OK', 2)])
    expect((await historyOf(wanted({ testName: `test_write[${uuid(7)}]` }))).passesBesideFailures).toEqual([])
  })

  test('the statements that a person is given find all of them', async () => {
    const testName = `a.py::it's \\ (x) [${uuid(7)}]`
    const rows = [1, 2].map((n) => other(n + 8, { testName: testName.replace(uuid(7), uuid(n)) }))
    await store([...rows, other(20, { testName: "a.py::it's \\ (x) [here]" })])
    const failure = { ...checkRow({ testName }), time: NOON, signature: { kind: 'name', text: '' } as const }
    const until = { from: NOON - 30 * DAY, until: NOON }
    const hits = await clickhouse.read(
      'hits',
      hitsSql({ ...failure, repositoryId: 1, repository: 'o/r' }, until),
      {},
      z.looseObject({ in_pull_requests: z.coerce.number() }),
    )
    expect(hits.reduce((sum, day) => sum + day.in_pull_requests, 0)).toBe(2)
    const judged = { ...failure, status: 'FAIL', passedOnRetry: false }
    const proof = proofSql(`${clickhouse.database}.cidb`, judged, NOON, 30, sqlText)
    const shown = await clickhouse.read('proof', proof, {}, z.looseObject({ commit_sha: z.string() }))
    expect(shown.map((row) => row.commit_sha)).toEqual(['c9', 'c10'])
  })

  test('hundreds of them are asked in groups', async () => {
    const name = (n: number, id: number) => `suite/a_test_with_a_name_of_some_length.py::test_${n}[${uuid(id)}]`
    const numbers = Array.from({ length: 300 }, (_, n) => n)
    await store(numbers.flatMap((n) => [other(8, { testName: name(n, n) }), other(9, { testName: name(n, n + 1000) })]))
    for (const source of bothSources()) {
      const asked = numbers.map((n) => wanted({ testName: name(n, 9999) }))
      const histories = await source.historiesOf(asked, SUBJECT, 1, THRESHOLDS)
      expect(histories.map(({ failing }) => failing.map(({ commitSha }) => commitSha))).toEqual(
        numbers.map(() => ['c8', 'c9']),
      )
    }
  })
})

describe('rows with start times of their own', () => {
  const check = 'Stateless tests (amd_debug)'
  const ofAnother = { pullRequestNumber: 8, commitSha: 'c8', headRepo: 'u8/r', checkName: check }
  const job = (changes: Partial<CheckRow>) => checkRow({ testName: '', testStatus: '', testContextRaw: '', ...changes })
  const at = (minutes: number) => NOON + minutes * 60_000
  const failuresOf = async () => {
    const commit = { repositoryId: 1, repository: 'o/r', commitSha: 'c7', pullRequestNumber: 7 }
    // On the day of the rows: a commit that had none a moment ago is looked for in the last month alone.
    const ofThatDay = new CiLookup(external.queries, () => NOON)
    const [fromOwn, fromExternal] = await Promise.all([own, ofThatDay].map((source) => source.failuresOf(commit)))
    expect(fromOwn).toEqual(fromExternal)
    return fromOwn!.failures.map(({ testName, time, inJob, passedOnRetry, signature }) => ({
      testName,
      minute: (time - NOON) / 60_000,
      job: inJob === undefined ? null : (inJob.start - NOON) / 60_000,
      first: inJob === undefined ? null : (inJob.first - NOON) / 60_000,
      passedOnRetry,
      output: signature.text,
    }))
  }

  test('which job a row is of depends on no lookback of a test of which there is nothing to tell', async () => {
    const x = { ...ofAnother, testName: 'x' }
    await store([
      checkRow({ ...x, checkStartTime: NOON - 25 * DAY, reportUrl: '' }),
      checkRow({ ...x, checkStartTime: NOON - 28 * DAY, testStatus: 'OK', reportUrl: 'https://reports.example/2' }),
      job({ ...ofAnother, checkStartTime: NOON - DAY, checkStatus: 'failure' }),
    ])
    const asked = [wanted({ testName: 'x', until: NOON - 5 * DAY }), wanted({ testName: 'y' })]
    for (const source of bothSources()) {
      const [history] = await source.historiesOf(asked, SUBJECT, 1, THRESHOLDS)
      const { pullRequestNumber, commitSha } = ofAnother
      expect(history!.passesBesideFailures).toEqual([
        { pullRequestNumber, commitSha, checkName: check, times: [NOON - 28 * DAY] },
      ])
    }
  })

  test('a job that began before the first failure has its tests all the same', async () => {
    const reportUrl = 'https://reports.example/1'
    await store([
      job({ ...ofAnother, checkStartTime: NOON - 20 * DAY, checkStatus: 'success', reportUrl }),
      job({ ...ofAnother, checkStartTime: NOON - 15 * DAY, checkStatus: 'failure', reportUrl: '' }),
      checkRow({ ...ofAnother, checkStartTime: NOON - 10 * DAY, testName: 'z', reportUrl }),
    ])
    const { failing } = await historyOf(wanted({ testName: '', checkName: check }))
    expect(failing.map(({ time }) => time)).toEqual([NOON - 15 * DAY])
  })

  test('a test that failed in a job is no second failure of its check', async () => {
    await store([
      job({}),
      checkRow({ testName: 'ok', testStatus: 'OK', checkStartTime: at(3) }),
      checkRow({ checkStartTime: at(7) }),
    ])
    expect(await failuresOf()).toEqual([
      { testName: '00001_select', minute: 7, job: 0, first: 7, passedOnRetry: false, output: 'Expected 1, got 2' },
    ])
  })

  test('a pass that the same job gave later is a retry, one of a later attempt replaces', async () => {
    const first = [job({}), checkRow({ checkStartTime: at(7) })]
    await store([...first, checkRow({ testStatus: 'OK', checkStartTime: at(9) })])
    expect(await failuresOf()).toMatchObject([{ minute: 7, passedOnRetry: true }])
    await store([
      ...first,
      // A runner that was lost replaces nothing by itself.
      job({ checkStatus: 'error', checkStartTime: at(30) }),
      checkRow({ testStatus: 'OK', checkStartTime: at(33) }),
    ])
    expect((await failuresOf()).map(({ testName }) => testName)).toEqual([''])
  })

  test('of an older attempt nothing is left, also where its tests began after the newer one', async () => {
    const url = (attempt: number) => ({ reportUrl: `https://reports.example/7/${attempt}` })
    const attempts = [job(url(1)), job({ ...url(2), checkStatus: 'success', checkStartTime: at(20) })]
    await store([...attempts, checkRow({ ...url(1), checkStartTime: at(7) })])
    expect(await failuresOf()).toEqual([])
    await store([...attempts, checkRow({ ...url(1), checkStartTime: at(25) })])
    expect(await failuresOf()).toEqual([])
    // With one report for both the newest that had begun is its job.
    await store([...attempts.map((row) => ({ ...row, ...url(1) })), checkRow({ ...url(1), checkStartTime: at(25) })])
    expect(await failuresOf()).toMatchObject([{ job: 20 }])
  })

  test('tries of one job are one failure, with the first that failed and the last', async () => {
    await store([
      job({}),
      checkRow({ checkStartTime: at(7), testContextRaw: '' }),
      checkRow({ checkStartTime: at(9) }),
      checkRow({ checkStartTime: at(8), testContextRaw: '' }),
    ])
    expect(await failuresOf()).toMatchObject([{ minute: 9, job: 0, first: 7, output: 'Expected 1, got 2' }])
  })

  test('it is known whether tests ran in a job that broke down', async () => {
    const lost = job({ checkStatus: 'error', testContextRaw: 'The job has exceeded the maximum execution time of 6h' })
    const commit = { repositoryId: 1, repository: 'o/r', commitSha: 'c7', pullRequestNumber: 7 }
    for (const [minute, expected] of [
      [5, true],
      [-5, false],
    ] as const) {
      await store([lost, checkRow({ testStatus: 'OK', checkStartTime: at(minute) })])
      for (const source of bothSources()) {
        expect((await source.failuresOf(commit)).failures).toMatchObject([{ testName: '', testsRan: expected }])
      }
    }
  })

  test('many checks that failed with a test are no mass failure of checks without one', async () => {
    const numbers = [101, 102, 103, 104, 105]
    const rows = numbers.flatMap((pullRequestNumber) => {
      const [commitSha, headRepo] = [`c${pullRequestNumber}`, `u${pullRequestNumber}/r`]
      const of = { pullRequestNumber, commitSha, headRepo }
      const tests = Array.from({ length: 10 }, (_, test) =>
        checkRow({ ...of, testName: `test ${test}`, checkStartTime: at(-60 + test) }),
      )
      return [job({ ...of, checkStartTime: at(-61) }), ...tests]
    })
    await store(rows)
    for (const source of bothSources()) {
      const [first] = await source.massFailuresOf(NOON, SUBJECT, 1, { ...THRESHOLDS, massBuilds: 0 })
      expect(first).toMatchObject({ tests: 10, pullRequests: 5, checkNames: new Set() })
    }
  })

  test('give what rows of one time for each job give, over random jobs', { timeout: 90_000 }, async () => {
    const anyJob = fc.record(
      {
        pullRequestNumber: fc.constantFrom(0, 7, 8, 9),
        attempts: fc.array(
          fc.record({
            checkStatus: fc.constantFrom('success', 'failure', 'error', 'pending'),
            tests: fc.array(
              fc.record({
                testName: fc.constantFrom('x', 'y', 'z'),
                testStatus: fc.constantFrom('OK', 'FAIL', 'ERROR', 'SKIPPED', 'slower'),
                minute: fc.integer({ min: 0, max: 50 }),
              }),
              { maxLength: 5 },
            ),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        checkName: fc.constantFrom(check, 'Build'),
        hasReport: fc.boolean(),
      },
      { noNullPrototype: true },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyJob, {
          minLength: 6,
          maxLength: 10,
          selector: (one) => `${one.pullRequestNumber} ${one.checkName}`,
        }),
        async (jobs) => {
          const rowsOf = (isOwnTime: boolean) =>
            jobs.flatMap(({ pullRequestNumber, attempts, checkName, hasReport }) =>
              attempts.flatMap(({ checkStatus, tests }, attempt) => {
                const of = {
                  checkName,
                  checkStatus,
                  pullRequestNumber,
                  commitSha: pullRequestNumber === 0 ? 't1' : `c${pullRequestNumber}`,
                  headRef: pullRequestNumber === 0 ? 'master' : `feature-${pullRequestNumber}`,
                  headRepo: pullRequestNumber === 0 ? 'o/r' : `u${pullRequestNumber}/r`,
                  checkStartTime: at(attempt * 60 - 300),
                  reportUrl: hasReport ? `https://reports.example/${pullRequestNumber}` : '',
                }
                return [
                  job({ ...of, checkStatus: checkStatus === 'pending' && tests.length > 0 ? 'failure' : checkStatus }),
                  ...tests.map(({ testName, testStatus, minute }) =>
                    checkRow({
                      ...of,
                      testName,
                      testStatus,
                      checkStartTime: of.checkStartTime + (isOwnTime ? minute * 60_000 : 0),
                    }),
                  ),
                ]
              }),
            )
          const all = ['x', 'y', 'z', ''].map((testName) =>
            wanted({ testName, checkName: testName === '' ? check : null, failedIn: [check] }),
          )
          const seen = async (isOwnTime: boolean) => {
            await store(rowsOf(isOwnTime))
            const failures = (await failuresOf()).map(({ testName, passedOnRetry, output }) => [
              testName,
              passedOnRetry,
              output,
            ])
            const histories = await external.historiesOf(all, SUBJECT, 1, THRESHOLDS)
            expect(await own.historiesOf(all, SUBJECT, 1, THRESHOLDS)).toEqual(histories)
            return { failures, histories: histories.map(countsOf) }
          }
          expect(await seen(true)).toEqual(await seen(false))
        },
      ),
      { numRuns: 6, endOnFailure: true },
    )
  })

  const countsOf = ({ failing, passes, trunkPasses, passesBesideFailures, latestTrunk, checks }: TestHistory) => ({
    failing: failing.map(({ commitSha, checkName }) => `${commitSha} ${checkName}`).toSorted(),
    passes,
    trunkPasses,
    beside: passesBesideFailures.map(({ commitSha, checkName }) => `${commitSha} ${checkName}`).toSorted(),
    latestTrunk: new Set(latestTrunk.map(({ commitSha, failed }) => `${commitSha} ${failed}`)),
    checks: checks.map(({ checkName, passes: once, runs }) => `${checkName} ${once} ${runs}`).toSorted(),
  })
})

describe('against the rules of the code, over random rows', () => {
  const TRUNK_COMMIT = fc.constantFrom('t1', 't2', 't3', 't4')
  const anyRow = fc
    .record(
      {
        isTrunk: fc.boolean(),
        pullRequestNumber: fc.constantFrom(0, 7, 8, 9, 10),
        trunkCommit: TRUNK_COMMIT,
        attempt: fc.constantFrom('a', 'b'),
        checkName: fc.constantFrom('c1', 'c2', 'c3'),
        checkStatus: fc.constantFrom('success', 'failure'),
        hours: fc.integer({ min: -2, max: 31 * 24 }),
        testName: fc.constantFrom('x', 'y', 'z (STID: 1-a)', ''),
        testStatus: fc.constantFrom('OK', 'FAIL', 'PASSED', 'error', 'SKIPPED', 'slower'),
        baseRef: fc.constantFrom('', 'master', '26.3'),
        baseRepo: fc.constantFrom('', 'O/R', 'other/r'),
        headRef: fc.constantFrom('', 'master', '26.3', 'feature-7', 'other'),
        headRepo: fc.constantFrom('', 'o/r', 'U7/R', 'u8/r'),
        output: fc.constantFrom('', 'Expected 1, got 2', 'Timeout'),
        reportUrl: fc.constantFrom('', 'https://reports.example/1', 'https://reports.example/2'),
      },
      { noNullPrototype: true },
    )
    .map(({ isTrunk, trunkCommit, attempt, hours, output, ...row }) => {
      const pullRequestNumber = isTrunk ? 0 : row.pullRequestNumber
      return checkRow({
        ...row,
        pullRequestNumber,
        commitSha: pullRequestNumber === 0 ? trunkCommit : `c${pullRequestNumber}${attempt}`,
        checkStartTime: NOON - hours * HOUR,
        testContextRaw: output,
        // it exists only when it fails
        testStatus: row.testName === '' ? '' : row.testName.startsWith('z') ? 'FAIL' : row.testStatus,
      })
    })
  const anySubject = fc.constantFrom<Subject>(
    { ...SUBJECT, commitSha: 'c7a' },
    { ...SUBJECT, pullRequestNumber: 0, commitSha: 't2', headRef: 'master', headRepo: 'o/r' },
    { ...SUBJECT, repository: '', headRepo: '', headRef: '' },
    { ...SUBJECT, pullRequestNumber: 0, commitSha: '' },
  )

  /** What `historiesOf` must give, by a plain loop over the rows. */
  function expected(
    rows: readonly CheckRow[],
    { testName, checkName, until, failedIn }: HistoryWanted,
    subject: Subject,
  ) {
    // Jobs before the lookbacks that are asked for together are not read.
    const read = rows.filter((row) => row.checkStartTime > NOON - 10 * HOUR - THRESHOLDS.lookbackDays * DAY)
    const hasFailedTest = (job: CheckRow) =>
      rows.some(
        (row) =>
          row.testName !== '' &&
          row.commitSha === job.commitSha &&
          row.checkName === job.checkName &&
          row.pullRequestNumber === job.pullRequestNumber &&
          jobStartOf(row, read) === job.checkStartTime &&
          (outcomeOf(row) === 'failing' || row.testStatus === 'slower'),
      )
    const inWindow = rows.filter(
      (row) =>
        row.testName === testName &&
        (checkName === null || row.checkName === checkName) &&
        row.checkStartTime > until - THRESHOLDS.lookbackDays * DAY &&
        row.checkStartTime <= until &&
        isOfRepository(row, subject),
    )
    const failing = inWindow.filter(
      (row) => outcomeOf(row) === 'failing' && !(row.testName === '' && hasFailedTest(row)),
    )
    const passing = inWindow.filter((row) => outcomeOf(row) === 'passing' && !isOwn(row, subject))
    const trunk = passing.filter((row) => isOfTrunk(row, subject))
    const newest = trunk.toSorted((a, b) => b.checkStartTime - a.checkStartTime)
    // In a job in which it did not fail, where it failed in another one.
    const jobOf = (row: CheckRow) => {
      const isJob = (one: CheckRow) =>
        one.testName === '' &&
        outcomeOf(one) !== 'other' &&
        one.checkName === row.checkName &&
        one.commitSha === row.commitSha &&
        one.pullRequestNumber === row.pullRequestNumber
      // Without a row of the job its report alone tells it.
      return row.testName !== '' && row.reportUrl !== '' && !read.some(isJob) ? 0 : jobStartOf(row, read)
    }
    const beside = passing.filter((row) => {
      const failed = failing.filter(
        (one) =>
          one.commitSha === row.commitSha &&
          one.checkName === row.checkName &&
          one.pullRequestNumber === row.pullRequestNumber &&
          !isOwn(one, subject),
      )
      return failed.length > 0 && failed.every((one) => jobOf(one) !== jobOf(row) || one.reportUrl !== row.reportUrl)
    })
    const failedOnTrunk = failing.filter((row) => isOfTrunk(row, subject) && !isOwn(row, subject))
    const executionOf = (row: CheckRow, failed: boolean) =>
      `${row.checkStartTime} ${row.commitSha} ${row.checkName} ${failed}`
    const jobs = failedIn
      .filter(
        (check) =>
          passing.length === 0 &&
          new Set(failedOnTrunk.filter((row) => row.checkName === check).map((row) => row.commitSha)).size >= 2,
      )
      .flatMap((check) => {
        const ofCheck = rows.filter(
          (row) =>
            row.testName === '' &&
            outcomeOf(row) !== 'other' &&
            row.checkName === check &&
            row.checkStartTime > until - THRESHOLDS.lookbackDays * DAY &&
            row.checkStartTime <= until &&
            isOfRepository(row, subject) &&
            isOfTrunk(row, subject) &&
            !isOwn(row, subject),
        )
        const failedIt = failedOnTrunk
          .filter((row) => row.checkName === check)
          .map((row) => `${jobStartOf({ ...row, testName: 'any', reportUrl: '' }, ofCheck)} ${row.commitSha}`)
        return ofCheck.filter((row) => !failedIt.includes(`${row.checkStartTime} ${row.commitSha}`))
      })
    return {
      failing: failing
        .map(
          (row) =>
            `${row.checkStartTime} ${row.commitSha} ${row.checkName} ${signatureOf(row.testName, row.testContextRaw).text}`,
        )
        .toSorted(),
      passes: passing.length,
      trunkPasses: trunk.length,
      lastTrunkPass: newest[0]?.checkStartTime ?? null,
      beside: [
        ...new Set(beside.map((row) => `${row.commitSha} ${row.checkName} ${row.pullRequestNumber} ${jobOf(row)}`)),
      ].toSorted(),
      passesByCheck: [...Map.groupBy(passing, (row) => row.checkName)]
        .map(([check, own]) => {
          const isBranch = (row: CheckRow) =>
            subject.repository !== '' && row.headRepo.toLowerCase() === subject.repository.toLowerCase()
          const isFork = (row: CheckRow) => row.pullRequestNumber > 0 && !isBranch(row)
          const once = own.flatMap((row) =>
            isFork(row) ? [] : row.pullRequestNumber === 0 ? `commit ${row.commitSha}` : `branch ${row.headRef}`,
          )
          const owners = new Set(own.filter(isFork).map((row) => row.headRepo.toLowerCase().split('/')[0]!))
          return `${check} ${new Set(once).size} ${[...owners].toSorted().join()}`
        })
        .toSorted(),
      clean: [...new Set(failedOnTrunk.map((row) => row.checkName))]
        .flatMap((check) => [
          ...new Set(trunk.filter((row) => row.checkName === check).map((row) => `${check} ${row.checkStartTime}`)),
        ])
        .toSorted(),
      trunk: [
        ...new Set([
          ...failedOnTrunk.filter((row) => failedIn.includes(row.checkName)).map((row) => executionOf(row, true)),
          ...trunk.filter((row) => failedIn.includes(row.checkName)).map((row) => executionOf(row, false)),
          ...jobs.map((row) => executionOf(row, false)),
        ]),
      ].toSorted(),
    }
  }

  function summaryOf(history: TestHistory): ReturnType<typeof expected> {
    return {
      failing: history.failing
        .map((row) => `${row.time} ${row.commitSha} ${row.checkName} ${row.signature.text}`)
        .toSorted(),
      passes: history.passes,
      trunkPasses: history.trunkPasses,
      lastTrunkPass: history.lastTrunkPass?.time ?? null,
      beside: history.passesBesideFailures
        .flatMap((row) => row.times.map((time) => `${row.commitSha} ${row.checkName} ${row.pullRequestNumber} ${time}`))
        .toSorted(),
      passesByCheck: history.checks
        .flatMap(({ checkName, passes, passedBy = [] }) =>
          passes + passedBy.length === 0 ? [] : `${checkName} ${passes} ${passedBy.toSorted().join()}`,
        )
        .toSorted(),
      // Of a test without a known pass these are runs of its check.
      clean:
        history.passes === 0
          ? []
          : history.checks
              .flatMap(({ checkName, trunkClean }) => trunkClean.map((time) => `${checkName} ${time}`))
              .toSorted(),
      trunk: history.latestTrunk.map((row) => `${row.time} ${row.commitSha} ${row.checkName} ${row.failed}`).toSorted(),
    }
  }

  test('every count is exact, in both sources', { timeout: 90_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { minLength: 20, maxLength: 150 }), anySubject, async (rows, subject) => {
        await store(rows)
        const all = [
          wanted({ testName: 'x', failedIn: ['c1', 'c2'] }),
          wanted({ testName: 'x', failedIn: ['c3'], until: NOON - 5 * DAY - 1 }),
          wanted({ testName: 'z (STID: 1-a)', failedIn: ['c1', 'c2', 'c3'] }),
          wanted({ testName: '', checkName: 'c2', failedIn: ['c2'] }),
          wanted({ testName: 'y', failedIn: [] }),
          wanted({ testName: '', checkName: 'c1', failedIn: ['c1'], until: NOON - 10 * HOUR }),
        ]
        for (const source of bothSources()) {
          const found = await source.historiesOf(all, subject, 1, THRESHOLDS)
          for (const [index, history] of found.entries()) {
            expect(history).toMatchObject({ testName: all[index]!.testName, checkName: all[index]!.checkName })
            expect(summaryOf(history)).toEqual(expected(rows, all[index]!, subject))
            expect(history.failingNotRead).toBe(0)
            expect(history.failing.map(({ time }) => time)).toEqual(
              history.failing.map(({ time }) => time).toSorted((a, b) => b - a),
            )
          }
        }
      }),
      // Each step of shrinking stores and reads everything again.
      { numRuns: 12, endOnFailure: true },
    )
  })
})

describe('mass failures', () => {
  const HALF = HOUR / 2
  const start = NOON - 3 * HOUR
  const failed = (test: number, pullRequestNumber: number, checkStartTime: number, changes: Partial<CheckRow> = {}) =>
    checkRow({
      testName: `test ${test}`,
      pullRequestNumber,
      commitSha: `c${pullRequestNumber}`,
      headRef: `b${pullRequestNumber}`,
      headRepo: `u${pullRequestNumber}/r`,
      checkStartTime,
      ...changes,
    })
  const massFailuresOf = async (subject = SUBJECT, thresholds = THRESHOLDS) => {
    const [fromOwn, fromExternal] = await Promise.all(
      bothSources().map((source) => source.massFailuresOf(NOON, subject, 1, thresholds)),
    )
    expect(fromOwn).toEqual(fromExternal)
    return fromOwn!
  }
  /** 10 tests in 3 pull requests each, 5 together. */
  const mass = Array.from({ length: 10 }, (_, test) =>
    [0, 1, 2].map((offset) => failed(test, 100 + ((test + offset) % 5), start + HALF + test * 1000)),
  ).flat()
  const testNames = new Set(Array.from({ length: 10 }, (_, test) => `test ${test}`))
  const hour = { hours: 1, checkName: null, tests: 10, pullRequests: 5, testNames, checkNames: new Set() }

  test('are not looked for where too few tests failed in all', async () => {
    const asked: string[] = []
    const queries = ownCiQueries(clickhouse)
    const read: typeof queries.read = (name, ...rest) => {
      asked.push(name)
      return queries.read(name, ...rest)
    }
    const found = () => new CiLookup({ ...queries, read }).massFailuresOf(NOON, SUBJECT, 1, THRESHOLDS)
    await store(Array.from({ length: THRESHOLDS.massTests - 1 }, (_, test) => failed(test, 100, start + HALF)))
    expect([await found(), asked.splice(0)]).toEqual([[], ['tests-that-failed']])
    await store(mass)
    expect((await found()).length).toBeGreaterThan(0)
    expect(asked).toEqual(['tests-that-failed', 'mass-failures'])
  })

  test('are the hours in which many tests failed in several pull requests', async () => {
    await store([...mass, ...busy('Stateless tests (amd_debug)')])
    expect(await massFailuresOf()).toEqual([
      { ...hour, start },
      { ...hour, start: start + HALF },
    ])
  })

  test('a bystander is no part of it, a check that failed without a test in as many pull requests is', async () => {
    const bystander = failed(99, 100, start + HALF)
    const build = (number: number, checkName: string) =>
      failed(0, number, start + HALF, { testName: '', testStatus: '', checkName })
    await store([
      ...mass,
      ...busy('Stateless tests (amd_debug)'),
      bystander,
      ...[101, 102, 103].map((number) => build(number, 'Build')),
      ...[101, 102].map((number) => build(number, 'Docs')),
      ...[101, 102, 103].map((number) => build(number, 'Stateless tests (amd_debug)')),
    ])
    const [first] = await massFailuresOf()
    expect(first).toEqual({ ...hour, start, checkNames: new Set(['Build']) })
  })

  test('names are given as they are compared', async () => {
    const renamed = mass.map((row) => ({ ...row, testName: `${row.testName} [2026-09-11]` }))
    await store([...renamed, ...busy('Stateless tests (amd_debug)')])
    const [first] = await massFailuresOf()
    expect([...first!.testNames].toSorted()).toEqual([...hour.testNames].map((name) => `${name} [<DATE>]`).toSorted())
  })

  test('tests with another parameter in each run gather under the name by which they are compared', async () => {
    const named = (name: (row: CheckRow) => string) =>
      store([...mass.map((row) => ({ ...row, testName: name(row) })), ...busy('Stateless tests (amd_debug)')])
    const number = ({ testName }: CheckRow) => testName.slice(5)
    const id = ({ pullRequestNumber: by }: CheckRow) => `2001217${by % 10}-d418-4c0b-9${by}-a1b2c3d4e5f6`
    await named((row) => `test_${number(row)}.py::writes[${id(row)}]`)
    const [first] = await massFailuresOf()
    const names = Array.from({ length: 10 }, (_, test) => `test_${test}.py::writes[<UUID>]`)
    expect(first).toEqual({ ...hour, start, testNames: new Set(names) })

    const letters = (row: CheckRow) => 'abcdefghij'[Number(number(row))]!.repeat(3)
    const crash = (row: CheckRow) => `Part ${row.pullRequestNumber} of ${letters(row)} (STID: 2508-4${letters(row)})`
    await named((row) => crash(row).replace(/[g-j]{3}\)$/, (of) => `${(of.charCodeAt(0) % 10) + 100})`))
    expect((await massFailuresOf())[0]).toMatchObject({ tests: 10, pullRequests: 5 })

    // Words that a person chose are as many tests.
    await named((row) => `test_${number(row)}.py::writes[${'abcdef'[row.pullRequestNumber % 5]!.repeat(8)}]`)
    expect(await massFailuresOf()).toEqual([])
    await named((row) => `test_${number(row)}.py::writes_${id(row)}`)
    expect(await massFailuresOf()).toEqual([])
  })

  test('one test less, one pull request less, the subject itself, the trunk and another branch number are none', async () => {
    await store(mass.filter(({ testName }) => testName !== 'test 3'))
    expect(await massFailuresOf()).toEqual([])
    await store(mass.filter(({ pullRequestNumber }) => pullRequestNumber !== 104))
    expect(await massFailuresOf()).toEqual([])
    await store(mass)
    expect(await massFailuresOf({ ...SUBJECT, pullRequestNumber: 102 })).toEqual([])
    await store(mass.map((row) => ({ ...row, pullRequestNumber: 0 })))
    expect(await massFailuresOf()).toEqual([])
    await store(mass.map((row) => ({ ...row, headRepo: 'U/r', headRef: 'one branch' })))
    expect(await massFailuresOf()).toEqual([])
    await store(mass.map((row) => ({ ...row, checkStartTime: NOON + 1000 })))
    expect(await massFailuresOf()).toEqual([])
  })

  /** The check itself, in 480 builds of the day of the mass failure. */
  function busy(checkName: string): CheckRow[] {
    return Array.from({ length: 480 }, (_, build) => passed(checkName, 1000 + build, NOON - 12 * HOUR + build * 90_000))
  }
  function passed(checkName: string, number: number, checkStartTime: number): CheckRow {
    return failed(0, number, checkStartTime, { checkName, testName: '', testStatus: '', checkStatus: 'success' })
  }

  /** A check with `builds` a day over 20 days, of which `tests` fail in the first `broken` of the tenth. */
  function slow(builds: number, broken: number, tests = 12): CheckRow[] {
    const midnight = NOON - 12 * HOUR
    return Array.from({ length: 20 }, (_, day) => day).flatMap((day) =>
      Array.from({ length: builds }, (_, build) => build).flatMap((build) => {
        const number = 1000 + day * builds + build
        const time = midnight - (20 - day) * DAY + Math.floor((build * DAY) / builds / 1000) * 1000
        const job = passed('Slow check', number, time)
        if (day !== 10 || build >= broken) return [job]
        const failing = Array.from({ length: tests }, (_, test) =>
          failed(test, number, time, { checkName: 'Slow check' }),
        )
        return [{ ...job, checkStatus: 'failure' }, ...failing]
      }),
    )
  }

  test('a host that is broken for a day, in a check with 20 builds a day', async () => {
    await store(slow(20, 16))
    const found = await massFailuresOf()
    expect(found.map(({ hours, checkName, tests, pullRequests }) => [hours, checkName, tests, pullRequests])).toEqual([
      [24, 'Slow check', 12, 10],
      [24, 'Slow check', 12, 16],
      [24, 'Slow check', 12, 6],
    ])
    // One test less than makes one.
    await store(slow(20, 16, 9))
    expect(await massFailuresOf()).toEqual([])
  })

  /** 20 builds a day over so many days until now, of which those fail that are said to; the trunk fails in the third hour. */
  function daily(days: number, fails: (day: number, build: number) => boolean, trunkDays: readonly number[] = []) {
    const at = (day: number, build: number) => NOON - (days - day) * DAY + build * HOUR
    const tests = (number: number, time: number, changes: Partial<CheckRow>) =>
      Array.from({ length: 12 }, (_, test) =>
        failed(test, number, time, { checkName: 'Slow check', commitSha: `c${time}`, ...changes }),
      )
    return [
      ...Array.from({ length: days * 20 }, (_, index) => index).flatMap((index) => {
        const [day, build] = [Math.floor(index / 20), index % 20]
        const job = { ...passed('Slow check', 2000 + index, at(day, build)), commitSha: `c${at(day, build)}` }
        return fails(day, build) ? [job, ...tests(2000 + index, at(day, build), {})] : [job]
      }),
      ...trunkDays.flatMap((day, nth) =>
        tests(0, at(day, 3 + nth), { headRef: 'master', headRepo: '', baseRef: '', commitSha: `t${nth}` }),
      ),
    ]
  }

  test.each([5, 29])('over %i days: a host broken for one, chronic in 3 builds of each, a bad merge', async (days) => {
    const isBroken = (day: number, build: number) => day === days - 3 && build < 16
    await store(daily(days, isBroken))
    expect((await massFailuresOf()).map(({ hours, tests }) => [hours, tests])).toContainEqual([24, 12])
    await store(daily(days, (_, build) => build % 7 === 3))
    expect(await massFailuresOf()).toEqual([])
    await store(daily(days, isBroken, [days - 3]))
    expect((await massFailuresOf()).length).toBeGreaterThan(0)
    await store(daily(days, isBroken, [days - 3, days - 3]))
    expect(await massFailuresOf()).toEqual([])
  })

  test('many tests of one file, or in pull requests of one owner, are one cause', async () => {
    const named = (name: (test: number) => string) =>
      store(mass.map((row) => ({ ...row, testName: name(Number(row.testName.slice(5))) })))
    for (const name of [
      (test: number) => `test/parallel/test-cart.js > block ${test}`,
      (test: number) => `tests/test_cart.py::test_${test}[utc]`,
      (test: number) => `org.example.CartTest.adds${test}`,
      (test: number) => `github.com/acme/cart.TestAdds/case_${test}`,
      (test: number) => `Cart › adds ${test}`,
    ]) {
      await named(name)
      expect(await massFailuresOf()).toEqual([])
    }
    await named((test) => `tests/test_cart_${test}.py::test_it[utc]`)
    expect(await massFailuresOf()).not.toEqual([])
    await store(mass.map((row) => ({ ...row, headRepo: 'one/r' })))
    expect(await massFailuresOf()).toEqual([])
    await store(mass.map((row) => ({ ...row, headRepo: 'o/r' })))
    expect(await massFailuresOf()).not.toEqual([])
    await store(mass.map((row) => ({ ...row, headRepo: '' })))
    expect(await massFailuresOf()).toEqual([])
  })

  test('what is known for less than two windows is no mass failure', async () => {
    await store(daily(1, (_, build) => build < 16))
    expect(await massFailuresOf()).toEqual([])
  })

  test('the window holds 20 builds: 100 a day are 6 hours, 480 an hour', async () => {
    await store(slow(100, 5))
    expect(new Set((await massFailuresOf()).map(({ hours }) => hours))).toEqual(new Set([1, 6]))
    await store(slow(480, 5))
    expect(new Set((await massFailuresOf()).map(({ hours }) => hours))).toEqual(new Set([1]))
  })

  test('what fails as often on other days is chronic and none', async () => {
    const often = Array.from({ length: 10 }, (_, day) => day).flatMap((day) =>
      [0, 1].flatMap((build) =>
        Array.from({ length: 12 }, (_, test) =>
          failed(test, 5000 + day * 2 + build, NOON - (day + 21) * DAY + build * HOUR, { checkName: 'Slow check' }),
        ),
      ),
    )
    // 3 of a day, and 20 on the 29 others: more than a fifth as often.
    await store([...slow(20, 5).filter(({ pullRequestNumber }) => pullRequestNumber < 1203), ...often])
    expect(await massFailuresOf()).toEqual([])
    // All of its builds that day are more than 5 times as often.
    await store([...slow(20, 5), ...often])
    expect((await massFailuresOf()).length).toBeGreaterThan(0)
  })

  /** The definition of docs/ledger.md, by plain loops. */
  function recounted(rows: readonly CheckRow[], subject: Subject, thresholds: typeof THRESHOLDS) {
    const from = NOON - thresholds.lookbackDays * DAY
    const inTime = rows.filter(
      (row) =>
        row.checkStartTime > from && row.checkStartTime <= NOON && isOfRepository(row, subject) && !isOwn(row, subject),
    )
    const known = inTime.filter((row) => row.pullRequestNumber > 0)
    const nameOf = (row: CheckRow) =>
      row.headRepo.toLowerCase() === 'o/r' ? row.headRef : `owner ${row.headRepo.toLowerCase().split('/')[0]}`
    const fileOf = (testName: string) => testName.split(' > ')[0]!
    const jobOf = (row: CheckRow) =>
      JSON.stringify([row.checkName, row.commitSha, jobStartOf(row, inTime), row.pullRequestNumber])
    const withTests = new Set(
      inTime
        .filter((row) => row.testName !== '' && (outcomeOf(row) === 'failing' || row.testStatus === 'slower'))
        .map(jobOf),
    )
    const isFailing = (row: CheckRow) =>
      outcomeOf(row) === 'failing' && (row.testName !== '' || !withTests.has(jobOf(row)))
    const failing = known.filter(isFailing)
    const failingOnTrunk = inTime.filter((row) => isOfTrunk(row, subject) && isFailing(row))
    const timeOf = (row: CheckRow) => row.checkStartTime
    const isBuild = (row: CheckRow) =>
      outcomeOf(row) === 'failing' ||
      row.testStatus === 'slower' ||
      (row.testName === '' && outcomeOf(row) === 'passing')
    const hoursOf = (checkName: string): number => {
      const builds = known.filter((row) => row.checkName === checkName && isBuild(row))
      const days = new Set(builds.map((row) => Math.floor(row.checkStartTime / DAY))).size
      const aDay = new Set(builds.map((row) => row.commitSha)).size / days
      return [1, 2, 3, 4, 6, 8, 12].find((hours) => (aDay * hours) / 24 >= thresholds.massBuilds) ?? 24
    }
    const checks = [...new Set(failing.map((row) => row.checkName))]
    const scopes = [
      { checkName: null, hours: 1 },
      ...checks.map((checkName) => ({ checkName, hours: hoursOf(checkName) })).filter(({ hours }) => hours > 1),
    ]
    return scopes
      .flatMap(({ checkName, hours }) => {
        const inScope = failing.filter((row) => checkName === null || row.checkName === checkName)
        const step = hours * HALF
        const starts = new Set(
          inScope.flatMap((row) => {
            const last = Math.floor(row.checkStartTime / step) * step
            return [last, last - step]
          }),
        )
        return [...starts].flatMap((begin) => {
          const inWindow = inScope.filter(
            (row) => row.checkStartTime >= begin && row.checkStartTime < begin + hours * HOUR,
          )
          const ofHistory = (row: CheckRow) => JSON.stringify([row.testName, row.testName === '' ? row.checkName : ''])
          const part = [...Map.groupBy(inWindow, ofHistory)].filter(([key, own]) => {
            const here = new Set(own.map(nameOf))
            const elsewhere = new Set(inScope.filter((row) => ofHistory(row) === key).map(nameOf)).size - here.size
            if (here.size < thresholds.massPullRequestsPerTest) return false
            if (hours === 1) return true
            const first = Math.min(...known.filter((row) => row.checkName === checkName && isBuild(row)).map(timeOf))
            const onTrunk = failingOnTrunk.filter(
              (row) =>
                row.checkName === checkName &&
                ofHistory(row) === key &&
                row.checkStartTime >= begin &&
                row.checkStartTime < begin + hours * HOUR,
            )
            const knownHours = (NOON - first) / HOUR
            return (
              new Set(onTrunk.map((row) => row.commitSha)).size < thresholds.brokenTrunkRuns &&
              knownHours >= 2 * hours &&
              here.size / hours >= (thresholds.massTimesAsOften * elsewhere) / (knownHours - hours)
            )
          })
          const tests = part.filter(([, [row]]) => row!.testName !== '')
          const pullRequests = new Set(tests.flatMap(([, own]) => own.map(nameOf))).size
          const files = new Set(tests.map(([, [row]]) => fileOf(row!.testName))).size
          if (files < thresholds.massTests || pullRequests < thresholds.massPullRequests) return []
          return [
            {
              start: begin,
              hours,
              checkName,
              tests: tests.length,
              pullRequests,
              testNames: tests.map(([, [row]]) => row!.testName).toSorted(),
              checkNames: part.flatMap(([, [row]]) => (row!.testName === '' ? [row!.checkName] : [])).toSorted(),
            },
          ]
        })
      })
      .toSorted(
        (a, b) => a.start - b.start || a.hours - b.hours || ((a.checkName ?? '') < (b.checkName ?? '') ? -1 : 1),
      )
  }

  test('are those of a plain recount, of random databases', { timeout: 60_000 }, async () => {
    const thresholds = {
      ...THRESHOLDS,
      massTests: 2,
      massPullRequestsPerTest: 2,
      massPullRequests: 3,
      massBuilds: 3,
    }
    const pick = <T>(...values: T[]) => fc.constantFrom(...values)
    const anyRow = fc
      .record({
        test: fc.integer({ min: 0, max: 4 }),
        number: fc.integer({ min: 0, max: 9 }),
        minutes: fc.oneof(
          fc.integer({ min: 0, max: 90 }),
          fc.integer({ min: -10, max: 24 * 60 }),
          fc.integer({ min: 0, max: 31 * 24 * 60 }),
        ),
        checkName: pick('a', 'a', 'b'),
        testStatus: pick('FAIL', 'FAIL', 'FAIL', 'OK', 'slower', 'SKIPPED'),
        attempt: pick('', 'x'),
        reportUrl: pick('', 'https://reports.example/1', 'https://reports.example/2'),
      })
      .map(({ test: number_, number, minutes, attempt, testStatus, ...row }) =>
        failed(number_, number, NOON - minutes * 60_000, {
          ...row,
          commitSha: `c${number}${attempt}`,
          headRef: number === 0 ? SUBJECT.trunk[0]! : `b${Math.floor(number / 2)}`,
          headRepo: ['', 'o/r', 'u1/r', 'U1/other', 'u2/r', 'O/r', 'u3/r'][number % 7]!,
          ...(number_ > 2 ? { testName: `cart.test.ts > ${number_}` } : {}),
          testStatus,
          ...(number_ === 0 ? { testName: '', checkStatus: testStatus === 'OK' ? 'success' : 'failure' } : {}),
        }),
      )
    let found = 0
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { minLength: 60, maxLength: 250 }), async (rows) => {
        await store(rows)
        const subject = { ...SUBJECT, pullRequestNumber: 9 }
        const inOrder = (await massFailuresOf(subject, thresholds)).map(({ testNames: names, checkNames, ...one }) => {
          return { ...one, testNames: [...names].toSorted(), checkNames: [...checkNames].toSorted() }
        })
        expect(inOrder).toEqual(recounted(rows, subject, thresholds))
        found += new Set(inOrder.map(({ hours }) => hours)).size > 1 ? 1 : 0
      }),
      { numRuns: 12, endOnFailure: true },
    )
    // Both kinds of windows were there to be compared.
    expect(found).toBeGreaterThan(1)
  })
})

describe('rows of no repository', () => {
  test('count for a lookup without one, and where they name the repository', async () => {
    await clickhouse.command('empty', 'TRUNCATE TABLE checks')
    const rows = (baseRepo: string) => [checkRow({ pullRequestNumber: 9, commitSha: `c ${baseRepo}`, baseRepo })]
    await saveChecks(clickhouse, 0, [...rows('O/R'), ...rows(''), ...rows('other/r')])
    await saveChecks(clickhouse, 2, rows('o/r'))
    const commits = async (repositoryId: number, repository: string) => {
      const [history] = await own.historiesOf([wanted()], { ...SUBJECT, repository }, repositoryId, THRESHOLDS)
      return history!.failing.map(({ commitSha }) => commitSha)
    }
    expect(await commits(1, 'o/r')).toEqual(['c O/R'])
    expect(await commits(0, 'o/r')).toEqual(['c ', 'c O/R'])
    expect(await commits(0, '')).toEqual(['c ', 'c O/R', 'c other/r'])
    expect(await commits(1, '')).toEqual([])
    expect(await commits(2, 'o/r')).toEqual(['c O/R', 'c o/r'])
  })
})
