import type { Release } from '../../../inbox/releases.ts'
import type { TrunkPoint } from '../../../judge/history/trunk-series.ts'
import { xmlText } from '../../../judge/profile/xml-text.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, day } from '../../../text/numbers.ts'
import { acrossPage, coordinate, type PlotArea } from './plot-area.ts'
import type { TimeAxis } from './time-axis.ts'

/** Releases that a chart marks, the newest: more lines hide the runs. */
const MOST_MARKS = 20
/** Characters of a tag beside its line. */
const LABEL_LENGTH = 14
/** Per cent of the drawing on a phone that a character takes. */
const CHARACTER = 2.3
const NAMED = 5

/** The releases within the time of a history, the oldest first: each at the first run of its commit, else when that was committed. */
export function releasesIn(releases: readonly Release[], points: readonly TrunkPoint[]): Release[] {
  const [first, last] = [points[0]?.time, points.at(-1)?.time]
  if (first === undefined || last === undefined) return []
  const runs = new Map(points.toReversed().map(({ commit, time }) => [commit, time]))
  return releases
    .map((release) => ({ ...release, time: runs.get(release.commit) ?? release.time }))
    .filter(({ time }) => time >= first && time <= last)
    .toSorted((a, b) => a.time - b.time)
    .slice(-MOST_MARKS)
}

/** A line from top to bottom for each, with its tag at the foot where there is room. */
export function drawReleases(releases: readonly Release[], x: TimeAxis, { top, bottom }: PlotArea): string {
  let end = Number.NEGATIVE_INFINITY
  return releases
    .map(({ tag, time }) => {
      const at = x.position(time)
      const place = coordinate(acrossPage(at))
      const text = plainText(tag, LABEL_LENGTH)
      const width = text.length * CHARACTER
      const isLeft = at + width > 100
      const from = isLeft ? at - width : at
      const line = `<line class="release" x1="${place}%" x2="${place}%" y1="${top}" y2="${bottom}"><title>${xmlText(tag)}</title></line>`
      if (from < end + 1) return line
      end = from + width
      return `${line}<text class="label" x="${place}%" dx="${isLeft ? -4 : 4}" y="${bottom - 5}" text-anchor="${isLeft ? 'end' : 'start'}">${xmlText(text)}</text>`
    })
    .join('')
}

/** `Releases: v26.8 on Jun 3, v26.9 on Jun 20.`; empty where there are none. */
export function releaseWords(releases: readonly Release[], seenFrom: number): string {
  if (releases.length === 0) return ''
  const named = releases.slice(-NAMED).map(({ tag, time }) => `${plainText(tag, 60)} on ${day(time, seenFrom)}`)
  const more = releases.length - named.length
  return `Releases: ${named.join(', ')}${more > 0 ? `, and ${count(more)} earlier` : ''}.`
}
