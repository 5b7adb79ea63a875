/** Git's own objects, byte for byte: what a clone gets, and what the ids of blobs, trees and commits are hashes of. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'

const FILE = '100644'
const FOLDER = '40000'

export type Mode = typeof FILE | '100755' | '120000'

export interface Blob {
  readonly sha: string
  readonly mode: Mode
  readonly content: Buffer
}

/** An entry of one folder; `FOLDER` is the mode of a tree. */
export interface TreeEntry {
  readonly mode: string
  readonly name: string
  readonly sha: string
}

interface GitObject {
  readonly type: 'blob' | 'tree' | 'commit'
  readonly content: Buffer
}

export class GitObjects {
  readonly #objects = new Map<string, GitObject>()
  readonly #written = new Map<string, Set<string>>()

  /** @returns the id */
  add(type: GitObject['type'], content: Buffer): string {
    const sha = createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
    this.#objects.set(sha, { type, content })
    return sha
  }

  read(type: GitObject['type'], sha: string): Buffer | undefined {
    const found = this.#objects.get(sha)
    return found?.type === type ? found.content : undefined
  }

  blob(content: Buffer, mode: Mode = FILE): Blob {
    return { sha: this.add('blob', content), mode, content }
  }

  /** The tree of all files, by path, and those of its folders. @returns its id */
  treeOf(files: ReadonlyMap<string, Blob>): string {
    const entries: TreeEntry[] = []
    const folders = new Map<string, Map<string, Blob>>()
    for (const [path, blob] of files) {
      const slash = path.indexOf('/')
      if (slash < 0) entries.push({ mode: blob.mode, name: path, sha: blob.sha })
      else folderOf(folders, path.slice(0, slash)).set(path.slice(slash + 1), blob)
    }
    for (const [name, inside] of folders) entries.push({ mode: FOLDER, name, sha: this.treeOf(inside) })
    return this.add('tree', packed(entries))
  }

  entries(tree: string): TreeEntry[] | undefined {
    const content = this.read('tree', tree)
    return content === undefined ? undefined : unpacked(content)
  }

  /** Every file under a tree, by path. */
  filesOf(tree: string, prefix = ''): Map<string, Blob> {
    const files = new Map<string, Blob>()
    for (const { mode, name, sha } of this.entries(tree) ?? []) {
      if (mode === FOLDER) for (const [path, blob] of this.filesOf(sha, `${prefix}${name}/`)) files.set(path, blob)
      else files.set(prefix + name, { sha, mode: mode as Mode, content: this.read('blob', sha)! })
    }
    return files
  }

  /** Writes what an `objects` folder of git lacks. */
  async writeTo(folder: string): Promise<void> {
    const written = this.#written.get(folder) ?? new Set()
    this.#written.set(folder, written)
    for (const [sha, { type, content }] of this.#objects) {
      if (written.has(sha)) continue
      const loose = await promisify(deflate)(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]))
      await mkdir(join(folder, sha.slice(0, 2)), { recursive: true })
      await writeFile(join(folder, sha.slice(0, 2), sha.slice(2)), loose)
      written.add(sha)
    }
  }
}

export function isFolder({ mode }: TreeEntry): boolean {
  return mode === FOLDER
}

function folderOf(folders: Map<string, Map<string, Blob>>, name: string): Map<string, Blob> {
  const known = folders.get(name) ?? new Map<string, Blob>()
  folders.set(name, known)
  return known
}

/** Git sorts by bytes, a folder as if its name ended in a slash. */
function packed(entries: readonly TreeEntry[]): Buffer {
  const key = (entry: TreeEntry) => Buffer.from(isFolder(entry) ? `${entry.name}/` : entry.name)
  const inOrder = entries.toSorted((a, b) => Buffer.compare(key(a), key(b)))
  return Buffer.concat(
    inOrder.flatMap(({ mode, name, sha }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(sha, 'hex')]),
  )
}

function unpacked(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf(0, at)
    const [mode = '', ...name] = content.subarray(at, end).toString('utf8').split(' ')
    entries.push({ mode, name: name.join(' '), sha: content.subarray(end + 1, end + 21).toString('hex') })
    at = end + 21
  }
  return entries
}
