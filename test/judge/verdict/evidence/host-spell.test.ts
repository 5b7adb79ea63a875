import { describe, expect, test } from 'vitest'
import { normals, seeded } from '../../../../bench/calibration/seeded.ts'
import type { Measurement } from '../../../../src/intake/measurement/run.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { hostSpells } from '../../../../src/judge/verdict/evidence/host-spell.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'

const REPETITIONS = 10

interface Host {
  readonly benchmarks?: number
  readonly noise?: number
  readonly seed?: number
  /** How much slower the sample of that place of the new side is than it would be. */
  readonly slowed?: (benchmark: number, repetition: number) => number
  readonly rounds?: boolean
}

/** Benchmarks of 1 s, ten samples a side, one benchmark after the other or round by round. */
function measured({ benchmarks = 200, noise = 0.01, seed = 1, slowed = () => 1, rounds = false }: Host): Measurement[] {
  const normal = normals(seeded(seed))
  const value = () => Math.exp(noise * normal())
  const places = (benchmark: number) =>
    Array.from({ length: REPETITIONS }, (_, at) =>
      rounds ? at * benchmarks + benchmark : benchmark * REPETITIONS + at,
    )
  return Array.from({ length: benchmarks }, (_, benchmark) => ({
    test: 'e/x',
    queryIndex: null,
    queryName: `B${benchmark}`,
    metric: 'time',
    unit: 's',
    architecture: null,
    old: Array.from({ length: REPETITIONS }, value),
    new: Array.from({ length: REPETITIONS }, (_, at) => value() * slowed(benchmark, at)),
    reportThreshold: null,
    rounded: false,
    problems: [],
    taken: { old: { places: places(benchmark) }, new: { places: places(benchmark) } },
  }))
}

function spellsOf(measurements: readonly Measurement[]) {
  const byName = new Map(measurements.map((measurement) => [measurement.queryName, measurement]))
  const results = classify(measurements, DEFAULT_THRESHOLDS)
  const rows = results.map((result) => ({ result, measurement: byName.get(result.queryName)! }))
  return new Map([...hostSpells(rows)].map(([result, spell]) => [result.queryName!, spell]))
}

const isBetween = (low: number, value: number, high: number) => value >= low && value <= high
const edges = (spells: ReturnType<typeof spellsOf>) => [...spells].map(([name, { edge }]) => `${name} ${edge}`).sort()

describe('a spell over B96 to B99 of +25%', () => {
  const slow = (benchmark: number) => (isBetween(96, benchmark, 99) ? 1.25 : 1)

  test.each([
    ['before', (b: number, at: number) => (b === 95 && at === 9 ? 1.25 : slow(b))],
    ['after', (b: number, at: number) => (b === 100 && at === 0 ? 1.25 : slow(b))],
    ['first', (b: number, at: number) => (b === 96 && at === 0 ? 1 : slow(b))],
    ['last', (b: number, at: number) => (b === 99 && at === 9 ? 1 : slow(b))],
  ] as const)('is seen by the sample: %s', (edge, slowed) => {
    expect(edges(spellsOf(measured({ slowed })))).toEqual(['B96', 'B97', 'B98', 'B99'].map((name) => `${name} ${edge}`))
  })

  test('is a slower program where it has no edge', () => {
    expect(edges(spellsOf(measured({ slowed: slow })))).toEqual([])
  })

  test('is doubted all the same where another group of about that size has an edge', () => {
    const withAnother = (by: number) => (b: number, at: number) => (b === 20 || (b === 19 && at > 5) ? by : slow(b))
    const names = (by: number) => [...spellsOf(measured({ slowed: withAnother(by) })).keys()].sort()
    expect(names(1.2)).toEqual(['B20', 'B96', 'B97', 'B98', 'B99'])
    expect(names(1.6)).toEqual(['B20'])
    expect(spellsOf(measured({ slowed: withAnother(1.2) })).get('B97')).toMatchObject({
      edge: null,
      first: { queryName: 'B20' },
      rows: 1,
    })
  })

  test('says nothing of what was measured in rounds, nor where nobody knows the order', () => {
    const slowed = (b: number, at: number) => (b === 95 && at === 9 ? 1.25 : slow(b))
    expect(edges(spellsOf(measured({ slowed, rounds: true })))).toEqual([])
    const unplaced = measured({ slowed }).map(({ taken: _taken, ...rest }) => rest)
    expect(edges(spellsOf(unplaced))).toEqual([])
    expect(edges(spellsOf(measured({ slowed }).map((one) => ({ ...one, clock: true as const }))))).toEqual([])
  })

  test('has the edges that exist at an end of the run', () => {
    const atEnd = (b: number, at: number) => (b > 197 || (b === 197 && at > 7) ? 1.25 : 1)
    expect(edges(spellsOf(measured({ slowed: atEnd })))).toEqual(['B198 before', 'B199 before'])
  })
})

test('a spell on the old side is seen in what is faster', () => {
  const slowed = (b: number, at: number) => (b === 95 && at === 9 ? 1.25 : isBetween(96, b, 99) ? 1.25 : 1)
  const swapped = measured({ slowed }).map((one) => ({ ...one, old: one.new, new: one.old }))
  expect(edges(spellsOf(swapped))).toEqual(['B96 before', 'B97 before', 'B98 before', 'B99 before'])
})

test.each([0.01, 0.03, 0.05])(
  'of planted slow-downs on a quiet host with a noise of %d at most a tenth is doubted',
  (noise) => {
    let planted = 0
    let doubted = 0
    for (let seed = 1; seed <= 12; seed++) {
      for (const by of [1.1, 1.25]) {
        const slowed = (benchmark: number) => (benchmark % 20 === 7 ? by : 1)
        const spells = spellsOf(measured({ benchmarks: 100, noise, seed, slowed }))
        planted += 5
        doubted += [...spells.keys()].filter((name) => Number(name.slice(1)) % 20 === 7).length
      }
    }
    expect(planted).toBe(120)
    expect(doubted / planted).toBeLessThanOrEqual(0.1)
  },
)
