import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'

/**
 * Where folders with an inbox lie: in memory where there is room, as a process does nothing while a commit waits for the disk.
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
