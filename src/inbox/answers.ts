import { z } from 'zod'
import { type Database, statementsOf } from './database.ts'
import { backoff, milliseconds, type RetryPolicy, type Time } from './retry.ts'
import type { Outage } from './turns.ts'

/**
 * The answers to what people say on pull requests: what is to be written yet, and what was within the last day, by which strangers have
 * budgets. They are written apart from all other work, one at a time of an installation, where nothing else of it is being written.
 */

/** What is to be answered. */
export interface Errand {
  readonly installationId: number
  readonly repositoryId: number
  readonly owner: string
  readonly repo: string
  /** Of the pull request. */
  readonly number: number
  readonly commentId: number
  readonly via: 'command' | 'label' | 'button'
  /** As `Saying.repliesTo`; null: the comment has a reply of its own. */
  readonly repliesTo: string | null
  readonly actorId: number
  /** The budget that it is charged to. */
  readonly charged: (typeof CHARGED)[number]
  readonly reply: (typeof REPLIES)[number]
}

/** An errand that nobody else runs until it is given back or its lease runs out. */
export interface AnswerClaim extends Errand {
  readonly id: number
  readonly attempts: number
}

const CHARGED = ['may-act', 'author', 'stranger'] as const
const REPLIES = ['words', 'reaction'] as const

/** Some calls to GitHub, of which each may take half a minute. */
const LEASE_MS = 3 * 60_000
/** An installation to which nothing was written for so long has nothing to write: the pace of its comments. */
const QUIET_MS = 3_000
/** So long an answer to whoever may not act lets all other writes go first. */
const PATIENCE_MS = 15 * 60_000
const HOUR_MS = 3600_000
/** Nobody waits for an answer of yesterday. */
const KEEP_MS = 24 * HOUR_MS
const RETRY: RetryPolicy = { firstMs: 1000, longestMs: 5 * 60_000, attempts: 50 }

const claimRow: z.ZodType<AnswerClaim> = z.object({
  id: z.int(),
  installationId: z.int(),
  repositoryId: z.int(),
  owner: z.string(),
  repo: z.string(),
  number: z.int(),
  commentId: z.int(),
  via: z.enum(['command', 'label', 'button']),
  repliesTo: z.string().nullable(),
  actorId: z.int(),
  charged: z.enum(CHARGED),
  reply: z.enum(REPLIES),
  attempts: z.int(),
})
const spentRow = z
  .object({
    here: z.int(),
    anywhere: z.int(),
    words: z.int(),
    reactions: z.int(),
    allWords: z.int(),
    allReactions: z.int(),
  })
  .transform(({ here, anywhere, words, reactions, allWords, allReactions }) => ({
    asAuthor: { here, anywhere },
    asStranger: { words, reactions },
    ofStrangers: { words: allWords, reactions: allReactions },
  }))
const countRow = z.object({ count: z.int() })
const atRow = z.object({ at: z.int().nullable() })

export class Answers {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('answers.sql', [
      'add',
      'spent',
      'claim',
      'answered',
      'putOff',
      'putOffAll',
      'drop',
      'due',
      'next',
      'releaseAll',
      'prune',
    ])
  }

  /** One for each comment: what is added before it is written belongs to it, and is charged like another one. */
  async add(errand: Errand, now: Time): Promise<void> {
    await this.#database.run(this.#statements.add, { ...errand, now: milliseconds(now) })
  }

  /** What was asked for since then by a person, and by all strangers of the installation. */
  async spent(
    { actorId, repositoryId, number, installationId }: Omit<Errand, 'charged' | 'reply'>,
    since: Time,
  ): Promise<z.output<typeof spentRow>> {
    const of = { actorId, repositoryId, number, installationId, since: milliseconds(since) }
    return (await this.#database.row(this.#statements.spent, spentRow, of))!
  }

  /**
   * The next that may be written, of the installation that was answered longest ago. First those of people who may act, which wait for
   * nothing; then those of whoever was answered least within the hour, so that who asks on a hundred pull requests waits for themselves.
   */
  async claimNext(now: Time): Promise<AnswerClaim | null> {
    const at = milliseconds(now)
    const claim = {
      now: at,
      leasedUntil: at + LEASE_MS,
      quietSince: at - QUIET_MS,
      patientSince: at - PATIENCE_MS,
      hourAgo: at - HOUR_MS,
    }
    const take = () => this.#database.row(this.#statements.claim, claimRow, claim)
    return await this.#database.transaction(take, { isDurable: false })
  }

  async answered({ id }: Pick<AnswerClaim, 'id'>, now: Time): Promise<void> {
    await this.#database.run(this.#statements.answered, { id, now: milliseconds(now) })
  }

  /**
   * Again later; after many times it is dropped. With an outage all of the installation wait, and the failure does not count: where the hour
   * has no more writes for those who may not act, theirs alone.
   */
  async fail(
    { id, attempts, installationId, charged }: AnswerClaim,
    outage: Outage | null,
    now: Time,
  ): Promise<'retry' | 'dropped'> {
    if (outage !== null && outage.until !== null) {
      const { until, isOfThisAlone = false } = outage
      const isOfOthers = Number(isOfThisAlone && charged !== 'may-act')
      await this.#database.run(this.#statements.putOff, { id, dueAt: until, attempts: attempts - 1 })
      await this.#database.run(this.#statements.putOffAll, { installationId, until, isOfOthers })
      return 'retry'
    }
    if (attempts >= RETRY.attempts) {
      await this.#database.run(this.#statements.drop, { id })
      return 'dropped'
    }
    const dueAt = milliseconds(now) + backoff(RETRY, attempts)
    await this.#database.run(this.#statements.putOff, { id, dueAt, attempts })
    return 'retry'
  }

  /** How many could be written now. */
  async due(now: Time): Promise<number> {
    return (await this.#database.row(this.#statements.due, countRow, { now: milliseconds(now) }))!.count
  }

  /** When there is something to write next; null: nothing waits. May lie in the past. */
  async nextAt(): Promise<number | null> {
    return (await this.#database.row(this.#statements.next, atRow))!.at
  }

  /** At the start and the end of the only process: nobody is writing one. */
  async releaseAll(): Promise<void> {
    await this.#database.run(this.#statements.releaseAll)
  }

  async prune(now: Time): Promise<void> {
    await this.#database.run(this.#statements.prune, { before: milliseconds(now) - KEEP_MS })
  }
}
