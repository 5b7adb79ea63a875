import type { Context } from 'hono'
import { MOST_KNOWN_REPOSITORIES } from '../../bot/triage/queue.ts'
import type { GitHubUser } from '../../github/oauth.ts'
import type { KnownRepository, Repositories } from '../../inbox/repositories.ts'
import type { RepositoryAddress } from '../../report/urls.ts'
import type { ReportedRepository } from '../../store/reports/queue-reports.ts'
import type { RepositoryName } from '../../store/reports/report-queries.ts'
import type { Reports } from '../../store/reports/reports.ts'

/** The right to see a repository. Asked before anything else is looked up, by every route that belongs to a repository. */
export interface Access {
  /**
   * The repository, for whoever asks; null where there is none of that name and where this visitor may not see it: the
   * two can't be told apart.
   */
  visible(context: Context, owner: string, repo: string): Promise<RepositoryName | null>
  /**
   * The first `most` of these repositories, in their order, that whoever asks may see. The visitor has named none of them, so
   * that a quick no says nothing of any.
   */
  firstVisible(context: Context, reported: readonly ReportedRepository[], most: number): Promise<VisibleRepository[]>
  /** The person who asks, where GitHub says that they may write to the repository; null in every other case. */
  writer(context: Context, owner: string, repo: string): Promise<GitHubUser | null>
}

/** A repository that whoever asks may see. */
export interface VisibleRepository extends RepositoryAddress {
  readonly id: number
}

/** A repository that is there, under the name that was asked for. */
export interface PresentRepository {
  readonly id: number
  readonly isPrivate: boolean
  readonly owner: string
  readonly repo: string
  /** null: not known, so GitHub can't be asked about it. */
  readonly installationId: number | null
}

/** Facts about repositories apart from their reports. */
export type KnownRepositories = Pick<Repositories, 'byName' | 'byId'>

const NOTHING_KNOWN: KnownRepositories = { byName: async () => null, byId: async () => null }

/**
 * The repository of a name, by what was last heard of it or read from GitHub; where nothing was, by its newest report. The
 * store is asked once in any case, so that no answer takes longer than another. Throws `StoreUnavailable`.
 */
export async function presentRepository(
  reports: Pick<Reports, 'repositoryByName'>,
  known: KnownRepositories,
  owner: string,
  repo: string,
): Promise<PresentRepository | null> {
  // What is known is looked up after the store has answered: what was heard meanwhile counts.
  return await presentBy(await reports.repositoryByName(owner, repo), known, { owner, repo })
}

/** The same where the store has answered. */
export async function presentBy(
  reported: RepositoryName | null,
  known: KnownRepositories,
  { owner, repo }: RepositoryAddress,
): Promise<PresentRepository | null> {
  const found = (await known.byName(owner, repo)) ?? (reported === null ? null : await known.byId(reported.id))
  if (found === null) {
    return reported === null
      ? null
      : { id: reported.id, isPrivate: reported.isPrivate, owner, repo, installationId: null }
  }
  if (found.isGone || !isNamed(found, owner, repo)) return null
  const { repositoryId: id, installationId } = found
  const isPrivate = found.isPrivate ?? (reported?.id === id ? reported.isPrivate : true)
  return { id, isPrivate, owner, repo, installationId }
}

function isNamed(found: KnownRepository, owner: string, repo: string): boolean {
  return found.owner.toLowerCase() === owner.toLowerCase() && found.repo.toLowerCase() === repo.toLowerCase()
}

/** Below the number of questions to GitHub that may be under way: one more would be answered no. */
const ASKED_AT_ONCE = 20

/** Asks for the addresses, some at a time, until there are `most`. */
export async function firstOf<Address extends RepositoryAddress>(
  addresses: readonly Address[],
  most: number,
  see: (address: Address) => Promise<PresentRepository | null>,
): Promise<VisibleRepository[]> {
  const found: VisibleRepository[] = []
  for (let next = 0; next < addresses.length && found.length < most; next += ASKED_AT_ONCE) {
    const answers = await Promise.all(addresses.slice(next, next + ASKED_AT_ONCE).map(see))
    for (const one of answers) if (one !== null) found.push({ id: one.id, owner: one.owner, repo: one.repo })
  }
  return found.slice(0, most)
}

function onlyPublic(repository: PresentRepository | null): PresentRepository | null {
  return repository?.isPrivate === false ? repository : null
}

/** Repositories that are public may be seen; there is no sign-in. */
export function publicAccess(
  reports: Pick<Reports, 'repositoryByName'>,
  known: KnownRepositories = NOTHING_KNOWN,
): Access {
  return {
    async visible(_context, owner, repo) {
      const repository = onlyPublic(await presentRepository(reports, known, owner, repo))
      return repository === null ? null : { id: repository.id, isPrivate: false }
    },
    firstVisible: async (_context, reported, most) =>
      await firstOf(reported, most, async (one) => onlyPublic(await presentBy(one, known, one))),
    writer: async () => null,
  }
}

/** Repositories that are named to a channel, at most. */
const MOST_TOLD = 100

/**
 * The repositories that a channel may read of: those that the operator has named, private ones too; where none is, those that
 * are public. Throws `StoreUnavailable`.
 */
export async function toldRepositories(
  reports: Pick<Reports, 'repositoryByName' | 'repositories'>,
  known: KnownRepositories,
  named: readonly string[] | null,
): Promise<VisibleRepository[]> {
  if (named === null) {
    const reported = await reports.repositories(MOST_KNOWN_REPOSITORIES)
    return await firstOf(reported, MOST_TOLD, async (one) => onlyPublic(await presentBy(one, known, one)))
  }
  const addresses = named.map((name) => {
    const [owner = '', repo = ''] = name.split('/')
    return { owner, repo }
  })
  return await firstOf(
    addresses,
    MOST_TOLD,
    async ({ owner, repo }) => await presentRepository(reports, known, owner, repo),
  )
}
