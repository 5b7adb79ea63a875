import { HOUR } from '../../text/time.ts'
import type { FailingExecution, Subject } from './failure.ts'
import { isOfTrunk, isOwn, pullRequestOf, type RowOrigin } from './row-origin.ts'

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
  if (isOfTrunk(row, subject) || isOfRepositoryItself(row, subject)) return 'trusted'
  const person = personOf(row, people)
  return person === null ? 'not-known' : (people.standings.get(person) ?? 'not-known')
}

function isOfRepositoryItself({ headRepo }: RowOrigin, { repository }: Subject): boolean {
  return repository !== '' && headRepo.toLowerCase() === repository.toLowerCase()
}

/** The pull requests that failed alike, counted so that each number can't come from one cause. */
export interface Witnesses {
  /** Pull requests of trusted authors; those of one stack are one. */
  readonly trusted: number
  /** Other authors, each once however many pull requests they have. */
  readonly strangers: number
  /** Authors that nobody could be asked about; all rows without an author are one. */
  readonly notKnown: number
}

/** `gating` believes no stranger; advisory takes one for one. */
export function countWitnesses({ trusted, strangers, notKnown }: Witnesses, mode: People['mode']): number {
  return mode === 'gating' ? trusted : trusted + strangers + notKnown
}

/** A row with what says whose it is and when it was there. */
export type SeenRow = RowOrigin & Pick<FailingExecution, 'time'>

/** The witness that a row's pull request is. */
export interface Witness {
  /** Rows of one witness have one name. */
  readonly name: string
  readonly standing: Standing
}

export interface WitnessTeller {
  /** The witness that a row is; null: none, as of a release branch. */
  readonly of: (row: RowOrigin) => Witness | null
  /** The row is of the subject's own stack, or of its author where that is nobody trusted: it says nothing for or against. */
  readonly isOwn: (row: RowOrigin) => boolean
}

/**
 * Tells which witness a row is. `seen` has every row there is, the subject's among them: it says when each pull request was
 * first seen, and which stack is the subject's own, which is no witness. A stranger's other pull requests are no witness for
 * that stranger either.
 */
export function tellWitnesses(seen: readonly SeenRow[], subject: Subject, people: People): WitnessTeller {
  const stacks = stacksOf(seen, subject, people)
  const own = new Set(seen.filter((row) => row.pullRequestNumber > 0 && isOwn(row, subject)).map(stacks.of))
  const author = authorOf(subject, people)
  const isOwnRow = (row: RowOrigin): boolean =>
    row.pullRequestNumber > 0 &&
    (own.has(stacks.of(row)) ||
      (author !== null && personOf(row, people) === author && standingOf(row, subject, people) !== 'trusted'))
  return {
    isOwn: isOwnRow,
    of: (row) => {
      if (pullRequestOf(row, subject) === null || isOwnRow(row)) return null
      const standing = standingOf(row, subject, people)
      return { name: standing === 'trusted' ? stacks.of(row) : (personOf(row, people) ?? ''), standing }
    },
  }
}

/** The person whose pull request is judged; null where nobody knows. */
export function authorOf(subject: Subject, people: Pick<People, 'authors'>): string | null {
  return personOf({ ...subject, baseRef: '', baseRepo: '' }, people)
}

/**
 * Counts the witnesses among failing rows.
 *
 * Three: a trusted author's `fix-parser` and `cache` and a stranger's pull request. One: `step-1`, `step-2` and `step-3` of
 * one author, opened within the hour; or three pull requests of one stranger.
 */
export function witnessesOf(rows: readonly RowOrigin[], teller: WitnessTeller): Witnesses {
  const counted: Record<Standing, Set<string>> = {
    trusted: new Set(),
    stranger: new Set(),
    'not-known': new Set(),
  }
  for (const row of rows) {
    const witness = teller.of(row)
    if (witness !== null) counted[witness.standing].add(witness.name)
  }
  return { trusted: counted.trusted.size, strangers: counted.stranger.size, notKnown: counted['not-known'].size }
}

