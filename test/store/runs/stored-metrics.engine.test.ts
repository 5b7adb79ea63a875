import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Measurement, Run } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { ALL_METRICS_UP_TO } from '../../../src/store/runs/kept-samples.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { migratedDatabase } from '../embedded/engine-fixture.ts'

let store: Store
let now = new Date()

beforeAll(async () => {
  const clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse, { now: () => now })
})
afterAll(() => store.close())

const QUERY = { test: 'sum', queryIndex: 3, queryName: 'SELECT sum(a) FROM t' }

function measurement(metric: string, change: Partial<Measurement> = {}): Measurement {
  return {
    ...QUERY,
    metric,
    unit: metric === 'client_time' ? 's' : null,
    architecture: null,
    old: [1, 1.1, 1.2, 1.3, 1.4],
    new: [2, 2.1, 2.2, 2.3, 2.4],
    reportThreshold: null,
    rounded: false,
    problems: [],
    ...change,
  }
}

let heads = 0
async function save(change: Partial<Run> & { readonly measurements: readonly Measurement[] }): Promise<Run> {
  const run: Run = {
    repositoryId: 1,
    pullRequestNumber: 42,
    head: `head-${++heads}`,
    check: 'performance',
    architecture: 'arm',
    shard: 1,
    shards: 2,
    attempt: 1,
    source: 'artifact 7',
    finishedAt: '2026-06-01T10:00:00Z',
    oldCommit: null,
    newCommit: null,
    warnings: [],
    ...change,
  }
  const placed = run.measurements.map((one) => ({ ...one, architecture: one.architecture ?? run.architecture }))
  await store.runs.save(run, classify(placed, DEFAULT_THRESHOLDS))
  return run
}

test('all metrics of the query, with what was judged of each and its samples in order', async () => {
  const memory = measurement('memory_usage', { unit: 'bytes', old: [0, 0, 0], new: [5, NaN, Infinity] })
  const { head } = await save({
    measurements: [
      measurement('client_time', { queryName: 'SELECT 1' }),
      measurement('client_time'),
      memory,
      measurement('client_time', { test: 'other' }),
    ],
  })
  const [found, ...others] = await store.runs.metricsOf(1, head, QUERY, ['arm'])
  expect(others).toEqual([])
  expect(found).toMatchObject({
    check: 'performance',
    architecture: 'arm',
    shard: 1,
    attempt: 1,
    source: 'artifact 7',
    left: 0,
  })
  expect(found!.finishedAt).toBe('2026-06-01T10:00:00Z')
  const [judged] = classify([measurement('client_time')], DEFAULT_THRESHOLDS)
  expect(found!.metrics).toEqual([
    {
      metric: 'client_time',
      unit: 's',
      measurement: 1,
      rounded: false,
      oldMedian: 1.2,
      newMedian: 2.2,
      oldRepetitions: 5,
      newRepetitions: 5,
      status: 'compared',
      statusReason: null,
      difference: judged!.difference,
      threshold: judged!.threshold,
      pValue: judged!.pValue,
      smallestPValue: judged!.smallestPValue,
      separated: true,
      samples: { old: [1, 1.1, 1.2, 1.3, 1.4], new: [2, 2.1, 2.2, 2.3, 2.4] },
    },
    expect.objectContaining({
      metric: 'memory_usage',
      status: 'failed',
      statusReason: 'not-a-number',
      newMedian: null,
      samples: { old: [0, 0, 0], new: [5, NaN, Infinity] },
    }),
  ])
})

