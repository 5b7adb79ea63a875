import { type Command, Option } from 'commander'
import { ENTRY_KINDS, ENTRY_STATES, NO_OWNER } from '../../judge/ledger/entry.ts'
import { LONGEST_SEARCH } from '../../text/searched-text.ts'
import { InputError } from './command.ts'
import { defineListing } from './listing-options.ts'
import { choiceOption, parseName } from './option-values.ts'

/** The description, options and examples of `perf-triage ledger list`. */
export function define(command: Command): void {
  defineListing(command, {
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
  })
}

function parseSearch(text: string): string {
  if (parseName(text).length > LONGEST_SEARCH)
    throw new InputError(`--search is longer than ${LONGEST_SEARCH} characters`)
  return parseName(text)
}
