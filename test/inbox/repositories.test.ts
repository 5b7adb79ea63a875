import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { INBOX_FILE } from '../../src/inbox/inbox.ts'
import { type RepositoryChange, SETTLING_MS } from '../../src/inbox/repositories.ts'
import { MIGRATIONS } from '../../src/inbox/sqlite.ts'
import { IS_POSTGRES, openInbox } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const NAMED = { repositoryId: 7, installationId: 3, owner: 'acme', repo: 'engine' }
const LATER = SETTLING_MS

async function opened(folder = temporaryFolder()) {
  const inbox = await openInbox(folder)
  onTestFinished(() => inbox.close())
  return inbox.repositories
}

function there(isPrivate: boolean, more: Partial<typeof NAMED> = {}): RepositoryChange {
  return { kind: 'there', ...NAMED, ...more, isPrivate }
}

test('what GitHub answered is known by name in any case and by number', async () => {
  const repositories = await opened()
  expect(await repositories.byName('acme', 'engine')).toBeNull()
  expect(await repositories.version(7)).toBe(0)
  expect(await repositories.read({ ...NAMED, isPrivate: false }, 0, 1)).toBe(true)
  const known = { ...NAMED, isPrivate: false, isGone: false }
  expect(await repositories.byName('ACME', 'Engine')).toEqual(known)
  expect(await repositories.byId(7)).toEqual(known)
  expect(await repositories.read({ ...NAMED, isPrivate: false }, 0, 2)).toBe(true)
})

test('an event hides at once and never shows; what is read a minute later does', async () => {
  const repositories = await opened()
  await repositories.read({ ...NAMED, isPrivate: false }, 0, 1)
  const before = await repositories.version(7)
  await repositories.heard([there(true)], 1000)
  expect((await repositories.byId(7))?.isPrivate).toBe(true)
  await repositories.heard([there(false)], 2000)
  expect((await repositories.byId(7))?.isPrivate).toBe(true)

  // Asked before the event, or answered from a copy that it has not reached.
  expect(await repositories.read({ ...NAMED, isPrivate: false }, before, 1000 + LATER)).toBe(false)
  expect(await repositories.read({ ...NAMED, isPrivate: false }, await repositories.version(7), 999 + LATER)).toBe(
    false,
  )
  expect((await repositories.byId(7))?.isPrivate).toBe(true)
  expect(await repositories.read({ ...NAMED, isPrivate: false }, await repositories.version(7), 1000 + LATER)).toBe(
    true,
  )
  expect((await repositories.byId(7))?.isPrivate).toBe(false)
})

test('what is read as private hides, however late the answer comes', async () => {
  const repositories = await opened()
  await repositories.read({ ...NAMED, isPrivate: false }, 0, 1)
  await repositories.heard([there(false, { repo: 'renamed' })], 2)
  expect(await repositories.read({ ...NAMED, isPrivate: true }, 0, 3)).toBe(false)
  expect(await repositories.byId(7)).toMatchObject({ isPrivate: true, repo: 'renamed' })
})

test('one that was never heard of: a public one is as its report says, a private one is private', async () => {
  const repositories = await opened()
  await repositories.heard([there(false), there(true, { repositoryId: 8, repo: 'other' })], 1)
  expect(await repositories.byId(7)).toEqual({ ...NAMED, isPrivate: null, isGone: false })
  expect((await repositories.byId(8))?.isPrivate).toBe(true)
})

