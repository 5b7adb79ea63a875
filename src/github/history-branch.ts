import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { jsonText } from '../text/json-text.ts'
import { type Octokit, type RepositoryRef, timeOf } from './octokit.ts'

/**
 * A branch that keeps files and no code. What is written is a commit on top of what was read: where somebody else was first, GitHub refuses
 * it, and it is made again on top of theirs, so that two writers lose nothing.
 */

/** The branch as it was read. */
export interface BranchTree {
  /** Its newest commit; null: there is no such branch yet. */
  readonly commit: string | null
  /** The id of its tree; null: there is none. */
  readonly tree: string | null
  /** The ids of its files, by path. */
  readonly files: ReadonlyMap<string, string>
}

export interface BranchChange {
  /** New contents by path; null removes the file. */
  readonly files: ReadonlyMap<string, string | Uint8Array | null>
  readonly message: string
}

/** Somebody else was first each time. The message says how often. */
export class BranchBusy extends Error {
  override readonly name = 'BranchBusy'
}

/**
 * While this file stands, its writer replaces all commits by one, which GitHub can't refuse as it does a commit on top of an old one. Others
 * wait until then.
 */
const CLOSING = 'closing.json'
const closingFile = jsonText(z.object({ until: z.int() }))

/** For so long nobody else writes, in milliseconds of GitHub's time. */
const CLOSING_MS = 5 * 60_000

/** The last moment at which the commits are replaced; what GitHub takes up to its own limit of a request still comes before the others. */
const CLOSING_LATEST_MS = 2 * 60_000

/** Two dozen writers that begin at once, each of whom makes all others begin again. */
const MOST_TRIES = 40
const LONGEST_PAUSE_MS = 2000

/** On the same commit nobody was first: a rule protects the branch. GitHub may read late what was written a moment ago. */
const MOST_REFUSALS = 3

/** A file that is not run. */
const FILE_MODE = '100644'

export class HistoryBranch {
  readonly #octokit: Octokit
  readonly #ref: RepositoryRef
  readonly #branch: string
  readonly #contents = new Map<string, Buffer>()
  /** Pauses before the next try, from 0 up to 1. */
  readonly #chance: () => number

  constructor(octokit: Octokit, ref: RepositoryRef, branch: string, chance: () => number = Math.random) {
    this.#octokit = octokit
    this.#ref = ref
    this.#branch = branch
    this.#chance = chance
  }

