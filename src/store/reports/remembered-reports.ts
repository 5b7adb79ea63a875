import { LRUCache } from 'lru-cache'
import type { TriageReport } from '../../report/report.ts'
import type { PullRequestRef, ReportVersion } from './report-queries.ts'

/**
 * Characters of JSON: four reports of 3,000 queries on two architectures. Read, they take some three times as many bytes.
 */
const MOST_CHARACTERS = 24 * 2 ** 20

/**
 * The reports that were read last. Most of the time of a page is reading its report, and a reader looks at many pages of
 * one. What is remembered is known by what the database says is the newest, so that it is asked before each use.
 */
export interface RememberedReports {
  /** Whether there is any of the pull request, so that asking which one is the newest may help. */
  hasAny(pullRequest: PullRequestRef): boolean
  find(pullRequest: PullRequestRef, version: ReportVersion): TriageReport | null
  /** `characters`: the length of its JSON. Those that were not used for longest make room. */
  keep(pullRequest: PullRequestRef, version: ReportVersion, report: TriageReport, characters: number): void
  /** Another one of the pull request has been stored, perhaps within the same millisecond. */
  forget(pullRequest: PullRequestRef): void
}

export function rememberedReports(mostCharacters = MOST_CHARACTERS): RememberedReports {
  const kept = new LRUCache<string, { readonly pullRequest: string; readonly report: TriageReport }>({
    maxSize: mostCharacters,
  })
  return {
    hasAny: (pullRequest) => kept.values().some((one) => one.pullRequest === nameOf(pullRequest)),
    find: (pullRequest, version) => kept.get(keyOf(pullRequest, version))?.report ?? null,
    keep(pullRequest, version, report, characters) {
      kept.set(keyOf(pullRequest, version), { pullRequest: nameOf(pullRequest), report }, { size: characters })
    },
    forget(pullRequest) {
      for (const [key, one] of [...kept.entries()]) if (one.pullRequest === nameOf(pullRequest)) kept.delete(key)
    },
  }
}

function nameOf({ repositoryId, pullRequestNumber }: PullRequestRef): string {
  return `${repositoryId}/${pullRequestNumber}`
}

function keyOf(pullRequest: PullRequestRef, { head, judgedAt, storedAt }: ReportVersion): string {
  return JSON.stringify([nameOf(pullRequest), head, judgedAt, storedAt])
}
