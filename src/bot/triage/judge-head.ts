import type { RepositoryConfig } from '../../config/repository-config.ts'
import { type ChangedFiles, pathsOf } from '../../github/changed-files.ts'
import { DEFAULT_INERT_PATHS, InertPaths, UNBUILT_PATHS } from '../../judge/bisect/binary-paths.ts'
import type { BisectWindow } from '../../judge/bisect/bisect-window.ts'
import type { HistoryFacts } from '../../judge/history/history-facts.ts'
import { type ChangedFunctions, changedFunctions } from '../../judge/profile/changed-functions.ts'
import {
  pullRequestsInside,
  type StandingDecisions,
  standingDecisions,
  withAcceptedStep,
  withStepAccepted,
} from '../../report/acceptance.ts'
import { type ClassifiedHead, classifyHead, type HeadInput, measuredAt } from '../../report/classify-head.ts'
import { judge, mayBeMachine } from '../../report/judge.ts'
import type { Answers, HeadProfiles } from '../../report/judge-rows.ts'
import type { HeadFacts, ReportRow, TriageReport } from '../../report/report.ts'
import { withTrunkLines } from '../../report/trunk-lines.ts'
import { headFacts } from '../../report/usual.ts'
import { copiedHistory } from '../../store/sync/copied-history.ts'
import { witnessesOfFlags } from './flag-witnesses.ts'
import { type HistoryAsking, headByHistory } from './history-of-head.ts'
import { profilesOfHead } from './profiles-of-head.ts'
import type { PublishContext } from './publish.ts'
import type { TriageContext } from './triage-context.ts'
import { type AskCommits, pullRequestWindowOfHead, windowsOfHead } from './windows-of-head.ts'

/** From the runs of a head to its report: history, evidence and the judge. It publishes nothing. */

export interface JudgedHead {
  readonly head: ClassifiedHead
  readonly report: TriageReport
  /** Null where nothing was measured: then nobody was asked. */
  readonly history: { readonly facts: HistoryFacts; readonly measuredAt: number } | null
  /** The profiles that were asked for. */
  readonly profiles: HeadProfiles
}

/**
 * Classifies a head by what the trunk has taught, asks about its changed rows, and judges it by the answers. `changedFiles` is
 * asked for only where there is such a row.
 */
export async function judgeHead(
  context: TriageContext,
  publishing: PublishContext,
  config: RepositoryConfig,
  input: HeadInput,
  changedFiles: () => Promise<ChangedFiles | null>,
): Promise<JudgedHead> {
  const at = measuredAt(input.runs)
  if (at === null) {
    const head = classifyHead(input)
    return { head, report: judge(head), history: null, profiles: new Map() }
  }
  const { head, rows, history, habitsOf } = await headByHistory(
    historyAsking(context, publishing, config, Date.parse(input.judgedAt)),
    input,
    at,
  )
  const answers = await askAboutRows(context, publishing, config, head, rows, changedFiles)
  const facts = await factsOfHead(context, config, head, at, changedFiles)
  const judged = judge(head, { ...answers, history: history.facts, facts })
  const suiteHabits = await habitsOf(judged)
  const report = suiteHabits.length === 0 ? judged : { ...judged, suiteHabits }

  const askCommits: AskCommits = (lastGood, firstBad) =>
    context.commitRanges.range(publishing.octokit, rangeOf(publishing), lastGood, firstBad)
  const inertPaths = new InertPaths([...DEFAULT_INERT_PATHS, ...config.unbuiltPaths])
  const windows = await windowsOfHead(report, history, askCommits, inertPaths, publishing.log)
  const drawn = config.pictures ? withTrunkLines(report, history.series, at) : report.rows
  const pullRequestWindow =
    publishing.pullRequest.commits < 2
      ? null
      : await pullRequestWindowOfHead(report, answers, askCommits, inertPaths, publishing.log)
  return {
    head,
    report: { ...report, ...(await withStepsAccepted(context, publishing, drawn, windows)), pullRequestWindow },
    history: { facts: history.facts, measuredAt: at },
    profiles: answers.profiles,
  }
}