  /** Reads the branch as it stands now. Throws what GitHub answers. */
  async tree(): Promise<BranchTree> {
    return (await this.#read()).tree
  }

  /** The contents of a file; null: there is none at this path. Read once, whatever tree it is in. */
  async contents({ files }: BranchTree, path: string): Promise<Buffer | null> {
    const sha = files.get(path)
    if (sha === undefined) return null
    const known = this.#contents.get(sha)
    if (known !== undefined) return known
    const { data } = await this.#octokit.rest.git.getBlob({ ...this.#ref, file_sha: sha })
    const contents = Buffer.from(data.content, 'base64')
    this.#contents.set(sha, contents)
    return contents
  }

  /**
   * Commits a change on top of what stands, again on top of what others have written meanwhile. The first commit makes the branch, without a
   * parent. Throws `BranchBusy`, and what GitHub answers.
   * @param change of a tree; null: nothing is to be done. Called again for each try
   */
  async change(change: (tree: BranchTree) => Promise<BranchChange | null>): Promise<void> {
    let refusals = 0
    let refusedOn: string | null = null
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { tree, at } = await this.#read()
      const free = await this.#freeFrom(tree)
      if (free !== null && free > at) {
        await sleep(Math.min(free - at, LONGEST_PAUSE_MS))
        continue
      }
      const wanted = await change(tree)
      if (wanted === null) return
      const refusal = await this.#put(tree, wanted)
      if (refusal === null) return
      refusals = tree.commit === refusedOn ? refusals + 1 : 1
      refusedOn = tree.commit
      if (refusals >= MOST_REFUSALS) throw refusal
      await sleep(this.#chance() * Math.min(LONGEST_PAUSE_MS, 50 * 2 ** Math.min(tries, 10)))
    }
    throw new BranchBusy(`others wrote to ${this.#branch} first, ${MOST_TRIES} times`)
  }

  /**
   * The same, with all commits replaced by one without a parent. Others wait meanwhile, and go on after five minutes where this process has
   * died.
   */
  async squash(change: (tree: BranchTree) => Promise<BranchChange | null>): Promise<void> {
    let wanted: BranchChange | null = null
    let until = 0
    await this.change(async (tree) => {
      wanted = await change(tree)
      if (wanted === null) return null
      until = (await this.#read()).at + CLOSING_MS
      return {
        files: new Map([[CLOSING, JSON.stringify({ until })]]),
        message: 'Others wait while commits are replaced',
      }
    })
    if (wanted === null) return
    const { tree } = await this.#read()
    const commit = await this.#commit(tree, wanted, [])
    const now = await this.#read()
    const isOurs = (await this.#freeFrom(tree)) === until && now.tree.commit === tree.commit
    if (!isOurs || now.at > until - CLOSING_MS + CLOSING_LATEST_MS)
      throw new BranchBusy(`the commits of ${this.#branch} were not replaced in time`)
    const ref = `heads/${this.#branch}`
    // Tried again it could come after what others have written since.
    await this.#octokit.rest.git.updateRef({ ...this.#ref, ref, sha: commit, force: true, request: { retries: 0 } })
  }

  /** When others may write again; null: now. */
  async #freeFrom(tree: BranchTree): Promise<number | null> {
    const text = await this.contents(tree, CLOSING)
    if (text === null) return null
    const read = closingFile.safeParse(text.toString('utf8'))
    return read.success ? read.data.until : null
  }

  async #read(): Promise<{ readonly tree: BranchTree; readonly at: number }> {
    const found = await this.#octokit.rest.git
      .getRef({ ...this.#ref, ref: `heads/${this.#branch}` })
      .catch((error: unknown) => {
        if ((error as { status?: number }).status === 404) return null
        throw error
      })
    if (found === null) return { tree: { commit: null, tree: null, files: new Map() }, at: 0 }
    const { sha: commit } = found.data.object
    const { git } = this.#octokit.rest
    const { sha: tree } = (await git.getCommit({ ...this.#ref, commit_sha: commit })).data.tree
    const { data } = await git.getTree({ ...this.#ref, tree_sha: tree, recursive: '1' })
    if (data.truncated) throw new Error(`${this.#branch} has more files than GitHub lists`)
    const files = new Map(data.tree.flatMap(({ path, sha, type }) => (type === 'blob' ? [[path, sha] as const] : [])))
    return { tree: { commit, tree, files }, at: timeOf(found.headers) }
  }

  /** Null: it is written. Else GitHub's refusal, most often since the branch is elsewhere by now. */
  async #put(tree: BranchTree, wanted: BranchChange): Promise<Error | null> {
    const { commit: parent } = tree
    const sha = await this.#commit(tree, wanted, parent === null ? [] : [parent])
    try {
      if (parent === null)
        await this.#octokit.rest.git.createRef({ ...this.#ref, ref: `refs/heads/${this.#branch}`, sha })
      else await this.#octokit.rest.git.updateRef({ ...this.#ref, ref: `heads/${this.#branch}`, sha, force: false })
      return null
    } catch (error) {
      const { status } = error as { status?: number }
      if (status !== 409 && status !== 422) throw error
      // GitHub took it, and its answer was lost before the client asked again.
      return (await this.tree()).commit === sha ? null : (error as Error)
    }
  }

  async #commit(tree: BranchTree, { files, message }: BranchChange, parents: readonly string[]): Promise<string> {
    const { git } = this.#octokit.rest
    const removed = tree.files.has(CLOSING) && !files.has(CLOSING) ? [[CLOSING, null] as const] : []
    const changes: { path: string; mode: typeof FILE_MODE; type: 'blob'; sha: string | null }[] = []
    for (const [path, contents] of [...files, ...removed]) {
      if (contents === null && !tree.files.has(path)) continue
      const sha = contents === null ? null : await this.#blob(contents)
      changes.push({ path, mode: FILE_MODE, type: 'blob', sha })
    }
    const base = tree.tree === null ? {} : { base_tree: tree.tree }
    const made = await git.createTree({ ...this.#ref, ...base, tree: changes })
    const { data } = await git.createCommit({ ...this.#ref, message, tree: made.data.sha, parents: [...parents] })
    return data.sha
  }

  async #blob(contents: string | Uint8Array): Promise<string> {
    const content = Buffer.from(contents).toString('base64')
    const { data } = await this.#octokit.rest.git.createBlob({ ...this.#ref, content, encoding: 'base64' })
    return data.sha
  }
}
