/**
 * The q-value of each p-value, in the order given: the smallest false discovery rate at which it would be among the
 * discoveries, `min over all larger or equal p of p * count / rank`, at most 1. Source: Benjamini and Hochberg,
 * Controlling the False Discovery Rate, J. R. Statist. Soc. B 57 (1995); as adjusted values Yekutieli and Benjamini (1999).
 */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const count = pValues.length
  const order = Uint32Array.from(pValues, (_, index) => index).sort((a, b) => pValues[a]! - pValues[b]!)
  const qValues = new Array<number>(count).fill(1)
  let smallest = 1
  for (let rank = count; rank >= 1; rank--) {
    const index = order[rank - 1]!
    smallest = Math.min(smallest, (pValues[index]! * count) / rank)
    qValues[index] = smallest
  }
  return qValues
}
