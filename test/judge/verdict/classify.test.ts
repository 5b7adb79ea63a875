import { describe, expect, test } from 'vitest'
import { type Measurement, type MeasurementProblem, queryKey } from '../../../src/intake/measurement/run.ts'
import { benjaminiHochberg } from '../../../src/judge/statistics/benjamini-hochberg.ts'
import { countOutcomes } from '../../../src/judge/verdict/classified-query.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { slowdownOf } from '../../../src/judge/verdict/direction.ts'
import { isGuarded } from '../../../src/judge/verdict/guard.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { verdictOf } from '../../../src/judge/verdict/verdict.ts'
import { compareWorstFirst } from '../../../src/judge/verdict/worst-first.ts'
import { RECORDED, recordedRun, SAME_BUILD } from '../statistics/recorded-run.ts'

function measurement(changes: Partial<Measurement> = {}): Measurement {
  return {
    test: 'sum',
    queryIndex: 3,
    queryName: 'SELECT sum(number) FROM numbers(20000000)',
    metric: 'client_time',
    unit: 's',
    architecture: null,
    old: [0.2, 0.21, 0.2, 0.22, 0.21, 0.2, 0.21],
    new: [0.3, 0.31, 0.3, 0.32, 0.31, 0.3, 0.31],
    reportThreshold: null,
    rounded: false,
    problems: [],
    ...changes,
  }
}

function classifyOne(changes: Partial<Measurement> = {}, settings = DEFAULT_THRESHOLDS) {
  const rows = classify([measurement(changes)], settings)
  expect(rows).toHaveLength(1)
  return rows[0]!
}

const problem = (reason: MeasurementProblem['reason']): MeasurementProblem => ({ reason, side: null, message: '' })

describe('the recorded runs', () => {
  test('25.8 against 26.9: 21 faster, 7 slower, 16 unstable', () => {
    const rows = classify(recordedRun(RECORDED), DEFAULT_THRESHOLDS)
    expect(countOutcomes(rows)).toEqual({
      slower: 7,
      faster: 21,
      unstable: 16,
      tooSmall: 2,
      notSignificant: 21,
      notCompared: 1,
    })
    expect(rows[0]).toMatchObject({ test: 'hash_functions', queryIndex: 1, outcome: 'changed', direction: 'slower' })
    expect(rows[0]!.difference).toBeCloseTo(1.383, 3)
    expect(rows[0]!.pValue).toBeCloseTo(0.0117, 4)
    expect(rows[0]!.rankPValue).toBeCloseTo(0.00058, 5)
    expect(rows[0]!.qValue).toBeCloseTo(0.0017, 4)
    expect(rows.find(({ status }) => status === 'only-new')).toMatchObject({ test: 'string_functions', queryIndex: 5 })
  })

  test('26.9 against itself: one faster, nothing slower', () => {
    expect(countOutcomes(classify(recordedRun(SAME_BUILD), DEFAULT_THRESHOLDS))).toEqual({
      slower: 0,
      faster: 1,
      unstable: 39,
      tooSmall: 1,
      notSignificant: 27,
      notCompared: 0,
    })
  })
})

test('a compared query has everything', () => {
  expect(classifyOne()).toEqual({
    test: 'sum',
    queryIndex: 3,
    queryName: 'SELECT sum(number) FROM numbers(20000000)',
    metric: 'client_time',
    unit: 's',
    better: 'lower',
    architecture: null,
    status: 'compared',
    statusReason: null,
    old: { median: 0.21, repetitions: 7 },
    new: { median: 0.31, repetitions: 7 },
    difference: (0.31 - 0.21) / 0.21,
    threshold: (0.31 - 0.21) / 0.21,
    centredThreshold: expect.closeTo(0.01 / 0.21, 12),
    pValue: expect.any(Number),
    rankPValue: 2 / 3432,
    qValue: 2 / 3432,
    smallestPValue: 40 / 3432,
    separated: true,
    outcome: 'changed',
    direction: 'slower',
    changedThreshold: 0.05,
    changedThresholdSource: 'floor',
    unstableThreshold: 0.1,
    unstableThresholdSource: 'floor',
    notes: [],
  })
})

test('a query that was not compared has nothing of a comparison', () => {
  expect(classifyOne({ old: [] })).toEqual({
    test: 'sum',
    queryIndex: 3,
    queryName: 'SELECT sum(number) FROM numbers(20000000)',
    metric: 'client_time',
    unit: 's',
    better: 'lower',
    architecture: null,
    status: 'only-new',
    statusReason: 'no-samples',
    failedIn: 'old',
    old: { median: null, repetitions: 0 },
    new: { median: 0.31, repetitions: 7 },
    difference: null,
    threshold: null,
    pValue: null,
    rankPValue: null,
    qValue: null,
    smallestPValue: null,
    separated: null,
    outcome: null,
    direction: null,
    changedThreshold: null,
    changedThresholdSource: null,
    unstableThreshold: null,
    unstableThresholdSource: null,
    notes: [],
  })
})

