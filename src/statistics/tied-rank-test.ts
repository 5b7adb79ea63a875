/**
 * The largest product of the two counts for which ties are counted exactly: 64 + 64 samples, below 20 ms a query in the
 * worst case. There is nothing to share between queries: each pattern of ties has its own distribution.
 */
const LARGEST_PRODUCT = 4096

/** Whether ties are counted exactly for these counts. */
export function countsTiesExactly(n: number, m: number): boolean {
  return n * m <= LARGEST_PRODUCT
}

let table = new Float64Array(1024)

/**
 * `P(|U - nm/2| >= distance / 2)` over all ways to choose `n` of the pooled samples, ties counted exactly: each pair of
 * equal samples adds one half to U. `doubledDistance` is `|2U - nm|` as measured; `ties` holds the sizes of the groups of
 * equal samples in ascending order of their value, `groups` says how many there are.
 *
 * Goes through the groups and keeps, for every number `c` of samples chosen so far, how many choices give each value of
 * 2U: `x` more of a group of `t` can be chosen in `C(t, x)` ways, and each of them is above the `placed - c` samples not
 * chosen so far and ties with the `t - x` of its own group that are not. All terms are positive; below 2^53 choices the
 * counts are exact integers. About `n² m²` additions.
 */
export function tiedRankPValue(
  n: number,
  m: number,
  ties: Uint32Array,
  groups: number,
  doubledDistance: number,
): number {
  // U is symmetric in the two sides; the table has a row for each number of chosen samples.
  const [few, many] = n < m ? [n, m] : [m, n]
  const width = 2 * few * many + 1
  const size = (few + 1) * width
  if (table.length < size) table = new Float64Array(size)
  else table.fill(0, 0, size)
  table[0] = 1

  let placed = 0
  for (let group = 0; group < groups; group++) {
    const tied = ties[group]!
    const most = Math.min(few, placed + tied)
    const least = Math.max(0, placed + tied - many)
    // Downwards, so that a row is read before this group changes it.
    for (let chosen = most; chosen >= least; chosen--) addGroup(table, width, placed, tied, chosen)
    placed += tied
  }

  const last = few * width
  const product = few * many
  let total = 0
  let beyond = 0
  for (let doubled = 0; doubled < width; doubled++) {
    const count = table[last + doubled]!
    total += count
    if (Math.abs(doubled - product) >= doubledDistance) beyond += count
  }
  return beyond / total
}

/**
 * All ways to come to `chosen` samples by choosing at least one of the group; with none the row stays as it is. Where more
 * were chosen before than were placed, `last` is negative and nothing is added.
 */
function addGroup(table: Float64Array, width: number, placed: number, size: number, chosen: number): void {
  let ways = 1
  for (let x = 1; x <= Math.min(size, chosen); x++) {
    ways = (ways * (size - x + 1)) / x
    const before = chosen - x
    const others = placed - before
    const source = before * width
    const target = chosen * width + 2 * x * others + x * (size - x)
    const last = 2 * before * others
    for (let doubled = 0; doubled <= last; doubled++) table[target + doubled]! += ways * table[source + doubled]!
  }
}
