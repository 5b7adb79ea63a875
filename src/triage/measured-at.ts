import type { Run } from '../measurement/run.ts'

/**
 * When the last of the runs ended, in milliseconds; null without runs. The trunk's history is asked as of then: judged
 * again later, the same measurements have the same thresholds.
 */
export function measuredAt(runs: readonly Pick<Run, 'finishedAt'>[]): number | null {
  const times = runs.map(({ finishedAt }) => Date.parse(finishedAt)).filter((time) => Number.isFinite(time))
  return times.length === 0 ? null : times.reduce((last, time) => Math.max(last, time))
}
