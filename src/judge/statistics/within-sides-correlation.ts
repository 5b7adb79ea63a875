/** Repetitions of one side as pairs of the two metrics. */
export interface PairedSamples {
  readonly x: readonly number[]
  readonly y: readonly number[]
}

export interface WithinSidesCorrelation {
  /** Spearman's coefficient, from -1 to 1. */
  readonly coefficient: number
  /** The standard deviation that it has where x and y have nothing to do with each other, given these ranks. */
  readonly chanceDeviation: number
}

/** Fewer pairs of a side have no order to speak of: it is left out. */
const LEAST_PAIRS = 3

/**
 * Spearman's rank correlation within the sides, pooled: x and y are ranked on each side for itself, the ranks are centred
 * there, and the products of all sides are summed. Source: Taylor, Kendall's and Spearman's correlation coefficients in the
 * presence of a blocking variable, Biometrics 43 (1987), 409-416; the side is the block.
 *
 * Within the sides, because everything that differs between the two builds is correlated with everything else that does:
 * over both sides at once each metric that moved would "explain" the time. Ranks, because one slow repetition in fourteen
 * would be most of a product of values. null where no side has three pairs, or x or y is the same in every repetition of
 * each. Values are finite, x and y of a side equally long.
 */
export function withinSidesCorrelation(sides: readonly PairedSamples[]): WithinSidesCorrelation | null {
  let products = 0
  let [squaresX, squaresY, variance] = [0, 0, 0]
  for (const { x, y } of sides) {
    if (x.length < LEAST_PAIRS) continue
    const [ranksX, ranksY] = [centredRanks(x), centredRanks(y)]
    const [ofX, ofY] = [sumOfProducts(ranksX, ranksX), sumOfProducts(ranksY, ranksY)]
    products += sumOfProducts(ranksX, ranksY)
    squaresX += ofX
    squaresY += ofY
    // The variance of the sum over all equally likely ways to pair the ranks of one side.
    variance += (ofX * ofY) / (x.length - 1)
  }
  const scale = Math.sqrt(squaresX * squaresY)
  if (scale === 0 || variance === 0) return null
  const coefficient = Math.max(-1, Math.min(1, products / scale))
  return { coefficient, chanceDeviation: Math.sqrt(variance) / scale }
}

/** Equal values share the middle of their ranks. */
function centredRanks(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).sort((a, b) => values[a]! - values[b]!)
  const ranks = new Array<number>(values.length)
  for (let from = 0; from < order.length; ) {
    let to = from + 1
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++
    for (let at = from; at < to; at++) ranks[order[at]!] = (from + to - 1) / 2 - (values.length - 1) / 2
    from = to
  }
  return ranks
}

function sumOfProducts(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0)
}
