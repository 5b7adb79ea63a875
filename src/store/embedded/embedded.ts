import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { extname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from '../make-folder.ts'
import type { ChildMessage, StartMessage } from './child.ts'
import { ENGINE_CONFIG, EngineError, type EngineProblem } from './engine.ts'
import { FRONT_LIMITS } from './http-front.ts'

/** Starts the embedded engine as a child process and starts it again after a crash. */

export interface EmbeddedOptions {
  /** PERF_TRIAGE_DATA_DIR. The engine's files go to `clickhouse` in it. */
  readonly dataDir: string
  /** Package that brings the engine; another name only where its absence is tested. */
  readonly module?: string
  /** Configuration of the engine, a path; another one than the bot's only where a cluster is tested. */
  readonly config?: string
  /** Told of each crash and restart. */
  readonly onEvent?: (event: EmbeddedEvent) => void
  /** Where it is aborted during the start, the engine's process is killed, and the start rejects with its reason. */
  readonly signal?: AbortSignal | undefined
}

export type EmbeddedEvent =
  | { readonly kind: 'crashed'; readonly detail: string; readonly restartInMs: number }
  | { readonly kind: 'restarted' }
  | { readonly kind: 'given-up'; readonly detail: string }

export interface Embedded {
  /** Stays the same over restarts, like user and password. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** The id of the engine's process; null while it is restarted and after it was given up. */
  pid(): number | null
  /** Why the engine is not coming back; null while it runs or is restarted. */
  givenUp(): string | null
  /** Ends the engine and waits for it; running queries have a few seconds. May be called twice. */
  stop(): Promise<void>
}

/** Milliseconds. A start takes half a second; after a crash with many parts on a busy machine longer. */
const START_TIMEOUT = 60_000
const STOP_TIMEOUT = 4_000
const FIRST_BACKOFF = 100
const MAX_BACKOFF = 5000
/** An engine that ran this long is taken for healthy again. */
const STABLE_AFTER = 60_000
/** Crashes in a row after which it is not started again: by then half a minute has passed. */
const MAX_CRASHES = 10
const STDERR_BYTES = 4096

/**
 * Starts the embedded engine in a process of its own and resolves when it answers. It is started again when it crashes.
 * @throws EngineError `missing`, `locked` (another process holds the data directory) or `failed`.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dataDir = resolve(options.dataDir)
  await makeFolder(dataDir)
  const supervisor = new Supervisor({ ...options, dataDir })
  await supervisor.start(options.signal)
  return supervisor
}

class Supervisor implements Embedded {
  readonly user = 'perf_triage'
  readonly password = randomBytes(32).toString('base64url')
  readonly #options: EmbeddedOptions
  #port = 0
  #child: ChildProcess | null = null
  #startedAt = 0
  #crashes = 0
  #givenUp: string | null = null
  #stopping: Promise<void> | null = null
  readonly #stopped = new AbortController()

  constructor(options: EmbeddedOptions) {
    this.#options = options
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  pid(): number | null {
    return this.#child?.pid ?? null
  }

  givenUp(): string | null {
    return this.#givenUp
  }

  async start(signal: AbortSignal = this.#stopped.signal): Promise<void> {
    const message: StartMessage = {
      type: 'start',
      module: this.#options.module ?? 'chdb',
      config: this.#options.config ?? ENGINE_CONFIG,
      dataDir: this.#options.dataDir,
      port: this.#port,
      instance: randomUUID(),
      user: this.user,
      password: this.password,
    }
    const { child, port, stderr } = await launch(message, signal)
    if (this.#stopping !== null) {
      await end(child)
      return
    }
    this.#port = port
    this.#child = child
    this.#startedAt = Date.now()
    child.once('exit', (code, signal) => {
      this.#child = null
      if (this.#stopping === null) void this.#restart(`exit ${code ?? signal ?? '?'} ${stderr()}`.trim())
    })
    // The process may have gone between its last word and the line above.
    if (child.exitCode !== null || child.signalCode !== null) child.emit('exit', child.exitCode, child.signalCode)
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    this.#stopped.abort()
    const child = this.#child
    if (child !== null) await end(child)
  }

  async #restart(first: string): Promise<void> {
    let detail = first
    if (Date.now() - this.#startedAt > STABLE_AFTER) this.#crashes = 0
    for (;;) {
      this.#crashes++
      if (this.#crashes > MAX_CRASHES) {
        this.#givenUp = detail
        this.#options.onEvent?.({ kind: 'given-up', detail })
        return
      }
      const restartInMs = Math.min(FIRST_BACKOFF * 2 ** (this.#crashes - 1), MAX_BACKOFF)
      this.#options.onEvent?.({ kind: 'crashed', detail, restartInMs })
      try {
        await sleep(restartInMs, undefined, { signal: this.#stopped.signal, ref: false })
        await this.start()
        this.#options.onEvent?.({ kind: 'restarted' })
        return
      } catch (error) {
        if (this.#stopping !== null) return
        detail = error instanceof Error ? error.message : String(error)
        // A command took the directory meanwhile and gives it back when it ends.
        if (error instanceof EngineError && error.problem === 'locked') this.#crashes = Math.min(this.#crashes, 6)
      }
    }
  }
}

interface Launched {
  readonly child: ChildProcess
  readonly port: number
  /** The last that it wrote to its standard error. */
  readonly stderr: () => string
}

