import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COPIED_TABLES } from '../../src/store/copy/copy-database.ts'

const MIGRATIONS = new URL('../../src/store/migrations/', import.meta.url)

test('every table that a migration makes is copied, and none that another drops', () => {
  const statements = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => readFileSync(new URL(name, MIGRATIONS), 'utf8'))
    .join('\n')
  const tables = new Set<string>()
  for (const [, does, name] of statements.matchAll(/\b(CREATE|DROP)\b[A-Z ]* TABLE[A-Z ]* \{\{table:(\w+)\}\}/g))
    if (does === 'CREATE') tables.add(name!)
    else tables.delete(name!)
  expect(COPIED_TABLES.map(({ name }) => name).toSorted()).toEqual([...tables].toSorted())
})
