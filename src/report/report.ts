import type { Environments } from '../intake/measurement/environment.ts'
import type { OwnVerdict } from '../intake/measurement/own-verdict.ts'
import type { Labels, QueryId, ReadWarning } from '../intake/measurement/run.ts'
import type { RunNotes } from '../intake/measurement/run-notes.ts'
import type { TraceType } from '../intake/measurement/trace-type.ts'
import type { BisectWindow, PullRequestWindow } from '../judge/bisect/bisect-window.ts'
import type { HistoryProblem, LearnedProvenance } from '../judge/history/trunk-series.ts'
import type { FailingTests } from '../judge/ledger/failure.ts'
import type { ProfileWords } from '../judge/profile/words.ts'
import type { Acceptance, Said } from '../judge/verdict/acceptance.ts'
import type { ClassifiedQuery, OutcomeCounts, ThresholdSource } from '../judge/verdict/classified-query.ts'
import type { EqualBuildsOfRun } from '../judge/verdict/evidence/equal-builds.ts'
import type { Evidence } from '../judge/verdict/evidence/evidence.ts'
import type { ShardShift, WholeRunShift } from '../judge/verdict/evidence/shard-shift.ts'
import type { ReferenceBuild } from '../judge/verdict/evidence/stale-reference.ts'
import type { IgnoredByPerson } from '../judge/verdict/test-entries.ts'
import type { Verdict } from '../judge/verdict/verdict.ts'
import type { SuiteHabit } from './suite-habits.ts'

/**
 * The one value that everything shown is rendered from: comment, check run, labels, page, JSON, command line.
 * Nothing that renders it computes; a headline is derived from the rows it stands over.
 */
export const REPORT_SCHEMA_VERSION = 1

export type ShardState =
  /** Its results were read. */
  | 'measured'
  /** Its check has not finished. */
  | 'pending'
  /** Its check ended without results that could be read. */
  | 'failed'
  /** Known only from the names of its siblings (`3/12`): no check of that name was seen yet. */
  | 'missing'
  /** Its check was skipped on purpose: said, and neither awaited nor missed. */
  | 'skipped'

/** Why the results of a finished check are not there. */
export type ShardProblem =
  | 'no-results'
  /** More than one artifact could be its results: the pattern in the configuration must name the parts. */
  | 'ambiguous'
  | 'expired'
  | 'download-failed'
  | 'host-not-allowed'
  | 'too-large'
  | 'unreadable'
  | 'empty'
  /** `perf-triage measure` compared nothing: equal trees, a failed build or failed turns. */
  | 'not-compared'
  /** A job that it needs failed or was cancelled, so GitHub skipped it. */
  | 'needed-failed'
  /** It was skipped, and other shards of the same run were not. */
  | 'shard-skipped'

export interface Shard {
  readonly check: string
  readonly architecture: string | null
  readonly shard: number | null
  readonly shards: number | null
  readonly state: ShardState
  readonly problem: ShardProblem | null
  /** What stood in the place of results, and what would be read; the names that are looked for; or the host that is not allowed. Absent: nothing is known of that. */
  readonly refusal?: string
  /** A place that is looked at after the one with that problem is still empty. Absent: none is. */
  readonly awaited?: true
  /** Where a person looks: the check's own page. */
  readonly url: string | null
  /** What ended the check, as GitHub says it (`success`, `failure`, `timed_out`, …); null while pending. */
  readonly conclusion: string | null
  /** What the check says of itself, its title or description; absent of a workflow, which ends red for other jobs too. */
  readonly said?: string
  /** Its results are not known to come from where the trunk's come from; absent: they do, or the report is from before. */
  readonly origin?: Origin
}

/** Where results come from that are not known to come from where the trunk's do. */
export interface Origin {
  /** `unknown`: no run of the trunk gave results yet, and the repository's file names no workflow. */
  readonly kind: 'other-workflow' | 'unknown'
  /** The path of the workflow that gave them; null: no workflow of GitHub Actions did. */
  readonly workflow: string | null
}

/** The changed files that decide how the head is measured. */
export interface HowMeasured {
  /** The first of them, by name. */
  readonly files: readonly string[]
  /** How many more there are. */
  readonly more: number
  /** The pull request changes more files than GitHub lists: any of the others may be one. */
  readonly isCut: boolean
  /** Stands for these files and what is in them. */
  readonly version: string
}

/** Some names, and how many more there are. */
export interface Named {
  readonly names: readonly string[]
  readonly more: number
}

