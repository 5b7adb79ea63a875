import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { INSTANCE_HEADER } from './http-front.ts'

/**
 * How a command finds the engine that a running bot holds: the data directory belongs to one process, the others speak
 * to that one. Readable for its owner only, since it holds the password.
 */
const portFileSchema = z.object({
  version: z.literal(1),
  instance: z.string().min(1),
  pid: z.int().positive(),
  port: z.int().min(1).max(65535),
  user: z.string().min(1),
  password: z.string().min(1),
})

export type PortFile = z.infer<typeof portFileSchema>

export type PortFileState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'found'; readonly file: PortFile }

/** Another engine's listener answers within this, or it is not there. Milliseconds. */
const PING_TIMEOUT = 2000

/** The folder of the embedded engine's databases. */
export function databaseFolder(dataDir: string): string {
  return join(dataDir, 'clickhouse')
}

export function portFilePath(dataDir: string): string {
  return join(dataDir, 'clickhouse-port.json')
}

/** Written whole or not at all: a reader never sees half of it. */
export async function writePortFile(dataDir: string, content: PortFile): Promise<void> {
  const temporary = join(dataDir, `.clickhouse-port-${randomUUID()}`)
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(content)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, portFilePath(dataDir))
}

/** Only the file of this instance: a successor may have written its own already. */
export async function removePortFile(dataDir: string, instance: string): Promise<void> {
  const state = await readPortFile(dataDir)
  if (state.kind === 'found' && state.file.instance === instance) await rm(portFilePath(dataDir), { force: true })
}

export async function readPortFile(dataDir: string): Promise<PortFileState> {
  let text: string
  try {
    text = await readFile(portFilePath(dataDir), 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return code === 'ENOENT' ? { kind: 'absent' } : { kind: 'unreadable', reason: code ?? String(error) }
  }
  try {
    return { kind: 'found', file: portFileSchema.parse(JSON.parse(text)) }
  } catch {
    return { kind: 'unreadable', reason: 'it was not written by this version' }
  }
}

/** The engine that the port file names answers, and it is that one: asked before the password is sent anywhere. */
export async function isRunning(file: PortFile, stopped?: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.timeout(PING_TIMEOUT)
  const signal = stopped === undefined ? timeout : AbortSignal.any([stopped, timeout])
  try {
    const response = await fetch(`http://127.0.0.1:${file.port}/ping`, { signal })
    await response.body?.cancel()
    return response.headers.get(INSTANCE_HEADER) === file.instance
  } catch {
    return false
  }
}
