import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { z } from 'zod'
import { openClickHouse } from '../../src/store/client.ts'
import type { EngineOfRun } from '../../test/store/embedded/engine-of-run.ts'

const DATABASES = "SELECT name FROM system.databases WHERE match(name, '^perf_triage_[0-9a-f]{32}')"
const named = z.object({ name: z.string() })

declare module 'vitest' {
  export interface ProvidedContext {
    exactDecimals: boolean
  }
}

/** Provides the server of the environment as the engine of the run, and drops the databases of the tests at the end. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const url = process.env['STATEMENTS_URL']
  if (url === undefined) throw new Error('STATEMENTS_URL is not set: it is the address of a ClickHouse server')
  const user = process.env['STATEMENTS_USER'] ?? 'default'
  const password = process.env['STATEMENTS_PASSWORD'] ?? ''
  const cluster = process.env['STATEMENTS_CLUSTER'] ?? null
  const dataDir = mkdtempSync(join(tmpdir(), 'perf-triage-statements-'))
  const server = await openClickHouse({ url, user, password, cluster, dataDir, database: 'system', timeout: 200_000 })
  const versions = await server.read('version', 'SELECT version() AS version', {}, z.object({ version: z.string() }))
  const { version } = versions[0]!
  console.log('ClickHouse', version)
  const [major = 0, minor = 0] = version.split('.').map(Number)
  provide('exactDecimals', major > 26 || (major === 26 && minor >= 7))
  const ofTests = async () => (await server.read('databases', DATABASES, {}, named)).map(({ name }) => name)
  const before = new Set(await ofTests())
  const engine: EngineOfRun = { migrated: null, dataDir, url, user, password }
  provide('engineOfRun', engine)
  return async () => {
    const onCluster = cluster === null ? '' : ` ON CLUSTER '${cluster}'`
    for (const name of await ofTests()) {
      if (before.has(name)) continue
      await server.command('drop', `DROP DATABASE {name:Identifier}${onCluster} SYNC`, { name })
    }
    await server.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}
