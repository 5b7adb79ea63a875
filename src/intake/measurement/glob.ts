/**
 * A pattern of paths, read once and matched many times: `*` and `?` within a part of the path, `**` for any number of
 * parts. A pattern without `/` looks at the last part alone.
 */
export interface Glob {
  readonly parts: readonly string[]
  readonly isOfLastPart: boolean
}

/** The work that matching took, in comparisons, so that who matches much can stop. */
export interface Effort {
  steps: number
}

export function compileGlob(pattern: string): Glob {
  if (!pattern.includes('/')) return { parts: [pattern], isOfLastPart: true }
  return { parts: pattern.replace(/^\.?\//, '').split('/'), isOfLastPart: false }
}

/** `path`: its parts. Takes time linear in the product of both lengths at worst, and adds it to `effort`. */
export function matchesGlob(
  { parts, isOfLastPart }: Glob,
  path: readonly string[],
  effort: Effort = { steps: 0 },
): boolean {
  const matchesPart = (wanted: string, given: string): boolean => {
    const last = wanted.at(-1)
    if (last !== '*' && last !== '?' && last !== given.at(-1)) return false
    return matchesAll(wanted, given, '*', (a, b) => a === '?' || a === b, effort)
  }
  if (isOfLastPart) return matchesPart(parts[0]!, path.at(-1)!)
  return matchesAll(parts, path, '**', matchesPart, effort)
}

/** The usual two-pointer match, of parts or of characters: on a mismatch the last `star` takes one more of them. */
function matchesAll(
  pattern: ArrayLike<string>,
  text: ArrayLike<string>,
  star: string,
  matchesOne: (wanted: string, given: string) => boolean,
  effort: Effort,
): boolean {
  let p = 0
  let t = 0
  let starAt = -1
  let starEnd = 0
  while (t < text.length) {
    effort.steps += 1
    if (p < pattern.length && pattern[p] === star) {
      starAt = p
      starEnd = t
      p += 1
    } else if (p < pattern.length && matchesOne(pattern[p]!, text[t]!)) {
      p += 1
      t += 1
    } else if (starAt !== -1) {
      p = starAt + 1
      starEnd += 1
      t = starEnd
    } else {
      return false
    }
  }
  while (pattern[p] === star) p += 1
  return p === pattern.length
}
