import { BAD } from '../../../intake/measurement/bins.ts'
import type { Executions } from '../../../intake/measurement/executions.ts'
import {
  BLOCK_LENGTHS,
  type Blocks,
  type Group,
  type GroupColumns,
  type SideCounts,
  Sides,
  type WeightedCell,
} from './blocks.ts'
import { type Distribution, type Place, WeightedBins } from './distribution.ts'
import { type SignFlips, signFlips } from './sign-flips.ts'

/**
 * Two variants of a service under live traffic: hundreds of thousands of executions that depend on each other, under load that
 * changes. Executions are not exchangeable; blocks of time are. `docs/query-log.md` says what each number means.
 */

/** Effective blocks from which there is a threshold, and from which longer blocks are heard, too. */
const LEAST_BLOCKS = 8
const LEAST_LONGER_BLOCKS = 10
/** The difference from which the ranges of the sides' block medians are looked at. */
const FAR_APART = 0.5
/** Minutes: in less a slow drift of one side looks like a difference in 3 to 18 of 100 logs. */
const SHORT_RUN = 6 * 60
/** Times the variance of the shortest blocks. */
const DRIFT_RATIO = 2
/** The difference of two differences from which the mix is said to have shifted, beside the threshold. */
const MIX_SHIFT = 0.05
/** The crude difference, and the share of a group in the old side, from which a paradox is one. */
const SIMPSON_DIFFERENCE = 0.01
const SIMPSON_SHARE = 0.01

/** Facts about a comparison that a reader should know. Closed list. */
export type TrafficEvidence =
  /** The log spans less than six hours. */
  | 'short-run'
  /** Long blocks differ more from each other than short ones do: the load drifts. */
  | 'drift'
  /** The mix of groups or hours differs between the sides, and the crude medians with it. */
  | 'mix-shift'
  /** The crude medians point one way, and every group the other. */
  | 'simpson'

/** A quantile of both sides at equal mix and load. */
export interface QuantileComparison {
  readonly old: number
  readonly new: number
  /** A fraction of the old value; null where that is 0 and the new one is not. */
  readonly difference: number | null
  /** What the difference reaches in 1% of relabelings if nothing changed; null: there are too few blocks, or no old value. */
  readonly threshold: number | null
}

/** What all executions say, whenever and in whichever group they ran. Shown, never tested. */
export interface CrudeValues {
  readonly oldMedian: number
  readonly newMedian: number
  readonly oldMean: number
  readonly newMean: number
  /** Of the medians. */
  readonly difference: number | null
}

export interface SidesComparison {
  readonly counts: SideCounts
  /** Minutes since 1970. */
  readonly first: number
  readonly last: number
  readonly crude: CrudeValues | null
  /** Null: the sides never ran within the same hour. */
  readonly compared: ComparedSides | null
}

export interface ComparedSides {
  readonly median: QuantileComparison
  readonly p95: QuantileComparison
  readonly p99: QuantileComparison
  /** The largest probability, over the lengths of blocks, of a difference as large as this if nothing changed. */
  readonly pValue: number | null
  /** Both sides are far apart, and the ranges of their block medians do not overlap. */
  readonly separated: boolean
  /** Minutes of the shortest block. */
  readonly blockMinutes: number
  readonly blocks: number
  readonly effectiveBlocks: number
  readonly coverage: SideCounts
  readonly evidence: readonly TrafficEvidence[]
}

export interface Comparison {
  readonly executions: Executions
  /** The groups whose mix is kept equal; one for a comparison within a group. */
  readonly groups: readonly Group[]
  readonly metric: string
  /** The metric is a time that a clock has truncated to its unit. */
  readonly isTruncated: boolean
  /** The difference within each group, in their order; null: there is none. Empty for a comparison within a group. */
  readonly groupDifferences: readonly (number | null)[]
}

/** Compares two sides; what is used again and again is made once. */
export class SidesComparer {
  readonly #old = new WeightedBins()
  readonly #new = new WeightedBins()
  readonly #both = new WeightedBins()
  readonly #known = new WeakMap<Group, GroupColumns & { metric: string | null }>()

