import { BAD } from './bins.ts'
import type { Executions } from './executions.ts'

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

/** The rows of a unit that have a value of one metric. */
export class Sides {
  readonly #executions: Executions
  readonly #bins: (row: number) => number
  readonly groups: readonly Group[]
  readonly counts: SideCounts
  /** Minutes since 1970 of the first and the last execution. */
  readonly first: number
  readonly last: number

  constructor(executions: Executions, groups: readonly Group[], bins: (row: number) => number) {
    this.#executions = executions
    this.#bins = bins
    this.groups = groups
    const counts = { old: 0, new: 0 }
    let first = Number.POSITIVE_INFINITY
    let last = Number.NEGATIVE_INFINITY
    for (const { rows } of groups) {
      for (const row of rows) {
        if (bins(row) === BAD) continue
        counts[this.isNew(row) ? 'new' : 'old'] += 1
        const minute = executions.minute(row)
        if (minute < first) first = minute
        if (minute > last) last = minute
      }
    }
    this.counts = counts
    this.first = first
    this.last = last
  }

  /** The share of a group in the old side's executions. */
  oldShare(group: number): number {
    let old = 0
    for (const row of this.groups[group]!.rows) if (this.#bins(row) !== BAD && !this.isNew(row)) old += 1
    return old / this.counts.old
  }

  isNew(row: number): boolean {
    return this.#executions.variant(row) !== 0
  }

  /**
   * The shortest blocks in which enough of both sides ran side by side, else those in which most did; null: the sides never
   * ran within the same hour.
   */
  blocks(): Blocks | null {
    let best: { readonly length: number; readonly cells: readonly Cell[]; readonly covered: SideCounts } | null = null
    let bestShare = 0
    for (const length of BLOCK_LENGTHS) {
      const cells = this.#cells(length)
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

  #cells(length: number): readonly Cell[] {
    const cells: Cell[] = []
    for (const [group, { rows }] of this.groups.entries()) {
      let from = 0
      while (from < rows.length) {
        const block = this.#blockAt(rows, from, length)
        const counts = { old: 0, new: 0 }
        let to = from
        while (to < rows.length && this.#blockAt(rows, to, length) === block) {
          const row = rows[to]!
          if (this.#bins(row) !== BAD) counts[this.isNew(row) ? 'new' : 'old'] += 1
          to += 1
        }
        cells.push({ group, block, from, to, ...counts })
        from = to
      }
    }
    return cells
  }

  #blockAt(rows: Uint32Array, place: number, length: number): number {
    return Math.floor(this.#executions.minute(rows[place]!) / length)
  }
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
