import { NOTHING_REMEMBERED, type QueueMemory, queueMemoryOf, queueOf } from '../../bot/triage/queue.ts'
import type { Database } from '../../inbox/database.ts'
import { Decisions } from '../../inbox/decisions.ts'
import { StepMarks, TrunkSteps } from '../../inbox/trunk-steps.ts'
import { MOST_QUEUE_DAYS } from '../../report/lookback.ts'
import { queueColumns, queueJson } from '../../report/queue/columns.ts'
import type { QueueKind } from '../../report/queue/kinds.ts'
import { queueLines } from '../../report/queue/lines.ts'
import { emptySentence, isUnowned, type QueueItem } from '../../report/queue/queue.ts'
import { count, day } from '../../text/numbers.ts'
import { columnNamed } from '../../text/table.ts'
import { listingRun, lookFurther, markupOf, wantedRepositories } from './listing.ts'
import type { ColouredColumn } from './table.ts'

/** `perf-triage queue`: what waits for a person, read from the inbox and the database of a bot that may be running. */

interface QueueOptions {
  readonly days: number
  readonly kind?: QueueKind
  readonly unowned?: boolean
}

/** `perf-triage queue` */
export const run = listingRun<QueueOptions, QueueItem>({
  readsInbox: true,
  ask: async ({ days, repository, kind, unowned = false, as }, { store, inbox, publicUrl, now }) => {
    const memory = inbox === null ? NOTHING_REMEMBERED : memoryOf(inbox)
    const isWanted = (item: QueueItem) => (kind ?? item.kind) === item.kind && (!unowned || isUnowned(item))
    const repositories = await wantedRepositories(store.reports, repository)
    const queue = await queueOf(repositories, days, { store, memory, now, isWanted })
    const isAll = kind === undefined && !unowned
    const nothing = isAll ? emptySentence(days) : emptySentence(days, 'No such item')
    const further = isAll ? '' : ' Leave out --kind and --unowned for all items.'
    const { items, marked, notShown } = queue
    const markup = markupOf(as)
    return {
      json: queueJson(queue, days, publicUrl),
      columns: columnsOf(now),
      tsv: queueColumns(publicUrl),
      rows: [...items, ...marked],
      nothing: `${nothing}${further}${lookFurther(days, MOST_QUEUE_DAYS)}`,
      ...(markup !== null && {
        lines: items.length === 0 ? [nothing] : queueLines(queue, publicUrl === '' ? null : publicUrl, markup),
      }),
      below: notShown > 0 ? [`${count(notShown)} more; choose a --repository or fewer --days`] : [],
    }
  },
})

/** What to do stands before what is known. */
function columnsOf(seenFrom: number): readonly ColouredColumn<QueueItem>[] {
  const of = (name: string) => columnNamed(queueColumns(''), name)
  return [
    of('what'),
    of('kind'),
    { ...of('pull_request_number'), heading: 'PR' },
    of('next'),
    { ...of('since'), text: ({ since }) => day(since, seenFrom) },
    of('numbers'),
    of('repository'),
  ]
}

export function memoryOf(inbox: Database): QueueMemory {
  const [decisions, trunkSteps, stepMarks] = [new Decisions(inbox), new TrunkSteps(inbox), new StepMarks(inbox)]
  return queueMemoryOf({ decisions, trunkSteps, stepMarks })
}
