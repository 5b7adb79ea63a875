import { ledgerThresholds, type RepositoryConfig } from '../../config/repository-config.ts'
import type { Octokit } from '../../github/octokit.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import { countHistory } from '../../judge/ledger/counted-history.ts'
import { type DeclaredFailure, entryIdOfDeclared } from '../../judge/ledger/declaration.ts'
import { signatureOfText } from '../../judge/ledger/signature.ts'
import { comparedName } from '../../judge/ledger/test-name.ts'
import { DAY } from '../../text/time.ts'
import type { AlikeFailures, MetBefore } from '../slash/command.ts'
import { rowsOf } from './failing-tests.ts'
import { ciResultsOf } from './failing-tests-of-head.ts'
import { peopleAsked, subjectOf } from './people.ts'
import type { TriageContext } from './triage-context.ts'

/** The newest pull requests of a repository that are looked through. */
const MOST_REPORTS = 100

/** How often failures like these were met outside of a pull request. Throws `StoreUnavailable` and `CiResultsUnavailable`. */
export async function alikeFailures(
  context: TriageContext,
  octokit: Octokit,
  config: RepositoryConfig,
  pullRequest: PullRequest,
  failures: readonly DeclaredFailure[],
): Promise<MetBefore> {
  const { repository } = pullRequest
  const [now, thresholds, subject] = [context.now(), ledgerThresholds(config), subjectOf(pullRequest, null)]
  const ciResults = ciResultsOf(context, config, subject.repository)
  const wanted = failures.map(({ testName, checkName }) => ({
    testName,
    checkName: testName === '' ? checkName : null,
    failedIn: [checkName],
    until: now,
  }))
  const [histories, massFailures, reports] = await Promise.all([
    ciResults.historiesOf(wanted, subject, repository.id, thresholds),
    ciResults.massFailuresOf(now, subject, repository.id, thresholds),
    context.store.reports.ofQueue(repository.id, now - thresholds.closeAfterDays * DAY, MOST_REPORTS),
  ])
  const signed = failures.map((failure) => ({ ...failure, signature: signatureOfText(failure.signature) }))
  const { owner, name } = repository
  const asking = { octokit, ref: { owner, repo: name }, log: context.log }
  const peopleOf = peopleAsked(context, asking, repository.id, config)
  const people = await peopleOf(subject, rowsOf(signed, histories))
  const settings = { subject, massFailures, lookbackDays: thresholds.lookbackDays, people }
  const alike = failures.map((failure, index): [string, AlikeFailures] => {
    const { signature } = signed[index]!
    const history = histories[index]!
    // An entry without an output excuses none that has one, whatever matches it by its name.
    const failing = history.failing.filter((row) => row.signature.kind === signature.kind)
    const counted = countHistory({ signature }, { ...history, failing }, settings)
    const { hits, trunkHits, unrelatedPullRequests: pullRequests } = counted
    const isComplete = history.failingNotRead === 0
    return [entryIdOfDeclared(failure), { hits: hits.length, trunkHits: trunkHits.length, pullRequests, isComplete }]
  })
  const pullRequests = reports
    .filter(({ failingTests }) =>
      failingTests?.failures.some(({ failure }) => failures.some((one) => isOfSameTest(one, failure))),
    )
    .map(({ pullRequestNumber }) => pullRequestNumber)
  return { alike: new Map(alike), pullRequests }
}

type Named = Pick<DeclaredFailure, 'testName' | 'checkName'>

function isOfSameTest(one: Named, other: Named): boolean {
  return (
    comparedName(one.testName) === comparedName(other.testName) &&
    (one.testName !== '' || one.checkName === other.checkName)
  )
}