describe('of what is stored', () => {
  test('of several architectures each has its own, in the order that is asked for', async () => {
    const of = (architecture: string, old: number) => measurement('client_time', { architecture, old: [old] })
    const { head } = await save({ architecture: null, measurements: [of('amd', 1), of('arm', 2), of('s390x', 3)] })
    const found = await store.runs.metricsOf(1, head, QUERY, ['arm', 'amd', 'riscv'])
    expect(found.map(({ architecture, metrics }) => [architecture, metrics[0]!.samples!.old])).toEqual([
      ['arm', [2]],
      ['amd', [1]],
    ])
  })

  test('the newest attempt of a check stands, of several checks each', async () => {
    const head = 'several'
    const at = (value: number) => [measurement('client_time', { old: [value] })]
    await save({ head, attempt: 2, measurements: at(2) })
    await save({ head, attempt: 1, measurements: at(1) })
    await save({ head, check: 'another', measurements: at(3) })
    const found = await store.runs.metricsOf(1, head, QUERY, ['arm'])
    expect(found.map(({ check, metrics }) => [check, metrics[0]!.samples!.old])).toEqual([
      ['another', [3]],
      ['performance', [2]],
    ])
  })

  test('process and place of the samples are there where the source said them', async () => {
    const taken = { old: { processes: [0, 0, 0, 1, 1] }, new: { places: [4, 3, 2, 1, 0] } }
    const { head } = await save({
      measurements: [measurement('client_time', { taken, clock: true }), measurement('Other')],
    })
    const [found] = await store.runs.metricsOf(1, head, QUERY, ['arm'])
    expect(found!.metrics.map((one) => one.taken)).toEqual([{ ...taken, clock: true }, undefined])
  })

  test('another repository, head, architecture or query is not found', async () => {
    const { head } = await save({ measurements: [measurement('client_time')] })
    expect(await store.runs.metricsOf(1, head, QUERY, ['arm'])).toHaveLength(1)
    expect(await store.runs.metricsOf(2, head, QUERY, ['arm'])).toEqual([])
    expect(await store.runs.metricsOf(1, 'no-head', QUERY, ['arm'])).toEqual([])
    for (const architecture of ['amd', '', null]) {
      expect(await store.runs.metricsOf(1, head, QUERY, [architecture])).toEqual([])
    }
    const { test: name, queryIndex } = QUERY
    for (const query of [
      { ...QUERY, test: 'su' },
      { ...QUERY, queryName: null },
      { ...QUERY, queryName: '' },
      { ...QUERY, ordinal: 1 },
      { test: name, queryIndex, queryName: 'select sum(a) from t' },
    ]) {
      expect(await store.runs.metricsOf(1, head, query, ['arm'])).toEqual([])
    }
    // By its text, wherever it stands.
    expect(await store.runs.metricsOf(1, head, { ...QUERY, queryIndex: 9 }, ['arm'])).toHaveLength(1)
  })

  test('a query without a text is known by its position, equal texts by their ordinal', async () => {
    const { head } = await save({
      architecture: null,
      measurements: [
        measurement('client_time', { queryName: null, queryIndex: 1, old: [1] }),
        measurement('client_time', { queryName: null, queryIndex: 2, old: [2] }),
        measurement('client_time', { queryName: null, queryIndex: null, old: [3] }),
        measurement('client_time', { old: [4] }),
        measurement('client_time', { ordinal: 1, old: [5], architecture: 'arm' }),
      ],
    })
    const old = async (query: Parameters<typeof store.runs.metricsOf>[2], architecture: string | null) =>
      (await store.runs.metricsOf(1, head, query, [architecture])).flatMap(({ metrics }) =>
        metrics.map(({ samples }) => samples!.old),
      )
    expect(await old({ test: 'sum', queryIndex: 2, queryName: null }, null)).toEqual([[2]])
    expect(await old({ test: 'sum', queryIndex: null, queryName: null }, null)).toEqual([[3]])
    expect(await old(QUERY, null)).toEqual([[4]])
    expect(await old({ ...QUERY, ordinal: 1 }, 'arm')).toEqual([[5]])
    expect(await old({ ...QUERY, ordinal: 1 }, null)).toEqual([])
  })

  test('what has expired is gone', async () => {
    const { head } = await save({ measurements: [measurement('client_time')] })
    const saved = now
    now = new Date(saved.getTime() + 91 * 86_400_000)
    expect(await store.runs.metricsOf(1, head, QUERY, ['arm'])).toEqual([])
    now = saved
  })

  test('of a large run the medians and what was judged stay, and say that there are no samples', async () => {
    const ballast = measurement('Counter', { test: 'ballast', old: Array.from({ length: ALL_METRICS_UP_TO }, () => 1) })
    const same = { old: [1, 1.1, 1.2, 1.3, 1.4], new: [1, 1.1, 1.2, 1.3, 1.4] }
    const { head } = await save({ measurements: [measurement('client_time', same), measurement('Counter'), ballast] })
    const [found] = await store.runs.metricsOf(1, head, QUERY, ['arm'])
    expect(found!.metrics.map(({ metric, samples }) => [metric, samples !== null])).toEqual([
      ['client_time', true],
      ['Counter', false],
    ])
    expect(found!.metrics[1]).toMatchObject({ oldMedian: 1.2, newMedian: 2.2, separated: true })
    expect(found!.metrics[1]!.pValue).toBeLessThan(0.1)
  })

  test('no more than 2,000 metrics of a query are read, and the rest is counted', async () => {
    const many = Array.from({ length: 2_345 }, (_, index) => measurement(`metric_${index}`, { old: [1], new: [1] }))
    const { head } = await save({ measurements: many })
    const [found] = await store.runs.metricsOf(1, head, QUERY, ['arm'])
    expect(found).toMatchObject({ left: 345 })
    expect(found!.metrics).toHaveLength(2_000)
    expect(found!.metrics.at(-1)!.metric).toBe('metric_1999')
  })
})