describe('the direction', () => {
  test.each([
    [[1, 1, 1, 1, 1], [2, 2, 2, 2, 2], 'slower'],
    [[2, 2, 2, 2, 2], [1, 1, 1, 1, 1], 'faster'],
    [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], null],
  ])('%j and %j: %s', (old, fresh, direction) => {
    expect(classifyOne({ old, new: fresh }).direction).toBe(direction)
  })
})

describe('why a query was not compared', () => {
  test.each<readonly [string, Partial<Measurement>, string, string]>([
    ['no samples at all', { old: [], new: [] }, 'not-measured', 'no-samples'],
    ['skipped', { old: [], new: [], problems: [problem('skipped')] }, 'not-measured', 'skipped'],
    ['on neither server', { old: [], new: [], problems: [problem('partial')] }, 'not-measured', 'partial'],
    ['failed on both', { old: [], new: [], problems: [problem('run-error')] }, 'failed', 'run-error'],
    ['new query', { old: [] }, 'only-new', 'no-samples'],
    ['unknown to the old server', { old: [], problems: [problem('partial')] }, 'only-new', 'partial'],
    [
      'unknown to the old server, which said so by failing',
      { old: [], problems: [problem('run-error'), problem('partial')] },
      'only-new',
      'partial',
    ],
    ['removed query', { new: [] }, 'only-old', 'no-samples'],
    ['failed on the new server', { new: [], problems: [problem('run-error')] }, 'failed', 'run-error'],
    ['not a number', { new: [1, Number.NaN] }, 'failed', 'not-a-number'],
    ['not a number, on the other side', { old: [Number.NaN] }, 'failed', 'not-a-number'],
    ['infinite', { old: [1, Number.POSITIVE_INFINITY] }, 'failed', 'infinite'],
    ['minus infinite', { new: [Number.NEGATIVE_INFINITY] }, 'failed', 'infinite'],
    ['negative', { new: [1, 2, -0.1] }, 'failed', 'negative'],
    ['negative, on the only side', { old: [], new: [-1] }, 'failed', 'negative'],
    ['of zero there is no fraction', { old: [0, 0, 0], new: [1, 1, 1] }, 'failed', 'zero-old'],
    ['nor of almost nothing', { old: [5e-324, 5e-324], new: [1, 1] }, 'failed', 'zero-old'],
    ['too many repetitions', { old: Array(3000).fill(1), new: Array(3000).fill(2) }, 'failed', 'too-many-samples'],
  ])('%s', (_, changes, status, statusReason) => {
    expect(classifyOne(changes)).toMatchObject({ status, statusReason, outcome: null, pValue: null })
  })

  test('a problem does not void what was measured on both servers', () => {
    expect(classifyOne({ problems: [problem('partial'), problem('run-error')] }).status).toBe('compared')
  })

  test('a side with values that are none has no median; one with negative values has', () => {
    expect(classifyOne({ new: [1, Number.NaN] })).toMatchObject({
      old: { median: 0.21, repetitions: 7 },
      new: { median: null, repetitions: 2 },
    })
    expect(classifyOne({ new: [1, Number.POSITIVE_INFINITY] }).new).toEqual({ median: null, repetitions: 2 })
    expect(classifyOne({ new: [1, -1] }).new).toEqual({ median: 1, repetitions: 2 })
  })
})

describe('zero', () => {
  test('old and new 0 is no difference', () => {
    const zeros = [0, 0, 0, 0, 0]
    expect(classifyOne({ old: zeros, new: zeros })).toMatchObject({
      status: 'compared',
      difference: 0,
      threshold: 0,
      pValue: 1,
      outcome: 'not-significant',
      direction: null,
    })
  })

  test('old and new 0 among samples that are not is unstable, without a threshold that could be written', () => {
    const zeros = [0, 0, 0, 5, 7]
    expect(classifyOne({ old: zeros, new: zeros })).toMatchObject({
      status: 'compared',
      difference: 0,
      threshold: null,
      outcome: 'unstable',
    })
  })

  test('new 0 is faster by all of it', () => {
    expect(classifyOne({ new: [0, 0, 0, 0, 0, 0, 0] })).toMatchObject({ difference: -1, outcome: 'changed' })
  })
})

