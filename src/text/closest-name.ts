/** Longer names are not compared: nobody mistypes a name of that length, and the time stays small. */
const LONGEST_NAME = 64

/**
 * The known name that was probably meant: the same letters in another spelling (`lookback-days`), else the nearest by
 * edit distance when at most a third of it differs. null when nothing is near.
 */
export function closestName(name: string, known: readonly string[]): string | null {
  if (name.length > LONGEST_NAME) return null
  const plain = plainSpelling(name)
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const wanted = plainSpelling(candidate)
    const distance = editDistance(plain, wanted)
    if (distance < least && distance <= wanted.length / 3) {
      best = candidate
      least = distance
    }
  }
  return best
}

function plainSpelling(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** Levenshtein's distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
