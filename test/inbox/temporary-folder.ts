import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { MEMORY_FOLDER } from '../memory-folder.ts'

/** An empty folder for the running test; gone with it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'inbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