describe('notes', () => {
  test.each<readonly [string, Partial<Measurement>, readonly string[]]>([
    ['nothing to say', {}, []],
    ['four a side', { old: [1, 2, 3, 4], new: [1, 2, 3, 4] }, ['too-few-repetitions']],
    ['five a side', { old: [1, 2, 3, 4, 5], new: [1, 2, 3, 4, 5] }, []],
    ['four and seven', { old: [1, 2, 3, 4] }, ['too-few-repetitions', 'uneven-repetitions']],
    ['six and seven', { new: [1, 2, 3, 4, 5, 6] }, ['uneven-repetitions']],
    ['rounded', { rounded: true }, ['rounded-source']],
    ['errors while it ran', { problems: [problem('run-error'), problem('run-error')] }, ['run-errors']],
    ['skipped, and measured', { problems: [problem('skipped')] }, []],
    ['a missing side is not a small one', { old: [], rounded: true }, ['rounded-source']],
    [
      'all of them',
      { old: [1], rounded: true, problems: [problem('run-error')] },
      ['too-few-repetitions', 'uneven-repetitions', 'rounded-source', 'run-errors'],
    ],
  ])('%s', (_, changes, notes) => {
    expect(classifyOne(changes).notes).toEqual(notes)
  })
})

describe('thresholds', () => {
  test("the test's own decides and is named", () => {
    expect(classifyOne({ reportThreshold: 0.6 })).toMatchObject({
      outcome: 'too-small',
      changedThreshold: 0.6,
      changedThresholdSource: 'test',
      unstableThreshold: 0.7,
      unstableThresholdSource: 'test',
    })
  })

  test('history is asked by text and architecture', () => {
    const asked: unknown[] = []
    const settings = {
      ...DEFAULT_THRESHOLDS,
      learned: (key: string, architecture: string | null) => {
        asked.push([key, architecture])
        return architecture === 'arm' ? { changed: 0.49, unstable: 0.3 } : null
      },
    }
    const [amd, arm] = [measurement({ architecture: 'amd' }), measurement({ architecture: 'arm' })]
    const rows = classify([arm, amd], settings)
    expect(asked).toEqual([
      [queryKey(arm), 'arm'],
      [queryKey(amd), 'amd'],
    ])
    expect(rows).toMatchObject([
      { architecture: 'amd', outcome: 'changed', changedThresholdSource: 'floor' },
      { architecture: 'arm', outcome: 'unstable', changedThresholdSource: 'learned', unstableThreshold: 0.3 },
    ])
  })
})

describe('q-values', () => {
  const noisy = (seed: number) => ({
    old: Array.from({ length: 7 }, (_, k) => 10 + ((k * seed) % 7)),
    new: Array.from({ length: 7 }, (_, k) => 10.5 + ((k * k * seed) % 7)),
  })

  test('are over all compared queries of one architecture and metric', () => {
    const families = [
      { architecture: 'amd', metric: 'client_time' },
      { architecture: 'arm', metric: 'client_time' },
      { architecture: 'amd', metric: 'memory_usage' },
    ]
    const measurements = families.flatMap((family, at) =>
      [1, 2, 3, 4].map((seed) => measurement({ ...family, queryIndex: seed, ...(seed > at + 1 ? noisy(seed) : {}) })),
    )
    const rows = classify([...measurements, measurement({ architecture: 'amd', old: [] })], DEFAULT_THRESHOLDS)
    for (const { architecture, metric } of families) {
      const family = rows.filter((row) => row.architecture === architecture && row.metric === metric)
      const compared = family.filter(({ status }) => status === 'compared')
      expect(compared).toHaveLength(4)
      expect(compared.map(({ qValue }) => qValue)).toEqual(
        benjaminiHochberg(compared.map(({ rankPValue }) => rankPValue!)),
      )
    }
    expect(rows.find(({ status }) => status === 'only-new')!.qValue).toBeNull()
    // The four changed ones of the first architecture would have other q-values among those of the second.
    expect(new Set(rows.filter(({ rankPValue }) => rankPValue === 2 / 3432).map(({ qValue }) => qValue)).size).toBe(3)
  })
})

test('rows come worst first, whatever the order of the measurements', () => {
  const measurements = recordedRun(RECORDED)
  const rows = classify(measurements, DEFAULT_THRESHOLDS)
  expect(rows).toEqual(rows.toSorted(compareWorstFirst))
  expect(classify(measurements.toReversed(), DEFAULT_THRESHOLDS)).toEqual(rows)
})

test('nothing measured, no rows', () => {
  expect(classify([], DEFAULT_THRESHOLDS)).toEqual([])
})

