import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { LocalGitHub } from '../demo/github/local-github.ts'
import { environmentVariables, WEBHOOK_SECRET } from '../test/bot/bot-setting.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/perf-triage.js', import.meta.url))
const KEPT_LINES = 200

/** The real `serve` as a process of its own, against a local GitHub that sends it its webhooks. */
export interface ServedBot {
  readonly address: string
  /** Of the last start. */
  process(): ChildProcess
  /** Starts the process and does not wait for it. */
  spawn(): void
  /** Waits until it answers. */
  isReady(): Promise<void>
}

/** @param heard what it writes on stdout and stderr */
export async function servedBot(
  github: LocalGitHub,
  dataDir: string,
  heard: (chunk: Buffer) => void = () => {},
): Promise<ServedBot> {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  github.setWebhook({ url: `${address}/api/github/webhooks`, secret: WEBHOOK_SECRET })
  const log: string[] = []
  let served: ChildProcess | undefined
  const bot: ServedBot = {
    address,
    process() {
      if (served === undefined) throw new Error('serve has not been started')
      return served
    },
    spawn() {
      const env = { ...process.env, ...environmentVariables(github, dataDir), PORT: String(port), PUBLIC_URL: address }
      const started = spawn(process.execPath, [LAUNCHER, 'serve'], { stdio: ['ignore', 'pipe', 'pipe'], env })
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          log.push(chunk.toString())
          if (log.length > KEPT_LINES) log.shift()
          heard(chunk)
        })
      }
      served = started
    },
    async isReady() {
      for (const end = Date.now() + 60_000; Date.now() < end; await pause(100)) {
        const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => null)
        if (answer?.status === 200) return
      }
      throw new Error(`serve was not ready within a minute; its last lines:\n${log.slice(-10).join('')}`)
    },
  }
  return bot
}

/** The engine: the only process that `serve` starts. */
export function childrenOf({ pid }: ChildProcess): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return list === '' ? [] : list.split(' ').map(Number)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
