import { findingsOf } from '../verdict/findings.ts'
import type { Shard, TriageReport } from './report.ts'

/** What the performance checks conclude by a rule of their own, where it differs from this report. */
export interface OtherJudges {
  /** Checks with results that conclude by themselves. */
  readonly checks: number
  readonly red: readonly Shard[]
  /** What the red ones counted, or else all, added up: `2 slower`; empty where they said no counts. */
  readonly counts: readonly JudgedCount[]
}

interface JudgedCount {
  readonly number: number
  readonly what: (typeof COUNTED)[number]
}

/** The words of ClickHouse's job, the worst first: `3 too long, 2 slower; 1 confirmed regression(s) on the performance dashboard`. */
const COUNTED = ['confirmed regression', 'error', 'too long', 'slower', 'faster', 'unstable'] as const

/** One of them with its number; more digits are no count of queries. */
const COUNT = new RegExp(`(?<![\\w.])(\\d{1,6}) (${COUNTED.join('|')})(?:s|\\(s\\))?(?!\\w)`, 'g')

/** Ends that are a judgement: a check that was cancelled or ran out of time has none. */
const RED: ReadonlySet<string | null> = new Set(['failure', 'error'])

/**
 * The checks that measured end red where this report has nothing open, or green where it has something; null: they agree, or shards
 * are still to come. Green checks that counted nothing may only have run the measurement, so they are no judges.
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
  return isJudged && red.length > 0 !== findingsOf(report).hasOpen ? { checks: judges.length, red, counts } : null
}

function countsOf(judges: readonly Shard[]): JudgedCount[] {
  const all = judges.flatMap(({ said = '' }) => [...said.matchAll(COUNT)])
  return COUNTED.flatMap((what) => {
    const number = all.filter((match) => match[2] === what).reduce((sum, match) => sum + Number(match[1]), 0)
    return number > 0 ? [{ number, what }] : []
  })
}
