import { z } from 'zod'
import type { CommandComment } from './commands.ts'
import { type Database, flag, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** A part of a workflow of GitHub Actions that can be started again. */
export interface RerunTarget {
  /** `job`: one job, and those that need it. `failed`: the failed jobs of a workflow run. `workflow`: all of them. */
  readonly kind: 'job' | 'failed' | 'workflow'
  /** The number of the job or of the workflow run. */
  readonly id: number
  /** The name of the check or of the workflow. */
  readonly name: string
  /** The workflow run, of a job too. */
  readonly runId: number
  /** That of the workflow run before it is started again. */
  readonly attempt: number
}

/** `not-permitted`: the installation lacks `actions: write`. `refused`: such as a run that is older than a month. */
export type RerunProblem = 'not-permitted' | 'already-running' | 'refused'

/** `superseded`: a newer commit was pushed before GitHub was asked. */
export type RerunOutcome = 'started' | 'superseded' | RerunProblem

/** What a line of a comment asks to be started again. */
export interface Rerun extends RerunTarget {
  readonly line: string
  readonly head: string
}

export interface StoredRerun extends Omit<Rerun, 'runId' | 'attempt'> {
  readonly rowId: number
  /** Null in rows of before they were kept, like the next. */
  readonly runId: number | null
  readonly attempt: number | null
  /** GitHub was asked, and perhaps nobody heard its answer. */
  readonly wasBegun: boolean
  /** Null: GitHub has not answered yet. */
  readonly outcome: RerunOutcome | null
}

/** Lines by which something was started again, or is about to be. */
export interface RerunCounts {
  readonly ofHead: number
  readonly ofPullRequest: number
  /** Of the repository in the last day. */
  readonly ofDay: number
}

const DAY_MS = 24 * 3600_000

const rerunRow = z.object({
  rowId: z.int(),
  line: z.string(),
  head: z.string(),
  kind: z.enum(['job', 'failed', 'workflow']),
  id: z.int(),
  name: z.string(),
  runId: z.int().nullable(),
  attempt: z.int().nullable(),
  wasBegun: flag,
  outcome: z.enum(['started', 'superseded', 'not-permitted', 'already-running', 'refused']).nullable(),
})
const countsRow = z.object({ ofHead: z.int(), ofPullRequest: z.int(), ofDay: z.int() })

/** What people asked to be started again. A row is written with the command, and settled when GitHub has answered. */
export class Reruns {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', [
      'addRerun',
      'rerunsOf',
      'rerunBegun',
      'rerunSettled',
      'rerunCounts',
    ])
  }

  async add(rerun: Rerun & CommandComment & { readonly pullRequestNumber: number }, now: Time): Promise<void> {
    await this.#database.run(this.#statements.addRerun, { ...rerun, now: milliseconds(now) })
  }

  /** Those of a comment, in the order in which they were asked for. */
  async list({ repositoryId, commentId }: CommandComment): Promise<StoredRerun[]> {
    return await this.#database.rows(this.#statements.rerunsOf, rerunRow, { repositoryId, commentId })
  }

  /** On disk before GitHub is asked: who finds it so and not settled looks before asking again. */
  async begin(rowId: number): Promise<void> {
    await this.#database.run(this.#statements.rerunBegun, { rowId })
  }

  async settle(rowId: number, outcome: RerunOutcome): Promise<void> {
    await this.#database.run(this.#statements.rerunSettled, { rowId, outcome })
  }

  async counts(repositoryId: number, pullRequestNumber: number, head: string, now: Time): Promise<RerunCounts> {
    const since = milliseconds(now) - DAY_MS
    return (await this.#database.row(this.#statements.rerunCounts, countsRow, {
      repositoryId,
      pullRequestNumber,
      head,
      since,
    }))!
  }
}
