import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import type { EntryTimeline } from '../../judge/ledger/entry-timeline.ts'
import type { CiResults } from '../checks/ci-results.ts'
import type { Connection } from '../connection.ts'
import { timelineOfEntry } from './entry-timeline.ts'
import { type EntriesWanted, type FoundEntries, selectFoundEntries } from './found-entries.ts'
import { insertEntries, selectEntries, selectEntry } from './ledger-entries.ts'

/** The entries of the ledger. */
export type Ledger = ReturnType<typeof openLedger>

export function openLedger({ ready, now }: Pick<Connection, 'ready' | 'now'>, ciResults: CiResults) {
  return {
    /** All of a repository, those that are not closed first. */
    of: async (repositoryId: number): Promise<LedgerEntry[]> => await selectEntries(await ready(), repositoryId),
    /** Those that are wanted, by the page. */
    find: async (repositoryId: number, wanted: EntriesWanted): Promise<FoundEntries> =>
      await selectFoundEntries(await ready(), repositoryId, wanted),
    /** null when the repository has none of that id. */
    entry: async (repositoryId: number, entryId: string): Promise<LedgerEntry | null> =>
      await selectEntry(await ready(), repositoryId, entryId),
    /**
     * The hits of an entry in the last 90 days, as far as they are stored here: of a failure rows of `checks`, of a mover
     * the runs in which it was flagged. `repository` is its `owner/name`.
     */
    async timelineOf(repositoryId: number, repository: string, entry: LedgerEntry): Promise<EntryTimeline> {
      const of = { repositoryId, repository, entry, until: now().getTime() }
      return await timelineOfEntry(await ready(), ciResults, of)
    },
    /** Each replaces what was stored of it before. */
    save: async (repositoryId: number, entries: readonly LedgerEntry[]): Promise<void> =>
      await insertEntries(await ready(), repositoryId, entries, now()),
  }
}
