import type { StoredHistory } from '../../store/history/stored-history.ts'
import { list } from '../../text/numbers.ts'
import { InputError } from './command.ts'
import { repositoryText } from './history-list.ts'
import type { RepositoryGiven } from './option-values.ts'

/** Repositories that a message names; more are in `history list`. */
const MOST_NAMED = 10

const FIND_NUMBER = 'give its ID with --repository; `gh api repos/OWNER/NAME --jq .id` prints it'

/** A repository that the database knows: its name, where a report says it. */
export type KnownRepository = Pick<StoredHistory, 'repositoryId' | 'repository'>

export interface ChosenRepository {
  readonly id: number
  /** A line that a person should know about the choice; null: nothing. */
  readonly note: string | null
}

/**
 * The repository whose history is meant where nobody has said it: the only one that is known. Throws `InputError` where
 * that is not clear.
 */
export function chosenRepository(known: readonly KnownRepository[]): ChosenRepository {
  const [only, ...others] = new Map(known.map((one) => [one.repositoryId, one])).values()
  if (only === undefined) throw new InputError(`nothing stored says whose history it is: ${FIND_NUMBER}`)
  const all = [only, ...others]
  const names = repositoriesText(all)
  if (others.length === 0)
    return { id: only.repositoryId, note: `the history of repository ${names}, the only one stored` }
  throw new InputError(`${all.length} repositories have history: ${names}; choose with --repository`)
}

/** `7 (acme/fast.db), 8 and 3 more`. */
export function repositoriesText(all: readonly KnownRepository[]): string {
  const named = all.slice(0, MOST_NAMED).map(repositoryText)
  return list(all.length > named.length ? [...named, `${all.length - named.length} more`] : named)
}

/**
 * The number of a repository that was named: by its present name, compared without case as GitHub does, or by the number.
 * Throws `InputError` where no report has the name.
 */
export async function numberOf(
  given: RepositoryGiven,
  known: () => Promise<readonly KnownRepository[]>,
): Promise<number> {
  if ('id' in given) return given.id
  const { name } = given
  const found = (await known()).find(({ repository }) => repository?.toLowerCase() === name.toLowerCase())
  if (found === undefined) throw new InputError(`no report of ${name} is stored: ${FIND_NUMBER}`)
  return found.repositoryId
}

/** `--repository` and `--repository-id` are the same. Throws `InputError` where both are given. */
export function oneRepository({
  repository,
  repositoryId,
}: {
  readonly repository?: RepositoryGiven
  readonly repositoryId?: number
}): RepositoryGiven | undefined {
  if (repositoryId === undefined) return repository
  if (repository !== undefined) {
    throw new InputError('--repository and --repository-id mean the same; give only one')
  }
  return { id: repositoryId }
}
