import type { TriageReport } from '../../../report/report.ts'

/** The permanent address of the report. */
export function addressOf({ repository, pullRequest, head }: TriageReport) {
  return { owner: repository.owner, repo: repository.name, number: pullRequest.number, head }
}
