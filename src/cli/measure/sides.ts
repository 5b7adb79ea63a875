import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { parseRepositoryConfig } from '../../config/parse-repository-config.ts'
import type { Unmeasured } from '../../intake/measurement/measured-turns.ts'
import { InertPaths } from '../../judge/bisect/binary-paths.ts'
import { GIT_LIMITS, GitProblem, git } from '../bisect-git/git-command.ts'

/** The two sides of a measurement: commits in git worktrees, folders, or commands. */

export interface SideGiven {
  readonly base: string | undefined
  readonly head: string | undefined
}

export type Side =
  | { readonly kind: 'commit'; readonly given: string; readonly commit: string }
  | { readonly kind: 'folder'; readonly given: string; readonly folder: string }
  | { readonly kind: 'command'; readonly given: string }

export interface Where {
  /** The folder that the command was called in. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A checkout of a large repository, or what is missing of it from the remote one. Milliseconds. */
const SLOW_GIT_MS = 30 * 60_000
const SLOW_COPY_MS = 30 * 60_000

/** Resolves base and head. `isRunGiven`: a command to run is known, so neither side is one. Throws `MeasureProblem`. */
export async function sidesOf(
  { base, head }: SideGiven,
  isRunGiven: boolean,
  where: Where,
): Promise<readonly [Side, Side]> {
  const after = await sideOf(head ?? 'HEAD', '--head', isRunGiven, where)
  const before = base === undefined ? await defaultBase(after, where) : await sideOf(base, '--base', isRunGiven, where)
  if (!isRunGiven && before.kind !== 'command')
    throw new MeasureProblem('nothing says what to run: give --run COMMAND or a tool’s option, such as --go')
  if ((before.kind === 'command') !== (after.kind === 'command'))
    throw new MeasureProblem('--base and --head must both be commands or neither, so that both run the same way')
  return [before, after]
}

/** A commit where git knows one of that name, else a folder, else a command. */
async function sideOf(given: string, option: string, isRunGiven: boolean, where: Where): Promise<Side> {
  const commit = await commitOf(given, where)
  if (commit !== null) return { kind: 'commit', given, commit }
  const folder = resolve(where.folder, given)
  const found = await stat(folder).catch(() => null)
  if (found?.isDirectory() === true) return { kind: 'folder', given, folder }
  if (!isRunGiven) return { kind: 'command', given }
  const fetched = await fetchedCommit(given, where)
  if (fetched !== null) return { kind: 'commit', given, commit: fetched }
  throw new MeasureProblem(`${option} ${given}: neither a commit known to git here nor a folder`)
}

async function commitOf(name: string, where: Where): Promise<string | null> {
  if (/^[-./]|\s/.test(name)) return null
  return await answerOf(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], where)
}

/** The one-line answer of git; null: it has none, or this is no clone. */
async function answerOf(args: readonly string[], where: Where): Promise<string | null> {
  const { code, output } = await git(where.folder, args).catch((error: unknown) => {
    // folders and commands need none
    if (error instanceof GitProblem) return { code: 1, output: '' }
    throw error
  })
  return code === 0 && output.trim() !== '' ? output.trim() : null
}

async function fetchedCommit(name: string, where: Where): Promise<string | null> {
  if (/^[-./]|\s/.test(name) || !(await fetch(['--depth=1', 'origin', name], where))) return null
  return await answerOf(['rev-parse', '--verify', '--quiet', 'FETCH_HEAD^{commit}'], where)
}

/** False: the remote repository does not have it, or can't be asked. */
async function fetch(args: readonly string[], { folder, env }: Where): Promise<boolean> {
  const options = { cwd: folder, timeout: SLOW_GIT_MS, env: { ...env, GIT_TERMINAL_PROMPT: '0' } }
  const all = ['fetch', '--no-tags', '--quiet', ...args]
  return await promisify(execFile)('git', all, options).then(
    () => true,
    () => false,
  )
}

/**
 * Of the merge commit of a pull request its first parent, else where the head left the branch that it goes to; of a head on that branch the
 * commit before it.
 */