/** How much less a head measured than is usual on the trunk: what is absent is as usual. */
export interface LessThanUsual {
  /** Complete runs of the trunk that say what is usual, by their median. */
  readonly trunkRuns: number
  /** With the checks among those of the head that were skipped on purpose. */
  readonly shards?: { readonly measured: number; readonly usual: number; readonly skipped: readonly string[] }
  /** Without those that the pull request removes. */
  readonly queries?: { readonly measured: number; readonly usual: number; readonly gone: Named }
  /** Queries that the pull request removes with the file of their test, where half of the usual ones are not measured. */
  readonly removed?: Named
  /** Of the query in the middle of those with less than half of their usual ones, and of its side that has fewer. */
  readonly repetitions?: {
    readonly measured: number
    readonly usual: number
    /** Processes are counted, of which each has several values; absent: repetitions. */
    readonly of?: 'processes'
  }
}

/** What the trunk's last runs tell of a complete head as a whole; what is absent: nothing, nobody knows, or the report is from before. */
export interface HeadFacts {
  /** The head measured less than they did. */
  readonly lessThanUsual?: LessThanUsual
}

export interface WrongBuilds {
  /**
   * `same-commit`: both builds are of it, or the old one is of the head. `new-is-base`: the new one is of the base. `new-is-other`: the new one
   * is of a commit without the head in it. `new-is-unknown`: the results name too many new builds for GitHub to be asked about this one.
   */
  readonly kind: 'same-commit' | 'new-is-base' | 'new-is-other' | 'new-is-unknown'
  readonly commit: string
}

export interface EqualBuildsOfCheck extends EqualBuildsOfRun {
  readonly check: string
  readonly architecture: string | null
}

/** `intake/measurement/run-notes.ts` has the lists. */
export interface NotesOfRun extends RunNotes {
  readonly check: string
  readonly architecture: string | null
  /** Such as its CPU; absent: the source does not say. */
  readonly machine?: string
}

export interface EnvironmentsOfRun extends Environments {
  readonly check: string
}

/** By its own rule and thresholds: `intake/measurement/own-verdict.ts`. */
export interface OwnVerdictOfRun extends OwnVerdict {
  readonly check: string
  readonly architecture: string | null
}

/** An entry of `tests` in the repository's file that ignores queries. */
export interface IgnoringEntry {
  /** The test as the entry has it: a name or a pattern. */
  readonly test: string
  /** The query as the entry has it; null: all of the test. */
  readonly query: number | string | null
  readonly reason: string
  /** The last day, in UTC: `2027-03-01`. */
  readonly until: string
}

/** What ignores a query: an entry of the repository's file, or a person on this pull request. */
export type Ignored = IgnoringEntry | IgnoredByPerson

export interface ExpiredEntry extends IgnoringEntry {
  /** How many rows of the report it would ignore. */
  readonly rows: number
}

/** A query's runs on the trunk before a head was measured, as a picture needs them. */
export interface TrunkLine {
  readonly runs: number
  readonly lowest: number
  readonly highest: number
  /** Medians in the order of time; of more runs than there is room for, those of as many together. */
  readonly values: readonly number[]
}

/** One query with all its architectures. The worst decides, of which outcome and direction are; all are shown. */
export interface ReportRow extends Pick<ClassifiedQuery, keyof QueryId | 'metric' | 'unit' | 'outcome' | 'direction'> {
  /** One per architecture, in the order of `TriageReport.architectures`. */
  readonly results: readonly ClassifiedQuery[]
  /** Index into `results` of the one that decides. */
  readonly decidedBy: number
  /** For changed rows, guarded and ignored ones; null for the rest. */
  readonly verdict: Verdict | null
  /** The entry or the person by which the verdict is `ignored`; absent: it is another one. */
  readonly ignored?: Ignored
  /** So large a slowdown that nothing may wave it through: at the top, never below `needs-rerun`. */
  readonly guarded: boolean
  readonly evidence: readonly Evidence[]
  /** Slower by the repository's floor or more, and each run of this head that measured it left it as `needs-rerun`; absent: not so. */
  readonly undecided?: true
  /** A person accepted it at this size, which it is within; absent: nobody did. */
  readonly accepted?: Acceptance
  /** A person accepted it at this size, and it has grown beyond. */
  readonly outgrown?: Acceptance
  /** The trunk's history says that this pull request is why (`isBecauseOfChange`); absent: it does not. */
  readonly becauseOfChange?: true
  /** What the profiles of the deciding result say; null: it has none. Absent where nobody looked. */
  readonly profile?: RowProfile | null
  /** Its history on the trunk, for a picture; absent: nobody asked for one, or there are too few runs. */
  readonly trunkLine?: TrunkLine
  /** Against the report of the previous head: an open row that was not open then is `new`. */
  readonly sinceLastPush: 'new' | 'unchanged' | null
}

