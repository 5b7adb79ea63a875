import type { Command } from 'commander'
import { readClickHouseEnvironment, readInboxEnvironment } from '../../config/environment.ts'
import { Decisions } from '../../inbox/decisions.ts'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import { NO_OWNER } from '../../store/ledger/found-entries.ts'
import { openStore } from '../../store/store.ts'
import { count, counted, day } from '../../text/numbers.ts'
import { LONGEST_SEARCH } from '../../web/kit/search-form.ts'
import { entryData } from '../../web/pages/ledger/entry.ts'
import { type EnteredByHand, enteredByHand, entryLabel, kindWords } from '../../web/pages/ledger/entry-words.ts'
import { DEFAULT_LEDGER_VIEW, ENTRY_KINDS, ENTRY_STATES, MOST_ENTRIES } from '../../web/pages/ledger/ledger-view.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, InputError, printJson } from './command.ts'
import { choiceOption, parseName, parseRepository, REPOSITORY_FLAGS, type RepositoryGiven } from './option-values.ts'
import { wantedRepositories } from './queue.ts'
import { openInboxToRead } from './stored-inbox.ts'
import { formatTable, painter, type TerminalColumn } from './table.ts'
import { plainText, terminalWidth, withSpaces } from './terminal-text.ts'

interface LedgerListOptions {
  readonly repository?: RepositoryGiven
  readonly state?: LedgerEntry['state']
  readonly kind?: LedgerEntry['kind']
  readonly owner?: string
  readonly search?: string
  readonly json?: boolean
}

/** The description, options and examples of `perf-triage ledger list`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Lists the entries of the ledger: failing tests that fail whoever changes what, and queries whose speed moves by itself. Worst first: expired, open, closed; within these those with most hits in 7 days.',
    )
    .option(REPOSITORY_FLAGS, 'only of this repository (default: all that have reports)', parseRepository)
    .addOption(choiceOption('--state <state>', 'only entries in this state', ENTRY_STATES))
    .addOption(choiceOption('--kind <kind>', 'only of this kind', ENTRY_KINDS))
    .option('--owner <name>', `only of this owner; ${NO_OWNER} is nobody`, parseName)
    .option('--search <text>', 'only where the test, check or output has this in it', parseName)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['ledger list', 'every entry'],
        ['ledger list --state expired', 'what has stood open for too long'],
        ['ledger list --repository acme/fast.db --search settings', 'tests with that name in one repository'],
        ['ledger list --json', 'for other programs'],
      ),
    )
    .action(async (options: LedgerListOptions) => {
      finished(await run(options, io))
    })
}

/** An entry as it is listed. */
interface Listed {
  readonly repository: string
  readonly entry: LedgerEntry
  readonly byHand: EnteredByHand | null
}

async function run(options: LedgerListOptions, io: CommandIO): Promise<number> {
  if ((options.search?.length ?? 0) > LONGEST_SEARCH) {
    throw new InputError(`--search is longer than ${LONGEST_SEARCH} characters`)
  }
  const environment = readClickHouseEnvironment(io.env)
  await using inbox = await openInboxToRead(readInboxEnvironment(io.env))
  const decisions = inbox === null ? null : new Decisions(inbox)
  const store = await openStore(environment)
  try {
    const listed: Listed[] = []
    let found = 0
    for (const { id, owner, repo } of await wantedRepositories(store.reports, options.repository)) {
      const ofOne = await store.ledger.find(id, { ...viewOf(options), perPage: MOST_ENTRIES })
      const declarations = await decisions?.declarations(id)
      found += ofOne.found
      for (const entry of ofOne.entries) {
        const byHand = enteredByHand(declarations?.get(entry.entryId), Date.now())
        listed.push({ repository: `${owner}/${repo}`, entry, byHand })
      }
    }
    if (options.json) {
      const entries = listed.map(({ repository, entry, byHand }) => ({ repository, ...entryData(entry, byHand) }))
      printJson({ found, entries }, io)
    } else {
      io.stdout.write(`${table(listed, found, io).map(withSpaces).join('\n')}\n`)
    }
    return EXIT_OK
  } finally {
    await store.close()
  }
}

function viewOf({ state, kind, owner, search }: LedgerListOptions) {
  return {
    ...DEFAULT_LEDGER_VIEW,
    state: state ?? null,
    kind: kind ?? null,
    owner: owner ?? null,
    text: search ?? null,
  }
}

function table(listed: readonly Listed[], found: number, io: CommandIO): string[] {
  if (listed.length === 0) return ['No entry of the ledger is found.']
  const seenFrom = Date.now()
  const columns: readonly TerminalColumn<Listed>[] = [
    { heading: 'state', text: ({ entry }) => entry.state, colour: ({ entry }) => COLOURS[entry.state] },
    { heading: 'kind', text: ({ entry }) => kindWords(entry) },
    numberColumn('hits in 7 days', ({ hits7 }) => hits7),
    numberColumn('30 days', ({ hits30 }) => hits30),
    numberColumn('pull requests', ({ unrelatedPullRequests }) => unrelatedPullRequests),
    numberColumn('trunk', ({ trunkHits }) => trunkHits),
    { heading: 'last seen', text: ({ entry }) => day(entry.lastSeen, seenFrom) },
    ...(new Set(listed.map(({ repository }) => repository)).size > 1
      ? [{ heading: 'repository', text: ({ repository }: Listed) => plainText(repository) }]
      : []),
    ...(listed.some(({ entry }) => entry.owner !== null)
      ? [{ heading: 'owner', text: ({ entry }: Listed) => plainText(entry.owner ?? '') }]
      : []),
    { heading: 'test · check', text: nameAndCheck },
  ]
  const lines = formatTable(columns, listed, terminalWidth(io.stdout), painter(io.stdout, io.env))
  return [...lines, '', counted(found, 'entry', 'entries')]
}

const COLOURS = { expired: 'red', open: 'yellow', closed: 'dim' } as const

function numberColumn(heading: string, of: (entry: LedgerEntry) => number): TerminalColumn<Listed> {
  return { heading, isNumber: true, text: ({ entry }) => count(of(entry)) }
}

function nameAndCheck({ entry }: Listed): string {
  const label = plainText(entryLabel(entry))
  return entry.testName === '' || entry.checkName === '' ? label : `${label} · ${plainText(entry.checkName)}`
}
