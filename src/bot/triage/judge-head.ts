import { type RepositoryConfig, testEntries, thresholdSettings } from '../../config/repository-config.ts'
import { type ChangedFiles, pathsOf } from '../../github/changed-files.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { DecisionsOf } from '../../inbox/decisions.ts'
import { metricOfRuns } from '../../intake/measurement/formats/formats.ts'
import { DEFAULT_INERT_PATHS, InertPaths, UNBUILT_PATHS } from '../../judge/bisect/binary-paths.ts'
import type { BisectWindow } from '../../judge/bisect/bisect-window.ts'
import type { HistoryFacts } from '../../judge/history/history-facts.ts'
import { type ChangedFunctions, changedFunctions } from '../../judge/profile/changed-functions.ts'
import { isOpen } from '../../judge/verdict/verdict.ts'
import {
  pullRequestsInside,
  type StandingDecisions,
  standingDecisions,
  withAcceptedStep,
  withStepAccepted,
} from '../../report/acceptance.ts'
import { type ClassifiedHead, classifyHead, type HeadInput, measuredAt } from '../../report/classify-head.ts'
import type { DecidedReport } from '../../report/decisions.ts'
import { judge, mayBeMachine } from '../../report/judge.ts'
import type { Answers, HeadProfiles } from '../../report/judge-rows.ts'
import { type CheckRunOutput, renderCheckRun } from '../../report/render/check-run.ts'
import type { RenderLinks } from '../../report/render/view.ts'
import {
  type Degradation,
  type HeadFacts,
  type HowMeasured,
  LONGEST_TITLE,
  type ReportRow,
  type TriageReport,
} from '../../report/report.ts'
import { withTrunkLines } from '../../report/trunk-lines.ts'
import { headFacts } from '../../report/usual.ts'
import type { Profiles } from '../../store/profiles/profiles.ts'
import type { Runs } from '../../store/runs/runs.ts'
import { type HistoryAsking, headByHistory } from './history-of-head.ts'
import { profilesOfHead } from './profiles-of-head.ts'
import { type AskCommits, pullRequestWindowOfHead, windowsOfHead } from './windows-of-head.ts'

/** From the runs of a head to its report: history, evidence and the judge, with a server or without. It publishes nothing. */

/** Who is asked about a head: the database, the inbox and GitHub, or the files that stand in for the first two. */
export interface HeadSources extends Omit<HistoryAsking, 'store' | 'now' | 'lookbackDays'> {
  readonly store: Omit<HistoryAsking['store'], 'runs'> & {
    readonly runs: HistoryAsking['store']['runs'] & Pick<Runs, 'attemptsOf' | 'usualOfTrunk'>
    readonly profiles: Profiles & { mayHave(repositoryId: number, head: string): Promise<boolean> }
  }
  /** The commits that two commits have between them, with their files. */
  readonly askCommits: AskCommits
  /** What people have decided on these pull requests. */
  readonly decisionsOn: (numbers: readonly number[]) => Promise<DecisionsOf>
}

/** What GitHub says of the pull request. */
export interface ChangeOfHead extends Pick<PullRequest, 'commits'> {
  /** Null: nobody can say. */
  readonly changedFiles: () => Promise<ChangedFiles | null>
}

/** What stands in a pull request's report beside what was asked about its head. */
export interface KnownOfHead
  extends Pick<
      HeadInput,
      | 'mergeBase'
      | 'mergeBaseTime'
      | 'references'
      | 'otherHeads'
      | 'unaskedHeads'
      | 'merges'
      | 'runs'
      | 'shards'
      | 'isFinal'
      | 'previous'
    >,
    Required<Pick<HeadInput, 'earlier' | 'said' | 'failingTests'>> {
  readonly pullRequest: PullRequest
  readonly config: RepositoryConfig
  /** Of the configuration. */
  readonly degradation: Degradation | null
  readonly howMeasured: HowMeasured | null
  /** Milliseconds. */
  readonly now: number
}