/** Facts of the head that only the trunk's last runs show. GitHub is asked for the changed files only where there are such. */
async function factsOfHead(
  { store }: TriageContext,
  config: RepositoryConfig,
  head: ClassifiedHead,
  measured: number,
  changedFiles: () => Promise<ChangedFiles | null>,
): Promise<HeadFacts> {
  const { repository, primaryMetric: metric } = head.input
  const usual = await store.runs.usualOfTrunk({ repositoryId: repository.id, metric, before: measured })
  if (usual === null || Object.keys(headFacts(usual, head, null)).length === 0) return {}
  const files = await changedFiles()
  return headFacts(usual, head, files === null || files.isCut ? null : files.files, maySkip(config, files))
}

/**
 * Whether a job that measures may be skipped for a pull request: no file of it can reach the binary or decides what is measured.
 *
 * It may: `docs/a.md` alone. It may not: `docs/a.md` and `.github/workflows/perf.yml`, or more files than GitHub lists.
 */
export function maySkip({ unbuiltPaths }: Pick<RepositoryConfig, 'unbuiltPaths'>, files: ChangedFiles | null): boolean {
  const paths = files === null ? null : pathsOf(files)
  if (paths === null) return false
  const inert = new InertPaths([...UNBUILT_PATHS, ...unbuiltPaths, '!.github/**'])
  return paths.every((path) => !inert.canReachBinary(path))
}

/** What people accepted in the pull requests inside the windows. */
async function withStepsAccepted(
  { inbox, now }: TriageContext,
  { pullRequest: { repository } }: PublishContext,
  rows: readonly ReportRow[],
  windows: readonly BisectWindow[],
) {
  const decisionsOf = await inbox.decisions.on(repository.id, windows.flatMap(pullRequestsInside))
  const known = new Map<number, StandingDecisions>()
  const decisionsOn = (number: number) => {
    const said = known.get(number) ?? standingDecisions(decisionsOf(number), now())
    known.set(number, said)
    return said
  }
  const accepted = windows.map((window) => withAcceptedStep(window, decisionsOn))
  return { rows: rows.map((row) => withStepAccepted(row, accepted, decisionsOn)), windows: accepted }
}

/** The answers of the pull request's code, the profiles and earlier attempts. */
async function askAboutRows(
  { store }: TriageContext,
  { pullRequest: { repository }, log }: PublishContext,
  { unbuiltPaths }: RepositoryConfig,
  head: ClassifiedHead,
  rows: readonly ReportRow[],
  changedFiles: () => Promise<ChangedFiles | null>,
) {
  const { head: commit, primaryMetric } = head.input
  const earlierAttempts = mayBeMachine(head) ? await store.runs.attemptsOf(repository.id, commit, primaryMetric) : []
  const files = rows.length > 0 ? await changedFiles() : null
  const inertPaths = new InertPaths([...UNBUILT_PATHS, ...unbuiltPaths])
  const of = { repositoryId: repository.id, head: head.input.head }
  const mayHaveAny = () => store.profiles.mayHave(of.repositoryId, of.head)
  const asking = { ...of, profiles: store.profiles, mayHaveAny, log }
  return {
    changedFiles: files === null ? null : pathsOf(files),
    changedFunctions: changedFunctionsOf(files, inertPaths),
    inertPaths,
    profiles: await profilesOfHead({ rows }, asking),
    earlierAttempts,
  } satisfies Answers
}

function historyAsking(
  context: TriageContext,
  publishing: PublishContext,
  config: RepositoryConfig,
  now: number,
): HistoryAsking {
  const { store, historySources, commitRanges } = context
  const { octokit, log } = publishing
  const range = rangeOf(publishing)
  const { id, owner, repo } = range
  return {
    store,
    copied: copiedHistory(historySources, store.historyCopies, { id, name: `${owner}/${repo}` }, config, now),
    witnessesOf: (numbers) => witnessesOfFlags(context, publishing, config, numbers),
    now,
    lookbackDays: config.lookbackDays,
    commitLine: (base, head) => commitRanges.line(octokit, range, base, head),
    commitsBetween: (older, newer) => commitRanges.between(octokit, range, older, newer),
    log,
  }
}

function rangeOf({ ref, pullRequest }: PublishContext) {
  return { ...ref, id: pullRequest.repository.id }
}

function changedFunctionsOf(listed: ChangedFiles | null, unbuilt: InertPaths): ChangedFunctions | null {
  if (listed === null) return null
  const files = listed.files.map((file) => ({ ...file, patch: file.patch ?? null }))
  return changedFunctions(files, listed.isCut, (path) => unbuilt.canReachBinary(path))
}
