import { DEFAULT_INERT_PATHS, InertPaths, UNBUILT_PATHS } from '../bisect/binary-paths.ts'
import type { RepositoryConfig } from '../config/repository-config.ts'
import { type ChangedFiles, pathsOf } from '../github/changed-files.ts'
import type { HistoryFacts } from '../history/history-facts.ts'
import { type ChangedFunctions, changedFunctions } from '../profile/changed-functions.ts'
import type { TriageReport } from '../report/report.ts'
import { copiedHistory } from '../sync/copied-history.ts'
import type { LearnedLookup } from '../verdict/thresholds.ts'
import { historyOfHead } from './history-of-head.ts'
import { type JudgeInput, judge, oldCommitsOf } from './judge.ts'
import { measuredAt } from './measured-at.ts'
import { profilesOfHead } from './profiles-of-head.ts'
import type { PublishContext } from './publish.ts'
import { pullRequestWindowOfHead } from './pull-request-window-of-head.ts'
import type { TriageContext } from './triage-context.ts'
import { windowsOfHead } from './windows-of-head.ts'

export interface JudgedWithHistory {
  readonly report: TriageReport
  /** Null where nothing was measured: then nobody was asked. */
  readonly history: { readonly facts: HistoryFacts; readonly measuredAt: number } | null
}

/**
 * Judges twice: with the learned thresholds alone, to know which rows the history and the profiles have to be asked of, and
 * with what they say of them. `changedFiles` is asked for only where there is such a row.
 */
export async function judgeWithHistory(
  { store, historySources, commitRanges, now }: TriageContext,
  { octokit, ref, pullRequest, log }: PublishContext,
  config: RepositoryConfig,
  input: JudgeInput,
  changedFiles: () => Promise<ChangedFiles | null>,
): Promise<JudgedWithHistory> {
  const look = (learned: LearnedLookup | null, more: Partial<JudgeInput>) =>
    judge({ ...input, thresholds: { ...input.thresholds, learned }, ...more })
  const at = measuredAt(input.runs)
  if (at === null) return { report: look(null, {}), history: null }

  const { repository } = pullRequest
  const range = { ...ref, id: repository.id }
  let first = null as TriageReport | null
  const named = { id: repository.id, name: `${repository.owner}/${repository.name}` }
  const history = await historyOfHead(
    {
      store,
      copied: copiedHistory(historySources, store.historyCopies, named, config, now()),
      repositoryId: repository.id,
      pullRequestNumber: pullRequest.number,
      metric: config.metric,
      measuredAt: at,
      now: now(),
      lookbackDays: config.lookbackDays,
      ...(input.thresholds.configured.changed !== null && { changedFloor: input.thresholds.configured.changed }),
      references: input.references,
      oldCommitOf: oldCommitsOf(input),
      mergeBase: input.mergeBase,
      commitLine: (base, head) => commitRanges.line(octokit, range, base, head),
      commitsBetween: (older, newer) => commitRanges.between(octokit, range, older, newer),
      log,
    },
    (learned) => {
      first = look(learned, {})
      return first
    },
  )
  const { facts } = history
  const before = first ?? look(history.learned, {})
  const { rows } = before
  // Whether the machine or the change did it only another run of the same commit can tell.
  const isShifted = before.wholeRun?.some(({ verdict }) => verdict !== null) === true
  const earlierAttempts = isShifted ? await store.attemptsOf(repository.id, input.head, config.metric) : []
  const files = rows.some(({ verdict }) => verdict !== null) ? await changedFiles() : null
  const unbuilt = new InertPaths([...UNBUILT_PATHS, ...config.unbuiltPaths])
  const changed = changedFunctionsOf(files, unbuilt)
  const asking = { profiles: store.profiles, repositoryId: repository.id, head: input.head, log }
  const profiles = await profilesOfHead({ rows }, asking)
  const report = look(history.learned, {
    history: facts,
    changedFiles: files === null ? null : pathsOf(files),
    changedFunctions: changed,
    inertPaths: unbuilt,
    profiles,
    earlierAttempts,
    degradations: facts.problem === null ? input.degradations : ['history-not-available', ...input.degradations],
  })
  const askCommits = (lastGood: string, firstBad: string) => commitRanges.range(octokit, range, lastGood, firstBad)
  const setAside = new InertPaths([...DEFAULT_INERT_PATHS, ...config.unbuiltPaths])
  const windows = await windowsOfHead(report, history, askCommits, setAside, log)
  const inside =
    pullRequest.commits < 2
      ? null
      : await pullRequestWindowOfHead(report, { profiles, changed, inertPaths: setAside }, askCommits, log)
  return { report: { ...report, windows, pullRequestWindow: inside }, history: { facts, measuredAt: at } }
}

function changedFunctionsOf(listed: ChangedFiles | null, unbuilt: InertPaths): ChangedFunctions | null {
  if (listed === null) return null
  const files = listed.files.map((file) => ({ ...file, patch: file.patch ?? null }))
  return changedFunctions(files, listed.isCut, (path) => unbuilt.canReachBinary(path))
}