/** What is judged of a pull request's head. */
export function headInput({ pullRequest, config, degradation, howMeasured, now, ...known }: KnownOfHead): HeadInput {
  const { repository, number, title, author, head, baseRef, baseSha } = pullRequest
  const { id, owner, name, isPrivate, url } = repository
  const entries = testEntries(config, now, known.said.ignored.rows)
  return {
    ...known,
    repository: { id, owner, name, isPrivate, url },
    pullRequest: {
      number,
      baseRef,
      title: title.slice(0, LONGEST_TITLE).toWellFormed(),
      ...(author !== null && { author: author.login }),
    },
    head,
    base: baseSha,
    primaryMetric: metricOfRuns(config.metric, known.runs),
    thresholds: thresholdSettings(config, entries),
    entries,
    mode: config.mode,
    degradations: degradation === null ? [] : [degradation],
    ...(howMeasured !== null && { howMeasured }),
    judgedAt: new Date(now).toISOString(),
  }
}

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
  sources: HeadSources,
  config: RepositoryConfig,
  input: HeadInput,
  { commits, changedFiles }: ChangeOfHead,
): Promise<JudgedHead> {
  const at = measuredAt(input.runs)
  if (at === null) {
    const head = classifyHead(input)
    return { head, report: judge(head), history: null, profiles: new Map() }
  }
  const now = Date.parse(input.judgedAt)
  const asking: HistoryAsking = { ...sources, now, lookbackDays: config.lookbackDays }
  const { head, rows, history, habitsOf } = await headByHistory(asking, input, at)
  const answers = await askAboutRows(sources, config, head, rows, changedFiles)
  const facts = await factsOfHead(sources, config, head, at, changedFiles)
  const judged = withUnasked(sources, judge(head, { ...answers, history: history.facts, facts }))
  const suiteHabits = await habitsOf(judged)
  const report = suiteHabits.length === 0 ? judged : { ...judged, suiteHabits }

  const { askCommits, log } = sources
  const inertPaths = new InertPaths([...DEFAULT_INERT_PATHS, ...config.unbuiltPaths])
  const windows = await windowsOfHead(report, history, askCommits, inertPaths, log)
  const drawn = config.pictures ? withTrunkLines(report, history.series, at) : report.rows
  const pullRequestWindow =
    commits < 2 ? null : await pullRequestWindowOfHead(report, answers, askCommits, inertPaths, log)
  return {
    head,
    report: { ...report, ...(await withStepsAccepted(sources, now, drawn, windows)), pullRequestWindow },
    history: { facts: history.facts, measuredAt: at },
    profiles: answers.profiles,
  }
}

/** The check run of a report. Its annotations need the changed files, which are asked for only where a row has a verdict. */
export async function checkRunOf(
  report: DecidedReport,
  links: RenderLinks,
  changedFiles: ChangeOfHead['changedFiles'],
): Promise<CheckRunOutput> {
  const files = report.complete && report.rows.some(({ verdict }) => verdict !== null) ? await changedFiles() : null
  return renderCheckRun(report, links, files?.files)
}

/** Says of open rows that nobody could tell whether they are open elsewhere. */
function withUnasked({ store }: HeadSources, report: TriageReport): TriageReport {
  if (store.reports !== null || !report.rows.some(({ verdict }) => isOpen(verdict))) return report
  return { ...report, degradations: [...report.degradations, 'other-pull-requests-unknown'] }
}

/** Facts of the head that only the trunk's last runs show. GitHub is asked for the changed files only where there are such. */
async function factsOfHead(
  { store }: HeadSources,
  config: RepositoryConfig,
  head: ClassifiedHead,
  measured: number,
  changedFiles: ChangeOfHead['changedFiles'],
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
  sources: HeadSources,
  now: number,
  rows: readonly ReportRow[],
  windows: readonly BisectWindow[],
) {
  const decisionsOf = await sources.decisionsOn(windows.flatMap(pullRequestsInside))
  const known = new Map<number, StandingDecisions>()
  const decisionsOn = (number: number) => {
    const said = known.get(number) ?? standingDecisions(decisionsOf(number), now)
    known.set(number, said)
    return said
  }
  const accepted = windows.map((window) => withAcceptedStep(window, decisionsOn))
  return { rows: rows.map((row) => withStepAccepted(row, accepted, decisionsOn)), windows: accepted }
}

/** The answers of the pull request's code, the profiles and earlier attempts. */
async function askAboutRows(
  { store, log }: HeadSources,
  { unbuiltPaths }: RepositoryConfig,
  head: ClassifiedHead,
  rows: readonly ReportRow[],
  changedFiles: ChangeOfHead['changedFiles'],
) {
  const { repository, head: commit, primaryMetric } = head.input
  const earlierAttempts = mayBeMachine(head) ? await store.runs.attemptsOf(repository.id, commit, primaryMetric) : []
  const files = rows.length > 0 ? await changedFiles() : null
  const inertPaths = new InertPaths([...UNBUILT_PATHS, ...unbuiltPaths])
  const of = { repositoryId: repository.id, head: commit }
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

function changedFunctionsOf(listed: ChangedFiles | null, unbuilt: InertPaths): ChangedFunctions | null {
  if (listed === null) return null
  const files = listed.files.map((file) => ({ ...file, patch: file.patch ?? null }))
  return changedFunctions(files, listed.isCut, (path) => unbuilt.canReachBinary(path))
}
