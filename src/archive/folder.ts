import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Budget } from '../measurement/budget.ts'
import { LimitReached } from '../measurement/limits.ts'

/** A file in a folder. */
export interface FolderFile {
  /** The file's path from the folder with `/`. */
  readonly name: string
  readonly path: string
  /** A link is not followed: a folder may be an archive that somebody unpacked. */
  readonly link: boolean
}

/** Folders inside each other; nothing real is deeper. */
const DEEPEST = 32

/** All files of a folder and the folders in it, sorted by name, so that the same folder is always read in one order. */
export async function folderFiles(root: string, budget: Budget): Promise<FolderFile[]> {
  const files: FolderFile[] = []
  const walk = async (folder: string, prefix: string, depth: number): Promise<void> => {
    if (depth > DEEPEST) throw new LimitReached('depth', DEEPEST, true)
    const folders: string[] = []
    for await (const entry of await opendir(folder)) {
      budget.entry()
      const name = `${prefix}${entry.name}`
      if (entry.isDirectory()) folders.push(entry.name)
      else if (entry.isFile() || entry.isSymbolicLink()) {
        files.push({ name, path: join(folder, entry.name), link: entry.isSymbolicLink() })
      }
    }
    for (const name of folders) await walk(join(folder, name), `${prefix}${name}/`, depth + 1)
  }
  await walk(root, '', 0)
  return files.sort((a, b) => (a.name < b.name ? -1 : 1))
}
