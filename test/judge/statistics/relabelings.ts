/** Every way to split the pooled samples into a group of `n` and the rest. For small pools: there are C(N, n) of them. */
export function* relabelings(pooled: readonly number[], n: number): Generator<readonly [number[], number[]]> {
  const chosen = Array.from({ length: n }, (_, index) => index)
  while (true) {
    const group: number[] = []
    const rest: number[] = []
    for (let index = 0; index < pooled.length; index++) {
      if (chosen[group.length] === index) group.push(pooled[index]!)
      else rest.push(pooled[index]!)
    }
    yield [group, rest]
    // The next combination in lexicographic order.
    let moved = n - 1
    while (moved >= 0 && chosen[moved] === pooled.length - n + moved) moved -= 1
    if (moved < 0) return
    const from = chosen[moved]! + 1
    for (let index = moved; index < n; index++) chosen[index] = from + index - moved
  }
}

/** As the definition says it. */
export function upperMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}

/** C(n, k), exactly. */
export function choose(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n
  let result = 1n
  for (let i = 1; i <= k; i++) result = (result * BigInt(n - k + i)) / BigInt(i)
  return result
}

/** The nearest number to a fraction of two large integers, to about 1e-15. */
export function ratio(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0
  const shift = denominator.toString(2).length - numerator.toString(2).length + 64
  if (shift <= 0) return Number(numerator / denominator)
  return Number((numerator << BigInt(shift)) / denominator) * 2 ** -shift
}
