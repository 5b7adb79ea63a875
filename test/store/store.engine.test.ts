import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { byMetricOf, type Measurement, type Run } from '../../src/intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../src/judge/verdict/classified-query.ts'
import type { TriageReport } from '../../src/report/report.ts'
import { type ClickHouse, openClickHouse } from '../../src/store/client.ts'
import { asReadBack, shortReadBack } from '../../src/store/runs/read-back.ts'
import { type Judge, rowsOfOthers, rowsOfRun, runIdOf, TooLargeToStore } from '../../src/store/runs/run-rows.ts'
import { QUERY_RESULTS, SAMPLES } from '../../src/store/runs/run-tables.ts'
import { fillPlaceholders } from '../../src/store/sql-placeholders.ts'
import { openStore, type Store, storeOn } from '../../src/store/store.ts'
import { StoreUnavailable } from '../../src/store/store-unavailable.ts'
import { insertInto } from '../../src/store/table.ts'
import { anyCodePoint } from '../any-code-point.ts'
import { computed } from '../computing-time.ts'
import { classifiedQuery } from '../judge/verdict/classified-query-builder.ts'
import { classified } from '../report/judge-setting.ts'
import { migratedDatabase } from './embedded/engine-fixture.ts'

let clickhouse: ClickHouse
let store: Store
let now = new Date('2026-06-01T10:00:00.000Z')
const warnings: unknown[] = []

beforeAll(async () => {
  // Samples leave the table by the clock of the machine.
  now = new Date()
  clickhouse = await openClickHouse(await migratedDatabase())
  store = unremembering()
})
afterAll(() => store.close())

/** A store on the same database that has read nothing yet, as another process has it; `instead`: what it does in another way. */
function unremembering(instead: Partial<ClickHouse> = {}): Store {
  const warn = (details: object, message: string) => warnings.push({ ...details, message })
  const between = new Proxy(clickhouse, {
    get(of, name: keyof ClickHouse) {
      const value: unknown = instead[name] ?? of[name]
      return typeof value === 'function' ? value.bind(of) : value
    },
  })
  return storeOn(between, { now: () => now, warn })
}

const measurement: Measurement = {
  test: 'sum',
  queryIndex: 3,
  queryName: 'SELECT sum(a) FROM t',
  metric: 'client_time',
  unit: 's',
  architecture: null,
  old: [0.1, 0.2, 0.3],
  new: [0.4, 0.5],
  reportThreshold: null,
  rounded: false,
  problems: [],
}

let heads = 0
let repositories = 0
function makeRun(changes: Partial<Run> = {}): Run {
  return {
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
    measurements: [measurement],
    oldCommit: 'a'.repeat(40),
    newCommit: null,
    warnings: [],
    ...changes,
  }
}

const result = classifiedQuery({
  queryIndex: 3,
  queryName: 'SELECT sum(a) FROM t',
  architecture: 'arm',
  old: { median: 0.2, repetitions: 3 },
  new: { median: 0.5, repetitions: 2 },
  difference: 1.5,
  threshold: 1.5,
  pValue: 0.2,
  rankPValue: 0.1,
  qValue: 0.1,
  smallestPValue: 0.2,
  separated: true,
  notes: ['too-few-repetitions', 'uneven-repetitions'],
})

const judge: Judge = (measurements) => measurements.flatMap(({ metric }) => (metric === result.metric ? [result] : []))

/** Counted plainly, as an analyst would. */
async function countRows(head: string): Promise<{ runs: number; results: number; samples: number }> {
  const row = z.object({ runs: z.coerce.number(), results: z.coerce.number(), samples: z.coerce.number() })
  const rows = await clickhouse.read(
    'counts',
    `SELECT (SELECT count() FROM runs FINAL WHERE head = {head:String}) AS runs,
            (SELECT count() FROM query_results WHERE head = {head:String}) AS results,
            (SELECT count() FROM samples WHERE run_id IN (SELECT run_id FROM query_results WHERE head = {head:String})) AS samples`,
    { head },
    row,
  )
  return rows[0]!
}

