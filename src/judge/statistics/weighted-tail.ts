/**
 * The smallest of the values that has at most `tail` of the weight above it: with the weights of a distribution, its
 * quantile at `1 - tail`. Works from the top, so that what decides is a sum of few small weights and not the rounding of
 * a sum near 1. Values that differ by at most `tolerance` are one value.
 *
 * Three-way quickselect (Hoare's FIND with weights): linear on average. Reorders the first `count` of both arrays, of
 * which there is at least one.
 */
export function upperQuantile(
  values: Float64Array,
  weights: Float64Array,
  count: number,
  tail: number,
  tolerance: number,
): number {
  let first = 0
  let last = count - 1
  let weightAbove = 0
  while (first < last) {
    const pivot = middleOfThree(values[first]!, values[(first + last) >>> 1]!, values[last]!)
    let greater = first
    let next = first
    let less = last
    let greaterWeight = 0
    let equalWeight = 0
    while (next <= less) {
      const value = values[next]!
      const weight = weights[next]!
      if (value > pivot + tolerance) {
        values[next] = values[greater]!
        weights[next] = weights[greater]!
        values[greater] = value
        weights[greater] = weight
        greaterWeight += weight
        greater += 1
        next += 1
      } else if (value < pivot - tolerance) {
        values[next] = values[less]!
        weights[next] = weights[less]!
        values[less] = value
        weights[less] = weight
        less -= 1
      } else {
        equalWeight += weight
        next += 1
      }
    }
    if (weightAbove + greaterWeight > tail) {
      last = greater - 1
    } else if (weightAbove + greaterWeight + equalWeight > tail || next > last) {
      return pivot
    } else {
      weightAbove += greaterWeight + equalWeight
      first = next
    }
  }
  return values[first]!
}

function middleOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
