import type { RepositoryConfig } from '../config/repository-config.ts'
import { type ChangedFiles, pathsOf } from '../github/changed-files.ts'
import type { HistoryFacts } from '../history/history-facts.ts'
import type { LearnedLookup } from '../verdict/thresholds.ts'
import { historyOfHead } from './history-of-head.ts'
import { type JudgeInput, judge } from './judge.ts'
import { measuredAt } from './measured-at.ts'
import type { PublishContext } from './publish.ts'
import type { TriageReport } from './report.ts'
import type { TriageContext } from './triage-context.ts'
import { windowsOfHead } from './windows-of-head.ts'

export interface JudgedWithHistory {
  readonly report: TriageReport
  /** Null where nothing was measured: then nobody was asked. */
  readonly history: { readonly facts: HistoryFacts; readonly measuredAt: number } | null
}

/**
 * Judges twice: with the learned thresholds alone, to know which rows the history has to be asked of, and with what it
 * says of them. `changedFiles` is asked for only where there is such a row.
 */
export async function judgeWithHistory(
  { store, historyDatabase, commitRanges, now }: TriageContext,
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
  const { table } = config.history
  const range = { ...ref, id: repository.id }
  let hasVerdicts = false
  const history = await historyOfHead(
    {
      store,
      database: table === null ? null : (historyDatabase?.of(`${repository.owner}/${repository.name}`, table) ?? null),
      repositoryId: repository.id,
      pullRequestNumber: pullRequest.number,
      metric: config.metric,
      trunk: [repository.defaultBranch],
      measuredAt: at,
      now: now(),
      lookbackDays: config.lookbackDays,
      references: input.references,
      mergeBase: input.mergeBase,
      commitLine: (base, head) => commitRanges.line(octokit, range, base, head),
      log,
    },
    (learned) => {
      const report = look(learned, {})
      hasVerdicts = report.rows.some(({ verdict }) => verdict !== null)
      return report
    },
  )
  const { facts } = history
  const files = hasVerdicts ? await changedFiles() : null
  const report = look(history.learned, {
    history: facts,
    changedFiles: files === null ? null : pathsOf(files),
    degradations: facts.problem === null ? input.degradations : ['history-not-available', ...input.degradations],
  })
  const askCommits = (lastGood: string, firstBad: string) => commitRanges.range(octokit, range, lastGood, firstBad)
  const windows = await windowsOfHead(report, history, askCommits, log)
  return { report: { ...report, windows }, history: { facts, measuredAt: at } }
}
