import { TRACE_UNITS, type TraceType, type Unit } from '../../../intake/measurement/trace-type.ts'
import type { ProfileNames } from '../../../judge/profile/speedscope.ts'
import { FEWEST_STACK_SAMPLES } from '../../../judge/profile/thresholds.ts'
import { referenceOf } from '../../../judge/verdict/evidence/stale-reference.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { queryName } from '../../../report/row/name.ts'
import type { ProfileSummary, Profiles, ProfileWanted } from '../../../store/profiles/profiles.ts'
import { plainText } from '../../../text/markdown.ts'
import { rowAtAnchor, shownResults } from '../shown-report.ts'
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
  /** Of an earlier run of the head: the newest one has no profile of the query. */
  readonly isEarlier: boolean
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
  const row = rowAtAnchor(report, anchor)
  const found = row === null ? null : await summariesOf(profiles, report, row, parameters.get('architecture'))
  if (row === null || found === null) return null

  const { wanted, summaries } = found
  const { architecture } = wanted
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
    isEarlier: wanted.isEarlier === true,
    summaries,
    profile,
    names: {
      title: `${queryName(row, 60)}, ${traceType}${where}`,
      old: (wanted.isEarlier ? null : oldCommit(report, architecture)) ?? 'old build',
      new: report.head.slice(0, 10),
    },
    unit,
  }
}

interface FoundProfiles {
  readonly wanted: ProfileWanted
  readonly summaries: readonly ProfileSummary[]
}

/**
 * The profiles of the architecture that is asked for; where none is, of the deciding one, else of the first that has any. Those of an
 * earlier run of the head stand in for those that the newest one does not have. null: there are none.
 */
async function summariesOf(
  profiles: Profiles,
  report: TriageReport,
  row: ReportRow,
  asked: string | null,
): Promise<FoundProfiles | null> {
  const of = { ...row, repositoryId: report.repository.id, head: report.head }
  for (const architecture of architecturesOf(row, asked)) {
    for (const earlier of [{}, { isEarlier: true as const }]) {
      const wanted: ProfileWanted = { ...of, architecture, ...earlier }
      const summaries = await profiles.summariesOf(wanted)
      if (summaries.length > 0) return { wanted, summaries }
    }
  }
  return null
}

/** The deciding one first where none is named; none where the row has none of that name. */
function architecturesOf(row: ReportRow, asked: string | null): (string | null)[] {
  const shown = shownResults(row, asked).map(({ architecture }) => architecture)
  if (asked !== null) return shown.filter((one) => one === asked)
  const deciding = row.results[row.decidedBy]?.architecture ?? null
  return [...new Set([deciding, ...shown])]
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