test('any names come back as they were stored', async () => {
  const text = fc.oneof(
    fc.string({ unit: anyCodePoint, maxLength: 20 }),
    fc.constantFrom('', "\\'", '{x:String}', '\0\t\n'),
  )
  const named = fc.record({ test: text, queryName: fc.option(text), metric: text }, { noNullPrototype: true })
  // Several queries in one run: to store one takes as long as to read them.
  const several = fc.uniqueArray(named, {
    minLength: 4,
    maxLength: 4,
    selector: ({ test, queryName }) => JSON.stringify([test, queryName]),
  })
  await fc.assert(
    fc.asyncProperty(several, fc.option(text), async (names, architecture) => {
      const measured = names.map(({ metric, ...query }, queryIndex) => measurement(metric, { ...query, queryIndex }))
      const { head } = await save({ architecture, measurements: measured })
      for (const { metric, ...query } of measured) {
        const [found] = await store.runs.metricsOf(1, head, query, [architecture])
        expect(found!.metrics).toEqual([expect.objectContaining({ metric })])
      }
    }),
    { numRuns: 5 },
  )
})

test('how much is usual on the trunk counts the processes that measured, where they are known', async () => {
  const of = (processes: readonly number[]) => ({ taken: { old: { processes }, new: { processes } } })
  const other = { queryIndex: 4, queryName: 'SELECT 2' }
  for (const head of ['trunk-1', 'trunk-2', 'trunk-3']) {
    await save({
      repositoryId: 77,
      pullRequestNumber: 0,
      shard: null,
      shards: null,
      head,
      measurements: [
        measurement('client_time', of([0, 0, 1, 1, 2])),
        measurement('client_time', { ...other, old: [1, 2], new: [1, 2, 3] }),
      ],
    })
  }
  const usual = await store.runs.usualOfTrunk({ repositoryId: 77, metric: 'client_time', before: Date.UTC(2026, 6, 1) })
  const found = [...usual!.queries.values()]
  expect(found.map(({ queryIndex, repetitions, processes }) => [queryIndex, repetitions, processes])).toEqual([
    [3, 5, 3],
    [4, 2, null],
  ])
})

test('what a run of the trunk and a job of a head say of themselves is read with what they measured', async () => {
  const of = { repositoryId: 78, shard: null, shards: null, measurements: [measurement('client_time')] }
  await save({ ...of, pullRequestNumber: 0, machine: 'EPYC 7763' })
  const job = await save({ ...of, finishedAt: '2026-06-02T10:00:00Z', machine: 'Xeon 8370C' })
  const before = Date.parse(job.finishedAt)
  const head = { sha: job.head, pullRequestNumber: 42 }
  const [history] = (
    await store.runs.oneSidedHistories([job], { repositoryId: 78, metric: 'client_time', before, head })
  ).values()
  expect(history).toMatchObject({ trunkRuns: 1, jobs: 1, machine: 'Xeon 8370C', isOtherMachine: true })
})
