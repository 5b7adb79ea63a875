import { BINS, binWidth, lowerEdge } from '../../../intake/measurement/bins.ts'

/** Halvings of [0, 1] down to the last bit of a share. */
const HALVINGS = 52

/** Weights in bins, to be counted up and then turned into a `Distribution`. One is used again and again. */
export class WeightedBins {
  readonly #weights = new Float64Array(BINS)
  #used: number[] = []

  /** `weight` is more than 0. */
  add(bin: number, weight: number): void {
    if (this.#weights[bin] === 0) this.#used.push(bin)
    this.#weights[bin]! += weight
  }

  /** The distribution of what was added since the last one; null: there is no weight. */
  take(isTruncated: boolean): Distribution | null {
    const bins = Uint16Array.from(this.#used).sort()
    const upTo = new Float64Array(bins.length)
    let sum = 0
    for (const [place, bin] of bins.entries()) {
      sum += this.#weights[bin]!
      upTo[place] = sum
      this.#weights[bin] = 0
    }
    this.#used = []
    return sum > 0
      ? new Distribution(
          bins,
          upTo.map((weight) => weight / sum),
          isTruncated,
        )
      : null
  }
}

/** Where a quantile lies: in a bin, and which part of the bin's weight is at or below it. */
export interface Place {
  readonly bin: number
  readonly part: number
  readonly value: number
}

/** A distribution over bins, with quantiles. */
export class Distribution {
  readonly #bins: Uint16Array
  /** The share up to and with each bin; the last is 1. */
  readonly #upTo: Float64Array
  /** A clock has cut off what was behind the unit: the value 3 is anything from 3 to 4. */
  readonly #isTruncated: boolean

  constructor(bins: Uint16Array, upTo: Float64Array, isTruncated: boolean) {
    this.#bins = bins
    this.#upTo = upTo
    this.#isTruncated = isTruncated
  }

  /** The first bin whose cumulative share exceeds `share`; a truncated time is interpolated within it. */
  place(share: number): Place {
    const upTo = this.#upTo
    let low = 0
    let high = upTo.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (upTo[middle]! > share + ROUNDING) high = middle
      else low = middle + 1
    }
    const bin = this.#bins[low]!
    if (!this.#isTruncated) return { bin, part: 1, value: lowerEdge(bin) }
    const before = low === 0 ? 0 : upTo[low - 1]!
    const part = Math.min(1, Math.max(0, (share - before) / (upTo[low]! - before)))
    return { bin, part, value: lowerEdge(bin) + part * binWidth(bin) }
  }

  quantile(share: number): number {
    return this.place(share).value
  }

  /** The mean of the values as they were logged; of a wide bin its middle. */
  mean(): number {
    let mean = 0
    for (const [place, bin] of this.#bins.entries()) {
      const share = this.#upTo[place]! - (place === 0 ? 0 : this.#upTo[place - 1]!)
      mean += share * (lowerEdge(bin) + (binWidth(bin) - 1) / 2)
    }
    return mean
  }

  /** How far the quantiles that lie `width` apart around `share` are from each other. */
  spread(share: number, width: number): number {
    return this.quantile(Math.min(1, share + width / 2)) - this.quantile(Math.max(0, share - width / 2))
  }

  /** The smallest width whose spread is at least so large; 1 where none is. */
  widthOf(share: number, spread: number): number {
    if (spread <= 0) return 0
    const least = spread * (1 - ROUNDING)
    let low = 0
    let high = 1
    for (let i = 0; i < HALVINGS; i += 1) {
      const middle = (low + high) / 2
      if (this.spread(share, middle) >= least) high = middle
      else low = middle
    }
    return high
  }
}

/** Shares are sums of thousands of weights. */
const ROUNDING = 1e-12
