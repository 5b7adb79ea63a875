import { ledgerThresholds, type RepositoryConfig } from '../../config/repository-config.ts'
import { isWatchedCheck } from '../../config/watched.ts'
import type { ChangedFiles } from '../../github/changed-files.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { PullRequestTarget } from '../../inbox/triages.ts'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import { entriesById, entryIdOfFailure, ofFailure } from '../../judge/ledger/entry.ts'
import type { FailingTests, JudgedFailure, KnownIssue, Reason, TitledCommit } from '../../judge/ledger/failure.ts'
import { knownIssueOf, type OpenIssue, withMergedFix, withNamedFix } from '../../judge/ledger/known-issue.ts'
import { ownerOf } from '../../judge/ledger/owner.ts'
import { redChecksOf } from '../../judge/ledger/red-checks.ts'
import { type StandingDecisions, withIgnored } from '../../report/acceptance.ts'
import { type CiResults, CiResultsUnavailable } from '../../store/checks/ci-results.ts'
import { type PlayPage, playLink } from '../../store/checks/play-link.ts'
import { isGreen, isRed } from '../events/check-colour.ts'
import type { CheckedCommit } from './check-rows.ts'
import { type Intake, type IntakeContext, takeInCiResults } from './ci-intake.ts'
import { findFailingTests } from './failing-tests.ts'
import type { GatheredChecks } from './gather.ts'
import { type EntryLookup, entrySubjectOf, refreshedEntries } from './ledger-entries.ts'
import { optionalAnswer } from './optional-answer.ts'
import { peopleAsked, subjectOf } from './people.ts'
import type { PublishContext } from './publish.ts'
import type { TriageContext } from './triage-context.ts'

/** A head whose failing tests are looked for. */
export interface FailingTestsAsking {
  readonly context: TriageContext
  readonly target: PullRequestTarget
  readonly publishing: PublishContext
  readonly config: RepositoryConfig
  readonly gathered: GatheredChecks
  readonly mergeBase: string | null
  readonly said: StandingDecisions
  readonly isFinal: boolean
  /** Asked for only where something is red. */
  readonly changedFiles: () => Promise<ChangedFiles | null>
}

/**
 * The failing tests of the head: whose they are, by the CI database or else by what the bot itself has seen of the
 * repository's CI. Null while nothing but performance checks is red.
 */
export async function failingTestsOfHead(asking: FailingTestsAsking): Promise<FailingTests | null> {
  const { context, publishing, config, gathered } = asking
  const isLeftOut = isPerformanceCheck(config, gathered)
  const red = gathered.all.filter(
    ({ name, isFinished, conclusion }) => isFinished && isRed(conclusion) && !isLeftOut(name),
  )
  const ciResults = ciResultsOf(context, config, nameOf(publishing.pullRequest.repository))
  // Results are taken in while everything is green, too: failures elsewhere are compared with them.
  const taken = ciResults.source === 'own' ? await takeIn(asking, isLeftOut) : ALL_TAKEN_IN
  if (red.length === 0) return null

  const inResults = await findInResults(asking, ciResults, red, isLeftOut, taken.isComplete)
  const found: FailingTests = taken.isWhole ? inResults : { ...inResults, isCut: true }
  const { failures, issuesAreKnown } = await withIssuesAndOwners(asking, ciResults, found.failures)
  const entries = await keepEntries(asking, ciResults, failures, issuesAreKnown)
  const { self, log } = publishing
  log.debug({ app: self.appId, failures: failures.length, problem: found.problem }, 'failing tests judged')
  return ignoredByPeople(
    asking,
    found,
    failures.map((judged) => withEntry(judged, entries)),
  )
}

/** Last, since the ledger keeps of a failure what it is by the rules. */
function ignoredByPeople(
  { said, config }: FailingTestsAsking,
  found: FailingTests,
  judged: readonly JudgedFailure[],
): FailingTests {
  const failures = withIgnored(judged, said)
  if (failures === judged) return { ...found, failures }
  return { ...found, failures, redChecks: redChecksOf(found.redChecks, failures, config.ledger, found.notJudged) }
}

