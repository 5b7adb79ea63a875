import type { Unit } from '../../intake/measurement/trace-type.ts'
import { amount } from '../../judge/profile/flame-graph.ts'
import type { StackDifference } from '../../judge/profile/stack-difference.ts'
import type { FrameWords, ProfileWords } from '../../judge/profile/words.ts'
import { counted } from '../../text/numbers.ts'
import type { CommandIO } from './command.ts'
import { painter } from './table.ts'
import { plainText, terminalWidth, truncate, withSpaces } from './terminal-text.ts'

/** Columns of a name where the output is no terminal: names of templates reach thousands of characters. */
const LONGEST_NAME = 200
/** Columns of what stands after a name. */
const ROOM_FOR_NUMBERS = 45
const LEAST_NAME = 20

/** The lines of `flamegraph --as text`: what both sides hold, cautions, and the frames whose share changed most. */
export function flamegraphText(
  { old, new: fresh }: StackDifference,
  { cautions, total, self }: ProfileWords,
  unit: Unit,
  io: CommandIO,
): string[] {
  const paint = painter(io.stdout, io.env)
  const width = terminalWidth(io.stdout)
  const room = width === null ? LONGEST_NAME : Math.max(LEAST_NAME, width - ROOM_FOR_NUMBERS)
  const lines = [paint(`old ${amount(old.sum, unit)}, new ${amount(fresh.sum, unit)}`, 'bold')]
  lines.push(...cautions.map((caution) => paint(caution, 'yellow')))
  if (old.sum === 0 || fresh.sum === 0) return lines

  const section = (title: string, frames: readonly FrameWords[]): void => {
    lines.push('', title)
    if (frames.length === 0) lines.push(paint('  no share changed', 'dim'))
    for (const { name, change, points, callers, withinChance } of frames) {
      const shown = truncate(plainText(name) || '(no name)', room)
      const alike =
        callers === 0
          ? ''
          : `; the same for ${counted(callers, 'frame', 'frames')} that only ${callers === 1 ? 'calls' : 'call'} it`
      const doubt = withinChance ? ', within chance' : ''
      lines.push(`  \`${shown}\` ${withSpaces(change)} ${paint(`(${withSpaces(points)}${doubt}${alike})`, 'dim')}`)
    }
  }
  section('Share of a frame including everything it calls, largest changes:', total)
  section('Share of a frame by itself, largest changes:', self)
  return lines
}
