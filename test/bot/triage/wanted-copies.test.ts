import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { wantedCopies } from '../../../src/bot/triage/wanted-copies.ts'
import { openInbox } from '../../../src/inbox/inbox.ts'
import { temporaryFolder } from '../../inbox/temporary-folder.ts'

test('copies of a repository go with the App, and stay where the inbox has not heard of it', async () => {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const gone = { repositoryId: 2, installationId: 1, owner: 'acme', repo: 'gone' }
  await inbox.repositories.heard([{ kind: 'gone', ...gone }], 1)
  await inbox.installations.seen({ repositoryId: 3, installationId: 1, owner: 'acme', repo: 'here' }, 1)
  const wanted = wantedCopies({
    inbox,
    github: { forInstallation: () => Promise.reject(new Error('GitHub is not asked')) },
    readConfig: () => Promise.reject(new Error('GitHub is not asked')),
    sources: null,
    profileDatabases: null,
    now: () => 1,
    log: pino({ level: 'silent' }),
  })
  expect((await wanted([1, 2, 3])).map(({ repositoryId, copies }) => [repositoryId, copies])).toEqual([
    [3, []],
    [1, null],
    [2, []],
  ])
})

test('GitHub is not asked again in the next round about a repository of which it did not answer', async () => {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  await inbox.installations.seen({ repositoryId: 3, installationId: 1, owner: 'acme', repo: 'here' }, 1)
  let [asked, now] = [0, 1]
  const wanted = wantedCopies({
    inbox,
    github: {
      forInstallation: () => {
        asked += 1
        return Promise.reject(new Error('502'))
      },
    },
    readConfig: () => Promise.reject(new Error('It is not known of which repository')),
    sources: { holds: () => true, of: () => null },
    profileDatabases: null,
    now: () => now,
    log: pino({ level: 'silent' }),
  })
  for (const [minutes, times] of [
    [0, 1],
    [5, 1],
    [14, 1],
    [16, 2],
  ] as const) {
    now = 1 + minutes * 60_000
    expect(await wanted([])).toEqual([{ repositoryId: 3, copies: null }])
    expect(asked).toBe(times)
  }
})
