import type { Inbox } from '../../inbox/inbox.ts'
import { type Claim, claimsOf, type RecordSources } from '../../report/record/record.ts'
import type { Store } from '../../store/store.ts'
import { DAY } from '../../text/time.ts'
import type { QueueMemory } from './queue.ts'

/** The newest heads of a repository whose reports are read. */
const MOST_HEADS = 400

/** The inbox as far as the record needs it. */
export interface RecordMemory {
  readonly decisionsOn: QueueMemory['decisionsOn']
  /** The trunk's answers after merges of a repository. */
  readonly shownOf: (repositoryId: number) => Promise<RecordSources['shown']>
}

/** Nobody has said anything, and no merge was looked at. */
export const NOTHING_RECORDED: RecordMemory = { decisionsOn: async () => () => [], shownOf: async () => [] }

export function recordMemoryOf({ decisions, merges }: Pick<Inbox, 'decisions' | 'merges'>): RecordMemory {
  return {
    decisionsOn: (repositoryId, numbers) => decisions.on(repositoryId, numbers),
    shownOf: (repositoryId) => merges.shown(repositoryId),
  }
}

/** The bot's claims in these repositories in these days, and what became of them. */
export async function claimsOfRepositories(
  repositories: readonly { readonly id: number }[],
  days: number,
  {
    store,
    memory,
    now,
  }: {
    readonly store: { readonly reports: Pick<Store['reports'], 'ofRecord'> }
    readonly memory: RecordMemory
    readonly now: number
  },
): Promise<readonly Claim[]> {
  const claims: (readonly Claim[])[] = []
  for (const { id: repositoryId } of repositories) {
    const reports = await store.reports.ofRecord(repositoryId, now - days * DAY, MOST_HEADS)
    const numbers = reports.map(({ pullRequestNumber }) => pullRequestNumber)
    const decisionsOf = await memory.decisionsOn(repositoryId, numbers)
    claims.push(claimsOf({ repositoryId, reports, decisionsOf, shown: await memory.shownOf(repositoryId) }))
  }
  return claims.flat()
}
