import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CheckRow } from '../../../src/intake/imports/checks/check-row.ts'
import { type Run, resultKey } from '../../../src/intake/measurement/run.ts'
import type { LedgerEntry } from '../../../src/judge/ledger/entry.ts'
import { signatureOf } from '../../../src/judge/ledger/signature.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { CHECKS } from '../../../src/store/checks/checks.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { timelineOfEntry } from '../../../src/store/ledger/entry-timeline.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { arm, judgedHead, measured, times } from '../../report/judge-setting.ts'
import { checkRow, DAY, HOUR, NOON, trunkRow } from '../checks/check-rows.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'

let clickhouse: ClickHouse
let store: Store
beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse, { now: () => new Date(NOON + HOUR) })
  await store.ping()
})
afterAll(() => store.close())

const OUTPUT = 'Timeout exceeded: elapsed 3 seconds'
let repositories = 100

function newRepository(): number {
  repositories += 1
  return repositories
}

function entryOf(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    entryId: 'failure||00001_select|x',
    kind: 'failure',
    state: 'open',
    testName: '00001_select',
    checkName: 'Stateless tests (amd_debug)',
    signature: signatureOf('00001_select', OUTPUT).text,
    firstSeen: NOON,
    lastSeen: NOON,
    openedAt: NOON,
    closedAt: null,
    expiresAt: NOON + 90 * DAY,
    reopened: 0,
    hits1: 0,
    hits7: 0,
    hits30: 0,
    unrelatedPullRequests: 0,
    trunkHits: 0,
    owner: null,
    issue: null,
    ...changes,
  }
}

/** The timeline over these rows alone, and the sums of its days. */
async function timelineOver(rows: readonly CheckRow[], entry = entryOf(), id = newRepository()) {
  await store.ciResults.save(id, rows)
  const timeline = await store.ledger.timelineOf(id, 'o/r', entry)
  const sum = (of: (day: (typeof timeline.days)[number]) => number) =>
    timeline.days.reduce((total, day) => total + of(day), 0)
  return {
    timeline,
    sums: [sum((day) => day.pullRequestHits), sum((day) => day.trunkHits), sum((day) => day.inMassFailures)],
    commits: timeline.latest.map(({ commitSha }) => commitSha),
  }
}

const failed = (changes: Partial<CheckRow> = {}) => checkRow({ testContextRaw: OUTPUT, ...changes })

test('rows of the same test and signature in any check, the trunk apart; nothing else', async () => {
  const { timeline, sums, commits } = await timelineOver([
    failed({ commitSha: 'here' }),
    failed({ commitSha: 'other-check', checkName: 'Fast test', checkStartTime: NOON - 3 * DAY }),
    { ...trunkRow({ commitSha: 'trunk', checkStartTime: NOON - DAY }), testContextRaw: OUTPUT },
    failed({ commitSha: 'other-signature', testContextRaw: 'Segmentation fault' }),
    failed({ commitSha: 'other-test', testName: '00001_select_2' }),
    failed({ commitSha: 'passed', testStatus: 'OK' }),
    failed({ commitSha: 'other-repository', baseRepo: 'somebody/else' }),
    { ...trunkRow({ commitSha: 'fork', headRepo: 'somebody/r' }), testContextRaw: OUTPUT },
    failed({ commitSha: 'too-old', checkStartTime: NOON - 90 * DAY }),
    failed({ commitSha: 'too-new', checkStartTime: NOON + 2 * HOUR }),
  ])
  expect(sums).toEqual([2, 1, 0])
  expect(commits).toEqual(['here', 'trunk', 'other-check'])
  expect(timeline.days.at(-1)).toMatchObject({ start: NOON - (NOON % DAY), pullRequestHits: 1 })
  expect(timeline.latest[0]).toMatchObject({ time: NOON, reportUrl: 'https://reports.example/7', difference: null })
})

test('rows of the test under each of its names, where a part of it varies', async () => {
  const entry = entryOf({ testName: 'test_write[20012170-d418-f7af-25b7-501ac9c1ffef]' })
  const { sums, commits } = await timelineOver(
    [
      failed({ commitSha: 'here', testName: entry.testName }),
      failed({
        commitSha: 'other-id',
        testName: 'test_write[cd613e30-d8f1-6adf-91b7-584a2265b1f5]',
        checkStartTime: NOON - DAY,
      }),
      failed({ commitSha: 'no-id', testName: 'test_write[utc]' }),
    ],
    entry,
  )
  expect(sums).toEqual([2, 0, 0])
  expect(commits).toEqual(['here', 'other-id'])
})

test('the first second of the first day counts, the one before it does not', async () => {
  const first = NOON - (NOON % DAY) - 89 * DAY
  const { commits } = await timelineOver([
    failed({ commitSha: 'first', checkStartTime: first }),
    failed({ commitSha: 'before', checkStartTime: first - 1000 }),
  ])
  expect(commits).toEqual(['first'])
})

test('a row that was stored twice is one', async () => {
  const id = newRepository()
  await timelineOver([failed()], entryOf(), id)
  expect((await timelineOver([failed()], entryOf(), id)).sums).toEqual([1, 0, 0])
})

test('rows that were imported without a repository count where they name it', async () => {
  await store.ciResults.save(0, [
    failed({ testName: 'imported', commitSha: 'named', baseRepo: 'O/R' }),
    failed({ testName: 'imported', commitSha: 'unnamed', baseRepo: '' }),
  ])
  expect((await timelineOver([], entryOf({ testName: 'imported' }))).commits).toEqual(['named'])
})

