import { chmod, rm, stat, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startEmbedded } from '../../src/store/embedded/embedded.ts'
import { portFilePath, readPortFile, writePortFile } from '../../src/store/embedded/port-file.ts'
import { openEmbedded } from '../../src/store/open-embedded.ts'
import { StoreUnavailable } from '../../src/store/store-unavailable.ts'
import { isAlive, temporaryFolder } from './embedded/engine-fixture.ts'

test('the engine of another process is found by its port file, which only its owner may read', async () => {
  const dataDir = await temporaryFolder()
  const engine = await startEmbedded({ dataDir })
  expect((await stat(portFilePath(dataDir))).mode & 0o777).toBe(0o600)
  const found = await openEmbedded({ dataDir })
  expect(found).toMatchObject({ url: engine.url, user: engine.user, password: engine.password, attached: true })
  await found.stop()
  expect(isAlive(engine.pid() ?? 0)).toBe(true)
  await engine.stop()
})

test('of several that start at once on one folder one starts the engine and the others use it', async () => {
  const dataDir = await temporaryFolder()
  const opened = await Promise.all([1, 2, 3].map(() => openEmbedded({ dataDir })))
  expect(opened.filter((one) => !one.attached)).toHaveLength(1)
  expect(new Set(opened.map((one) => one.url)).size).toBe(1)
  await Promise.all(opened.map((one) => one.stop()))
})

test.each([
  [
    'of a process that is gone',
    JSON.stringify({ version: 1, instance: 'x', pid: 1, port: 9, user: 'u', password: 'p' }),
  ],
  ['that is cut off', '{"version":1,'],
  ['of another version', '{"version":2}'],
])('a port file %s is replaced', async (_, content) => {
  const dataDir = await temporaryFolder()
  await writeFile(portFilePath(dataDir), content)
  const engine = await openEmbedded({ dataDir })
  expect(engine.attached).toBe(false)
  expect(await readPortFile(dataDir)).toMatchObject({ kind: 'found', file: { pid: engine.pid() } })
  await engine.stop()
})

test('a port file that names the port of something else is stale, and no password is sent there', async () => {
  const dataDir = await temporaryFolder()
  const other = await startEmbedded({ dataDir: await temporaryFolder() })
  const port = Number(new URL(other.url).port)
  await writePortFile(dataDir, { version: 1, instance: 'gone', pid: 1, port, user: 'u', password: 'p' })
  const engine = await openEmbedded({ dataDir })
  expect(engine.attached).toBe(false)
  expect(engine.url).not.toBe(other.url)
  await Promise.all([engine.stop(), other.stop()])
})

test('a folder that is held by a process without a readable port file: the error says what to do', async () => {
  const dataDir = await temporaryFolder()
  const engine = await startEmbedded({ dataDir })
  const message = async () => {
    const error = await openEmbedded({ dataDir }, 300).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreUnavailable)
    return (error as StoreUnavailable).message
  }
  await writeFile(portFilePath(dataDir), 'not JSON')
  expect(await message()).toMatch(
    /in use by another process, and .* can't be read \(it was not written by this version/,
  )
  await rm(portFilePath(dataDir))
  expect(await message()).toMatch(/is missing\. .*stop that process/)
  await engine.stop()
})

test('without the optional package the error names the server as the way out', async () => {
  const dataDir = await temporaryFolder()
  await expect(openEmbedded({ dataDir, module: 'chdb-is-not-here' })).rejects.toThrow(
    /optional package chdb.*CLICKHOUSE_URL/,
  )
})

test('a data directory that can not be made', async () => {
  const dataDir = await temporaryFolder()
  await writeFile(`${dataDir}/file`, '')
  await chmod(`${dataDir}/file`, 0o400)
  await expect(openEmbedded({ dataDir: `${dataDir}/file/data` })).rejects.toThrow(StoreUnavailable)
})
