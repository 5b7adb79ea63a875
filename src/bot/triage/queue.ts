import type { DecisionsOf } from '../../inbox/decisions.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import {
  inQueueOrder,
  isMarked,
  pullRequestsOf,
  type Queue,
  type QueueItem,
  type QueueStep,
  queueOfRepository,
} from '../../report/queue/queue.ts'
import type { StepMark } from '../../report/step/marks.ts'
import type { RepositoryAddress } from '../../report/urls.ts'
import { DEFAULT_LEDGER_VIEW } from '../../store/ledger/found-entries.ts'
import type { Store } from '../../store/store.ts'
import { DAY } from '../../text/time.ts'

/** Repositories that are asked about at once, those judged latest first. */
export const MOST_QUEUE_REPOSITORIES = 20

/** Repositories among which those are sought that whoever asks may see. */
export const MOST_KNOWN_REPOSITORIES = 500

/** The newest pull requests of a repository that are looked at. */
const MOST_REPORTS = 100

/** Expired entries that are looked at, those with the most hits in 7 days first. */
const MOST_ENTRIES = 100

/** Items that are shown, those that need a person first. */
const MOST_ITEMS = 500

/** What the inbox knows for the queue. */
export interface QueueMemory {
  /** What people have said of these pull requests. */
  readonly decisionsOn: (repositoryId: number, pullRequestNumbers: readonly number[]) => Promise<DecisionsOf>
  /** The lasting slowdowns of a repository's trunk. */
  readonly stepsOf: (repositoryId: number) => Promise<readonly QueueStep[]>
  /** What people have said of them. */
  readonly marksOf: (repositoryId: number) => Promise<readonly StepMark[]>
}

export const NOTHING_REMEMBERED: QueueMemory = {
  decisionsOn: async () => () => [],
  stepsOf: async () => [],
  marksOf: async () => [],
}

export function queueMemoryOf({
  decisions,
  trunkSteps,
  stepMarks,
}: Pick<Inbox, 'decisions' | 'trunkSteps' | 'stepMarks'>): QueueMemory {
  return {
    decisionsOn: (repositoryId, numbers) => decisions.on(repositoryId, numbers),
    stepsOf: (repositoryId) => trunkSteps.of(repositoryId),
    marksOf: (repositoryId) => stepMarks.list(repositoryId),
  }
}

export interface QueueStore {
  readonly reports: Pick<Store['reports'], 'ofQueue'>
  readonly ledger: Pick<Store['ledger'], 'find'>
}

/** A repository that whoever asks may see. */
export interface QueueRepository extends RepositoryAddress {
  readonly id: number
}

/** What the database says of a repository for its queue: what its reports say, and what has expired of its ledger. */
export async function askedOf(store: QueueStore, repositoryId: number, from: number) {
  return await Promise.all([
    store.reports.ofQueue(repositoryId, from, MOST_REPORTS),
    store.ledger.find(repositoryId, EXPIRED),
  ])
}

interface QueueAsked {
  readonly store: QueueStore
  readonly memory: QueueMemory
  readonly now: number
  /** Others are left out before they are counted. */
  readonly isWanted?: (item: QueueItem) => boolean
}

/** What waits for a person in these repositories. */
export async function queueOf(
  repositories: readonly QueueRepository[],
  days: number,
  { store, memory, now, isWanted = () => true }: QueueAsked,
): Promise<Queue> {
  const from = now - days * DAY
  const items: QueueItem[] = []
  for (const { id, ...repository } of repositories) {
    const [[reports, { entries }], steps, marks] = await Promise.all([
      askedOf(store, id, from),
      memory.stepsOf(id),
      memory.marksOf(id),
    ])
    const expiredEntries = entries.filter(({ lastSeen }) => lastSeen >= from)
    const judged = reports.map(({ pullRequestNumber }) => pullRequestNumber)
    const decisionsOf = await memory.decisionsOn(id, [...judged, ...steps.flatMap(pullRequestsOf)])
    items.push(...queueOfRepository({ repository, reports, steps, marks, expiredEntries, decisionsOf, from, now }))
  }
  const ordered = inQueueOrder(items.filter(isWanted))
  const [open, marked] = [ordered.filter((item) => !isMarked(item)), ordered.filter(isMarked)]
  const notShown = Math.max(0, open.length - MOST_ITEMS)
  return { items: open.slice(0, MOST_ITEMS), marked: marked.slice(0, MOST_ITEMS), notShown }
}

const EXPIRED = { ...DEFAULT_LEDGER_VIEW, state: 'expired', perPage: MOST_ENTRIES } as const
