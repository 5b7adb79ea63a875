import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { plantedRates, slowDown } from '../../bench/calibration/planted.ts'
import { recordedRuns } from '../../bench/calibration/recorded-runs.ts'
import { conbench, mongoDb, tigerBeetle } from '../../bench/change-points/histories.ts'
import { median } from '../../src/intake/measurement/median.ts'
import { type Measurement, type Run, resultKey } from '../../src/intake/measurement/run.ts'
import type { HistoryFacts, QueryHistory } from '../../src/judge/history/history-facts.ts'
import type { TrunkPoint } from '../../src/judge/history/trunk-series.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { isOpen } from '../../src/judge/verdict/verdict.ts'
import { renderComment } from '../../src/report/render/comment.ts'
import { NO_LINKS } from '../../src/report/render/view.ts'
import type { TriageReport } from '../../src/report/report.ts'
import { type JudgedBy, judged, measured, runOf } from './judge-setting.ts'

// The promise of the guard: a query whose measured ratio is 3 and more is open and stands before everything that is not
// guarded, whatever the noise and whatever excuses it.

const PLANTED = 'planted'
const SIDE = 7

/** How repetitions fall around 1, by their place; `draw` gives numbers from 0 to 1. */
const NOISE: Readonly<Record<string, (draw: () => number, repetition: number) => number>> = {
  calm: (draw) => 1 + 0.01 * draw(),
  bimodal: (draw) => (draw() < 0.5 ? 1 : 1.6) * (1 + 0.02 * draw()),
  'far modes': (draw) => (draw() < 0.4 ? 1 : 40) * (1 + 0.02 * draw()),
  // Pareto with an infinite mean: single repetitions take a thousand times as long.
  'heavy tail': (draw) => (1 - draw()) ** -1.5,
  ties: (draw) => 1 + Math.floor(3 * draw()),
  'all the same': () => 1,
  'mostly zero': (draw) => (draw() < 0.45 ? 0 : 1 + draw()),
  drift: (_, repetition) => 1 + repetition / 3,
}

const noise = fc.constantFrom(...Object.keys(NOISE))
const repetitions = fc.integer({ min: 1, max: 13 })
/** Each draw of a whole set of samples. */
const draws = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }))

function samplesOf(kind: string, count: number, scale: number, stream: Iterator<number>): number[] {
  const draw = () => stream.next().value as number
  return Array.from({ length: count }, (_, repetition) => scale * NOISE[kind]!(draw, repetition))
}

/** What happens to the numbers of one side before they are read. */
const roundedSide = fc.constantFrom('none', 'old', 'new')
const round = (values: readonly number[]) => values.map((value) => Math.floor(value * 1000) / 1000)

/** Multiplied so that the medians have this ratio; where the median is 0, every repetition takes that long. */
function planted(old: readonly number[], fresh: readonly number[], ratio: number): readonly number[] {
  const base = median(fresh)
  return base === 0 ? fresh.map(() => ratio * median(old)) : fresh.map((value) => (value * ratio * median(old)) / base)
}

const EXCUSES = [
  'not-reproduced',
  'no-code-changed',
  'moves-on-trunk',
  'flagged-elsewhere',
  'already-on-trunk',
  'rotating',
  'stale-reference',
  'learned threshold',
  'threshold of the test',
  'threshold of the repository',
] as const
type Excuse = (typeof EXCUSES)[number]

const hostile = fc.record({
  kind: noise,
  // one number a side is measured once, which decides nothing
  counts: fc.tuple(repetitions, repetitions).filter(([old, fresh]) => old + fresh > 2),
  scale: fc.constantFrom(1e-6, 0.0021, 0.1, 7, 3600),
  ratio: fc.oneof(fc.constantFrom(3, 3.1, 16, 23), fc.double({ min: 3, max: 1000, noNaN: true })),
  rounded: roundedSide,
  excuses: fc.subarray([...EXCUSES]),
  shift: fc.constantFrom(0.2, 0.9, 1, 1.07, 1.6),
  architectures: fc.constantFrom<readonly (string | null)[]>(
    [null],
    ['amd', 'arm'],
    ['arm', 'amd'],
    ['amd faster', 'arm'],
    ['arm', 'zero'],
  ),
  others: fc.array(noise, { minLength: 25, maxLength: 25 }),
  draws,
})

type Hostile = typeof hostile extends fc.Arbitrary<infer T> ? T : never

const MERGE_BASE = 'e'.repeat(40)
const OLD_BUILD = 'd'.repeat(40)
const AT = Date.parse('2026-11-20T10:00:00.000Z')

function point(commit: string, referenceCommit = OLD_BUILD, fresh = 0.3): TrunkPoint {
  return { time: AT, commit, referenceCommit, old: 0.1, new: fresh, difference: fresh / 0.1 - 1, threshold: 0.1 }
}

/** Runs up to the old build, then of the merge base, which is slower by just as much. */
function trunkOf(difference: number): TrunkPoint[] {
  const id = (index: number) => (index === 12 ? OLD_BUILD : String(index).padStart(40, '0'))
  const before = Array.from({ length: 12 }, (_, index) => point(id(index + 1), id(index), 0.1))
  return [...before, ...Array.from({ length: 6 }, () => point(MERGE_BASE, OLD_BUILD, 0.1 * (1 + difference)))]
}

