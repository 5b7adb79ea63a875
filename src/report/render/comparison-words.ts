import { CLICKBENCH_TEST } from '../../intake/measurement/formats/clickbench.ts'
import type { Labels, RunContents } from '../../intake/measurement/run.ts'
import { geometricMean } from '../../judge/statistics/geometric-mean.ts'
import { type AgainstHistory, type ClassifiedQuery, shownValue } from '../../judge/verdict/classified-query.ts'
import { NAME_LIMIT } from '../../text/markdown.ts'
import { count, list, significantNumber, thresholdPercent, values } from '../../text/numbers.ts'
import { code, type Phrase, phrase, word } from '../../text/phrase.ts'

/** What stands above a table that compares two programs or machines. */

/** `old: php a.php`, `new: php b.php`: what the sides are of; nothing where both are of the same. */
export function labelLines(labels: RunContents['labels']): string[] {
  if (labels === undefined) return []
  return (['old', 'new'] as const).flatMap((side) =>
    labels[side].length === 0 ? [] : [`${side}: ${list(labels[side])}`],
  )
}

/** `, some on another kind of machine than ubuntu-24.04-arm`, behind the number of the trunk's runs; nothing where they are on the same. */
export function otherMachinePhrase({ isOtherMachine = false, machine = '' }: AgainstHistory): Phrase {
  if (!isOtherMachine) return []
  const kind = ', some on a different kind of machine'
  return machine === '' ? [kind] : phrase`${kind}${' than '}${code(machine, NAME_LIMIT)}`
}

/** ClickBench adds it to each time, so that queries of a few milliseconds don't decide. */
const OFFSET_SECONDS = 0.01

/** What a difference is of where the sides ran one system on different machines. */
export const OF_MACHINE = 'the machine, not the build'

/**
 * A line for each metric of ClickBench: `hot: 0.421 times the time (geometric mean of t + 10 ms of 43 queries), faster in 43 of
 * 43`. Where the machines differ it says that.
 */
export function suiteLines(rows: readonly ClassifiedQuery[], labels: Labels | undefined): Phrase[] {
  const ofQueries = rows.filter(({ test, queryIndex }) => test === CLICKBENCH_TEST && queryIndex !== null)
  return [...Map.groupBy(ofQueries, ({ metric }) => metric)].flatMap(([metric, ofMetric]) => {
    const pairs = ofMetric.flatMap((row) => {
      const [old, fresh] = [shownValue(row.old), shownValue(row.new)]
      return old === null || fresh === null ? [] : [{ old, fresh }]
    })
    if (pairs.length === 0) return []
    const ratio = geometricMean(pairs.map(({ old, fresh }) => (fresh + OFFSET_SECONDS) / (old + OFFSET_SECONDS)))!
    const faster = pairs.filter(({ old, fresh }) => fresh < old).length
    const slower = pairs.filter(({ old, fresh }) => fresh > old).length
    const [most, direction] = faster >= slower ? [faster, 'faster'] : [slower, 'slower']
    const mean = `${significantNumber(ratio, 3)} times the time (geometric mean of t + 10 ms of ${count(pairs.length)} queries)`
    const machine = labels?.kind === 'machine' ? `: ${OF_MACHINE}` : ''
    return [phrase`${word(metric)}${`: ${mean}, ${direction} in ${count(most)} of ${count(pairs.length)}${machine}`}`]
  })
}

/** `98% of the old 3.89 s is waiting, 83% of the new 422 ms`: of a program that was timed, where it waits for most of it. */
export function waitingLines(rows: readonly ClassifiedQuery[]): string[] {
  return rows.flatMap((row) => {
    if (row.metric !== 'waiting-share') return []
    const real = rows.find((one) => one.metric === 'real' && one.test === row.test)
    const parts = (['old', 'new'] as const).flatMap((side) => {
      const [share, whole] = [shownValue(row[side]), real === undefined ? null : shownValue(real[side])]
      if (share === null || whole === null || share < MOST_OF_IT) return []
      return [`${thresholdPercent(Math.round(share * 100) / 100)} of the ${side} ${values([whole], 's')}`]
    })
    return parts.length === 0 ? [] : [`${list(parts)} was spent waiting: no CPU was busy`]
  })
}

const MOST_OF_IT = 0.5

/** Why rows with a difference have no outcome; nothing where none was measured once. */
export function onceLines(rows: readonly ClassifiedQuery[], needed: number): string[] {
  const once = rows.filter(({ status }) => status === 'measured-once').length
  if (once === 0) return []
  return [
    `measured once: one number per side decides nothing, however far apart they are; ${needed} repetitions per side would (one file each)`,
  ]
}
