import { expect, test } from 'vitest'
import { startEmbedded } from '../../src/store/embedded/embedded.ts'
import { openStore } from '../../src/store/store.ts'
import { StoreUnavailable } from '../../src/store/store-unavailable.ts'
import { pages } from '../../src/web/pages.ts'
import { storeInTime } from '../../src/web/store-in-time.ts'
import { temporaryFolder } from '../store/embedded/engine-fixture.ts'
import { recordingLog } from './recording-log.ts'
import { sampleReport } from './sample-report.ts'

test('a page says soon that the engine hangs, and is there again when it goes on', async () => {
  const dataDir = await temporaryFolder()
  const engine = await startEmbedded({ dataDir })
  const store = await openStore({ url: null, dataDir })
  await store.reports.save(sampleReport())
  const pagesIn = (ms: number) =>
    pages({
      store: storeInTime(store, ms),
      publicUrl: 'https://perf.example.org',
      version: '1.2.3',
      log: recordingLog(),
    })
  process.kill(engine.pid()!, 'SIGSTOP')
  const start = performance.now()
  for (const path of ['/r/acme/fast.db', '/r/acme/fast.db/pull/7']) {
    const answer = await pagesIn(300).request(path)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('Retry-After')).toBe('60')
    expect(await answer.text()).toContain('does not answer at the moment')
  }
  const of = { repositoryId: 42, metric: 'client_time', now: Date.now() }
  await expect(storeInTime(store, 100).trunkHistory.learnedThresholds(of)).rejects.toThrow(StoreUnavailable)
  // Of itself the store waits for 30 s, each time.
  expect(performance.now() - start).toBeLessThan(29_000)
  process.kill(engine.pid()!, 'SIGCONT')
  expect((await pagesIn(10_000).request('/r/acme/fast.db')).status).toBe(200)
  await store.close()
  await engine.stop()
})
