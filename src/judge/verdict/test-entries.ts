import { type QueryId, queryKey } from '../../intake/measurement/run.ts'
import { compileNamePattern, matchName, type NamePattern } from '../../text/name-pattern.ts'
import { DAY } from '../../text/time.ts'
import type { Acceptance, Said } from './acceptance.ts'

/**
 * A larger size in the repository's file is more likely a percentage.
 *
 * Refused: 50, by which +50% is meant. Not: 5, which is +500%.
 */
export const MOST_ACCEPTED = 5

/** The queries that an entry of `tests` in a repository's file is about. */
interface EntrySubject {
  /** A name of a test, or a pattern. */
  readonly test: string
  /** The position in the test, or the text of the query, or a pattern; null: all of the test. */
  readonly query: number | string | null
}

/** The smallest difference that is called a change, for these queries: it takes the place of the repository's. */
export interface ThresholdEntry extends EntrySubject {
  readonly kind: 'threshold'
  /** A fraction of the old median. */
  readonly threshold: number
}

/** What is measured of these queries is shown and judges nothing, up to a day. */
export interface IgnoreEntry extends EntrySubject {
  readonly kind: 'ignore'
  readonly reason: string
  /** The last day on which it holds, in UTC: `2027-03-01`. */
  readonly until: string
}

/**
 * These queries may be so much slower, up to a day. Triggers: 0.12, +14% and a threshold of 5%. Does not: +18%, a query without a
 * result, or +14% on the day after.
 */
export interface AcceptedEntry extends EntrySubject {
  readonly kind: 'accepted'
  /** A fraction of the old median. */
  readonly difference: number
  /** Empty: none was given. */
  readonly reason: string
  /** As of an ignored one. */
  readonly until: string
}

export type TestEntry = ThresholdEntry | EndingEntry
type EndingEntry = IgnoreEntry | AcceptedEntry

/** A person ignores this one query on a pull request. */
export interface IgnoredByPerson extends EntrySubject {
  readonly by: Said
}

/** What the entries say of one query. */
interface EntryOfQuery {
  /** The first entry that names it and has not expired; null: none does. */
  readonly entry: TestEntry | null
  /** The entries before that one which name it and have expired. */
  readonly expired: readonly EndingEntry[]
}

interface Compiled {
  readonly entry: TestEntry
  readonly test: NamePattern
  readonly query: number | NamePattern | null
}

/**
 * The entries of a repository's file on a day. The first that fits decides, as with every list of patterns in that file; one that
 * has expired is passed over, so that an entry behind it may fit.
 */
export class TestEntries {
  readonly #entries: readonly Compiled[]
  readonly #today: string
  /** By the key of the query. */
  readonly #byPeople: ReadonlyMap<string, IgnoredByPerson>
  /** By the name of the test: many queries have the same one. */
  readonly #ofTest = new Map<string, readonly Compiled[]>()

  /** `today` is a day in UTC: `2026-11-23`. `byPeople`: what people ignore, by the key of the query. */
  constructor(
    entries: readonly TestEntry[],
    today: string,
    byPeople: ReadonlyMap<string, IgnoredByPerson> = new Map(),
  ) {
    this.#today = today
    this.#byPeople = byPeople
    this.#entries = entries.map((entry) => ({
      entry,
      test: compileNamePattern(entry.test),
      query: typeof entry.query === 'string' ? compileNamePattern(entry.query) : entry.query,
    }))
  }

  /** All entries that have expired, whatever they name. */
  get expired(): readonly EndingEntry[] {
    return this.#entries.map(({ entry }) => entry).filter((entry) => hasExpired(entry, this.#today))
  }

  of(query: QueryId): EntryOfQuery {
    const expired: EndingEntry[] = []
    for (const { entry, query: wanted } of this.#entriesOfTest(query.test)) {
      if (!isOfQuery(wanted, query)) continue
      if (!hasExpired(entry, this.#today)) return { entry, expired }
      expired.push(entry)
    }
    return { entry: null, expired }
  }

  /** The threshold that an entry sets for the query; null: none does. */
  thresholdOf(query: QueryId): number | null {
    const { entry } = this.of(query)
    return entry?.kind === 'threshold' ? entry.threshold : null
  }

  /** The entry or the person by which the query is ignored; null: it is not. */
  ignoring(query: QueryId): IgnoreEntry | IgnoredByPerson | null {
    const byPerson = this.#byPeople.get(queryKey(query))
    if (byPerson !== undefined) return byPerson
    const { entry } = this.of(query)
    return entry?.kind === 'ignore' ? entry : null
  }

  /** What the file accepts of the query; null: nothing. */
  accepting(query: QueryId): Acceptance | null {
    const { entry } = this.of(query)
    if (entry?.kind !== 'accepted') return null
    const { difference, reason, until } = entry
    const end = Date.parse(until) + DAY - 1
    return { difference, reason, until: end, via: 'file', actor: '', actorId: 0, saidAt: Date.parse(this.#today) }
  }

  #entriesOfTest(name: string): readonly Compiled[] {
    const known = this.#ofTest.get(name)
    if (known !== undefined) return known
    const found = this.#entries.filter(({ test }) => matchName(test, name) !== null)
    this.#ofTest.set(name, found)
    return found
  }
}

/** No query is named. */
export const NO_ENTRIES = new TestEntries([], '')

function isOfQuery(wanted: Compiled['query'], { queryIndex, queryName }: QueryId): boolean {
  if (wanted === null) return true
  if (typeof wanted === 'number') return wanted === queryIndex
  return queryName !== null && matchName(wanted, queryName) !== null
}

/** Its last day is over. Triggers: until 2026-11-22, on 2026-11-23. Does not: on 2026-11-22. */
function hasExpired(entry: TestEntry, today: string): entry is EndingEntry {
  return entry.kind !== 'threshold' && today > entry.until
}
