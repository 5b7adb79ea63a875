import type { Command } from 'commander'
import { DEFAULT_RECORD_DAYS, MOST_RECORD_DAYS } from '../../report/lookback.ts'
import { defineListing } from './listing-options.ts'

/** The description, options and examples of `perf-triage record`. */
export function define(command: Command): void {
  defineListing(command, {
    description:
      'Says how often each verdict and kind of evidence was right, by what people accepted or ignored, what later runs of the commit saw, and what the main branch showed after the merge.',
    days: { most: MOST_RECORD_DAYS, initial: DEFAULT_RECORD_DAYS },
    examples: [
      ['record', 'of all repositories, in 90 days'],
      ['record --days 30 --repository acme/fast.db', 'of one repository in the last month'],
      ['record --json', 'for other programs'],
    ],
  })
}
