import { fileURLToPath } from 'node:url'
import type { Session } from 'chdb'

/** The embedded engine inside the child process. */

export const ENGINE_CONFIG = fileURLToPath(new URL('engine.xml', import.meta.url))

/**
 * The engine in this process: chdb, which is ClickHouse in a library. One data directory belongs to one process; several
 * sessions on it run side by side and see the same data, each with its own settings and parameters.
 */
export interface Engine {
  /** A fresh session: no settings, parameters or temporary tables of another one. The caller closes it. */
  session(): Session
  /** Resolves when nothing runs any more and the data directory is released. */
  close(): Promise<void>
}

/** `missing`: the optional package or its binary is not there. `locked`: another process holds the data directory. */
export type EngineProblem = 'missing' | 'locked' | 'failed'

export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly problem: EngineProblem

  constructor(problem: EngineProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/**
 * @param module name of the package that brings the engine: `chdb`
 * @param directory the data directory, absolute
 * @param config the file of its configuration
 * @throws EngineError
 */
export async function openEngine(module: string, directory: string, config: string): Promise<Engine> {
  let chdb: typeof import('chdb')
  try {
    chdb = (await import(module)) as typeof import('chdb')
  } catch (error) {
    throw new EngineError('missing', firstLine(error), { cause: error })
  }
  let root: Session
  try {
    // Held as long as the process lives: with the last session the engine would go, and come back for each request.
    root = new chdb.Session(directory, { connectionArgs: [`--config-file=${config}`] })
    root.query('SELECT 1')
  } catch (error) {
    throw new EngineError('failed', firstLine(error), { cause: error })
  }
  return {
    session: () => new chdb.Session(directory),
    async close() {
      await chdb.drainPending()
      root.close()
      await chdb.drainPending()
    },
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0] ?? message
}
