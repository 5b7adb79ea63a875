import { vi } from 'vitest'
import { engineOfRun } from '../../test/embedded/engine-fixture.ts'

/** Whoever opens a database in the engine of the run gets one on the server. */
const { dataDir, url, user, password } = engineOfRun()
const cluster = process.env['STATEMENTS_CLUSTER'] ?? null

vi.mock(import('../../src/store/client.ts'), async (importOriginal) => {
  const original = await importOriginal()
  const server = { url, user, password, cluster }
  return {
    ...original,
    openClickHouse: (settings) =>
      original.openClickHouse(
        settings.url === null && settings.dataDir === dataDir ? { ...settings, ...server } : settings,
      ),
  }
})
