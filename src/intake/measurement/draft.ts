import type { Budget } from './budget.ts'
import type { Environment } from './environment.ts'
import type {
  Better,
  EqualBuilds,
  Given,
  Measurement,
  MeasurementProblem,
  MeasurementProblemReason,
  Side,
  SourceNote,
  Taken,
} from './run.ts'

/** Tells repetitions apart: a number where the source counts them, its own id otherwise, null where it has none. */
export type RepetitionId = number | string | null

/** Where a sample comes from, as far as its source says: see `Taken`. */
export interface Origin {
  readonly process?: number | undefined
  readonly place?: number | undefined
  /** Its number on its side, where the source counts them. */
  readonly repetition?: number | undefined
}

const UNKNOWN_ORIGIN: Origin = {}
const NOWHERE = -1

/** The samples of one side while they are read. */
class Series {
  readonly values: number[] = []
  /** As long as `values` or, where no sample says it, empty. */
  #processes: number[] = []
  #takenAt: number[] = []
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
  add(value: number, id: RepetitionId, { process, place }: Origin = UNKNOWN_ORIGIN): boolean {
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
    if (process !== undefined || this.#processes.length > 0) {
      while (this.#processes.length < this.values.length) this.#processes.push(NOWHERE)
      this.#processes.push(process ?? NOWHERE)
    }
    if (place !== undefined || this.#takenAt.length > 0) {
      while (this.#takenAt.length < this.values.length) this.#takenAt.push(NOWHERE)
      this.#takenAt.push(place ?? NOWHERE)
    }
    this.values.push(value)
    return true
  }

  /** The repetitions are 0, 1, 2, … as they stand. */
  get isCounted(): boolean {
    return this.#places === null && this.#next === this.values.length
  }

  /** The last place of a sample; -1 where none has one. */
  get lastPlace(): number {
    return this.#takenAt.reduce((last, place) => Math.max(last, place), NOWHERE)
  }

  /** Moves all samples behind those of the files before. */
  shiftPlaces(by: number): void {
    this.#takenAt = this.#takenAt.map((place) => (place === NOWHERE ? NOWHERE : place + by))
  }

  /** All of it is of one process, which has told its values in their order; its own numbers of repetitions tell nothing beside others. */
  ofOneProcess(): void {
    this.#processes = this.values.map(() => 0)
    if (this.#takenAt.includes(NOWHERE) || this.#takenAt.length === 0) this.#takenAt = this.values.map((_, at) => at)
    this.#repetitions.fill(-1)
  }

  /** Where the repetition stands among `values`; null where it has no sample. */
  placeOf(id: number | string): number | null {
    if (this.#places !== null) return this.#places.get(id) ?? null
    return typeof id === 'number' && id < this.values.length ? id : null
  }

  /** Adds another series of the same query and side; gives how many of it were there already. */
  addAll(other: Series): number {
    let duplicates = 0
    const processes = this.#processes.reduce((most, process) => Math.max(most, process), NOWHERE) + 1
    other.values.forEach((value, index) => {
      const repetition = other.#repetitions[index] ?? -1
      const process = other.#processes[index] ?? NOWHERE
      const place = other.#takenAt[index] ?? NOWHERE
      const origin = {
        process: process === NOWHERE ? undefined : processes + process,
        place: place === NOWHERE ? undefined : place,
      }
      if (!this.add(value, repetition === -1 ? null : repetition, origin)) duplicates += 1
    })
    return duplicates
  }

  /** The samples in their order. */
  finish(): readonly number[] {
    return this.#inTheirOrder(this.values)
  }

  /** Where they come from; null: nothing is known of it, or not of all. */
  taken(): Taken | null {
    const [processes, places] = [this.#processes, this.#takenAt].map((known) =>
      known.length === 0 || known.includes(NOWHERE) ? null : this.#inTheirOrder(known),
    )
    if (processes == null && places == null) return null
    return { ...(processes != null && { processes }), ...(places != null && { places }) }
  }

  #inTheirOrder(values: readonly number[]): readonly number[] {
    if (!this.#ordered || this.#inOrder || !this.#allCounted) return values
    const order = values.map((_, index) => index)
    order.sort((a, b) => this.#repetitions[a]! - this.#repetitions[b]!)
    return order.map((index) => values[index]!)
  }
}

const SIDES: readonly Side[] = ['old', 'new']

export type DraftId = Pick<Measurement, 'test' | 'queryIndex' | 'queryName' | 'metric' | 'architecture'>

/** A `Measurement` while it is read. */
export class Draft {
  test: string
  readonly queryIndex: number | null
  queryName: string | null
  readonly metric: string
  architecture: string | null
  unit: string | null
  /** Where all of it was measured; null: the source does not say. */
  environment: Environment | null = null
  reportThreshold: number | null = null
  better: Better | null = 'lower'
  /** What the tool says of a side in the place of samples. Its value is added to the side as well. */
  readonly given: Partial<Record<Side, Given>> = {}
  readonly notes = new Set<SourceNote>()
  /** The places of both sides are of one clock, or the samples were taken in turns. */
  clock = false
  /** What two builds of the old commit gave; null: no second one was measured. */
  equalBuilds: EqualBuilds | null = null
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

  /** All of it is what one turn gave of a build, on the clock of the other turns. */
  ofOneTurn(): void {
    this.clock = true
    for (const side of SIDES) this[side].ofOneProcess()
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
    this.clock &&= other.clock
    Object.assign(this.given, other.given)
    for (const { reason, side, message } of other.problems) this.#note(reason, side, message)
    return this.old.addAll(other.old) + this.new.addAll(other.new)
  }

  /** The sides say the time of each sample, or have the same runs. */
  #isOneClock(): boolean {
    if (!this.clock) return false
    const isTimed = SIDES.every((side) => this[side].taken()?.places !== undefined)
    return isTimed || (this.old.isCounted && this.new.isCounted && this.old.values.length === this.new.values.length)
  }

  finish(ordinal: number): Measurement {
    // Several summaries of a side are as many repetitions.
    const given = SIDES.filter((side) => this.given[side] && this[side].values.length === 1)
    const taken = SIDES.flatMap((side) => {
      const ofSide = this[side].taken()
      return ofSide === null ? [] : [[side, ofSide] as const]
    })
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
      ...(taken.length > 0 && { taken: Object.fromEntries(taken) }),
      ...(this.equalBuilds !== null && { equalBuilds: this.equalBuilds }),
      ...(this.#isOneClock() && { clock: true }),
    }
  }
}

/** The key of a draft: two with the same one are of the same query, metric and architecture. */
export function draftKey(id: DraftId): string {
  return JSON.stringify([id.test, id.queryIndex, id.queryName, id.metric, id.architecture])
}