type TakenIn = Pick<Intake, 'isComplete' | 'isWhole'>

const ALL_TAKEN_IN: TakenIn = { isComplete: true, isWhole: true }

/** Whether all of the head's finished checks are in the bot's own CI results. */
async function takeIn(
  { context, publishing, config, gathered }: FailingTestsAsking,
  isLeftOut: (name: string) => boolean,
): Promise<TakenIn> {
  const { pullRequest, log } = publishing
  const intake = intakeContext(context, publishing, pullRequest.repository.id, config, isLeftOut)
  const head = { checks: gathered.all, workflowRuns: gathered.workflowRuns }
  const taken = takeInCiResults(intake, commitOf(pullRequest), head)
  const answer = await optionalAnswer(taken, null, 'CI results could not be stored', log)
  return answer ?? { isComplete: false, isWhole: true }
}

async function findInResults(
  { context, publishing, config, gathered, mergeBase, isFinal, changedFiles }: FailingTestsAsking,
  ciResults: CiResults,
  red: GatheredChecks['all'],
  isLeftOut: (name: string) => boolean,
  isTakenIn: boolean,
): Promise<FailingTests> {
  const { pullRequest } = publishing
  const { inbox, now } = context
  const isSettled = isSettledIn(gathered, red)
  const changed = await changedFiles()
  return await findFailingTests({
    ciResults,
    repositoryId: pullRequest.repository.id,
    subject: subjectOf(pullRequest, mergeBase),
    names: config.ledger,
    thresholds: ledgerThresholds(config),
    changedFiles: changed?.files ?? null,
    until: null,
    isAwaited: !isTakenIn && !isFinal,
    isFinal,
    isLeftOut: (name) => isLeftOut(name) || isSettled(name),
    redChecks: red.map(({ name, url, startedAt }) => ({
      name,
      url,
      startedAt: startedAt === null ? null : Date.parse(startedAt),
    })),
    declarations: await inbox.decisions.declarations(pullRequest.repository.id),
    peopleOf: peopleAsked(context, publishing, pullRequest.repository.id, config),
    judgedAt: now(),
  })
}

/**
 * A check that is green by now, or runs again, is not as its rows say. Two workflows may have a job of one name: it counts as
 * long as one of them is red.
 */
function isSettledIn({ all }: GatheredChecks, red: GatheredChecks['all']): (name: string) => boolean {
  const redNames = new Set(red.map(({ name }) => name))
  const settled = new Set(
    all
      .filter(({ name, isFinished, conclusion }) => (!isFinished || isGreen(conclusion)) && !redNames.has(name))
      .map(({ name }) => name),
  )
  return (name) => settled.has(name)
}

/** Failures with the open issue that is about them, who owns the test, and where its rows are to be seen. */
async function withIssuesAndOwners(
  { context, publishing, config }: FailingTestsAsking,
  ciResults: CiResults,
  failures: readonly JudgedFailure[],
): Promise<{ readonly failures: readonly JudgedFailure[]; readonly issuesAreKnown: boolean }> {
  const { octokit, ref, pullRequest, log } = publishing
  const repository = { ...ref, id: pullRequest.repository.id }
  const listed = context.openIssues.of(octokit, repository, config.ledger.issueLabels, context.now(), log)
  const issues = await optionalAnswer(listed, null, 'the open issues could not be read', log)
  const named = failures.map((judged) => {
    const issue = issueNamedBy(judged, issues) ?? (issues === null ? null : knownIssueOf(judged.failure, issues))
    const open = issues?.find(({ number }) => number === issue?.number)
    return { ...judged, issue, reasons: withNamedFix(judged.reasons, open, nameOf(pullRequest.repository)) }
  })
  const merged = await mergedSince(
    named,
    async ({ lastFailed, newest }) =>
      await optionalAnswer(
        context.commitRanges.titles(octokit, repository, lastFailed, newest),
        null,
        'what was merged into the main branch could not be read',
        log,
      ),
  )
  return {
    issuesAreKnown: issues !== null,
    failures: named.map((judged) => {
      return {
        ...judged,
        reasons: withMergedFix(judged.reasons, judged.failure, merged.get(judged) ?? []),
        owner: ownerOf(judged.failure.testName, config.ledger.owners),
        proofUrl: proofOf(config, ciResults, judged),
      }
    }),
  }
}

