import { afterAll, beforeAll, expect, test } from 'vitest'
import { entryIdOf, type LedgerEntry } from '../../src/ledger/entry.ts'
import { formerSignatureOf, signatureOf } from '../../src/ledger/signature.ts'
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
