import { expect, onTestFinished, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import { lastGoodConfig } from '../../src/inbox/configs.ts'
import { openInbox } from '../../src/inbox/inbox.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('the last known good configuration of each repository', () => {
  const inbox = openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const { configs } = inbox
  expect(configs.lastKnownGood(7)).toBeNull()
  configs.save(7, { yaml: 'mode: advisory\n', blobSha: 'a' }, 1)
  configs.save(8, { yaml: '', blobSha: 'c' }, 2)
  configs.save(7, { yaml: 'mode: gating\n', blobSha: 'b' }, 3)
  expect(configs.lastKnownGood(7)).toEqual({ yaml: 'mode: gating\n', blobSha: 'b', readAt: 3 })
  configs.forget(7)
  expect(configs.lastKnownGood(7)).toBeNull()
  expect(configs.lastKnownGood(8)).not.toBeNull()
})

test('a file that was good before gates needed checks keeps its settings', () => {
  const inbox = openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const { configs } = inbox
  expect(lastGoodConfig(configs, 7)).toEqual(DEFAULT_CONFIG)
  configs.save(7, { yaml: 'mode: gating\nmetric: cpu\nhistory:\n  table: perf.trunk\n', blobSha: 'a' }, 1)
  expect(lastGoodConfig(configs, 7)).toMatchObject({ metric: 'cpu', history: { table: 'perf.trunk' } })
  configs.save(7, { yaml: 'metric: [', blobSha: 'b' }, 2)
  expect(lastGoodConfig(configs, 7)).toEqual(DEFAULT_CONFIG)
})