/** Ranges that are asked for in one look: a call for 100 commits each. */
const MOST_RANGES = 5

type Between = NonNullable<Extract<Reason, { kind: 'fixed-on-trunk' }>['between']>

/** What was merged between the trunk's last failure and its newest run, of those whose fix nobody has named. */
async function mergedSince<T extends Pick<JudgedFailure, 'reasons'>>(
  failures: readonly T[],
  titlesOf: (between: Between) => Promise<readonly TitledCommit[] | null>,
): Promise<ReadonlyMap<T, readonly TitledCommit[]>> {
  const wanted = failures.flatMap((judged) => {
    const fixed = judged.reasons.find((reason) => reason.kind === 'fixed-on-trunk')
    return fixed?.between === undefined || fixed.fix !== undefined ? [] : [{ judged, between: fixed.between }]
  })
  const ranges = [...Map.groupBy(wanted, ({ between }) => JSON.stringify(between)).values()]
  const found = new Map<T, readonly TitledCommit[]>()
  // GitHub asks for no parallel calls
  for (const ofRange of ranges.slice(0, MOST_RANGES)) {
    const titles = await titlesOf(ofRange[0]!.between)
    for (const { judged } of ofRange) found.set(judged, titles ?? [])
  }
  return found
}

/** The issue that a person named; its title is known while it is open and has one of the labels. */
function issueNamedBy({ reasons }: JudgedFailure, issues: readonly OpenIssue[] | null): KnownIssue | null {
  const said = reasons.find((reason) => reason.kind === 'declared-chronic' || reason.kind === 'declaration-expired')
  if (said === undefined || said.issue === null) return null
  const { number, url } = said.issue
  return { number, url, title: issues?.find((issue) => issue.number === number)?.title ?? '' }
}

/** The CI results of `owner/name`, from the table that it configures; without a CI database of it, those that the bot has taken in. */
export function ciResultsOf(context: TriageContext, config: RepositoryConfig, repository: string): CiResults {
  return context.ciDatabase?.of(repository, config.ledger.table) ?? context.store.ciResults
}

export function intakeContext(
  { scratch, store, isAllowedHost, stopping, taken }: TriageContext,
  { octokit, ref, self, log }: Pick<PublishContext, 'octokit' | 'ref' | 'self' | 'log'>,
  repositoryId: number,
  config: RepositoryConfig,
  isLeftOut: (checkName: string) => boolean,
): IntakeContext {
  return {
    octokit,
    ref,
    repositoryId,
    config,
    ciResults: store.ciResults,
    isAllowedHost,
    stopping,
    scratch,
    log,
    taken,
    ownAppId: self.appId,
    isLeftOut,
  }
}

/**
 * Opens, renews in number and closes the entries of these failures, as far as their histories can be read. What is chronic
 * gets an entry; one that is there is kept true. Returns the entries that stand open.
 */
