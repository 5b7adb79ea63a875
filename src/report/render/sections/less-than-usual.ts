import { count, counted } from '../../../text/numbers.ts'
import type { LessThanUsual, Named } from '../../report.ts'
import type { Section } from '../layout.ts'
import { namesOf } from './how-measured.ts'

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
    const words = said.length === 0 ? [] : [`**Measured less than usual on the main branch:** ${said.join('; ')}.`]
    return [...words, ...(removed === undefined ? [] : [removedWords(removed)])].join(' ')
  },
}

/** `3 of 5 usual shards, and `perf (4/5)` was skipped` */
export function fewerShards({ measured, usual, skipped }: NonNullable<LessThanUsual['shards']>): string {
  const words = `${count(measured)} of ${counted(usual, 'usual shard', 'usual shards')}`
  if (skipped.length === 0) return words
  return `${words}, and ${namesOf(skipped)} ${skipped.length === 1 ? 'was' : 'were'} skipped`
}

/** `2 of 5 usual queries; without `sum #0`, `sum #1` and `sort #2`` */
export function fewerQueries({ measured, usual, gone }: NonNullable<LessThanUsual['queries']>): string {
  return `${count(measured)} of ${counted(usual, 'usual query', 'usual queries')}, without ${namesOf(gone.names, gone.more)}`
}

/** `3 repetitions, usually 13`, `1 process, usually 5` */
export function fewerRepetitions({ measured, usual, of }: NonNullable<LessThanUsual['repetitions']>): string {
  const words =
    of === 'processes' ? counted(measured, 'process', 'processes') : counted(measured, 'repetition', 'repetitions')
  return `${words}, usually ${count(usual)}`
}

/** `Not counted, since this pull request removes them: `sum #0` and 3 more.` */
export function removedWords(removed: Named): string {
  return `Not counted, since this pull request removes them: ${namesOf(removed.names, removed.more)}.`
}
