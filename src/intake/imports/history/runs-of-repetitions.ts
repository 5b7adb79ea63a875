import { counted } from '../../../text/numbers.ts'
import { ReadStopped } from '../format.ts'
import { detached } from '../table-row.ts'
import type { RepeatedQuery, Repetition } from './table-rows.ts'
import type { TrunkRow } from './trunk-row.ts'

/** Gathers repetitions into runs while rows arrive, within a limit of memory. */

export interface RepetitionLimits {
  /** Bytes, roughly, that the runs may take that are put together at a time. */
  readonly held: number
  /** Runs of one file. */
  readonly runs: number
}

/**
 * Some 75,000 queries and metrics of seven repetitions a side, with texts of 200 characters. Runs that are done take 150
 * bytes each.
 */
const REPETITION_LIMITS: RepetitionLimits = { held: 128 * 1024 * 1024, runs: 1_000_000 }

/** Bytes of a query of a run beside its texts and samples, and of a sample. */
const QUERY_BYTES = 500
const SAMPLE_BYTES = 16

/** Both medians, and T where it is known; null where one side was not measured. */
export type MediansOf = (
  old: readonly number[],
  fresh: readonly number[],
) => Pick<TrunkRow, 'old' | 'new' | 'difference' | 'threshold'> | null

interface MeasuredQuery {
  readonly query: RepeatedQuery
  readonly old: number[]
  readonly new: number[]
  /** A repetition without a value: the query was not compared. */
  failed: boolean
}

interface OpenRun {
  readonly key: string
  readonly queries: Map<string, MeasuredQuery>
  held: number
}

/**
 * Puts the repetitions of a file together: one trunk row for each query and metric of a run, with both medians and T. A run
 * is what one job compared: commits, architecture and time.
 *
 * The rows of a run need not follow each other as long as all runs fit; where they do not, the one is closed whose rows
 * came the longest ago. Throws `ReadStopped` where rows of a closed run come, and for a run that does not fit by itself.
 */
export class RunsOfRepetitions {
  readonly #medians: MediansOf
  readonly #limits: RepetitionLimits
  /** The one whose rows came last is the last one. */
  readonly #open = new Map<string, OpenRun>()
  readonly #closed = new Set<string>()
  #current: OpenRun | null = null
  #held = 0
  #areInOrder = true
  /** Queries of runs that were measured on one side only, or with a repetition without a value. */
  notCompared = 0

  constructor(medians: MediansOf, limits: RepetitionLimits = REPETITION_LIMITS) {
    this.#medians = medians
    this.#limits = limits
  }

  /** Gives the rows of runs that were closed to make room. */
  *add({ query, isNew, value }: Repetition): Generator<TrunkRow> {
    const run = this.#runOf(query)
    const measured = this.#queryOf(run, query)
    if (value === null) measured.failed = true
    else (isNew ? measured.new : measured.old).push(value)
    this.#take(run, SAMPLE_BYTES)
    while (this.#held > this.#limits.held) {
      const [oldest] = this.#open.values()
      if (oldest === undefined || oldest === run) {
        throw new ReadStopped(
          'limit-reached',
          null,
          `${runName(query)} has too many repetitions to combine; export fewer metrics at a time`,
        )
      }
      yield* this.#close(oldest)
    }
  }

  /**
   * Gives the rows of all runs that are left. `isCut`: the end of the file is missing. Then the last run may lack
   * repetitions, and where runs are mixed any may: these give no rows, and their number is returned.
   */
  *finish(isCut: boolean): Generator<TrunkRow, number> {
    const runs = [...this.#open.values()]
    const whole = !isCut ? runs : this.#areInOrder ? runs.filter((run) => run !== this.#current) : []
    for (const run of whole) yield* this.#close(run)
    return runs.length - whole.length
  }

  #runOf(query: RepeatedQuery): OpenRun {
    const { time, oldCommit, newCommit, architecture } = query
    const key = `${time} ${architecture} ${oldCommit} ${newCommit}`
    if (this.#current?.key === key) return this.#current
    if (this.#closed.has(key)) {
      throw new ReadStopped(
        'limit-reached',
        null,
        `the rows of ${runName(query)} are too far apart; sort the file by check_start_time, new_sha and arch, so that the rows of a run are together`,
      )
    }
    const known = this.#open.get(key)
    if (known !== undefined) this.#areInOrder = false
    else if (this.#open.size + this.#closed.size === this.#limits.runs) {
      const most = counted(this.#limits.runs, 'run', 'runs')
      throw new ReadStopped('limit-reached', null, `there are more than ${most}; split the file by time`)
    }
    const run = known ?? { key: detached(key), queries: new Map<string, MeasuredQuery>(), held: 0 }
    this.#open.delete(key)
    this.#open.set(run.key, run)
    this.#current = run
    return run
  }

  #queryOf(run: OpenRun, query: RepeatedQuery): MeasuredQuery {
    const { test, queryIndex, queryName, metric } = query
    const key = `${queryIndex} ${metric}\0${test}\0${queryName ?? ''}`
    const known = run.queries.get(key)
    if (known !== undefined) return known
    const measured = { query: ownTexts(query), old: [], new: [], failed: false }
    run.queries.set(detached(key), measured)
    this.#take(run, QUERY_BYTES + 4 * key.length + 2 * query.reportUrl.length)
    return measured
  }

  #take(run: OpenRun, bytes: number): void {
    run.held += bytes
    this.#held += bytes
  }

  *#close(run: OpenRun): Generator<TrunkRow> {
    this.#open.delete(run.key)
    this.#closed.add(run.key)
    this.#held -= run.held
    for (const measured of run.queries.values()) {
      const row = rowOf(measured, this.#medians)
      if (row === null) this.notCompared += 1
      else yield row
    }
  }
}

/** Engines keep a part of a line as a reference to the whole of it: what is held must not hold the file. */
function ownTexts(query: RepeatedQuery): RepeatedQuery {
  const copied = Object.entries(query).map(([name, field]) => [
    name,
    typeof field === 'string' ? detached(field) : field,
  ])
  return Object.fromEntries(copied) as RepeatedQuery
}

/** The medians of both sides as a row; null where one side is missing or a value is no number from 0. */
function rowOf({ query, old, new: fresh, failed }: MeasuredQuery, mediansOf: MediansOf): TrunkRow | null {
  const medians = failed ? null : mediansOf(old, fresh)
  return medians === null ? null : { ...query, source: 'imported', ...medians }
}

function runName({ newCommit, architecture, time }: RepeatedQuery): string {
  const on = architecture === '' ? '' : `, ${architecture}`
  return `the run of ${newCommit.slice(0, 12)} (${new Date(time).toISOString()}${on})`
}
