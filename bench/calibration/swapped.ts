import type { Measurement } from '../../src/intake/measurement/run.ts'
import { type Labelled, labelsGiven } from './counts.ts'
import { judgeRun, runOf } from './head.ts'
import { type Rate, rateOf } from './intervals.ts'
import type { RecordedRun } from './recorded-runs.ts'

export interface Swapped {
  /** Ways of one run. */
  readonly ways: number
  readonly slower: Rate
  readonly regression: Rate
  readonly faster: Rate
  readonly improvement: Rate
  /** Of all ways of all runs. */
  readonly labelled: Labelled
}

/**
 * What the rules give by chance in this noise, without the luck of one draw: both sides of a run are the same build and
 * their repetitions take turns, so which of two neighbours is called old is arbitrary. All 2^n ways to call them, the same
 * for all queries of the run, are judged without history. Runs with another number of repetitions a side are left out.
 */
export function swappedRates(runs: readonly RecordedRun[], repetitions: number): Swapped {
  const same = runs.filter(
    ({ isSameBuild, measurements }) =>
      isSameBuild && measurements.every((one) => one.old.length === repetitions && one.new.length === repetitions),
  )
  const ways = 2 ** repetitions
  const found = same.map((run) => {
    const reports = Array.from({ length: ways }, (_, way) => {
      const measurements = run.measurements.map((one) => swapped(one, way))
      return judgeRun(runOf({ ...run, measurements }, 1, 1))
    })
    const rows = reports.flatMap((report) => report.rows)
    const share = (isCounted: (row: (typeof rows)[number]) => boolean) => ({
      found: rows.filter(isCounted).length,
      queries: rows.length,
    })
    return {
      slower: share(({ outcome, direction }) => outcome === 'changed' && direction === 'slower'),
      regression: share(({ verdict }) => verdict === 'regression'),
      faster: share(({ outcome, direction }) => outcome === 'changed' && direction === 'faster'),
      improvement: share(({ verdict }) => verdict === 'improvement'),
      labelled: labelsGiven(reports),
    }
  })
  return {
    ways,
    slower: rateOf(found.map(({ slower }) => slower)),
    regression: rateOf(found.map(({ regression }) => regression)),
    faster: rateOf(found.map(({ faster }) => faster)),
    improvement: rateOf(found.map(({ improvement }) => improvement)),
    labelled: {
      slower: found.reduce((sum, { labelled }) => sum + labelled.slower, 0),
      faster: found.reduce((sum, { labelled }) => sum + labelled.faster, 0),
    },
  }
}

/** The two sides of each repetition whose bit is set in `way` change places. */
function swapped(measurement: Measurement, way: number): Measurement {
  const isSwapped = (repetition: number) => ((way >>> repetition) & 1) === 1
  const pick = (first: readonly number[], second: readonly number[]) =>
    first.map((value, repetition) => (isSwapped(repetition) ? second[repetition]! : value))
  const { old, new: fresh } = measurement
  return { ...measurement, old: pick(old, fresh), new: pick(fresh, old) }
}
