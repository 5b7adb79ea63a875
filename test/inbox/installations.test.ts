import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { INBOX_FILE } from '../../src/inbox/inbox.ts'
import { IS_POSTGRES, openInbox } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('a repository keeps the time at which it was first seen, until the App is removed', async () => {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const { installations } = inbox
  const repository = { repositoryId: 7, installationId: 9, owner: 'o', repo: 'old-name' }
  expect(await installations.seen(repository, 100)).toBe(100)
  expect(await installations.seen({ ...repository, repo: 'new-name' }, 200)).toBe(100)
  await installations.seen({ ...repository, repositoryId: 8 }, 300)
  await installations.seen({ ...repository, repositoryId: 6, installationId: 10 }, 300)
  expect((await installations.list())[1]).toEqual({ ...repository, repo: 'new-name', firstSeenAt: 100 })

  await installations.remove(9, [8])
  expect((await installations.list()).map(({ repositoryId }) => repositoryId)).toEqual([6, 7])
  await installations.remove(9, null)
  expect((await installations.list()).map(({ repositoryId }) => repositoryId)).toEqual([6])
  expect(await installations.seen(repository, 400)).toBe(400)
})

test.skipIf(IS_POSTGRES)('a repository that is known as it is is not written again', async () => {
  const folder = temporaryFolder()
  const inbox = await openInbox(folder)
  onTestFinished(() => inbox.close())
  const repository = { repositoryId: 7, installationId: 9, owner: 'o', repo: 'r' }
  const written = () => statSync(join(folder, `${INBOX_FILE}-wal`)).size
  await inbox.installations.seen(repository, 100)
  const before = written()
  expect(await inbox.installations.seen(repository, 200)).toBe(100)
  expect(written()).toBe(before)
  await inbox.installations.seen({ ...repository, installationId: 10 }, 300)
  expect(written()).toBeGreaterThan(before)
})
