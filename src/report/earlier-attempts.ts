import { queryKey, type Run, runKey } from '../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../judge/verdict/classified-query.ts'
import type { Evidence } from '../judge/verdict/evidence/evidence.ts'
import { otherMachine } from '../judge/verdict/evidence/other-machine.ts'
import type { Confirmed } from '../judge/verdict/evidence/own-measurement.ts'
import { REPLICATED_SIZE } from '../judge/verdict/evidence/replicated.ts'
import { isFailure } from '../judge/verdict/failed-in.ts'
import { findingsOf } from '../judge/verdict/findings.ts'
import { NO_ENTRIES } from '../judge/verdict/test-entries.ts'
import { CHANGED_FLOOR } from '../judge/verdict/thresholds.ts'
import { isOpen } from '../judge/verdict/verdict.ts'
import { type ClassifiedHead, environmentsIn, type HeadInput, runOfResult } from './classify-head.ts'
import { decisive } from './parts.ts'
import type { NotSeenAgain, ReportRow } from './report.ts'

/** Rows that stood open after an earlier run of the same head, as they were then. */
export interface Standing {
  /** No later run could judge the query. */
  readonly notMeasuredAgain: readonly ReportRow[]
  /** One later run does not show it. */
  readonly notSeenAgain: readonly NotSeenAgain[]
  /** Two later runs do not show it: it is taken back. */
  readonly withdrawn: readonly ReportRow[]
}

/**
 * What earlier runs of a head found and later ones have not taken back. Attempts are never pooled: the newest is shown, and a
 * finding of an earlier one is withdrawn when two later ones do not show it, so that nobody runs a job until it is green.
 *
 * Withdrawn: slower, then not significant, then too small. Stands: slower, then not significant, then too noisy to judge.
 *
 * The same run judged again, by more history or another file, is no later run: its own verdict stands.
 */
export function standingOf(rows: readonly ReportRow[], head: ClassifiedHead): Standing {
  const { earlier, primaryMetric, entries = NO_ENTRIES } = head.input
  if (!earlier || earlier.primaryMetric !== primaryMetric)
    return { notMeasuredAgain: [], notSeenAgain: [], withdrawn: [] }
  const found = findingsOf(earlier)
  const runs = new Set(earlier.runs ?? [])
  const runOf = runOfResult(head)
  const now = new Map(rows.map((row) => [queryKey(row), row]))

  const standing = new Map<string, ReportRow | NotSeenAgain>()
  const withdrawn = new Map<string, ReportRow>()
  const stand = (row: ReportRow | NotSeenAgain, isOfThoseRuns: boolean) => {
    // What is ignored by now is not missed, unless it failed: nobody can ignore that.
    const isIgnored = entries.ignoring(decisive(row)) !== null && !row.results.some(isFailure)
    // its earlier jobs are judged together with this one
    if (row.results.some(({ history }) => history !== undefined)) return
    // it was not found slower, so nothing has to be taken back
    if (decisive(row).leans !== undefined) return
    if (isIgnored || standing.has(queryKey(row))) return
    const again = now.get(queryKey(row))
    const { architecture } = decisive(row)
    const run = runOf({ ...row, architecture })
    const said = again === undefined ? 'not-judged' : seenAgain(row, again)
    // what was measured on different machines contradicts nothing, and stands against no later run
    const seen = said === 'not-seen' && otherMachine({ architecture }, environmentsIn(run)) ? 'not-judged' : said
    if (seen === 'shown' || (seen === 'not-seen' && isApart(row))) return
    if (isOfThoseRuns && run !== null && runs.has(runKey(run))) return
    if (seen === 'not-judged') standing.set(queryKey(row), row)
    if (seen === 'not-judged' || earlier.runs === undefined) return
    const by = runKey(run!)
    const known = contradictedBy(row)
    if (known === null || known === by) standing.set(queryKey(row), { ...row, contradictedBy: by })
    else withdrawn.set(queryKey(row), row)
  }
  for (const row of [...found.failedInNew, ...found.open]) stand(row, true)
  for (const row of [...found.notSeenAgain, ...found.notMeasuredAgain]) stand(row, false)
  for (const row of earlier.withdrawn ?? []) {
    const again = now.get(queryKey(row))
    if (again === undefined || seenAgain(row, again) !== 'shown') withdrawn.set(queryKey(row), row)
  }
  const all = [...standing.values()]
  return {
    notMeasuredAgain: all.filter((row) => !isContradicted(row)),
    notSeenAgain: all.filter(isContradicted),
    withdrawn: [...withdrawn.values()].filter((row) => !standing.has(queryKey(row))),
  }
}

/** Its sides were measured on different machines. */
function isApart({ evidence }: Pick<ReportRow, 'evidence'>): boolean {
  return evidence.some(({ kind }) => kind === 'other-machine')
}

function isContradicted(row: ReportRow | NotSeenAgain): row is NotSeenAgain {
  return contradictedBy(row) !== null
}

function contradictedBy(row: ReportRow | NotSeenAgain): string | null {
  return 'contradictedBy' in row ? row.contradictedBy : null
}

/**
 * What a measurement says of a row that stood open. `shown`: it is open, fails, or is as slow and explained; the row of now says
 * it. `not-judged`: the architecture was not compared, or is too noisy, which says nothing of it.
 */
