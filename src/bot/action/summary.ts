import { queryLabel } from '../../intake/measurement/run.ts'
import type { BisectWindow } from '../../judge/bisect/bisect-window.ts'
import { nounsOf } from '../../report/parts.ts'
import { renderComment } from '../../report/render/comment.ts'
import { rowsTable } from '../../report/render/rows-table.ts'
import { type RenderLinks, viewOf } from '../../report/render/view.ts'
import { SIZE } from '../../report/step/columns.ts'
import { codeSpan, MESSAGE_LIMIT, NAME_LIMIT, shortCommit, tableHead, tableRow, word } from '../../text/markdown.ts'
import { change, count, counted } from '../../text/numbers.ts'
import { REFUSAL_WORDS, type Refusal } from './border.ts'
import type { JudgedRun } from './judge.ts'
import { detailsText } from './summary-details.ts'

/** The summary of a judging job, as Markdown: what was said on the pull request, and every row. */

/** GitHub drops a summary that is longer, in bytes. */
export const SUMMARY_LIMIT = 1024 * 1024

/** Bytes that a UTF-16 code unit takes at most. */
const BYTES_OF_UNIT = 3

/** The fates of a report. */
export const POSTINGS = ['posted', 'shadow', 'switched-off', 'app-reported', 'superseded'] as const
export type Posting = (typeof POSTINGS)[number]

/** The sentence of the summary. */
export const POSTING_WORDS: Readonly<Record<Posting, string>> = {
  posted: 'The pull request has this report in its check, and in a comment where something changed.',
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

/** Before the summary of a report, where the repository's file asks for a gate. */
export function noGateSummary(): string {
  return 'The repository’s file says `mode: gating`, which needs the perf-triage App: any workflow can write a check of this name. This check is advisory.\n'
}

/** After the summary of a report whose ids or history could not be kept. */
export function notKeptSummary(branch: string, problem: string): string {
  return `The branch ${codeSpan(branch, MESSAGE_LIMIT)} can’t be written: ${codeSpan(problem, MESSAGE_LIMIT)}. The job needs \`contents: write\`, and no rule may protect that branch.\n`
}

/** The summary of a job that GitHub refused something, or that could not go on. */
export function failedSummary(problem: string, status: number | null): string {
  const help = status === null ? undefined : STATUS_WORDS[status]
  return `${TITLE}\n\n**The job stopped:** ${codeSpan(problem, MESSAGE_LIMIT)}${help === undefined ? '' : `\n\n${help}`}\n`
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  401: 'The token is not accepted. Use the default `token`.',
  403: 'The job needs `actions: read`, `checks: write`, `contents: write` and `pull-requests: write`; an organization may forbid them. Or GitHub’s limit of requests an hour is used up.',
  404: 'What was asked for is gone, or the token may not see it.',
  429: 'GitHub’s limit of requests is used up. Run the job again later.',
}

/** The summary of a push of the trunk, of so many runs that were read, and of what is slower there, the newest first. */
export function trunkSummary(runs: number, slower: readonly BisectWindow[] = []): string {
  const words =
    runs === 0
      ? 'Nothing was kept: the run has no results that could be read.'
      : `The results of ${counted(runs, 'check', 'checks')} are in the main branch’s history.`
  const start = `${TITLE}\n\n${words}\n`
  if (slower.length === 0) return start
  const shown = slower.slice(0, MOST_STEPS).map(({ step, unit, ...query }) => {
    const { before, after, lastGood, firstBad } = step
    const place = `${shortCommit(lastGood.commit)} to ${shortCommit(firstBad.commit)}`
    return tableRow([
      [
        codeSpan(queryLabel(query), NAME_LIMIT),
        ...(query.architecture === null ? [] : [word(query.architecture)]),
      ].join(' '),
      place,
      `${change(before, after, unit)}<br>**${SIZE.text(step)}**`,
    ])
  })
  const more = slower.length - shown.length
  return [
    `${start}\n### Slower on the main branch, and not recovered\n`,
    tableHead(['name', 'between', 'before → after'], 1),
    ...shown,
    ...(more === 0 ? [] : [`\n${count(more)} older ones are left out.`]),
    '',
  ].join('\n')
}

/** Slowdowns of the trunk that a summary names. */
const MOST_STEPS = 50

/** The summary of a comment with so many commands. */
export function commandSummary(commands: number): string {
  const words =
    commands === 0 ? 'The comment has no command.' : `${counted(commands, 'command was', 'commands were')} answered.`
  return `${TITLE}\n\n${words}\n`
}

/** The report as the comment says it, then all of its rows as far as there is room, and the samples and stacks of those with a verdict. */
export function reportSummary(
  { report, details }: Pick<JudgedRun, 'report' | 'details'>,
  links: RenderLinks,
  posting: Posting,
  botId: string,
): string {
  // Without what only programs read, the first line and the last.
  const body = renderComment({ report, links, botId, previous: null })
    .split('\n')
    .filter((line) => !MACHINES.test(line))
  const start = `${postingSummary(posting)}\n${body.join('\n')}\n`
  const { rows } = report
  if (rows.length === 0) return start
  const [one, many] = nounsOf(rows)
  const title = `\n### ${counted(rows.length, one, many)}\n\n`
  const more = detailsText(details, MOST_DETAILS)
  const end = more === '' ? '' : `\n### Samples\n\n${more}\n`
  const room = Math.floor((SUMMARY_LIMIT - Buffer.byteLength(start + title + end)) / BYTES_OF_UNIT) - MORE_ROOM
  const { text, shown } = rowsTable(viewOf(report, links), rows, room, false)
  const left = rows.length - shown
  return `${start}${title}${text}\n${left === 0 ? '' : `\n${count(left)} more are in the results.\n`}${end}`
}

/** Code units. */
const MOST_DETAILS = 100_000

const MACHINES = /^<!-- .* -->$/

/** Code units for the sentence below the rows. */
const MORE_ROOM = 100
