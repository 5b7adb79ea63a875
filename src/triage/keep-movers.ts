import { ledgerThresholds } from '../config/ledger-thresholds.ts'
import type { RepositoryConfig } from '../config/repository-config.ts'
import type { PullRequestTarget } from '../inbox/triages.ts'
import { chronicMovers } from './chronic-movers.ts'
import type { JudgedWithHistory } from './judge-with-history.ts'
import { moverEntries } from './mover-entries.ts'
import type { TriageContext } from './triage-context.ts'

/** Stores what the report says of queries that move by themselves, where it is new. Throws `StoreUnavailable`. */
export async function keepMovers(
  { store, inbox, now }: TriageContext,
  target: PullRequestTarget,
  config: RepositoryConfig,
  { report, history }: JudgedWithHistory,
): Promise<void> {
  if (history === null) return
  const seen = chronicMovers(report, history.facts, history.measuredAt)
  if (seen.length === 0) return
  const entries = await store.entriesOf(report.repository.id)
  const changed = moverEntries(seen, entries, now(), ledgerThresholds(config))
  if (changed.length === 0) return
  await store.saveEntries(report.repository.id, changed)
  // From now on somebody has to look whether it has become quiet.
  const known = new Set(entries.map(({ entryId }) => entryId))
  if (changed.some(({ entryId }) => !known.has(entryId))) {
    inbox.triages.wake({ ...target, pullRequestNumber: null, head: null }, now())
  }
}
