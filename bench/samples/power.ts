import type { Measurement } from '../../src/intake/measurement/run.ts'
import { mannWhitney } from '../../src/judge/statistics/mann-whitney.ts'
import { outcomeOf } from '../../src/judge/verdict/outcome.ts'
import { isOpen } from '../../src/judge/verdict/verdict.ts'
import type { ReportRow } from '../../src/report/report.ts'
import { normals, seeded } from '../calibration/seeded.ts'
import { benchmark, goOn, QUIET } from './made.ts'
import { rowsOf } from './said.ts'

/** One query in eight is slowed at a time: a change of most would look like the machine's. */
const SLOWED_SHARE = 8

/** Of the queries whose new samples were multiplied: how many are called what. All but the unstable ones are those that are slower. */
export interface Found {
  readonly name: string
  readonly factor: number
  readonly queries: number
  readonly changed: number
  readonly regression: number
  readonly open: number
  readonly unstable: number
  /** By the threshold of all samples together, which swells with the change itself. */
  readonly unstableBefore: number
  /** Unstable, and the fast part of the repetitions rules a slowdown of 10% out. */
  readonly within: number
  /** By a Mann-Whitney test alone, as benchstat has it, and at the level of the bot. */
  readonly rankAt5: number
  readonly rankAt1: number
}

/** Each query of each run once with its new samples times `factor`; judged without history. */
export function foundOf(name: string, runs: readonly (readonly Measurement[])[], factor: number): Found {
  const found = runs.flatMap((run) =>
    Array.from({ length: SLOWED_SHARE }, (_, first) => {
      const slowed = run.map((one, index) =>
        index % SLOWED_SHARE === first ? { ...one, new: one.new.map((value) => value * factor) } : one,
      )
      const rows = new Map(rowsOf(slowed).map((row) => [row.queryName, row]))
      return slowed
        .filter((_one, index) => index % SLOWED_SHARE === first)
        .map((measurement) => ({ row: rows.get(measurement.queryName)!, measurement }))
    }).flat(),
  )
  const count = (is: (one: (typeof found)[number]) => boolean) => found.filter(is).length
  const rankBelow = (level: number) =>
    count(({ row, measurement }) => row.results[0]!.difference! > 0 && rankPValue(measurement) <= level)
  return {
    name,
    factor,
    queries: found.length,
    changed: count(({ row }) => row.outcome === 'changed' && row.direction === 'slower'),
    regression: count(({ row }) => row.verdict === 'regression'),
    open: count(({ row }) => isOpen(row.verdict)),
    unstable: count(({ row }) => row.outcome === 'unstable'),
    unstableBefore: count(({ row }) => wasUnstable(row)),
    within: count(({ row }) => row.outcome === 'unstable' && row.results[0]!.couldHide?.ruledOut != null),
    rankAt5: rankBelow(0.05),
    rankAt1: rankBelow(0.01),
  }
}

function rankPValue({ old, new: fresh }: Measurement): number {
  return mannWhitney(old, fresh).pValue
}

function wasUnstable({ results: [result] }: ReportRow): boolean {
  const { difference, threshold, separated, changedThreshold, unstableThreshold } = result!
  const measured = {
    difference: difference!,
    threshold: threshold ?? Number.POSITIVE_INFINITY,
    separated: separated === true,
  }
  return outcomeOf(measured, changedThreshold!, unstableThreshold!) === 'unstable'
}

/** Runs of 64 queries measured in turns, each a draw by itself. */
export function runsInTurns(repetitions: number, noise: number, runs: number): Measurement[][] {
  const draw = normals(seeded(repetitions + 1000 * noise))
  const side = () => Array.from({ length: repetitions }, () => Math.exp(noise * draw()))
  return Array.from({ length: runs }, () =>
    Array.from({ length: 64 }, (_, index) => ({ ...benchmark(`Q${index}`, side(), side()), clock: true as const })),
  )
}

export interface Planted {
  readonly noise: number
  readonly planted: number
  readonly open: number
  readonly doubted: number
}

/** Slow-downs of 10% on a host that is quiet. */
export function plantedOn(noise: number, seeds: number): Planted {
  const rows = Array.from({ length: seeds }, (_, seed) =>
    rowsOf(goOn(QUIET, 'in one piece', 1000 + seed, 10, noise)),
  ).flat()
  const planted = rows.filter(({ queryName }) => Number(queryName!.slice(1)) % 20 === 7)
  return {
    noise,
    planted: planted.length,
    open: planted.filter(({ verdict }) => isOpen(verdict)).length,
    doubted: planted.filter(({ evidence }) => evidence.some(({ kind }) => kind === 'host-spell')).length,
  }
}
