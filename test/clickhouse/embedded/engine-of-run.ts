import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openEmbedded } from '../../../src/clickhouse/embedded/open-embedded.ts'

export interface EngineOfRun {
  /** Where its port file is, and what the tests leave on the disk. */
  readonly dataDir: string
  readonly url: string
  readonly user: string
  readonly password: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** `engine`, `bot` or `browser`, of files that are named like this. */
    needs?: string
    engineOfRun: EngineOfRun
  }
}

/**
 * The engine that the test files share. Each project with files to run calls this in one process, each with modules of
 * its own: the first starts the engine, the others find it by the folder.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  process.env['PERF_TRIAGE_RUN'] ??= mkdtempSync(join(tmpdir(), 'perf-triage-run-'))
  const dataDir = process.env['PERF_TRIAGE_RUN']
  const engine = await openEmbedded({ dataDir })
  const { url, user, password } = engine
  provide('engineOfRun', { dataDir, url, user, password })
  return async () => {
    if (engine.attached) return
    await engine.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}
