import { type Command, InvalidArgumentError } from 'commander'
import { CI_RESULTS_FORMATS } from '../../intake/imports/checks/format-names.ts'
import { isCommitId } from '../../text/commits.ts'
import { examples } from './command.ts'
import {
  choiceOption,
  parseMoment,
  parseName,
  parsePullRequest,
  parseRepository,
  parseRepositoryId,
  REPOSITORY_FLAGS,
  repositoryIn,
} from './option-values.ts'

/** The description, options and examples of `perf-triage ledger import`. */
export function define(command: Command): void {
  command
    .description(
      'Loads CI results into the bot’s tables: rows with the columns of ClickHouse’s checks (JSONEachRow, TSVWithNames) or JUnit XML, optionally compressed with gzip or zstd. Importing the same rows again changes nothing.',
    )
    .argument('[file...]', 'files, folders or patterns; - is stdin')
    .option('--check <name>', 'the check, if the rows name none (JUnit)', parseName)
    .option('--sha <commit>', 'the full commit ID, if the rows name none (JUnit)', parseWholeCommit)
    .option('--pr <number>', 'the pull request, if the rows name none (default: 0, the main branch)', parsePullRequest)
    .option('--branch <name>', 'the branch that was built', parseName)
    .option('--base <name>', 'the pull request’s target branch', parseName)
    .option(
      '--time <time>',
      'when the job started, UTC (default: the time in the JUnit file, else the file’s modification time)',
      parseMoment,
    )
    .option(
      REPOSITORY_FLAGS,
      'the repository, if the rows name none; give its ID if no row has a name',
      parseRepository,
    )
    .option(
      '--repository-id <number>',
      'GitHub’s repository ID, in addition to the name (default: 0, any)',
      parseRepositoryId,
    )
    .option(
      '--head-repository <owner/name>',
      'the repository of the branch that was built, a fork or the repository itself, if the rows name none',
      parseHeadRepository,
    )
    .addOption(
      choiceOption('--format <name>', 'the format of the files, see docs/ci-results.md', CI_RESULTS_FORMATS).default(
        'auto',
      ),
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['ledger import checks.jsonl.zst', 'rows of ClickHouse’s checks'],
        [
          'ledger import --check "Unit tests" --sha "$HEAD_SHA" --pr 42 --head-repository "$HEAD_REPOSITORY" junit/*.xml',
          'one job of a pull request',
        ],
        ['ledger import --check "Unit tests" --sha "$HEAD_SHA" --branch main junit.xml', 'one job of the main branch'],
        ['ledger import --check "Unit tests" --sha "$HEAD_SHA" build/test-results', 'all files in a folder'],
        ['ledger import - < rows.tsv', 'from another command'],
      ),
    )
}

/** The whole id of a commit, as git writes it: rows that are stored under a part of it would be found by nobody. */
function parseWholeCommit(text: string): string {
  const commit = text.trim().toLowerCase()
  if (!isCommitId(commit)) {
    throw new InvalidArgumentError(
      'It must be a full commit ID of 40 hexadecimal digits; "git rev-parse HEAD" prints it.',
    )
  }
  return commit
}

/** Empty: none, as GitHub's expression for it is on a push, or where a fork is gone. */
function parseHeadRepository(text: string): string {
  if (text.trim() === '') return ''
  const given = repositoryIn(text.trim())
  if (given === null || !('name' in given)) throw new InvalidArgumentError('It must be owner/name.')
  return given.name
}
