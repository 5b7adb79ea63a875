import type { DecidedReport } from '../../report/decisions.ts'
import { nounsOf } from '../../report/parts.ts'
import { renderComment } from '../../report/render/comment.ts'
import { rowsTable } from '../../report/render/rows-table.ts'
import { type RenderLinks, viewOf } from '../../report/render/view.ts'
import { count, counted } from '../../text/numbers.ts'
import { REFUSAL_WORDS, type Refusal } from './border.ts'

/** The summary of a judging job, as Markdown: what was said on the pull request, and every row. */

/** GitHub drops a summary that is longer, in bytes. */
export const SUMMARY_LIMIT = 1024 * 1024

/** Bytes that a UTF-16 code unit takes at most. */
const BYTES_OF_UNIT = 3

/** What became of a report. */
export const POSTINGS = ['posted', 'shadow', 'switched-off', 'app-reported', 'superseded'] as const
export type Posting = (typeof POSTINGS)[number]

/** The sentence of the summary. */
export const POSTING_WORDS: Readonly<Record<Posting, string>> = {
  posted: 'This report is on the pull request.',
  shadow: 'Nothing was posted: the repository’s file says `mode: shadow`.',
  'switched-off': 'Nothing was judged: the repository’s file says `enabled: false`.',
  'app-reported': 'Nothing was posted: the perf-triage App reports on this pull request.',
  superseded: 'Nothing more was posted: the pull request was closed or pushed to while its results were read.',
}

const TITLE = '## perf-triage'

export function refusalSummary(refusal: Refusal): string {
  return `${TITLE}\n\n**Nothing was judged.** ${REFUSAL_WORDS[refusal]}\n`
}

export function postingSummary(posting: Posting): string {
  return `${TITLE}\n\n${POSTING_WORDS[posting]}\n`
}

/** The summary of a push of the trunk, of so many runs that were read. */
export function trunkSummary(runs: number): string {
  const words =
    runs === 0
      ? 'Nothing was kept: the run has no results that could be read.'
      : `The results of ${counted(runs, 'check', 'checks')} are in the main branch’s history.`
  return `${TITLE}\n\n${words}\n`
}

/** The summary of a comment with so many commands. */
export function commandSummary(commands: number): string {
  const words =
    commands === 0 ? 'The comment has no command.' : `${counted(commands, 'command was', 'commands were')} answered.`
  return `${TITLE}\n\n${words}\n`
}

/** The report as the comment says it, then all of its rows as far as there is room. */
export function reportSummary(report: DecidedReport, links: RenderLinks, posting: Posting, botId: string): string {
  // Without what only programs read, the first line and the last.
  const body = renderComment({ report, links, botId, previous: null })
    .split('\n')
    .filter((line) => !MACHINES.test(line))
  const start = `${postingSummary(posting)}\n${body.join('\n')}\n`
  const { rows } = report
  if (rows.length === 0) return start
  const [one, many] = nounsOf(rows)
  const title = `\n### ${counted(rows.length, one, many)}\n\n`
  const room = Math.floor((SUMMARY_LIMIT - Buffer.byteLength(start + title)) / BYTES_OF_UNIT) - MORE_ROOM
  const { text, shown } = rowsTable(viewOf(report, links), rows, room, false)
  const left = rows.length - shown
  return `${start}${title}${text}\n${left === 0 ? '' : `\n${count(left)} more are in the results.\n`}`
}

const MACHINES = /^<!-- .* -->$/

/** Code units for the sentence below the rows. */
const MORE_ROOM = 100
