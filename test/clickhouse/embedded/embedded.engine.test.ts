import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type EmbeddedEvent, startEmbedded } from '../../../src/clickhouse/embedded/embedded.ts'
import { EngineError } from '../../../src/clickhouse/embedded/engine.ts'
import { clientOf, isAlive, temporaryFolder, waitFor } from './engine-fixture.ts'

test('a killed engine comes back at the same address with everything that was acknowledged', async () => {
  const events: EmbeddedEvent[] = []
  const engine = await startEmbedded({ dataDir: await temporaryFolder(), onEvent: (event) => events.push(event) })
  const client = clientOf(engine, { request_timeout: 5000 })
  await client.command({ query: 'CREATE TABLE t (batch UInt32, n UInt32) ENGINE = MergeTree ORDER BY (batch, n)' })

  const acknowledged: number[] = []
  const size = 5000
  for (let round = 0; round < 3; round++) {
    const pid = engine.pid() ?? 0
    const killer = setTimeout(() => process.kill(pid, 'SIGKILL'), 40 + 60 * round)
    try {
      for (let batch = round * 1000; ; batch++) {
        const values = Array.from({ length: size }, (_, n) => ({ batch, n }))
        await client.insert({ table: 't', values, format: 'JSONEachRow' })
        acknowledged.push(batch)
      }
    } catch {
      clearTimeout(killer)
    }
    await waitFor(async () => engine.pid() !== null && engine.pid() !== pid && (await client.ping()).success)
  }

  const result = await client.query({
    query: 'SELECT batch, count() AS n FROM t GROUP BY batch',
    format: 'JSONEachRow',
  })
  const stored = new Map((await result.json<{ batch: number; n: string }>()).map((row) => [row.batch, Number(row.n)]))
  expect(acknowledged.length).toBeGreaterThan(0)
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