describe('a run', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCodePoint, maxLength: 20 }),
    fc.constantFrom('', '\t\n\r\\\'"`', 'ü', '{x:String}', '\0'),
  )
  const value = fc.oneof(fc.double(), fc.constantFrom(NaN, Infinity, -Infinity, -0, 0, 5e-324, Number.MAX_VALUE))
  const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null })
  const index = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  const plain = { noNullPrototype: true }
  const problem = fc.record(
    {
      reason: fc.constantFrom('skipped', 'run-error', 'partial' as const),
      side: maybe(fc.constantFrom('old', 'new' as const)),
      message: text,
    },
    plain,
  )
  const anyMeasurement: fc.Arbitrary<Measurement> = fc.record(
    {
      test: text,
      queryIndex: maybe(index),
      queryName: maybe(text),
      ordinal: index,
      metric: text,
      unit: maybe(text),
      architecture: maybe(text),
      old: fc.array(value, { maxLength: 12 }),
      new: fc.array(value, { maxLength: 12 }),
      reportThreshold: maybe(value),
      rounded: fc.boolean(),
      problems: fc.array(problem, { maxLength: 2 }),
    },
    {
      requiredKeys: [
        'test',
        'queryIndex',
        'queryName',
        'metric',
        'unit',
        'architecture',
        'old',
        'new',
        'reportThreshold',
        'rounded',
        'problems',
      ],
      noNullPrototype: true,
    },
  )
  const confirmation = fc.record(
    {
      test: text,
      queryIndex: index,
      result: fc.constantFrom('confirmed', 'not-reproduced' as const),
      difference: maybe(fc.integer()),
      threshold: maybe(fc.integer()),
    },
    plain,
  )
  const everyRun = {
    pullRequestNumber: index,
    head: text,
    check: text,
    architecture: maybe(text),
    shard: maybe(index),
    shards: maybe(index),
    attempt: index,
    source: text,
    finishedAt: fc.constantFrom('2026-06-01T10:00:00Z', '2026-06-01T10:00:00.123Z', '2026-06-01T12:00:00+02:00'),
    measurements: fc.array(anyMeasurement, { maxLength: 5 }),
    oldCommit: maybe(text),
    newCommit: maybe(text),
    warnings: fc.array(fc.record({ code: fc.constant('malformed-line' as const), where: text, message: text }, plain), {
      maxLength: 2,
    }),
  }
  const about = {
    labels: fc.record(
      { kind: fc.constantFrom('program', 'machine' as const), old: fc.array(text), new: fc.array(text) },
      plain,
    ),
    machine: text,
    workflow: text,
  }
  const anyRun = fc.oneof(
    fc.record(everyRun),
    fc.record({ ...everyRun, ...about, confirmations: fc.array(confirmation, { maxLength: 2 }) }),
  )

  test('comes back exactly as it was saved', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (generated) => {
        // A repository of its own: the first of two runs with the same key stands.
        const run: Run = { ...generated, repositoryId: Number.MAX_SAFE_INTEGER - ++repositories }
        await store.runs.save(run, [])
        expect(await store.runs.has(run)).toBe(true)
        expect(await store.runs.of(run.repositoryId, run.head)).toStrictEqual([run])
      }),
      { numRuns: 25 },
    )
  })

  test('saved twice, one after the other or at once, is there once', async () => {
    const run = makeRun()
    await Promise.all([store.runs.save(run, [result]), store.runs.save(run, [result])])
    await store.runs.save(run, [result])
    expect(await countRows(run.head)).toEqual({ runs: 1, results: 1, samples: 5 })
    expect(await store.runs.of(1, run.head)).toStrictEqual([run])
  })

  test('gives of the attempts of a head what was compared, those that were replaced among them', async () => {
    const run = makeRun()
    const compared = (old: number, fresh: number): ClassifiedQuery => ({
      ...classifiedQuery({ old: { median: old, repetitions: 3 }, new: { median: fresh, repetitions: 2 } }),
      ...measurement,
      old: { median: old, repetitions: 3 },
      new: { median: fresh, repetitions: 2 },
    })
    for (const [attempt, fresh] of [
      [2, 0.4],
      [1, 0.5],
    ] as const) {
      await store.runs.save({ ...run, attempt }, [compared(0.2, fresh)])
    }
    await store.runs.save({ ...run, check: 'other' }, [{ ...compared(0.2, 0.3), status: 'failed' }])
    const { check, architecture, shard } = run
    expect(await store.runs.attemptsOf(1, run.head, 'client_time')).toEqual([
      { check: 'other', architecture, shard, attempt: 1, medians: [] },
      { check, architecture, shard, attempt: 2, medians: [[0.2, 0.4]] },
      { check, architecture, shard, attempt: 1, medians: [[0.2, 0.5]] },
    ])
    expect(await store.runs.attemptsOf(1, run.head, 'other')).toMatchObject([
      { medians: [] },
      { medians: [] },
      { medians: [] },
    ])
    expect(await store.runs.attemptsOf(1, 'another head', 'client_time')).toEqual([])
  })

  test('of the trunk says by which workflow a check was measured last', async () => {
    const repositoryId = Number.MAX_SAFE_INTEGER - ++repositories
    const runs: readonly Partial<Run>[] = [
      { check: 'a', workflow: 'old.yml', finishedAt: '2026-11-20T10:00:00Z', attempt: 1 },
      { check: 'a', workflow: 'new.yml', finishedAt: '2026-11-21T10:00:00Z', attempt: 2 },
      // Stored before it was kept, and of a pull request.
      { check: 'a', finishedAt: '2026-11-22T10:00:00Z', attempt: 3 },
      { check: 'a', workflow: 'pull.yml', finishedAt: '2026-11-23T10:00:00Z', attempt: 4, pullRequestNumber: 7 },
      { check: 'b', workflow: '', machine: 'amd' },
      { check: 'c' },
    ]
    for (const run of runs) await store.runs.save({ ...makeRun(), repositoryId, pullRequestNumber: 0, ...run }, [])
    expect(await store.runs.workflowsOfTrunk(repositoryId)).toEqual(
      new Map([
        ['a', 'new.yml'],
        ['b', ''],
      ]),
    )
    expect(await store.runs.workflowsOfTrunk(repositoryId + 1_000_000)).toEqual(new Map())
  })

  test('left unfinished does not count, and is replaced by the next try', async () => {
    const run = makeRun()
    const rows = rowsOfRun(run, [result], new Date(now.getTime() + 86_400_000))
    await insertInto(clickhouse, QUERY_RESULTS, rows.results)
    await insertInto(clickhouse, SAMPLES, [...rows.samples].slice(0, 2))
    expect(await store.runs.has(run)).toBe(false)
    expect(await store.runs.of(1, run.head)).toEqual([])
    await store.runs.save(run, [result])
    expect(await countRows(run.head)).toEqual({ runs: 1, results: 1, samples: 5 })
    expect(await store.runs.of(1, run.head)).toStrictEqual([run])
  })

  test('whose other metrics come later is read by those of its report meanwhile, then has all of them, once', async () => {
    const counter = { ...measurement, metric: 'ContextLock', unit: null, old: [7], new: [8] }
    const work = { ...measurement, metric: 'SelectedRows', unit: null, old: [10], new: [20] }
    const whole = makeRun({
      measurements: [measurement, counter, work],
      warnings: [{ code: 'malformed-line', where: 'a:1', message: 'm' }],
    })
    const first: Run = { ...whole, measurements: [measurement, work], warnings: [], othersUnread: true }
    await store.runs.save(first, [result])
    const metrics = async () =>
      (await store.runs.metricsOf(1, whole.head, measurement, ['arm'])).map((run) => [
        run.othersUnread,
        run.metrics.map(({ metric }) => metric),
      ])
    const read = async () => await unremembering().runs.of(1, whole.head, 'client_time')
    const stored = { ...first, storedAt: now.getTime() }
    expect(await read()).toStrictEqual([stored])
    expect(await store.runs.of(1, whole.head, 'client_time')).toStrictEqual([stored])
    expect(await metrics()).toEqual([[true, ['client_time', 'SelectedRows']]])
    const byCounter = async () =>
      (await store.runs.of(1, whole.head, 'ContextLock'))[0]!.measurements.map(({ metric, old }) => [metric, ...old])
    expect(await byCounter()).toEqual([['SelectedRows', 10], ['ContextLock']])

    // what a writing that was cut off has left is not read, and is replaced
    const [all, expires] = [byMetricOf(whole.measurements), new Date(now.getTime() + 86_400_000)]
    const rows = rowsOfOthers(whole, all, judge, expires, 'client_time', [measurement, work])
    await insertInto(clickhouse, QUERY_RESULTS, rows.results)
    await insertInto(clickhouse, SAMPLES, [...rows.samples].slice(0, 1))
    expect(await read()).toStrictEqual([stored])
    expect(await byCounter()).toEqual([['SelectedRows', 10], ['ContextLock']])
    now = new Date(now.getTime() + 1000)
    await Promise.all([store.runs.saveOthers(whole, all, judge), store.runs.saveOthers(whole, all, judge)])
    expect(await metrics()).toEqual([[undefined, ['client_time', 'SelectedRows', 'ContextLock']]])
    expect(await countRows(whole.head)).toEqual({ runs: 1, results: 3, samples: 9 })
    expect(await byCounter()).toEqual([
      ['SelectedRows', 10],
      ['ContextLock', 7],
    ])
    const ofReport = { ...whole, measurements: [measurement, work] }
    expect(await read()).toStrictEqual([ofReport])
    expect(await store.runs.of(1, whole.head, 'client_time')).toStrictEqual([ofReport])
    expect(warnings).toEqual([])
  })

  test('of which one query had another metric from the first has it of the others too', async () => {
    const counter = { ...measurement, metric: 'ContextLock', unit: null }
    const early = { ...counter, test: 'other' }
    const whole = makeRun({ measurements: [measurement, counter, early] })
    await store.runs.save({ ...whole, measurements: [measurement, early], othersUnread: true }, [result])
    now = new Date(now.getTime() + 1000)
    await store.runs.saveOthers(whole, byMetricOf(whole.measurements), judge)
    const [run] = await store.runs.metricsOf(1, whole.head, measurement, ['arm'])
    expect(run!.metrics.map(({ metric }) => metric)).toEqual(['client_time', 'ContextLock'])
    expect(await countRows(whole.head)).toMatchObject({ results: 3 })
  })

  test('whose source is gone before its other metrics were read has those that it has, whatever the clocks', async () => {
    const run = makeRun({ othersUnread: true })
    await store.runs.save(run, [result])
    now = new Date(now.getTime() - 1000)
    const { othersUnread: _, ...known } = run
    await store.runs.saveOthers(known, new Map(), judge)
    expect(await store.runs.of(1, run.head)).toStrictEqual([known])
  })

  test('whose other metrics another process has stored meanwhile is left as it is', async () => {
    const counter = { ...measurement, metric: 'ContextLock', unit: null, old: [7], new: [8] }
    const whole = makeRun({ measurements: [measurement, counter] })
    await store.runs.save({ ...whole, measurements: [measurement], othersUnread: true }, [result])
    const changed: string[] = []
    const instead: Partial<ClickHouse> = {
      read: async (...args) => {
        if (args[0] === 'places-of-run')
          await unremembering().runs.saveOthers(whole, byMetricOf(whole.measurements), judge)
        return await clickhouse.read(...args)
      },
      command: async (...args) => {
        changed.push(args[0])
        await clickhouse.command(...args)
      },
    }
    now = new Date(now.getTime() + 1000)
    await unremembering(instead).runs.saveOthers(whole, byMetricOf(whole.measurements), judge)
    expect(changed).not.toContain('delete-run')
    expect(await countRows(whole.head)).toEqual({
      runs: 1,
      results: 2,
      samples: 2 + measurement.old.length + measurement.new.length,
    })
  })

  test('whose other metrics another process stores between a look and the writing has them once', async () => {
    const counter = { ...measurement, metric: 'ContextLock', unit: null, old: [7], new: [8] }
    const whole = makeRun({ measurements: [measurement, counter] })
    await store.runs.save({ ...whole, measurements: [measurement], othersUnread: true }, [result])
    now = new Date(now.getTime() + 1000)
    let isFirst = true
    const late = unremembering({
      insert: async (...args) => {
        if (isFirst) {
          isFirst = false
          await unremembering().runs.saveOthers(whole, byMetricOf(whole.measurements), judge)
        }
        await clickhouse.insert(...args)
      },
    })
    await late.runs.saveOthers(whole, byMetricOf(whole.measurements), judge)
    expect(await countRows(whole.head)).toEqual({ runs: 1, results: 2, samples: 7 })
    expect(await unremembering().runs.of(1, whole.head)).toStrictEqual([whole])
  })

  test('is judged, and remembered, as it is read back by the metric that decides', async () => {
    const metrics = ['client_time', 'SelectedRows', 'memory_usage', 'OpenedFiles']
    await fc.assert(
      fc.asyncProperty(anyRun, fc.boolean(), fc.boolean(), async (generated, hasAll, isPart) => {
        const metric = hasAll ? 'client_time' : (generated.measurements[0]?.metric ?? '')
        const measurements = hasAll
          ? generated.measurements.flatMap((one) => metrics.map((of) => ({ ...one, metric: of })))
          : generated.measurements
        const { labels, ...others }: Omit<Run, 'repositoryId'> = generated
        const run: Run = {
          ...others,
          ...(labels !== undefined && !hasAll && { labels }),
          measurements,
          repositoryId: Number.MAX_SAFE_INTEGER - ++repositories,
          ...(isPart && { othersUnread: true }),
        }
        await store.runs.save(run, [], undefined, metric)
        const remembered = await store.runs.of(run.repositoryId, run.head, metric)
        const stored = await unremembering().runs.of(run.repositoryId, run.head, metric)
        expect(remembered).toStrictEqual(stored)
        if (hasAll && run.measurements.length > 0) expect(shortReadBack(run, metric)).not.toBeNull()
        const { storedAt: _, ...read } = stored[0]!
        expect(asReadBack(run, metric)).toStrictEqual(read)
      }),
      { numRuns: 25 },
    )
  })

  test('stored again after its rows were removed, it is complete where equal blocks are dropped, as replicas do', async () => {
    const replicated = await openClickHouse(await migratedDatabase())
    for (const table of ['query_results', 'samples', 'stacks']) {
      const alter = `ALTER TABLE {{table:${table}}} MODIFY SETTING non_replicated_deduplication_window = 100`
      await replicated.command('alter', fillPlaceholders(alter, replicated)!)
    }
    const run = makeRun()
    const rows = rowsOfRun(run, [result], new Date(now.getTime() + 90 * 86_400_000))
    await insertInto(replicated, QUERY_RESULTS, rows.results)
    await insertInto(replicated, SAMPLES, rows.samples)
    const other = storeOn(replicated, { now: () => now })
    await other.runs.save(run, [result], 90)
    expect(await other.runs.of(1, run.head)).toStrictEqual([run])
    await other.close()
  })

  test('its outcomes stand beside the measurements they are of', async () => {
    const other = { ...measurement, metric: 'memory_usage', unit: 'bytes', old: [1, 3, 2], new: [] }
    const unmeasured = {
      ...result,
      queryIndex: 9,
      queryName: 'SELECT 9',
      status: 'not-measured' as const,
      outcome: null,
    }
    const run = makeRun({ measurements: [other, measurement] })
    await store.runs.save(run, [result, unmeasured])
    const row = z.object({
      metric: z.string(),
      i: z.number(),
      status: z.string().nullable(),
      old_median: z.number().nullable(),
      notes: z.array(z.string()),
    })
    expect(
      await clickhouse.read(
        'results',
        'SELECT metric, query_index AS i, status, old_median, notes FROM query_results WHERE head = {head:String} ORDER BY measurement',
        { head: run.head },
        row,
      ),
    ).toEqual([
      { metric: 'memory_usage', i: 3, status: null, old_median: 2, notes: [] },
      { metric: 'client_time', i: 3, status: 'compared', old_median: 0.2, notes: result.notes },
      { metric: 'client_time', i: 9, status: 'not-measured', old_median: 0.2, notes: result.notes },
    ])
    expect(await store.runs.of(1, run.head)).toStrictEqual([run])
  })

  test('has what the source says beside the samples', async () => {
    const given = { kind: 'mean', value: 0.2, lower: 0.1, upper: 0.3, spread: 0.5, repetitions: null } as const
    const run = makeRun({
      measurements: [
        { ...measurement, better: 'higher', notes: ['multiplexed', 'user-space-only'] },
        { ...measurement, queryIndex: 6, better: null },
        { ...measurement, queryIndex: 4, old: [0.2], given: { old: given } },
        { ...measurement, queryIndex: 5, old: [0.2], new: [0.3], comparison: { difference: 0.5, threshold: 0.1 } },
        { ...measurement, queryIndex: 6, clock: true },
        { ...measurement, queryIndex: 7, equalBuilds: { base: [1, 2], copy: [2, 1] } },
        {
          ...measurement,
          queryIndex: 7,
          old: [0.2, 0.3],
          new: [0.2, 0.2],
          taken: { old: { processes: [0, 1], places: [0, 3] }, new: { places: [1, 2] } },
        },
      ],
    })
    await store.runs.save(run, [])
    expect((await store.runs.of(1, run.head))[0]!.measurements).toStrictEqual(run.measurements)
  })

  test('of two machines comes back with what is said of them and with all metrics', async () => {
    const machines = { kind: 'machine', old: ['m6i'], new: ['m7g'] } as const
    const cold = { ...measurement, metric: 'cold' }
    const lost = { ...cold, queryIndex: null, queryName: 'SELECT 2' }
    const flag = { test: 'sum', queryIndex: 1, flag: 'slower' } as const
    const own = {
      status: 'failure',
      message: '1 slower',
      flagged: { slower: 1, faster: null, unstable: 0, rows: [flag] },
      thresholds: 'bare',
      dashboard: [{ test: 'sum', queryIndex: 1 }],
    } as const
    const runNotes = {
      slowOnClient: [{ test: 'sum', queryIndex: 1, ratio: 1.5 }],
      servers: [{ metric: 'RSS', old: 1, new: 2, difference: 1 }],
    }
    const run = makeRun({
      own,
      runNotes,
      labels: machines,
      machine: 'Graviton',
      environments: [{ architecture: null, old: { cpu: ['A'] }, new: { cpu: ['B', 'C'] }, differing: ['cpu'] }],
      measurements: [{ ...cold, metric: 'hot' }, cold, lost],
    })
    await store.runs.save(run, [])
    const none = { metric: 'hot', unit: null, old: [], new: [], reportThreshold: null, rounded: false }
    const [read] = await store.runs.of(1, run.head, 'client_time')
    expect(read).toEqual({ ...run, decides: 'hot', measurements: [...run.measurements, { ...lost, ...none }] })
  })

  test('of benchmarks in time has the rate of those that have a rate alone', async () => {
    const of = (queryName: string, metric: string) => ({ ...measurement, queryIndex: null, queryName, metric })
    const run = makeRun({ measurements: [of('both', 'time'), of('both', 'throughput'), of('rate', 'throughput')] })
    await store.runs.save(run, [])
    const [read] = await store.runs.of(1, run.head, 'client_time')
    const told = ({ measurements }: Run) =>
      measurements.map(({ queryName, metric, old }) => [queryName, metric, old.length > 0])
    expect(read!.decides).toBe('time')
    expect(told(read!)).toEqual([
      ['both', 'time', true],
      ['rate', 'throughput', true],
      ['rate', 'time', false],
    ])
    expect(
      classified([read!], { primaryMetric: 'time' })
        .results.map(({ queryName, metric }) => `${queryName} ${metric}`)
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['both time', 'rate throughput'])
  })

  test('of benchmarks has the metric of each, and where none has a time that of the most telling one', async () => {
    const of = (queryName: string, metric: string) => ({ ...measurement, queryIndex: null, queryName, metric })
    const shown = async (measurements: Run['measurements'], head: string) => {
      const run = makeRun({ head, measurements })
      await store.runs.save(run, [])
      const [read] = await store.runs.of(1, head, 'client_time')
      const rows = classified([read!], { primaryMetric: read!.decides! }).results
      return new Set([read!.decides, ...rows.map(({ queryName, metric }) => `${queryName} ${metric}`)])
    }
    const mixed = [of('plain', 'time'), of('own', 'allocations'), of('own', 'widgets/s'), of('memory', 'bytes')]
    expect(await shown(mixed, 'a'.repeat(40))).toEqual(new Set(['time', 'memory bytes', 'own widgets/s', 'plain time']))
    expect(await shown([of('own', 'bytes'), of('own', 'widgets/s')], 'b'.repeat(40))).toEqual(
      new Set(['own widgets/s', 'widgets/s']),
    )
  })

  test('by one metric has a measurement without samples of each query that other metrics alone have', async () => {
    const said = { reason: 'run-error', side: 'new', message: 'Code: 1' } as const
    const time = { metric: 'cpu_time', rounded: true }
    const lost = { ...measurement, ...time, queryIndex: null, queryName: 'SELECT 2', ordinal: 1, problems: [said] }
    const run = makeRun({
      measurements: [measurement, { ...measurement, ...time }, lost, { ...lost, metric: 'real_time' }],
    })
    await store.runs.save(run, [])
    const [{ measurements }] = (await store.runs.of(1, run.head, 'client_time')) as [Run]
    const none = { metric: 'client_time', unit: null, old: [], new: [], reportThreshold: null, rounded: false }
    expect(measurements).toEqual([measurement, { ...lost, ...none }])
    const [byTime] = await store.runs.of(1, run.head, 'cpu_time')
    expect(byTime!.measurements).toEqual(run.measurements.slice(1, 3))
  })

  test('of a check that ran again the newest attempt stands, whichever was stored last', async () => {
    const head = 'again'
    const second = makeRun({ head, attempt: 2, measurements: [{ ...measurement, old: [2] }] })
    await store.runs.save(second, [])
    await store.runs.save(makeRun({ head, attempt: 1 }), [])
    expect(await store.runs.of(1, head)).toStrictEqual([second])
    expect(await store.runs.has({ ...second, attempt: 3 })).toBe(false)
  })

  test('without architecture or shard is another one than with an empty or zero one', async () => {
    const head = 'nullable'
    const runs = [
      makeRun({ head, architecture: null, shard: null }),
      makeRun({ head, architecture: null, shard: 0 }),
      makeRun({ head, architecture: '', shard: null }),
      makeRun({ head, architecture: '', shard: 0 }),
    ]
    for (const run of runs) await store.runs.save(run, [])
    expect(await store.runs.of(1, head)).toStrictEqual(runs)
    const isStored = await store.runs.stored(1, head)
    expect([...runs, makeRun({ head, attempt: 7 })].map(isStored)).toEqual([true, true, true, true, false])
  })

  test('of another repository is never seen', async () => {
    const run = makeRun({ repositoryId: 5 })
    await store.runs.save(run, [])
    expect(await store.runs.of(6, run.head)).toEqual([])
    expect(await store.runs.has({ ...run, repositoryId: 6 })).toBe(false)
    expect((await store.runs.stored(6, run.head))(run)).toBe(false)
  })

  test('whose samples have expired counts as not stored, and can be stored again', async () => {
    const run = makeRun()
    await store.runs.save(run, [], 1)
    const saved = now
    now = new Date(saved.getTime() + 86_400_000 + 1000)
    expect(await store.runs.has(run)).toBe(false)
    expect((await store.runs.stored(1, run.head))(run)).toBe(false)
    expect(await store.runs.of(1, run.head)).toEqual([])
    await store.runs.save(run, [], 30)
    expect(await store.runs.of(1, run.head)).toStrictEqual([run])
    now = saved
  })

  test('with rows missing is left out, and said', async () => {
    const run = makeRun()
    await store.runs.save(run, [])
    await clickhouse.command('delete', 'DELETE FROM samples WHERE run_id = {runId:UUID} AND repetition = 2', {
      runId: runIdOf(run),
    })
    expect(await unremembering().runs.of(1, run.head)).toEqual([])
    expect(warnings.at(-1)).toMatchObject({ samples: 5, foundSamples: 4 })
  })

  test.each([
    ['samples missing', 'DELETE FROM samples WHERE run_id = {runId:UUID} AND repetition = 2'],
    ['all results missing', 'DELETE FROM query_results WHERE run_id = {runId:UUID}'],
    ['rows twice', 'INSERT INTO query_results SELECT * FROM query_results WHERE run_id = {runId:UUID}'],
    ['samples twice', 'INSERT INTO samples SELECT * FROM samples WHERE run_id = {runId:UUID} LIMIT 1'],
  ])('with %s counts as not stored, alone of its head, and is whole again after the next writing', async (_, sql) => {
    const beside = makeRun({ shard: 2 })
    const run = makeRun({ head: beside.head })
    await store.runs.save(beside, [result])
    await store.runs.save(run, [result])
    await clickhouse.command('tear', sql, { runId: runIdOf(run) })
    expect(await store.runs.has(run)).toBe(false)
    const isStored = await store.runs.stored(1, run.head)
    expect([run, beside].map(isStored)).toEqual([false, true])
    // by the clock of this process the torn one was stored later
    const [saved, whole] = [now, { ...run, othersUnread: true as const }]
    now = new Date(now.getTime() - 60_000)
    await unremembering().runs.save(whole, [result])
    expect(await store.runs.has(run)).toBe(true)
    expect(await countRows(run.head)).toEqual({ runs: 2, results: 2, samples: 10 })
    expect(await unremembering().runs.of(1, run.head)).toMatchObject([whole, beside])
    now = saved
  })

  test('that was whole and is torn later counts as not stored once a reading has found that', async () => {
    const run = makeRun()
    await store.runs.save(run, [result])
    const reader = unremembering()
    expect(await reader.runs.has(run)).toBe(true)
    await clickhouse.command('tear', 'DELETE FROM samples WHERE run_id = {runId:UUID} AND repetition = 2', {
      runId: runIdOf(run),
    })
    expect(await reader.runs.of(1, run.head)).toEqual([])
    expect(await reader.runs.has(run)).toBe(false)
  })

  test('that another process stores between a look and the writing is there once', async () => {
    const run = makeRun()
    let isFirst = true
    const late = unremembering({
      insert: async (...args) => {
        if (isFirst) {
          isFirst = false
          await unremembering().runs.save(run, [result])
        }
        await clickhouse.insert(...args)
      },
    })
    await late.runs.save(run, [result])
    expect(await countRows(run.head)).toEqual({ runs: 1, results: 1, samples: 5 })
    expect(await unremembering().runs.of(1, run.head)).toStrictEqual([run])
  })

  test('that several processes store at once is whole, at the latest after the next try of each', async () => {
    const run = makeRun({ measurements: [1, 2, 3].map((queryIndex) => ({ ...measurement, queryIndex })) })
    const processes = [unremembering(), unremembering(), unremembering()]
    await Promise.allSettled(processes.map((one) => one.runs.save(run, [])))
    for (const one of processes) if (!(await one.runs.has(run))) await one.runs.save(run, [])
    expect(await countRows(run.head)).toEqual({ runs: 1, results: 3, samples: 15 })
    expect(await unremembering().runs.of(1, run.head)).toStrictEqual([run])
  })

  test('of a large run the samples of other metrics are not kept, those of time, memory, work and the primary metric are', async () => {
    const many = Array.from({ length: 60_000 }, (_, index) => index)
    const of = (metric: string, unit: string | null) => ({ ...measurement, metric, unit, old: many, new: [] })
    const run = makeRun({
      measurements: [
        of('client_time', 's'),
        of('Rows', null),
        of('Judged', null),
        of('peak', 'bytes'),
        of('Parts', null),
        of('SelectedParts', null),
      ],
    })
    const rows = rowsOfRun(run, [], now, 'Judged')
    const kept = [...rows.results].map(({ samplesKept }) => samplesKept)
    expect(kept).toEqual([true, false, true, true, false, true])
    expect(rows.sampleCount).toBe(240_000)
    const started = computed()
    await store.runs.save(run, [])
    const [back] = await store.runs.of(1, run.head)
    expect(back?.measurements.map(({ metric, old }) => [metric, old.length])).toEqual([
      ['client_time', 60_000],
      ['peak', 60_000],
      ['SelectedParts', 60_000],
    ])
    expect(computed() - started).toBeLessThan(10_000)
  })

  test('is read again with what it is judged by alone where that is asked for, and is still held against all its rows', async () => {
    const of = (metric: string) => ({ ...measurement, metric })
    const all = ['client_time', 'Judged', 'SelectedRows', 'Counter'].map(of)
    const run = makeRun({ measurements: all })
    await store.runs.save(run, [])
    expect(await store.runs.of(1, run.head, 'Judged')).toStrictEqual([
      { ...run, measurements: [of('Judged'), of('SelectedRows')] },
    ])
    expect(await store.runs.of(1, run.head)).toStrictEqual([run])
    await clickhouse.command('delete', "DELETE FROM samples WHERE run_id = {runId:UUID} AND metric = 'Counter'", {
      runId: runIdOf(run),
    })
    expect(await unremembering().runs.of(1, run.head, 'client_time')).toEqual([])
    expect(warnings.at(-1)).toMatchObject({ samples: 20, foundSamples: 15, foundMeasurements: 4 })
  })

  test('is read with each table counted once, and its stacks not at all', async () => {
    const run = makeRun()
    await store.runs.save(run, [])
    const reads = vi.spyOn(clickhouse, 'read')
    expect(await store.runs.of(1, run.head)).toStrictEqual([run])
    const names = ['runs-of-head', 'counted-runs', 'measurements-of-run', 'samples-of-run']
    expect(reads.mock.calls.map(([name]) => name)).toEqual(names)
    expect(reads.mock.calls.filter(([, sql]) => sql.includes('stacks'))).toEqual([])

    // Another time only which runs there are.
    reads.mockClear()
    expect(await store.runs.of(1, run.head)).toStrictEqual([run])
    expect(reads.mock.calls.map(([name]) => name)).toEqual(['runs-of-head'])
    reads.mockRestore()
  })

  test('beyond all measure is refused before anything is written', async () => {
    const many = Array.from({ length: 1_000_000 }, () => 1)
    const run = makeRun({ measurements: Array.from({ length: 6 }, () => ({ ...measurement, old: many })) })
    await expect(store.runs.save(run, [])).rejects.toThrow(TooLargeToStore)
    expect(await countRows(run.head)).toEqual({ runs: 0, results: 0, samples: 0 })
  })
})

