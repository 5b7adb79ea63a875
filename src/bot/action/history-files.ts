import { gunzipSync, gzipSync } from 'node:zlib'
import { BranchBusy, type BranchChange, type BranchTree, type HistoryBranch } from '../../github/history-branch.ts'
import { newestLines } from './lines.ts'
import { keptPosted } from './posted.ts'

/**
 * The files of the history branch: a file a month of lines, of which the closed ones are compressed, what was posted, the commands that
 * were heard, and what people have decided. A line stands in the file of the month in which it was appended, so that no closed one is opened again.
 */

/** The branch that has no code. */
export const HISTORY_BRANCH = 'perf-triage-history'
export const POSTED_FILE = 'posted.jsonl'
export const DECISIONS_FILE = 'decisions.jsonl'
export const COMMANDS_FILE = 'commands.jsonl'

/** A month of a repository that measures 500 benchmarks every hour has some 25 MB. */
const MOST_BYTES = 256 * 1024 ** 2

const MONTH_FILE = /^history\/(\d{4}-\d{2})\.jsonl(\.gz)?$/

/** `2026-11`, in UTC. */
function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7)
}

function monthFile(month: string): string {
  return `history/${month}.jsonl`
}

/** The lines that were appended since a time, in milliseconds, and those of the rest of its month; the oldest month first. */
export async function linesSince(branch: HistoryBranch, tree: BranchTree, since: number): Promise<string> {
  const wanted = [...tree.files.keys()]
    .flatMap((path) => {
      const [, month, packed] = MONTH_FILE.exec(path) ?? []
      return month === undefined || month < monthOf(since) ? [] : [{ path, month, isPacked: packed !== undefined }]
    })
    .toSorted((a, b) => (a.month < b.month || (a.month === b.month && a.isPacked) ? -1 : 1))
  const texts: string[] = []
  for (const { path, isPacked } of wanted) {
    const contents = (await branch.contents(tree, path))!
    texts.push((isPacked ? gunzipSync(contents, { maxOutputLength: MOST_BYTES }) : contents).toString('utf8'))
  }
  return texts.map(withEnd).join('')
}

/** The text of a file; empty where there is none. */
export async function textOf(branch: HistoryBranch, tree: BranchTree, path: string): Promise<string> {
  return (await branch.contents(tree, path))?.toString('utf8') ?? ''
}

/** Bytes of a file that each judging job reads and writes as a whole: some ten thousand lines. */
const MOST_BYTES_OF_LINES = 4 * 1024 ** 2

/** The part of a file that stays when it is appended to. Months are closed instead. */
function kept(path: string, text: string): string {
  if (MONTH_FILE.test(path)) return text
  return newestLines(path === POSTED_FILE ? keptPosted(text) : text, MOST_BYTES_OF_LINES)
}

/** Appends whole lines to files, by path. Nothing is written where there are none. */
export async function appendLines(
  branch: HistoryBranch,
  lines: ReadonlyMap<string, string>,
  message: string,
): Promise<void> {
  const added = [...lines].filter(([, text]) => text !== '')
  if (added.length === 0) return
  await branch.change((tree) => appended(branch, tree, new Map(added), message))
}

/** The change that appends whole lines to files of a tree, by path. */
export async function appended(
  branch: HistoryBranch,
  tree: BranchTree,
  lines: ReadonlyMap<string, string>,
  message: string,
): Promise<BranchChange> {
  const files = new Map<string, string>()
  for (const [path, text] of lines) files.set(path, kept(path, withEnd(await textOf(branch, tree, path)) + text))
  return { files, message }
}

/** Appends the lines of runs of the trunk to this month's file, then closes the months before it. */
export async function appendHistory(
  branch: HistoryBranch,
  lines: readonly string[],
  now: number,
  message: string,
): Promise<void> {
  await appendLines(branch, new Map([[monthFile(monthOf(now)), lines.map(withEnd).join('')]]), message)
  const isOpen = (path: string) => {
    const [, month, packed] = MONTH_FILE.exec(path) ?? []
    return month !== undefined && packed === undefined && month < monthOf(now)
  }
  if (![...(await branch.tree()).files.keys()].some(isOpen)) return
  try {
    await branch.squash(async (tree) => await closing(branch, tree, [...tree.files.keys()].filter(isOpen)))
  } catch (error) {
    // The lines are written, and the next push closes the month.
    if (!(error instanceof BranchBusy)) throw error
  }
}

async function closing(
  branch: HistoryBranch,
  tree: BranchTree,
  paths: readonly string[],
): Promise<BranchChange | null> {
  if (paths.length === 0) return null
  const files = new Map<string, Uint8Array | null>()
  for (const path of paths) {
    const contents = (await branch.contents(tree, path))!
    files.set(`${path}.gz`, gzipSync(contents, { level: 9 }))
    files.set(path, null)
  }
  return { files, message: `Close ${paths.map((path) => MONTH_FILE.exec(path)![1]).join(', ')}` }
}

/** A file that somebody has edited may end without a line end. */
function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
