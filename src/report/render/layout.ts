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

/** How much of each kind the comment shows or names. What is beyond is a number, and the report has all of it. */
export const SHOWN = {
  /** With their evidence about two screens of a desktop; the rest is folded. Who has more starts with the worst anyway. */
  openRows: 10,
  openFailures: 10,
  /** Queries without a result, by name. */
  failed: 10,
  /** Folded rows of each verdict that excuses, with their evidence. */
  explained: 15,
  /** Folded; who wants all of them reads the report. */
  faster: 25,
  suites: 5,
  /** Some twelve lines each, and what slows one query mostly slows its neighbours. */
  profiles: 5,
  /** With different ends: a paragraph each. */
  windows: 5,
  /** Of more rows the reader knows how by then. */
  commands: 5,
  /** A program has about ten counters; what moved least is left out. */
  openOtherMetrics: 12,
  otherMetrics: 30,
  ofOutcome: 10,
  notCompared: 10,
  ignored: 5,
  expired: 5,
  resolved: 3,
  labels: 3,
  judges: 3,
  owners: 4,
  measuringFiles: 5,
  shards: 30,
  warnings: 5,
  shifts: 5,
  budgets: 10,
} as const

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
