import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/store/store.ts'
import { openStore } from '../../src/store/store.ts'

/** Works with an empty store over the embedded engine, which is removed afterwards. */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-calibration-'))
  try {
    const store = await openStore({ url: null, dataDir })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
