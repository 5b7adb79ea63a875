import { type Blob, GitObjects } from './git-objects.ts'

export type { Blob } from './git-objects.ts'

export interface Commit {
  readonly sha: string
  readonly treeSha: string
  readonly parents: readonly string[]
  readonly message: string
  readonly author: { readonly name: string; readonly email: string; readonly login: string | null }
  readonly date: Date
  /** The whole tree, by path. */
  readonly files: ReadonlyMap<string, Blob>
}

export interface FileChange {
  readonly path: string
  readonly status: 'added' | 'removed' | 'modified' | 'renamed'
  /** Of a renamed file. */
  readonly previousPath: string | null
  readonly before: Blob | null
  readonly after: Blob | null
}

/** null deletes the file; what has a mode is given it. */
export type FileChanges = Readonly<Record<string, string | Uint8Array | Pick<Blob, 'content' | 'mode'> | null>>

/** The commits of a fork network and the questions that the API answers from them. */
export class CommitGraph {
  readonly commits = new Map<string, Commit>()
  readonly objects = new GitObjects()

  add(values: {
    readonly parents: readonly string[]
    readonly files: FileChanges
    readonly message: string
    readonly author: Commit['author']
    readonly date: Date
  }): Commit {
    const { files, ...rest } = values
    const parent = this.commits.get(values.parents[0] ?? '')
    const treeSha = this.objects.treeOf(this.changed(parent?.files ?? new Map(), files))
    // The number of commits keeps two otherwise equal commits of one second apart.
    return this.commit({ ...rest, treeSha }, `local-number ${this.commits.size}\n`)
  }

  /** The files after the changes. */
  changed(before: ReadonlyMap<string, Blob>, changes: FileChanges): Map<string, Blob> {
    const files = new Map(before)
    for (const [path, content] of Object.entries(changes)) {
      if (content === null) files.delete(path)
      else if (typeof content === 'string' || content instanceof Uint8Array)
        files.set(path, this.objects.blob(Buffer.from(content), files.get(path)?.mode))
      else files.set(path, this.objects.blob(content.content, content.mode))
    }
    return files
  }

  /** A commit of a tree that is there. */
  commit(values: Omit<Commit, 'sha' | 'files'>, headers = ''): Commit {
    const sha = this.objects.add('commit', Buffer.from(commitText(values, headers)))
    const known = this.commits.get(sha)
    if (known !== undefined) return known
    const commit: Commit = { ...values, sha, files: this.objects.filesOf(values.treeSha) }
    this.commits.set(sha, commit)
    return commit
  }

  get(sha: string): Commit | undefined {
    const exact = this.commits.get(sha)
    if (exact !== undefined || !/^[0-9a-f]{7,39}$/.test(sha)) return exact
    const found = [...this.commits.keys()].filter((known) => known.startsWith(sha))
    return found.length === 1 ? this.commits.get(found[0]!) : undefined
  }

  /** The commit itself and everything it was built on, newest first. */
  ancestors(sha: string): Commit[] {
    const seen = new Map<string, Commit>()
    const pending = [sha]
    while (pending.length > 0) {
      const commit = this.commits.get(pending.pop()!)
      if (commit === undefined || seen.has(commit.sha)) continue
      seen.set(commit.sha, commit)
      pending.push(...commit.parents)
    }
    const order = new Map([...this.commits.keys()].map((known, index) => [known, index]))
    return [...seen.values()].toSorted((a, b) => order.get(b.sha)! - order.get(a.sha)!)
  }

  /** The newest common ancestor; undefined for unrelated histories. */
  mergeBase(one: string, other: string): Commit | undefined {
    const known = new Set(this.ancestors(one).map((commit) => commit.sha))
    return this.ancestors(other).find((commit) => known.has(commit.sha))
  }

  /** Commits that `head` has and `base` lacks, oldest first, as `compare` and a pull request list them. */
  between(base: string, head: string): Commit[] {
    const known = new Set(this.ancestors(base).map((commit) => commit.sha))
    return this.ancestors(head)
      .filter((commit) => !known.has(commit.sha))
      .toReversed()
  }

  /** Whether it was built on the other commit, or is it. */
  descends(sha: string, from: string): boolean {
    return this.ancestors(sha).some((commit) => commit.sha === from)
  }

  changes(before: string, after: string): FileChange[] {
    return fileChanges(this.commits.get(before)?.files ?? new Map(), this.commits.get(after)?.files ?? new Map())
  }

  changesOf(commit: Commit): FileChange[] {
    const parent = commit.parents[0]
    const before = parent === undefined ? undefined : this.commits.get(parent)
    return fileChanges(before?.files ?? new Map(), commit.files)
  }
}

function fileChanges(before: ReadonlyMap<string, Blob>, after: ReadonlyMap<string, Blob>): FileChange[] {
  const changes: FileChange[] = []
  for (const path of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const old = before.get(path) ?? null
    const now = after.get(path) ?? null
    if (old?.sha === now?.sha && old?.mode === now?.mode) continue
    const status = old === null ? 'added' : now === null ? 'removed' : 'modified'
    changes.push({ path, status, previousPath: null, before: old, after: now })
  }
  return withRenames(changes)
}

/** A file that goes and one of the same contents that comes are one file under a new name. An empty file never is. */
function withRenames(changes: readonly FileChange[]): FileChange[] {
  const gone = new Map(
    changes
      .filter(({ status, before }) => status === 'removed' && before !== null && before.content.length > 0)
      .map((change) => [change.before!.sha, change]),
  )
  const renamed: FileChange[] = []
  const settled = new Set<FileChange>()
  for (const change of changes) {
    const from = change.status === 'added' ? gone.get(change.after!.sha) : undefined
    if (from === undefined || settled.has(from)) continue
    settled.add(from).add(change)
    renamed.push({ ...change, status: 'renamed', previousPath: from.path, before: from.before })
  }
  return [...changes.filter((change) => !settled.has(change)), ...renamed].toSorted((a, b) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : 0,
  )
}

function commitText(
  { treeSha, parents, author, date, message }: Omit<Commit, 'sha' | 'files'>,
  headers: string,
): string {
  const person = `${author.name} <${author.email}> ${Math.floor(date.getTime() / 1000)} +0000`
  return [
    `tree ${treeSha}\n`,
    ...parents.map((parent) => `parent ${parent}\n`),
    `author ${person}\ncommitter ${person}\n`,
    headers,
    `\n${message}`,
  ].join('')
}
