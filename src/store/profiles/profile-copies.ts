import pLimit from 'p-limit'
import type { QueryId, QueryProfile } from '../../intake/measurement/run.ts'
import { changeRows } from '../change-rows.ts'
import type { ClickHouse } from '../client.ts'
import { runKeptUntil } from '../runs/run-queries.ts'
import { type RunKey, runIdOf } from '../runs/run-rows.ts'
import { countStacks, STACKS, stackRows } from '../runs/stack-rows.ts'
import { readSql, readStatements } from '../sql-file.ts'
import { insertInto, reading } from '../table.ts'
import type { Profiles, ProfilesBesideOf, ProfileWanted } from './profiles.ts'

/** Copies profiles of a CI database to the bot’s own stacks. */

const SOURCES_SQL = readSql(new URL('./copied-sources.sql', import.meta.url))
const DELETE_SQL = readStatements(new URL('./delete-copied-stacks.sql', import.meta.url))

/** One table of a CI database out of which profiles were copied for one repository. */
export interface ProfileSource {
  readonly repositoryId: number
  /** Address and name of the table in the CI database. */
  readonly copiedFrom: string
}

/** The profiles of a CI database that are copied to the bot's own stacks. Every method throws `StoreUnavailable`. */
export interface ProfileCopies {
  /**
   * Copies the profiles of a query to its run, and they leave with its samples. Nothing is copied where some are stored, where the
   * CI database has none or may not be used, or where the run is not stored.
   */
  copy(run: RunKey, query: QueryId): Promise<void>
  /** The tables out of which something was copied and is not deleted. */
  sources(): Promise<ProfileSource[]>
  /** Deletes all that was copied out of one table for a repository. */
  remove(source: ProfileSource): Promise<void>
}

const sourceRow = reading(STACKS, 'repository_id', 'copied_from')

interface ProfileCopiesOptions {
  /** Awaited before each statement; brings the tables about. */
  readonly ready: () => Promise<void>
  readonly now: () => Date
  /** The bot's own stacks. */
  readonly own: Profiles
  readonly besideOf: ProfilesBesideOf
}

export function profileCopies(
  clickhouse: ClickHouse,
  { ready, now, own, besideOf }: ProfileCopiesOptions,
): ProfileCopies {
  // Two pull requests may have one head: its profiles are copied once.
  const inTurn = pLimit(1)

  const copy = async (run: RunKey, query: QueryId): Promise<void> => {
    const { repositoryId, head, architecture } = run
    const { test, queryIndex, queryName, ordinal } = query
    const id: QueryId = { test, queryIndex, queryName, ...(ordinal !== undefined && { ordinal }) }
    const wanted: ProfileWanted = { ...id, repositoryId, head, architecture }
    const beside = await besideOf(wanted)
    if (beside === null || beside.copiedFrom === null) return
    if ((await own.summariesOf(wanted)).length > 0) return
    const runId = runIdOf(run)
    const expires = await runKeptUntil(clickhouse, { repositoryId, head, runId, now: now() })
    if (expires === null) return
    const profiles: QueryProfile[] = []
    for (const { traceType } of await beside.summariesOf(wanted)) {
      const stacks = await beside.stacksOf(wanted, traceType)
      if (stacks !== null) profiles.push({ ...id, traceType, ...stacks })
    }
    if (countStacks({ profiles }) === 0) return
    // One insert: it is there wholly or not at all.
    const rows = stackRows({ repositoryId, profiles }, runId, expires, beside.copiedFrom)
    await insertInto(clickhouse, STACKS, rows)
  }

  return {
    async copy(run, query) {
      await inTurn(() => copy(run, query))
    },

    async sources() {
      await ready()
      return await clickhouse.read('copied-sources', SOURCES_SQL, {}, sourceRow)
    },

    async remove({ repositoryId, copiedFrom }) {
      await ready()
      await changeRows(clickhouse, 'delete-copied-stacks', DELETE_SQL, { repositoryId, copiedFrom })
    },
  }
}