/** The report of a head with one query slowed down, all of it excused as far as the bot can. */
function reportOf(input: Hostile): { readonly report: TriageReport; readonly ratio: number } | null {
  const stream = input.draws[Symbol.iterator]()
  const [oldCount, newCount] = input.counts
  const raw = samplesOf(input.kind, oldCount, input.scale, stream)
  const old = input.rounded === 'old' ? round(raw) : raw
  const slow = planted(old, samplesOf(input.kind, newCount, input.scale, stream), input.ratio)
  const fresh = input.rounded === 'new' ? round(slow) : slow
  const ratio = median(fresh) / median(old)
  // Rounding takes some of it, and of 0 there is no ratio.
  if (!Number.isFinite(ratio) || ratio < 3 - 1e-12) return null

  const has = (excuse: Excuse) => input.excuses.includes(excuse)
  const query = measured(PLANTED, fresh, { old, reportThreshold: has('threshold of the test') ? 20 : null })
  const others = input.others.map((kind, index) => {
    const [before, after] = [samplesOf(kind, 7, 0.1, stream), samplesOf(kind, 7, 0.1, stream)]
    const factor = (index % 3 === 0 ? 1.4 : 1) * input.shift
    return measured(
      `other_${index}`,
      after.map((value) => value * factor),
      { old: before },
    )
  })
  const confirmations = has('not-reproduced')
    ? {
        confirmations: [
          { test: PLANTED, queryIndex: 0, result: 'not-reproduced' as const, difference: 0, threshold: 0.1 },
        ],
      }
    : {}
  const runs = input.architectures.map((architecture): Run => {
    const overrides = { check: `perf ${architecture}`, architecture, ...confirmations }
    if (architecture === 'amd faster') return runOf([{ ...query, old: fresh, new: old }, ...others], overrides)
    if (architecture === 'zero') return runOf([{ ...query, old: old.map(() => 0) }, ...others], overrides)
    if (architecture === 'amd') return runOf([{ ...query, new: old }, ...others], overrides)
    return runOf([query, ...others], overrides)
  })
  const report = judged(runs, excusesOf(input.excuses, query, input.architectures, previousOf(runs)))
  return { report, ratio }
}

/** The head before, on which other queries were flagged. */
function previousOf(runs: readonly Run[]): TriageReport {
  const calm = runs.map((run) => ({
    ...run,
    measurements: run.measurements.map((one, index) => ({
      ...one,
      new: index % 3 === 2 ? one.old.map((value) => value * 1.3) : one.old,
    })),
  }))
  return judged(calm, { head: 'a'.repeat(40) })
}

function excusesOf(
  excuses: readonly Excuse[],
  query: Measurement,
  architectures: readonly (string | null)[],
  previous: TriageReport,
): Partial<JudgedBy> {
  const has = (excuse: Excuse) => excuses.includes(excuse)
  const difference = median(query.new) / median(query.old) - 1
  const known: QueryHistory = {
    moves: has('moves-on-trunk') ? { runs: 400, times: 200, lowest: -difference, highest: difference } : null,
    flaggedElsewhere: has('flagged-elsewhere')
      ? [3, 4, 5].map((number) => ({
          pullRequestNumber: number,
          time: AT,
          difference,
          oldCommit: null,
          witness: { name: String(number), isStranger: false },
        }))
      : [],
    step: has('already-on-trunk')
      ? {
          lastGood: point(OLD_BUILD),
          firstBad: point(MERGE_BASE),
          earliest: point(MERGE_BASE),
          latest: point(MERGE_BASE),
          before: 0.1,
          after: 0.1 * (1 + difference),
          step: difference,
          seenBy: 'both',
          recovered: null,
        }
      : null,
    points: trunkOf(difference),
  }
  const history: HistoryFacts = {
    queries: new Map(architectures.map((one) => [resultKey({ ...query, architecture: one }), known])),
    learned: null,
    orderOnTrunk: new Map([
      [OLD_BUILD, 0],
      [MERGE_BASE, 9],
    ]),
    problem: null,
  }
  const isStale = has('stale-reference') || has('already-on-trunk')
  return {
    history,
    mergeBase: MERGE_BASE,
    references: isStale ? [{ commit: OLD_BUILD, architectures, commitsBeforeMergeBase: 9 }] : [],
    thresholds: {
      ...DEFAULT_THRESHOLDS,
      configured: { changed: has('threshold of the repository') ? 50 : null, unstable: null },
      learned: has('learned threshold') ? () => ({ changed: 100, unstable: 100 }) : null,
    },
    ...(has('no-code-changed') && { changedFiles: ['docs/index.md'] }),
    ...(has('rotating') && { previous }),
  }
}

