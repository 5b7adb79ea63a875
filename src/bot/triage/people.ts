import type { RepositoryConfig } from '../../config/repository-config.ts'
import { standingOnGitHub } from '../../github/people.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { InboxPeople, KnownPerson } from '../../inbox/people.ts'
import type { Subject } from '../../judge/ledger/failure.ts'
import { isOfRepository, isOwn, type RowOrigin } from '../../judge/ledger/row-origin.ts'
import { type People, personOf, standingOf } from '../../judge/ledger/witness.ts'
import { optionalAnswer } from './optional-answer.ts'
import type { PublishContext } from './publish.ts'
import type { TriageContext } from './triage-context.ts'
import { withDeadline } from './with-deadline.ts'

/** The people behind rows of CI results, as they stand now. Those of the first rows are asked about first. */
export type PeopleOf = (subject: Subject, rows: readonly RowOrigin[]) => Promise<People>

/**
 * People that one look asks GitHub about, two calls each at most: a failure that everybody has met would ask about hundreds.
 * The next look asks about the next ones.
 */
const MOST_ASKED = 20

/** For all of them together; whoever GitHub says nothing of by then is not known yet. */
const LONGEST_MS = 15_000

interface PeopleAsking {
  readonly people: Pick<InboxPeople, 'pullRequests' | 'standings' | 'keep'>
  readonly repositoryId: number
  readonly mode: People['mode']
  readonly now: () => number
  /** GitHub's answer; null: there is none. Left out: GitHub can't be asked. */
  readonly ask?: (login: string) => Promise<KnownPerson | null>
}

/** What the inbox knows of people, and of those that it does not know what GitHub says. */
export function peopleOf({ people, repositoryId, mode, now, ask }: PeopleAsking): PeopleOf {
  const known = async (numbers: readonly number[]): Promise<People> => {
    const pullRequests = await people.pullRequests(repositoryId, numbers)
    const authors = new Map([...pullRequests].map(([number, { login }]) => [number, login]))
    return { mode, authors, standings: await people.standings(repositoryId, now()) }
  }
  return async (subject, rows) => {
    const others = rows.filter(
      (row) => row.pullRequestNumber > 0 && isOfRepository(row, subject) && !isOwn(row, subject),
    )
    const numbers = [subject, ...others].map(({ pullRequestNumber }) => pullRequestNumber)
    const found = await known(numbers)
    if (ask === undefined) return found
    const asked = new Set<string>()
    for (const row of others) {
      const person = standingOf(row, subject, found) === 'not-known' ? personOf(row, found) : null
      if (person !== null && asked.size < MOST_ASKED) asked.add(person)
    }
    if (asked.size === 0) return found
    const answers = await Promise.all([...asked].map(ask))
    for (const person of answers) if (person !== null) await people.keep(repositoryId, person, now())
    // A name may be another account's by now, which an answer has shown.
    return await known(numbers)
  }
}

/** Asks GitHub about whom the inbox does not know. Where the check does not gate, nobody relies on it to be red. */
export function peopleAsked(
  { inbox, now }: Pick<TriageContext, 'inbox' | 'now'>,
  { octokit, ref, log }: Pick<PublishContext, 'octokit' | 'ref' | 'log'>,
  repositoryId: number,
  { mode }: RepositoryConfig,
): PeopleOf {
  const ask = (login: string) =>
    optionalAnswer(
      withDeadline(() => standingOnGitHub(octokit, ref, login), LONGEST_MS),
      null,
      'whether a person’s word counts could not be read',
      log,
    )
  return peopleOf({ people: inbox.people, repositoryId, mode: mode === 'gating' ? 'gating' : 'advisory', now, ask })
}

/** A pull request as failures elsewhere are looked at from there. */
export function subjectOf(
  { number, head, headRepo, headRef, repository }: PullRequest,
  mergeBase: string | null,
): Subject {
  return {
    pullRequestNumber: number,
    commitSha: head,
    headRepo,
    headRef,
    repository: `${repository.owner}/${repository.name}`,
    trunk: [repository.defaultBranch],
    mergeBase,
  }
}

/** Keeps who wrote a pull request that was read from GitHub anyway, and whether it was merged. */
export async function seePullRequest({ inbox }: Pick<TriageContext, 'inbox'>, pullRequest: PullRequest): Promise<void> {
  const { repository, author, mergeCommit, number, headRepo, headRef, baseRef, openedAt } = pullRequest
  if (author === null) return
  const { id: authorId, login } = author
  const seen = { number, authorId, login, wasMerged: mergeCommit !== null, headRepo, headRef, baseRef, openedAt }
  await inbox.people.saw(repository.id, seen)
}
