import { median } from '../../../intake/measurement/median.ts'
import type { Measurement, QueryId, Side } from '../../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import { reaches } from '../outcome.ts'

/** It moved together with what was measured beside it, and the host can be seen to slow or to recover there. Doubt. */
export interface HostSpell {
  readonly kind: 'host-spell'
  readonly architecture: string | null
  /**
   * The sample that gives the host away: the last before the rows or the first after them is raised, or their own first or last is not.
   * null: it is seen in another group of that run.
   */
  readonly edge: 'before' | 'after' | 'first' | 'last' | null
  /** How much slower the host was, a fraction. */
  readonly effect: number
  /** The rows at the ends of the group that has the edge, and how many it has. */
  readonly first: QueryId
  readonly last: QueryId
  readonly rows: number
}

/**
 * How many times the noise of a benchmark half of a group's effect must be, so that a sample says on which side of it it stands. The
 * noise is 1.4826 times the median distance of its samples from the medians of their sides, a standard deviation where they are normal.
 *
 * Asked: of a benchmark with 1% of noise beside a group of +10%. Not: of one with 2%.
 */
const CLEAR_OF_NOISE = 3
const MAD_TO_SIGMA = 1.4826

/**
 * How near the effect of a group without an edge must be to one that has an edge, so that the same host explains it: a spell that
 * began and ended between two benchmarks looks like a slower program.
 *
 * Explained: +26% where a group of +20% has an edge. Not: +50%.
 */
const SAME_SPELL = 2

/** A result with what it was made of. */
export interface MeasuredRow {
  readonly result: ClassifiedQuery
  readonly measurement: Measurement
}

/**
 * Rows that a host explains which slowed for a while. Such a host begins and ends somewhere, a slower program does not: rows that were
 * measured one after the other and moved together have an edge where the sample before or after them is raised as well, or the first or
 * the last of their own is not. Where one group has an edge, others of the same size are doubted too.
 *
 * Only of benchmarks whose samples were taken side by side, as `go test -count 10` does it. A sample is raised where it exceeds
 * the median of the other side by more than half of the median effect of the group.
 *
 * Triggers: B96 to B99 are slower by 25%, and the last sample of B95 is raised. Does not: B96 alone is slower by 25%, all of its samples, and
 * none of its neighbours; any row that was measured in rounds.
 */
export function hostSpells(rows: readonly MeasuredRow[]): ReadonlyMap<ClassifiedQuery, HostSpell> {
  const placed = placedRows(rows)
  const groups = (['new', 'old'] as const).flatMap((side) => groupsOn(side, placed))
  // an edge may be luck where the whole run is noisy: it excuses its own rows, and no others
  const noise = placed.length === 0 ? 0 : median(placed.map(({ measurement }) => noiseOf(measurement)))
  const spells = groups.filter(({ edge, effect }) => edge !== null && isClear(effect, noise))
  const found = new Map<ClassifiedQuery, HostSpell>()
  for (const group of groups) {
    const { effect, edge } = group
    const isLike = (other: Group) => other.effect <= effect * SAME_SPELL && effect <= other.effect * SAME_SPELL
    const of = edge === null ? spells.find(isLike) : group
    if (of === undefined) continue
    for (const { result } of group.flagged) {
      const { architecture } = result
      found.set(result, {
        kind: 'host-spell',
        architecture,
        edge,
        effect,
        first: nameOf(of.rows[0]!),
        last: nameOf(of.rows.at(-1)!),
        rows: of.rows.length,
      })
    }
  }
  return found
}

/** Rows that say the order of their samples, which is not in turns. */
function placedRows(rows: readonly MeasuredRow[]): readonly MeasuredRow[] {
  return rows.filter(({ measurement: { taken, clock } }) => {
    return clock !== true && taken?.old?.places !== undefined && taken.new?.places !== undefined
  })
}

/** The rows whose samples stand side by side in the order of measurement of the new side, in that order. */
export function rowsInOnePiece(rows: readonly MeasuredRow[]): readonly MeasuredRow[] {
  const whole = (side: Side) =>
    stretchesOf(orderOn(side, placedRows(rows))).flatMap(({ row, isWhole }) => (isWhole ? [row] : []))
  const onOld = new Set(whole('old'))
  return whole('new').filter((row) => onOld.has(row))
}

function nameOf({ result: { test, queryIndex, queryName, ordinal } }: MeasuredRow): HostSpell['first'] {
  return { test, queryIndex, queryName, ...(ordinal !== undefined && { ordinal }) }
}

