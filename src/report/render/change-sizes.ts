import { median } from '../../intake/measurement/median.ts'
import { slowdownOf } from '../../judge/verdict/direction.ts'
import { count, counted, signedPercent } from '../../text/numbers.ts'
import { decisive } from '../parts.ts'
import type { TriageReport } from '../report.ts'

/** An odd number, so that what has not moved stands in the middle one. */
const BINS = 61
/** Ratios of twice the time and of half of it stand at the edges, with what is beyond. */
const WIDEST = Math.log(2)
const NARROWEST = Math.log(1.1)

/** In the order in which they are heaped up: changed queries stand at the bottom, where each of them is seen. */
export const CHANGE_KINDS = ['slower', 'faster', 'rest'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** All queries by the size of their change, as a heap. Places are natural logarithms of new by old time. */
export interface ChangeSizes {
  readonly queries: number
  /** Queries of each kind from the fastest to the slowest. */
  readonly bins: readonly Readonly<Record<ChangeKind, number>>[]
  /** What stands at the right edge; its negative at the left one. */
  readonly range: number
  /** Some query changed by more than the range. */
  readonly isBeyond: boolean
  readonly typical: number
}

/** null where no two queries were compared. */
export function changeSizes({ rows }: Pick<TriageReport, 'rows'>): ChangeSizes | null {
  const changes = rows.flatMap((row) => {
    const result = decisive(row)
    const slowdown = slowdownOf(result)
    if (slowdown === null || !Number.isFinite(slowdown) || slowdown <= -1) return []
    const kind: ChangeKind = result.outcome === 'changed' && result.direction !== null ? result.direction : 'rest'
    return [{ log: Math.log1p(slowdown), kind }]
  })
  if (changes.length < 2) return null
  const farthest = changes.reduce((most, { log }) => Math.max(most, Math.abs(log)), 0)
  const range = Math.min(WIDEST, Math.max(NARROWEST, farthest))
  const bins = Array.from({ length: BINS }, () => ({ slower: 0, faster: 0, rest: 0 }))
  for (const { log, kind } of changes) bins[binOf(log, range)]![kind] += 1
  const typical = median(changes.map(({ log }) => log))
  return { queries: changes.length, bins, range, isBeyond: farthest > range, typical }
}

function binOf(log: number, range: number): number {
  return Math.max(0, Math.min(BINS - 1, Math.floor(((log + range) / (2 * range)) * BINS)))
}

/** The same as the picture, for those who can't see it. It has no name of a query. */
export function changeWords({ queries, bins, typical }: ChangeSizes): string {
  const changed = (['slower', 'faster'] as const).map(
    (kind) => `${count(bins.reduce((sum, bin) => sum + bin[kind], 0))} ${kind}`,
  )
  return `${counted(queries, 'query', 'queries')} by change, faster to the left: ${changed.join(', ')}; the typical one ${typicalChange(typical)}`
}

export function typicalChange(typical: number): string {
  return signedPercent(Math.expm1(typical))
}
