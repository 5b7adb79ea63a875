import { chmod, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ScratchFolder } from '../../intake/download/scratch-folder.ts'
import { makeFolder } from '../../store/make-folder.ts'

/** The folder is one that another process serves from. The message says what to do. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
}

/** Held by the process that serves; released by `release`, or by the process's end, however it ends. */
export interface DataFolder {
  /** The folder for downloads in progress; emptied at every start. */
  readonly scratch: ScratchFolder
  release(): void
}

/**
 * Takes the data folder for this process and makes it ready: two bots on one inbox would take each other's work. The lock
 * is SQLite's own on a file of its own, which the system frees with the process, `kill -9` included. What a process that
 * was killed left half downloaded is removed.
 */
export async function takeDataFolder(path: string): Promise<DataFolder> {
  await makeFolder(path)
  const lockFile = join(path, 'serve.lock')
  // SQLite would let everybody on the machine open it, and so hold the lock.
  await (await open(lockFile, 'a', 0o600)).close()
  await chmod(lockFile, 0o600)
  const lock = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    throw new DataFolderInUse(
      `${path} is in use by another perf-triage process: stop it, or set PERF_TRIAGE_DATA_DIR to another folder`,
    )
  }
  const scratch = join(path, 'downloads')
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  return { scratch: new ScratchFolder(scratch), release: () => lock.close() }
}
