import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import {
  type MergedFinding,
  mergedFindingSchema,
  type ShownFinding,
  shownFindingSchema,
} from '../report/after-merge.ts'
import { jsonText } from '../text/json-text.ts'
import { prepareAll, readRows } from './database.ts'
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
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, 'records.sql', ['addMerge', 'waitingMerges', 'endMerge', 'shownMerges'])
  }

  /** Of one that is known nothing changes. */
  add(repositoryId: number, { findings, heardAt, ...merge }: Merge): void {
    const isSilent = Number(findings.every((finding) => finding.isSilent === true))
    this.#statements.addMerge.run({ repositoryId, ...merge, findings: JSON.stringify(findings), isSilent, heardAt })
  }

  /** Those that are waited for: with something to tell first, and of these the latest. */
  waiting(repositoryId: number, limit: number): Merge[] {
    return readRows(this.#statements.waitingMerges, mergeRow, { repositoryId, limit })
  }

  end(repositoryId: number, pullRequestNumber: number, shown: readonly ShownFinding[], now: Time): void {
    this.#statements.endMerge.run({
      repositoryId,
      pullRequestNumber,
      shown: JSON.stringify(shown),
      now: milliseconds(now),
    })
  }

  /** What the trunk showed after merges, the latest first. */
  shown(repositoryId: number): { readonly pullRequestNumber: number; readonly shown: readonly ShownFinding[] }[] {
    return readRows(this.#statements.shownMerges, shownRow, { repositoryId })
  }
}
