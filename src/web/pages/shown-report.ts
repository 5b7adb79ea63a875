import type { Context } from 'hono'
import { html } from 'hono/html'
import { queryKey } from '../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import { meantByShortId, rowAnchor } from '../../report/anchors.ts'
import type { ReportRow, TriageReport } from '../../report/report.ts'
import type { ReportAddress, RepositoryAddress } from '../../report/urls.ts'
import type { RepositoryName } from '../../store/reports/report-queries.ts'
import { counted } from '../../text/numbers.ts'
import type { Html } from '../kit/layout.ts'
import type { Site } from './site.ts'

/**
 * The report at an address, if whoever asks may see it: that is decided before any report is looked up, so that what does
 * not exist and what is private cost the same one question. It says the name of the repository that was asked for.
 */
export async function visibleReport(
  site: Pick<Site, 'access' | 'store'>,
  context: Context,
  address: ReportAddress | null,
): Promise<TriageReport | null> {
  return await reportWhere(site, context, address, () => true)
}

/** The same, of a public repository only: also who may see a private one gets nothing of it. */
export async function publicReport(
  site: Pick<Site, 'access' | 'store'>,
  context: Context,
  address: ReportAddress | null,
): Promise<TriageReport | null> {
  return await reportWhere(site, context, address, ({ isPrivate }) => !isPrivate)
}

async function reportWhere(
  { access, store }: Pick<Site, 'access' | 'store'>,
  context: Context,
  address: ReportAddress | null,
  isShown: (repository: RepositoryName) => boolean,
): Promise<TriageReport | null> {
  if (address === null) return null
  const { owner, repo, number, head } = address
  const repository = await access.visible(context, owner, repo)
  if (repository === null || !isShown(repository)) return null
  const report =
    head === undefined
      ? await store.reports.of(repository.id, number)
      : await store.reports.of(repository.id, number, head)
  return report === null ? null : underPresentName(report, address)
}

/**
 * A repository that was renamed or transferred is found under its present name alone, and another one may have the old name
 * by now: links lead to where the report was found, not to where it was written.
 */
export function underPresentName(report: TriageReport, { owner, repo }: RepositoryAddress): TriageReport {
  const { repository } = report
  const isSame = `${repository.owner}/${repository.name}`.toLowerCase() === `${owner}/${repo}`.toLowerCase()
  if (isSame) return report
  const url = URL.parse(`/${owner}/${repo}`, repository.url)?.href ?? ''
  const moved = (of: string | null) =>
    of?.startsWith(`${repository.url}/`) ? url + of.slice(repository.url.length) : of
  return {
    ...report,
    repository: { ...repository, owner, name: repo, url },
    shards: report.shards.map((shard) => ({ ...shard, url: moved(shard.url) })),
  }
}

/**
 * The row of an anchor, or of the short id that only it has; one that the newest run of the head does not have, as an earlier run of it had it: a comment has linked to it.
 * null: there is none.
 */
export function rowAtAnchor(
  { rows, notMeasuredAgain = [], notSeenAgain = [], withdrawn = [] }: TriageReport,
  anchor: string,
): ReportRow | null {
  for (const list of [rows, notMeasuredAgain, notSeenAgain, withdrawn]) {
    const row = list.find((one) => rowAnchor(one) === anchor)
    if (row !== undefined) return row
  }
  const isMeant = meantByShortId(anchor)
  const meant = isMeant === null ? [] : rows.filter((row) => isMeant(queryKey(row)))
  return meant.length === 1 ? meant[0]! : null
}

/** Why a row is here that the newest run of the head does not have; null: that run has it. */
export function whyOfEarlierRun({ rows, withdrawn = [] }: TriageReport, row: ReportRow): string | null {
  if (rows.includes(row)) return null
  return withdrawn.includes(row)
    ? 'From an earlier run of this commit; later runs took it back.'
    : 'From an earlier run of this commit; the newest run does not have it.'
}

/** Architectures that a page shows of one query. An archive can name thousands; all of them are in the JSON. */
export const MOST_ARCHITECTURES = 8

/** The results that a page shows: the first ones, with the deciding one and the one of the architecture that is asked for. */
export function shownResults({ results, decidedBy }: ReportRow, asked: string | null = null): ClassifiedQuery[] {
  if (results.length <= MOST_ARCHITECTURES) return [...results]
  const named = asked === null ? -1 : results.findIndex(({ architecture }) => architecture === asked)
  return results.filter((_, index) => index < MOST_ARCHITECTURES || index === decidedBy || index === named)
}

/** Says how many are not shown; nothing where all are. */
export function leftOut(row: ReportRow, shown: readonly ClassifiedQuery[]): Html | string {
  const left = row.results.length - shown.length
  return left === 0 ? '' : html`And ${counted(left, 'architecture', 'architectures')} more, in the JSON.`
}

/** The permanent address of the report. */
export function addressOf({ repository, pullRequest, head }: TriageReport) {
  return { owner: repository.owner, repo: repository.name, number: pullRequest.number, head }
}
