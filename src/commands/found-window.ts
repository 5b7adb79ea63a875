import type { BisectWindow } from '../bisect/window.ts'
import type { TrunkSeries } from '../history/trunk-series.ts'
import type { UnsureStep } from './unsure-steps.ts'

/** One window with the history that it was found in. */
export interface FoundWindow {
  readonly series: TrunkSeries
  readonly window: BisectWindow
  /** Why there are no commits, where a clone was given; null where there are. */
  readonly problem: string | null
}

/** What `bisect` has found. */
export interface BisectFindings {
  readonly windows: readonly FoundWindow[]
  /** Of the queries that were asked for by their test. */
  readonly unsure: readonly UnsureStep[]
  /** Histories that were looked at. */
  readonly histories: number
}

/** Windows with the same ends have the same commits. */
export function endsOf({ step }: BisectWindow): string {
  return `${step.lastGood.commit} ${step.firstBad.commit}`
}
