import { gunzipSync, gzipSync } from 'node:zlib'
import type { BranchTree, HistoryBranch } from '../../github/history-branch.ts'
import type { TriageReport } from '../../report/report.ts'
import { readReport, writeReport } from '../../store/reports/stored-report.ts'

/** What the next push of a pull request is compared with: the newest report of each of its last two heads, on the history branch. */

const REPORTS_FILE = /^reports\/(\d+)\.jsonl\.gz$/

/** Two reports of the largest size that is stored. */
const MOST_BYTES = 128 * 2 ** 20

export function reportsFile(pull: number): string {
  return `reports/${pull}.jsonl.gz`
}

/** The pull requests that have reports on the branch, by path. */
export function keptReports({ files }: BranchTree): ReadonlyMap<string, number> {
  const found = [...files.keys()].map((path) => [path, REPORTS_FILE.exec(path)?.[1]] as const)
  return new Map(found.flatMap(([path, pull]) => (pull === undefined ? [] : [[path, Number(pull)]])))
}

/** The newest report of another head; null: none is kept, or it can't be read. */
export async function reportBefore(
  branch: HistoryBranch,
  tree: BranchTree,
  pull: number,
  head: string,
): Promise<TriageReport | null> {
  const reports = reportsOf(await branch.contents(tree, reportsFile(pull)))
  return reports.findLast((report) => report.head !== head) ?? null
}

/** The file with one report more. */
export async function withReport(
  branch: HistoryBranch,
  tree: BranchTree,
  report: TriageReport,
): Promise<readonly [path: string, contents: Uint8Array]> {
  const path = reportsFile(report.pullRequest.number)
  const before = reportsOf(await branch.contents(tree, path)).filter(({ head }) => head !== report.head)
  return [path, fileOf([...before.slice(-1), report])]
}

export function fileOf(reports: readonly TriageReport[]): Uint8Array {
  return gzipSync(reports.map((report) => `${writeReport(report)}\n`).join(''))
}

/** A file that somebody has damaged gives no reports. */
export function reportsOf(contents: Uint8Array | null): readonly TriageReport[] {
  if (contents === null) return []
  let text: string
  try {
    text = gunzipSync(contents, { maxOutputLength: MOST_BYTES }).toString('utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    const { report } = readReport(line)
    return report === null ? [] : [report]
  })
}
