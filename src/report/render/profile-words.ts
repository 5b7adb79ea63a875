import { shortFunctionName } from '../../judge/profile/function-name.ts'
import type { FrameWords, ProfileWords } from '../../judge/profile/words.ts'
import { codeSpan, NAME_LIMIT } from '../../text/markdown.ts'
import { counted } from '../../text/numbers.ts'
import { sampledWords } from '../parts.ts'
import type { ReportRow } from '../report.ts'

/** What is said of a profile; Markdown. */

/** A frame by the last two parts of its function's name, `Aggregator::executeImpl`, as far as it has one. */
function frameCode(name: string): string {
  return codeSpan(shortFunctionName(name), NAME_LIMIT)
}

/**
 * One fact for the line of evidence: the frame whose share grew most with what it calls, or why nothing can be said. Null
 * where nothing grew by more than chance, the evidence names a frame already, or a caution has no kind.
 */
export function profileFact({ profile, evidence }: ReportRow): string | null {
  if (profile == null || evidence.some(({ kind }) => kind === 'on-path')) return null
  const { caution, cautions, total } = profile.words
  if (caution === 'no-stacks') return 'no profile of both builds'
  if (caution === 'too-few-samples') return 'too few CPU samples to say where the time went'
  if (cautions.length > 0) return null
  const grown = grownMost(total)
  return grown === undefined
    ? null
    : `${frameCode(grown.name)} grew from ${grown.change.replace(' → ', ' to ')} of ${sampledWords(profile)}`
}

/** The frame whose share grew most by more than chance, of those that changed most. */
function grownMost(frames: readonly FrameWords[]): FrameWords | undefined {
  return frames.find(({ points, withinChance }) => points.startsWith('+') && !withinChance)
}

/** The function that grew most in the profile of a row; null where it has none that can be told from chance. */
export function grownFunction({ profile }: ReportRow): string | null {
  if (profile == null || profile.words.cautions.length > 0) return null
  return grownMost(profile.words.total)?.name ?? null
}

/** The frames in words as a list: those with what they call, then those by themselves. */
export function profileList(words: ProfileWords): string {
  const { cautions, total, self } = withoutChance(words)
  const parts = [
    ...cautions,
    ...listOf('Including everything it calls:', total, total),
    ...listOf('By itself:', self, self),
  ]
  return parts.length === 0 ? 'No function’s share changed.' : parts.join('\n\n')
}

/**
 * After a caution the frames within chance are left out: what just was said not to be told from chance is not listed as what
 * changed.
 */
export function withoutChance({ total, self, ...cautious }: ProfileWords): ProfileWords {
  const told = (frames: readonly FrameWords[]) =>
    cautious.cautions.length === 0 ? frames : frames.filter(({ withinChance }) => !withinChance)
  return { ...cautious, total: told(total), self: told(self) }
}

function listOf(title: string, frames: readonly FrameWords[], all: readonly FrameWords[]): string[] {
  if (frames.length === 0) return []
  return [`${title}\n\n${frames.map((frame) => `- ${frameLine(frame, all)}`).join('\n')}`]
}

/** `` `Aggregator::executeImpl` 31% → 44% (+13.2 points) ``. Two that would read alike are shown as the profile has them. */
function frameLine(frame: FrameWords, all: readonly FrameWords[]): string {
  const { name, change, points, callers, withinChance } = frame
  const short = shortFunctionName(name)
  const isAlone = all.every((other) => other === frame || shortFunctionName(other.name) !== short)
  const notes = [
    points,
    ...(withinChance ? ['within chance'] : []),
    ...(callers === 0 ? [] : [`the same for ${counted(callers, 'frame that only calls', 'frames that only call')} it`]),
  ]
  return `${isAlone ? frameCode(name) : codeSpan(name, NAME_LIMIT)} ${change} (${notes.join(', ')})`
}
