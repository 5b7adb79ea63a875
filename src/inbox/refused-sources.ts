import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { VERSION } from '../config/version.ts'
import { prepareAll, readRow } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** Why reading the same bytes again gives nothing. */
const REFUSALS = ['unreadable', 'empty', 'too-large'] as const
export type Refusal = (typeof REFUSALS)[number]

export interface SourceOfHead {
  readonly repositoryId: number
  /** Full commit id. */
  readonly head: string
  /** The thing that was read, and how: the same text is the same reading. */
  readonly source: string
}

/** GitHub keeps an artifact for 90 days, where nobody has asked for longer. */
const KEEP_MS = 90 * 24 * 3600_000

const refusedRow = z.object({ problem: z.enum(REFUSALS) })

/**
 * Artifacts that were read and gave no run. Reading one may take seconds, so that none is read twice: not after a restart,
 * only by the readers of another version, and when a person asks for a re-run.
 */
export class RefusedSources {
  readonly #version: string
  readonly #statements

  constructor(database: DatabaseSync, version: string = VERSION) {
    this.#version = version
    this.#statements = prepareAll(database, 'records.sql', ['addRefused', 'refusedOf', 'forgetRefused', 'pruneRefused'])
  }

  add(source: SourceOfHead, problem: Refusal, now: Time): void {
    this.#statements.addRefused.run({ ...source, problem, version: this.#version, now: milliseconds(now) })
  }

  /** null: it was not refused by the readers of this version. */
  problemOf(source: SourceOfHead): Refusal | null {
    return readRow(this.#statements.refusedOf, refusedRow, { ...source, version: this.#version })?.problem ?? null
  }

  /** A person asked for this head to be read again. */
  forget(repositoryId: number, head: string): void {
    this.#statements.forgetRefused.run({ repositoryId, head })
  }

  /** Drops what is older than artifacts get. Returns how many. */
  prune(now: Time): number {
    return Number(this.#statements.pruneRefused.run({ before: milliseconds(now) - KEEP_MS }).changes)
  }
}
