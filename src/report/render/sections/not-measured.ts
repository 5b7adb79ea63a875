import { alikeWarnings } from '../../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../../judge/verdict/classified-query.ts'
import { codeSpan, fold, link, MESSAGE_LIMIT, NAME_LIMIT, word } from '../../../text/markdown.ts'
import { count, counted, list } from '../../../text/numbers.ts'
import type { Word } from '../../../text/word.ts'
import { decisive, nounOf } from '../../parts.ts'
import type { ReportRow, Shard } from '../../report.ts'
import { queryCode } from '../../row/name.ts'
import {
  FAILED_IN_WORDS,
  SHARD_PROBLEM_WORDS,
  SHARD_STATE_WORDS,
  STATUS_REASON_WORDS,
  STATUS_WORDS,
  WARNING_WORDS,
} from '../../words.ts'
import { numbersOf } from '../facts.ts'
import { fitLines, type Section, SHOWN } from '../layout.ts'
import type { View } from '../view.ts'
import { isOneProgram } from './headline.ts'

/** What is not in the numbers above: queries that were not compared, shards, what the readers passed over. Folded. */
export const notMeasured: Section = {
  name: 'not-measured',
  priority: 10,
  reserve: 0,
  render: (view, room) => {
    const { shards, report } = view
    const notCompared = isOneProgram(view) ? [] : view.notCompared
    const lines = [
      ...queryLines(notCompared),
      ...shardLines([...shards.lost, ...shards.awaited], report.complete),
      ...warnings(view),
    ]
    if (lines.length === 0) return ''
    const awaited = shards.awaited.length
    const summary = list(
      [
        notCompared.length > 0 ? `${nounOf(report, notCompared.length)} not compared` : null,
        shards.lost.length > 0 ? `${counted(shards.lost.length, 'shard', 'shards')} without results` : null,
        awaited > 0 ? `${counted(awaited, 'shard', 'shards')} still to come` : null,
        report.warnings.length > 0 ? counted(report.warnings.length, 'warning', 'warnings') : null,
      ].filter((part) => part !== null),
    )
    return fold(
      summary,
      fitLines(lines, room - summary.length - 80, (left) => `- and ${count(left)} more lines`),
    )
  },
}

/** One line per reason, the most frequent first. */
function queryLines(rows: readonly ReportRow[]): string[] {
  const groups = Map.groupBy(rows, (row) => whyNotCompared(decisive(row)))
  return [...groups]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([why, group]) => {
      const named = group.slice(0, SHOWN.notCompared).map(nameWithNumbers)
      const more = group.length - named.length
      return `- ${why}: ${list(more > 0 ? [...named, `${count(more)} more`] : named)}`
    })
}

/** What was measured once is named with its numbers, which nothing else shows. */
function nameWithNumbers(row: ReportRow): string {
  const result = decisive(row)
  return result.status === 'measured-once' ? `${queryCode(row)} ${numbersOf(result, false)}` : queryCode(row)
}

/** A query that was not compared: `only in the new build`, `without a result in the new build`. */
export function notComparedWord({ status, failedIn }: ClassifiedQuery): Word {
  const hasFailed = failedIn === 'new' || (failedIn !== undefined && status === 'failed')
  return hasFailed ? FAILED_IN_WORDS[failedIn] : STATUS_WORDS[status]
}

/** Why there is no outcome, in words: `only in the new build`, `not measured, the test was skipped`. */
export function whyNotCompared(result: ClassifiedQuery): string {
  const { status, statusReason } = result
  const word = notComparedWord(result)
  const words = word.term
  if (word !== STATUS_WORDS[status]) return words
  if (statusReason === null || statusReason === 'no-samples' || statusReason === 'partial') return words
  const reason = STATUS_REASON_WORDS[statusReason].term
  return status === 'failed' ? reason : `${words}, ${reason}`
}

function shardLines(shards: readonly Shard[], isComplete: boolean): string[] {
  const lines = shards.slice(0, SHOWN.shards).map((shard) => `- ${shardName(shard)}: ${shardWords(shard, isComplete)}`)
  const more = shards.length - lines.length
  return more > 0 ? [...lines, `- and ${counted(more, 'other shard', 'other shards')}`] : lines
}

export function shardName(shard: Shard): string {
  return link(codeSpan(shard.check, MESSAGE_LIMIT), shard.url)
}

/** Longest text of why an artifact was refused, beside those of other shards. */
const REFUSAL_LIMIT = 320

function shardWords({ state, problem, refusal, conclusion }: Shard, isComplete: boolean): string {
  const isGivenUp = isComplete && (state === 'pending' || state === 'missing')
  const standing = `${SHARD_STATE_WORDS[state].term}${isGivenUp ? ', no longer waited for' : ''}`
  const words = problem === null ? standing : SHARD_PROBLEM_WORDS[problem].term
  const isTelling = conclusion !== null && conclusion !== 'success' && state !== 'pending'
  const ended = isTelling ? ` (ended as ${word(conclusion)})` : ''
  return `${words}${ended}${refusal === undefined ? '' : `: ${codeSpan(refusal, REFUSAL_LIMIT)}`}`
}

function warnings({ report: { warnings: all } }: View): string[] {
  const shown = alikeWarnings(all).slice(0, SHOWN.warnings)
  const lines = shown.map(({ first: { code, where, message }, others }) => {
    const places = others === 0 ? '' : ` and ${counted(others, 'other', 'others')}`
    return `- ${codeSpan(where, NAME_LIMIT)}${places}: ${WARNING_WORDS[code].term}: ${codeSpan(message, MESSAGE_LIMIT)}`
  })
  const more = shown.reduce((left, { others }) => left - 1 - others, all.length)
  return more > 0 ? [...lines, `- and ${counted(more, 'other warning', 'other warnings')}`] : lines
}
