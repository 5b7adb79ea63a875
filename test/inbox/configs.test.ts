import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import { lastGoodConfig } from '../../src/inbox/configs.ts'
import { openInbox } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('the last known good configuration of each repository', async () => {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const { configs } = inbox
  expect(await configs.lastKnownGood(7)).toBeNull()
  await configs.save(7, { yaml: 'mode: advisory\n', blobSha: 'a' }, 1)
  await configs.save(8, { yaml: '', blobSha: 'c' }, 2)
  await configs.save(7, { yaml: 'mode: gating\n', blobSha: 'b' }, 3)
  expect(await configs.lastKnownGood(7)).toEqual({ yaml: 'mode: gating\n', blobSha: 'b', readAt: 3 })
  await configs.forget(7)
  expect(await configs.lastKnownGood(7)).toBeNull()
  expect(await configs.lastKnownGood(8)).not.toBeNull()
})

test('a file that was good before gates needed checks keeps its settings', async () => {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const { configs } = inbox
  expect(await lastGoodConfig(configs, 7)).toEqual(DEFAULT_CONFIG)
  await configs.save(7, { yaml: 'mode: gating\nmetric: cpu\nhistory:\n  table: perf.trunk\n', blobSha: 'a' }, 1)
  expect(await lastGoodConfig(configs, 7)).toMatchObject({ metric: 'cpu', history: { table: 'perf.trunk' } })
  await configs.save(7, { yaml: 'metric: [', blobSha: 'b' }, 2)
  expect(await lastGoodConfig(configs, 7)).toEqual(DEFAULT_CONFIG)
})