test('deleted, taken from the installation, the installation gone: known by number only, until it is read again', async () => {
  const repositories = await opened()
  const add = (repositoryId: number, installationId: number) =>
    repositories.read({ ...NAMED, repositoryId, installationId, repo: `r${repositoryId}`, isPrivate: false }, 0, 1)
  for (const id of [7, 8, 9]) await add(id, 3)
  await add(10, 4)
  await repositories.heard([{ kind: 'gone', ...NAMED, repo: 'r7' }], 2)
  expect(await repositories.byName('acme', 'r7')).toBeNull()
  expect((await repositories.byId(7))?.isGone).toBe(true)
  expect(await repositories.byName('acme', 'r8')).not.toBeNull()
  await repositories.heard([{ kind: 'installation-gone', installationId: 3 }], 3)
  for (const [id, isGone] of [
    [8, true],
    [9, true],
    [10, false],
  ] as const)
    expect((await repositories.byId(id))?.isGone).toBe(isGone)

  await repositories.heard([there(false, { repositoryId: 8, repo: 'r8', installationId: 5 })], 4)
  expect(await repositories.byName('acme', 'r8')).toBeNull()
  const again = { ...NAMED, repositoryId: 8, repo: 'r8', installationId: 5, isPrivate: false }
  expect(await repositories.read(again, await repositories.version(8), 3 + LATER)).toBe(true)
  expect(await repositories.byName('acme', 'r8')).toEqual({ ...again, isGone: false })
})

test('a name belongs to the one that GitHub says; an event that claims another’s name is not believed', async () => {
  const repositories = await opened()
  await repositories.read({ ...NAMED, isPrivate: false }, 0, 1)
  await repositories.heard([there(false, { repositoryId: 8 })], 2)
  expect((await repositories.byName('acme', 'engine'))?.repositoryId).toBe(7)
  expect(await repositories.byId(8)).toMatchObject({ owner: '', repo: '' })
  expect(
    await repositories.read({ ...NAMED, repositoryId: 8, isPrivate: false }, await repositories.version(8), 3),
  ).toBe(true)
  expect((await repositories.byName('acme', 'engine'))?.repositoryId).toBe(8)
  expect(await repositories.byId(7)).toMatchObject({ owner: '', repo: '' })
})

test('in whatever order events come, a repository that one of them hid stays hidden until it is read', async () => {
  const event = fc.record({
    kind: fc.constantFrom('there', 'gone', 'installation-gone'),
    isPrivate: fc.boolean(),
    repo: fc.constantFrom('engine', 'renamed'),
    installationId: fc.constantFrom(3, 4),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 8 }), async (events) => {
      const repositories = await opened()
      await repositories.read({ ...NAMED, isPrivate: false }, 0, 1)
      let isHidden = false
      for (const { kind, isPrivate, repo, installationId } of events) {
        isHidden ||= kind === 'gone' || (kind === 'there' && isPrivate)
        isHidden ||= kind === 'installation-gone' && (await repositories.byId(7))?.installationId === installationId
        const named = { ...NAMED, repo, installationId }
        if (kind === 'there') await repositories.heard([{ kind, ...named, isPrivate }], 2)
        else if (kind === 'gone') await repositories.heard([{ kind, ...named }], 2)
        else await repositories.heard([{ kind: 'installation-gone', installationId }], 2)
        const known = await repositories.byId(7)
        expect(known?.isGone === true || known?.isPrivate === true).toBe(isHidden)
      }
    }),
    { numRuns: IS_POSTGRES ? 10 : 30 },
  )
})

test.skipIf(IS_POSTGRES)(
  'an inbox from before knows the names and installations that it had, and that nothing is known of their privacy',
  async () => {
    const folder = temporaryFolder()
    const file = new DatabaseSync(join(folder, INBOX_FILE))
    for (const migration of MIGRATIONS.slice(0, 3)) file.exec(migration)
    file.exec("INSERT INTO installed_repositories VALUES (7, 3, 'acme', 'engine', 1); PRAGMA user_version = 3")
    file.close()
    const repositories = await opened(folder)
    expect(await repositories.byName('acme', 'engine')).toEqual({ ...NAMED, isPrivate: null, isGone: false })
  },
)

test('an installation that is removed takes along what was only seen', async () => {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  await inbox.installations.seen(NAMED, 1)
  await inbox.repositories.heard([{ kind: 'installation-gone', installationId: 3 }], 2)
  expect((await inbox.repositories.byId(7))?.isGone).toBe(true)
})