describe('a report', () => {
  function makeReport(changes: Partial<TriageReport> = {}): TriageReport {
    return {
      schemaVersion: 1,
      repository: { id: 9, owner: 'Owner', name: 'Name', isPrivate: true, url: 'https://github.com/Owner/Name' },
      pullRequest: { number: 3, baseRef: 'main' },
      head: 'h1',
      mergeBase: null,
      references: [],
      primaryMetric: 'client_time',
      architectures: ['arm'],
      shards: [],
      complete: true,
      rows: [
        {
          ...result,
          results: [result],
          decidedBy: 0,
          outcome: 'changed',
          direction: 'slower',
          verdict: 'regression',
          guarded: false,
          evidence: [],
          sinceLastPush: 'new',
        },
      ],
      counts: { slower: 1, faster: 0, unstable: 0, tooSmall: 0, notSignificant: 0, notCompared: 0 },
      thresholdSources: { floor: 1, configured: 0, test: 0, learned: 0, given: 0 },
      discoveries: [],
      smallestPValue: null,
      shifts: [],
      sinceLastPush: null,
      failingTests: null,
      windows: [],
      mode: 'advisory',
      degradations: [],
      warnings: [{ code: 'malformed-line', where: "a\t'b'\n", message: 'ü' }],
      judgedAt: '2026-06-01T10:00:00.000Z',
      ...changes,
    }
  }

  test('comes back as it was saved; the newest of a head, of the pull request, and of another head', async () => {
    const first = makeReport()
    const second = makeReport({ head: 'h2', judgedAt: '2026-06-01T11:00:00.000Z' })
    const third = makeReport({ head: 'h1', judgedAt: '2026-06-01T12:00:00.000Z', complete: false })
    expect(await store.reports.of(9, 3)).toBeNull()
    await store.reports.save(third)
    await store.reports.save(first)
    await store.reports.save(second)
    await store.reports.save(second)
    expect(await store.reports.of(9, 3)).toStrictEqual(third)
    expect(await store.reports.of(9, 3, 'h1')).toStrictEqual(third)
    expect(await store.reports.of(9, 3, 'h2')).toStrictEqual(second)
    expect(await store.reports.of(9, 3, 'h3')).toBeNull()
    expect(await store.reports.before(9, 3, 'h1')).toStrictEqual(second)
    expect(await store.reports.before(9, 3, 'h2')).toStrictEqual(third)
    expect(await store.reports.before(9, 300, 'h2')).toBeNull()
    expect(await store.reports.of(10, 3)).toBeNull()
  })

  test('read again it is the same one, and never an older one', async () => {
    const first = makeReport({ pullRequest: { number: 4, baseRef: 'main' } })
    await store.reports.save(first)
    const read = await store.reports.of(9, 4)
    expect(await store.reports.of(9, 4)).toBe(read)
    expect(await store.reports.of(9, 4, 'h1')).toBe(read)
    const newer = makeReport({ pullRequest: first.pullRequest, head: 'h2', judgedAt: '2026-06-01T13:00:00.000Z' })
    await store.reports.save(newer)
    expect(await store.reports.of(9, 4)).toStrictEqual(newer)
    expect(await store.reports.of(9, 4, 'h2')).toStrictEqual(newer)
    expect((await store.reports.of(9, 4, 'h1'))?.head).toBe('h1')
    expect(await store.reports.of(9, 4, 'h3')).toBeNull()
  })

  test('of another bot on the same database the newest is found as well', async () => {
    const other = storeOn(clickhouse)
    const first = makeReport({ pullRequest: { number: 5, baseRef: 'main' } })
    await store.reports.save(first)
    expect(await store.reports.of(9, 5)).toStrictEqual(first)
    const newer = { ...first, complete: false, judgedAt: '2026-06-01T14:00:00.000Z' }
    await other.reports.save(newer)
    expect(await store.reports.of(9, 5)).toStrictEqual(newer)
    expect(await store.reports.of(9, 5, 'h1')).toStrictEqual(newer)
  })

  test.each([
    ['of another version', JSON.stringify({ ...makeReport(), schemaVersion: 99 }), /99/],
    ['that is no JSON', '{"schemaVersion":1', /not JSON/],
    ['that lacks its rows', JSON.stringify({ ...makeReport(), rows: undefined }), /rows/],
    ['that is null', 'null', /undefined/],
  ])('%s is null, with a reason', async (name, report, reason) => {
    const number = 1000 + name.length
    const columns = ['repository_id', 'pull_request_number', 'head', 'judged_at', 'report']
    await clickhouse.insert('reports', columns, [[9, number, 'h', '2026-06-01T10:00:00.000Z', report]])
    expect(await store.reports.of(9, number)).toBeNull()
    expect(warnings.at(-1)).toMatchObject({
      repositoryId: 9,
      pullRequestNumber: number,
      reason: expect.stringMatching(reason),
    })
  })

  test('names its repository until a newer one gives it another name', async () => {
    const named = (id: number, owner: string, name: string, judgedAt: string) =>
      makeReport({
        repository: { id, owner, name, isPrivate: id === 77, url: '' },
        pullRequest: { number: 1, baseRef: 'main' },
        judgedAt,
      })
    await store.reports.save(named(77, 'Acme', 'Tool', '2026-06-01T10:00:00.000Z'))
    expect(await store.reports.repositoryByName('aCME', 'tOOL')).toEqual({ id: 77, isPrivate: true })
    expect(await store.reports.repositoryByName('acme', 'other')).toBeNull()
    await store.reports.save({ ...named(77, 'Acme', 'Renamed', '2026-06-01T11:00:00.000Z'), head: 'later' })
    expect(await store.reports.repositoryByName('acme', 'tool')).toBeNull()
    await store.reports.save(named(78, 'acme', 'tool', '2026-06-01T09:00:00.000Z'))
    expect(await store.reports.repositoryByName('acme', 'tool')).toEqual({ id: 78, isPrivate: false })
    expect(await store.reports.repositoryByName("x' OR 1 --", '%')).toBeNull()
  })
})

test('a server that is down does not keep the store from opening, and each call says so', async () => {
  const away = await openStore({ url: 'http://127.0.0.1:1', dataDir: '' })
  const error = await away.runs.save(makeRun(), []).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(StoreUnavailable)
  expect(String(error)).toMatch(/127\.0\.0\.1:1 can't be reached/)
  await away.close()
})
