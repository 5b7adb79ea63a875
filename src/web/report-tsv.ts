import type { ReportRow, TriageReport } from '../triage/report.ts'
import type { ClassifiedQuery } from '../verdict/classified-query.ts'

/**
 * The report as ClickHouse's TabSeparatedWithNames: a line per query and architecture, every number unrounded, `\N` where
 * there is none. Lists (notes, evidence) are JSON. `clickhouse local --input-format TabSeparatedWithNames` reads it.
 */

type Value = string | number | boolean | null

const COLUMNS: readonly (readonly [
  name: string,
  value: (result: ClassifiedQuery, row: ReportRow, report: TriageReport) => Value,
])[] = [
  ['repository', (_result, _row, { repository }) => `${repository.owner}/${repository.name}`],
  ['pull_request_number', (_result, _row, { pullRequest }) => pullRequest.number],
  ['head', (_result, _row, { head }) => head],
  ['test', (result) => result.test],
  ['query_index', (result) => result.queryIndex],
  ['query_name', (result) => result.queryName],
  ['metric', (result) => result.metric],
  ['unit', (result) => result.unit],
  ['architecture', (result) => result.architecture],
  ['status', (result) => result.status],
  ['status_reason', (result) => result.statusReason],
  ['old_median', (result) => result.old.median],
  ['old_repetitions', (result) => result.old.repetitions],
  ['new_median', (result) => result.new.median],
  ['new_repetitions', (result) => result.new.repetitions],
  ['difference', (result) => result.difference],
  ['threshold', (result) => result.threshold],
  ['p_value', (result) => result.pValue],
  ['rank_p_value', (result) => result.rankPValue],
  ['q_value', (result) => result.qValue],
  ['smallest_p_value', (result) => result.smallestPValue],
  ['separated', (result) => result.separated],
  ['outcome', (result) => result.outcome],
  ['direction', (result) => result.direction],
  ['changed_threshold', (result) => result.changedThreshold],
  ['changed_threshold_source', (result) => result.changedThresholdSource],
  ['unstable_threshold', (result) => result.unstableThreshold],
  ['unstable_threshold_source', (result) => result.unstableThresholdSource],
  ['notes', (result) => JSON.stringify(result.notes)],
  ['decides', (result, row) => row.results[row.decidedBy] === result],
  ['verdict', (_result, row) => row.verdict],
  ['guarded', (_result, row) => row.guarded],
  ['since_last_push', (_result, row) => row.sinceLastPush],
  ['evidence', (_result, row) => JSON.stringify(row.evidence)],
]

/** UTF-8, every line ended, rows in the order of the report. */
export function reportTsv(report: TriageReport): string {
  const lines = [COLUMNS.map(([name]) => name).join('\t')]
  for (const row of report.rows) {
    for (const result of row.results) {
      lines.push(COLUMNS.map(([, value]) => tsvValue(value(result, row, report))).join('\t'))
    }
  }
  return lines.join('\n') + '\n'
}

function tsvValue(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escapeTsv(value)
  if (typeof value === 'number') return tsvNumber(value)
  return String(value)
}

function tsvNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  return String(value)
}

const NAMED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
  '\0': '\\0',
}

const CONTROLS = /[\\\p{Cc}]/gu

/** ClickHouse reads `\xHH` as one byte, so that a control above 0x7F is the two bytes of its UTF-8. */
function escapeTsv(text: string): string {
  return text
    .toWellFormed()
    .replace(
      CONTROLS,
      (character) =>
        NAMED[character] ??
        [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
    )
}
