import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { z } from 'zod'
import { openClickHouse } from '../../../src/store/client.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { openEmbedded } from '../../../src/store/open-embedded.ts'
import { MEMORY_FOLDER } from '../../memory-folder.ts'

export interface EngineOfRun {
  /** A database that was just migrated; null on a server, where copies would not be those of the cluster. */
  readonly migrated: { readonly database: string; readonly tables: readonly string[] } | null
  /** Where its port file is, and what the tests leave on the disk. */
  readonly dataDir: string
  readonly url: string
  readonly user: string
  readonly password: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    engineOfRun: EngineOfRun
  }
}

/** The engine that the test files share. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(MEMORY_FOLDER, 'perf-triage-run-'))
  const engine = await openEmbedded({ dataDir })
  const { url, user, password } = engine
  provide('engineOfRun', { migrated: await migrated(dataDir), dataDir, url, user, password })
  return async () => {
    await engine.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function migrated(dataDir: string): Promise<NonNullable<EngineOfRun['migrated']>> {
  const database = 'perf_triage_migrated'
  const clickhouse = await openClickHouse({ url: null, dataDir, database })
  await migrate(clickhouse)
  const tables = await clickhouse.read('tables', 'SHOW TABLES', {}, z.object({ name: z.string() }))
  await clickhouse.close()
  return { database, tables: tables.map(({ name }) => name) }
}
