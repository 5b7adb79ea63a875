import { DAY } from '../text/time.ts'
import type { QueueKind } from './queue/kinds.ts'
import { inQueueOrder, type QueueItem } from './queue/queue.ts'

/** What a digest of the queue says and when it holds news. Sending it is `bot/triage/digests.ts`. */

export const DIGEST_PERIODS = ['day', 'week'] as const
export type DigestPeriod = (typeof DIGEST_PERIODS)[number]

/** The days of a period, and how far back a digest looks for what still waits. */
export const DIGEST_DAYS: Readonly<Record<DigestPeriod, { readonly fresh: number; readonly all: number }>> = {
  day: { fresh: 1, all: 7 },
  week: { fresh: 7, all: 30 },
}

/** What began to wait for a person in a day or a week, and how much waits at all. */
export interface Digest {
  readonly period: DigestPeriod
  /** Those that began to wait in the period, in the order of the queue. */
  readonly fresh: readonly QueueItem[]
  /** How many wait, of each repository that has any. */
  readonly waiting: readonly RepositoryCount[]
}

export interface RepositoryCount {
  readonly repository: string
  readonly total: number
  readonly kinds: Readonly<Partial<Record<QueueKind, number>>>
}

/** `items`: those that wait, of as many days as the period looks back. */
export function digestOf(period: DigestPeriod, items: readonly QueueItem[], now: number): Digest {
  const from = now - DIGEST_DAYS[period].fresh * DAY
  return { period, fresh: inQueueOrder(items.filter((item) => beganAt(item) >= from)), waiting: countsOf(items) }
}

/** A step is found some runs after its first bad commit, which may be days. */
function beganAt(item: QueueItem): number {
  return item.kind === 'trunk-step' ? item.foundAt : item.since
}

function countsOf(items: readonly QueueItem[]): RepositoryCount[] {
  const names = [...new Set(items.map(({ repository }) => repository))].toSorted()
  return names.map((repository) => {
    const own = items.filter((item) => item.repository === repository)
    const kinds: Partial<Record<QueueKind, number>> = {}
    for (const { kind } of own) kinds[kind] = (kinds[kind] ?? 0) + 1
    return { repository, total: own.length, kinds }
  })
}

/** The same text for the same item in every digest: a new head of a pull request, or a step that grew a little, is no news. */
export function itemKey(item: QueueItem): string {
  const { kind, repository, what } = item
  if (item.kind !== 'trunk-step')
    return JSON.stringify([kind, repository, what, 'pullRequestNumber' in item ? item.pullRequestNumber : null])
  return JSON.stringify([kind, repository, what, item.architecture, item.metric, item.firstBad])
}

/** The items that were not among those of the digest before; null: the same wait, or fewer, and some still do. */
export function newsSince(items: readonly QueueItem[], before: readonly string[]): readonly QueueItem[] | null {
  const known = new Set(before)
  const news = items.filter((item) => !known.has(itemKey(item)))
  const isCleared = items.length === 0 && before.length > 0
  return news.length > 0 || isCleared ? news : null
}
