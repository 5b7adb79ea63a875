import { BAD } from '../../../intake/measurement/bins.ts'

/** Lengths of blocks in minutes. None is longer than an hour, so that the time of day decides nothing. */
export const BLOCK_LENGTHS = [1, 2, 5, 10, 15, 30, 60] as const

/** The share of each side's executions that is to lie where both sides ran, and the one below which nothing is compared. */
const WANTED_COVERAGE = 0.9
const LEAST_COVERAGE = 0.5

/** The rows of a group, in the order of time: those of the first variant, which are old, and of another, which are new. */
export interface Group {
  readonly rows: Uint32Array
}

/** The executions of a group in one block of time. */
interface Cell {
  readonly group: number
  readonly block: number
  /** Positions in the rows of the group. */
  readonly from: number
  readonly to: number
  readonly old: number
  readonly new: number
}

/** A cell that has both sides, with what an execution of each weighs in it. */
export interface WeightedCell extends Cell {
  readonly oldWeight: number
  readonly newWeight: number
}

export interface Blocks {
  /** Minutes. */
  readonly length: number
  /** The share of each side's executions that lie in cells with both sides. */
  readonly coverage: { readonly old: number; readonly new: number }
  /** The weights of each side sum to 1. */
  readonly cells: readonly WeightedCell[]
}

/** The executions of each side, those without a value left out. */
export interface SideCounts {
  readonly old: number
  readonly new: number
}

/** The rows of a group in columns, so that what looks at all of them looks at memory in its order. */
export interface GroupColumns {
  readonly minutes: Uint32Array
  /** 1: an execution of the new side. */
  readonly areNew: Uint8Array
  /** Of one metric; `BAD` where a row has no value. */
  readonly bins: Uint16Array
}

/** The rows of a unit that have a value of one metric. */
export class Sides {
  readonly groups: readonly GroupColumns[]
  readonly counts: SideCounts
  /** Minutes since 1970 of the first and the last execution. */
  readonly first: number
  readonly last: number
  readonly #oldOfGroups: readonly number[]

  constructor(groups: readonly GroupColumns[]) {
    this.groups = groups
    let [old, fresh] = [0, 0]
    let first = Number.POSITIVE_INFINITY
    let last = Number.NEGATIVE_INFINITY
    this.#oldOfGroups = groups.map(({ minutes, areNew, bins }) => {
      const before = old
      for (let place = 0; place < bins.length; place += 1) {
        if (bins[place] === BAD) continue
        if (areNew[place] === 1) fresh += 1
        else old += 1
        const minute = minutes[place]!
        if (minute < first) first = minute
        if (minute > last) last = minute
      }
      return old - before
    })
    this.counts = { old, new: fresh }
    this.first = first
    this.last = last
  }

  /** The share of a group in the old side's executions. */
  oldShare(group: number): number {
    return this.#oldOfGroups[group]! / this.counts.old
  }

  /**
   * The shortest blocks in which enough of both sides ran side by side, else those in which most did; null: the sides never
   * ran within the same hour.
   */
  blocks(): Blocks | null {
    let best: { readonly length: number; readonly cells: readonly Cell[]; readonly covered: SideCounts } | null = null
    let bestShare = 0
    for (const length of BLOCK_LENGTHS) {
      const cells = this.groups.flatMap((columns, group) => cellsOf(columns, group, length))
      const covered = coveredOf(cells)
      const share = Math.min(covered.old / this.counts.old, covered.new / this.counts.new)
      if (share <= bestShare) continue
      best = { length, cells, covered }
      bestShare = share
      if (share >= WANTED_COVERAGE) break
    }
    if (best === null || bestShare < LEAST_COVERAGE) return null
    const { old, new: fresh } = best.covered
    const coverage = { old: old / this.counts.old, new: fresh / this.counts.new }
    return { length: best.length, coverage, cells: weighted(best.cells, this.groups.length) }
  }
}

function cellsOf({ minutes, areNew, bins }: GroupColumns, group: number, length: number): readonly Cell[] {
  const cells: Cell[] = []
  let from = 0
  while (from < minutes.length) {
    const block = Math.floor(minutes[from]! / length)
    const end = (block + 1) * length
    let [old, fresh] = [0, 0]
    let to = from
    while (to < minutes.length && minutes[to]! < end) {
      if (bins[to] !== BAD) {
        if (areNew[to] === 1) fresh += 1
        else old += 1
      }
      to += 1
    }
    cells.push({ group, block, from, to, old, new: fresh })
    from = to
  }
  return cells
}

function coveredOf(cells: readonly Cell[]): SideCounts {
  const covered = { old: 0, new: 0 }
  for (const cell of cells) {
    if (cell.old === 0 || cell.new === 0) continue
    covered.old += cell.old
    covered.new += cell.new
  }
  return covered
}

/**
 * In a cell with `n` old and `k` new executions each old one weighs `k / (n + k)` and each new one `n / (n + k)`, so that both
 * sides weigh the same there. Within a group that sums to the old side's share of it: the mix of groups is equal.
 */
function weighted(cells: readonly Cell[], groups: number): readonly WeightedCell[] {
  const overlap = new Float64Array(groups)
  const old = new Float64Array(groups)
  for (const cell of cells) {
    overlap[cell.group]! += overlapOf(cell)
    old[cell.group]! += cell.old
  }
  // a group whose sides never met says nothing
  const compared = old.map((count, group) => (overlap[group]! > 0 ? count : 0))
  const all = compared.reduce((sum, count) => sum + count, 0)
  return cells
    .filter((cell) => overlapOf(cell) > 0)
    .map((cell) => {
      const scale = compared[cell.group]! / all / overlap[cell.group]!
      const both = cell.old + cell.new
      return { ...cell, oldWeight: (scale * cell.new) / both, newWeight: (scale * cell.old) / both }
    })
}

function overlapOf({ old, new: fresh }: SideCounts): number {
  return old === 0 || fresh === 0 ? 0 : (old * fresh) / (old + fresh)
}
