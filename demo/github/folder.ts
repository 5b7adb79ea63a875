import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { FileChanges } from './commit-graph.ts'

/** The files of a folder with their modes, for a commit; links stay links. `.git` and the names in `without` are left out. */
export function filesOfFolder(folder: string, without: readonly string[] = ['node_modules']): FileChanges {
  const left = new Set(['.git', ...without])
  const files: Record<string, FileChanges[string]> = {}
  const walk = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name)
      if (left.has(entry.name)) continue
      if (entry.isDirectory()) walk(path)
      else files[relative(folder, path)] = fileOf(path)
    }
  }
  walk(folder)
  return files
}

function fileOf(path: string): FileChanges[string] {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return { mode: '120000', content: Buffer.from(readlinkSync(path)) }
  return { mode: (stats.mode & 0o100) === 0 ? '100644' : '100755', content: readFileSync(path) }
}
