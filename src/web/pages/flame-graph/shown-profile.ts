import { TRACE_UNITS, type TraceType, type Unit } from '../../../intake/measurement/trace-type.ts'
import type { ProfileNames } from '../../../judge/profile/speedscope.ts'
import { FEWEST_STACK_SAMPLES } from '../../../judge/profile/thresholds.ts'
import { referenceOf } from '../../../judge/verdict/evidence/stale-reference.ts'
import { rowAnchor } from '../../../report/anchors.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { queryName } from '../../../report/row/name.ts'
import type { ProfileSummary, Profiles, ProfileWanted } from '../../../store/profiles/profiles.ts'
import { plainText } from '../../../text/markdown.ts'
import type { AddedProfile, RememberProfile } from './remembered-differences.ts'

/** The query part of a flame graph's address. */
export interface ProfileView {
  readonly architecture: string | null
  readonly traceType: TraceType
  /** Compare shares in the place of counts. */
  readonly normalize: boolean
  readonly icicle: boolean
}

export interface ShownProfile {
  readonly report: TriageReport
  readonly row: ReportRow
  readonly view: ProfileView
  /** All profiles of the same architecture, the one that is shown among them. */
  readonly summaries: readonly ProfileSummary[]
  readonly profile: AddedProfile
  readonly names: ProfileNames
  readonly unit: Unit
}

/** The profile of a row at its anchor; null where there is no such row, architecture or trace. */
export async function profileOf(
  profiles: Profiles,
  report: TriageReport,
  anchor: string,
  parameters: URLSearchParams,
  remembered: RememberProfile,
): Promise<ShownProfile | null> {
  const row = report.rows.find((one) => rowAnchor(one) === anchor)
  const architecture = row === undefined ? undefined : architectureOf(row, parameters.get('architecture'))
  if (row === undefined || architecture === undefined) return null

  const wanted: ProfileWanted = { ...row, repositoryId: report.repository.id, head: report.head, architecture }
  const summaries = await profiles.summariesOf(wanted)
  const traceType = traceTypeOf(summaries, parameters.get('trace'))
  if (traceType === null) return null
  const key = JSON.stringify([wanted.repositoryId, wanted.head, anchor, architecture, traceType, summaries])
  const unit = TRACE_UNITS[traceType]
  const profile = await remembered(key, async () => {
    const stacks = await profiles.stacksOf(wanted, traceType)
    return stacks === null ? null : { ...stacks, unit }
  })
  if (profile === null) return null
  const where = architecture === null ? '' : ` on ${plainText(architecture, 40)}`
  return {
    report,
    row,
    view: {
      architecture,
      traceType,
      normalize: parameters.get('shares') === '1',
      icicle: parameters.get('icicle') === '1',
    },
    summaries,
    profile,
    names: {
      title: `${queryName(row, 60)}, ${traceType}${where}`,
      old: oldCommit(report, architecture) ?? 'old build',
      new: report.head.slice(0, 10),
    },
    unit,
  }
}

/** The deciding one where none is named; undefined: the row has none of that name. */
function architectureOf(row: ReportRow, asked: string | null): string | null | undefined {
  if (asked === null) return row.results[row.decidedBy]?.architecture ?? null
  return row.results.some(({ architecture }) => architecture === asked) ? asked : undefined
}

/** The first one with enough samples on both sides where none is named. */
function traceTypeOf(summaries: readonly ProfileSummary[], asked: string | null): TraceType | null {
  if (asked !== null) return summaries.find(({ traceType }) => traceType === asked)?.traceType ?? null
  const enough = summaries.find(
    ({ traceType, old, new: fresh }) =>
      TRACE_UNITS[traceType] === 'samples' && Math.min(old, fresh) >= FEWEST_STACK_SAMPLES,
  )
  return (enough ?? summaries[0])?.traceType ?? null
}

function oldCommit({ references }: TriageReport, architecture: string | null): string | null {
  const reference = referenceOf(architecture, references)
  return reference === undefined ? null : plainText(reference.commit, 40).slice(0, 10)
}
