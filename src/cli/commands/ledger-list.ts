import { Decisions } from '../../inbox/decisions.ts'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import { ENTRY_COLUMNS, type EnteredByHand, enteredByHand, entryData, entryLabel } from '../../report/entry/columns.ts'
import { DEFAULT_LEDGER_VIEW, MOST_ENTRIES } from '../../store/ledger/found-entries.ts'
import { counted, day } from '../../text/numbers.ts'
import { columnNamed } from '../../text/table.ts'
import { listingRun, wantedRepositories } from './listing.ts'
import type { ColouredColumn } from './table.ts'

/** `perf-triage ledger list`: the entries of a ledger, as the page has them. */

interface LedgerListOptions {
  readonly state?: LedgerEntry['state']
  readonly kind?: LedgerEntry['kind']
  readonly owner?: string
  readonly search?: string
}

/** An entry as it is listed. */
interface Listed extends LedgerEntry {
  readonly repository: string
  readonly byHand: EnteredByHand | null
}

/** `perf-triage ledger list` */
export const run = listingRun<LedgerListOptions, Listed>({
  readsInbox: true,
  ask: async ({ repository, search: text = null, ...options }, { store, inbox, now }) => {
    const { state = null, kind = null, owner = null } = options
    const view = { ...DEFAULT_LEDGER_VIEW, state, kind, owner, text, perPage: MOST_ENTRIES }
    const decisions = inbox === null ? null : new Decisions(inbox)
    const rows: Listed[] = []
    let found = 0
    for (const { id, owner, repo } of await wantedRepositories(store.reports, repository)) {
      const ofOne = await store.ledger.find(id, view)
      const declarations = await decisions?.declarations(id)
      found += ofOne.found
      for (const entry of ofOne.entries) {
        const byHand = enteredByHand(declarations?.get(entry.entryId), now)
        rows.push({ repository: `${owner}/${repo}`, ...entry, byHand })
      }
    }
    return {
      json: { found, entries: rows.map(({ byHand, ...entry }) => entryData(entry, byHand)) },
      columns: columnsOf(now),
      tsv: [...ENTRY_COLUMNS, { key: 'repository', value: ({ repository }) => repository }],
      rows,
      nothing: 'No entry of the ledger matches.',
      below: ['', counted(found, 'entry', 'entries')],
    }
  },
})

const COLOURS = { expired: 'red', open: 'yellow', closed: 'dim' } as const

function columnsOf(seenFrom: number): readonly ColouredColumn<Listed>[] {
  const of = (name: string): ColouredColumn<Listed> => columnNamed(ENTRY_COLUMNS, name)
  return [
    { heading: 'test', text: entryLabel },
    { ...of('state'), colour: ({ state }) => COLOURS[state] },
    of('kind'),
    { ...of('hits_7'), heading: 'hits in 7 days' },
    ...['hits_30', 'unrelated_pull_requests', 'trunk_hits'].map(of),
    { ...of('last_seen'), text: ({ lastSeen }) => day(lastSeen, seenFrom) },
    of('owner'),
    { heading: 'check', text: ({ testName, checkName }) => (testName === '' ? '' : checkName) },
    { heading: 'repository', text: ({ repository }: Listed) => repository },
  ]
}
