import type { Budget } from './budget.ts'
import type {
  Better,
  Given,
  Measurement,
  MeasurementProblem,
  MeasurementProblemReason,
  Side,
  SourceNote,
} from './run.ts'

/** Tells repetitions apart: a number where the source counts them, its own id otherwise, null where it has none. */
export type RepetitionId = number | string | null

/** The samples of one side while they are read. */
class Series {
  readonly values: number[] = []
  readonly #repetitions: number[] = []
  readonly #ordered: boolean
  #next = 0
  #seen: Set<number | string> | null = null
  /** Where each repetition stands; null as long as they are 0, 1, 2, …, which stand at their number. */
  #places: Map<number | string, number> | null = null
  #inOrder = true
  #allCounted = true

  /** `ordered`: the repetition numbers give the order; otherwise the order of the file stands. */
  constructor(ordered: boolean) {
    this.#ordered = ordered
  }

  /** False when that repetition is there already; the first one stands. */
  add(value: number, id: RepetitionId): boolean {
    if (id !== null) {
      if (this.#seen?.has(id) === true || (typeof id === 'number' && id < this.#next)) return false
      // repetitions mostly come as 0, 1, 2, …: then a counter is all that must be remembered
      if (id === this.#next) {
        this.#next += 1
      } else {
        this.#seen ??= new Set()
        this.#seen.add(id)
      }
    }
    if (id !== this.values.length) this.#places ??= new Map(this.values.map((_, place) => [place, place]))
    if (id !== null) this.#places?.set(id, this.values.length)
    if (this.#ordered) {
      if (typeof id !== 'number') this.#allCounted = false
      else if (id < (this.#repetitions.at(-1) ?? 0)) this.#inOrder = false
      this.#repetitions.push(typeof id === 'number' ? id : -1)
    }
    this.values.push(value)
    return true
  }

  /** Where the repetition stands among `values`; null where it has no sample. */
  placeOf(id: number | string): number | null {
    if (this.#places !== null) return this.#places.get(id) ?? null
    return typeof id === 'number' && id < this.values.length ? id : null
  }

  /** Adds another series of the same query and side; gives how many of it were there already. */
  addAll(other: Series): number {
    let duplicates = 0
    other.values.forEach((value, index) => {
      const repetition = other.#repetitions[index] ?? -1
      if (!this.add(value, repetition === -1 ? null : repetition)) duplicates += 1
    })
    return duplicates
  }

  /** The samples in their order. */
  finish(): readonly number[] {
    if (!this.#ordered || this.#inOrder || !this.#allCounted) return this.values
    const order = this.values.map((_, index) => index)
    order.sort((a, b) => this.#repetitions[a]! - this.#repetitions[b]!)
    return order.map((index) => this.values[index]!)
  }
}

export interface DraftId {
  readonly test: string
  readonly queryIndex: number | null
  readonly queryName: string | null
  readonly metric: string
  readonly architecture: string | null
}

/** A `Measurement` while it is read. */
export class Draft {
  test: string
  readonly queryIndex: number | null
  queryName: string | null
  readonly metric: string
  architecture: string | null
  unit: string | null
  reportThreshold: number | null = null
  better: Better | null = 'lower'
  /** What the tool says of a side in the place of samples. Its value is added to the side as well. */
  readonly given: Partial<Record<Side, Given>> = {}
  readonly notes = new Set<SourceNote>()
  readonly old: Series
  readonly new: Series
  readonly problems: MeasurementProblem[] = []

  constructor(id: DraftId, unit: string | null, ordered: boolean) {
    this.test = id.test
    this.queryIndex = id.queryIndex
    this.queryName = id.queryName
    this.metric = id.metric
    this.architecture = id.architecture
    this.unit = unit
    this.old = new Series(ordered)
    this.new = new Series(ordered)
  }

  /** Notes a problem once, since sources repeat the same error for each repetition; true when it was new. */
  problem(reason: MeasurementProblemReason, side: Side | null, message: string, budget: Budget): boolean {
    return this.#note(reason, side, message, (text) => budget.keep(text))
  }

  #note(
    reason: MeasurementProblemReason,
    side: Side | null,
    message: string,
    keep = (text: string): string => text,
  ): boolean {
    // a query that fails a thousand times in a thousand ways is told by its first failures
    if (this.problems.length >= 10) return false
    if (this.problems.some((known) => known.reason === reason && known.side === side && known.message === message)) {
      return false
    }
    this.problems.push({ reason, side, message: keep(message) })
    return true
  }

  /** Adds what another member says of the same; gives how many repetitions of it were there already. */
  addAll(other: Draft): number {
    for (const note of other.notes) this.notes.add(note)
    Object.assign(this.given, other.given)
    for (const { reason, side, message } of other.problems) this.#note(reason, side, message)
    return this.old.addAll(other.old) + this.new.addAll(other.new)
  }

  finish(ordinal: number): Measurement {
    // Several summaries of a side are as many repetitions.
    const given = (['old', 'new'] as const).filter((side) => this.given[side] && this[side].values.length === 1)
    return {
      test: this.test,
      queryIndex: this.queryIndex,
      queryName: this.queryName,
      ...(ordinal > 0 && { ordinal }),
      metric: this.metric,
      unit: this.unit,
      architecture: this.architecture,
      old: this.old.finish(),
      new: this.new.finish(),
      reportThreshold: this.reportThreshold,
      rounded: false,
      problems: this.problems,
      ...(this.better !== 'lower' && { better: this.better }),
      ...(given.length > 0 && { given: Object.fromEntries(given.map((side) => [side, this.given[side]])) }),
      ...(this.notes.size > 0 && { notes: [...this.notes].sort() }),
    }
  }
}

/** The key of a draft: two with the same one are of the same query, metric and architecture. */
export function draftKey(id: DraftId): string {
  return JSON.stringify([id.test, id.queryIndex, id.queryName, id.metric, id.architecture])
}
