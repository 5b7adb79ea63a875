import { type Command, InvalidArgumentError, Option } from 'commander'
import { findFailingTests } from '../../bot/triage/failing-tests.ts'
import type { PeopleOf } from '../../bot/triage/people.ts'
import { ledgerThresholds, type RepositoryConfig } from '../../config/repository-config.ts'
import type { Declarations } from '../../judge/ledger/declaration.ts'
import {
  CLASSIFICATIONS,
  type Failure,
  type JudgedFailure,
  type LookupProblem,
  type Subject,
} from '../../judge/ledger/failure.ts'
import { ownerOf } from '../../judge/ledger/owner.ts'
import type { LedgerThresholds } from '../../judge/ledger/thresholds.ts'
import { CiResultsUnavailable, type FailuresOfCommit } from '../../store/checks/ci-results.ts'
import { type PlayPage, playLink } from '../../store/checks/play-link.ts'
import { count, counted, list } from '../../text/numbers.ts'
import {
  type CommandIO,
  EXIT_BAD_INPUT,
  EXIT_CONDITION,
  EXIT_OK,
  examples,
  type Finished,
  InputError,
  printJson,
} from './command.ts'
import { type LookedUp, ledgerDetails, ledgerTable, lookupJson } from './ledger-table.ts'
import { nothingFailed, nothingOfCommit, nothingOfTest, suggestionsFor } from './lookup-nothing.ts'
import {
  knownRepository,
  type LedgerLookupOptions,
  type LookupSource,
  lookupConfig,
  openLookupSource,
  storedDeclarations,
  storedPeople,
  wholeCommit,
} from './lookup-source.ts'
import { lookUpTest } from './lookup-test.ts'
import {
  choicesOption,
  collect,
  DEFAULT_TRUNK,
  parseDays,
  parseMoment,
  parseName,
  parsePullRequest,
  parseRepository,
  parseRepositoryId,
  REPOSITORY_FLAGS,
  type RepositoryGiven,
} from './option-values.ts'
import { plainText } from './terminal-text.ts'

/** The description, options and examples of `perf-triage ledger lookup`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
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
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['ledger lookup --pr 42 --sha 1f2e3d4c', 'who caused the failing tests of this commit?'],
        ['ledger lookup --pr 42 --sha 1f2e3d4c --fail-on pr-suspect,unknown', 'exit code 1 if one may be its own'],
        ['ledger lookup --pr 42 --sha 1f2e3d4c --details', 'with the reasons of each'],
        ['ledger lookup --test "02995_settings_26_10_1"', 'what is known about one test'],
        ['ledger lookup --test test_s3/test.py::test_put --now "2026-11-20 12:00:00" --json', 'as of that time'],
      ),
    )
    .action(async (options: LedgerLookupGiven) => {
      const { repository: _, ...rest } = options
      finished(await run({ ...rest, ...(await knownRepository(options, io)) }, io))
    })
}

/** As the command line gives it. */
interface LedgerLookupGiven extends Omit<LedgerLookupOptions, 'repository'> {
  readonly repository?: RepositoryGiven
}

/** The findings of a lookup. */
interface Found {
  readonly failures: readonly LookedUp[]
  readonly notJudged: number
  readonly suggestions: readonly string[]
  /** Lines for a person where nothing failed. */
  readonly nothing: readonly string[]
  /** Why this is no answer, as one line; null: it is one. */
  readonly refusal: string | null
  /** The results could not be asked: in full or at all. */
  readonly problem: LookupProblem | null
}

const NOTHING: Found = { failures: [], notJudged: 0, suggestions: [], nothing: [], refusal: null, problem: null }

/**
 * Judges the failing tests of a commit, or one test. Exit code 1 when `--fail-on` holds; 2 when the results can't be asked
 * or know nothing at all of the commit: a script may not take that for "nothing failed".
 */
async function run(options: LedgerLookupOptions, io: CommandIO): Promise<number> {
  checkOptions(options)
  const config = await lookupConfig(options.config)
  const { repositoryId, repository } = options
  const source = await openLookupSource({ table: config.ledger.table, repositoryId, repository: repository ?? '' }, io)
  try {
    return await lookUp({ ...options, ...source.repository }, config, source, io)
  } finally {
    await source.close()
  }
}

function checkOptions({ sha, pr, test, check }: LedgerLookupOptions): void {
  if (sha !== undefined || test !== undefined || check !== undefined) return
  if (pr !== undefined) throw new InputError('--sha is missing: give the commit of the pull request')
  throw new InputError('give --pr N --sha COMMIT for the failing tests of a commit, or --test NAME for one test')
}

