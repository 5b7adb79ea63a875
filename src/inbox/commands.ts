import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { flag, prepareAll, readRow, readRows } from './database.ts'
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
const countRow = z.object({ count: z.int() })

/** The commands in comments that were heard. */
export class Commands {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, 'records.sql', [
      'addCommand',
      'commandsOf',
      'commandsBy',
      'commandsAnswered',
      'commandCorrected',
      'pruneCommands',
    ])
  }

  /** Throws where this line of this comment was heard before. */
  add({ wasDone, ...command }: HeardCommand & CommandComment & CommandGiver, now: Time): void {
    this.#statements.addCommand.run({ ...command, wasDone: Number(wasDone), now: milliseconds(now) })
  }

  /** The commands of a comment, in the order in which they were heard. */
  list({ repositoryId, commentId }: CommandComment): StoredCommand[] {
    return readRows(this.#statements.commandsOf, commandRow, { repositoryId, commentId })
  }

  /** How many commands a person gave since then, in all repositories. */
  countBy(actorId: number, since: Time): number {
    return readRow(this.#statements.commandsBy, countRow, { actorId, since: milliseconds(since) })!.count
  }

  /** What a command says once it is known what became of what it asked for. */
  correct({ repositoryId, commentId }: CommandComment, { line, wasDone, words }: HeardCommand): void {
    this.#statements.commandCorrected.run({ repositoryId, commentId, line, wasDone: Number(wasDone), words })
  }

  /** GitHub has taken the answer to all commands of a comment. */
  answered({ repositoryId, commentId }: CommandComment, now: Time): void {
    this.#statements.commandsAnswered.run({ repositoryId, commentId, now: milliseconds(now) })
  }

  /** Drops what no delivery can bring again. Returns how many. */
  prune(now: Time): number {
    return Number(this.#statements.pruneCommands.run({ before: milliseconds(now) - KEEP_MS }).changes)
  }
}