/** A row that an earlier run of the head showed, as it was then, and a later one does not. A second such run takes it back. */
export interface NotSeenAgain extends ReportRow {
  /** The later run, by `runKey`. */
  readonly contradictedBy: string
}

/** The difference of the two profiles of a query, in words. */
export interface RowProfile {
  readonly architecture: string | null
  /** The one that the words are of. */
  readonly traceType: TraceType
  /** All that there are flame graphs of. */
  readonly traceTypes: readonly TraceType[]
  readonly words: ProfileWords
}

/** How many queries would pass the rank test by chance: one architecture and metric. */
export interface DiscoveryBudget {
  readonly architecture: string | null
  readonly metric: string
  readonly tested: number
  /** The level the other two numbers are for: 0.01. */
  readonly level: number
  /** How many of `tested` reach a p of at most `level` if nothing changed, from the reachable p of each. */
  readonly expectedByChance: number
  readonly passed: number
}

/** A source that could not be asked. Each is a state with its own sentence, never silence. */
export type Degradation =
  | 'history-not-available'
  | 'config-invalid'
  | 'config-never-valid'
  /** There are open rows, and nobody knows the reports of other pull requests. */
  | 'other-pull-requests-unknown'

/** What the report knows from the trunk's history. */
export interface ReportHistory {
  /** How many thresholds were learned and from what; null where none could be. */
  readonly provenance: LearnedProvenance | null
  /** Why the history is not there, or not all of it; null: it is. */
  readonly problem: HistoryProblem | null
  /** When the head was measured, in milliseconds: how old the newest run of the trunk was by then. */
  readonly measuredAt?: number | null
}

export interface SincePreviousHead {
  readonly head: string
  readonly new: number
  /** Open rows of the previous head that are not open any more, by label. */
  readonly resolved: readonly string[]
  readonly unchanged: number
}

/** Why nobody can say that a head is fine although nothing was found. Closed. */
export const UNKNOWNS = [
  'shard-without-results',
  'results-not-read',
  'nothing-compared',
  'wrong-builds',
  'other-machines',
  'nothing-judged',
  'only-ignored',
  'guarded-rerun',
  'failed-in-unknown-build',
  'query-without-value',
  'ci-results-unavailable',
  'failing-tests-not-read',
  'configuration-never-valid',
] as const
export type Unknown = (typeof UNKNOWNS)[number]

export const CHECK_CONCLUSIONS = ['success', 'neutral', 'failure'] as const
export type CheckConclusion = (typeof CHECK_CONCLUSIONS)[number]

/** `post`: written, the first one too. `keep`: one that exists is kept up to date. `muted`: one that exists says so, and no more. */
export const COMMENT_DECISIONS = ['post', 'keep', 'never', 'muted'] as const
export type CommentDecision = (typeof COMMENT_DECISIONS)[number]

/** What the bot does about a report, by the settings of its repository. */
export interface Decisions {
  readonly comment: CommentDecision
  /** How the check concludes; null while shards are outstanding. */
  readonly conclusion: CheckConclusion | null
  /** Why a finished head can't be called fine although nothing was found. */
  readonly unknowns: readonly Unknown[]
  /** The labels of the bot that should stand; null: they stay as they are. */
  readonly labels: readonly string[] | null
  /** Who muted the pull request; null: nobody did. */
  readonly mute: Said | null
}

/** A pull request as GitHub named it when it was judged. */
export interface ReportedPullRequest {
  readonly number: number
  readonly baseRef: string
  /** Anybody's text, at most `LONGEST_TITLE` characters; absent: not known, or the report is from before it was kept. */
  readonly title?: string
  /** A login; absent: the account is gone, or the report is from before it was kept. */
  readonly author?: string
}

/** Characters kept of a title; GitHub allows 256. */
export const LONGEST_TITLE = 256

