import { minute } from '../../text/numbers.ts'
import { type Column, wordsColumn } from '../../text/table.ts'
import { isoTime } from '../../text/time.ts'
import { kindWords, nextStepOf, numbersOf, pullRequestOf, type Queue, type QueueItem } from './queue.ts'

/** An item of the queue in the TSV, on a page and on a terminal. `publicUrl`: the address of the bot from outside. */
export function queueColumns(publicUrl: string): readonly Column<QueueItem>[] {
  return [
    wordsColumn('what', 'What', ({ what }) => what),
    wordsColumn('kind', 'Kind', ({ kind }) => kind, kindWords),
    wordsColumn('repository', 'Repository', ({ repository }) => repository),
    { key: 'pull_request_number', value: numberOf, heading: 'Pull request', text: numberText },
    { key: 'since', value: ({ since }) => isoTime(since), heading: 'Since', text: ({ since }) => minute(since) },
    wordsColumn('next', 'Next', nextStepOf),
    wordsColumn('numbers', 'Numbers', numbersOf),
    { key: 'state', value: (item) => (item.kind === 'trunk-step' ? (item.state ?? 'open') : 'open') },
    { key: 'address', value: ({ path }) => `${publicUrl}${path}` },
  ]
}

function numberOf(item: QueueItem): number | null {
  return pullRequestOf(item)?.pullRequestNumber ?? null
}

function numberText(item: QueueItem): string {
  const number = numberOf(item)
  return number === null ? '' : `#${number}`
}

/** The queue for other programs: the fields of each item, with what they mean in words. */
export function queueJson({ items, marked, notShown }: Queue, days: number, publicUrl: string) {
  const json = (item: QueueItem) => itemJson(item, publicUrl)
  return { days, items: items.map(json), marked: marked.map(json), notShown }
}

export function itemJson(item: QueueItem, publicUrl: string) {
  const { path, ...fields } = item
  return { ...fields, since: isoTime(item.since), address: `${publicUrl}${path}`, next: nextStepOf(item) }
}
