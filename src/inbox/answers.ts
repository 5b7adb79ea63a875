import { z } from 'zod'
import type { Said } from '../judge/verdict/acceptance.ts'
import type { CommandComment } from './commands.ts'
import { type Database, statementsOf } from './database.ts'
import { backoff, milliseconds, type RetryPolicy, type Time } from './retry.ts'
import type { Outage } from './turns.ts'

/**
 * Answers to what people say on pull requests: those still to be written, those of the last day, and what each person who may not act has
 * spent. An installation's answers are written one at a time, while no other work of it writes.
 */

const STANDINGS = ['may-act', 'author', 'stranger'] as const
/** `may-act`: GitHub gives them the role `triage` or more. `author`: of this pull request. */
export type Standing = (typeof STANDINGS)[number]

/** In words, or by a reaction alone. */
const REPLIES = ['words', 'reaction'] as const

/** Numbers of answers. */
export interface Answered {
  readonly words: number
  readonly reactions: number
}

export interface Spent {
  /** Answers that the person got as the author of this pull request, and of any. */
  readonly asAuthor: { readonly here: number; readonly anywhere: number }
  /** Answers that the person got as a stranger, anywhere. */
  readonly asStranger: Answered
  /** Answers that all strangers of the installation got together. */
  readonly ofStrangers: Answered
}

/** An answer that is still to be written. */
export interface Errand {
  readonly installationId: number
  readonly repositoryId: number
  readonly owner: string
  readonly repo: string
  /** Of the pull request. */
  readonly number: number
  /** GitHub's number of the comment; below 0 that of the change of a label, or of the check run with the button. */
  readonly commentId: number
  readonly via: Said['via']
  /** As `Saying.repliesTo`; null: the comment has a reply of its own. */
  readonly repliesTo: string | null
  readonly actorId: number
  /** The budget that it is charged to. */
  readonly charged: Standing
  readonly reply: (typeof REPLIES)[number]
}

export type Grant = Pick<Errand, 'charged' | 'reply'>

/** An errand that nobody else runs until it is given back or its lease runs out. */
export interface AnswerClaim extends Errand {
  readonly id: number
  readonly attempts: number
}

/** Some calls to GitHub, of which each may take half a minute. */
const LEASE_MS = 3 * 60_000
/** An installation that wrote nothing for so long, the pace of its comments, has nothing else to write. */
const QUIET_MS = 3_000
/** An answer to a person who may not act lets all other writes go first for so long. */
const PATIENCE_MS = 15 * 60_000
const HOUR_MS = 3600_000
/** Nobody waits for an answer of yesterday. */
const KEEP_MS = 24 * HOUR_MS
const RETRY: Omit<RetryPolicy, 'attempts'> = { firstMs: 1000, longestMs: 5 * 60_000 }

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
  charged: z.enum(STANDINGS),
  reply: z.enum(REPLIES),
  attempts: z.int(),
})
const spentRow: z.ZodType<Spent> = z
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
const grantRow: z.ZodType<Grant> = z.object({ charged: z.enum(STANDINGS), reply: z.enum(REPLIES) })
const countRow = z.object({ count: z.int() })
const atRow = z.object({ at: z.int().nullable() })

export class Answers {
  readonly #database: Database
  readonly #process: string
  readonly #statements

