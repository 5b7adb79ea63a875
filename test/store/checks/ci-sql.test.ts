import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ciSql, type RowSource } from '../../../src/store/checks/ci-sql.ts'
import { ownRows } from '../../../src/store/checks/own-ci-results.ts'

const SOURCES: readonly RowSource[] = [
  ownRows({}),
  ownRows({ withOutput: true, unmerged: true, ofChecks: true }),
  { file: 'external-rows', parts: { columns: 'SELECT * FROM `ci`.`checks`' } },
]
const names = readdirSync(new URL('../../../src/store/checks/queries/', import.meta.url))
  .map((file) => file.replace('.sql', ''))
  // Parts of statements: a source of rows with open places, an expression.
  .filter((name) => !/-rows$|^job-start$/.test(name))

test.each(names)('%s is put together to the end, for every source', (name) => {
  for (const source of SOURCES) {
    const sql = ciSql(name, source)
    expect(sql).not.toContain('{{')
    expect(sql).not.toContain('}}')
    expect(sql).toMatch(/^SELECT/)
  }
})

test('no statement changes anything, or reads an output to compare it', () => {
  for (const name of names) {
    for (const source of SOURCES) {
      const sql = ciSql(name, source)
      expect(sql).not.toMatch(/\b(INSERT|ALTER|DROP|CREATE|DELETE|OPTIMIZE|LIKE)\b/)
      expect(sql.replaceAll(ciSql('output-of-rows', source), '')).not.toContain('test_context_raw')
    }
  }
})

test('the condition stands in the statement that reads the table', () => {
  const sql = ciSql('mass-failures', ownRows({}))
  const [, reading] = /FROM checks FINAL\nWHERE ([\s\S]*)/.exec(sql) ?? []
  expect(reading?.slice(0, reading.indexOf(')\nWHERE'))).toContain("outcome IN ('failing', 'measured')")
})

test('an unknown file is an error', () => {
  expect(() => ciSql('nothing', ownRows({}))).toThrow(/nothing/)
})
