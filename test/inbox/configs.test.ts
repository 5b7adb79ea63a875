import { expect, onTestFinished, test } from 'vitest'
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