function expectOnTop(report: TriageReport, test: string): void {
  const place = report.rows.findIndex((row) => row.test === test)
  const row = report.rows[place]!
  expect(isOpen(row.verdict), `${row.verdict}: ${JSON.stringify(row)}`).toBe(true)
  expect(report.rows.slice(0, place + 1).every(({ guarded }) => guarded)).toBe(true)
  // What the comment and the check show is open rows in the order of the report.
  const open = report.rows.filter(({ verdict }) => isOpen(verdict))
  expect(open.indexOf(row)).toBe(place)
}

test('in hostile noise, excused by everything at once: open, and before everything that is not guarded', () => {
  const seen = new Set<string>()
  let judgedReports = 0
  fc.assert(
    fc.property(hostile, (input) => {
      const found = reportOf(input)
      if (found === null) return
      judgedReports += 1
      expectOnTop(found.report, PLANTED)
      const row = found.report.rows.find((one) => one.test === PLANTED)!
      for (const { kind } of row.evidence) seen.add(kind)
      if (row.outcome !== 'changed') seen.add(row.outcome ?? 'not compared')
    }),
    { numRuns: 500, seed: 20_261_121 },
  )
  // Else the excuses were none.
  expect(judgedReports).toBeGreaterThan(300)
  for (const kind of [
    'not-reproduced',
    'no-code-changed',
    'moves-on-trunk',
    'flagged-elsewhere',
    'already-on-trunk',
    'rotating',
    'bimodal',
    'too-few-repetitions',
    'one-architecture',
    'stale-reference',
    'floor-threshold',
    'unstable',
    'not-significant',
  ]) {
    expect(seen).toContain(kind)
  }
})

test('in the noise of every recorded run, every query: open and at the top', async () => {
  const runs = await recordedRuns()
  for (const ratio of [3, 3.7, 23]) {
    expect(plantedRates(runs, ratio)).toMatchObject({ queries: 22 * 68, open: 1, top: 1 })
  }
})

test('with the values of other projects’ histories as repetitions: open and at the top', () => {
  for (const { name, values } of [...tigerBeetle(), ...mongoDb(), ...conbench()]) {
    for (let first = 0; first + 2 * SIDE <= values.length; first += SIDE) {
      const window = values.slice(first, first + 2 * SIDE)
      const old = window.filter((_, index) => index % 2 === 0)
      const fresh = window.filter((_, index) => index % 2 === 1)
      const query = slowDown(measured(PLANTED, fresh, { old }), 3)
      const report = judged([runOf([query, measured('other', fresh, { old })])], { changedFiles: ['docs/index.md'] })
      expect(isOpen(report.rows[0]!.verdict), name).toBe(true)
      expectOnTop(report, PLANTED)
    }
  }
})

test('one that takes three times as long is the first row of the comment', async () => {
  const [run] = await recordedRuns()
  const [first, ...others] = run!.measurements
  for (const ratio of [3, 10]) {
    const report = judged([runOf([slowDown(first!, ratio), ...others])], {
      changedFiles: ['docs/index.md'],
      history: null,
    })
    const comment = renderComment({ report, links: NO_LINKS, botId: 'bot', previous: null })
    const rows = comment.split('\n').filter((line) => line.startsWith('| `'))
    expect(rows[0]).toContain(`${first!.test} #${first!.queryIndex}`)
  }
})

test('everything three times as slow on the only machine is no machine: all of it is open', async () => {
  const [run] = await recordedRuns()
  const report = judged([runOf(run!.measurements.map((one) => slowDown(one, 3)))])
  expect(report.shifts[0]?.notable).toBe(true)
  expect(report.rows.every(({ verdict, guarded }) => guarded && isOpen(verdict))).toBe(true)
})

test('a shard that is three times as slow as the others excuses none of its queries', async () => {
  const [run] = await recordedRuns()
  const slow = run!.measurements.map((one) => ({ ...slowDown(one, 3), test: `slow_${one.test}` }))
  const report = judged([
    runOf(run!.measurements, { check: 'perf 1', shard: 1, shards: 2 }),
    runOf(slow, { check: 'perf 2', shard: 2, shards: 2 }),
  ])
  expect(report.rows.some(({ evidence }) => evidence.some(({ kind }) => kind === 'shard-shift'))).toBe(true)
  expect(report.rows.slice(0, 68).every(({ test: name, verdict }) => name.startsWith('slow_') && isOpen(verdict))).toBe(
    true,
  )
})

test('of nothing there is no ratio: it has failed, which is not unchanged', () => {
  const report = judged([runOf([measured(PLANTED, [0.3, 0.3, 0.3], { old: [0, 0, 0] })])])
  expect(report.rows[0]).toMatchObject({ outcome: null, verdict: null, guarded: false })
  expect(report.counts.notCompared).toBe(1)
})

test('a result that can’t be compared does not stand in the place of one that is three times as slow', () => {
  const slow = runOf([measured(PLANTED, [0.3, 0.31, 0.32, 0.33, 0.34])], { check: 'perf 1' })
  for (const broken of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
    const other = runOf([measured(PLANTED, [9, 9, 9, 9, broken])], { check: 'perf 0' })
    for (const runs of [
      [slow, other],
      [slow, { ...other, check: 'perf 2' }],
    ]) {
      expectOnTop(judged(runs), PLANTED)
    }
  }
})
