import type { Logger } from 'pino'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import type { AppIdentity } from '../../github/github-app.ts'
import type { Octokit } from '../../github/octokit.ts'
import { createComment, findOwnComment } from '../../github/own-comment.ts'
import type { Repository } from '../../github/repository.ts'
import type { Merge } from '../../inbox/merges.ts'
import { queryKey } from '../../intake/measurement/run.ts'
import { shiftAfterMerge } from '../../judge/bisect/after-merge.ts'
import { HistoryUnavailable } from '../../judge/history/trunk-history.ts'
import { keyOnArchitecture } from '../../judge/history/trunk-series.ts'
import { standingDecisions } from '../../report/acceptance.ts'
import { findingsAtMerge, type MergedFinding, type ShownFinding } from '../../report/after-merge.ts'
import { isAboutMerge, renderAfterMerge } from '../../report/render/after-merge.ts'
import { copiedHistory } from '../../store/sync/copied-history.ts'
import { DAY } from '../../text/time.ts'
import type { PublishContext } from './publish.ts'
import type { TriageContext } from './triage-context.ts'

/** A trunk that has not been measured twenty times by then tells no more. */
const LONGEST_WAIT_MS = 60 * DAY

/** Merges that one look is about, the latest first. */
const MOST_MERGES = 20

interface OfRepository {
  readonly octokit: Octokit
  readonly self: AppIdentity
  readonly repository: Repository
  readonly config: RepositoryConfig
  readonly log: Logger
}

/** Keeps what stood when a pull request was merged into the trunk, to look for it there. */
export async function rememberMerge(
  { store, inbox, now }: Pick<TriageContext, 'store' | 'inbox' | 'now'>,
  { pullRequest }: PublishContext,
): Promise<void> {
  const { repository, number, head, mergeCommit, baseRef } = pullRequest
  if (mergeCommit === null || baseRef !== repository.defaultBranch) return
  const report = await store.reports.of(repository.id, number, head)
  const findings = report === null ? [] : findingsAtMerge(report)
  if (findings.length > 0)
    await inbox.merges.add(repository.id, { pullRequestNumber: number, mergeCommit, findings, heardAt: now() })
}

/**
 * Says once on each merged pull request whether the trunk shows its slowdowns, when it has been measured often enough.
 * Whether any is still waited for.
 */
export async function lookAfterMerges(context: TriageContext, of: OfRepository): Promise<boolean> {
  const { inbox, now } = context
  const { id } = of.repository
  for (const merge of await inbox.merges.waiting(id, MOST_MERGES)) {
    const said = standingDecisions(await inbox.decisions.list(id, merge.pullRequestNumber), now(), of.config.mode)
    const isSilent = of.config.mode === 'shadow' || of.config.comment === 'never' || said.mute !== null
    const shown = await shownOf(context, of, merge)
    if (shown === null) continue
    const told = isSilent ? [] : shown.filter((finding) => finding.isSilent === undefined)
    if (told.length > 0) await say(of, merge, told)
    await inbox.merges.end(id, merge.pullRequestNumber, shown, now())
  }
  return (await inbox.merges.waiting(id, 1)).length > 0
}

/** The trunk's answers; empty: it has none any more. Null: it has not been measured often enough. */
async function shownOf(
  { store, historySources, commitRanges, now }: TriageContext,
  { octokit, repository: { id, owner, name }, config, log }: OfRepository,
  { mergeCommit, findings, heardAt }: Merge,
): Promise<ShownFinding[] | null> {
  const to = now()
  const copied = copiedHistory(historySources, store.historyCopies, { id, name: `${owner}/${name}` }, config, to)
  const metric = findings[0]!.metric
  const asked = { repositoryId: id, metric, now: to, copiedFrom: copied?.copiedFrom ?? [] }
  const range = { from: heardAt - config.lookbackDays * DAY, to }
  try {
    const series = await store.trunkHistory.series(asked, findings, range)
    const bySubject = new Map(series.map((one) => [keyOnArchitecture(queryKey(one), one.architecture), one.points]))
    const newest = series
      .flatMap(({ points }) => points)
      .reduce<{ readonly time: number; readonly commit: string } | null>(
        (last, point) => (last === null || point.time > last.time ? point : last),
        null,
      )
    const line =
      newest === null ? null : await commitRanges.line(octokit, { id, owner, repo: name }, mergeCommit, newest.commit)
    const since = new Set(line ?? [])
    const known = findings.flatMap((finding) => shownIn(finding, bySubject, since))
    // The silent ones keep nobody waiting, unless there are no others.
    const toTell = (all: readonly MergedFinding[]) => all.filter(({ isSilent }) => isSilent === undefined).length
    const isEnough = toTell(findings) > 0 ? toTell(known) === toTell(findings) : known.length === findings.length
    return isEnough || to - heardAt > LONGEST_WAIT_MS ? known : null
  } catch (error) {
    if (!(error instanceof HistoryUnavailable)) throw error
    log.warn({ err: error, mergeCommit }, 'the main branch could not be checked after a merge')
    return null
  }
}

function shownIn(
  finding: MergedFinding,
  bySubject: ReadonlyMap<string, Parameters<typeof shiftAfterMerge>[0]>,
  since: ReadonlySet<string>,
): ShownFinding[] {
  const points = bySubject.get(keyOnArchitecture(queryKey(finding), finding.architecture)) ?? []
  const found = shiftAfterMerge(points, (commit) => since.has(commit), finding.difference)
  return found === null ? [] : [{ ...finding, ...found }]
}

/** Looked for before it is written: after a crash in between it stands already. */
async function say(
  { octokit, self, repository, log }: OfRepository,
  { pullRequestNumber, mergeCommit }: Merge,
  shown: readonly ShownFinding[],
): Promise<void> {
  const ref = { owner: repository.owner, repo: repository.name }
  if ((await findOwnComment(octokit, ref, pullRequestNumber, isAboutMerge, self, null)) !== null) return
  const body = renderAfterMerge(mergeCommit, repository.defaultBranch, shown)
  const { url } = await createComment(octokit, ref, pullRequestNumber, body)
  log.info({ url }, 'comment after a merge posted')
}
