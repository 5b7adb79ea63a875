import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { LedgerEntry } from '../src/judge/ledger/entry.ts'
import { entryIdOf } from '../src/judge/ledger/entry.ts'
import { ownCiResults } from '../src/store/checks/own-ci-results.ts'
import { openClickHouse } from '../src/store/client.ts'
import { timelineOfEntry } from '../src/store/ledger/entry-timeline.ts'
import { type EntriesWanted, selectFoundEntries } from '../src/store/ledger/found-entries.ts'
import { insertEntries } from '../src/store/ledger/ledger-entries.ts'
import { migrate } from '../src/store/migrate.ts'
import { generate } from './ledger.ts'

/** What the pages of the ledger ask the database for, over rows that the engine makes itself. */

/** The end of the generated 30 days. */
const UNTIL = Date.UTC(2026, 10, 19)
const DAY = 86_400_000
const TIMES = 15

const failing = z.object({
  testName: z.string(),
  checkName: z.string(),
  signature: z.string(),
  n: z.coerce.number(),
})

/** Of a failing test; those of one test differ by `index`. */
export function entryOf({ testName, checkName, signature }: z.infer<typeof failing>, index: number): LedgerEntry {
  return {
    entryId: entryIdOf(
      'failure',
      testName,
      `${signature}${index === 0 ? '' : ` ${index}`}`,
      testName === '' ? checkName : null,
    ),
    kind: 'failure',
    state: (['open', 'expired', 'closed'] as const)[index % 3]!,
    testName,
    checkName,
    signature,
    firstSeen: UNTIL - 60 * DAY,
    lastSeen: UNTIL - index * 1000,
    openedAt: UNTIL - 50 * DAY,
    closedAt: null,
    expiresAt: UNTIL + 40 * DAY,
    reopened: 0,
    hits1: index % 7,
    hits7: index % 31,
    hits30: index % 97,
    unrelatedPullRequests: index % 13,
    trunkHits: index % 5,
    owner: index % 4 === 0 ? null : `team-${index % 20}`,
    issue: null,
  }
}

/** The median, and the quickest: what the machine does when nobody else uses it. */
async function timed(work: () => Promise<unknown>): Promise<string> {
  await work()
  const times: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  return `${times[Math.floor(TIMES / 2)]!.toFixed(0)} ms, at best ${times[0]!.toFixed(0)} ms`
}

/** @param rows of `checks`; @param entries of the ledger */
export async function benchEntryTimeline(rows: number, entries: number): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
  const clickhouse = await openClickHouse({ url: null, dataDir, timeout: 290_000 })
  try {
    await migrate(clickhouse)
    await generate(clickhouse, 'checks', rows)
    const ofTests = await clickhouse.read(
      'chronic',
      `SELECT test_name AS testName, any(check_name) AS checkName, signature, count() AS n FROM checks
       WHERE outcome = 'failing' AND test_name != '' GROUP BY test_name, signature ORDER BY n DESC LIMIT 1000`,
      {},
      failing,
    )
    const ofCheck = { testName: '', checkName: ofTests[0]!.checkName, signature: '', n: 0 }
    const ciResults = ownCiResults(clickhouse)
    const timeline = (entry: LedgerEntry) =>
      timelineOfEntry(clickhouse, ciResults, { repositoryId: 1, repository: 'o/r', entry, until: UNTIL })
    const hitsOf = async (entry: LedgerEntry) => {
      const { days } = await timeline(entry)
      return days.reduce((sum, day) => sum + day.pullRequestHits + day.trunkHits + day.inMassFailures, 0)
    }
    const test = entryOf(ofTests[0]!, 0)
    const check = entryOf(ofCheck, 0)
    const all = Array.from({ length: entries }, (_, index) => entryOf(ofTests[index % ofTests.length]!, index + 1))
    await insertEntries(clickhouse, 1, all, new Date(UNTIL))
    const wanted: EntriesWanted = {
      text: 'behaviour',
      kind: null,
      state: null,
      owner: null,
      sort: 'worst',
      reverse: false,
      page: 1,
      perPage: 100,
    }
    const read = await clickhouse.read(
      'read',
      `EXPLAIN ESTIMATE SELECT count() FROM checks FINAL WHERE repository_id IN (0, 1) AND outcome = 'failing' AND test_name = {test:String}`,
      { test: test.testName },
      z.looseObject({ rows: z.coerce.number(), marks: z.coerce.number() }),
    )
    return [
      `pages of the ledger, ${rows.toLocaleString('en')} rows of checks, ${entries.toLocaleString('en')} entries:`,
      `  timeline of a test (${await hitsOf(test)} hits)  ${await timed(() => timeline(test))}, from ${read.reduce((sum, part) => sum + part.rows, 0)} rows`,
      `  timeline of a check without a failing test (${await hitsOf(check)} hits)  ${await timed(() => timeline(check))}`,
      `  one page of entries, searched  ${await timed(() => selectFoundEntries(clickhouse, 1, wanted))}`,
    ].join('\n')
  } finally {
    await clickhouse.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** `--rows N`, `--entries N` */
if (import.meta.main) {
  const { values } = parseArgs({ options: { rows: { type: 'string' }, entries: { type: 'string' } } })
  console.log(await benchEntryTimeline(Number(values.rows ?? 1_000_000), Number(values.entries ?? 20_000)))
}
