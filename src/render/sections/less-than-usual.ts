import type { LessThanUsual, Named } from '../../report/report.ts'
import { codeSpan, NAME_LIMIT } from '../../text/markdown.ts'
import { count, counted, list } from '../../text/numbers.ts'
import type { Section } from '../layout.ts'

/** That less was measured than is usual on the trunk, below the headline: what is missing can't have been found. */
export const lessThanUsual: Section = {
  name: 'less-than-usual',
  priority: 0,
  reserve: 0,
  render: ({ report: { lessThanUsual: less } }) => {
    if (less === undefined) return ''
    const { shards, queries, removed, repetitions } = less
    const said = [
      ...(shards === undefined ? [] : [fewerShards(shards)]),
      ...(queries === undefined ? [] : [fewerQueries(queries)]),
      ...(repetitions === undefined ? [] : [fewerRepetitions(repetitions)]),
    ]
    const words = said.length === 0 ? [] : [`**Measured less than usual on the trunk:** ${said.join('; ')}.`]
    return [...words, ...(removed === undefined ? [] : [removedWords(removed)])].join(' ')
  },
}

/** Checks or queries that are named in one sentence. */
const NAMED = 5

/** `3 of 5 usual shards, and `perf (4/5)` was skipped` */
export function fewerShards({ measured, usual, skipped }: NonNullable<LessThanUsual['shards']>): string {
  const words = `${count(measured)} of ${counted(usual, 'usual shard', 'usual shards')}`
  if (skipped.length === 0) return words
  return `${words}, and ${namesOf({ names: skipped, more: 0 })} ${skipped.length === 1 ? 'was' : 'were'} skipped`
}

/** `2 of 5 usual queries; without `sum #0`, `sum #1` and `sort #2`` */
export function fewerQueries({ measured, usual, gone }: NonNullable<LessThanUsual['queries']>): string {
  return `${count(measured)} of ${counted(usual, 'usual query', 'usual queries')}, without ${namesOf(gone)}`
}

/** `3 repetitions, usually 13` */
export function fewerRepetitions({ measured, usual }: NonNullable<LessThanUsual['repetitions']>): string {
  return `${counted(measured, 'repetition', 'repetitions')}, usually ${count(usual)}`
}

/** `Not counted, since this pull request removes their tests: `sum #0` and 3 more.` */
export function removedWords(removed: Named): string {
  return `Not counted, since this pull request changes the files of their tests: ${namesOf(removed)}.`
}

function namesOf({ names, more }: Named): string {
  const shown = names.slice(0, NAMED).map((name) => codeSpan(name, NAME_LIMIT))
  const others = names.length - shown.length + more
  return list(others > 0 ? [...shown, `${count(others)} more`] : shown)
}