function seenAgain(before: ReportRow, now: ReportRow): 'shown' | 'not-seen' | 'not-judged' {
  const { architecture } = decisive(before)
  const result = now.results.find((one) => one.architecture === architecture)
  if (now.results.some(isFailure)) return 'shown'
  if (result === undefined || result.outcome === null || hasNoAnswer(result)) return 'not-judged'
  return isOpen(now.verdict) || (result.outcome === 'changed' && result.direction === 'slower') ? 'shown' : 'not-seen'
}

/** It varies too much, or is as far off as a change and shows none. */
function hasNoAnswer({ outcome, couldHide }: ClassifiedQuery): boolean {
  return outcome === 'unstable' || couldHide !== undefined
}

/** The runs of a head that newer attempts of the same checks have replaced, as far as its reports were stored. */
export function replacedRuns({ earlier, runs }: Pick<HeadInput, 'earlier' | 'runs'>): readonly string[] {
  const now = new Set(runs.map(runKey))
  return [...new Set([...(earlier?.replacedRuns ?? []), ...(earlier?.runs ?? [])])]
    .filter((key) => !now.has(key))
    .toSorted()
}

/**
 * Marks a row that no run of this head has decided: slower by the repository's floor or more, and left as `needs-rerun` by each
 * attempt of the check that measured it.
 *
 * Marked: +12% that needs a rerun, in the only run or in three of three. Not: +12% in the second run, which the first had as
 * not significant; +3% of a floor of 5%; a faster row.
 */
export function markedUndecided(head: ClassifiedHead): (row: ReportRow) => ReportRow {
  const { earlier, entries = NO_ENTRIES, thresholds } = head.input
  const floor = thresholds.configured.changed ?? CHANGED_FLOOR
  const runOf = runOfResult(head)
  const { rows = [], notMeasuredAgain = [] } = earlier ?? {}
  // what was too noisy to judge in between decided nothing
  const before = new Map([...rows, ...notMeasuredAgain].map((row) => [queryKey(row), row]))
  const replaced = replacedRuns(head.input)
  return (row) => {
    const result = decisive(row)
    if (row.verdict !== 'needs-rerun' || result.direction !== 'slower' || result.leans !== undefined) return row
    if (Math.abs(result.difference ?? 0) < (entries.thresholdOf(result) ?? floor)) return row
    const run = runOf(result)
    const isFirst = run === null || !replaced.some((key) => checkOf(key) === checkOf(runKey(run)))
    return isFirst || before.get(queryKey(row))?.undecided === true ? { ...row, undecided: true } : row
  }
}

/** The part of a `runKey` that all attempts of a check have. */
function checkOf(key: string): string {
  return key.slice(0, key.lastIndexOf(','))
}

/**
 * Gives the finding of an earlier run of this head that a result of another run shows as well: two jobs share the two builds, and
 * neither their processes nor, mostly, the machine.
 *
 * Triggers: changed, slower by 18%, and by 9% in a changed row of an earlier run. Does not: by 4% there, faster there, or not
 * changed; nor the same run judged again, which keeps what it had.
 */
export function confirmedEarlier({
  earlier,
  primaryMetric,
}: Pick<HeadInput, 'earlier' | 'primaryMetric'>): (result: ClassifiedQuery, run: Run) => Confirmed | null {
  if (!earlier?.runs || earlier.primaryMetric !== primaryMetric) return () => null
  const { rows, notMeasuredAgain = [], notSeenAgain = [] } = earlier
  const runs = new Set(earlier.runs)
  const rowsOf = Map.groupBy(rows, queryKey)
  const goneOf = Map.groupBy([...notSeenAgain, ...notMeasuredAgain], queryKey)
  return (result, run) => {
    if (result.outcome !== 'changed') return null
    const key = queryKey(result)
    const isOfIt = (item: { readonly architecture: string | null }) => item.architecture === result.architecture
    const ofQuery = rowsOf.get(key) ?? []
    const isSameRun = runs.has(runKey(run))
    const known = isSameRun ? ofQuery.flatMap(({ evidence }) => evidence.filter(isEarlierRun)) : []
    if (known.some(isOfIt)) return known.find(isOfIt)!
    const shown = [...(goneOf.get(key) ?? []), ...(isSameRun ? [] : ofQuery)]
    const isAlike = ({ outcome, direction, difference }: ClassifiedQuery) =>
      outcome === 'changed' &&
      direction === result.direction &&
      Math.abs(difference ?? 0) >= REPLICATED_SIZE * Math.abs(result.difference ?? Number.POSITIVE_INFINITY)
    const row = shown.find((one) => !isApart(one) && one.results.some((of) => isOfIt(of) && isAlike(of)))
    const before = row?.results.find((one) => isOfIt(one) && isAlike(one))
    if (row === undefined || before === undefined) return null
    const earlierOnes = row.evidence.filter(isEarlierRun).find(isOfIt)
    const { architecture } = result
    const found: Confirmed = { kind: 'confirmed', architecture, difference: before.difference, by: 'earlier-run' }
    return earlierOnes === undefined ? found : { ...found, runs: (earlierOnes.runs ?? 1) + 1 }
  }
}

/** The finding was seen by an earlier run of the same head too. */
export function isEarlierRun(item: Evidence): item is Confirmed {
  return item.kind === 'confirmed' && item.by === 'earlier-run'
}
