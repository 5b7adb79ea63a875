import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createGitHubApp } from '../../src/github/github-app.ts'
import { makeSetting } from '../demo/setting.ts'

test('clients are bounded: an installation keeps its own while it is used, the one that was idle for longest gives way', async () => {
  const { github } = await makeSetting()
  try {
    const { appId, privateKey } = github.credentials
    const app = createGitHubApp({
      appId,
      privateKey,
      webhookSecret: 'secret',
      apiUrl: `${github.url}/api/v3`,
      log: pino({ level: 'silent' }),
    })
    const [used, idle] = [await app.forInstallation(1), await app.forInstallation(2)]
    for (let id = 3; id <= 1001; id += 1) {
      await app.forInstallation(1)
      await app.forInstallation(id)
    }
    expect(await app.forInstallation(1)).toBe(used)
    expect(await app.forInstallation(2)).not.toBe(idle)
  } finally {
    await github.stop()
  }
})