async function defaultBase(head: Side, where: Where): Promise<Side> {
  if (head.kind !== 'commit') throw new MeasureProblem('--base is missing: say what to compare the head with')
  const parent = await firstParentOfMerge(head.commit, where)
  if (parent !== null) return { kind: 'commit', given: FIRST_PARENT, commit: parent }
  const target = await targetOf(where)
  if (target === null) throw new MeasureProblem('--base is missing, and nothing says which branch the head goes to')
  const commit = await mergeBaseOf(target, head.commit, where)
  if (commit !== head.commit) return { kind: 'commit', given: `the merge base with ${target}`, commit }
  const [before] = await parentsOf(head.commit, where)
  if (before === undefined)
    throw new MeasureProblem(`--base is missing: the head is on ${target} and has no commit before it`)
  return { kind: 'commit', given: `the commit before it on ${target}`, commit: before }
}

/** How the tip of the branch that a pull request goes to is named as its base. */
export const FIRST_PARENT = 'the first parent of the merge commit'

/** GitHub checks out `refs/pull/7/merge` for a pull request. */
async function firstParentOfMerge(head: string, where: Where): Promise<string | null> {
  if (!/^refs\/pull\/\d+\/merge$/.test(where.env['GITHUB_REF'] ?? '')) return null
  const [parent, second] = await parentsOf(head, where)
  return parent === undefined || second === undefined ? null : parent
}

/** The parents, the first of which is there, as a commit says them: a shallow clone knows of none. */
async function parentsOf(commit: string, where: Where): Promise<readonly string[]> {
  const text = await answerOf(['cat-file', 'commit', commit], where)
  const [first, ...others] = [...(text ?? '').matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id]) => id!)
  if (first === undefined) return []
  const isThere = (await commitOf(first, where)) ?? (await fetchedCommit(first, where))
  return isThere === null ? [] : [first, ...others]
}

