import { z } from 'zod'
import { type Database, statementsOf } from './database.ts'
import { backoff, milliseconds, type RetryPolicy, type Time } from './retry.ts'

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
  /** Whose budget it is charged to. */
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
/** So long an answer lets all others go first: a maintainer waits for it. */
const PATIENCE_MS = { ofThoseWhoMayAct: 60_000, ofOthers: 15 * 60_000 }
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
const spentRow = z.object({ words: z.int(), reactions: z.int() })
const countRow = z.object({ count: z.int() })
const atRow = z.object({ at: z.int().nullable() })

type Answered = z.output<typeof spentRow>

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

  /** One for each comment: what is added before it is written belongs to it. */
  async add(errand: Errand, now: Time): Promise<void> {
    await this.#database.run(this.#statements.add, { ...errand, now: milliseconds(now) })
  }

  /** The answers since then, by whom they were charged to. */
  async spent(
    { actorId, repositoryId, number, installationId }: Omit<Errand, 'charged' | 'reply'>,
    since: Time,
  ): Promise<{ readonly asAuthor: Answered; readonly asStranger: Answered; readonly ofStrangers: Answered }> {
    const anybody = { actorId: 0, repositoryId: 0, number: 0, installationId: 0, since: milliseconds(since) }
    const count = async (of: Partial<typeof anybody> & { readonly charged: Errand['charged'] }) =>
      (await this.#database.row(this.#statements.spent, spentRow, { ...anybody, ...of }))!
    return {
      asAuthor: await count({ charged: 'author', actorId, repositoryId, number }),
      asStranger: await count({ charged: 'stranger', actorId }),
      ofStrangers: await count({ charged: 'stranger', installationId }),
    }
  }

  /**
   * The next that may be written. First those of people who may act; then those of whoever was answered least within the hour, so that
   * who asks on a hundred pull requests waits for themselves.
   */
  async claimNext(now: Time): Promise<AnswerClaim | null> {
    const at = milliseconds(now)
    const claim = {
      now: at,
      leasedUntil: at + LEASE_MS,
      quietSince: at - QUIET_MS,
      patientSince: at - PATIENCE_MS.ofThoseWhoMayAct,
      longPatientSince: at - PATIENCE_MS.ofOthers,
      hourAgo: at - HOUR_MS,
    }
    const take = () => this.#database.row(this.#statements.claim, claimRow, claim)
    return await this.#database.transaction(take, { isDurable: false })
  }

  async answered({ id }: Pick<AnswerClaim, 'id'>, now: Time): Promise<void> {
    await this.#database.run(this.#statements.answered, { id, now: milliseconds(now) })
  }

  /** Again later, and all of the installation at `until`, where that is known. After many times it is dropped. */
  async fail(
    { id, attempts, installationId }: AnswerClaim,
    until: number | null,
    now: Time,
  ): Promise<'retry' | 'dropped'> {
    if (until !== null) {
      // To wait for GitHub is no failure.
      await this.#database.run(this.#statements.putOff, { id, dueAt: until, attempts: attempts - 1 })
      await this.#database.run(this.#statements.putOffAll, { installationId, until })
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
