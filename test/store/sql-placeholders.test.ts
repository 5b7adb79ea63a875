import { describe, expect, test } from 'vitest'
import { MIGRATIONS } from '../../src/store/migrate.ts'
import { splitStatements } from '../../src/store/sql-file.ts'
import { fillPlaceholders } from '../../src/store/sql-placeholders.ts'

const CREATE = 'CREATE TABLE IF NOT EXISTS {{table:runs}} (a Int8) ENGINE = {{engine:ReplacingMergeTree(a)}} ORDER BY a'

const C = { cluster: 'c', database: 'd`1' }

describe('the four placeholders', () => {
  test('on a single server', () => {
    expect(fillPlaceholders(CREATE, null)).toBe(
      'CREATE TABLE IF NOT EXISTS runs (a Int8) ENGINE = ReplacingMergeTree(a) ORDER BY a',
    )
    expect(fillPlaceholders('CREATE TABLE IF NOT EXISTS {{distributed:runs}}', null)).toBeNull()
    expect(fillPlaceholders('DELETE FROM {{table:runs}} WHERE a = {a:Int8}', null)).toBe(
      'DELETE FROM runs WHERE a = {a:Int8}',
    )
  })

  test('on a cluster', () => {
    expect(fillPlaceholders(CREATE, { cluster: "c'1", database: 'd' })).toBe(
      "CREATE TABLE IF NOT EXISTS runs_local ON CLUSTER 'c\\'1' (a Int8) ENGINE = ReplicatedReplacingMergeTree(a) ORDER BY a",
    )
    expect(fillPlaceholders('CREATE TABLE IF NOT EXISTS {{distributed:runs}}', C)).toBe(
      "CREATE TABLE IF NOT EXISTS runs ON CLUSTER 'c' AS runs_local ENGINE = Distributed('c', currentDatabase(), runs_local, repository_id)",
    )
    expect(fillPlaceholders('DELETE FROM {{table:runs}} WHERE 1', C)).toBe(
      "DELETE FROM runs_local ON CLUSTER 'c' WHERE 1",
    )
  })

  test('a table of this node', () => {
    expect(fillPlaceholders('SELECT 1 FROM {{local:runs}}', null)).toBe('SELECT 1 FROM runs')
    expect(fillPlaceholders('FROM {{everywhere:system.parts}}', null)).toBe('FROM system.parts')
    expect(fillPlaceholders('FROM {{everywhere:system.parts}}', { cluster: "c'1", database: 'd' })).toBe(
      "FROM clusterAllReplicas('c\\'1', system.parts)",
    )
    expect(fillPlaceholders('SELECT 1 FROM {{local:runs}}', C)).toBe('SELECT 1 FROM `d\\`1`.runs_local')
  })

  test.each([
    '{{tabel:runs}}',
    '{{local:a b}}',
    '{{everywhere:runs}}',
    '{{table:}}',
    '{{table:a b}}',
    '{{engine:Memory}}',
    '{{table runs}}',
  ])('%s is refused', (sql) => {
    expect(() => fillPlaceholders(sql, C)).toThrow(/placeholder/)
  })
})

describe('the migrations', () => {
  const statements = MIGRATIONS.flatMap(({ name, statements }) => statements.map((sql) => ({ name, sql })))

  test('are numbered without a gap', () => {
    expect(MIGRATIONS.map(({ name }) => Number(name.slice(0, 3)))).toEqual(MIGRATIONS.map((_, index) => index + 1))
  })

  test.each(statements)('$name: $sql', ({ sql }) => {
    // Two processes may apply it at once, and the same one again after a crash in the middle.
    expect(sql).toMatch(
      /^(CREATE TABLE IF NOT EXISTS|CREATE OR REPLACE TABLE|ALTER TABLE \S+\s+((ADD|DROP|MODIFY|RENAME) COLUMN IF (NOT )?EXISTS|DELETE\nWHERE)|INSERT INTO)/,
    )
    // What replaces a table takes its rows along; a distributed one has none.
    if (/^CREATE OR REPLACE TABLE \{\{table:(\w+)/.test(sql)) expect(sql).toMatch(/\nFROM \{\{local:(\w+)\}\}$/)
    expect(sql).not.toContain(';')
    const clustered = fillPlaceholders(sql, C) ?? ''
    const [, copied] = /^INSERT INTO (\w+)\b/.exec(sql) ?? []
    if (copied !== undefined) {
      // Once for the whole cluster, and not what is a copy already.
      expect(sql).toMatch(RegExp(`\\nFROM ${copied}\\nWHERE `))
      expect(sql).not.toContain('{{')
      return
    }
    if (/^ALTER TABLE \S+ DELETE\n/.test(sql)) expect(sql).toMatch(/\nSETTINGS mutations_sync = 1$/)
    expect(clustered).toMatch(/^(CREATE|CREATE OR REPLACE|ALTER) TABLE (IF NOT EXISTS )?(\w+) ON CLUSTER 'c'/)
    if (clustered.includes('MergeTree')) {
      expect(clustered).toMatch(/\w+_local ON CLUSTER/)
      expect(clustered).toMatch(/ENGINE = Replicated/)
      expect(clustered).toMatch(/\(\s*repository_id\s+UInt64,/)
    }
  })

  test('every table has its distributed one', () => {
    const names = (kind: string) =>
      statements.flatMap(({ sql }) => [...sql.matchAll(RegExp(`{{${kind}:(\\w+)}}`, 'g'))].map((match) => match[1]))
    expect([...new Set(names('table'))]).toEqual([...new Set(names('distributed'))])
    expect([...new Set(names('table'))]).toEqual([
      'runs',
      'query_results',
      'samples',
      'stacks',
      'reports',
      'checks',
      'ledger_entries',
      'trunk_history',
      'flags',
      'history_copies',
      'decisions',
    ])
  })
})

test('a file is cut into statements at semicolons that end a line', () => {
  expect(splitStatements("-- one;\nSELECT ';' ;\n\n  -- two\nSELECT\n  2;\n")).toEqual(["SELECT ';'", 'SELECT\n  2'])
})
