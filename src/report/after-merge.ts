import { z } from 'zod'
import { queryIdSchema } from '../intake/measurement/run-schemas.ts'
import { findingsOf } from '../judge/verdict/findings.ts'
import { decisive, withVerdict } from './parts.ts'
import type { TriageReport } from './report.ts'

/** The slowdowns that a pull request is merged with. Whether the trunk shows them: `judge/bisect/after-merge.ts`. */

export const mergedFindingSchema = queryIdSchema.extend({
  metric: z.string(),
  architecture: z.string().nullable(),
  /** A fraction of the old median, above 0. */
  difference: z.number(),
  /** It was called likely noise: nobody is told of it, and the record of the bot says whether it was. Absent: it stood open. */
  isSilent: z.literal(true).exactOptional(),
})
export const shownFindingSchema = mergedFindingSchema.extend({
  outcome: z.enum(['confirmed', 'did-not-appear', 'not-told']),
  shift: z.number(),
  low: z.number(),
  high: z.number(),
  runsBefore: z.int(),
  runsAfter: z.int(),
})

/** A slowdown that a pull request had when it was merged. */
export type MergedFinding = z.output<typeof mergedFindingSchema>

/** The same, with how far the trunk moved since: see `shiftAfterMerge`. */
export type ShownFinding = z.output<typeof shownFindingSchema>

/** Slowdowns that are looked for after a merge, worst first: more fit no comment that a person reads. */
const MOST_FINDINGS = 20

/**
 * The slower rows of the last report before a merge that nothing explains but the pull request, accepted ones among them; then those that
 * were called likely noise.
 */
export function findingsAtMerge(report: TriageReport): MergedFinding[] {
  const { open } = findingsOf(report)
  const told = [...open, ...withVerdict(report.rows, 'acknowledged')]
  const rows = [...told, ...withVerdict(report.rows, 'likely-noise')].filter(
    ({ outcome, direction }) => outcome === 'changed' && direction === 'slower',
  )
  return rows.slice(0, MOST_FINDINGS).map((row): MergedFinding => {
    const { test, queryIndex, queryName, ordinal, metric } = row
    const { architecture, difference } = decisive(row)
    const query = { test, queryIndex, queryName, ...(ordinal === undefined ? {} : { ordinal }) }
    const isSilent = row.verdict === 'likely-noise' ? { isSilent: true as const } : {}
    return { ...query, metric, architecture, difference: difference!, ...isSilent }
  })
}