async function targetOf(where: Where): Promise<string | null> {
  const { GITHUB_BASE_REF: asked } = where.env
  if (asked !== undefined && asked !== '') return `origin/${asked}`
  for (const name of ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'])
    if ((await commitOf(name, where)) !== null) return name
  return null
}

async function mergeBaseOf(target: string, head: string, where: Where): Promise<string> {
  const ask = async () => await answerOf(['merge-base', target, head], where)
  const found = await ask()
  if (found !== null) return found
  const branch = target.replace(/^origin\//, '')
  const isShallow = (await answerOf(['rev-parse', '--is-shallow-repository'], where)) === 'true'
  await fetch(
    [...(isShallow ? ['--unshallow'] : []), 'origin', `+refs/heads/${branch}:refs/remotes/origin/${branch}`],
    where,
  )
  const fetched = await ask()
  if (fetched === null)
    throw new MeasureProblem(`the head and ${target} have no common commit here: give --base, or fetch more history`)
  return fetched
}

/** Files that say what is built and what is not. */
const CONFIGURATION = '.github/perf-triage.yml'
const MOST_NAMED = 3

/** Why nothing has to be built; null: something differs. */
export async function noDifference(base: Side, head: Side, where: Where): Promise<Unmeasured | null> {
  const paths = await changedPaths(base, head, where)
  if (paths === null || base.kind !== 'commit') return null
  if (paths.length === 0) return { reason: 'same-trees', message: 'the two trees are the same' }
  const unbuilt = await unbuiltPathsIn(base.commit, where)
  if (unbuilt === null || paths.some((path) => unbuilt.canReachBinary(path))) return null
  const named = paths.slice(0, MOST_NAMED).join(', ')
  const message = `the only files that differ are listed as not built in ${CONFIGURATION}: ${named}${paths.length > MOST_NAMED ? ', …' : ''}`
  return { reason: 'unbuilt-paths', message }
}

/** Paths that differ between two commits; null: nobody can say. */
export async function changedPaths(base: Side, head: Side, where: Where): Promise<readonly string[] | null> {
  if (base.kind !== 'commit' || head.kind !== 'commit') return null
  const args = ['diff', '--name-only', '--no-renames', '--no-ext-diff', '-z', base.commit, head.commit]
  const { code, output } = await git(where.folder, args)
  return code === 0 ? output.split('\0').filter((path) => path !== '') : null
}

/** Paths that the repository's own file lists; null: it lists none. Tests, which are listed for all, may be what is measured. */
async function unbuiltPathsIn(commit: string, where: Where): Promise<InertPaths | null> {
  const { code, output } = await git(where.folder, ['show', `${commit}:${CONFIGURATION}`])
  const { config } = parseRepositoryConfig(code === 0 ? output : '')
  return config === null || config.unbuiltPaths.length === 0 ? null : new InertPaths(config.unbuiltPaths)
}

/** Where a build is built and run. */
export interface Place {
  readonly folder: string
}

export interface Places {
  readonly base: Place
  readonly head: Place
  /** A place of its own where the base is a commit; else that of the base, whose process alone is another. */
  readonly copy: Place
  /** Copies the base as it was built, so that nothing is built twice. Throws `MeasureProblem`. */
  readonly makeCopy: () => Promise<void>
  /** Where a build may list what it made, outside of the worktrees. */
  readonly builtList: (build: 'base' | 'head') => string
  readonly remove: () => Promise<void>
}

/** Makes the worktrees, whose paths are of one length: a program may depend on it. Throws `MeasureProblem`. */
export async function makePlaces(base: Side, head: Side, where: Where): Promise<Places> {
  const root = await mkdtemp(join(tmpdir(), 'perf-triage-'))
  const prefix = (await answerOf(['rev-parse', '--show-prefix'], where)) ?? ''
  const made: string[] = []
  const placeOf = async (side: Side, name: string): Promise<Place> => {
    if (side.kind === 'folder') return { folder: side.folder }
    if (side.kind === 'command') return { folder: where.folder }
    const tree = join(root, name)
    made.push(tree)
    const limits = { ...GIT_LIMITS, milliseconds: SLOW_GIT_MS }
    const { code, errors } = await git(
      where.folder,
      ['worktree', 'add', '--quiet', '--detach', tree, side.commit],
      limits,
    )
    if (code !== 0) throw new MeasureProblem(`${side.given} could not be checked out: ${errors.trim().slice(0, 300)}`)
    return { folder: join(tree, prefix) }
  }
  const remove = async () => {
    for (const tree of made) await git(where.folder, ['worktree', 'remove', '--force', tree]).catch(() => null)
    await rm(root, { recursive: true, force: true })
    await git(where.folder, ['worktree', 'prune']).catch(() => null)
  }
  try {
    const ofBase = await placeOf(base, 'base')
    const ofHead = await placeOf(head, 'head')
    const isCopied = base.kind === 'commit'
    const makeCopy = async () => {
      if (isCopied) await copied(join(root, 'base'), join(root, 'copy'))
    }
    const copy = isCopied ? { folder: join(root, 'copy', prefix) } : ofBase
    return { base: ofBase, head: ofHead, copy, makeCopy, builtList: (build) => join(root, `${build}.built`), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** With the times of files, by which cargo and make know what is built. */
async function copied(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to], { timeout: SLOW_COPY_MS }).catch((error: unknown) => {
    throw new MeasureProblem(`the base could not be copied: ${error instanceof Error ? error.message : String(error)}`)
  })
}

/** A reason why nothing can be measured: the sides, a build or the folder. The message is one line for a person. */
export class MeasureProblem extends Error {
  override readonly name = 'MeasureProblem'
  /** The build that failed; null: none did. */
  readonly failed: FailedBuild | null

  constructor(message: string, failed: FailedBuild | null = null) {
    super(message)
    this.failed = failed
  }
}

export interface FailedBuild {
  /** As `Side` has it. */
  readonly given: string
  readonly unmeasured: Unmeasured
  /** What it printed, as much as was kept. */
  readonly printed: readonly string[]
}
