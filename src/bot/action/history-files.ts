import { gunzipSync, gzipSync } from 'node:zlib'
import { BranchBusy, type BranchChange, type BranchTree, type HistoryBranch } from '../../github/history-branch.ts'
import { DAY } from '../../text/time.ts'
import { keptReports } from './kept-reports.ts'
import { newestLines } from './lines.ts'
import { keptPosted, parsePosted } from './posted.ts'

/**
 * The files of the history branch: a file a day of lines, of which the closed ones are in the compressed file of their month, what was
 * posted, the reports of the latest pull requests, the commands that were heard, and what people have decided. A line stands in the file of
 * the day on which it was appended, so that an append uploads a day at most.
 */

/** The branch that has no code. */
export const HISTORY_BRANCH = 'perf-triage-history'
export const POSTED_FILE = 'posted.jsonl'
export const DECISIONS_FILE = 'decisions.jsonl'
export const COMMANDS_FILE = 'commands.jsonl'

/** A month of a repository that measures 500 benchmarks every hour has some 25 MB. */
const MOST_BYTES = 256 * 1024 ** 2

/** `history/2026-11-28.jsonl` is open, `history/2026-11.jsonl.gz` has the closed days of a month, each compressed by itself. */
const HISTORY_FILE = /^history\/(\d{4}-\d{2}(?:-\d{2})?)\.jsonl(\.gz)?$/

interface HistoryFile {
  readonly path: string
  /** `2026-11` or `2026-11-28`, in UTC: sorted as text they are in the order of time. */
  readonly name: string
  readonly isPacked: boolean
}

function historyFiles({ files }: BranchTree): readonly HistoryFile[] {
  const found = [...files.keys()].flatMap((path): HistoryFile[] => {
    const [, name, packed] = HISTORY_FILE.exec(path) ?? []
    return name === undefined ? [] : [{ path, name, isPacked: packed !== undefined }]
  })
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** `2026-11-28`, in UTC. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function monthOf(day: string): string {
  return day.slice(0, 7)
}

/** The lines that were appended since a time, in milliseconds, and those of the rest of its month; the oldest day first. */
export async function linesSince(branch: HistoryBranch, tree: BranchTree, since: number): Promise<string> {
  const month = monthOf(dayOf(since))
  const texts: string[] = []
  for (const { path, name, isPacked } of historyFiles(tree)) {
    if (name < month) continue
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

/** The part of a file that stays when it is appended to. Days are closed instead. */
function kept(path: string, text: string): string {
  if (HISTORY_FILE.test(path)) return text
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

/**
 * Appends the lines of runs of the trunk to this day's file, then closes the days before it. Where a month ends with them its commits are
 * replaced by one.
 */
export async function appendHistory(
  branch: HistoryBranch,
  lines: readonly string[],
  now: number,
  message: string,
): Promise<void> {
  if (lines.length === 0) return
  const today = dayOf(now)
  const added = new Map([[`history/${today}.jsonl`, lines.map(withEnd).join('')]])
  const openIn = (tree: BranchTree) => historyFiles(tree).filter(({ name, isPacked }) => !isPacked && name < today)
  let open: readonly HistoryFile[] = []
  await branch.change(async (tree) => {
    open = openIn(tree)
    return await appended(branch, tree, added, message)
  })
  if (open.length === 0) return
  const close = async (tree: BranchTree) => await closing(branch, tree, openIn(tree), now)
  try {
    await (open.some(({ name }) => monthOf(name) < monthOf(today)) ? branch.squash(close) : branch.change(close))
  } catch (error) {
    // The lines are written, and the next push closes the day.
    if (!(error instanceof BranchBusy)) throw error
  }
}

async function closing(
  branch: HistoryBranch,
  tree: BranchTree,
  open: readonly HistoryFile[],
  now: number,
): Promise<BranchChange | null> {
  if (open.length === 0) return null
  const files = new Map<string, Uint8Array | null>()
  for (const { path, name } of open) {
    const month = `history/${monthOf(name)}.jsonl.gz`
    const before = files.get(month) ?? (await branch.contents(tree, month)) ?? Buffer.of()
    const day = gzipSync(withEnd(await textOf(branch, tree, path)), { level: 9 })
    files.set(month, Buffer.concat([before, day]))
    files.set(path, null)
  }
  for (const path of await reportsLeftAlone(branch, tree, now)) files.set(path, null)
  return { files, message: `Close ${open.map(({ name }) => name).join(', ')}` }
}

/** The reports of pull requests that nothing was posted on for a month. */
async function reportsLeftAlone(branch: HistoryBranch, tree: BranchTree, now: number): Promise<readonly string[]> {
  const reports = keptReports(tree)
  if (reports.size === 0) return []
  const lines = parsePosted(await textOf(branch, tree, POSTED_FILE)).lines
  const recent = new Set(lines.flatMap(({ pull, at }) => (at > now - MONTH ? [pull] : [])))
  return [...reports].flatMap(([path, pull]) => (recent.has(pull) ? [] : [path]))
}

const MONTH = 30 * DAY

/** A file that somebody has edited may end without a line end. */
function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
