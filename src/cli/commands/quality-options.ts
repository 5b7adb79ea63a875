import { type Command, Option } from 'commander'
import { PRIMARY_METRIC } from '../../intake/measurement/run.ts'
import { DEFAULT_QUALITY_DAYS, MOST_QUALITY_DAYS } from '../../report/lookback.ts'
import { defineListing } from './listing-options.ts'
import { parseName } from './option-values.ts'

/** The description, options and examples of `perf-triage quality`. */
export function define(command: Command): void {
  defineListing(command, {
    description:
      'Lists the queries that can’t detect a change, judged by the stored runs of the main branch and of pull requests: unstable in most runs, too short to time, too slow, or never showing a difference. Says how many repetitions would show 5%.',
    days: { most: MOST_QUALITY_DAYS, initial: DEFAULT_QUALITY_DAYS },
    ofAll: 'all that have reports or a history',
    options: [new Option('--metric <name>', 'the metric to look at').argParser(parseName).default(PRIMARY_METRIC)],
    examples: [
      ['quality', 'of all repositories, in 30 days'],
      ['quality --days 90 --repository acme/fast.db', 'of one repository in three months'],
      ['quality --json', 'for other programs'],
    ],
  })
}
