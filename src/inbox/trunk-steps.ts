import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { type QueueStep, queueStepSchema } from '../report/queue.ts'
import { jsonText } from '../text/json-text.ts'
import { prepareAll, readRow } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

const stepsRow = z.object({ steps: jsonText(z.array(queueStepSchema)).catch([]), foundAt: z.int() })

/** The lasting slowdowns of each trunk, as they were last looked for. */
export class TrunkSteps {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, 'records.sql', ['saveTrunkSteps', 'trunkStepsOf'])
  }

  /** Takes the place of what was found before. */
  save(repositoryId: number, steps: readonly QueueStep[], now: Time): void {
    this.#statements.saveTrunkSteps.run({ repositoryId, steps: JSON.stringify(steps), now: milliseconds(now) })
  }

  /** Empty where nobody has looked; what another version has written says nothing. */
  of(repositoryId: number): readonly QueueStep[] {
    return this.#row(repositoryId)?.steps ?? []
  }

  /** When somebody last looked, in milliseconds; null: nobody has. */
  foundAt(repositoryId: number): number | null {
    return this.#row(repositoryId)?.foundAt ?? null
  }

  #row(repositoryId: number) {
    return readRow(this.#statements.trunkStepsOf, stepsRow, { repositoryId })
  }
}
