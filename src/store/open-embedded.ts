import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EmbeddedOptions, startEmbedded } from './embedded/embedded.ts'
import { EngineError } from './embedded/engine.ts'
import { isRunning, portFilePath, readPortFile } from './embedded/port-file.ts'
import { StoreUnavailable } from './store-unavailable.ts'

/** An embedded engine that answers: the one of a running bot on the same data directory, or one of our own. */
export interface OpenEmbedded {
  readonly url: string
  readonly user: string
  readonly password: string
  /** The engine of another process: it ends when that process ends. */
  readonly attached: boolean
  pid(): number | null
  givenUp(): string | null
  /** Ends an engine of our own; leaves another process's alone. */
  stop(): Promise<void>
}

/** Milliseconds. Longer than a start takes: who holds the directory writes its port file within this. */
const LOCK_WAIT = 15_000
const LOCK_POLL = 250

/**
 * Finds the engine of another process on this data directory, or starts one. Rejects with the reason of `signal` where that
 * is aborted meanwhile.
 * @throws StoreUnavailable with what to do when there is no engine to be had.
 */
export async function openEmbedded(options: EmbeddedOptions, lockWait: number = LOCK_WAIT): Promise<OpenEmbedded> {
  const dataDir = resolve(options.dataDir)
  const { signal } = options
  const deadline = Date.now() + lockWait
  for (;;) {
    const found = await findRunning(dataDir, signal)
    if (found !== null) return found
    try {
      return Object.assign(await startEmbedded(options), { attached: false })
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof EngineError)) throw unavailable(dataDir, error)
      if (error.problem !== 'locked') throw describe(dataDir, error)
      if (Date.now() >= deadline) throw await describeHolder(dataDir)
    }
    // The faster process has not written its port file yet, or is about to end.
    for (let waited = 0; waited < 8 * LOCK_POLL && Date.now() < deadline; waited += LOCK_POLL) {
      await sleep(LOCK_POLL, undefined, { signal })
      const other = await findRunning(dataDir, signal)
      if (other !== null) return other
    }
  }
}

async function findRunning(dataDir: string, signal: AbortSignal | undefined): Promise<OpenEmbedded | null> {
  const state = await readPortFile(dataDir)
  if (state.kind !== 'found' || !(await isRunning(state.file, signal))) return null
  const { port, user, password, pid } = state.file
  return {
    url: `http://127.0.0.1:${port}`,
    user,
    password,
    attached: true,
    pid: () => pid,
    givenUp: () => null,
    stop: async () => {},
  }
}

function describe(dataDir: string, error: EngineError): StoreUnavailable {
  if (error.problem === 'missing') {
    return new StoreUnavailable(
      `The embedded database can't be loaded: ${error.message} It comes with the optional package chdb, for Linux ` +
        'with glibc and macOS. Run "npm install" with optional packages, or set CLICKHOUSE_URL to a ' +
        'ClickHouse server.',
      { cause: error },
    )
  }
  return new StoreUnavailable(
    `The embedded database in ${dataDir} did not start: ${error.message}. Check that the folder belongs to this user and ` +
      'that its disk is writable and not full, or set CLICKHOUSE_URL to a ClickHouse server.',
    { cause: error },
  )
}

async function describeHolder(dataDir: string): Promise<StoreUnavailable> {
  const path = portFilePath(dataDir)
  const state = await readPortFile(dataDir)
  const why =
    state.kind === 'absent'
      ? `${path} is missing`
      : state.kind === 'unreadable'
        ? `${path} can't be read (${state.reason})`
        : `the engine that ${path} names (process ${state.file.pid}) does not answer`
  return new StoreUnavailable(
    `The embedded database in ${dataDir} is in use by another process, and ${why}. Run this as the user of that process, ` +
      'or stop that process and try again, or give this one its own data folder (PERF_TRIAGE_DATA_DIR).',
  )
}

function unavailable(dataDir: string, error: unknown): StoreUnavailable {
  const reason = error instanceof Error ? error.message : String(error)
  return new StoreUnavailable(
    `The data folder ${dataDir} can't be used: ${reason}. Check PERF_TRIAGE_DATA_DIR and its permissions.`,
    { cause: error },
  )
}
