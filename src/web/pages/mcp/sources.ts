import type { QueueMemory } from '../../../bot/triage/queue.ts'
import type { RepositoryConfig } from '../../../config/repository-config.ts'
import type { TriageReport } from '../../../report/report.ts'
import { parseRepositoryAddress, type RepositoryAddress } from '../../../report/urls.ts'
import type { VisibleRepository } from '../../access/access.ts'
import type { RememberProfile } from '../flame-graph/remembered-differences.ts'
import { underPresentName } from '../shown-report.ts'
import type { PagesStore } from '../site.ts'

/** What the tools read. There is nothing in it that writes. */
export interface Sources {
  readonly store: PagesStore
  readonly queueMemory: QueueMemory
  /** The repository, if whoever asks may see it. */
  readonly repository: (address: RepositoryAddress) => Promise<VisibleRepository | null>
  /** All that whoever asks may see, those judged latest first. */
  readonly repositories: () => Promise<readonly VisibleRepository[]>
  readonly configOf: (repositoryId: number) => Promise<RepositoryConfig>
  readonly profile: RememberProfile
  /** The address of the pages from outside; null: there are none. */
  readonly publicUrl: string | null
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** `owner/name`; null: there is none of that name, or it may not be seen. */
export async function repositoryNamed({ repository }: Sources, name: string): Promise<VisibleRepository | null> {
  const [owner = '', repo = '', ...more] = name.split('/')
  const address = more.length > 0 ? null : parseRepositoryAddress({ owner, repo })
  return address === null ? null : await repository(address)
}

export interface ReportAsked {
  readonly repository: string
  readonly pullRequest: number
  readonly head?: string | undefined
}

/** null: there is none, or it may not be seen. */
export async function reportAsked(sources: Sources, asked: ReportAsked): Promise<TriageReport | null> {
  const found = await repositoryNamed(sources, asked.repository)
  if (found === null) return null
  const report = await sources.store.reports.of(found.id, asked.pullRequest, asked.head)
  return report === null ? null : underPresentName(report, found)
}

/** Where to see what an answer is made of: a page, or a command where there are none. */
export function proof({ publicUrl }: Sources, path: string, command: string): string {
  return publicUrl === null ? `perf-triage ${command}` : `${publicUrl}${path}`
}

/** What judges the stored runs of a pull request again. */
export function replayOf({ repository, pullRequest }: ReportAsked): string {
  return `replay --repository ${repository} --pr ${pullRequest} --json`
}
