import type { OwnQuery } from '../intake/measurement/own-verdict.ts'
import { findingsOf } from '../judge/verdict/findings.ts'
import { isOpen } from '../judge/verdict/verdict.ts'
import type { OwnVerdictOfRun, ReportRow, Shard, TriageReport } from './report.ts'

/** What the performance checks conclude by a rule of their own, where it differs from this report. */
export interface OtherJudges {
  /** Checks with results that conclude by themselves. */
  readonly checks: number
  /** Those that end red where nothing is open here. */
  readonly red: readonly Shard[]
  /** The checks are green, and something is open here. */
  readonly areGreen: boolean
  /** What the red ones counted, or else all, added up: `2 slower`; empty where they said no counts. */
  readonly counts: readonly JudgedCount[]
  /** What the reports of the runs flag where that differs from what is open here; null: it does not, or there are none. */
  readonly own: OwnJudge | null
}

interface JudgedCount {
  readonly number: number
  readonly what: (typeof COUNTED)[number]
}

/** The reports of all runs together. */
export interface OwnJudge {
  readonly slower: number
  /** null: one of them does not tell faster queries from unchanged ones. */
  readonly faster: number | null
  readonly unstable: number
  /** Flagged as slower there, and not open here. */
  readonly onlyThere: readonly FlaggedThere[]
  /** Open and slower here, and not flagged there. */
  readonly onlyHere: readonly ReportRow[]
  /** Regressions by the performance dashboard that are not open here. */
  readonly dashboard: readonly FlaggedThere[]
}

export interface FlaggedThere extends OwnQuery {
  /** As it stands here; null: it was not measured. */
  readonly row: ReportRow | null
}

/** The words of ClickHouse's job, the worst first: `3 too long, 2 slower; 1 confirmed regression(s) on the performance dashboard`. */
const COUNTED = ['confirmed regression', 'error', 'too long', 'slower', 'faster', 'unstable'] as const

/** One of them with its number; more digits are no count of queries. */
const COUNT = new RegExp(`(?<![\\w.])(\\d{1,6}) (${COUNTED.join('|')})(?:s|\\(s\\))?(?!\\w)`, 'g')

/** Ends that are a judgement: a check that was cancelled or ran out of time has none. */
const RED: ReadonlySet<string | null> = new Set(['failure', 'error'])

/**
 * The checks that measured end red where this report has nothing open, or green where it has something, or the reports that the runs made
 * flag other queries than are open here; null: they agree, or shards are still to come. Green checks that counted nothing may only have run
 * the measurement, so they are no judges.
 */
export function otherJudgesOf(report: TriageReport): OtherJudges | null {
  if (!report.complete) return null
  const judges = report.shards.filter(
    ({ state, said, conclusion }) =>
      state === 'measured' && said !== undefined && (conclusion === 'success' || RED.has(conclusion)),
  )
  const red = judges.filter(({ conclusion }) => RED.has(conclusion))
  const counts = countsOf(red.length > 0 ? red : judges)
  const isJudged = red.length > 0 || counts.length > 0
  const differs = isJudged && red.length > 0 !== findingsOf(report).hasOpen
  const own = ownJudgeOf(report)
  if (!differs && own === null) return null
  return { checks: judges.length, red: differs ? red : [], areGreen: differs && red.length === 0, counts, own }
}

function countsOf(judges: readonly Shard[]): JudgedCount[] {
  const all = judges.flatMap(({ said = '' }) => [...said.matchAll(COUNT)])
  return COUNTED.flatMap((what) => {
    const number = all.filter((match) => match[2] === what).reduce((sum, match) => sum + Number(match[1]), 0)
    return number > 0 ? [{ number, what }] : []
  })
}

function ownJudgeOf(report: TriageReport): OwnJudge | null {
  const { ownVerdicts = [] } = report
  const rows = new Map(report.rows.map((row) => [keyOf(row), row]))
  const isOpenHere = ({ row }: FlaggedThere) => row !== null && isOpen(row.verdict)
  const here = (query: OwnQuery): FlaggedThere => ({
    test: query.test,
    queryIndex: query.queryIndex,
    row: rows.get(keyOf(query)) ?? null,
  })
  const flagging = ownVerdicts.filter(({ flagged }) => flagged !== null)
  const slower = onceEach(flagging.flatMap(({ flagged }) => flagged!.rows.filter(({ flag }) => flag === 'slower')))
  const flaggedThere = new Set(slower.map(keyOf))
  const onlyThere = slower.map(here).filter((one) => !isOpenHere(one))
  const onlyHere = report.rows.filter(
    (row) =>
      isOpen(row.verdict) &&
      row.outcome === 'changed' &&
      row.direction === 'slower' &&
      !flaggedThere.has(keyOf(row)) &&
      isOfAll(row, flagging),
  )
  const dashboard = onceEach(ownVerdicts.flatMap((one) => one.dashboard))
    .map(here)
    .filter((one) => !isOpenHere(one))
  if (onlyThere.length + onlyHere.length + dashboard.length === 0) return null
  const sum = (of: 'slower' | 'unstable') => flagging.reduce((total, { flagged }) => total + flagged![of], 0)
  const faster = flagging.map(({ flagged }) => flagged!.faster)
  return {
    slower: sum('slower'),
    faster: faster.includes(null) ? null : faster.reduce<number>((total, one) => total + one!, 0),
    unstable: sum('unstable'),
    onlyThere,
    onlyHere,
    dashboard,
  }
}

/** Of each of its architectures a report is there that could have flagged the row, with all that it flags. */
function isOfAll(row: ReportRow, flagging: readonly OwnVerdictOfRun[]): boolean {
  const slower = row.results.filter(({ direction }) => direction === 'slower')
  return slower.every(({ architecture }) =>
    flagging.some((one) => one.architecture === architecture && one.flagged!.rows.length >= one.flagged!.slower),
  )
}

function onceEach(queries: readonly OwnQuery[]): OwnQuery[] {
  return [...new Map(queries.map((query) => [keyOf(query), query])).values()]
}

function keyOf({ test, queryIndex }: { readonly test: string; readonly queryIndex: number | null }): string {
  return `${queryIndex} ${test}`
}
