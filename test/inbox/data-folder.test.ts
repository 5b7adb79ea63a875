import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takeDataFolder } from '../../src/bot/triage/data-folder.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('is made with those above it, for its owner alone, its lock too', async () => {
  const folder = join(temporaryFolder(), 'var', 'data')
  const taken = await takeDataFolder(folder)
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  expect([modeOf(folder), modeOf(join(folder, 'serve.lock'))]).toEqual(['700', '600'])
  taken.release()
})

test.runIf(process.platform === 'linux')('that can not be made is an error at once', async () => {
  await expect(takeDataFolder('/proc/nope')).rejects.toMatchObject({ code: 'ENOENT' })
})