export interface TriageReport extends HeadFacts {
  readonly schemaVersion: typeof REPORT_SCHEMA_VERSION
  readonly repository: {
    readonly id: number
    readonly owner: string
    readonly name: string
    readonly isPrivate: boolean
    /** `https://github.com/owner/name`, the prefix of all links to GitHub. */
    readonly url: string
  }
  readonly pullRequest: ReportedPullRequest
  /** Full commit id of the head these results are of. */
  readonly head: string
  readonly mergeBase: string | null
  /** When it was committed, in milliseconds; absent: not known. */
  readonly mergeBaseTime?: number
  /** The builds of the old side; several when the architectures were measured against different ones. */
  readonly references: readonly ReferenceBuild[]
  /** The programs or machines that the sides are of; absent: of the same, or the source does not say. */
  readonly labels?: Labels
  /** The other metrics of those, or of the one program that was measured, worst first; absent: none. */
  readonly otherMetrics?: readonly ClassifiedQuery[]
  /** Of suites whose changed queries seem to have one cause, how often as many changed on the trunk; absent: nobody asked. */
  readonly suiteHabits?: readonly SuiteHabit[]
  /** What the reports conclude that the runs made of themselves; absent: none has one. */
  readonly ownVerdicts?: readonly OwnVerdictOfRun[]
  /** What the runs say beside the comparison, and on what they ran; absent: nothing. */
  readonly runNotes?: readonly NotesOfRun[]
  /** Where the sides of the runs were measured; absent: no tool says it, or the report is from before. */
  readonly environments?: readonly EnvironmentsOfRun[]
  /** What two builds of the old commit differed by in the runs that measured such; absent: none did. */
  readonly equalBuilds?: readonly EqualBuildsOfCheck[]
  /** The pull request changes files that decide how it is measured; absent: none, or the report is from before. */
  readonly howMeasured?: HowMeasured
  /** Who accepted how the head is measured: those files, and the workflows of `Shard.origin`. Absent: nobody has to, or has. */
  readonly acceptedMeasurement?: Said
  /** The repository's file says that rows which no run decides block; absent: they do not. `rerunIsDue`: the bot measures them again. */
  readonly undecided?: { readonly rerunIsDue: boolean }
  /** The runs of this head, by `runKey`, that newer attempts have replaced; absent: none, or the report is from before. */
  readonly replacedRuns?: readonly string[]
  /** Runs that did not compare the change with its base; absent: none. */
  readonly wrongBuilds?: readonly WrongBuilds[]
  /** A run compared the merge base with a build that may hold more than the change; absent: none did, or the report is from before. */
  readonly newMayHoldMore?: true
  readonly primaryMetric: string
  readonly architectures: readonly (string | null)[]
  readonly shards: readonly Shard[]
  /** All shards that are expected have ended, with or without results, or were waited for long enough. */
  readonly complete: boolean
  /** Worst first. Rows of the primary metric only. */
  readonly rows: readonly ReportRow[]
  /** Over `rows` but for the ignored ones, by the deciding architecture. */
  readonly counts: OutcomeCounts
  /** How many thresholds came from where, over the compared rows. An absent one: none. */
  readonly thresholdSources: Readonly<Record<Exclude<ThresholdSource, 'entry' | 'history'>, number>> & {
    readonly entry?: number
    readonly history?: number
  }
  readonly discoveries: readonly DiscoveryBudget[]
  /** The smallest p that the repetitions of this set can reach; null without compared rows. */
  readonly smallestPValue: number | null
  readonly shifts: readonly ShardShift[]
  /** Shifts of everything where no other shard tells the machine from the build; absent in reports from before. */
  readonly wholeRun?: readonly WholeRunShift[]
  /** What is not known of this head and a person accepted all the same; absent: nothing. */
  readonly acceptedUnknowns?: readonly { readonly unknown: Unknown; readonly by: Said }[]
  /**
   * Rows that stood open after an earlier run of this head, as they were then, and that no later run could judge again.
   * Absent: none.
   */
  readonly notMeasuredAgain?: readonly ReportRow[]
  /** Such rows that one later run does not show; absent: none. */
  readonly notSeenAgain?: readonly NotSeenAgain[]
  /** Such rows that two later runs do not show, which take them back; absent: none, or a report from before they were kept. */
  readonly withdrawn?: readonly ReportRow[]
  /** The runs that the rows are of, by `runKey`; absent in reports from before they were kept. */
  readonly runs?: readonly string[]
  /** Entries of the repository's file that have expired and would ignore rows of this report; absent: none. */
  readonly expired?: readonly ExpiredEntry[]
  readonly sinceLastPush: SincePreviousHead | null
  /** Null where the history was not asked; absent in reports from before there was one. */
  readonly history?: ReportHistory | null
  /** The failing tests of the head; null where they were never looked for. */
  readonly failingTests: FailingTests | null
  /** Steps that are on the trunk already, of rows of this report; in the order of the rows. */
  readonly windows: readonly BisectWindow[]
  /** Where to look inside a pull request of several commits that has an open row; null: nowhere. Absent: nobody looked. */
  readonly pullRequestWindow?: PullRequestWindow | null
  readonly mode: 'shadow' | 'advisory' | 'gating'
  /** Absent where nothing is published (`perf-triage comment`), and in reports from before they were stored. */
  readonly decisions?: Decisions
  readonly degradations: readonly Degradation[]
  readonly warnings: readonly ReadWarning[]
  /** ISO 8601, UTC. Not shown in the comment: an unchanged report must give an unchanged body. */
  readonly judgedAt: string
}
