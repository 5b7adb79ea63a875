import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { type StepMark, stepMarkSchema } from '../report/step-marks.ts'
import { jsonText } from '../text/json-text.ts'
import { inTransaction, prepareAll, readRows } from './database.ts'

const markRow = z.looseObject({ step: jsonText(z.unknown()) }).pipe(stepMarkSchema)

/** What people have said of steps of the trunk. Marks are only ever added; one that takes another back is one more. */
export class StepMarks {
  readonly #database
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#statements = prepareAll(database, 'records.sql', ['addStepMark', 'stepMarksOf'])
  }

  /** All of them or none. */
  add(repositoryId: number, marks: readonly StepMark[]): void {
    inTransaction(this.#database, () => {
      for (const { step, ...mark } of marks)
        this.#statements.addStepMark.run({ repositoryId, step: JSON.stringify(step), ...mark })
    })
  }

  /** Those of a repository in the order in which they were said. */
  list(repositoryId: number): StepMark[] {
    return readRows(this.#statements.stepMarksOf, markRow, { repositoryId })
  }
}
