import type { CiSearch } from '../store/checks/ci-search.ts'
import { MOST_FOUND } from '../store/checks/ci-search.ts'
import { InputError } from './command.ts'

/** As many digits as git shows at least. */
const FEWEST_DIGITS = 7
const SHORT = /^[\da-f]{7,39}$/i
const TOO_SHORT = /^[\da-f]{1,6}$/i

/**
 * The id of the commit that begins with these digits; what is no such beginning, or of no commit that has CI results, is
 * given back as it is. Throws `InputError` when several commits begin so, and `CiResultsUnavailable`.
 */
export async function wholeCommit(option: string, given: string, search: CiSearch): Promise<string> {
  if (!SHORT.test(given)) return given
  const found = await search.commitsBeginning(given.toLowerCase())
  if (found.length === 0 || found.includes(given)) return given
  if (found.length === 1) return found[0]!
  const several = found.length === MOST_FOUND ? `${MOST_FOUND} commits or more` : `${found.length} commits`
  throw new InputError(`${option} ${given} is the beginning of ${several}: ${found.join(', ')}; give more digits`)
}

/** What to say beside a commit of which nothing is known; empty: nothing. */
export function commitHint(given: string): string {
  return TOO_SHORT.test(given) ? `; of a commit at least ${FEWEST_DIGITS} digits are needed` : ''
}
