import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type ClickHouse, openClickHouse } from '../../src/store/client.ts'
import { readSql, readStatements } from '../../src/store/sql-file.ts'
import { fillPlaceholders } from '../../src/store/sql-placeholders.ts'
import { migratedDatabase } from './embedded/engine-fixture.ts'

/** A value for every parameter type that the files use; one that is not here fails the test. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  UInt64: 18_446_744_073_709_551_615n,
  UInt32: 7,
  UInt8: 3,
  String: "it's\t\n\\ü",
  Identifier: 'checks',
  Int8: -1,
  Int64: -9_007_199_254_740_991,
  Bool: true,
  'Array(String)': ["it's", ''],
  'Array(UInt32)': [0, 7],
  'Array(UInt64)': [0n, 18_446_744_073_709_551_615n],
  Float64: 0.5,
  'Array(Float64)': [0, 0.5],
  'Array(UUID)': ['01234567-89ab-cdef-0123-456789abcdef'],
  UUID: '01234567-89ab-cdef-0123-456789abcdef',
  "DateTime64(3, 'UTC')": new Date('2026-06-01T10:00:00.123Z'),
}

const STORE = new URL('../../src/store/', import.meta.url)

/** What several statements have in common. */
const PARTS: Readonly<Record<string, string>> = {
  columns: readSql(new URL('ledger/entry-columns.sql', STORE)),
  found: readSql(new URL('ledger/entries-found.sql', STORE)),
}

/** Texts that are read as times. */
const TIMES: Readonly<Record<string, string>> = { from: '2026-06-01 10:00:00', until: '2026-07-01 10:00:00' }

let clickhouse: ClickHouse
beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
})
afterAll(() => clickhouse.close())

/** Every statement that runs as it stands. */
const files = ['', 'checks/', 'history/', 'history/trunk/', 'ledger/', 'reports/', 'runs/'].flatMap((folder) =>
  readdirSync(new URL(folder, STORE))
    .filter((file) => file.endsWith('.sql') && !/^(entry-columns|entries-found)\./.test(file))
    .map((file) => folder + file)
    .toSorted(),
)

const statements = files.flatMap((file) => readStatements(new URL(file, STORE)).map((sql) => [file, sql] as const))

test.each(statements)('%s runs with its parameters', async (file, text) => {
  const sql = text.replace(/\{\{(columns|found)\}\}/g, (_, name: string) => PARTS[name]!)
  const parameters: Record<string, unknown> = {}
  for (const [, name, type] of sql.matchAll(/(?<!\{)\{(\w+):([^{}]+)\}(?!\})/g)) {
    expect(Object.keys(EXAMPLES)).toContain(type)
    parameters[name!] = (type === 'String' ? TIMES[name!] : undefined) ?? EXAMPLES[type!]
  }
  const filled = fillPlaceholders(sql, clickhouse)
  if (filled === null) expect(fillPlaceholders(sql, { cluster: 'c', database: 'd' })).toContain('ON CLUSTER')
  else if (/^(--.*\n)*(SELECT|WITH)/.test(filled)) {
    const rows = await clickhouse.read(file, filled, parameters, z.looseObject({}))
    expect(Array.isArray(rows)).toBe(true)
  } else await clickhouse.command(file, filled, parameters)
})
