import { expect, onTestFinished, test } from 'vitest'
import { profilesBeside } from '../../../src/bot/triage/profiles-beside.ts'
import { openInbox } from '../../../src/inbox/inbox.ts'
import type { ProfileDatabases } from '../../../src/store/profiles/profile-databases.ts'
import { openProfileDatabases } from '../../../src/store/profiles/profile-databases.ts'
import { temporaryFolder } from '../../inbox/temporary-folder.ts'

test('the table is that of the repository, under its present name, by the last good configuration', async () => {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const databases = openProfileDatabases({
    url: 'http://127.0.0.1:9',
    user: 'play',
    password: '',
    repositories: ['acme/engine'],
    tables: ['perf_flamegraph_stacks_v1', 'ours.stacks'],
  })
  onTestFinished(() => databases.close())
  const asked: (string | null)[][] = []
  const recording: ProfileDatabases = {
    ...databases,
    of: (repository, table) => {
      asked.push([repository, table])
      return databases.of(repository, table)
    },
  }
  const beside = profilesBeside(recording, inbox)
  const wanted = { repositoryId: 7, head: 'a', architecture: null, test: 'sum', queryIndex: 0, queryName: null }
  expect(await beside(wanted)).toBeNull()
  expect(asked).toEqual([])

  const repository = { repositoryId: 7, installationId: 9, owner: 'acme', repo: 'engine', isPrivate: false }
  await inbox.repositories.heard([{ kind: 'there', ...repository }], 1000)
  expect(await beside(wanted)).toBe(databases.of('acme/engine', 'perf_flamegraph_stacks_v1'))
  expect(await beside({ ...wanted, repositoryId: 8 })).toBeNull()

  await inbox.configs.save(7, { yaml: 'profiles:\n  table: ours.stacks\n', blobSha: 'b' }, 2000)
  expect(await beside(wanted)).toBe(databases.of('acme/engine', 'ours.stacks'))
  await inbox.configs.save(7, { yaml: 'profiles:\n  table: null\n', blobSha: 'c' }, 3000)
  expect(await beside(wanted)).toBeNull()

  await inbox.configs.forget(7)
  await inbox.repositories.heard([{ kind: 'gone', ...repository }], 4000)
  asked.length = 0
  expect(await beside(wanted)).toBeNull()
  expect(asked).toEqual([])
})