describe('below three repetitions on a side', () => {
  const five = [0.2, 0.201, 0.202, 0.2, 0.201]
  test.each<[string, Partial<Measurement>, outcome: string]>([
    ['2 + 2', { old: [0.2, 0.2], new: [0.9, 0.9] }, 'unstable'],
    ['2 + 5', { old: [0.9, 0.9], new: five }, 'unstable'],
    ['5 + 1', { old: five, new: [0.9] }, 'unstable'],
    ['2 + 2 equal ones', { old: [0.2, 0.2], new: [0.2, 0.2] }, 'unstable'],
    ['counts that vary', { old: [2, 3], new: [9, 9], notes: ['counted'] }, 'unstable'],
    ['3 + 3', { old: [0.2, 0.2, 0.2], new: [0.9, 0.9, 0.9] }, 'changed'],
    ['exact counts', { old: [2], new: [3], notes: ['counted'] }, 'changed'],
    [
      'a threshold of the source',
      { old: [0.2], new: [0.9], comparison: { difference: 3.5, threshold: 0.1 } },
      'changed',
    ],
  ])('%s', (_, overrides, outcome) => {
    const row = classifyOne(overrides)
    expect(row.outcome).toBe(outcome)
    if (outcome === 'unstable')
      expect(row).toMatchObject({ threshold: null, notes: expect.arrayContaining(['too-few-repetitions']) as unknown })
  })

  test('the guard asks for a rerun all the same', () => {
    expect(isGuarded(classifyOne({ old: [0.2, 0.2], new: [0.9, 0.9] }))).toBe(true)
  })
})

describe('a metric without a known direction', () => {
  test('has changed, and is neither slower nor faster', () => {
    const row = classifyOne({ better: null, new: [0.9, 0.91, 0.9, 0.92, 0.91, 0.9, 0.91] })
    expect(row).toMatchObject({ better: null, outcome: 'changed', direction: null })
    expect(countOutcomes([row])).toMatchObject({ slower: 0, faster: 0, changed: 1 })
    expect([isGuarded(row), slowdownOf(row), verdictOf(row, false, [])]).toEqual([false, null, null])
  })

  test('has the one that the repository says', () => {
    expect(classifyOne({}, { ...DEFAULT_THRESHOLDS, betterOf: () => 'higher' }).better).toBe('lower')
    const row = classifyOne({ better: null }, { ...DEFAULT_THRESHOLDS, betterOf: () => 'higher' })
    expect(row).toMatchObject({ better: 'higher', direction: 'faster' })
  })
})

describe('one number a side', () => {
  test.each<[string, Partial<Measurement>]>([
    ['one repetition', { old: [3.894], new: [0.422] }],
    [
      'a summary beside samples',
      {
        old: [3.894],
        given: { old: { kind: 'mean', value: 3.894, lower: 3.8, upper: 4, spread: 0.02, repetitions: 5 } },
      },
    ],
  ])('%s is measured once: a difference, and nothing made of it', (_, overrides) => {
    const row = classifyOne(overrides)
    expect(row).toMatchObject({ status: 'measured-once', outcome: null, direction: 'faster', pValue: null, notes: [] })
    expect(row.difference).toBeLessThan(-0.8)
    expect(countOutcomes([row])).toMatchObject({ faster: 0, notCompared: 0, measuredOnce: 1 })
  })

  test('a summary is shown as what it is', () => {
    const given = { kind: 'mean', value: 2, lower: null, upper: null, spread: null, repetitions: null } as const
    expect(classifyOne({ old: [2], new: [2], given: { old: given, new: given } })).toMatchObject({
      old: { median: null, repetitions: null, given },
      difference: 0,
      direction: null,
    })
  })
})

test('swapping the sides of a throughput swaps slower and faster', () => {
  const [low, high] = [
    [10, 11, 12, 10, 11, 12, 11],
    [20, 21, 22, 20, 21, 22, 21],
  ]
  const slower = classifyOne({ old: high, new: low, unit: '1/s', better: 'higher' })
  expect(slower).toMatchObject({ outcome: 'changed', direction: 'slower', better: 'higher' })
  const faster = classifyOne({ old: low, new: high, unit: '1/s', better: 'higher' })
  expect(faster).toMatchObject({ outcome: 'changed', direction: 'faster', better: 'higher' })
  expect([isGuarded(slower), isGuarded(faster)]).toEqual([true, false])
  expect([slowdownOf(slower), slowdownOf(faster)]).toEqual(
    [21 / 11 - 1, 11 / 21 - 1].map((one) => expect.closeTo(one, 12)),
  )
  expect([faster, slower].toSorted(compareWorstFirst)).toEqual([slower, faster])
})
