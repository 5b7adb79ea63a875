import type { HistoryOf, Learned, TrunkHistory } from './trunk-history.ts'

const HOUR = 3_600_000

/** Answers that are kept: of a repository's metric at one hour each, some megabytes for 10,000 queries. */
const MOST_REMEMBERED = 20

/**
 * The same history, which learns thresholds as of the last full hour and is asked for them once: each shard of a head has
 * them looked up, and the month that they are learned from ended a week ago. An empty history is asked again.
 * What a caller has from elsewhere is taken to be the same for an hour as well.
 */
export function withRememberedThresholds<T extends TrunkHistory>(history: T): T {
  const learn = history.learnedThresholds.bind(history)
  const known = new Map<string, Promise<Learned>>()
  history.learnedThresholds = async (of: HistoryOf, fromElsewhere?: ReadonlySet<string>): Promise<Learned> => {
    const now = Math.floor(of.now / HOUR) * HOUR
    const key = JSON.stringify([of.repositoryId, of.metric, of.trunk, now])
    const asked = known.get(key) ?? learn({ ...of, now }, fromElsewhere)
    known.delete(key)
    known.set(key, asked)
    if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!)
    try {
      const learned = await asked
      if (learned.newest === null) known.delete(key)
      return learned
    } catch (error) {
      known.delete(key)
      throw error
    }
  }
  return history
}
