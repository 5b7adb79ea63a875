import { expect, inject, vi } from 'vitest'
import { engineOfRun } from '../../test/store/embedded/engine-fixture.ts'

/** Of a request, in milliseconds: the machine may have other things to do, and how long it takes is not what is tried. */
const TIMEOUT = 200_000

/** Whoever opens a database in the engine of the run gets one on the server. */
const { dataDir, url, user, password } = engineOfRun()
const cluster = process.env['STATEMENTS_CLUSTER'] ?? null

/**
 * Tests empty, merge and change tables of the bot. On a cluster these are distributed: `TRUNCATE` of one empties the queue of
 * its inserts and leaves the rows on the shards, the others are refused. They are done to the tables behind it, on every node.
 */
const CHANGE =
  /^(TRUNCATE TABLE|OPTIMIZE TABLE|ALTER TABLE|DELETE FROM) (checks|flags|history_copies|ledger_entries|migrations|query_results|reports|runs|samples|stacks|trunk_history)\b/
const onEveryNode = (sql: string) =>
  cluster === null
    ? sql
    : sql.replace(CHANGE, (_, change: string, table: string) => `${change} ${table}_local ON CLUSTER '${cluster}'`)

/**
 * Before 26.7 ClickHouse reads a decimal number with an error of a few units in the last place, and 24.8 gives 0 for -0: see
 * docs/database.md.
 */
if (!inject('exactDecimals')) {
  const near = (a: number, b: number) => Math.abs(a - b) <= Math.max(1e-15 * Math.abs(a), 8 * Number.MIN_VALUE)
  expect.addEqualityTesters([
    (a, b) => (typeof a === 'number' && typeof b === 'number' && near(a, b) ? true : undefined),
  ])
}

vi.mock(import('../../src/store/client.ts'), async (importOriginal) => {
  const original = await importOriginal()
  const server = { url, user, password, cluster }
  return {
    ...original,
    openClickHouse: async (settings) => {
      if (settings.url !== null || settings.dataDir !== dataDir) return await original.openClickHouse(settings)
      const opened = await original.openClickHouse({ timeout: TIMEOUT, ...settings, ...server })
      const command = opened.command.bind(opened)
      opened.command = async (name, sql, ...rest) => await command(name, onEveryNode(sql), ...rest)
      return opened
    },
  }
})
