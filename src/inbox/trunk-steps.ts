import { z } from 'zod'
import { type QueueStep, queueStepSchema } from '../report/queue/queue.ts'
import { type StepMark, stepMarkSchema } from '../report/step/marks.ts'
import { jsonText } from '../text/json-text.ts'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** Steps of the trunk: the last look of each repository, and what people have said of them. */

const stepsRow = z.object({ steps: jsonText(z.array(queueStepSchema)).catch([]), foundAt: z.int() })

/** The lasting slowdowns of each trunk, as they were last looked for. */
export class TrunkSteps {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', ['saveTrunkSteps', 'trunkStepsOf'])
  }

  /** Takes the place of what was found before. */
  async save(repositoryId: number, steps: readonly QueueStep[], now: Time): Promise<void> {
    await this.#database.run(this.#statements.saveTrunkSteps, {
      repositoryId,
      steps: JSON.stringify(steps),
      now: milliseconds(now),
    })
  }

  /** Empty where nobody has looked; what another version has written says nothing. */
  async of(repositoryId: number): Promise<readonly QueueStep[]> {
    return (await this.#row(repositoryId))?.steps ?? []
  }

  /** When somebody last looked, in milliseconds; null: nobody has. */
  async foundAt(repositoryId: number): Promise<number | null> {
    return (await this.#row(repositoryId))?.foundAt ?? null
  }

  async #row(repositoryId: number) {
    return await this.#database.row(this.#statements.trunkStepsOf, stepsRow, { repositoryId })
  }
}

const markRow = z.looseObject({ step: jsonText(z.unknown()) }).pipe(stepMarkSchema)

/** What people have said of steps of the trunk. Marks are only ever added; one that takes another back is one more. */
export class StepMarks {
  readonly #database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', ['addStepMark', 'stepMarksOf'])
  }

  /** All of them or none. */
  async add(repositoryId: number, marks: readonly StepMark[]): Promise<void> {
    await this.#database.transaction(async () => {
      for (const { step, ...mark } of marks)
        await this.#database.run(this.#statements.addStepMark, { repositoryId, step: JSON.stringify(step), ...mark })
    })
  }

  /** Those of a repository in the order in which they were said. */
  async list(repositoryId: number): Promise<StepMark[]> {
    return await this.#database.rows(this.#statements.stepMarksOf, markRow, { repositoryId })
  }
}
