import { z } from 'zod'
import { type StepMark, stepMarkSchema } from '../report/step/marks.ts'
import { jsonText } from '../text/json-text.ts'
import { type Database, statementsOf } from './database.ts'

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