async function keepEntries(
  { context, target, publishing, config }: FailingTestsAsking,
  ciResults: CiResults,
  failures: readonly JudgedFailure[],
  issuesAreKnown: boolean,
): Promise<ReadonlyMap<string, LedgerEntry>> {
  const { store, inbox, now } = context
  const { repository } = publishing.pullRequest
  const lookup: EntryLookup = {
    ciResults,
    repositoryId: repository.id,
    repository: nameOf(repository),
    trunk: [repository.defaultBranch],
    thresholds: ledgerThresholds(config),
    declarations: await inbox.decisions.declarations(repository.id),
    peopleOf: peopleAsked(context, publishing, repository.id, config),
    now: now(),
  }
  const entries = await store.ledger.of(repository.id)
  const known = entriesById(entries)
  const subjects = new Map(
    failures
      .map((judged) => entrySubjectOf(judged, issuesAreKnown))
      .map((subject) => [entryIdOfFailure(subject), subject] as const)
      .filter(
        ([, subject], index) =>
          ofFailure(known, subject) !== undefined || failures[index]!.classification === 'chronic',
      ),
  )
  try {
    const changed = await refreshedEntries(lookup, [...subjects.values()], entries)
    if (changed.length > 0) await store.ledger.save(repository.id, changed)
    // A new entry is looked at from now on, to see whether it has become quiet.
    if (changed.some(({ entryId }) => !known.has(entryId))) {
      await inbox.triages.wake({ ...target, pullRequestNumber: null, head: null }, now())
    }
    for (const [id, entry] of entriesById(changed)) known.set(id, entry)
  } catch (error) {
    if (!(error instanceof CiResultsUnavailable)) throw error
    publishing.log.warn({ err: error }, 'the ledger entries are not up to date')
  }
  return new Map([...known].filter(([, { state }]) => state !== 'closed'))
}

/** An entry also knows of hits from before the lookback; those within are the judgement's own. */
function withEntry(judged: JudgedFailure, entries: ReadonlyMap<string, LedgerEntry>): JudgedFailure {
  const entry = ofFailure(entries, judged.failure)
  if (entry === undefined || entry.state === 'closed') return judged
  const { entryId, state, firstSeen, openedAt, expiresAt, reopened, hits1, hits7 } = entry
  const ofRuleBefore = entryId === entryIdOfFailure(judged.failure) ? {} : { entryId }
  return {
    ...judged,
    owner: judged.owner ?? entry.owner,
    entry: { ...ofRuleBefore, state, firstSeen, openedAt, expiresAt, reopened, hits1, hits7 },
  }
}

function proofOf({ ledger }: RepositoryConfig, { source }: CiResults, { failure, hits }: JudgedFailure): string | null {
  if (source === 'own' || ledger.playUrl === null || hits === null) return null
  const page: PlayPage = { url: ledger.playUrl, table: ledger.table }
  return playLink(page, failure, failure.time, ledger.lookbackDays)
}

/** Names of jobs that measure, where the configuration names no checks. */
const PERFORMANCE_NAME = /(?:^|[^a-z])(?:perf|performance|bench|benchmarks?|benchmarking)(?:[^a-z]|$)/i

/**
 * Which checks are told elsewhere in the comment. Without names in the configuration performance results are artifacts,
 * which no job is known by: then it is what a job in a workflow with such artifacts is called.
 */
function isPerformanceCheck(config: RepositoryConfig, { performance, all }: GatheredChecks): (name: string) => boolean {
  if (config.checks.length > 0) return (name) => isWatchedCheck(config, name)
  const suites = new Set(performance.map(({ workflowRun }) => workflowRun?.checkSuiteId))
  const names = new Set(
    all
      .filter(({ name, checkSuiteId }) => suites.has(checkSuiteId) && PERFORMANCE_NAME.test(name))
      .map(({ name }) => name),
  )
  return (name) => names.has(name)
}

function commitOf({ number, head, headRepo, headRef, baseRef, repository }: PullRequest): CheckedCommit {
  return {
    repository,
    commitSha: head,
    trunk: repository.defaultBranch,
    pullRequest: { number, baseRef, headRepo, headRef },
  }
}

function nameOf({ owner, name }: PullRequest['repository']): string {
  return `${owner}/${name}`
}
