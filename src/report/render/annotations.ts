import { isOpen } from '../../judge/verdict/verdict.ts'
import { MESSAGE_LIMIT, NAME_LIMIT, plainText } from '../../text/markdown.ts'
import { count, counted, signedPercent } from '../../text/numbers.ts'
import { decisive, nounsOf } from '../parts.ts'
import type { ReportRow } from '../report.ts'
import { queryName } from '../row/name.ts'
import { VERDICT_WORDS } from '../words.ts'
import { medians, onArchitecture } from './facts.ts'
import type { View } from './view.ts'

/** A place in a file of the pull request that GitHub shows beside the line. Plain text, not Markdown. */
export interface CheckAnnotation {
  readonly path: string
  readonly line: number
  readonly level: 'notice' | 'warning' | 'failure'
  readonly title: string
  readonly message: string
}

/** A file of the pull request, as far as it can be a test's. */
export interface ChangedTestFile {
  readonly path: string
  readonly status: string
}

/**
 * The test that a file defines, where its place and its ending say so.
 *
 * Is one: `tests/performance/hash_functions.xml`, the test `hash_functions`. Is none: `tests/queries/hash.xml`,
 * `tests/performance/README.md`.
 */
const TEST_FILE = /(?:^|\/)performance\/([^/]+)\.xml$/

/** Rows that one annotation lists. */
const LISTED_ROWS = 10

/** One annotation for each changed file of a test of which a row has a verdict: who edits a test sees there what it measured. */
export function annotationsOf({ report }: View, files: readonly ChangedTestFile[]): readonly CheckAnnotation[] {
  if (!report.complete) return []
  const rowsOf = Map.groupBy(
    report.rows.filter(({ verdict }) => verdict !== null && verdict !== 'ignored'),
    ({ test }) => test,
  )
  return files.flatMap(({ path, status }): CheckAnnotation[] => {
    const rows = status === 'removed' ? undefined : rowsOf.get(TEST_FILE.exec(path)?.[1] ?? '')
    if (rows === undefined) return []
    const open = rows.filter(({ verdict }) => isOpen(verdict)).length
    const left = rows.length - LISTED_ROWS
    const lines = rows.slice(0, LISTED_ROWS).map(line)
    return [
      {
        path,
        line: 1,
        level: open > 0 ? 'warning' : 'notice',
        title: `${plainText(rows[0]!.test, NAME_LIMIT)}: ${counted(rows.length, ...nounsOf(rows))} changed, ${count(open)} to look at`,
        message: plainLines(left > 0 ? [...lines, `and ${count(left)} more`] : lines),
      },
    ]
  })
}

/** `hash #0: 28.6 ms → 40.0 ms, +40% on arm; slower` */
function line(row: ReportRow): string {
  const result = decisive(row)
  const percent = result.difference === null ? '' : `, ${signedPercent(result.difference)}`
  const where = row.results.length > 1 ? onArchitecture(result.architecture) : ''
  return `${queryName(row, NAME_LIMIT)}: ${medians(result)}${percent}${where}; ${VERDICT_WORDS[row.verdict!].term}`
}

function plainLines(lines: readonly string[]): string {
  return lines.map((one) => plainText(one, MESSAGE_LIMIT)).join('\n')
}
