/**
 * Whether a member's path fits a simple pattern: `*` and `?` within a part of the path, `**` for any number of parts.
 * A pattern without `/` looks at the last part alone. Takes time linear in the product of both lengths at worst.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const parts = path.split('/')
  if (!pattern.includes('/')) return matchesPart(pattern, parts.at(-1)!)
  const wanted = pattern.replace(/^\.?\//, '').split('/')
  // reachable[i]: the parts of the pattern so far can stand for the first i parts of the path
  let reachable = new Array<boolean>(parts.length + 1).fill(false)
  reachable[0] = true
  for (const part of wanted) {
    const next = new Array<boolean>(parts.length + 1).fill(false)
    if (part === '**') {
      let any = false
      for (let i = 0; i <= parts.length; i += 1) {
        any ||= reachable[i]!
        next[i] = any
      }
    } else {
      for (let i = 0; i < parts.length; i += 1) next[i + 1] = reachable[i]! && matchesPart(part, parts[i]!)
    }
    reachable = next
  }
  return reachable[parts.length]!
}

/** The usual two-pointer match: on a mismatch the last `*` takes one more character. */
function matchesPart(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  let star = -1
  let starText = 0
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p
      starText = t
      p += 1
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p += 1
      t += 1
    } else if (star !== -1) {
      p = star + 1
      starText += 1
      t = starText
    } else {
      return false
    }
  }
  while (pattern[p] === '*') p += 1
  return p === pattern.length
}
