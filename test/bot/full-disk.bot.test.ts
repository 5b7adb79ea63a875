import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { zipOf } from '../../demo/github/zip.ts'
import { takeDataFolder } from '../../src/bot/triage/data-folder.ts'
import { INBOX_FILE } from '../../src/inbox/inbox.ts'
import { type BotSetting, botComments, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'

// The inbox takes no write under a running worker. A trigger of the file stands for the disk: what it refuses is a write
// of the bot's own connection, which SQLite takes back as on a full disk.

let setting: BotSetting
let disk: DatabaseSync

beforeEach(async () => {
  setting = await makeBotSetting()
  disk = new DatabaseSync(join(setting.dataDir, INBOX_FILE), { timeout: 5_000 })
})
afterEach(async () => {
  disk.close()
  await setting.close()
})

/** From here on nothing becomes, or stops being, what the condition says. */
function fill(when: string): void {
  for (const table of ['deliveries', 'triages']) {
    disk.exec(`
      CREATE TRIGGER full_${table} BEFORE UPDATE ON ${table} WHEN ${when}
      BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`)
  }
}

function makeRoom(): void {
  disk.exec('DROP TRIGGER full_deliveries; DROP TRIGGER full_triages')
}

/** A pull request whose results are in. */
async function measured() {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'work' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  return pull
}

test('work can’t begin on a full disk, and begins by itself when there is room', async () => {
  fill("NEW.state = 'working' AND OLD.state <> 'working'")
  const pull = await measured()
  await setting.github.idle()
  expect(await setting.bot.inbox.deliveries.counts()).toMatchObject({ working: 0, received: expect.any(Number) })
  expect((await setting.bot.inbox.deliveries.counts()).received).toBeGreaterThan(0)
  makeRoom()
  await expect.poll(() => botComments(pull).length, { timeout: 60_000, interval: 20 }).toBe(1)
})

test('work whose end can’t be written holds no place any more once there is room', async () => {
  fill("OLD.state = 'working' AND NEW.state <> 'working'")
  const pull = await measured()
  await expect
    .poll(async () => (await setting.bot.inbox.deliveries.counts()).working, { timeout: 60_000, interval: 20 })
    .toBeGreaterThan(0)
  makeRoom()
  await expect.poll(() => botComments(pull).length, { timeout: 60_000, interval: 20 }).toBe(1)
  await expect
    .poll(
      async () =>
        (await setting.bot.inbox.deliveries.counts()).working + (await setting.bot.inbox.triages.counts()).working,
      {
        timeout: 60_000,
        interval: 20,
      },
    )
    .toBe(0)
})

test('what GitHub could not deliver is asked for as soon as there is room, and not at the next sweep', async () => {
  disk.exec(`
    CREATE TRIGGER full_inbox BEFORE INSERT ON deliveries BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`)
  const pull = await measured()
  await setting.github.idle()
  expect((await setting.bot.inbox.deliveries.counts()).received).toBe(0)
  disk.exec('DROP TRIGGER full_inbox')
  await expect.poll(() => botComments(pull).length, { timeout: 60_000, interval: 20 }).toBe(1)
})

test('a stop on a full disk closes everything in order', async () => {
  disk.exec(`
    INSERT INTO deliveries (guid, event, installation_id, payload, received_at, state, due_at, claim, attempts, leased_until)
    VALUES ('cut-off', 'push', 1, x'00', 0, 'working', 0, 1, 1, ${Date.now() + 600_000})`)
  fill("OLD.state = 'working'")
  await setting.bot.stop()
  ;(await takeDataFolder(setting.dataDir)).release()
})
