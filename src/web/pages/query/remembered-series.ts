import type { HistoryProblem, TrunkSeries } from '../../../history/trunk-series.ts'

/** A page and its chart ask for the same one right after the other; a run of the trunk that has just ended may wait so long. */
const REMEMBERED_MS = 30_000

/** All together: some 30 MB. */
const MOST_POINTS = 100_000

export interface FoundSeries {
  /** Those that have any run in the time, in the order of what was wanted. */
  readonly series: readonly TrunkSeries[]
  /** The CI database was asked for some of them. */
  readonly isLive: boolean
  /** Why not all of it is there; null where it is. */
  readonly problem: HistoryProblem | null
}

export type RememberSeries = (key: string, ask: () => Promise<FoundSeries>) => Promise<FoundSeries>

/**
 * Answers a question that was answered a moment ago with the same answer; one that is being asked is waited for. What the
 * CI database did not answer is asked again. `now`: milliseconds.
 */
export function rememberedSeries(now: () => number): RememberSeries {
  const answers = new Map<string, { readonly answer: FoundSeries; readonly at: number; readonly points: number }>()
  const asking = new Map<string, Promise<FoundSeries>>()
  let points = 0
  const forget = (key: string) => {
    points -= answers.get(key)?.points ?? 0
    answers.delete(key)
  }
  const remember = (key: string, answer: FoundSeries) => {
    forget(key)
    const more = answer.series.reduce((sum, series) => sum + series.points.length + 1, 1)
    // The oldest ones first, which are the first ones of the map.
    for (const oldest of [...answers.keys()]) if (points + more > MOST_POINTS) forget(oldest)
    if (answer.problem !== null || more > MOST_POINTS) return
    answers.set(key, { answer, at: now(), points: more })
    points += more
  }
  return async (key, ask) => {
    const known = answers.get(key)
    if (known !== undefined && now() - known.at < REMEMBERED_MS) return known.answer
    const pending = asking.get(key)
    if (pending !== undefined) return await pending
    const question = ask()
    asking.set(key, question)
    try {
      const answer = await question
      remember(key, answer)
      return answer
    } finally {
      asking.delete(key)
    }
  }
}
