import type { Logger } from 'pino'
import type { InertPaths } from '../bisect/binary-paths.ts'
import { type PullRequestWindow, pullRequestWindow } from '../bisect/bisect-window.ts'
import type { WindowCommits } from '../bisect/window.ts'
import type { ChangedFunctions } from '../profile/changed-functions.ts'
import { isSameFile } from '../profile/source-path.ts'
import type { TriageReport } from '../report/report.ts'
import { type HeadProfiles, profileKey } from './profiles-of-head.ts'
import { withDeadline } from './with-deadline.ts'

/** A comparison and a call for each of up to thirty commits. */
const COMMITS_MS = 30_000

/** As `CommitRanges.range`. */
export type AskCommits = (base: string, head: string) => Promise<WindowCommits | null>

/** The pull request's code, as far as it is known. */
export interface KnownOfCode {
  readonly profiles: HeadProfiles
  readonly changed: ChangedFunctions | null
  /** Patterns of paths that can't change the binary. */
  readonly inertPaths: InertPaths
}

/**
 * Where to look inside a pull request of which a row says that it is slower because of it, or may be (`regression`). Null
 * where there is no such row, its commits are not known, or fewer than two of them can change the binary.
 */
export async function pullRequestWindowOfHead(
  report: TriageReport,
  { profiles, changed, inertPaths }: KnownOfCode,
  askCommits: AskCommits,
  log: Logger,
): Promise<PullRequestWindow | null> {
  const { mergeBase, head, rows } = report
  if (mergeBase === null || mergeBase === head || !rows.some(({ verdict }) => verdict === 'regression')) return null
  try {
    const commits = await withDeadline(() => askCommits(mergeBase, head), COMMITS_MS)
    // Commits beyond those that GitHub lists are not known.
    if (commits === null || commits.listed.length < 2 || commits.total !== commits.listed.length) return null
    const window = pullRequestWindow(commits.listed, pathsOfQueries(report, profiles, changed), inertPaths)
    return window.functional.length < 2 ? null : window
  } catch (error) {
    log.warn({ err: error }, 'the commits of the pull request are not known')
    return null
  }
}

/**
 * The changed files that the queries of regressions go through, as far as their profiles say: those that hold a changed
 * function which grew, and those that frames name. Null where no profile says anything of files.
 */
function pathsOfQueries(
  { rows }: TriageReport,
  profiles: HeadProfiles,
  changed: ChangedFunctions | null,
): readonly string[] | null {
  const regressions = rows.filter(({ verdict }) => verdict === 'regression')
  const ofFunctions = regressions.flatMap(({ evidence }) =>
    evidence.flatMap((item) => (item.kind === 'on-path' ? item.functions.map(({ file }) => file) : [])),
  )
  const frames = regressions.flatMap(({ results, decidedBy }) => {
    const near = profiles.get(profileKey(results[decidedBy]!))?.grown.near ?? []
    return near.flatMap(({ files }) => files)
  })
  const ofFrames = (changed?.files ?? []).filter((file) => frames.some((frame) => isSameFile(frame, file)))
  if (ofFunctions.length === 0 && frames.length === 0) return null
  return [...new Set([...ofFunctions, ...ofFrames])]
}
