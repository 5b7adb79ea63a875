import { MOST_ACCEPTED } from '../../../judge/verdict/test-entries.ts'
import { commentSafeJson, fold } from '../../../text/markdown.ts'
import { compileNamePattern, NamePatternError } from '../../../text/name-pattern.ts'
import { counted } from '../../../text/numbers.ts'
import { DAY, isoTime } from '../../../text/time.ts'
import type { TriageReport } from '../../report.ts'
import { fitLines, type Section } from '../layout.ts'

/** The longest reason that the repository's file takes. */
const LONGEST_REASON = 300

/** What was accepted or ignored without an end is offered with one: the file takes none without. */
const DAYS_WITHOUT_END = 30

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
    const summary = 'Make this permanent in .github/perf-triage.yml'
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

function lastDay(until: number | null, saidAt: number): string {
  return isoTime(until ?? saidAt + DAYS_WITHOUT_END * DAY).slice(0, 'yyyy-mm-dd'.length)
}

/** `  - {"test":"sum","query":1,"accepted":0.13,"until":"2027-03-01"}`: JSON is YAML, whatever the names hold. Empty: the file has no pattern for the name. */
function entryOf(
  { test, query }: { readonly test: string; readonly query: number | string | null },
  says: Readonly<Record<string, string | number>>,
): readonly string[] {
  const [of, queried] = [patternOf(test), typeof query === 'string' ? patternOf(query) : query]
  if (of === null || (queried === null && query !== null)) return []
  return [`  - ${commentSafeJson({ test: of, ...(queried === null ? {} : { query: queried }), ...says })}`]
}

/** A pattern that fits the name: what a pattern reads otherwise is any character in it. */
function patternOf(name: string): string | null {
  const pattern = name.replaceAll(/^\s+|\s+$|[{}]/g, '*').replaceAll(/\*+/g, '*')
  try {
    compileNamePattern(pattern)
    return pattern
  } catch (error) {
    if (error instanceof NamePatternError) return null
    throw error
  }
}
