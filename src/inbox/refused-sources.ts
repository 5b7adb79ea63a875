import { z } from 'zod'
import { VERSION } from '../config/version.ts'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** Why reading the same bytes again gives nothing, or why nothing was fetched. */
const REFUSALS = ['unreadable', 'empty', 'not-compared', 'too-large', 'host-not-allowed'] as const
export type Refusal = (typeof REFUSALS)[number]

export function isRefusal(problem: string): problem is Refusal {
  return REFUSALS.some((refusal) => refusal === problem)
}

/** What came of reading a source. */
export interface RefusedSource {
  readonly problem: Refusal
  /** What stood in the place of results, as `Shard.refusal`; absent: nothing is known of that. */
  readonly refusal?: string
}

export interface SourceOfHead {
  readonly repositoryId: number
  /** Full commit id. */
  readonly head: string
  /** The thing that was read, and how: the same text is the same reading. */
  readonly source: string
}

/** GitHub keeps an artifact for 90 days, where nobody has asked for longer. */
const KEEP_MS = 90 * 24 * 3600_000

const refusedRow = z
  .object({ problem: z.enum(REFUSALS), refusal: z.string().nullable() })
  .transform(({ problem, refusal }): RefusedSource => (refusal === null ? { problem } : { problem, refusal }))

/**
 * Artifacts that were read and gave no run. Reading one may take seconds, so that none is read twice: not after a restart,
 * only by the readers of another version, and when a person asks for a re-run. One on a host that is not allowed is tried at
 * each look, and its head looked at when the bot starts with other hosts.
 */
export class RefusedSources {
  readonly #version: string
  readonly #hosts: string
  readonly #database: Database
  readonly #statements

  /** `hosts`: those that results may be fetched from. */
  constructor(database: Database, version: string = VERSION, hosts: readonly string[] = []) {
    this.#database = database
    this.#version = version
    this.#hosts = `hosts ${hosts.toSorted().join(' ')}`
    this.#statements = statementsOf('records.sql', [
      'addRefused',
      'refusedOf',
      'forgetRefused',
      'wakeRefusedByHost',
      'forgetRefusedByHost',
      'pruneRefused',
    ])
  }

  async add(source: SourceOfHead, { problem, refusal }: RefusedSource, now: Time): Promise<void> {
    await this.#database.run(this.#statements.addRefused, {
      ...source,
      problem,
      refusal: refusal ?? null,
      version: problem === 'host-not-allowed' ? this.#hosts : this.#version,
      now: milliseconds(now),
    })
  }

  /** null: it was not refused by the readers of this version. */
  async refusalOf(source: SourceOfHead): Promise<RefusedSource | null> {
    return await this.#database.row(this.#statements.refusedOf, refusedRow, { ...source, version: this.#version })
  }

  /** A person asked for this head to be read again. */
  async forget(repositoryId: number, head: string): Promise<void> {
    await this.#database.run(this.#statements.forgetRefused, { repositoryId, head })
  }

  /** Pull requests whose results lay on a host that was not allowed are due, where other hosts are allowed now. */
  async lookAtOtherHosts(now: Time): Promise<void> {
    await this.#database.transaction(async () => {
      await this.#database.run(this.#statements.wakeRefusedByHost, { hosts: this.#hosts, now: milliseconds(now) })
      await this.#database.run(this.#statements.forgetRefusedByHost, { hosts: this.#hosts })
    })
  }

  /** Drops what is older than artifacts get. Returns how many. */
  async prune(now: Time): Promise<number> {
    return await this.#database.run(this.#statements.pruneRefused, { before: milliseconds(now) - KEEP_MS })
  }
}
