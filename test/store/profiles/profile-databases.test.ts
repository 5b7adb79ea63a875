import { afterAll, expect, test } from 'vitest'
import { openProfileDatabases } from '../../../src/store/profiles/profile-databases.ts'

const databases = openProfileDatabases({
  url: 'http://127.0.0.1:9',
  user: 'play',
  password: '',
  repositories: ['acme/engine'],
  tables: ['stacks'],
})
afterAll(() => databases.close())

const WANTED = { repositoryId: 1, head: 'a', architecture: null, test: 'sum', queryIndex: 0, queryName: null }

test('only of the repositories that the operator names, whatever their case', () => {
  expect(databases.of('ACME/Engine', 'stacks')).not.toBeNull()
  expect(databases.of('somebody/else', 'stacks')).toBeNull()
  expect(databases.of('acme/engine', null)).toBeNull()
})

test('a table is opened once', () => {
  expect(databases.of('acme/engine', 'stacks')).toBe(databases.of('acme/engine', 'stacks'))
})

test('a table that the operator does not name is not asked', async () => {
  const refused = databases.of('acme/engine', 'private.stacks')!
  await expect(refused.summariesOf(WANTED)).rejects.toThrow('CIDB_TABLES')
  await expect(refused.stacksOf(WANTED, 'CPU')).rejects.toThrow('CIDB_TABLES')
  // Nobody need have named the default.
  expect(databases.of('acme/engine', 'perf_flamegraph_stacks_v1')).toBeNull()
})
