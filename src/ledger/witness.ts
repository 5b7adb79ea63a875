import type { Subject } from './failure.ts'
import { isOfTrunk, type RowOrigin } from './row-origin.ts'

/**
 * Whether a person's word counts where failures elsewhere excuse one here. `trusted`: may write to the repository, or has
 * had a pull request merged there. `not-known`: nobody has asked GitHub yet.
 */
export type Standing = 'trusted' | 'stranger' | 'not-known'

/** The people behind rows of CI results. Logins are in lower case. */
export interface People {
  /** `gating`: only trusted people are witnesses, since a red check is relied on. */
  readonly mode: 'advisory' | 'gating'
  /** The author of each pull request that the bot has seen itself, by its number. */
  readonly authors: ReadonlyMap<number, string>
  readonly standings: ReadonlyMap<string, Standing>
}

/** Nobody could be asked, as on the command line. */
export const UNKNOWN_PEOPLE: People = { mode: 'advisory', authors: new Map(), standings: new Map() }

/**
 * The author of a row's pull request: as the bot saw it, else the owner of the head repository, which is all that a CI
 * database says. Null where the row says neither.
 */
export function personOf(row: RowOrigin, { authors }: Pick<People, 'authors'>): string | null {
  const author = row.pullRequestNumber > 0 ? authors.get(row.pullRequestNumber) : undefined
  if (author !== undefined) return author
  const [owner = ''] = row.headRepo.toLowerCase().split('/')
  return owner === '' ? null : owner
}

/**
 * The standing of whoever wrote a row. The trunk is trusted, and so is a branch of the repository itself: only who may write
 * can push one.
 */
export function standingOf(row: RowOrigin, subject: Subject, people: People): Standing {
  if (isOfTrunk(row, subject)) return 'trusted'
  if (subject.repository !== '' && row.headRepo.toLowerCase() === subject.repository.toLowerCase()) return 'trusted'
  const person = personOf(row, people)
  return person === null ? 'not-known' : (people.standings.get(person) ?? 'not-known')
}
