import { type Command, Option } from 'commander'
import { DEFAULT_QUEUE_DAYS, MOST_QUEUE_DAYS } from '../../report/lookback.ts'
import { QUEUE_KINDS } from '../../report/queue/kinds.ts'
import { defineListing } from './listing-options.ts'
import { choiceOption, MARKUP_NAMES } from './option-values.ts'

/** The description, options and examples of `perf-triage queue`. */
export function define(command: Command): void {
  defineListing(command, {
    description:
      'Lists what needs attention: red checks that nobody has explained, steps of the main branch that nobody has accepted, and expired acceptances and ledger entries. Most urgent first.',
    days: { most: MOST_QUEUE_DAYS, initial: DEFAULT_QUEUE_DAYS },
    options: [
      choiceOption('--kind <kind>', 'only of this kind', QUEUE_KINDS),
      new Option('--unowned', 'only what nobody has marked, owns or accepted'),
    ],
    forms: MARKUP_NAMES,
    examples: [
      ['queue', 'what needs attention from the last week'],
      ['queue --days 1 --repository acme/fast.db', 'of one repository since yesterday'],
      ['queue --unowned --kind trunk-step', 'steps of the main branch that nobody owns'],
      ['queue --unowned --as markdown', 'the same of every kind, to paste'],
      ['queue --json', 'for other programs'],
    ],
  })
}
