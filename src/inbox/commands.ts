import { z } from 'zod'
import { type Database, flag, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** A command that was heard and either done or refused. */
export interface HeardCommand {
  /** The line as it stands in the comment. */
  readonly line: string
  readonly wasDone: boolean
  /** Markdown; null: a reaction is answer enough. */
  readonly words: string | null
}

export interface StoredCommand extends HeardCommand {
  readonly isAnswered: boolean
}

export interface CommandComment {
  readonly repositoryId: number
  readonly commentId: number
}

export interface CommandGiver {
  readonly pullRequestNumber: number
  readonly actor: string
  /** GitHub's numeric id of the actor: names change. */
  readonly actorId: number
}

/** GitHub sends a delivery again for three days; an edited comment brings its old lines with it for longer. */
const KEEP_MS = 365 * 24 * 3600_000

const commandRow = z
  .object({ line: z.string(), wasDone: flag, words: z.string().nullable(), answeredAt: z.int().nullable() })
  .transform(({ answeredAt, ...rest }): StoredCommand => ({ ...rest, isAnswered: answeredAt !== null }))

/** The commands in comments that were heard. */
export class Commands {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', [
      'addCommand',
      'commandsOf',
      'commandsAnswered',
      'commandCorrected',
      'pruneCommands',
    ])
  }

  /** `isAnswered`: there is nothing to answer. Throws where this line of this comment was heard before. */
  async add(
    { wasDone, isAnswered = false, ...command }: HeardCommand & CommandComment & CommandGiver & Partial<StoredCommand>,
    now: Time,
  ): Promise<void> {
    await this.#database.run(this.#statements.addCommand, {
      ...command,
      wasDone: Number(wasDone),
      now: milliseconds(now),
      answeredAt: isAnswered ? milliseconds(now) : null,
    })
  }

  /** The commands of a comment, in the order in which they were heard. */
  async list({ repositoryId, commentId }: CommandComment): Promise<StoredCommand[]> {
    return await this.#database.rows(this.#statements.commandsOf, commandRow, { repositoryId, commentId })
  }

  /** What a command says once it is known what became of what it asked for. */
  async correct({ repositoryId, commentId }: CommandComment, { line, wasDone, words }: HeardCommand): Promise<void> {
    await this.#database.run(this.#statements.commandCorrected, {
      repositoryId,
      commentId,
      line,
      wasDone: Number(wasDone),
      words,
    })
  }

  /** GitHub has taken the answer to the first so many commands of a comment. */
  async answered({ repositoryId, commentId }: CommandComment, first: number, now: Time): Promise<void> {
    const at = milliseconds(now)
    await this.#database.run(this.#statements.commandsAnswered, { repositoryId, commentId, first, now: at })
  }

  /** Drops what no delivery can bring again. Returns how many. */
  async prune(now: Time): Promise<number> {
    return await this.#database.run(this.#statements.pruneCommands, { before: milliseconds(now) - KEEP_MS })
  }
}
