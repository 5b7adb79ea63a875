import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { CHECKS } from '../../src/store/checks/checks.ts'
import { type ClickHouse, openClickHouse } from '../../src/store/client.ts'
import { DECISIONS } from '../../src/store/decisions/decisions.ts'
import { HISTORY_COPIES } from '../../src/store/history/history-copies.ts'
import { TRUNK_HISTORY } from '../../src/store/history/trunk-history-rows.ts'
import { LEDGER_ENTRIES } from '../../src/store/ledger/ledger-entries.ts'
import { APPLIED } from '../../src/store/migrate.ts'
import { FLAGS } from '../../src/store/reports/flag-rows.ts'
import { REPORTS } from '../../src/store/reports/stored-report.ts'
import { QUERY_RESULTS, RUNS, SAMPLES } from '../../src/store/runs/run-tables.ts'
import { STACKS } from '../../src/store/runs/stack-rows.ts'
import type { Column, Table } from '../../src/store/table.ts'
import { migratedDatabase } from './embedded/engine-fixture.ts'

/** What the migrations have made of each table is what is declared of it. */

type Declared = Pick<Table<never, Readonly<Record<string, Column<never>>>>, 'name' | 'columns'>

const DECLARED: readonly Declared[] = [
  APPLIED,
  CHECKS,
  DECISIONS,
  FLAGS,
  HISTORY_COPIES,
  LEDGER_ENTRIES,
  QUERY_RESULTS,
  REPORTS,
  RUNS,
  SAMPLES,
  STACKS,
  TRUNK_HISTORY,
]

const SQL = `
  SELECT table, name, type, default_kind AS filledIn
  FROM system.columns
  WHERE database = currentDatabase() AND NOT endsWith(table, '_local')
  ORDER BY table, position`

let clickhouse: ClickHouse
let found: Map<string, { name: string; type: string; filledIn: string }[]>
beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  const row = z.object({ table: z.string(), name: z.string(), type: z.string(), filledIn: z.string() })
  found = Map.groupBy(await clickhouse.read('columns', SQL, {}, row), ({ table }) => table)
})
afterAll(() => clickhouse.close())

test('every table is declared', () => {
  expect(DECLARED.map(({ name }) => name).toSorted()).toEqual([...found.keys()])
})

test.each(DECLARED)('$name has the columns that are declared, and others only where it fills them in', (declared) => {
  const columns = found.get(declared.name) ?? []
  const known = columns.filter(({ name, filledIn }) => filledIn === '' || name in declared.columns)
  const types = Object.entries(declared.columns).map(([name, { type }]) => [name, type])
  expect(Object.fromEntries(types)).toEqual(Object.fromEntries(known.map(({ name, type }) => [name, type])))
})
