import type { Context } from 'hono'
import type { TriageReport } from '../triage/report.ts'
import type { Site } from './site.ts'
import type { ReportAddress } from './urls.ts'

/**
 * The report at an address, if whoever asks may see it: that is decided before any report is looked up, so that what does
 * not exist and what is private cost the same one question.
 */
export async function visibleReport(
  { access, store }: Pick<Site, 'access' | 'store'>,
  context: Context,
  address: ReportAddress | null,
): Promise<TriageReport | null> {
  if (address === null) return null
  const { owner, repo, number, head } = address
  const repository = await access.visible(context, owner, repo)
  if (repository === null) return null
  return head === undefined
    ? await store.reportOf(repository.id, number)
    : await store.reportOf(repository.id, number, head)
}