interface Group {
  readonly rows: readonly MeasuredRow[]
  readonly flagged: readonly MeasuredRow[]
  readonly effect: number
  readonly edge: HostSpell['edge']
}

interface Sample {
  readonly row: MeasuredRow
  readonly value: number
  readonly place: number
}

function orderOn(side: Side, rows: readonly MeasuredRow[]): readonly Sample[] {
  return rows
    .flatMap((row): Sample[] => {
      const places = row.measurement.taken![side]!.places!
      return row.measurement[side].map((value, index) => ({ row, value, place: places[index]! }))
    })
    .sort((a, b) => a.place - b.place)
}

/** Rows that stand together and are raised on this side. */
function groupsOn(side: Side, rows: readonly MeasuredRow[]): readonly Group[] {
  const order = orderOn(side, rows)
  const stretches = stretchesOf(order)
  const groups: (readonly Stretch[])[] = []
  let open: Stretch[] = []
  for (const stretch of [...stretches, null]) {
    if (stretch?.isWhole === true && isRaised(stretch.row, side)) {
      open.push(stretch)
      continue
    }
    if (open.some(({ row }) => row.result.outcome === 'changed')) groups.push(open)
    open = []
  }
  return groups.map((group) => {
    const ofGroup = group.map(({ row }) => row)
    const effect = median(ofGroup.map((row) => effectOn(row, side)))
    const edge = edgeOf(order, group[0]!.from, group.at(-1)!.to, effect, side)
    return { rows: ofGroup, flagged: ofGroup.filter(({ result }) => result.outcome === 'changed'), effect, edge }
  })
}

/** Samples of one row that follow each other: from the first to before `to`. */
interface Stretch {
  readonly row: MeasuredRow
  readonly from: number
  readonly to: number
  /** They are all that it has. */
  readonly isWhole: boolean
}

function stretchesOf(order: readonly Sample[]): readonly Stretch[] {
  const starts = order.flatMap(({ row }, index) => (index === 0 || order[index - 1]!.row !== row ? [index] : []))
  const times = new Map<MeasuredRow, number>()
  for (const from of starts) times.set(order[from]!.row, (times.get(order[from]!.row) ?? 0) + 1)
  return starts.map((from, index) => {
    const { row } = order[from]!
    return { row, from, to: starts[index + 1] ?? order.length, isWhole: times.get(row) === 1 }
  })
}

/** It moved by its threshold or more, so that this side is the slower one. */
function isRaised({ result }: MeasuredRow, side: Side): boolean {
  const { difference, changedThreshold, direction } = result
  if (difference === null || changedThreshold === null || direction === null) return false
  return (direction === 'slower') === (side === 'new') && reaches(Math.abs(difference), changedThreshold)
}

/** How much more time this side took than the other, a fraction of the other. */
function effectOn({ measurement }: MeasuredRow, side: Side): number {
  return excess(median(measurement[side]), measurement, side)
}

function excess(value: number, measurement: Measurement, side: Side): number {
  const base = median(measurement[otherThan(side)])
  return measurement.better === 'higher' ? base / value - 1 : value / base - 1
}

function otherThan(side: Side): Side {
  return side === 'old' ? 'new' : 'old'
}

function edgeOf(order: readonly Sample[], from: number, to: number, effect: number, side: Side): HostSpell['edge'] {
  const isAbove = (place: number): boolean | null => {
    const sample = order[place]
    // of a score nobody knows which way a slow host moves it
    if (sample === undefined || sample.row.measurement.better === null) return null
    if (!isClear(effect, noiseOf(sample.row.measurement))) return null
    return excess(sample.value, sample.row.measurement, side) > effect / 2
  }
  if (isAbove(from - 1) === true) return 'before'
  if (isAbove(to) === true) return 'after'
  if (isAbove(from) === false) return 'first'
  return isAbove(to - 1) === false ? 'last' : null
}

function isClear(effect: number, noise: number): boolean {
  return effect / 2 >= CLEAR_OF_NOISE * noise
}

/** A fraction of the median. */
function noiseOf(measurement: Measurement): number {
  const distances = (['old', 'new'] as const).flatMap((side) => {
    const middle = median(measurement[side])
    return measurement[side].map((value) => Math.abs(value / middle - 1))
  })
  return MAD_TO_SIGMA * median(distances)
}
