import { z } from 'zod'
import {
  type MergedFinding,
  mergedFindingSchema,
  type ShownFinding,
  shownFindingSchema,
} from '../report/after-merge.ts'
import { jsonText } from '../text/json-text.ts'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** A merged pull request whose slowdowns are looked for on the trunk. */
export interface Merge {
  readonly pullRequestNumber: number
  readonly mergeCommit: string
  readonly findings: readonly MergedFinding[]
  /** Milliseconds. */
  readonly heardAt: number
}

const mergeRow = z.object({
  pullRequestNumber: z.int(),
  mergeCommit: z.string(),
  findings: jsonText(z.array(mergedFindingSchema)),
  heardAt: z.int(),
})
const shownRow = z.object({ pullRequestNumber: z.int(), shown: jsonText(z.array(shownFindingSchema)) })

/** Merged pull requests, kept until the trunk has shown whether their slowdowns are there. */
export class Merges {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', ['addMerge', 'waitingMerges', 'endMerge', 'shownMerges'])
  }

  /** Of one that is known nothing changes. */
  async add(repositoryId: number, { findings, heardAt, ...merge }: Merge): Promise<void> {
    const isSilent = Number(findings.every((finding) => finding.isSilent === true))
    const row = { repositoryId, ...merge, findings: JSON.stringify(findings), isSilent, heardAt }
    await this.#database.run(this.#statements.addMerge, row)
  }

  /** Those that are waited for: with something to tell first, and of these the latest. */
  async waiting(repositoryId: number, limit: number): Promise<Merge[]> {
    return await this.#database.rows(this.#statements.waitingMerges, mergeRow, { repositoryId, limit })
  }

  async end(repositoryId: number, pullRequestNumber: number, shown: readonly ShownFinding[], now: Time): Promise<void> {
    await this.#database.run(this.#statements.endMerge, {
      repositoryId,
      pullRequestNumber,
      shown: JSON.stringify(shown),
      now: milliseconds(now),
    })
  }

  /** What the trunk showed after merges, the latest first. */
  async shown(
    repositoryId: number,
  ): Promise<{ readonly pullRequestNumber: number; readonly shown: readonly ShownFinding[] }[]> {
    return await this.#database.rows(this.#statements.shownMerges, shownRow, { repositoryId })
  }
}