/** Compiled it ends like this file: `child.js`. */
const CHILD = join(import.meta.dirname, `child${extname(import.meta.filename)}`)

async function launch(message: StartMessage, signal: AbortSignal): Promise<Launched> {
  signal.throwIfAborted()
  const child = fork(CHILD, [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Each running query holds a thread of the pool; what is left serves files and gzip.
    env: { ...childEnvironment(), UV_THREADPOOL_SIZE: String(FRONT_LIMITS.queries + 8) },
  })
  let tail = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_BYTES)
  })
  return await new Promise<Launched>((resolve, reject) => {
    let failure: { problem: EngineProblem; message: string } | null = null
    const timer = setTimeout(() => {
      failure = { problem: 'failed', message: `it did not start within ${START_TIMEOUT / 1000} s` }
      child.kill('SIGKILL')
    }, START_TIMEOUT)
    const onAbort = () => child.kill('SIGKILL')
    signal.addEventListener('abort', onAbort, { once: true })
    const settled = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    child.once('error', (error) => {
      settled()
      reject(new EngineError('failed', error.message, { cause: error }))
    })
    const onMessage = (answer: ChildMessage) => {
      if (answer.type === 'failed') {
        failure = answer
        return
      }
      settled()
      child.off('message', onMessage)
      child.off('close', onClose)
      // Only its channel keeps the parent alive, and the parent may end without asking.
      child.unref()
      child.channel?.unref()
      ;(child.stderr as unknown as { unref?: () => void } | null)?.unref?.()
      resolve({ child, port: answer.port, stderr: () => tail.trim() })
    }
    // After `exit`, when everything that it wrote has arrived.
    const onClose = (code: number | null, killedBy: NodeJS.Signals | null) => {
      settled()
      if (signal.aborted) return reject(signal.reason)
      // The engine says why it can't open the directory on its standard error only.
      const locked = /Cannot lock file|Another server instance/.test(tail)
      const problem = locked ? 'locked' : (failure?.problem ?? 'failed')
      const detail = [failure?.message ?? `exit ${code ?? killedBy ?? '?'}`, tail.trim()].filter(Boolean).join('; ')
      reject(new EngineError(problem, detail))
    }
    child.on('message', onMessage)
    child.once('close', onClose)
    child.send(message, () => {})
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.ref()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT)
  child.send({ type: 'stop' }, () => {})
  await exited
  clearTimeout(timer)
}

/** Secrets of the bot are none of the engine's business. */
function childEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TZ, LANG, TMPDIR, LD_LIBRARY_PATH } = process.env
  const given = { PATH, HOME, TZ, LANG, TMPDIR, LD_LIBRARY_PATH }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
