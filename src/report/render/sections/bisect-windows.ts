import type { BisectWindow } from '../../../judge/bisect/bisect-window.ts'
import { fold, link } from '../../../text/markdown.ts'
import { counted } from '../../../text/numbers.ts'
import { commitUrlIn, toMarkdown } from '../../../text/phrase.ts'
import { WINDOWS_ANCHOR } from '../../anchors.ts'
import { pullRequestWindowPhrase, windowWords } from '../../step/words.ts'
import { type Section, SHOWN } from '../layout.ts'
import type { View } from '../view.ts'

/** For the fold and the line that counts what is not shown. */
const REST = 400

/** Where the trunk is to blame: the windows, in the order of the report, the rest counted. Folded: the author can do nothing about it. */
export const bisectWindows: Section = {
  name: 'bisect-windows',
  priority: 5,
  reserve: REST,
  render: (view, room) => {
    const all = withSameEnds(view.report.windows)
    if (all.length === 0) return ''
    const shown = fitting(view, all.slice(0, SHOWN.windows), room - REST)
    const left = all.length - shown.length
    const parts = left === 0 ? shown : [...shown, leftOut(view, left, shown.length === 0)]
    const moved = all.every(([window]) => window!.step.step > 0) ? 'got slower' : 'changed'
    return fold(`For on-call: where the main branch ${moved}`, parts.join('\n\n'))
  },
}

/** One commit often moves many queries: those with the same ends are one window, where the first of them stands. */
function withSameEnds(windows: readonly BisectWindow[]): (readonly BisectWindow[])[] {
  const groups = new Map<string, BisectWindow[]>()
  for (const window of windows) {
    const { lastGood, firstBad, earliest, latest, recovered, step } = window.step
    const ends = [lastGood, firstBad, earliest, latest, recovered].map((point) => point?.commit ?? null)
    const key = JSON.stringify([...ends, step > 0])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [window])
    else group.push(window)
  }
  return [...groups.values()]
}

/** As many from the start as fit. */
function fitting(
  { report, links: { reportUrl } }: View,
  all: readonly (readonly BisectWindow[])[],
  room: number,
): string[] {
  const rangeUrl = reportUrl === null ? null : `${reportUrl}#${WINDOWS_ANCHOR}`
  const place = { repositoryUrl: report.repository.url, seenFrom: Date.parse(report.judgedAt), rangeUrl }
  const texts: string[] = []
  let free = room
  for (const windows of all) {
    const text = windowWords(windows, place)
    free -= text.length + 2
    if (free < 0) break
    texts.push(text)
  }
  return texts
}

/** `and 3 more bisect windows in the report` */
function leftOut({ links }: View, left: number, isAlone: boolean): string {
  const where = links.reportUrl === null ? ' that did not fit here' : ` in ${link('the report', links.reportUrl)}`
  const windows = isAlone
    ? counted(left, 'bisect window', 'bisect windows')
    : `and ${counted(left, 'more bisect window', 'more bisect windows')}`
  return `${windows}${where}`
}

/** Where to look inside a pull request of several commits: one line. */
export const pullRequestWindow: Section = {
  name: 'pull-request-window',
  priority: 6,
  reserve: 0,
  render: ({ report, pending }) => {
    const window = pending === null ? (report.pullRequestWindow ?? null) : null
    if (window === null) return ''
    const words = toMarkdown(pullRequestWindowPhrase(window), commitUrlIn(report.repository.url))
    return `**Inside this pull request:** ${words}.`
  },
}