/** How far apart two branches of a stack are first seen at most: a stack is pushed at once. */
const STACK_MS = HOUR

interface Stacks {
  /** A name of the stack that the row's pull request belongs to; one alone is a stack of its own. */
  readonly of: (row: RowOrigin) => string
}

/**
 * Pull requests that build on each other: the base branch of one is the head branch of another; or one repository has
 * branches whose names differ in digits alone, first seen within an hour of each other; or both were tested at one commit
 * that is not on the trunk.
 */
function stacksOf(rows: readonly SeenRow[], subject: Subject, people: People): Stacks {
  const pullRequests = rows.filter(({ pullRequestNumber }) => pullRequestNumber > 0)
  const nodes = new Map<string, { readonly row: RowOrigin; firstSeen: number; parent: string }>()
  for (const row of pullRequests) {
    const key = branchOf(row)
    const known = nodes.get(key)
    if (known === undefined) nodes.set(key, { row, firstSeen: row.time, parent: key })
    else known.firstSeen = Math.min(known.firstSeen, row.time)
  }
  const rootOf = (key: string): string => {
    const parent = nodes.get(key)?.parent ?? key
    if (parent === key) return key
    const root = rootOf(parent)
    nodes.get(key)!.parent = root
    return root
  }
  const join = (one: string, other: string): void => {
    nodes.get(rootOf(one))!.parent = rootOf(other)
  }

  const byFamily = Map.groupBy(nodes.entries(), ([, { row }]) =>
    row.headRepo === '' || row.headRef === ''
      ? ''
      : `${row.headRepo.toLowerCase()}:${row.headRef.replace(/\d+/g, '#')}`,
  )
  for (const [family, members] of byFamily) {
    if (family === '') continue
    const inTime = [...members].toSorted(([, a], [, b]) => a.firstSeen - b.firstSeen)
    for (const [index, [key, { firstSeen }]] of inTime.entries()) {
      const before = inTime[index - 1]
      if (before !== undefined && firstSeen - before[1].firstSeen <= STACK_MS) join(before[0], key)
    }
  }
  // A base branch lies in the repository itself. Everybody's is the trunk.
  for (const row of pullRequests) {
    const key = branchOf(row)
    const below = `${subject.repository.toLowerCase()}:${row.baseRef}`
    if (nodes.has(below) && !subject.trunk.includes(row.baseRef)) join(below, key)
  }
  for (const [one, other] of pairsOfOneCommit(rows, subject, people)) join(branchOf(one), branchOf(other))
  return { of: (row) => rootOf(branchOf(row)) }
}

/**
 * Rows of two pull requests that hold one commit. A stranger who pushes the heads of others joins nothing but the subject:
 * else anybody could make many witnesses one.
 */
function pairsOfOneCommit(
  rows: readonly SeenRow[],
  subject: Subject,
  people: People,
): readonly (readonly [SeenRow, SeenRow])[] {
  const onTrunk = new Set(rows.filter((row) => isOfTrunk(row, subject)).map(({ commitSha }) => commitSha))
  if (subject.mergeBase !== null) onTrunk.add(subject.mergeBase)
  const held = rows.filter(
    ({ pullRequestNumber, commitSha }) => pullRequestNumber > 0 && commitSha !== '' && !onTrunk.has(commitSha),
  )
  return [...Map.groupBy(held, ({ commitSha }) => commitSha).values()].flatMap((members) => {
    const own = members.find((row) => isOwn(row, subject))
    const joining =
      own === undefined ? members.filter((row) => standingOf(row, subject, people) === 'trusted') : members
    const first = own ?? joining[0]
    return first === undefined ? [] : joining.map((row) => [first, row] as const)
  })
}

function branchOf({ headRepo, headRef, pullRequestNumber }: RowOrigin): string {
  return headRepo === '' || headRef === '' ? `#${pullRequestNumber}` : `${headRepo.toLowerCase()}:${headRef}`
}
