import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { type StepMark, stepMarkSchema } from '../report/step-marks.ts'
import { jsonText } from '../text/json-text.ts'
import { prepareAll, readRows } from './database.ts'

const markRow = z.looseObject({ step: jsonText(z.unknown()) }).pipe(stepMarkSchema)

/** What people have said of steps of the trunk. Marks are only ever added; one that takes another back is one more. */
export class StepMarks {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, 'records.sql', ['addStepMark', 'stepMarksOf'])
  }

  add(repositoryId: number, { step, ...mark }: StepMark): void {
    this.#statements.addStepMark.run({ repositoryId, step: JSON.stringify(step), ...mark })
  }

  /** Those of a repository in the order in which they were said. */
  list(repositoryId: number): StepMark[] {
    return readRows(this.#statements.stepMarksOf, markRow, { repositoryId })
  }
}
