import type { Logger } from 'pino'
import { type RepositoryConfig, testEntries, thresholdSettings } from '../../config/repository-config.ts'
import { metricOfRuns } from '../../intake/measurement/formats/formats.ts'
import { resultKey, runKey } from '../../intake/measurement/run.ts'
import { DECLARED_EVIDENCE, type Evidence } from '../../judge/verdict/evidence/evidence.ts'
import { standingDecisions, withStepAccepted } from '../../report/acceptance.ts'
import { type ClassifiedHead, classifyHead, type HeadInput, measuredAt } from '../../report/classify-head.ts'
import { type DecidedReport, decided } from '../../report/decisions.ts'
import { judge, mayBeMachine } from '../../report/judge.ts'
import type { Answers } from '../../report/judge-rows.ts'
import { decisive } from '../../report/parts.ts'
import type { TriageReport, WrongBuilds } from '../../report/report.ts'
import type { Store } from '../../store/store.ts'
import { copiedHistory } from '../../store/sync/copied-history.ts'
import type { HistorySources } from '../../store/sync/history-sources.ts'
import { headByHistory } from './history-of-head.ts'
import type { QueueMemory } from './queue.ts'

/** Why a stored report is not judged anew. */
export type NotReplayed =
  /** It has results of runs whose samples are not kept any more. */
  | 'samples-gone'
  /** It has no results at all: failing tests alone, or a head that is awaited. */
  | 'nothing-measured'

export interface ReplayContext {
  readonly store: Store
  readonly historySources: HistorySources | null
  readonly decisionsOn: QueueMemory['decisionsOn']
  readonly log: Logger
}

/**
 * Judges the runs of a stored report anew, by the rules of this version and a configuration, as of the time of that report: the trunk's
 * history, the entries of the file and the ends of decisions are those of then. What only GitHub knows is taken from the stored report, and
 * so are its failing tests and bisect windows. Nothing is written.
 */
export async function replayReport(
  context: ReplayContext,
  config: RepositoryConfig,
  stored: TriageReport,
): Promise<DecidedReport | NotReplayed> {
  const { store, decisionsOn } = context
  const { repository, pullRequest, head } = stored
  const runs = await store.runs.of(repository.id, head, config.metric)
  const there = new Set(runs.map(runKey))
  if (runs.length === 0) return stored.rows.length === 0 ? 'nothing-measured' : 'samples-gone'
  if (stored.runs?.some((run) => !there.has(run))) return 'samples-gone'
  const judgedAt = Date.parse(stored.judgedAt)
  const accepting = stored.windows.flatMap(({ acceptedIn }) => acceptedIn?.pullRequestNumber ?? [])
  const decisionsOf = await decisionsOn(repository.id, [pullRequest.number, ...accepting])
  const saidOn = (number: number) => standingDecisions(decisionsOf(number), judgedAt, config.mode)
  const said = saidOn(pullRequest.number)
  const entries = testEntries(config, judgedAt, said.ignored.rows)
  const input: HeadInput = {
    ...stored,
    base: newBuildsIn(stored, 'new-is-base')[0] ?? null,
    otherHeads: newBuildsIn(stored, 'new-is-other'),
    unaskedHeads: newBuildsIn(stored, 'new-is-unknown'),
    merges: stored.newMayHoldMore === true ? [] : runs.flatMap(({ newCommit }) => newCommit ?? []),
    runs,
    isFinal: stored.complete,
    primaryMetric: metricOfRuns(config.metric, runs),
    thresholds: thresholdSettings(config, entries),
    entries,
    mode: config.mode,
    previous: await store.reports.before(repository.id, pullRequest.number, head),
    earlier: stored,
    degradations: stored.degradations.filter((one) => one !== 'history-not-available'),
    said,
  }
  const { classified, answers } = await askedAnew(context, config, input, judgedAt)
  const report = judge(classified, { ...answers, remembered: rememberedIn(stored) })
  const profiles = new Map(stored.rows.map((row) => [resultKey(decisive(row)), row.profile]))
  const rows = report.rows.map((row) => {
    const profile = row.verdict === null ? undefined : profiles.get(resultKey(decisive(row)))
    return withStepAccepted({ ...row, ...(profile !== undefined && { profile }) }, stored.windows, saidOn)
  })
  const { windows, pullRequestWindow } = stored
  const shown = { ...report, rows, windows, ...(pullRequestWindow !== undefined && { pullRequestWindow }) }
  return decided(shown, config, said.mute)
}

/** The head as the trunk's history of then classifies it, and the answers that are in the store. */
async function askedAnew(
  { store, historySources, log }: ReplayContext,
  config: RepositoryConfig,
  input: HeadInput,
  judgedAt: number,
): Promise<{ readonly classified: ClassifiedHead; readonly answers: Answers }> {
  const at = measuredAt(input.runs)
  if (at === null) return { classified: classifyHead(input), answers: {} }
  const { id, owner, name } = input.repository
  const asking = {
    store,
    copied: copiedHistory(historySources, store.historyCopies, { id, name: `${owner}/${name}` }, config, judgedAt),
    now: judgedAt,
    lookbackDays: config.lookbackDays,
    commitLine: () => Promise.resolve(null),
    commitsBetween: () => Promise.resolve(null),
    log,
  }
  const { head, history } = await headByHistory(asking, input, at)
  const earlierAttempts = mayBeMachine(head) ? await store.runs.attemptsOf(id, input.head, input.primaryMetric) : []
  return { classified: head, answers: { history: history.facts, earlierAttempts } }
}

function newBuildsIn({ wrongBuilds = [] }: TriageReport, wanted: WrongBuilds['kind']): string[] {
  return wrongBuilds.flatMap(({ kind, commit }) => (kind === wanted ? [commit] : []))
}

function rememberedIn(stored: TriageReport): NonNullable<Answers['remembered']> {
  const ofRows = stored.rows.map((row): [string, readonly Evidence[]] => [
    resultKey(decisive(row)),
    row.evidence.filter(({ kind }) => DECLARED_EVIDENCE[kind].from === 'github'),
  ])
  return new Map(ofRows.filter(([, evidence]) => evidence.length > 0))
}
