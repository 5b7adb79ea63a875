import { z } from 'zod'
import { LAST_TIME, timestamp } from '../../text/time.ts'
import type { CiQueries } from './ci-queries.ts'

/** Finds what a person typed again in CI results. Throws `CiResultsUnavailable`. */
export interface CiSearch {
  /** The ids of commits that begin so, in their order; at most `MOST_FOUND`. */
  commitsBeginning(beginning: string): Promise<readonly string[]>
  /** Other names of tests (or of checks) that hold this one, whatever its case, the likeliest first; at most `MOST_FOUND`. */
  namesLike(given: string, options: { readonly ofChecks: boolean }): Promise<readonly string[]>
}

export const MOST_FOUND = 5

export interface CiSearchScope {
  readonly repositoryId: number
  /** `owner/name`; empty: of every repository. */
  readonly repository: string
}

/** Seconds. A name that is not in the index is sought through all rows: in a table of others, of a week. */
const NAMES_WITHIN = { own: 365 * 86_400, 'ci-database': 7 * 86_400 } as const

export function ciSearch(queries: CiQueries, scope: CiSearchScope, now: () => number = Date.now): CiSearch {
  const rows = { repositoryId: scope.repositoryId, repository: scope.repository.toLowerCase(), most: MOST_FOUND }
  const nowInSeconds = () => Math.floor(now() / 1000)
  const options = { unmerged: true }
  return {
    async commitsBeginning(beginning) {
      for (const seconds of queries.commitSearch) {
        const from = seconds === null ? 0 : timestamp(nowInSeconds() - seconds)
        const parameters = { ...rows, beginning, from }
        const found = await queries.read('commits-beginning', parameters, z.object({ commitSha: z.string() }), options)
        if (found.length > 0) return found.map(({ commitSha }) => commitSha)
      }
      return []
    },
    async namesLike(given, { ofChecks }) {
      const from = timestamp(nowInSeconds() - NAMES_WITHIN[queries.source])
      const parameters = { ...rows, given, ofChecks, from, until: LAST_TIME }
      const found = await queries.read('names-like', parameters, z.object({ name: z.string() }), options)
      return found.map(({ name }) => name)
    },
  }
}
