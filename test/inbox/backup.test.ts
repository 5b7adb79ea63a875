import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { takeDataFolder } from '../../src/bot/triage/data-folder.ts'
import { INBOX_FILE, openInbox } from '../../src/inbox/inbox.ts'
import { perfTriage } from '../cli/commands/capture.ts'
import { temporaryFolder } from './temporary-folder.ts'

const env = (dataDir: string) => ({ env: { PERF_TRIAGE_DATA_DIR: dataDir } })
const target = { installationId: 9, repositoryId: 7, owner: 'o', repo: 'r', pullRequestNumber: 1, head: null }

/** An inbox that is open, as while the bot serves, with everything in its journal. */
async function served(folder: string) {
  const inbox = await openInbox(folder)
  await inbox.deliveries.receive({ guid: 'a', event: 'push', installationId: 9, payload: '{"ü":1}' }, 1)
  await inbox.triages.wake(target, 2)
  await inbox.firstStart(3)
  return inbox
}

test('a backup beside a bot that serves, restored into a new folder, has everything; a copied file has nothing', async () => {
  const [folder, elsewhere] = [join(temporaryFolder(), 'data'), temporaryFolder()]
  const inbox = await served(folder)
  const lock = await takeDataFolder(folder)
  const file = join(elsewhere, 'inbox.backup')
  const made = await perfTriage(['backup', file], env(folder))
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expect(made.stdout).toMatch(/^backed up to .*inbox\.backup \(\d+ KiB\); deliveries: 1, triages: 1, posted: 0, /)
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  copyFileSync(join(folder, INBOX_FILE), join(elsewhere, 'copied'))
  const copied = new DatabaseSync(join(elsewhere, 'copied'))
  expect(() => copied.prepare('SELECT * FROM deliveries').all()).toThrow('no such table')
  copied.close()
  // Not in the backup.
  await inbox.deliveries.receive({ guid: 'b', event: 'push', installationId: 9, payload: '{}' }, 4)
  await inbox.close()
  lock.release()

  const fresh = join(elsewhere, 'data')
  const restored = await perfTriage(['restore', file, '--json'], env(fresh))
  expect(restored).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(restored.stdout)).toMatchObject({
    schemaVersion: 1,
    file: join(fresh, INBOX_FILE),
    rows: { deliveries: 1, triages: 1 },
  })
  expect((statSync(join(fresh, INBOX_FILE)).mode & 0o777).toString(8)).toBe('600')
  const again = await openInbox(fresh)
  expect(await again.deliveries.claimNext(100_000)).toMatchObject({ guid: 'a', payload: '{"ü":1}' })
  expect(await again.deliveries.claimNext(100_000)).toBeNull()
  expect(await again.triages.claimNext(100_000)).toMatchObject(target)
  expect(await again.firstStart(5)).toBe(3)
  await again.close()
})

test('after a kill the journal that was left is in the backup', async () => {
  const [killed, folder] = [temporaryFolder(), temporaryFolder()]
  const inbox = await served(killed)
  for (const suffix of ['', '-wal']) copyFileSync(join(killed, INBOX_FILE + suffix), join(folder, INBOX_FILE + suffix))
  await inbox.close()
  const { stdout } = await perfTriage(['backup', join(folder, 'b'), '--json'], env(folder))
  expect(JSON.parse(stdout)).toMatchObject({ rows: { deliveries: 1, triages: 1 } })
})

test('nothing is overwritten, and what can’t be copied is said with what to do', async () => {
  const folder = temporaryFolder()
  await (await served(join(folder, 'full'))).close()
  const file = join(folder, 'good')
  await perfTriage(['backup', file], env(join(folder, 'full')))
  writeFileSync(join(folder, 'text'), 'not a database'.repeat(100))
  const other = new DatabaseSync(join(folder, 'other'))
  other.exec('CREATE TABLE x (a)')
  other.close()
  copyFileSync(file, join(folder, 'newer'))
  const newer = new DatabaseSync(join(folder, 'newer'))
  newer.exec('PRAGMA user_version = 99')
  newer.close()
  mkdirSync(join(folder, 'journal'))
  writeFileSync(join(folder, 'journal', `${INBOX_FILE}-wal`), '')
  mkdirSync(join(folder, 'used'))
  const lock = await takeDataFolder(join(folder, 'used'))

  const problems: readonly (readonly [command: string, from: string, dataDir: string, RegExp])[] = [
    ['backup', 'good', 'full', /good already exists: name a new file/],
    [
      'backup',
      'no/such/folder/b',
      'full',
      /no\/such\/folder does not exist: create this folder, or name a file in another one$/m,
    ],
    ['backup', 'new', 'empty', /has no inbox\.sqlite: set PERF_TRIAGE_DATA_DIR/],
    ['restore', 'missing', 'empty', /missing does not exist/],
    ['restore', 'good', 'full', /inbox\.sqlite already exists: move it away/],
    ['restore', 'good', 'journal', /inbox\.sqlite-wal already exists: move it away/],
    ['restore', 'good', 'used', /in use by another perf-triage process: stop it/],
    ['restore', 'text', 'empty', /text can't be copied: file is not a database/],
    ['restore', 'other', 'empty', /other can't be copied: no such table: deliveries/],
    ['restore', 'newer', 'empty', /written by a newer perf-triage .* Start the newer version again/],
  ]
  for (const [command, name, dataDir, message] of problems) {
    const { code, stderr, stdout } = await perfTriage([command, join(folder, name)], env(join(folder, dataDir)))
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^perf-triage (backup|restore): [^\n]*\n$/)
    for (const left of [INBOX_FILE, `${INBOX_FILE}.part`]) expect(existsSync(join(folder, 'empty', left))).toBe(false)
  }
  lock.release()
})
