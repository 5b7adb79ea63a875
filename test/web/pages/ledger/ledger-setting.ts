import { join } from 'node:path'
import { type EntrySubject, refreshedEntries } from '../../../../src/bot/triage/ledger-entries.ts'
import type { CheckRow } from '../../../../src/intake/imports/checks/check-row.ts'
import { resultKey } from '../../../../src/intake/measurement/run.ts'
import type { HistoryFacts } from '../../../../src/judge/history/history-facts.ts'
import { moverEntries } from '../../../../src/judge/ledger/mover-entries.ts'
import { moverObservations } from '../../../../src/judge/ledger/mover-observations.ts'
import { signatureOf } from '../../../../src/judge/ledger/signature.ts'
import { LEDGER_THRESHOLDS } from '../../../../src/judge/ledger/thresholds.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { type ClickHouse, type ClickHouseSettings, openClickHouse } from '../../../../src/store/client.ts'
import { type Store, storeOn } from '../../../../src/store/store.ts'
import { DATA, readFileRows } from '../../../intake/imports/checks/read-rows.ts'
import { arm, judged, judgedHead, measured, shard, times } from '../../../report/judge-setting.ts'
import { sampleReport } from '../../sample-report.ts'

/**
 * A repository whose ledger came about as the bot's does: results of real runs were stored as those of several pull
 * requests and of the trunk, and the code that keeps entries looked at them.
 */

export const DAY = 86_400_000
export const NOW = Date.UTC(2026, 10, 20, 15, 4)
export const REPOSITORY = { id: sampleReport().repository.id, owner: 'acme', repo: 'fast.db' }
export const LEDGER = '/r/acme/fast.db/ledger'

export interface LedgerSetting {
  readonly store: Store
  readonly clickhouse: ClickHouse
  /** The failing rows of kubevirt's network tests, as they came from one run. */
  readonly network: readonly CheckRow[]
  /** `entryId` of each kind. */
  readonly chronic: string
  readonly expired: string
  readonly closed: string
  readonly mover: string
  /** A check that fails without a failing test. */
  readonly check: string
  close(): Promise<void>
}

const NETWORK = 'ci-kubevirt/pkg/flakefinder/junit-merge/testdata/network/partial.junit.functest.1.xml.gz'
const JEST = 'junit-dorny/fixtures/jest-junit.xml'
const FLAKE_FLAGGER = 'ci-flakeflagger/test_results.csv.gz'

export const commitOf = (number: number) =>
  `${number.toString(16).padStart(3, 'a')}9c41d0e5b7f2aa43ae659e02d9c1100999a1`.padEnd(40, 'b')

