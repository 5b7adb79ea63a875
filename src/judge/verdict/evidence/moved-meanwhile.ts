import { chanceOfFewRuns } from '../../statistics/runs-test.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import { type MeasuredRow, rowsInOnePiece } from './host-spell.ts'

/** Much moved in a run that measured one build after the other. Doubt. */
export interface MovedMeanwhile {
  readonly kind: 'moved-meanwhile'
  readonly architecture: string | null
  readonly changed: number
  readonly compared: number
}

/**
 * Compared rows, and the share of them that changed, from which on it is likelier that the machine moved between the two builds than
 * that a change reaches so much of several suites. A pull request that does is confirmed by whatever else speaks for it.
 *
 * Triggers: 9 of 40 rows, in two suites. Does not: 8 of 40; 30 of 40 in one suite.
 */
export const FEWEST_COMPARED = 20
export const MOST_CHANGED = 0.2
export const FEWEST_SUITES = 2

/**
 * Suites that changed, from which on the order of their signs tells something.
 *
 * Triggers: five suites slower, then five faster (p = 0.008). Does not: four and four (p = 0.029).
 */
export const FEWEST_CHANGED = 8
const CHANCE = 0.01

/**
 * What moved in a run that measured one build after the other, where that is much or stands in stretches. Only of rows whose samples were
 * taken side by side; measured in rounds, a machine that moves is in both sides.
 */
export function movedMeanwhile(rows: readonly MeasuredRow[]): ReadonlyMap<ClassifiedQuery, MovedMeanwhile> {
  const compared = rowsInOnePiece(rows).filter(({ result }) => result.status === 'compared' && result.pValue !== null)
  const changed = compared.filter(({ result }) => result.outcome === 'changed')
  const suites = Map.groupBy(changed, ({ result }) => result.test)
  const isMuch =
    compared.length >= FEWEST_COMPARED &&
    changed.length > MOST_CHANGED * compared.length &&
    suites.size >= FEWEST_SUITES
  if (!isMuch && !standInStretches([...suites.values()].map(majority))) return new Map()
  return new Map(
    changed.map(({ result }) => [
      result,
      {
        kind: 'moved-meanwhile',
        architecture: result.architecture,
        changed: changed.length,
        compared: compared.length,
      },
    ]),
  )
}

/** Whether more of a suite's rows are slower; a suite of as many counts as slower. */
function majority(rows: readonly MeasuredRow[]): boolean {
  return 2 * rows.filter(({ result }) => result.direction === 'slower').length >= rows.length
}

/** There are fewer runs of one sign than chance gives, at 1%. */
function standInStretches(signs: readonly boolean[]): boolean {
  return signs.length >= FEWEST_CHANGED && chanceOfFewRuns(signs) <= CHANCE
}
