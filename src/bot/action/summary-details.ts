import { unitOf } from '../../intake/measurement/metric-group.ts'
import type { Measurement } from '../../intake/measurement/run.ts'
import { queryLabel } from '../../intake/measurement/run.ts'
import { extremes } from '../../judge/verdict/outcome.ts'
import type { ReportRow } from '../../report/report.ts'
import { codeSpan, fenced, fold, NAME_LIMIT, plainText } from '../../text/markdown.ts'
import { counted, values } from '../../text/numbers.ts'

/** What a page shows of a row where there is a server, as text for the summary of a job: each sample as a dot, and folded stacks. */

export interface RowDetails extends Pick<Measurement, 'old' | 'new'> {
  readonly row: ReportRow
  /** `frame;frame OLD NEW` of each stack; null: there is no profile. */
  readonly stacks: readonly string[] | null
}

/** Characters between the fastest sample and the slowest. */
const WIDTH = 60

/** Samples in one place: none, one, two, more. */
const DOTS = [' ', '·', ':', '⋮'] as const

/** Characters of the stacks of one row. */
const MOST_STACKS = 32_000
const LONGEST_STACK = 2000

/** The name and a fold of each row, as far as there is room. */
export function detailsText(rows: readonly RowDetails[], room: number): string {
  const texts: string[] = []
  let left = room
  for (const details of rows) {
    const text = detailsOfRow(details)
    left -= text.length + 2
    if (left < 0) break
    if (text !== '') texts.push(text)
  }
  return texts.join('\n\n')
}

function detailsOfRow({ row, old, new: fresh, stacks }: RowDetails): string {
  const dots = old.length === 0 || fresh.length === 0 ? null : dotsText(old, fresh, unitOf(row.metric))
  const parts = [...(dots === null ? [] : [fenced(dots)]), ...(stacks === null ? [] : [stacksText(stacks)])]
  if (parts.length === 0) return ''
  const what = stacks === null ? 'Samples' : dots === null ? 'Stacks' : 'Samples and stacks'
  return `${codeSpan(queryLabel(row), NAME_LIMIT)}\n\n${fold(what, parts.join('\n\n'))}`
}

/** Both sides on one scale; null where no sample is finite. */
export function dotsText(old: readonly number[], fresh: readonly number[], unit: string | null): string | null {
  const all = [...old, ...fresh].filter(Number.isFinite)
  if (all.length === 0) return null
  const [low, high] = extremes(all)
  const side = (samples: readonly number[]) => {
    const counts = Array.from({ length: WIDTH }, () => 0)
    for (const value of samples.filter(Number.isFinite))
      counts[high === low ? 0 : Math.round(((value - low) / (high - low)) * (WIDTH - 1))]! += 1
    return counts.map((count) => DOTS[Math.min(count, DOTS.length - 1)]).join('')
  }
  return [`before |${side(old)}|`, `after  |${side(fresh)}|`, `fastest and slowest: ${values([low, high], unit)}`].join(
    '\n',
  )
}

function stacksText(stacks: readonly string[]): string {
  let left = MOST_STACKS
  const shown: string[] = []
  for (const stack of stacks) {
    const line = plainText(stack, LONGEST_STACK)
    left -= line.length + 1
    if (left < 0) break
    shown.push(line)
  }
  const more = stacks.length - shown.length
  return `${fenced(shown.join('\n'))}${more === 0 ? '' : `\n\n${counted(more, 'more stack is', 'more stacks are')} in the results.`}`
}
