import type { TriageReport } from '../triage/report.ts'

/** The permanent address of the report. */
export function addressOf({ repository, pullRequest, head }: TriageReport) {
  return { owner: repository.owner, repo: repository.name, number: pullRequest.number, head }
}
