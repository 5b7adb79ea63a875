import type { RepositoryConfig } from '../../config/repository-config.ts'
import type { SeenPullRequest } from '../../inbox/people.ts'
import { type SeenRow, tellWitnesses } from '../../judge/ledger/witness.ts'
import { acceptedIn, standingDecisions } from '../../report/acceptance.ts'
import type { WitnessOfFlag } from './history-of-head.ts'
import { peopleAsked, subjectOf } from './people.ts'
import type { PublishContext } from './publish.ts'
import type { TriageContext } from './triage-context.ts'

/**
 * Whose word the flags of queries in other pull requests are. A row that a person accepted is no flag for others: it was
 * called real.
 */
export async function witnessesOfFlags(
  context: Pick<TriageContext, 'inbox' | 'now'>,
  publishing: PublishContext,
  config: RepositoryConfig,
  numbers: readonly number[],
): Promise<WitnessOfFlag> {
  const { inbox, now } = context
  const { pullRequest } = publishing
  const { id } = pullRequest.repository
  const subject = subjectOf(pullRequest, null)
  const known = await inbox.people.pullRequests(id, numbers)
  const rows = new Map(numbers.map((number) => [number, seenRow(number, known.get(number))]))
  const people = await peopleAsked(context, publishing, id, config)(subject, [...rows.values()])
  const own = { ...seenRow(pullRequest.number, pullRequest), commitSha: pullRequest.head }
  const { of: witnessOf } = tellWitnesses([own, ...rows.values()], subject, people)
  const decisionsOf = await inbox.decisions.on(id, numbers)
  const said = new Map(numbers.map((number) => [number, standingDecisions(decisionsOf(number), now())]))
  return (query, number) => {
    const witness = witnessOf(rows.get(number)!)
    if (witness === null || acceptedIn(query, [number], (of) => said.get(of)!) !== null) return null
    const isStranger = witness.standing !== 'trusted'
    return isStranger && people.mode === 'gating' ? null : { name: witness.name, isStranger }
  }
}

/** A pull request that was not read from GitHub yet has no author, and all of these are one witness. */
function seenRow(
  pullRequestNumber: number,
  seen: Pick<SeenPullRequest, 'headRepo' | 'headRef' | 'baseRef' | 'openedAt'> | undefined,
): SeenRow {
  const { headRepo = '', headRef = '', baseRef = '', openedAt = 0 } = seen ?? {}
  return { pullRequestNumber, commitSha: '', headRepo, headRef, baseRef, baseRepo: '', time: openedAt }
}
