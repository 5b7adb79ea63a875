import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LedgerEntry } from '../../src/ledger/entry.ts'
import { LEDGER_THRESHOLDS } from '../../src/ledger/thresholds.ts'
import { saveChecks } from '../../src/store/checks/checks.ts'
import { ownCiResults } from '../../src/store/checks/own-ci-results.ts'
import { type ClickHouse, openClickHouse } from '../../src/store/client.ts'
import { refreshedEntries, subjectOfEntry } from '../../src/triage/ledger-entries.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'
import { checkRow, DAY, NOON } from '../store/checks/check-rows.ts'

let clickhouse: ClickHouse
beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
})
afterAll(() => clickhouse.close())

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