async function withWholeCommits(options: LedgerLookupOptions, { search }: LookupSource): Promise<LedgerLookupOptions> {
  const { sha, mergeBase } = options
  return {
    ...options,
    ...(sha !== undefined && { sha: await wholeCommit('--sha', sha, search) }),
    ...(mergeBase !== undefined && { mergeBase: await wholeCommit('--merge-base', mergeBase, search) }),
  }
}

async function lookUp(
  options: LedgerLookupOptions,
  config: RepositoryConfig,
  source: LookupSource,
  io: CommandIO,
): Promise<number> {
  const { ledger } = config
  const lookbackDays = options.lookback ?? ledger.lookbackDays
  const thresholds = ledgerThresholds({ ledger: { ...ledger, lookbackDays } })
  const judgedAt = Date.now()
  const declarations = await storedDeclarations(options, io)
  const judging = { source, thresholds, names: ledger, declarations, peopleOf: storedPeople(options, io), judgedAt }
  const { notJudged, suggestions, nothing, refusal, problem, ...found } = await ask(options, judging)
  const lookedUp = found.failures.map(({ judged, until, passedSince }) => ({
    judged: {
      ...judged,
      owner: ownerOf(judged.failure.testName, ledger.owners),
      proofUrl: proofOf(judged, until, lookbackDays, config, source),
    },
    until,
    passedSince,
  }))
  const failures = lookedUp.map(({ judged }) => judged)

  if (options.json) {
    const { source: name } = source.ciResults
    const kind = problem === null ? 'input' : 'database'
    const error = refusal === null ? {} : { error: { kind, command: 'ledger lookup', message: oneLine(refusal) } }
    const lookup = { source: name, problem, lookbackDays, notJudged, failures: lookedUp, suggestions }
    printJson({ ...lookupJson(lookup), ...error }, io)
  } else if (failures.length > 0) {
    const shown = { failures: lookedUp, lookbackDays, notJudged, seenFrom: judgedAt }
    const isDetailed = options.details ?? options.test !== undefined
    const isOfTest = options.sha === undefined
    const lines = isDetailed ? ledgerDetails({ ...shown, isOfTest }, io) : ledgerTable(shown, io)
    io.stdout.write(`${lines.join('\n')}\n`)
  } else if (refusal === null) {
    io.stdout.write(`${nothing.join('\n')}\n`)
  }
  if (refusal !== null) {
    io.stderr.write(`perf-triage ledger lookup: ${oneLine(refusal)}\n`)
    return EXIT_BAD_INPUT
  }
  return failOn(options, failures, notJudged, io)
}

/** The answer of a lookup, also where the results could not be asked. Throws `InputError`. */
async function ask(given: LedgerLookupOptions, judging: Judging): Promise<Found> {
  try {
    const options = await withWholeCommits(given, judging.source)
    const found = options.sha === undefined ? await ofTest(options, judging) : await ofCommit(options, judging)
    const problem = judging.source.problem()
    return problem === null ? found : { ...found, problem: problem.problem, refusal: problem.message }
  } catch (error) {
    if (!(error instanceof CiResultsUnavailable)) throw error
    return { ...NOTHING, problem: error.problem, refusal: error.message }
  }
}

interface Judging {
  readonly source: LookupSource
  readonly thresholds: LedgerThresholds
  readonly names: RepositoryConfig['ledger']
  readonly declarations: Declarations
  readonly peopleOf: PeopleOf
  readonly judgedAt: number
}

async function ofCommit(options: LedgerLookupOptions, judging: Judging): Promise<Found> {
  const { source, thresholds, names, declarations, peopleOf, judgedAt } = judging
  const { ciResults } = source
  const { repositoryId, repository = '', sha = '', pr = null, test, check, changedFile, now = null } = options
  const wanted = { repositoryId, repository, commitSha: sha, pullRequestNumber: pr }
  const found = await ciResults.failuresOf(wanted)
  if (found.checks.length === 0) return { ...NOTHING, refusal: await nothingOfCommit(options, source) }
  const isWanted = (failure: Failure): boolean =>
    (test === undefined || failure.testName === test) && (check === undefined || failure.checkName === check)
  if (found.notRead > 0 && !found.failures.some(isWanted)) return { ...NOTHING, refusal: tooManyToFind(options, found) }
  if (check !== undefined && !found.checks.includes(check)) {
    const known = list(found.checks.slice(0, MOST_CHECKS).map(plainText))
    return {
      ...NOTHING,
      refusal: `there are no results of a check ${check} for the commit ${sha}; there are results of ${known}`,
    }
  }
  const named = { ...options, repository: repository || repositoryOf(found.failures) }
  const subject = subjectOf(named, pr ?? found.failures[0]?.pullRequestNumber ?? 0)
  const { failures, notJudged } = await findFailingTests({
    ciResults,
    repositoryId,
    subject,
    names,
    thresholds,
    changedFiles: changedFile?.map((path) => ({ path: relative(path), status: 'modified' })) ?? null,
    until: now,
    isAwaited: false,
    isFinal: true,
    isLeftOut: () => false,
    redChecks: [],
    declarations,
    peopleOf,
    judgedAt,
    found,
  })
  const shown = failures.filter(({ failure }) => isWanted(failure))
  return {
    ...NOTHING,
    failures: shown.map((judged) => ({ judged, until: now ?? judged.failure.time, passedSince: null })),
    // of one test all is known that there is
    notJudged: test === undefined ? notJudged : 0,
    nothing: shown.length > 0 ? [] : await nothingFailed(options, found.measured ?? [], source),
  }
}

