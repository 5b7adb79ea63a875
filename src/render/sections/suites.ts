import { decisive } from '../../report/parts.ts'
import { type Suite, type SuiteCause, suitesOf } from '../../report/suites.ts'
import { NAME_LIMIT } from '../../text/markdown.ts'
import { count, counted, percent, signedPercent } from '../../text/numbers.ts'
import { code, type Phrase, phrase, toMarkdown } from '../../text/phrase.ts'
import { fitLines, type Section } from '../layout.ts'

/** Chances below it are no more exact than the assumption. */
const LEAST_SHOWN_CHANCE = 0.0001

/** Suites that the comment speaks of; the report has all of them. */
const MOST_SUITES = 5

/** What the rows of a suite have in common, in a line each. */
export const suites: Section = {
  name: 'suites',
  priority: 3,
  reserve: 0,
  render: ({ report, pending }, room) => {
    const all = pending === null ? suitesOf(report) : []
    const lines = all.slice(0, MOST_SUITES).map((suite) => `- ${toMarkdown(suitePhrase(suite))}.`)
    const more = all.length - lines.length
    const rest = more > 0 ? [`- ${counted(more, 'further suite', 'further suites')} with three or more.`] : []
    return fitLines([...lines, ...rest], room, (left) => `- ${counted(left, 'further suite', 'further suites')}.`)
  },
}

/** `` `quantiles`: 4 of 6 queries slower, +20.2 % to +94.1 %; all 6 together +31.4 %; probably one cause: 4 of the 7 slower are here, by chance in 0.8 % of runs `` */
export function suitePhrase({ test, compared, slower, faster, change, cause }: Suite): Phrase {
  const changed = [
    ...(slower.length > 0 ? [`${count(slower.length)} of ${count(compared)} queries slower, ${rangeOf(slower)}`] : []),
    ...(faster.length > 0 ? [fasterWords(faster, compared, slower.length === 0)] : []),
  ]
  const together = `all ${count(compared)} together ${signedPercent(change)}`
  const because = cause === null ? '' : `; ${causeWords(cause, cause.direction === 'slower' ? slower : faster)}`
  return phrase`${code(test, NAME_LIMIT)}: ${`${changed.join('; ')}; ${together}${because}`}`
}

function fasterWords(faster: Suite['faster'], compared: number, isAlone: boolean): string {
  const of = isAlone ? `${count(faster.length)} of ${count(compared)} queries` : count(faster.length)
  return `${of} faster, ${rangeOf(faster)}`
}

function causeWords({ direction, ofAll, chance }: SuiteCause, here: readonly unknown[]): string {
  const share = here.length === ofAll ? `all ${count(ofAll)}` : `${count(here.length)} of the ${count(ofAll)}`
  const often = chance < LEAST_SHOWN_CHANCE ? `less than ${percent(LEAST_SHOWN_CHANCE)}` : percent(chance)
  return `probably one cause: ${share} ${direction} are here, by chance in ${often} of runs`
}

/** From the smallest change to the largest. */
function rangeOf(rows: Suite['slower']): string {
  const sizes = rows.flatMap((row) => decisive(row).difference ?? []).toSorted((a, b) => Math.abs(a) - Math.abs(b))
  const [least, most] = [signedPercent(sizes[0]!), signedPercent(sizes.at(-1)!)]
  return least === most ? least : `${least} to ${most}`
}
