import type { DashboardLink } from '../../config/repository-config.ts'
import { type QueryId, queryKey, type ReadWarning, unreadParts } from '../../intake/measurement/run.ts'
import type { ReferenceBuild } from '../../judge/verdict/evidence/stale-reference.ts'
import { type Findings, findingsOf } from '../../judge/verdict/findings.ts'
import { count, counted, day } from '../../text/numbers.ts'
import { shortIds } from '../anchors.ts'
import { decisive, hasResults, type ShardTally, shardTally } from '../parts.ts'
import type { ReportRow, TriageReport } from '../report.ts'
import { type Suite, suitesOf } from '../suites.ts'
import type { Theme } from '../urls.ts'
import { type FailingView, failingView } from './failing-view.ts'

/** The addresses of pictures, by what they show (`pictureKey`) and the theme. */
export interface PictureLinks {
  readonly changesUrl: (key: string, theme: Theme) => string
  readonly trunkUrl: (row: ReportRow, key: string, theme: Theme) => string
}

/** What a comment or a check run takes from the repository's configuration. */
export interface ShownSettings {
  /** Addresses with placeholders. */
  readonly dashboards: readonly DashboardLink[]
  /** Begins a command in a comment: `/perf`. Absent: nobody reads commands here. */
  readonly commandPrefix?: string
  /** The repository's command that measures one query, with placeholders; absent: it has none. */
  readonly reproduce?: string | null
  /** Labels for an issue that somebody reports from the comment. */
  readonly issueLabels?: readonly string[]
}

/** Pages that exist. What is null is not linked. */
export interface RenderLinks extends ShownSettings {
  /** The page of this report, without query and fragment. */
  readonly reportUrl: string | null
  /** The page of a row with its samples, the numbers of the test and its history. */
  readonly rowUrl?: ((row: ReportRow) => string) | null
  /** The page of the glossary. */
  readonly wordsUrl: string | null
  /** The page that has the steps of a workflow which uploads results. */
  readonly uploadUrl?: string | null
  /** The page of the flame graph of a row that has a profile. */
  readonly flameGraphUrl?: ((row: ReportRow) => string) | null
  /** Absent or null: the comment has no pictures. */
  readonly pictures?: PictureLinks | null
  /** Names of jobs that the bot has started again to settle what is doubtful; absent: none. */
  readonly runsAgain?: readonly string[]
  /** No command starts a job again: people do it on GitHub. Absent: `rerun` does. */
  readonly rerunsByHand?: true
}

export const NO_LINKS: RenderLinks = { reportUrl: null, wordsUrl: null, dashboards: [] }

/** What a comment or a check run shows: one report, sorted into what its parts talk about. Nothing is computed anew. */
export interface View extends Findings<ReportRow> {
  readonly report: TriageReport
  readonly links: RenderLinks
  /** The report of a newer head of which no shard is in; `report` is then of the head before and stands meanwhile. */
  readonly pending: TriageReport | null
  readonly compared: number
  readonly notCompared: readonly ReportRow[]
  readonly shards: ShardTally
  /** Warnings which say that a part of the results was not read. */
  readonly unread: readonly ReadWarning[]
  readonly suites: readonly Suite[]
  /** Slower rows of one suite that probably have one cause, worst first: one line stands for all of them. Empty: there are none. */
  readonly together: readonly ReportRow[]
  /** null where there is nothing to be said of failing tests. */
  readonly failing: FailingView | null
  /** The short id of a row, by which commands take it. */
  readonly idOf: (row: QueryId) => string
}

export function viewOf(report: TriageReport, links: RenderLinks, previous: TriageReport | null = null): View {
  if (previous !== null && previous.head !== report.head && !hasResults(report) && !report.complete) {
    return {
      ...viewOf(previous, NO_LINKS),
      links: {
        ...links,
        reportUrl: null,
        rowUrl: null,
        flameGraphUrl: null,
        pictures: null,
      },
      pending: report,
    }
  }
  const rows = report.rows
  const findings = findingsOf(report)
  const suites = suitesOf(report)
  const idOfKey = shortIds(() => [...rows, ...findings.notMeasuredAgain, ...findings.notSeenAgain].map(queryKey))
  return {
    ...findings,
    report,
    links,
    pending: null,
    compared: rows.filter(isCompared).length,
    notCompared: rows.filter((row) => !isCompared(row)),
    shards: shardTally(report),
    unread: unreadParts(report.warnings),
    suites,
    together: togetherIn(report, findings.open, suites),
    failing: failingView(report.failingTests),
    idOf: (row) => idOfKey(queryKey(row)),
  }
}

/** The open rows that are shown unfolded: what only may be slower is folded where something is. */
export function standingOpen(open: readonly ReportRow[]): readonly ReportRow[] {
  const sure = open.filter((row) => row.outcome === 'changed' || row.guarded)
  return sure.length === 0 ? open : sure
}

/** On one architecture at the least. */
function isCompared({ results }: ReportRow): boolean {
  return results.some(({ outcome }) => outcome !== null)
}

/** Rows of a suite that are one line; fewer stand for themselves. */
const LEAST_TOGETHER = 3

function togetherIn({ architectures }: TriageReport, open: readonly ReportRow[], suites: readonly Suite[]) {
  const suite = suites.find(({ cause }) => cause?.direction === 'slower')
  if (suite === undefined || architectures.length > 1) return []
  const ofSuite = new Set(suite.slower)
  const rows = open.filter((row) => ofSuite.has(row) && row.verdict === 'regression')
  return rows.length < LEAST_TOGETHER ? [] : rows
}

/** More than half of what was compared is too noisy to judge, and what it may hide is the next thing to know. */
export function isMostlyNoise({ tooNoisy, compared }: View): boolean {
  return 2 * tooNoisy.filter((row) => decisive(row).couldHide !== undefined).length > compared
}

/** Rows with a difference of one number a side, of which nothing is made. */
export function measuredOnce({ notCompared }: View): readonly ReportRow[] {
  return notCompared.filter((row) => decisive(row).status === 'measured-once')
}

/** `4 of 12 shards in`, `12 of 12 shards in`. */
export function shardsIn(tally: ShardTally): string {
  return `${count(tally.measured)} of ${counted(tally.total, 'shard', 'shards')} in`
}

/** How far a reference is from the merge base, and of which day that is, in words; null when nobody could say. */
export function distance(
  { commitsBeforeMergeBase: commits }: ReferenceBuild,
  { mergeBaseTime, judgedAt }: { readonly mergeBaseTime?: number | undefined } & Pick<TriageReport, 'judgedAt'>,
): string | null {
  if (commits === null) return null
  const of = mergeBaseTime === undefined ? '' : ` of ${day(mergeBaseTime, Date.parse(judgedAt))}`
  return commits === 0 ? `merge base${of}` : `${counted(commits, 'commit', 'commits')} older than the merge base${of}`
}
