import type { OpenRow } from '../report/acceptance.ts'
import { closestName } from '../text/closest-name.ts'
import { codeSpan, NAME_LIMIT } from '../text/markdown.ts'

/**
 * The rows that the names mean: one as the comment shows it, or all of a test. A sentence where a name means none, with the one that was
 * probably meant.
 */
export function rowsNamed(rows: readonly OpenRow[], names: readonly string[]): readonly OpenRow[] | string {
  const found = new Set<OpenRow>()
  for (const name of names) {
    const meant = rows.filter((row) => plain(row.name) === plain(name))
    const ofTest = meant.length > 0 ? meant : rows.filter((row) => plain(row.test) === plain(name))
    if (ofTest.length === 0) return unknownRow(rows, name)
    for (const row of ofTest) found.add(row)
  }
  return [...found]
}

function unknownRow(rows: readonly OpenRow[], name: string): string {
  const near = closestName(
    name,
    rows.flatMap((row) => [row.name, row.test]),
  )
  const meant = near === null ? '' : ` Did you mean ${codeSpan(near, NAME_LIMIT)}?`
  return `No row ${codeSpan(name, NAME_LIMIT)} stands open in the report.${meant}`
}

function plain(name: string): string {
  return name.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
