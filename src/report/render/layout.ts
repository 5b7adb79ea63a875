import type { View } from './view.ts'

/** One part of what is shown. One file per section in `sections/`; a new one is added to the list that shows it. */
export interface Section {
  readonly name: string
  /** Laid out in this order, smallest first: what must stay comes before what may be cut. Independent of the place. */
  readonly priority: number
  /** Kept free for this section while those with a smaller priority are laid out; UTF-16 code units. */
  readonly reserve: number
  /** Markdown of at most `room` UTF-16 code units; empty when there is nothing to say. Counts what it had to drop. */
  readonly render: (view: View, room: number) => string
}

const GAP = '\n\n'

/** The sections in their order, a blank line between them, at most `limit` UTF-16 code units together. */
export function layOut(sections: readonly Section[], view: View, limit: number): string {
  const texts = new Map<Section, string>()
  let free = limit
  let reserved = sections.reduce((sum, section) => sum + section.reserve, 0)
  for (const section of sections.toSorted((a, b) => a.priority - b.priority)) {
    reserved -= section.reserve
    const room = free - reserved - GAP.length
    const text = room <= 0 ? '' : section.render(view, room)
    if (text === '' || text.length > room) continue
    texts.set(section, text)
    free -= text.length + GAP.length
  }
  return sections.flatMap((section) => texts.get(section) ?? []).join(GAP)
}

/** As many lines as fit into `room`, then how many were left out as `rest` says it. Never cuts a line. */
export function fitLines(lines: readonly string[], room: number, rest: (left: number) => string): string {
  const shown: string[] = []
  const tail = rest(lines.length).length + 1
  let used = 0
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1
    if (used + line.length + (isLast ? 0 : tail) > room) break
    shown.push(line)
    used += line.length + 1
  }
  const left = lines.length - shown.length
  return (left === 0 ? shown : [...shown, rest(left)]).join('\n')
}