  /** `process`: the id of this one, by which it is told what is in its hands. */
  constructor(database: Database, process: string) {
    this.#database = database
    this.#process = process
    this.#statements = statementsOf('answers.sql', [
      'add',
      'charge',
      'waiting',
      'granted',
      'spent',
      'claim',
      'answered',
      'putOff',
      'putOffAll',
      'due',
      'next',
      'recover',
      'putBack',
      'prune',
      'pruneAskings',
    ])
  }

  /** A comment has one answer that waits: an edit joins it, and is charged to the person who edited, at the time of the edit. */
  async add(errand: Errand, now: Time): Promise<void> {
    const { installationId, repositoryId, number, actorId, charged, reply } = errand
    const charge = { installationId, repositoryId, number, actorId, charged, reply, now: milliseconds(now) }
    await this.#database.transaction(async () => {
      await this.#database.run(this.#statements.add, { ...errand, now: milliseconds(now) })
      if (charged !== 'may-act') await this.#database.run(this.#statements.charge, charge)
    })
  }

  /** Whether the answer to a comment is to be written yet. */
  async isWaiting({ repositoryId, commentId }: CommandComment): Promise<boolean> {
    const { count } = (await this.#database.row(this.#statements.waiting, countRow, { repositoryId, commentId }))!
    return count > 0
  }

  /** How a claim may be answered by now, since an edit may grant more than it began with; null: somebody else has it. */
  async granted(claim: Pick<AnswerClaim, 'id' | 'attempts'>): Promise<Grant | null> {
    return await this.#database.row(this.#statements.granted, grantRow, this.#held(claim))
  }

  /** What was asked for since then by a person, and by all strangers of the installation. */
  async spent(
    { actorId, repositoryId, number, installationId }: Omit<Errand, 'charged' | 'reply'>,
    since: Time,
  ): Promise<Spent> {
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
      process: this.#process,
      quietSince: at - QUIET_MS,
      patientSince: at - PATIENCE_MS,
      hourAgo: at - HOUR_MS,
    }
    const take = () => this.#database.row(this.#statements.claim, claimRow, claim)
    return await this.#database.transaction(take, { isDurable: false })
  }

  /** Serial: what is said meanwhile is seen, or finds the errand ended and adds one. */
  async answered(claim: Pick<AnswerClaim, 'id' | 'attempts'>, now: Time): Promise<void> {
    const end = () => this.#database.run(this.#statements.answered, { ...this.#held(claim), now: milliseconds(now) })
    await this.#database.transaction(end)
  }

  /**
   * Again later, for as long as it is kept. Until the time that GitHub or the hour's writes name all answers of the installation wait; where
   * the hour has no more writes for those who may not act, theirs alone.
   */
  async fail(claim: AnswerClaim, outage: Outage | null, now: Time): Promise<void> {
    const { attempts, installationId, charged } = claim
    if (outage !== null && outage.until !== null) {
      const { until, isOfThisAlone = false } = outage
      const isOfOthers = Number(isOfThisAlone && charged !== 'may-act')
      await this.#database.run(this.#statements.putOff, {
        ...this.#held(claim),
        dueAt: until,
        left: attempts - 1,
      })
      await this.#database.run(this.#statements.putOffAll, { installationId, until, isOfOthers })
      return
    }
    const dueAt = milliseconds(now) + backoff(RETRY, attempts)
    await this.#database.run(this.#statements.putOff, { ...this.#held(claim), dueAt, left: attempts })
  }

  /** How many could be written now. */
  async due(now: Time): Promise<number> {
    return (await this.#database.row(this.#statements.due, countRow, { now: milliseconds(now) }))!.count
  }

  /** When there is something to write next; null: nothing waits. May lie in the past. */
  async nextAt(): Promise<number | null> {
    return (await this.#database.row(this.#statements.next, atRow))!.at
  }

  /** What a dead process had in hand is due at once. */
  async recoverAfterCrash(): Promise<void> {
    await this.#database.run(this.#statements.recover)
  }

  /** At the end: what this process had in hand and was cut off is due again. */
  async putBack(): Promise<void> {
    await this.#database.run(this.#statements.putBack, { process: this.#process })
  }

  /** Whoever lets the lease run out, so that another one took it, ends nothing. */
  #held({ id, attempts }: Pick<AnswerClaim, 'id' | 'attempts'>) {
    return { id, attempts, process: this.#process }
  }

  async prune(now: Time): Promise<void> {
    const before = milliseconds(now) - KEEP_MS
    await this.#database.run(this.#statements.prune, { before })
    await this.#database.run(this.#statements.pruneAskings, { before })
  }
}