test('of a failure without a signature every row of its name', async () => {
  const { sums } = await timelineOver([failed(), failed({ testContextRaw: 'else' })], entryOf({ signature: '' }))
  expect(sums).toEqual([2, 0, 0])
})

test('of a check without a failing test its own rows, where no test failed beside', async () => {
  const own = failed({ testName: '', testStatus: '', checkName: 'Build', commitSha: 'alone' })
  const entry = entryOf({ testName: '', checkName: 'Build', signature: signatureOf('', OUTPUT).text })
  const { commits } = await timelineOver(
    [
      own,
      { ...own, commitSha: 'beside' },
      failed({ checkName: 'Build', commitSha: 'beside' }),
      { ...own, checkName: 'Other', commitSha: 'other' },
    ],
    entry,
  )
  expect(commits).toEqual(['alone'])
})

test('rows of a mass failure are told and are no hits', async () => {
  const storm = Array.from({ length: 12 }, (_, index) => index).flatMap((index) =>
    [1, 2, 3, 4, 5].map((number) =>
      failed({
        testName: index === 0 ? '00001_select' : `test_${index}`,
        pullRequestNumber: number,
        headRef: `branch-${number}`,
        headRepo: `u${number}/r`,
        commitSha: `storm-${number}`,
        checkStartTime: NOON - 2 * DAY,
      }),
    ),
  )
  const { sums, timeline } = await timelineOver([...storm, failed()])
  expect(sums).toEqual([1, 0, 5])
  expect(timeline.latest.map(({ inMassFailure }) => inMassFailure)).toEqual([false, true, true, true, true, true])
})

test('where mass failures can not be asked for, all are hits and that is said', async () => {
  const id = newRepository()
  await store.ciResults.save(id, [failed()])
  const silent = { ...store.ciResults, massFailuresOf: () => Promise.reject(new Error('down')) }
  const wanted = { repositoryId: id, repository: 'o/r', entry: entryOf(), until: NOON + HOUR }
  const timeline = await timelineOfEntry(clickhouse, silent, wanted)
  expect(timeline.massFailuresKnown).toBe(false)
  expect(timeline.latest).toHaveLength(1)
})

test('rows that another version of the rule signed are left out and counted', async () => {
  const id = newRepository()
  await store.ciResults.save(id, [failed()])
  const columns = CHECKS.columnNames.join(', ')
  const older = CHECKS.columnNames
    .map((column) => (column === 'signature_rule' ? '1' : column === 'commit_sha' ? "'older'" : column))
    .join(', ')
  await clickhouse.command(
    'older',
    `INSERT INTO checks (${columns}) SELECT ${older} FROM checks WHERE repository_id = ${id}`,
  )
  const { sums, timeline, commits } = await timelineOver([], entryOf(), id)
  expect([sums, timeline.notCompared, commits]).toEqual([[1, 0, 0], 1, ['c7']])
})

test('the latest 50 are told, all are counted', async () => {
  const rows = Array.from({ length: 60 }, (_, index) =>
    failed({ commitSha: `c${index}`, checkStartTime: NOON - index * HOUR }),
  )
  const { sums, commits } = await timelineOver(rows)
  expect(sums[0]).toBe(60)
  expect(commits).toEqual(rows.slice(0, 50).map(({ commitSha }) => commitSha))
})

test('of a mover each head of a pull request whose newest report flags that query there', async () => {
  const id = newRepository()
  const flagged = measured('join', times(1.5))
  let judgedAfter = 0
  const save = async (head: string, changes: Partial<Run> = {}, measurement = flagged, changed = 0) => {
    const run = { ...arm(measurement), repositoryId: id, pullRequestNumber: 8, head, ...changes }
    const finishedAt = changes.finishedAt ?? new Date(NOON).toISOString()
    // Kept beyond the time of the machine that runs this.
    await store.runs.save({ ...run, finishedAt }, classify(run.measurements, DEFAULT_THRESHOLDS), 3650)
    judgedAfter += 1
    const { report, runOf } = judgedHead([{ ...run, finishedAt }], {
      thresholds: { ...DEFAULT_THRESHOLDS, learned: () => ({ changed, unstable: 1 }) },
      judgedAt: new Date(NOON + judgedAfter).toISOString(),
    })
    await store.reports.save(report, runOf)
  }
  await save('flagged')
  await save('earlier', { pullRequestNumber: 9, finishedAt: new Date(NOON - 5 * DAY).toISOString() })
  await save('stated', { architecture: null }, { ...flagged, architecture: 'arm' })
  await save('replaced')
  await save('replaced', { attempt: 2 }, measured('join', times(1)))
  await save('too-small-as-learned', {}, measured('join', times(1.3)), 0.4)
  await save('other-architecture', { architecture: 'amd' })
  await save('other-query', {}, { ...flagged, queryName: 'SELECT 2' })
  await save('second-of-that-text', {}, { ...flagged, ordinal: 1 })
  await save('too-old', { finishedAt: new Date(NOON - 91 * DAY).toISOString() })

  const entry = entryOf({ kind: 'mover', testName: 'join', signature: resultKey({ ...flagged, architecture: 'arm' }) })
  const { sums, commits, timeline } = await timelineOver([], entry, id)
  expect(sums).toEqual([3, 0, 0])
  expect(commits).toEqual(['flagged', 'stated', 'earlier'])
  expect(timeline.latest[0]!.difference).toBeCloseTo(0.5)
  expect(timeline.latest[0]).toMatchObject({ checkName: 'perf arm', time: NOON, pullRequestNumber: 8 })
})

test('of a mover whose key says nothing there are no flags', async () => {
  expect((await timelineOver([failed()], entryOf({ kind: 'mover', signature: 'no key' }))).sums).toEqual([0, 0, 0])
})
