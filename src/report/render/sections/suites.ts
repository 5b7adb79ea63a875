import { shortFunctionName } from '../../../judge/profile/function-name.ts'
import { codeSpan, NAME_LIMIT } from '../../../text/markdown.ts'
import { count, counted, percent, signedPercent } from '../../../text/numbers.ts'
import { capital, code, type Phrase, phrase } from '../../../text/phrase.ts'
import { decisive } from '../../parts.ts'
import type { Suite, SuiteCause } from '../../suites.ts'
import { type Section, SHOWN } from '../layout.ts'
import { grownFunction } from '../profile-words.ts'
import type { View } from '../view.ts'

/** Chances below it are no more exact than the assumption. */
const LEAST_SHOWN_CHANCE = 0.0001

/** What rows have in common that are no one line of the table: a suite or a function that probably is the one cause. */
export const suites: Section = {
  name: 'suites',
  priority: 3,
  reserve: 0,
  render: (view, room) => {
    const isSaid = (suite: Suite) => suite.test === view.together[0]?.test
    const isOpen = ({ slower }: Suite) => slower.some((row) => view.open.includes(row))
    const slower = suitesCausing(view, 'slower').filter((suite) => !isSaid(suite) && isOpen(suite))
    const text = [...causesOf(slower), ...functionCause(view)].join('\n\n')
    return text.length > room ? '' : text
  },
}

/** The same of what got faster. */
export function fasterCauses(view: View): string[] {
  return causesOf(suitesCausing(view, 'faster'))
}

function suitesCausing({ pending, suites: all }: View, direction: SuiteCause['direction']): readonly Suite[] {
  return pending === null ? all.filter(({ cause }) => cause?.direction === direction) : []
}

/** `**4 of the 7 slower are in `quantiles`, +19.8% to +93.6%: probably one cause**, by chance in 0.5% of runs.` */
function causesOf(all: readonly Suite[]): string[] {
  return all.slice(0, SHOWN.suites).flatMap((suite) => {
    const { test, cause } = suite
    if (cause === null) return []
    const rows = suite[cause.direction]
    const are = `${shareOf(rows, cause)} are in ${codeSpan(test, NAME_LIMIT)}, ${rangeOf(rows)}`
    return [`**${capital(are)}: probably one cause**; that happens by chance in ${oftenWords(cause)} of runs.`]
  })
}

/** Rows whose profiles grew most in the same function, from which on it is named for all of them. */
const LEAST_IN_FUNCTION = 3

/** `**`Aggregator::executeImpl` grew most in 3 of the 4 with a profile: probably one cause.**` */
function functionCause({ pending, open }: View): string[] {
  const grown = pending === null ? open.flatMap((row) => grownFunction(row) ?? []) : []
  const [most] = [...Map.groupBy(grown, (name) => name)].toSorted(([, a], [, b]) => b.length - a.length)
  if (most === undefined || most[1].length < LEAST_IN_FUNCTION || 2 * most[1].length <= grown.length) return []
  const share =
    most[1].length === grown.length
      ? `all ${count(grown.length)}`
      : `${count(most[1].length)} of the ${count(grown.length)}`
  return [
    `**${codeSpan(shortFunctionName(most[0]), NAME_LIMIT)} grew most in ${share} with a profile: probably one cause.**`,
  ]
}

/** `whole suites (geometric mean): `quantiles` +51.7%, `uniq` −47.3%` */
export function netEffects(all: readonly Suite[]): string[] {
  if (all.length === 0) return []
  const shown = all
    .slice(0, SHOWN.suites)
    .map(({ test, change }) => `${codeSpan(test, NAME_LIMIT)} ${signedPercent(change)}`)
  const more = all.length - shown.length
  return [`whole suites (geometric mean): ${[...shown, ...(more > 0 ? [`${count(more)} more`] : [])].join(', ')}`]
}

/** `` `quantiles`: 4 of 6 queries slower, +20.2% to +94.1%; all 6 together +31.4%; probably one cause: 4 of the 7 slower are here, by chance in 0.8% of runs `` */
export function suitePhrase({ test, compared, slower, faster, change, cause, habit }: Suite): Phrase {
  const changed = [
    ...(slower.length > 0 ? [`${count(slower.length)} of ${count(compared)} queries slower, ${rangeOf(slower)}`] : []),
    ...(faster.length > 0 ? [fasterWords(faster, compared, slower.length === 0)] : []),
  ]
  const together = `all ${count(compared)} together ${signedPercent(change)}`
  const because =
    cause === null ? habitWords(habit) : `; ${causeWords(cause, cause.direction === 'slower' ? slower : faster)}`
  return phrase`${code(test, NAME_LIMIT)}: ${`${changed.join('; ')}; ${together}${because}`}`
}

/** As many together say nothing where that is usual. */
function habitWords(habit: Suite['habit']): string {
  if (habit === null) return ''
  return `; no sign of a common cause: as many were ${habit.direction} together in ${count(habit.asMany)} of ${counted(habit.runs, 'run', 'runs')} on the main branch`
}

function fasterWords(faster: Suite['faster'], compared: number, isAlone: boolean): string {
  const of = isAlone ? `${count(faster.length)} of ${count(compared)} queries` : count(faster.length)
  return `${of} faster, ${rangeOf(faster)}`
}

function causeWords(cause: SuiteCause, here: readonly unknown[]): string {
  return `probably one cause: ${shareOf(here, cause)} are here; that happens by chance in ${oftenWords(cause)} of runs`
}

/** `4 of the 7 slower` */
function shareOf(here: readonly unknown[], { direction, ofAll }: SuiteCause): string {
  const share = here.length === ofAll ? `all ${count(ofAll)}` : `${count(here.length)} of the ${count(ofAll)}`
  return `${share} ${direction}`
}

function oftenWords({ chance }: SuiteCause): string {
  return chance < LEAST_SHOWN_CHANCE ? `less than ${percent(LEAST_SHOWN_CHANCE)}` : percent(chance)
}

/** From the smallest change to the largest. */
export function rangeOf(rows: Suite['slower']): string {
  const sizes = rows.flatMap((row) => decisive(row).difference ?? []).toSorted((a, b) => Math.abs(a) - Math.abs(b))
  const [least, most] = [signedPercent(sizes[0]!), signedPercent(sizes.at(-1)!)]
  return least === most ? least : `${least} to ${most}`
}
