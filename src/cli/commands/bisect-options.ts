import { type Command } from 'commander'
import { PRIMARY_METRIC } from '../../intake/measurement/run.ts'
import { examples } from './command.ts'
import {
  collect,
  parseDays,
  parseMoment,
  parseName,
  parseQueryIndex,
  parseRepositoryId,
  REPOSITORY_FLAGS,
} from './option-values.ts'

/** The description, options and examples of `perf-triage bisect`. */
export function define(command: Command): void {
  command
    .description(
      'Finds the lasting steps in the main branch’s stored history. For each: the last good and the first bad commit and, with a local clone, the commits in between, those that can change the binary, and which to build first.',
    )
    .option('--test <name>', 'only queries of this test', parseName)
    .option('--query <number>', 'only the query at this position of the test', parseQueryIndex)
    .option('--architecture <name>', 'only on this architecture', parseName)
    .option('--metric <name>', 'the metric whose history is read', parseName, PRIMARY_METRIC)
    .option('--clone <folder>', 'a local clone, to count and list the commits', parseName)
    .option(
      REPOSITORY_FLAGS,
      'whose history is read (default: the only one stored); an existing folder is taken as --clone',
      parseName,
    )
    .option('--script', 'print a shell script that bisects the one window found')
    .option('--build-link <address>', 'where builds of single commits are, with {sha}; for the script', parseName)
    .option('--skip-inert', 'the script builds only commits that can change the binary; needs a clone')
    .option('--days <days>', 'how much history to look at', parseDays, 365)
    .option('--now <time>', 'the end of the history, UTC (default: now)', parseMoment)
    .option('--trunk <name>', 'the main branch’s name; may be repeated (default: master and main)', collect)
    .option('--repository-id <number>', 'whose history is read, by GitHub’s repository ID', parseRepositoryId)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['bisect', 'every query that has a step, lasting ones first'],
        ['bisect --test jit_sort --query 12 --architecture arm --clone .', 'one query, with the commits'],
        ['bisect --repository acme/fast.db --clone ~/src/fast.db', 'of one of several repositories'],
        ['bisect --test jit_sort --query 12 --architecture arm --script > bisect.sh', 'a script to complete and run'],
        ['bisect --json --days 90', 'one JSON document'],
      ),
    )
}
