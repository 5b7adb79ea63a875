/**
 * The name of the root element of a document that begins like this; null when it is not reached. One pass: a hostile
 * beginning costs no more than its length.
 */
export function xmlRoot(head: string): string | null {
  let at = 0
  for (;;) {
    at = head.indexOf('<', at)
    if (at === -1) return null
    let end: number
    if (head.startsWith('<!--', at)) end = head.indexOf('-->', at + 4)
    else if (head.startsWith('<?', at)) end = head.indexOf('?>', at + 2)
    else if (head.startsWith('<!', at)) end = endOfDoctype(head, at)
    else return /^[^\s<>/=]{1,200}/.exec(head.slice(at + 1, at + 201))?.[0] ?? null
    if (end === -1) return null
    at = end + 1
  }
}

/** Its internal subset stands in brackets. -1: not in what there is. */
function endOfDoctype(head: string, start: number): number {
  const bracket = head.indexOf('[', start)
  const end = head.indexOf('>', start)
  if (bracket === -1 || end < bracket) return end
  const subsetEnd = head.indexOf(']', bracket)
  return subsetEnd === -1 ? -1 : head.indexOf('>', subsetEnd)
}
