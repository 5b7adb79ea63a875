import pLimit from 'p-limit'
import { type Run, runKey } from '../../intake/measurement/run.ts'
import { isMeasuredAlone } from '../../judge/history/one-sided-history.ts'
import { shortReadBack } from '../../store/runs/read-back.ts'
import { sizeOf } from '../../store/runs/stored-runs.ts'

/** The memory of all runs together, as `sizeOf` counts it: ten runs of 3,000 queries with one metric each. A run beyond it is stored at once. */
const MOST_NUMBERS = 1_000_000

/** Writes at once. */
const STORED_AT_ONCE = 3

interface UnstoredRun {
  readonly asJudged: Run
  readonly store: () => Promise<void>
}

/**
 * Runs that a report is made of before they are stored: the comment does not wait until they are written. A process that is killed in between
 * reads them again.
 */
export class UnstoredRuns {
  readonly #runs = new Map<string, UnstoredRun>()
  #size = 0

  /** False: the run has to be stored first, as one with profiles, which are asked of the database. */
  take(run: Run, primaryMetric: string, store: () => Promise<void>): boolean {
    if (run.profiles !== undefined || isMeasuredAlone(run, primaryMetric)) return false
    const size = this.#size + sizeOf(run.measurements)
    const asJudged = size > MOST_NUMBERS ? null : shortReadBack(run, primaryMetric)
    if (asJudged === null) return false
    this.#size = size
    this.#runs.set(runKey(run), { asJudged, store })
    return true
  }

  /** The runs that are not stored yet, as they would be read from the store. */
  get runs(): readonly Run[] {
    return [...this.#runs.values()].map(({ asJudged }) => asJudged)
  }

  /** Stores all of them. After the first failure no other is begun, and those that are left are stored by the next call. */
  async store(): Promise<void> {
    const failures: unknown[] = []
    await pLimit(STORED_AT_ONCE).map([...this.#runs], async ([key, { store }]) => {
      if (failures.length > 0) return
      try {
        await store()
        this.#runs.delete(key)
      } catch (error) {
        failures.push(error)
      }
    })
    if (failures.length > 0) throw failures[0]
  }
}
