import { z } from 'zod'
import type { TrunkRow } from '../../intake/imports/history/trunk-row.ts'
import type { HistoryProblem } from '../../judge/history/trunk-series.ts'
import { changeRows } from '../change-rows.ts'
import type { ClickHouse } from '../client.ts'
import { readSql, readStatements } from '../sql-file.ts'
import {
  array,
  type ColumnType,
  columnOf,
  dateTime64,
  few,
  insertInto,
  readAs,
  reading,
  string,
  table,
  uint32,
  uint64,
} from '../table.ts'
import { saveTrunkRows, withoutHeld } from './trunk-history-rows.ts'

/** How far each copy of a CI database’s history has come, and which hours it covers. */

const STATES_SQL = readSql(new URL('./history-copies.sql', import.meta.url))
const DELETE_SQL = readStatements(new URL('./delete-copies.sql', import.meta.url))

/** `[first, end)` in whole hours since 1970. */
export type Hours = readonly [first: number, end: number]

/** One metric that is copied out of one table of a CI database for one repository. */
export interface CopyId {
  readonly repositoryId: number
  /** Address and name of the table in the CI database. */
  readonly copiedFrom: string
  readonly metric: string
}

/** How far a copy has come. */
export interface CopyState extends CopyId {
  /** The stretches that were copied, in the order of time; none touches the next one. */
  readonly covered: readonly Hours[]
  /** The rows that the source had in each of the latest hours when it was copied. An hour without rows is left out. */
  readonly counted: ReadonlyMap<number, number>
  /** When the latest hours were last found copied; milliseconds, 0: not yet. */
  readonly checkedAt: number
  /** The names of the trunk that rows were copied for; empty: an earlier version has not said. */
  readonly trunk: readonly string[]
  /** Why nothing can be copied now; null: it can. */
  readonly problem: CopyProblem | null
}

export interface CopyProblem {
  readonly kind: Exclude<HistoryProblem, 'empty' | 'copying'>
  /** It holds no secret. */
  readonly message: string
}

/** The copies out of a CI database into the trunk's history, and how far they have come. Every method throws `StoreUnavailable`. */
export interface HistoryCopies {
  /** The states of all repositories. */
  states(): Promise<CopyState[]>
  save(state: CopyState): Promise<void>
  /** Stores rows of one copy; those that another source has are left out. Gives their number. */
  saveRows(copy: CopyId, rows: readonly TrunkRow[]): Promise<number>
  /** Deletes all that was copied out of one table for a repository, and how far each metric had come. */
  remove(repositoryId: number, copiedFrom: string): Promise<void>
}

const column = columnOf<CopyState>()
const hours: ColumnType<Hours, z.ZodTuple<[z.ZodNumber, z.ZodNumber], null>> = {
  type: `Tuple(${uint32.type}, ${uint32.type})`,
  write: (of) => of,
  read: z.tuple([uint32.read, uint32.read]),
}
const problemKinds = z
  .enum(['unreachable', 'too-slow', 'access-denied', 'missing-table', 'missing-column', 'unexpected-answer'])
  .catch('unexpected-answer')

export const HISTORY_COPIES = table('history_copies', {
  repository_id: column(uint64, ({ repositoryId }) => repositoryId),
  copied_from: column(few(string), ({ copiedFrom }) => copiedFrom),
  metric: column(few(string), ({ metric }) => metric),
  covered: column(array(hours), ({ covered }) => covered),
  counted_hours: column(array(uint32), ({ counted }) => [...counted.keys()]),
  counted_rows: column(array(uint64), ({ counted }) => [...counted.values()]),
  checked_at: column(dateTime64, ({ checkedAt }) => checkedAt),
  trunk: column(array(string), ({ trunk }) => trunk),
  problem: column(string, ({ problem }) => problem?.message ?? ''),
  problem_kind: column(readAs(few(string), problemKinds), ({ problem }) => problem?.kind ?? ''),
})

const stateRow = reading(
  HISTORY_COPIES,
  'repository_id',
  'copied_from',
  'metric',
  'covered',
  'counted_hours',
  'counted_rows',
  'checked_at',
  'trunk',
  'problem',
  'problem_kind',
)

/** @param ready awaited before each statement; brings the tables about */
export function historyCopies(clickhouse: ClickHouse, ready: () => Promise<void> = async () => {}): HistoryCopies {
  return {
    async states() {
      await ready()
      const rows = await clickhouse.read('history-copies', STATES_SQL, {}, stateRow)
      return rows.map(({ countedHours, countedRows, problem, problemKind, ...row }) => ({
        ...row,
        counted: new Map(countedHours.map((hour, i) => [hour, countedRows[i]!])),
        problem: problem === '' ? null : { kind: problemKind, message: problem },
      }))
    },

    async save(state) {
      await ready()
      await insertInto(clickhouse, HISTORY_COPIES, [state])
    },

    async saveRows({ repositoryId, metric }, rows) {
      await ready()
      return await saveTrunkRows(clickhouse, repositoryId, await withoutHeld(clickhouse, repositoryId, metric, rows))
    },

    async remove(repositoryId, copiedFrom) {
      await ready()
      await changeRows(clickhouse, 'delete-copies', DELETE_SQL, { repositoryId, copiedFrom })
    },
  }
}
