import { expect, test } from 'vitest'
import { postgresServer } from '../inbox/postgres-server.ts'
import { migratedDatabase, serverVariablesOf } from '../store/embedded/engine-fixture.ts'
import { overlapsAmong, startReplicas, unserved } from './replicas.ts'

test('three bots on one PostgreSQL: one is killed in the middle, and each pull request has its one comment', {
  timeout: 120_000,
}, async () => {
  const server = await postgresServer()
  const replicas = await startReplicas(3, { ...serverVariablesOf(await migratedDatabase()), DATABASE_URL: server.url })
  try {
    const { github, looks } = replicas
    const pulls = await replicas.finished(6)
    await replicas.kill(0)
    pulls.push(...(await replicas.finished(3)))
    await expect.poll(() => unserved(github, pulls).length, { timeout: 90_000, interval: 50 }).toBe(0)
    expect(overlapsAmong(looks)).toEqual([])
    expect(github.violations).toEqual([])
  } finally {
    await replicas.close()
    await server.remove()
  }
})
