import { mkdir, rm } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { EngineError, type EngineProblem, openEngine } from './engine.ts'
import { createFront, FRONT_LIMITS } from './http-front.ts'
import { databaseFolder, removePortFile, writePortFile } from './port-file.ts'

/** The process of the embedded engine. It ends when its parent says so, or is gone. */

export interface StartMessage {
  readonly type: 'start'
  /** Package that brings the engine. */
  readonly module: string
  readonly config: string
  readonly dataDir: string
  /** 0: any. A restarted engine takes the port of its predecessor, so that addresses stay good. */
  readonly port: number
  readonly instance: string
  readonly user: string
  readonly password: string
}

export type ParentMessage = StartMessage | { readonly type: 'stop' }

export type ChildMessage =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'failed'; readonly problem: EngineProblem; readonly message: string }

/** Milliseconds that running queries are given when the engine is to end. */
const GRACE = 5000

let stop: () => Promise<void> = async () => {}

async function start(message: StartMessage): Promise<void> {
  const { dataDir } = message
  const inserts = join(dataDir, 'clickhouse-inserts')
  await mkdir(databaseFolder(dataDir), { recursive: true, mode: 0o700 })
  const engine = await openEngine(message.module, databaseFolder(dataDir), message.config)
  // The directory is ours from here on: what an earlier process left in it is nobody's.
  await rm(inserts, { recursive: true, force: true })
  await mkdir(inserts, { mode: 0o700 })

  const credentials = { user: message.user, password: message.password }
  const { instance } = message
  const server = createFront({ engine, credentials, instance, directory: inserts, limits: FRONT_LIMITS })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(message.port, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await writePortFile(dataDir, { version: 1, instance, pid: process.pid, port, ...credentials })

  stop = async () => {
    await removePortFile(dataDir, instance)
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    // Node does not count one as idle before its first request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    await closed
    await engine.close()
  }
  send({ type: 'ready', port })
}

function send(message: ChildMessage): void {
  if (process.connected) process.send?.(message)
}

let ending = false

async function end(): Promise<void> {
  if (ending) return
  ending = true
  // A kill loses nothing that was acknowledged, and a query that still runs can't be stopped in any other way.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE).unref()
  try {
    await stop()
  } finally {
    process.exit(0)
  }
}

process.on('message', (message: ParentMessage) => {
  if (message.type === 'stop') void end()
  else {
    start(message).catch((error: unknown) => {
      const problem = error instanceof EngineError ? error.problem : 'failed'
      const text = error instanceof Error ? error.message : String(error)
      process.send?.({ type: 'failed', problem, message: text } satisfies ChildMessage, () => process.exit(1))
    })
  }
})
process.on('disconnect', () => void end())
process.on('SIGTERM', () => void end())
// A terminal sends it to the parent as well, which ends this process when its own work is done.
process.on('SIGINT', () => {})