  compare(comparison: Comparison): SidesComparison {
    const { executions, groups, metric, isTruncated } = comparison
    const sides = new Sides(groups.map((group) => this.#columns(executions, group, metric)))
    const { counts, first, last } = sides
    const crude = this.#crude(sides, isTruncated)
    const blocks = counts.old === 0 || counts.new === 0 ? null : sides.blocks()
    if (blocks === null) return { counts, first, last, crude, compared: null }
    return { counts, first, last, crude, compared: this.#compared(comparison, sides, blocks, crude!) }
  }

  /** The columns of a group, which stay for its next metric; the group is compared alone and with all others. */
  #columns(executions: Executions, group: Group, metric: string): GroupColumns {
    const { rows } = group
    let known = this.#known.get(group)
    if (known === undefined) {
      const minutes = new Uint32Array(rows.length)
      const areNew = new Uint8Array(rows.length)
      for (let place = 0; place < rows.length; place += 1) {
        minutes[place] = executions.minute(rows[place]!)
        areNew[place] = executions.variant(rows[place]!) === 0 ? 0 : 1
      }
      known = { minutes, areNew, bins: new Uint16Array(rows.length), metric: null }
      this.#known.set(group, known)
    }
    if (known.metric === metric) return known
    const bins = executions.bins(metric)
    for (let place = 0; place < rows.length; place += 1) known.bins[place] = bins(rows[place]!)
    known.metric = metric
    return known
  }

  #crude(sides: Sides, isTruncated: boolean): CrudeValues | null {
    for (const { areNew, bins } of sides.groups) {
      for (let place = 0; place < bins.length; place += 1) {
        const bin = bins[place]!
        if (bin !== BAD) (areNew[place] === 1 ? this.#new : this.#old).add(bin, 1)
      }
    }
    const old = this.#old.take(isTruncated)
    const fresh = this.#new.take(isTruncated)
    if (old === null || fresh === null) return null
    const [oldMedian, newMedian] = [old.quantile(0.5), fresh.quantile(0.5)]
    const difference = relative(oldMedian, newMedian)
    return { oldMedian, newMedian, oldMean: old.mean(), newMean: fresh.mean(), difference }
  }

  #compared(comparison: Comparison, sides: Sides, blocks: Blocks, crude: CrudeValues): ComparedSides {
    const values = new BlockValues(sides, blocks)
    const distributions = this.#distributions(values, comparison.isTruncated)
    const lengths = new BlockLengths(blocks)
    const isEnough = lengths.effective(blocks.length) >= LEAST_BLOCKS
    const quantile = (share: number) => quantileOf(share, distributions, values, isEnough ? lengths : null)
    const { comparison: median, pValue, deltas } = quantile(0.5)
    const { difference } = median
    const isFar = difference !== null && Math.abs(difference) >= FAR_APART && isEnough
    return {
      median,
      p95: quantile(0.95).comparison,
      p99: quantile(0.99).comparison,
      pValue,
      separated: isFar && this.#areSeparated(values, lengths.longest(LEAST_BLOCKS)),
      blockMinutes: blocks.length,
      blocks: lengths.count(blocks.length),
      effectiveBlocks: lengths.effective(blocks.length),
      coverage: blocks.coverage,
      evidence: evidenceOf(comparison, sides, { median, crude, lengths, deltas }),
    }
  }

  /** The ranges of the two sides' block medians do not overlap, in blocks of so many minutes. */
  #areSeparated(values: BlockValues, length: number): boolean {
    const medians = values.cellsOfBlocks(length).map((cells) => {
      for (const cell of cells) values.addTo(cell, this.#old, this.#new)
      return [this.#old.take(false)!.quantile(0.5), this.#new.take(false)!.quantile(0.5)] as const
    })
    return areApart(
      medians.map(([old]) => old),
      medians.map(([, fresh]) => fresh),
    )
  }

  #distributions(values: BlockValues, isTruncated: boolean): Distributions {
    for (const cell of values.cells) {
      values.addTo(cell, this.#old, this.#new)
      values.addTo(cell, this.#both, this.#both)
    }
    // both sides weigh the same, so that the distribution of all is the mean of the two
    return {
      old: this.#old.take(isTruncated)!,
      new: this.#new.take(isTruncated)!,
      pooled: this.#both.take(isTruncated)!,
    }
  }
}

interface Distributions {
  readonly old: Distribution
  readonly new: Distribution
  readonly pooled: Distribution
}

/** The values of a metric with the weights of their cells. */
class BlockValues {
  readonly #groups: readonly GroupColumns[]
  readonly #length: number
  readonly cells: Blocks['cells']

  constructor({ groups }: Sides, { cells, length }: Blocks) {
    this.#groups = groups
    this.cells = cells
    this.#length = length
  }

  /** Adds the values of a cell by their weights. */
  addTo({ group, from, to, oldWeight, newWeight }: WeightedCell, old: WeightedBins, fresh: WeightedBins): void {
    const { areNew, bins } = this.#groups[group]!
    for (let place = from; place < to; place += 1) {
      const bin = bins[place]!
      if (bin === BAD) continue
      if (areNew[place] === 1) fresh.add(bin, newWeight)
      else old.add(bin, oldWeight)
    }
  }

  /** For each block the weight of old values at or below a place minus that of new ones. */
  deltas({ bin: at, part }: Place): ReadonlyMap<number, number> {
    const deltas = new Map<number, number>()
    for (const { group, block, from, to, oldWeight, newWeight } of this.cells) {
      const { areNew, bins } = this.#groups[group]!
      let [below, newBelow, equal, newEqual] = [0, 0, 0, 0]
      // `BAD` is above every bin
      for (let place = from; place < to; place += 1) {
        const bin = bins[place]!
        if (bin > at) continue
        if (bin < at) {
          below += 1
          newBelow += areNew[place]!
        } else {
          equal += 1
          newEqual += areNew[place]!
        }
      }
      const old = below - newBelow + part * (equal - newEqual)
      const delta = oldWeight * old - newWeight * (newBelow + part * newEqual)
      deltas.set(block, (deltas.get(block) ?? 0) + delta)
    }
    return deltas
  }

  /** The cells of each block of so many minutes. */
  cellsOfBlocks(length: number): readonly (readonly WeightedCell[])[] {
    return [...Map.groupBy(this.cells, ({ block }) => Math.floor((block * this.#length) / length)).values()]
  }
}

function areApart(old: readonly number[], fresh: readonly number[]): boolean {
  const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b))
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b))
  return least(fresh) > most(old) || most(fresh) < least(old)
}

/** The weights of blocks, at the shortest length and at its multiples. */
class BlockLengths {
  readonly #shortest: number
  readonly #shares = new Map<number, ReadonlyMap<number, number>>()

  constructor({ cells, length }: Blocks) {
    this.#shortest = length
    const shares = new Map<number, number>()
    for (const { block, old, oldWeight } of cells) shares.set(block, (shares.get(block) ?? 0) + old * oldWeight)
    for (const longer of BLOCK_LENGTHS) if (longer % length === 0) this.#shares.set(longer, this.sums(shares, longer))
  }

  /** Values of the shortest blocks as sums over blocks of so many minutes. */
  sums(values: ReadonlyMap<number, number>, length: number): ReadonlyMap<number, number> {
    const sums = new Map<number, number>()
    for (const [block, value] of values) {
      const key = Math.floor((block * this.#shortest) / length)
      sums.set(key, (sums.get(key) ?? 0) + value)
    }
    return sums
  }

  shares(length: number): ReadonlyMap<number, number> {
    return this.#shares.get(length)!
  }

  count(length: number): number {
    return this.shares(length).size
  }

  /** As many blocks of equal weight would say as much. */
  effective(length: number): number {
    let squares = 0
    for (const share of this.shares(length).values()) squares += share * share
    return 1 / squares
  }

  /** The shortest, and those of which there are enough. */
  tested(): readonly number[] {
    return [...this.#shares.keys()].filter(
      (length) => length === this.#shortest || this.effective(length) >= LEAST_LONGER_BLOCKS - ROUNDING,
    )
  }

  /** The longest of which there are so many. */
  longest(blocks: number): number {
    return [...this.#shares.keys()].filter((length) => this.effective(length) >= blocks - ROUNDING).at(-1)!
  }
}

/** Ten blocks of equal weight are ten, however their weights were rounded. */
const ROUNDING = 1e-9

interface QuantileResult {
  readonly comparison: QuantileComparison
  readonly pValue: number | null
  readonly deltas: ReadonlyMap<number, number>
}

function quantileOf(
  share: number,
  { old: oldSide, new: newSide, pooled }: Distributions,
  values: BlockValues,
  lengths: BlockLengths | null,
): QuantileResult {
  const old = oldSide.quantile(share)
  const fresh = newSide.quantile(share)
  const difference = relative(old, fresh)
  const deltas = values.deltas(pooled.place(share))
  if (lengths === null) return { comparison: { old, new: fresh, difference, threshold: null }, pValue: null, deltas }
  const flips = lengths.tested().map((length) => signFlips([...lengths.sums(deltas, length).values()]))
  const widest = Math.min(
    1,
    largest(flips, ({ reachedByOnePercent }) => reachedByOnePercent),
  )
  const spread = pooled.spread(share, widest)
  const threshold = spread === 0 ? 0 : old === 0 ? null : spread / old
  const observed = pooled.widthOf(share, Math.abs(fresh - old))
  const pValue = largest(flips, (one) => one.probabilityOf(observed))
  return { comparison: { old, new: fresh, difference, threshold }, pValue, deltas }
}

function largest(flips: readonly SignFlips[], value: (one: SignFlips) => number): number {
  return flips.reduce((most, one) => Math.max(most, value(one)), 0)
}

/** The difference as a fraction of the old value; null: that is 0, and the new one is not. */
function relative(old: number, fresh: number): number | null {
  if (old === fresh) return 0
  return old === 0 ? null : (fresh - old) / old
}

interface Found {
  readonly median: QuantileComparison
  readonly crude: CrudeValues
  readonly lengths: BlockLengths
  readonly deltas: ReadonlyMap<number, number>
}

function evidenceOf(
  { groupDifferences }: Comparison,
  sides: Sides,
  { median, crude, lengths, deltas }: Found,
): readonly TrafficEvidence[] {
  const { difference, threshold } = median
  const evidence: TrafficEvidence[] = []
  if (sides.last + 1 - sides.first < SHORT_RUN) evidence.push('short-run')
  if (drifts(lengths, deltas)) evidence.push('drift')
  const shift = Math.abs((crude.difference ?? 0) - (difference ?? 0))
  if (crude.difference !== null && difference !== null && shift >= Math.max(threshold ?? 0, MIX_SHIFT)) {
    evidence.push('mix-shift')
  }
  if (isParadox(sides, crude, groupDifferences)) evidence.push('simpson')
  return evidence
}

/** Variances are around what each block has of the whole difference: a difference alone is no drift. */
function drifts(lengths: BlockLengths, deltas: ReadonlyMap<number, number>): boolean {
  let whole = 0
  for (const delta of deltas.values()) whole += delta
  const variances = lengths.tested().map((length) => {
    let sum = 0
    const shares = lengths.shares(length)
    for (const [block, delta] of lengths.sums(deltas, length)) sum += (delta - shares.get(block)! * whole) ** 2
    // fewer blocks lie nearer to their own mean
    return sum / (1 - 1 / lengths.effective(length))
  })
  const [shortest = 0, ...longer] = variances
  return shortest > 0 && longer.some((variance) => variance >= DRIFT_RATIO * shortest)
}

function isParadox(sides: Sides, { difference }: CrudeValues, groups: readonly (number | null)[]): boolean {
  if (difference === null || Math.abs(difference) < SIMPSON_DIFFERENCE || groups.length < 2) return false
  const large = groups.filter((_, group) => sides.oldShare(group) >= SIMPSON_SHARE)
  return large.length > 0 && large.every((one) => one !== null && Math.sign(one) === -Math.sign(difference))
}
