/** The exact test takes 2,000 samples a side; no benchmark needs them. */
export const MOST_RANKED = 999

/**
 * The places of at most so many of the values that stand evenly in the order of size, the smallest, the upper median and the largest among
 * them, in the order in which they are. `most` is odd.
 */
export function evenlyRanked(values: readonly number[], most: number): readonly number[] {
  const all = values.map((_, index) => index)
  if (values.length <= most) return all
  const bySize = all.sort((a, b) => values[a]! - values[b]!)
  // the middle place is that of the upper median, which is a measured value
  const half = (most - 1) / 2
  const middle = Math.floor(values.length / 2)
  const places = Array.from({ length: most }, (_, place) =>
    place <= half
      ? Math.round((place * middle) / half)
      : middle + Math.round(((place - half) * (values.length - 1 - middle)) / half),
  )
  return places.map((place) => bySize[place]!).sort((a, b) => a - b)
}
