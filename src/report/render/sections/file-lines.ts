import { MOST_ACCEPTED } from '../../../judge/verdict/test-entries.ts'
import { fold } from '../../../text/markdown.ts'
import { counted } from '../../../text/numbers.ts'
import { entryOf, lastDay } from '../../file-entry.ts'
import type { TriageReport } from '../../report.ts'
import { fitLines, type Section } from '../layout.ts'

/** The longest reason that the repository's file takes. */
const LONGEST_REASON = 300

/**
 * What people accepted or ignored on this pull request as entries of `tests`, for whoever wants it to hold in all of them. Folded, and
 * here: a reply to each command would be one more notification.
 */
export const fileLines: Section = {
  name: 'file-lines',
  priority: 15,
  reserve: 0,
  render: ({ report }, room) => {
    const entries = entriesOf(report)
    if (entries.length === 0) return ''
    const summary = 'Keep this for every pull request, until its date: lines for .github/perf-triage.yml'
    const lines = fitLines(
      entries,
      room - summary.length - 80,
      (left) => `  # and ${counted(left, 'more entry', 'more entries')}`,
    )
    return fold(summary, `\`\`\`yaml\ntests:\n${lines}\n\`\`\``)
  },
}

function entriesOf(report: TriageReport): readonly string[] {
  const entries = report.rows.flatMap((row) => {
    const { accepted, ignored } = row
    if (ignored !== undefined && 'by' in ignored) {
      const { reason, until, saidAt, actor } = ignored.by
      return entryOf(ignored, {
        ignore: (reason.trim() || `${actor} ignored it on pull request ${report.pullRequest.number}`).slice(
          0,
          LONGEST_REASON,
        ),
        until: lastDay(until, saidAt),
      })
    }
    if (accepted === undefined || accepted.via === 'file' || accepted.difference === null) return []
    const { difference, reason, until, saidAt } = accepted
    if (difference > MOST_ACCEPTED) return []
    return entryOf(
      { test: row.test, query: row.queryIndex ?? row.queryName },
      {
        accepted: Math.ceil(difference * 1000 - 1e-6) / 1000,
        ...(reason.trim() !== '' && { reason: reason.trim().slice(0, LONGEST_REASON) }),
        until: lastDay(until, saidAt),
      },
    )
  })
  return [...new Set(entries)]
}
