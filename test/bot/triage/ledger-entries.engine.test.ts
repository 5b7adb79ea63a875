import { afterAll, beforeAll, expect, test } from 'vitest'
import { refreshedEntries, subjectOfEntry } from '../../../src/bot/triage/ledger-entries.ts'
import { entryIdOf, type LedgerEntry } from '../../../src/judge/ledger/entry.ts'
import { formerSignatureOf, signatureOf } from '../../../src/judge/ledger/signature.ts'
import { LEDGER_THRESHOLDS } from '../../../src/judge/ledger/thresholds.ts'
import { saveChecks } from '../../../src/store/checks/checks.ts'
import { ownCiResults } from '../../../src/store/checks/own-ci-results.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { checkRow, DAY, NOON } from '../../store/checks/check-rows.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'

let clickhouse: ClickHouse
beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
})
afterAll(async () => {
  await clickhouse.close()
})

const NAME = 'store::put'
const OUTPUT = "thread 'store::put' (7) panicked at src/store.rs:10:14:\nno address\nnote: run with `RUST_BACKTRACE=1`"

test('an entry of the rule before keeps its id, and goes on with the signature of now once its failure is met', async () => {
  const rows = [1, 2, 3, 4].map((number) =>
    checkRow({
      testName: NAME,
      pullRequestNumber: number,
      commitSha: `c${number}`,
      headRef: `feature-${number}`,
      checkStartTime: NOON - number * DAY,
      testContextRaw: OUTPUT,
    }),
  )
  await saveChecks(clickhouse, 1, rows)
  const ciResults = ownCiResults(clickhouse)
  const lookup = {
    ciResults,
    repositoryId: 1,
    repository: 'o/r',
    trunk: ['master'],
    thresholds: LEDGER_THRESHOLDS,
    now: NOON,
  }

  const former = formerSignatureOf(NAME, OUTPUT)!
  const entry: LedgerEntry = {
    entryId: entryIdOf('failure', NAME, former.text, null),
    kind: 'failure',
    state: 'open',
    testName: NAME,
    checkName: rows[0]!.checkName,
    signature: former.text,
    firstSeen: NOON - 20 * DAY,
    lastSeen: NOON - 10 * DAY,
    openedAt: NOON - 19 * DAY,
    closedAt: null,
    expiresAt: NOON + 60 * DAY,
    reopened: 0,
    hits1: 0,
    hits7: 0,
    hits30: 9,
    unrelatedPullRequests: 9,
    trunkHits: 0,
    owner: '@acme/store',
    issue: null,
  }
  // Until then nothing of it is known, and nothing is lost.
  expect(await refreshedEntries(lookup, [subjectOfEntry(entry)], [entry])).toEqual([])

  const failing = {
    testName: NAME,
    checkName: entry.checkName,
    signature: signatureOf(NAME, OUTPUT),
    formerSignature: former,
  }
  const [met, ...others] = await refreshedEntries(lookup, [failing], [entry])
  expect(others).toEqual([])
  expect(met).toMatchObject({
    entryId: entry.entryId,
    signature: 'no address',
    state: 'open',
    firstSeen: entry.firstSeen,
    lastSeen: NOON - DAY,
    hits7: 4,
    owner: '@acme/store',
  })
  const later = { ...lookup, now: NOON + 14 * DAY }
  expect(await refreshedEntries(later, [subjectOfEntry(met!)], [met!])).toMatchObject([
    { entryId: entry.entryId, state: 'closed' },
  ])
})

const nameOf = (bucket: number) => `Logical error: 'Bucket ${bucket} is pushed twice' (STID: 2508-468c)`

test('an entry from before names were compared keeps its id and counts all names; another name opens the common one', async () => {
  await saveChecks(
    clickhouse,
    1,
    [1, 2, 3].map((number) =>
      checkRow({
        pullRequestNumber: number,
        commitSha: `c${number}`,
        headRef: `b${number}`,
        headRepo: `u${number}/r`,
        testName: nameOf(number),
        checkStartTime: NOON - number * DAY,
      }),
    ),
  )
  const lookup = {
    ciResults: ownCiResults(clickhouse),
    repositoryId: 1,
    repository: 'o/r',
    trunk: ['master'],
    thresholds: LEDGER_THRESHOLDS,
    now: NOON,
  }
  const subject = (bucket: number) => ({
    testName: nameOf(bucket),
    checkName: 'Stress test',
    signature: { kind: 'stack-trace-id', text: '2508-468c' } as const,
  })
  const [opened] = await refreshedEntries(lookup, [subject(7)], [])
  expect(opened).toMatchObject({
    entryId: "failure||Logical error: 'Bucket N is pushed twice' (STID: 2508-468c)|2508-468c",
    testName: nameOf(7),
    hits30: 3,
    unrelatedPullRequests: 3,
  })
  expect(await refreshedEntries(lookup, [subject(58)], [opened!])).toEqual([])

  const before: LedgerEntry = {
    ...opened!,
    entryId: `failure||${nameOf(7)}|2508-468c`,
    hits30: 1,
    lastSeen: NOON - 3 * DAY,
  }
  const [kept, ...others] = await refreshedEntries(lookup, [subjectOfEntry(before)], [before])
  expect(others).toEqual([])
  expect(kept).toMatchObject({ entryId: before.entryId, hits30: 3, lastSeen: NOON - DAY })
})
