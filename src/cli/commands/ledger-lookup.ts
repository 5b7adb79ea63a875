import { findFailingTests } from '../../bot/triage/failing-tests.ts'
import type { PeopleOf } from '../../bot/triage/people.ts'
import { ledgerThresholds, type RepositoryConfig } from '../../config/repository-config.ts'
import type { Declarations } from '../../judge/ledger/declaration.ts'
import type { Failure, JudgedFailure, LookupProblem, Subject } from '../../judge/ledger/failure.ts'
import { ownerOf } from '../../judge/ledger/owner.ts'
import type { LedgerThresholds } from '../../judge/ledger/thresholds.ts'
import { FAILURE_COLUMNS } from '../../report/failing-test/columns.ts'
import { failureLines } from '../../report/render/failure-lines.ts'
import { CiResultsUnavailable, type FailuresOfCommit } from '../../store/checks/ci-results.ts'
import { type PlayPage, playLink } from '../../store/checks/play-link.ts'
import { count, counted, list } from '../../text/numbers.ts'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_CONDITION, EXIT_OK, InputError, printJson } from './command.ts'
import {
  asTheBotSays,
  type LookedUp,
  type LookupResult,
  ledgerDetails,
  ledgerTable,
  lookupJson,
  storedLines,
} from './ledger-table.ts'
import { markupOf } from './listing.ts'
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
import { oneLine, type StoredVerdict, type StoredVerdictOf, storedVerdicts } from './lookup-stored.ts'
import { lookUpTest } from './lookup-test.ts'
import { DEFAULT_TRUNK, type RepositoryGiven } from './option-values.ts'
import { formOf, printTsv } from './table.ts'
import { plainText } from './terminal-text.ts'

/** As the command line gives it. */
interface LedgerLookupGiven extends Omit<LedgerLookupOptions, 'repository'> {
  readonly repository?: RepositoryGiven
}

/** `perf-triage ledger lookup`, with what is known of the repository that was named. */
export async function run({ repository, ...options }: LedgerLookupGiven, io: CommandIO): Promise<number> {
  const named = { repositoryId: options.repositoryId, ...(repository !== undefined && { repository }) }
  return await lookUpIn({ ...options, ...(await knownRepository(named, io)) }, io)
}

/** The findings of a lookup. */
interface Found {
  readonly failures: readonly Omit<LookedUp, 'stored'>[]
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
async function lookUpIn(options: LedgerLookupOptions, io: CommandIO): Promise<number> {
  checkOptions(options)
  const form = formOf(options, 'table')
  if (options.sha === undefined && markupOf(form) !== null)
    throw new InputError(`--as ${form} is of the failures of a commit: give --sha`)
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
  const storedOf = storedVerdicts(source.reports, options, io)
  const lookedUp: LookedUp[] = []
  for (const { judged, ...one } of found.failures) {
    const owner = ownerOf(judged.failure.testName, ledger.owners)
    const proofUrl = proofOf(judged, one.until, lookbackDays, config, source)
    lookedUp.push({ ...one, judged: { ...judged, owner, proofUrl }, stored: await storedOf(judged.failure) })
  }
  if (options.json) {
    const { source: name } = source.ciResults
    const kind = problem === null ? 'input' : 'database'
    const error = refusal === null ? {} : { error: { kind, command: 'ledger lookup', message: oneLine(refusal) } }
    const lookup = { source: name, problem, lookbackDays, notJudged, failures: lookedUp, suggestions }
    printJson({ ...lookupJson(lookup), ...error }, io)
  } else if (refusal === null || lookedUp.length > 0) {
    const shown = { failures: lookedUp, lookbackDays, notJudged, seenFrom: judgedAt }
    const said = lookedUp.length > 0 ? null : await saidWithoutRows(options, storedOf)
    printFailures(shown, [...(said === null ? [] : storedLines(said)), ...nothing], options, io)
  }
  if (refusal !== null) {
    io.stderr.write(`perf-triage ledger lookup: ${oneLine(refusal)}\n`)
    return EXIT_BAD_INPUT
  }
  return failOn(options, lookedUp, notJudged, io)
}

/** The bot may have seen a failure of the pull request whose rows are not here. */
async function saidWithoutRows(
  { test, check, pr, sha }: LedgerLookupOptions,
  storedOf: StoredVerdictOf,
): Promise<StoredVerdict | null> {
  if (test === undefined || pr === undefined) return null
  const any = { checkName: check ?? null, commitSha: sha ?? null, signature: null }
  return await storedOf({ testName: test, pullRequestNumber: pr, ...any })
}

/** Lines for each failure of a test, a table of those of a commit. */
function printFailures(
  shown: LookupResult,
  nothing: readonly string[],
  { as, details, test, sha }: LedgerLookupOptions,
  io: CommandIO,
): void {
  const isDetailed = as === undefined && (details ?? test !== undefined)
  const lines = () =>
    isDetailed ? ledgerDetails({ ...shown, isOfTest: sha === undefined }, io) : ledgerTable(shown, io)
  const failures = shown.failures.map(({ judged }) => judged)
  const markup = markupOf(as)
  if (as === 'tsv') printTsv(FAILURE_COLUMNS, failures, io)
  else if (markup !== null && failures.length > 0) {
    const posted = { ...shown, failures: shown.failures.map(asTheBotSays) }
    const { commitSha } = failures[0]!.failure
    io.stdout.write(`${failureLines(posted, commitSha, markup).join('\n')}\n`)
  } else io.stdout.write(`${(failures.length === 0 ? nothing : lines()).join('\n')}\n`)
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
  lookedUp: readonly LookedUp[],
  notJudged: number,
  io: CommandIO,
): number {
  // Whoever relies on the exit code is told both what the history says and what the bot said on this commit.
  const isOf = (one: LookedUp, name: string) =>
    [one.judged, asTheBotSays(one)].some(({ classification }) => classification === name)
  const holding = conditions
    .map((name) => ({ name, number: lookedUp.filter((one) => isOf(one, name)).length }))
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