/** @param settings of a database that is not there yet */
export async function makeLedgerSetting(settings: ClickHouseSettings): Promise<LedgerSetting> {
  let now = NOW
  const clickhouse = await openClickHouse(settings)
  const store = storeOn(clickhouse, { now: () => new Date(now) })
  await store.reports.save(sampleReport())

  const network = (await readFileRows(join(DATA, NETWORK))).rows.filter(isFailing)
  const jest = (await readFileRows(join(DATA, JEST))).rows.filter(isFailing)
  const flaky = (await readFileRows(join(DATA, FLAKE_FLAGGER))).rows.filter(isFailing)
  const [first, second] = [network[0]!, network[1]!]
  const red: CheckRow = {
    ...first,
    testName: '',
    testStatus: '',
    checkName: 'Build (amd_debug)',
    checkStatus: 'failure',
    testContextRaw: 'error: use of undeclared identifier "x" in src/a.cpp:12',
  }
  // Hits long ago, of which the entries are not seen any more or seen for too long.
  await store.ciResults.save(REPOSITORY.id, [
    ...[101, 102, 103].flatMap((number) => of(number, NOW - (200 - number + 100) * DAY, [second])),
    ...[104, 105, 106].flatMap((number) => of(number, NOW - (200 - number) * DAY, jest)),
  ])
  const settle = async (subjects: readonly EntrySubject[]) => {
    const of_ = {
      ciResults: store.ciResults,
      repositoryId: REPOSITORY.id,
      repository: 'acme/fast.db',
      trunk: ['main'],
      thresholds: LEDGER_THRESHOLDS,
      now,
    }
    await store.ledger.save(REPOSITORY.id, await refreshedEntries(of_, subjects, await store.ledger.of(REPOSITORY.id)))
  }
  now = NOW - 196 * DAY
  await settle([subjectOf(second)])
  now = NOW - 93 * DAY
  await settle(jest.map((row) => subjectOf(row)))
  now = NOW

  await store.ciResults.save(REPOSITORY.id, [
    ...[1, 2, 3, 4].flatMap((number) => of(number, NOW - number * 5 * DAY, [first, ...flaky])),
    ...[5, 6].flatMap((number) => of(number, NOW - number * 3 * DAY - 1000, [first, first])),
    ...[7, 8, 9].flatMap((number) => of(number, NOW - (number - 6) * DAY, [red])),
    ...[10, 11, 12].flatMap((number) => of(number, NOW - (number - 9) * 2 * DAY, jest)),
    ...[20, 21].flatMap((number) => of(0, NOW - (number - 18) * DAY, [first], commitOf(number))),
  ])
  await settle([
    { ...subjectOf(first), owner: 'acme/network', issue: 'https://github.com/acme/fast.db/issues/77' },
    subjectOf(red),
    subjectOf(second),
    ...jest.map((row) => ({ ...subjectOf(row), owner: '@acme/web' })),
    ...flaky.map((row) => subjectOf(row)),
  ])

  const measurement = measured('uniq', times(1.3))
  for (const [number, days] of [
    [30, 1],
    [31, 4],
    [32, 40],
  ] as const) {
    const run = {
      ...arm(measurement, measured('calm', times(1))),
      repositoryId: REPOSITORY.id,
      pullRequestNumber: number,
      head: commitOf(number),
      finishedAt: new Date(NOW - days * DAY).toISOString(),
    }
    await store.runs.save(run, classify(run.measurements, DEFAULT_THRESHOLDS))
    const flagging = judgedHead([run])
    await store.reports.save(flagging.report, flagging.runOf)
  }
  const key = resultKey({ ...measurement, architecture: 'arm' })
  const history: HistoryFacts = {
    queries: new Map([
      [
        key,
        {
          moves: { runs: 214, times: 14, lowest: -0.3, highest: 0.4 },
          flaggedElsewhere: [
            {
              pullRequestNumber: 31,
              time: NOW - 4 * DAY,
              difference: 0.3,
              oldCommit: null,
              witness: { name: '31', isStranger: false },
            },
          ],
          step: null,
        },
      ],
    ]),
    learned: null,
    orderOnTrunk: null,
    problem: null,
  }
  const report = judged([arm(measurement)], { history, shards: [shard({ check: 'perf arm', architecture: 'arm' })] })
  const seen = moverObservations(report, history, NOW - DAY)
  await store.ledger.save(REPOSITORY.id, moverEntries(seen, [], NOW - DAY, LEDGER_THRESHOLDS))

  const entries = await store.ledger.of(REPOSITORY.id)
  const find = (name: string, matches: (entry: (typeof entries)[number]) => boolean) => {
    const entry = entries.find(matches)
    if (entry === undefined) throw new Error(`no entry is ${name}`)
    return entry.entryId
  }
  return {
    store,
    clickhouse,
    network,
    chronic: find('chronic', ({ testName, state }) => testName === first.testName && state === 'open'),
    expired: find('expired', ({ state }) => state === 'expired'),
    closed: find('closed', ({ state }) => state === 'closed'),
    mover: find('a mover', ({ kind }) => kind === 'mover'),
    check: find('of a check', ({ kind, testName }) => kind === 'failure' && testName === ''),
    close: () => store.close(),
  }
}

function isFailing({ testStatus }: CheckRow): boolean {
  return testStatus === 'FAIL' || testStatus === 'ERROR'
}

function subjectOf({ testName, checkName, testContextRaw }: CheckRow): EntrySubject {
  return { testName, checkName, signature: signatureOf(testName, testContextRaw) }
}

/** The rows as those of a pull request (0: the trunk) at a time. */
function of(number: number, time: number, rows: readonly CheckRow[], commitSha = commitOf(number)): CheckRow[] {
  const url = 'https://github.com/acme/fast.db'
  return rows.map((row) => ({
    ...row,
    pullRequestNumber: number,
    commitSha,
    checkStartTime: time,
    reportUrl: `https://ci.example/reports/${commitSha}`,
    pullRequestUrl: number === 0 ? '' : `${url}/pull/${number}`,
    commitUrl: `${url}/commit/${commitSha}`,
    baseRef: number === 0 ? '' : 'main',
    baseRepo: 'acme/fast.db',
    headRef: number === 0 ? 'main' : `branch-${number}`,
    headRepo: number === 0 ? 'acme/fast.db' : `user-${number}/fast.db`,
  }))
}
