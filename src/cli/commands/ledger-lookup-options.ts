import { type Command, InvalidArgumentError, Option } from 'commander'
import { CLASSIFICATIONS } from '../../judge/ledger/failure.ts'
import { examples } from './command.ts'
import {
  asOption,
  choicesOption,
  collect,
  MARKUP_NAMES,
  parseDays,
  parseMoment,
  parseName,
  parsePullRequest,
  parseRepository,
  parseRepositoryId,
  REPOSITORY_FLAGS,
} from './option-values.ts'

/** The description, options and examples of `perf-triage ledger lookup`. */
export function define(command: Command): void {
  command
    .description(
      'Judges each failing test of a commit by its history elsewhere: chronic, broken on the main branch, flaky, or maybe caused by the pull request. Reads the CI database of CIDB_URL, or imported results.',
    )
    .option('--pr <number>', 'the pull request; its own results don’t count as evidence', parsePullRequest)
    .option('--sha <commit>', 'the commit whose failures are judged, or at least its first 7 digits', parseCommit)
    .option('--test <name>', 'one test of the commit or, without --sha, everything known about it', parseName)
    .option('--check <name>', 'only in this check; without --test, the check itself', parseName)
    .option(
      '--now <time>',
      'the end of the lookback, UTC (default: the time of each failure; with --test, its newest execution)',
      parseMoment,
    )
    .option('--lookback <days>', 'how far back failures count (default: 60)', parseDays)
    .option('--trunk <name>', 'the main branch’s name; may be repeated (default: master and main)', collect)
    .option(REPOSITORY_FLAGS, 'whose results count (default: the only one stored)', parseRepository)
    .option('--repository-id <number>', 'GitHub’s repository ID, in addition to the name', parseRepositoryId, 0)
    .option('--merge-base <commit>', 'where the pull request branched off the main branch', parseCommit)
    .option('--changed-file <path>', 'a file that the pull request changes; may be repeated', collect)
    .option('--config <file>', 'thresholds and names (default: .github/perf-triage.yml if it exists)', parseName)
    .addOption(
      new Option(
        '--mode <mode>',
        'whose failures count as an excuse: gating excludes first-time contributors (default: advisory)',
      ).choices(['advisory', 'gating']),
    )
    .addOption(
      choicesOption(
        '--fail-on <classes>',
        'exit with 1 if one of these is found; a list, or repeated',
        CLASSIFICATIONS,
      ),
    )
    .option('--details', 'each failure with its reasons, instead of a table; the default with --test')
    .addOption(asOption('report', MARKUP_NAMES))
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['ledger lookup --pr 42 --sha 1f2e3d4c', 'who caused the failing tests of this commit?'],
        ['ledger lookup --pr 42 --sha 1f2e3d4c --fail-on pr-suspect,unknown', 'exit code 1 if one may be its own'],
        ['ledger lookup --pr 42 --sha 1f2e3d4c --details', 'with the reasons of each'],
        [
          'ledger lookup --pr 42 --sha 1f2e3d4c --as markdown',
          'the same to paste: who has each, or that nobody has it',
        ],
        ['ledger lookup --test "02995_settings_26_10_1"', 'what is known about one test'],
        ['ledger lookup --test test_s3/test.py::test_put --now "2026-11-20 12:00:00" --json', 'as of that time'],
      ),
    )
}

/** A commit id as the CI results have it, or its first digits. */
function parseCommit(text: string): string {
  const commit = text.trim()
  if (!/^[\w.:-]{1,100}$/.test(commit)) throw new InvalidArgumentError('It must be a commit ID.')
  return commit
}
