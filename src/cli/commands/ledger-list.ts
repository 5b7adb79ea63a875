import { type Command, Option } from 'commander'
import { Decisions } from '../../inbox/decisions.ts'
import { ENTRY_KINDS, ENTRY_STATES, type LedgerEntry } from '../../judge/ledger/entry.ts'
import { ENTRY_COLUMNS, type EnteredByHand, enteredByHand, entryData, entryLabel } from '../../report/entry/columns.ts'
import { DEFAULT_LEDGER_VIEW, MOST_ENTRIES, NO_OWNER } from '../../store/ledger/found-entries.ts'
import { counted, day } from '../../text/numbers.ts'
import { LONGEST_SEARCH } from '../../text/searched-text.ts'
import { columnNamed } from '../../text/table.ts'
import { type CommandIO, type Finished, InputError } from './command.ts'
import { defineListing, wantedRepositories } from './listing.ts'
import { choiceOption, parseName } from './option-values.ts'
import type { ColouredColumn } from './table.ts'

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

/** The description, options and examples of `perf-triage ledger list`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  defineListing<LedgerListOptions, Listed>(command, io, finished, {
    description:
      'Lists the entries of the ledger: tests that fail regardless of the change, and queries whose speed varies on its own. Worst first: expired, open, closed; within each, most hits in 7 days first.',
    options: [
      choiceOption('--state <state>', 'only entries in this state', ENTRY_STATES),
      choiceOption('--kind <kind>', 'only of this kind', ENTRY_KINDS),
      new Option('--owner <name>', `only of this owner; ${NO_OWNER} means no owner`).argParser(parseName),
      new Option('--search <text>', 'only if the test, check or output contains this').argParser(parseSearch),
    ],
    examples: [
      ['ledger list', 'every entry'],
      ['ledger list --state expired', 'what has been open for too long'],
      ['ledger list --repository acme/fast.db --search settings', 'tests with that name in one repository'],
      ['ledger list --json', 'for other programs'],
    ],
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
        columns: columnsOf(rows, now),
        rows,
        nothing: 'No entry of the ledger matches.',
        below: ['', counted(found, 'entry', 'entries')],
      }
    },
  })
}

function parseSearch(text: string): string {
  if (parseName(text).length > LONGEST_SEARCH)
    throw new InputError(`--search is longer than ${LONGEST_SEARCH} characters`)
  return parseName(text)
}

const COLOURS = { expired: 'red', open: 'yellow', closed: 'dim' } as const

/** Columns of which nothing is known in any row are left out, and so is the repository where there is but one. */
function columnsOf(rows: readonly Listed[], seenFrom: number): readonly ColouredColumn<Listed>[] {
  const of = (name: string): ColouredColumn<Listed> => columnNamed(ENTRY_COLUMNS, name)
  return [
    { ...of('state'), colour: ({ state }) => COLOURS[state] },
    of('kind'),
    { ...of('hits_7'), heading: 'hits in 7 days' },
    ...['hits_30', 'unrelated_pull_requests', 'trunk_hits'].map(of),
    { ...of('last_seen'), text: ({ lastSeen }) => day(lastSeen, seenFrom) },
    ...(new Set(rows.map(({ repository }) => repository)).size > 1
      ? [{ heading: 'repository', text: ({ repository }: Listed) => repository }]
      : []),
    ...(rows.some(({ owner }) => owner !== null) ? [of('owner')] : []),
    { heading: 'test · check', text: nameAndCheck },
  ]
}

function nameAndCheck(entry: Listed): string {
  const label = entryLabel(entry)
  return entry.testName === '' || entry.checkName === '' ? label : `${label} · ${entry.checkName}`
}
