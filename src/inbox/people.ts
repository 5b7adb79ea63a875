import { z } from 'zod'
import type { Standing } from '../judge/ledger/witness.ts'
import { DAY } from '../text/time.ts'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** A pull request as it was read from GitHub, with its author. */
export interface SeenPullRequest {
  readonly number: number
  /** In lower case. `#` and the account's number where another account has the name by now. */
  readonly login: string
  /** `owner/name`; empty when it is gone. */
  readonly headRepo: string
  readonly headRef: string
  readonly baseRef: string
  /** Milliseconds. */
  readonly openedAt: number
}

/** GitHub's answer about a person. */
export interface KnownPerson {
  /** In lower case. */
  readonly login: string
  /** Null: GitHub knows no such account. */
  readonly accountId: number | null
  /** Why they are trusted; null: they are a stranger. */
  readonly trusted: 'may-write' | 'has-commit' | null
}

/** How long an answer holds, in milliseconds: permission to write is taken away in a day, and a stranger may be merged tomorrow. */
const KEPT_MS = { 'may-write': DAY, 'has-commit': 90 * DAY, stranger: DAY } as const

const pullRequestRow: z.ZodType<SeenPullRequest> = z.object({
  number: z.int(),
  login: z.string(),
  headRepo: z.string(),
  headRef: z.string(),
  baseRef: z.string(),
  openedAt: z.int(),
})
const foundRow = z.object({ found: z.int() })
const standingRow = z.object({ login: z.string(), standing: z.enum(['trusted', 'stranger']) })

/** The authors of pull requests, and whose word counts in a repository. */
export class InboxPeople {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', [
      'pullRequestAsNow',
      'sawPullRequest',
      'accountHasLogin',
      'othersLostLogin',
      'forgetStandingOfOthers',
      'pullRequestsBetween',
      'saveStanding',
      'standingsOf',
      'pruneStandings',
    ])
  }

  /** Names change hands: whoever had this one before is not this author, and what GitHub said of them is forgotten. */
  async saw(
    repositoryId: number,
    pullRequest: SeenPullRequest & { readonly authorId: number; readonly wasMerged: boolean },
  ): Promise<void> {
    const { number, authorId, headRepo, headRef, baseRef, openedAt } = pullRequest
    const account = { repositoryId, authorId, login: pullRequest.login.toLowerCase() }
    const row = { ...account, number, wasMerged: Number(pullRequest.wasMerged), headRepo, headRef, baseRef }
    // Each look reads it again; hardly any has news.
    if ((await this.#database.row(this.#statements.pullRequestAsNow, foundRow, row)) !== null) return
    await this.#database.transaction(async () => {
      await this.#database.run(this.#statements.othersLostLogin, account)
      await this.#database.run(this.#statements.accountHasLogin, account)
      await this.#database.run(this.#statements.forgetStandingOfOthers, account)
      await this.#database.run(this.#statements.sawPullRequest, { ...row, openedAt })
    })
  }

  /** The pull requests that were seen among these numbers. */
  async pullRequests(repositoryId: number, numbers: readonly number[]): Promise<ReadonlyMap<number, SeenPullRequest>> {
    const wanted = new Set(numbers.filter((number) => number > 0))
    if (wanted.size === 0) return new Map()
    const [first, last] = [Math.min(...wanted), Math.max(...wanted)]
    const rows = await this.#database.rows(this.#statements.pullRequestsBetween, pullRequestRow, {
      repositoryId,
      first,
      last,
    })
    return new Map(rows.filter(({ number }) => wanted.has(number)).map((row) => [row.number, row]))
  }

  async keep(repositoryId: number, person: KnownPerson, now: Time): Promise<void> {
    const { accountId, trusted } = person
    const login = person.login.toLowerCase()
    if (accountId !== null) {
      await this.#database.run(this.#statements.othersLostLogin, { repositoryId, login, authorId: accountId })
    }
    await this.#database.run(this.#statements.saveStanding, {
      repositoryId,
      login,
      accountId,
      standing: trusted === null ? 'stranger' : 'trusted',
      until: milliseconds(now) + KEPT_MS[trusted ?? 'stranger'],
    })
  }

  /** By login. A merged pull request stands before what GitHub has answered. */
  async standings(repositoryId: number, now: Time): Promise<Map<string, Standing>> {
    const rows = await this.#database.rows(this.#statements.standingsOf, standingRow, {
      repositoryId,
      now: milliseconds(now),
    })
    // If a login has two rows, the trusted one comes last and wins.
    return new Map(rows.map(({ login, standing }) => [login, standing]))
  }

  /** Drops answers that hold no longer. */
  async prune(now: Time): Promise<void> {
    await this.#database.run(this.#statements.pruneStandings, { now: milliseconds(now) })
  }
}
