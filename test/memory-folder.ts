import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'

/**
 * Where folders with an inbox and the tables of the shared engine lie: in memory where there is room, as a process does nothing while
 * a commit waits for the disk, and an insert takes a quarter of the computing time.
 * What a loss of power takes is tested by cutting the log, wherever that lies.
 */
export const MEMORY_FOLDER = isRoomy() ? MEMORY : tmpdir()

function isRoomy(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > 4 * 2 ** 30
  } catch {
    // Linux alone has it.
    return false
  }
}
