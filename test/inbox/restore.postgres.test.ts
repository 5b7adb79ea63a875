import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUpInbox } from '../../src/inbox/backup.ts'
import { openInbox as openFile, openSharedInbox } from '../../src/inbox/inbox.ts'
import type { Decision } from '../../src/report/acceptance.ts'
import { perfTriage } from '../commands/capture.ts'
import { schemaOf } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MUTE: Decision = {
  kind: 'mute',
  subject: null,
  reason: 'two modes since “May”',
  until: null,
  via: 'command',
  actor: 'octocat',
  actorId: 583231,
  saidAt: 5,
}
const target = { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber: 1, head: null }

test('a backup of the SQLite file, restored into PostgreSQL, has the decisions of people and the queue, and is not added a second time', async () => {
  const [folder, url] = [temporaryFolder(), await schemaOf(randomUUID())]
  const before = await openFile(folder)
  await before.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{"ü":1}' }, 1)
  await before.triages.wake(target, 2)
  expect(await before.firstStart(3)).toBe(3)
  const ids = [await before.decisions.add(7, 1, MUTE, 6), await before.decisions.add(7, 1, { ...MUTE, saidAt: 7 }, 8)]
  // A process that is gone, with work in hand.
  await before.processes.enter(9)
  await before.deliveries.claimNext(100_000)
  const file = join(folder, 'inbox.backup')
  backUpInbox(folder, file)
  await before.close()

  const env = { DATABASE_URL: url, CLICKHOUSE_URL: 'http://127.0.0.1:1', PERF_TRIAGE_DATA_DIR: temporaryFolder() }
  const restored = await perfTriage(['restore', file], { env })
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(restored.stdout).toMatch(
    /^restored to the database of DATABASE_URL \(\d+ KiB\); deliveries: 1, triages: 1, posted: 0, decisions: 2, /,
  )

  const inbox = await openSharedInbox(url, { debounceMs: 0 })
  try {
    expect(await inbox.decisions.list(7, 1)).toEqual([MUTE, { ...MUTE, saidAt: 7 }])
    expect(await inbox.decisions.add(7, 2, MUTE, 9)).toBeGreaterThan(Math.max(...ids))
    expect(await inbox.firstStart(100)).toBe(3)
    expect(await inbox.recoverAfterCrash(100_000)).toMatchObject({ deliveries: 1 })
    expect(await inbox.deliveries.claimNext(200_000)).toMatchObject({ guid: 'a', payload: '{"ü":1}' })
    expect(await inbox.triages.claimNext(200_000)).toMatchObject(target)
  } finally {
    await inbox.close()
  }
  const again = await perfTriage(['restore', file], { env })
  expect(again.code).toBe(2)
  expect(again.stderr).toMatch(
    /^perf-triage restore: the database of DATABASE_URL has rows in \w+ already: name one that the bot was not started on yet\n$/,
  )
})
