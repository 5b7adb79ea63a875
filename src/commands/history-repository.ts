import type { StoredHistory } from '../store/history/stored-history.ts'
import { list } from '../text/numbers.ts'
import { InputError } from './command.ts'
import { repositoryText } from './history-list.ts'

/** Repositories that a message names; more are in `history list`. */
const MOST_NAMED = 10

export interface ChosenRepository {
  readonly id: number
  /** What a person should know of the choice, one line; null: nothing. */
  readonly note: string | null
}

/**
 * Whose history is meant where nobody has said it. Rows that were imported for any repository stand under 0: where there
 * are some, these; else those of the one repository that has a history. Throws `InputError` where several have one.
 */
export function chosenRepository(
  stored: readonly Pick<StoredHistory, 'repositoryId' | 'repository'>[],
): ChosenRepository {
  const byId = new Map(stored.map((one) => [one.repositoryId, one]))
  const forAny = byId.delete(0)
  const [only, ...others] = byId.values()
  if (only === undefined) return { id: 0, note: null }
  const all = [only, ...others]
  const named = all.slice(0, MOST_NAMED).map(repositoryText)
  const names = list(all.length > named.length ? [...named, `${all.length - named.length} more`] : named)
  if (forAny) {
    return {
      id: 0,
      note: `only what was imported for any repository; of their own have history: ${names} (--repository-id)`,
    }
  }
  if (others.length === 0)
    return { id: only.repositoryId, note: `the history of repository ${names}, the only one stored` }
  throw new InputError(`${all.length} repositories have history: ${names}; choose with --repository-id`)
}
