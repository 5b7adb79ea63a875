import { parseReportAddress } from '../../../report/report-address.ts'
import type { AfterReport } from '../../../store/reports/recent-reports.ts'

/** Runs that one page of a repository shows. */
export const RUNS_PER_PAGE = 50

/** Before the newest run: later than any report. */
export const NEWEST: AfterReport = { judgedAt: 9_999_999_999_999, pullRequestNumber: 0, head: '' }

/** The value of `?before=` for the runs after this one: `1780272060000-60-3f786850…`. */
export function beforeOf({ judgedAt, pullRequestNumber, head }: AfterReport): string {
  return head === '' ? String(judgedAt) : `${judgedAt}-${pullRequestNumber}-${head}`
}

/** What `beforeOf` made, or milliseconds alone for the runs judged before them; null: the newest ones. */
export function parseBefore(text: string | undefined): AfterReport | null {
  const { time, number, head } =
    /^(?<time>[1-9][0-9]{0,14})(?:-(?<number>\d+)-(?<head>\w+))?$/.exec(text ?? '')?.groups ?? {}
  if (time === undefined) return null
  if (number === undefined) return { judgedAt: Number(time), pullRequestNumber: 0, head: '' }
  const address = parseReportAddress({ owner: 'o', repo: 'r', number, head })
  return address === null ? null : { judgedAt: Number(time), pullRequestNumber: address.number, head: address.head! }
}