/** Checks that are named where one is not there. */
const MOST_CHECKS = 10

/** The repository that all rows of a commit name: its branches are of people who may write. Empty where they don't. */
function repositoryOf(failures: readonly Failure[]): string {
  const [first = '', ...others] = new Set(failures.map(({ baseRepo }) => baseRepo).filter((name) => name !== ''))
  return others.length === 0 ? first : ''
}

/** The refusal where a failure may be among those of the commit that were not read. */
function tooManyToFind({ test, check }: LedgerLookupOptions, { failures, notRead }: FailuresOfCommit): string {
  const read = `only ${count(failures.length)} of the commit’s ${count(failures.length + notRead)} failing tests were read`
  return test === undefined
    ? `${read}, none of them in the check ${check}`
    : `${read}, and ${test} is not among them; omit --sha to look up its failures`
}

async function ofTest(options: LedgerLookupOptions, { source, ...judging }: Judging): Promise<Found> {
  const { repositoryId, test = '', check = null, pr = 0, now = null } = options
  const found = await lookUpTest({
    ...judging,
    ciResults: source.ciResults,
    repositoryId,
    testName: test,
    checkName: check,
    subject: subjectOf(options, pr),
    now,
  })
  if ('searchedDays' in found) {
    const suggestions = await suggestionsFor(options, found, source)
    return { ...NOTHING, suggestions, nothing: await nothingOfTest(options, found, suggestions, source) }
  }
  const { until, passedSince } = found
  const failures = found.failures.map((judged) => ({
    judged,
    until,
    passedSince: passedSince.get(judged.failure) ?? null,
  }))
  return { ...NOTHING, failures }
}

/** The page on which anybody can count the hits; null where they could not be counted, or there is no such page. */
function proofOf(
  { failure, hits }: JudgedFailure,
  until: number,
  lookbackDays: number,
  { ledger }: RepositoryConfig,
  { ciResults }: LookupSource,
): string | null {
  if (ciResults.source === 'own' || ledger.playUrl === null || hits === null) return null
  const page: PlayPage = { url: ledger.playUrl, table: ledger.table }
  return playLink(page, failure, until, lookbackDays)
}

function subjectOf(options: LedgerLookupOptions, pullRequestNumber: number): Subject {
  const { sha = '', repository = '', trunk = DEFAULT_TRUNK, mergeBase = null } = options
  return { pullRequestNumber, commitSha: sha, headRepo: '', headRef: '', repository, trunk, mergeBase }
}

/** The path as git writes it. */
function relative(path: string): string {
  return path.replace(/^(?:\.\/)+/, '')
}

function failOn(
  { failOn: conditions = [] }: LedgerLookupOptions,
  failures: readonly JudgedFailure[],
  notJudged: number,
  io: CommandIO,
): number {
  const holding = conditions
    .map((name) => ({ name, number: failures.filter(({ classification }) => classification === name).length }))
    .filter(({ number }) => number > 0)
  if (holding.length === 0 && conditions.length > 0 && notJudged > 0) {
    const tests = counted(notJudged, 'failing test was', 'failing tests were')
    io.stderr.write(`perf-triage ledger lookup: --fail-on: ${tests} not judged\n`)
    return EXIT_BAD_INPUT
  }
  if (holding.length === 0) return EXIT_OK
  const text = holding.map(({ name, number }) => `${number} ${name}`).join(', ')
  io.stderr.write(`perf-triage ledger lookup: --fail-on: ${text}\n`)
  return EXIT_CONDITION
}

function oneLine(text: string): string {
  return plainText(text.replaceAll(/\s+/g, ' ')).trim()
}

/** A commit id as the CI results have it, or its first digits. */
function parseCommit(text: string): string {
  const commit = text.trim()
  if (!/^[\w.:-]{1,100}$/.test(commit)) throw new InvalidArgumentError('It must be a commit ID.')
  return commit
}
