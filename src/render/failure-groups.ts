import type { Reason } from '../ledger/failure.ts'
import type { FailureRow } from './failing-view.ts'

/** The rows that are shown as one, at least one. */
export type FailureGroup = readonly [FailureRow, ...FailureRow[]]

/**
 * Rows of one mass failure of which nothing else is to be said stand together, where the first of them stands; every
 * other row alone.
 */
export function failureGroups(rows: readonly FailureRow[]): readonly FailureGroup[] {
  const groups = new Map<string, [FailureRow, ...FailureRow[]]>()
  for (const [index, row] of rows.entries()) {
    const key = massKey(row) ?? `row ${index}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups.values()]
}

/** What the mass failure says itself. */
const SAID: ReadonlySet<Reason['kind']> = new Set(['in-mass-failure', 'mass-failures-left-out'])

function massKey({ judged, fallout }: FailureRow): string | null {
  const { classification, reasons, hits, issue, owner } = judged
  const mass = reasons.find(({ kind }) => kind === 'in-mass-failure')
  if (classification !== 'mass-failure' || mass === undefined) return null
  const isPlain =
    (hits ?? 0) === 0 && issue === null && owner === null && fallout.length === 0 && (judged.entry ?? null) === null
  return isPlain && reasons.every(({ kind }) => SAID.has(kind)) ? JSON.stringify(mass) : null
}
