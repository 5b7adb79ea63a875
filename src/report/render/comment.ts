import { link } from '../../text/markdown.ts'
import { phrase, toMarkdown } from '../../text/phrase.ts'
import type { DecidedReport } from '../decisions.ts'
import type { TriageReport } from '../report.ts'
import { byWhom, why } from './acceptance-words.ts'
import { layOut, type Section } from './layout.ts'
import { bisectWindows, pullRequestWindow } from './sections/bisect-windows.ts'
import { changesPicture } from './sections/changes-picture.ts'
import { notes } from './sections/context.ts'
import { knownFailures, openFailures } from './sections/failing-tests.ts'
import { fileLines } from './sections/file-lines.ts'
import { headline } from './sections/headline.ts'
import { howMeasured } from './sections/how-measured.ts'
import { ignored } from './sections/ignored.ts'
import { lastLinks } from './sections/last-links.ts'
import { lessThanUsual } from './sections/less-than-usual.ts'
import { nextStep } from './sections/next-step.ts'
import { notMeasured } from './sections/not-measured.ts'
import { otherMetrics } from './sections/other-metrics.ts'
import { otherOutcomes } from './sections/other-outcomes.ts'
import { profiles } from './sections/profiles.ts'
import { provenance } from './sections/provenance.ts'
import { reproduce } from './sections/reproduce.ts'
import { explained, failed, faster, fromEarlierRuns, moreSlower, slower } from './sections/rows.ts'
import { suites } from './sections/suites.ts'
import { verdictBlock } from './sections/verdict-block.ts'
import { type RenderLinks, viewOf } from './view.ts'

/**
 * The longest comment, in UTF-16 code units. GitHub refuses a body above 65,536 characters; at three bytes a unit at most
 * this also stays below its 262,144 bytes.
 */
export const COMMENT_LIMIT = 65_000

/** What the comment says, in the order in which a reader needs it. */
const SECTIONS: readonly Section[] = [
  headline,
  howMeasured,
  lessThanUsual,
  notes,
  slower,
  suites,
  openFailures,
  changesPicture,
  nextStep,
  pullRequestWindow,
  reproduce,
  failed,
  bisectWindows,
  fromEarlierRuns,
  moreSlower,
  profiles,
  knownFailures,
  explained,
  ignored,
  fileLines,
  faster,
  otherMetrics,
  otherOutcomes,
  notMeasured,
  provenance,
  lastLinks,
  verdictBlock,
]

export interface CommentInput {
  readonly report: TriageReport
  readonly links: RenderLinks
  /** Tells this bot's comment from another one's: the App's slug or number. Letters, digits and `-` are kept. */
  readonly botId: string
  /** The report of the head before: stands while the new head has no shard in. */
  readonly previous: TriageReport | null
}

/** The comment's whole body. The same input gives the same bytes. */
export function renderComment({ report, links, botId, previous }: CommentInput): string {
  const marker = commentMarker(botId)
  const view = viewOf(report, links, previous)
  return `${marker}\n${layOut(SECTIONS, view, COMMENT_LIMIT - marker.length - 1)}`
}

/** The comment of a pull request that a person has muted: one line. */
export function renderMuted(report: DecidedReport, { reportUrl, commandPrefix }: RenderLinks, botId: string): string {
  const { mute } = report.decisions
  const by = mute === null ? [] : phrase` ${byWhom(mute)}${why(mute)}`
  const words = [
    `${toMarkdown(phrase`Muted${by}`)}.`,
    ...(reportUrl === null ? [] : [`${link('The report', reportUrl)} is still available.`]),
    ...(commandPrefix == null ? [] : [`\`${commandPrefix} unmute\` brings the comment back.`]),
  ]
  return `${commentMarker(botId)}\n${words.join(' ')}`
}

/** The first line of the body, by which (and by its author) the comment is found again. */
export function commentMarker(botId: string): string {
  return `<!-- perf-triage:v1 ${botId
    .replace(/[^A-Za-z0-9-]/g, '')
    .replace(/-{2,}/g, '-')
    .slice(0, 64)} -->`
}

/** The body starts with this bot's marker. Anybody can write the marker: the author must be checked too. */
export function hasMarker(body: string, botId: string): boolean {
  return body.startsWith(`${commentMarker(botId)}\n`) || body.startsWith(`${commentMarker(botId)}\r\n`)
}
