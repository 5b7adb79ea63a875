/** Beyond it whole numbers are no longer exact. */
const LARGEST_COUNT = Number.MAX_SAFE_INTEGER

/** The stack and the count of a line of folded stacks; null where it is none. */
export function splitLine(line: string): { readonly stack: string; readonly count: number } | null {
  let end = line.length
  while (end > 0 && isSpace(line.charCodeAt(end - 1))) end -= 1
  let start = end
  let points = 0
  for (; start > 0; start -= 1) {
    const code = line.charCodeAt(start - 1)
    if (code === 0x2e) points += 1
    else if (code < 0x30 || code > 0x39) break
  }
  // an empty count, one without digits before its point, one that belongs to a name such as `read_v2`
  if (start === end || points > 1 || line.charCodeAt(start) === 0x2e) return null
  if (start === 0 || !isSpace(line.charCodeAt(start - 1))) return null
  // one space only: what is before it belongs to the last frame, as for difffolded.pl
  const stack = line.slice(0, start - 1)
  const count = Number(line.slice(start, end))
  return count <= LARGEST_COUNT && stack.trim() !== '' ? { stack, count } : null
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d
}
