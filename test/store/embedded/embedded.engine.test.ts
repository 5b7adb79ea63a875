import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type EmbeddedEvent, startEmbedded } from '../../../src/store/embedded/embedded.ts'
import { EngineError } from '../../../src/store/embedded/engine.ts'
import { clientOf, isAlive, temporaryFolder, waitFor } from './engine-fixture.ts'

test('a killed engine comes back at the same address with everything that was acknowledged', async () => {
  const events: EmbeddedEvent[] = []
  const engine = await startEmbedded({ dataDir: await temporaryFolder(), onEvent: (event) => events.push(event) })
  const client = clientOf(engine, { request_timeout: 60_000 })
  await client.command({ query: 'CREATE TABLE t (batch UInt32, n UInt32) ENGINE = MergeTree ORDER BY (batch, n)' })

  const acknowledged: number[] = []
  const size = 5000
  for (let round = 0; round < 3; round++) {
    const pid = engine.pid() ?? 0
    const first = round * 1000
    try {
      for (let batch = first; ; batch++) {
        const values = Array.from({ length: size }, (_, n) => ({ batch, n }))
        await client.insert({ table: 't', values, format: 'JSONEachRow' })
        acknowledged.push(batch)
        // A fixed time after the start a busy machine has acknowledged nothing.
        if (batch === first) setTimeout(() => process.kill(pid, 'SIGKILL'), 40 * round)
      }
    } catch {
      // The engine is gone.
    }
    await waitFor(async () => engine.pid() !== null && engine.pid() !== pid && (await client.ping()).success)
  }

  const result = await client.query({
    query: 'SELECT batch, count() AS n FROM t GROUP BY batch',
    format: 'JSONEachRow',
  })
  const stored = new Map((await result.json<{ batch: number; n: string }>()).map((row) => [row.batch, Number(row.n)]))
  expect(acknowledged.length).toBeGreaterThanOrEqual(3)
  expect(acknowledged.filter((batch) => stored.get(batch) !== size)).toEqual([])
  expect([...stored.values()].filter((n) => n !== size)).toEqual([])
  expect(events.map((event) => event.kind)).toEqual([
    'crashed',
    'restarted',
    'crashed',
    'restarted',
    'crashed',
    'restarted',
  ])
  await client.close()
  await engine.stop()
})

test('the engine ends with its parent, and the next start works on the same folder', async () => {
  const dataDir = await temporaryFolder()
  const script = fileURLToPath(new URL('./parent-process.ts', import.meta.url))
  const parent = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString())
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await waitFor(() => !isAlive(pid))
  const engine = await startEmbedded({ dataDir })
  expect((await clientOf(engine).ping({ select: true })).success).toBe(true)
  await engine.stop()
})

test('stop ends the process, removes the port file and may be called twice', async () => {
  const dataDir = await temporaryFolder()
  const engine = await startEmbedded({ dataDir })
  const pid = engine.pid() ?? 0
  await Promise.all([engine.stop(), engine.stop()])
  expect(isAlive(pid)).toBe(false)
  await expect(readFile(join(dataDir, 'clickhouse-port.json'))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a second engine on the same folder and a missing package are told apart', async () => {
  const dataDir = await temporaryFolder()
  const engine = await startEmbedded({ dataDir })
  const problemOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => (error instanceof EngineError ? error.problem : String(error)),
    )
  expect(await problemOf(startEmbedded({ dataDir }))).toBe('locked')
  expect(await problemOf(startEmbedded({ dataDir: await temporaryFolder(), module: 'chdb-is-not-here' }))).toBe(
    'missing',
  )
  await engine.stop()
})

test('threads and caches are bounded, by the configuration of the bot and no file of the machine', async () => {
  const home = await temporaryFolder()
  await mkdir(join(home, '.clickhouse-local'))
  const foreign =
    '<clickhouse><mark_cache_size>5</mark_cache_size><max_thread_pool_size>9999</max_thread_pool_size></clickhouse>'
  await writeFile(join(home, '.clickhouse-local', 'config.xml'), foreign)
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const engine = await startEmbedded({ dataDir: await temporaryFolder() })
  const client = clientOf(engine)
  onTestFinished(async () => {
    await client.close()
    await engine.stop()
  })
  const threads = async () => (await readdir(`/proc/${engine.pid()}/task`)).length

  let most = 0
  // As many threads a query as a machine of 64 cores gives.
  const query = 'SELECT sum(number) FROM numbers_mt(1000000) SETTINGS max_threads = 64, max_block_size = 10000'
  const asked = Array.from({ length: 200 }, async () => {
    await (await client.query({ query })).text()
    // Other queries run meanwhile.
    most = Math.max(most, await threads())
  })
  await Promise.all(asked)
  expect(most).toBeLessThan(110)
  await waitFor(async () => (await threads()) < 60)

  const wanted =
    "SELECT sum(value::UInt64) FROM system.server_settings WHERE name LIKE '%cache_size' AND name NOT IN ('mmap_cache_size')"
  const cached = await client.query({ query: wanted, format: 'TabSeparated' })
  expect(Number(await cached.text())).toBeLessThan(256 * 2 ** 20)
  const other = await client.query({
    query: "SELECT value FROM system.server_settings WHERE name = 'mark_cache_size'",
    format: 'TabSeparated',
  })
  expect(await other.text()).toBe('67108864\n')
  // Parts that were merged away: of itself the engine keeps them for up to five minutes, and may remove them at once.
  const parts = await client.query({
    query:
      "SELECT value FROM system.merge_tree_settings WHERE name IN ('old_parts_lifetime', 'max_cleanup_delay_period') ORDER BY name",
    format: 'TabSeparated',
  })
  expect(await parts.text()).toBe('30\n60\n')
})
