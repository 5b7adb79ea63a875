import { z } from 'zod'
import { queryHash } from '../../intake/measurement/query-hash.ts'
import { queryOfHistoryKey } from '../../judge/history/query-of-history-key.ts'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import {
  type EntryTimeline,
  entryDays,
  LATEST_HITS,
  subjectOfRepository,
  TIMELINE_DAYS,
  timelineStart,
} from '../../judge/ledger/entry-timeline.ts'
import type { MassFailure } from '../../judge/ledger/failure.ts'
import { massFailuresHolding } from '../../judge/ledger/mass-failure.ts'
import { SIGNATURE_RULE, signatureOfText } from '../../judge/ledger/signature.ts'
import { varyingName } from '../../judge/ledger/test-name.ts'
import { LEDGER_THRESHOLDS } from '../../judge/ledger/thresholds.ts'
import { timestamp } from '../../text/time.ts'
import type { CiResults } from '../checks/ci-results.ts'
import { ciSql } from '../checks/ci-sql.ts'
import { patternParameters } from '../checks/histories-lookup.ts'
import { ownRows } from '../checks/own-ci-results.ts'
import { subjectParameters } from '../ci-parameters.ts'
import type { ClickHouse, QueryParameters } from '../client.ts'
import { count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'

/** Reads the hits of an entry for its timeline. */

const MOVER_FLAGS = readSql(new URL('./mover-flags.sql', import.meta.url))

/** Flags of one query: one of each head that was flagged. */
const MOST_FLAGS = 5000

export interface TimelineWanted {
  readonly repositoryId: number
  /** `owner/name`. */
  readonly repository: string
  readonly entry: LedgerEntry
  /** Milliseconds. */
  readonly until: number
}

/** How long the page waits for mass failures, which are read from every failing row of the time. Milliseconds. */
const MASS_FAILURES_WAIT = 2000

/** The hits of an entry in the last `TIMELINE_DAYS` days. */
export async function timelineOfEntry(
  clickhouse: ClickHouse,
  ciResults: CiResults,
  wanted: TimelineWanted,
): Promise<EntryTimeline> {
  if (wanted.entry.kind === 'mover') return await moverTimeline(clickhouse, wanted)
  const { until, repository, repositoryId } = wanted
  // The end of its half hour, so that the answer is remembered for the next entry.
  const end = Math.ceil(until / HALF_HOUR) * HALF_HOUR
  const thresholds = { ...LEDGER_THRESHOLDS, lookbackDays: TIMELINE_DAYS }
  const massFailures = ciResults.massFailuresOf(end, subjectOfRepository(repository), repositoryId, thresholds)
  return await failureTimeline(clickhouse, wanted, inTime(massFailures, MASS_FAILURES_WAIT))
}

const HALF_HOUR = 1_800_000

/** Null where the answer does not come in time, or not at all. */
async function inTime<T>(answer: Promise<T>, milliseconds: number): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), milliseconds)
  try {
    return await Promise.race([answer.catch(() => null), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const halfHour = z.object({ checkName: z.string(), start: count, isTrunk: count, hits: count, notCompared: count })
const hit = z.object({
  time: count,
  checkName: z.string(),
  pullRequestNumber: count,
  commitSha: z.string(),
  reportUrl: z.string(),
})

/**
 * The hits of a failure in the bot's own `checks`, of the last days. Both statements begin with the test's name, the order
 * in which the table is kept; of a check that failed without a test every failing row of that time is looked at.
 */
async function failureTimeline(
  clickhouse: ClickHouse,
  { repositoryId, repository, entry, until }: TimelineWanted,
  massFailures: Promise<readonly MassFailure[] | null>,
): Promise<EntryTimeline> {
  const { testName, checkName } = entry
  const signature = signatureOfText(entry.signature)
  const ofChecks = testName === ''
  const varying = varyingName(testName)
  const from = timelineStart(until)
  // The statements take what is after `from`.
  const [after, end] = [timestamp(from / 1000 - 1), timestamp(until / 1000)]
  const parameters = {
    ...subjectParameters(subjectOfRepository(repository)),
    repositoryId,
    numbers: [0],
    ...(varying === null ? { tests: [ofChecks ? checkName : testName] } : patternParameters([varying])),
    froms: [after],
    untils: [end],
    from: after,
    until: end,
    signatureKind: signature.kind,
    signature: signature.text,
    signatureRule: SIGNATURE_RULE,
  }
  const read = <T>(name: string, more: QueryParameters, row: z.ZodType<T>) =>
    clickhouse.read(
      name,
      ciSql(name, ownRows({ ofChecks, byPattern: varying !== null })),
      { ...parameters, ...more },
      row,
    )
  const [rows, hits, mass] = await Promise.all([
    read('entry-half-hours', {}, halfHour),
    read('entry-hits', { most: LATEST_HITS }, hit),
    massFailures,
  ])
  const halfHours = rows.map(({ checkName: check, start, isTrunk, hits: n }) => ({
    checkName: check,
    start: start * 1000,
    isTrunk: isTrunk === 1,
    hits: n,
  }))
  return {
    from,
    until,
    days: entryDays(testName, halfHours, mass ?? [], until),
    latest: hits.map((row) => {
      const time = row.time * 1000
      const inMassFailure = massFailuresHolding({ ...row, testName, time }, mass ?? []).length > 0
      return { ...row, time, inMassFailure, difference: null }
    }),
    source: 'own',
    databaseProblem: null,
    notRead: 0,
    notCompared: rows.reduce((sum, row) => sum + row.notCompared, 0),
    massFailuresKnown: mass !== null,
  }
}

const flag = z.object({
  time: count,
  checkName: z.string(),
  pullRequestNumber: count,
  commitSha: z.string(),
  difference: z.number(),
})

/** The heads of pull requests whose newest report flags a mover, at the time of the run, of the last days. */
async function moverTimeline(
  clickhouse: ClickHouse,
  { repositoryId, entry, until }: TimelineWanted,
): Promise<EntryTimeline> {
  const key = queryOfHistoryKey(entry.signature)
  const from = timelineStart(until)
  const flagsOf = async ({ query, architecture }: NonNullable<typeof key>) => {
    const parameters = {
      repositoryId,
      from: timestamp(from / 1000),
      until: timestamp(until / 1000),
      most: MOST_FLAGS,
      hash: queryHash(query),
      ordinal: query.ordinal ?? 0,
      architecture: architecture ?? '',
    }
    return await clickhouse.read('mover-flags', MOVER_FLAGS, parameters, flag)
  }
  const rows = key === null ? [] : await flagsOf(key)
  return {
    from,
    until,
    days: entryDays(
      '',
      rows.map(({ checkName, time }) => ({ checkName, start: time, isTrunk: false, hits: 1 })),
      [],
      until,
    ),
    latest: rows.slice(0, LATEST_HITS).map(({ time, checkName, pullRequestNumber, commitSha, difference }) => ({
      time,
      checkName,
      pullRequestNumber,
      commitSha,
      reportUrl: '',
      inMassFailure: false,
      difference,
    })),
    source: 'own',
    databaseProblem: null,
    notRead: 0,
    notCompared: 0,
    massFailuresKnown: true,
  }
}
