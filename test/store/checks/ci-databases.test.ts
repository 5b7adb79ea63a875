import { afterAll, expect, test } from 'vitest'
import { openCiDatabases } from '../../../src/store/checks/ci-databases.ts'

const databases = openCiDatabases({
  url: 'http://127.0.0.1:9',
  user: 'play',
  password: '',
  repositories: ['acme/engine'],
  tables: ['checks'],
})
afterAll(() => databases.close())

const COMMIT = { repositoryId: 1, repository: 'acme/engine', commitSha: 'a'.repeat(40), pullRequestNumber: 1 }

test('only of the repositories that the operator names, whatever their case', () => {
  expect(databases.of('ACME/Engine', 'checks')).not.toBeNull()
  expect(databases.of('somebody/else', 'checks')).toBeNull()
})

test('a table is opened once', () => {
  expect(databases.of('acme/engine', 'checks')).toBe(databases.of('acme/engine', 'checks'))
})

test('a table that the operator does not name is not asked', async () => {
  const refused = databases.of('acme/engine', 'private.checks')!
  await expect(refused.failuresOf(COMMIT)).rejects.toMatchObject({
    problem: 'access-denied',
    message: expect.stringContaining('CIDB_TABLES') as string,
  })
})

test('one that does not answer is a problem of the lookup', async () => {
  const down = databases.of('acme/engine', 'checks')!
  await expect(down.failuresOf(COMMIT)).rejects.toMatchObject({ problem: 'unreachable' })
})
