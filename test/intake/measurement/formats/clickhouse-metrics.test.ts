import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { readRun } from '../../../../src/intake/archive/read-run.ts'
import { parseArray } from '../../../../src/intake/measurement/formats/clickhouse-metrics.ts'
import { unitOf } from '../../../../src/intake/measurement/metric-group.ts'
import type { Measurement, RunContents } from '../../../../src/intake/measurement/run.ts'
import { anyCodePoint } from '../../../any-code-point.ts'
import { computed } from '../../../computing-time.ts'
import { codes, readTexts, row } from '../read-text.ts'
import { clickhouseFiles } from './clickhouse-metric-files.ts'

const DENORM = 'analyze/query-run-metrics-denorm.tsv'
const ARRAYS = 'analyze/query-run-metric-arrays.tsv'

/** Four queries and a hundred counters that were measured; the positions and names of files that ClickHouse's have. */
let recorded: readonly Measurement[]
let files: Record<string, string>

beforeAll(async () => {
  const run = await readRun(fileURLToPath(new URL('../../../data/run-metrics/measurements.jsonl.gz', import.meta.url)))
  recorded = run.measurements.map((one) => ({ ...one, queryIndex: one.queryIndex ?? 0 }))
  files = clickhouseFiles(recorded)
})

const only = (...names: readonly string[]) =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name.endsWith('-raw.tsv') || names.includes(name)))
const brief = ({ measurements }: RunContents) =>
  measurements.map(({ test: name, queryIndex, metric, old, new: fresh }) => [name, queryIndex, metric, old, fresh])
const timesOf = ({ measurements }: RunContents) =>
  measurements.map(({ metric, old, new: fresh }) => [metric, old, fresh])

const RAW = [
  row('display-name', 0, 'SELECT 0'),
  ...[0, 1].flatMap((side) => [0, 1].map((run) => row('query', 0, `sum.query0.run${run}`, side, 0.1))),
].join('')
const value = (metric: string, version: number, run: number, given: number | string, test_ = 'sum', index = 0) =>
  row(test_, index, metric, version, `${test_}.query${index}.run${run}`, given)
const EVENT = [value('Event', 0, 0, 1), value('Event', 0, 1, 2), value('Event', 1, 0, 3), value('Event', 1, 1, 4)]

describe('what was measured', () => {
  test.each([
    ['a line for each value', [DENORM]],
    ['a line for each repetition', [ARRAYS]],
    ['both', [DENORM, ARRAYS]],
  ])('comes back: %s', async (_name, names) => {
    const run = await readTexts(only(...names))
    expect(run.warnings).toEqual([])
    const moved = recorded.filter(({ old, new: fresh }) => [...old, ...fresh].some((given) => given !== 0))
    expect(run.measurements).toHaveLength(moved.length)
    expect(brief(run)).toEqual(brief({ ...run, measurements: moved }))
    const event = run.measurements.find(({ metric }) => metric === 'SelectedRows')!
    const time = run.measurements.find((one) => one.test === event.test && one.metric === 'client_time')!
    expect(event).toEqual({ ...time, metric: 'SelectedRows', unit: null, old: event.old, new: event.new })
  })

  test('of ten repetitions and more stands in the order of the raw file, whatever the file is sorted by', async () => {
    const twelve = Array.from({ length: 12 }, (_, index) => index + 1)
    const [one] = recorded
    const time = {
      ...one!,
      test: 'sum',
      queryIndex: 0,
      metric: 'client_time',
      old: twelve,
      new: twelve.map((n) => n * 2),
    }
    const made = clickhouseFiles([time, { ...time, metric: 'Event' }])
    expect(made[DENORM]!.indexOf('run10')).toBeLessThan(made[DENORM]!.indexOf('run2'))
    for (const name of [DENORM, ARRAYS]) {
      const run = await readTexts({ 'sum-raw.tsv': made['sum-raw.tsv']!, [name]: made[name]! })
      expect(timesOf(run)).toEqual([
        ['Event', time.old, time.new],
        ['client_time', time.old, time.new],
      ])
    }
    const backwards = made['sum-raw.tsv']!.trim().split('\n').toReversed().join('\n')
    const run = await readTexts({ [DENORM]: made[DENORM]!, 'sum-raw.tsv': `${backwards}\n` })
    expect(run.measurements[0]!.old).toEqual(twelve.toReversed())
  })

  test('with query ids of another form, in the order of the raw file', async () => {
    const raw = [3, 1, 2].map((n) => row('query', 0, `id-${n}`, 0, n) + row('query', 0, `id-${n}`, 1, n)).join('')
    const lines = [1, 2, 3].map(
      (n) => row('sum', 0, 'Event', 0, `id-${n}`, n) + row('sum', 0, 'Event', 1, `id-${n}`, n),
    )
    const run = await readTexts({ 'sum-raw.tsv': raw, [DENORM]: lines.join('') })
    expect(timesOf(run)[0]).toEqual(['Event', [3, 1, 2], [3, 1, 2]])
  })

  test('is the query of that position, with its text, ordinal and problems', async () => {
    const raw = [0, 1].map(
      (index) => row('display-name', index, 'SELECT 0') + row('query', index, `sum.query${index}.run0`, 0, 1),
    )
    const run = await readTexts({
      'sum-raw.tsv': `${raw.join('')}${row('run-error', 1, 1, 'Memory limit')}`,
      [DENORM]: value('Event', 0, 0, 7, 'sum', 1),
    })
    const event = run.measurements.find(({ metric }) => metric === 'Event')!
    const { problems } = run.measurements.find(({ ordinal, metric }) => ordinal === 1 && metric === 'client_time')!
    expect(event).toMatchObject({ queryIndex: 1, queryName: 'SELECT 0', ordinal: 1, old: [7], new: [], problems })
    expect(problems).toHaveLength(1)
  })
})

describe('left out', () => {
  test('the time that the raw files give, and what another file says of the same metric', async () => {
    const beside = { test: 'sum', queryIndex: 0, queryName: 'SELECT 0', metric: 'Event', side: 'old', value: 9 }
    const run = await readTexts({
      'sum-raw.tsv': RAW,
      [DENORM]: [...EVENT, value('client_time', 0, 0, 77), value('client_time', 1, 0, 77)].join(''),
      'a.measurements.jsonl': `${JSON.stringify(beside)}\n`,
    })
    expect(timesOf(run)).toEqual([
      ['Event', [9], []],
      ['client_time', [0.1, 0.1], [0.1, 0.1]],
    ])
    expect(run.warnings).toEqual([])
  })

  test('what is 0 in all repetitions of both sides, and no less', async () => {
    const zeros = (metric: string) =>
      [0, 1].flatMap((side) => [0, 1].map((run) => value(metric, side, run, side ? '-0' : 0)))
    const run = await readTexts({
      'sum-raw.tsv': RAW,
      [DENORM]: [...zeros('Never'), ...zeros('Once').slice(0, 3), value('Once', 1, 1, 1)].join(''),
    })
    expect(timesOf(run)).toEqual([
      ['Once', [0, 0], [0, 1]],
      ['client_time', [0.1, 0.1], [0.1, 0.1]],
    ])
    expect(Object.is(run.measurements[0]!.new[0], 0)).toBe(true)
  })

  test('not the metric that decides where it is 0: it was measured', async () => {
    const zeros = [0, 1].flatMap((side) => [0, 1].map((run) => value('OSReadBytes', side, run, '-0')))
    const none = [0, 1].flatMap((side) => [0, 1].map((run) => value('OSReadBytes', side, run, '\\N', 'sum', 1)))
    const second = [0, 1].map((side) => row('query', 1, 'sum.query1.run0', side, 0.1))
    const texts = { 'sum-raw.tsv': [RAW, ...second].join(''), [DENORM]: [...zeros, ...none].join('') }
    const run = await readTexts(texts, { primaryMetric: 'OSReadBytes' })
    expect(brief(run)).toEqual([
      ['sum', 0, 'OSReadBytes', [0, 0], [0, 0]],
      ['sum', 0, 'client_time', [0.1, 0.1], [0.1, 0.1]],
      ['sum', 1, 'client_time', [0.1], [0.1]],
    ])
    expect((await readTexts(texts)).measurements.map(({ metric }) => metric)).toEqual(['client_time', 'client_time'])
  })

  test('queries and repetitions that no raw file has, each told once', async () => {
    const run = await readTexts({
      'sum-raw.tsv': RAW,
      [DENORM]: [
        ...EVENT,
        value('Event', 1, 7, 5),
        value('Event', 0, 0, 1, 'sum', 4),
        value('Event', 0, 0, 1, 'avg'),
      ].join(''),
    })
    expect(timesOf(run)[0]).toEqual(['Event', [1, 2], [3, 4]])
    expect(run.warnings.map(({ message }) => message)).toEqual([
      '2 queries not in any raw file: left out',
      '1 repetition not in any raw file: left out',
    ])
  })

  test('without a raw file there is no run', async () => {
    await expect(readTexts({ [DENORM]: EVENT.join('') })).rejects.toThrow('no measurements')
  })

  test('the confirmation rerun', async () => {
    const run = await readTexts({ 'sum-raw.tsv': RAW, 'analyze-confirm/query-run-metrics-denorm.tsv': EVENT.join('') })
    expect(timesOf(run)).toHaveLength(1)
  })
})

describe('two files', () => {
  const other = (n: number) =>
    [0, 1]
      .flatMap((side) => [0, 1].map((run) => row('sum', 0, side, `sum.query0.run${run}`, "['Event']", `[${n}]`)))
      .join('')

  test.each([
    ['before', { [ARRAYS]: other(9), [DENORM]: EVENT.join('') }],
    ['after', { [DENORM]: EVENT.join(''), [ARRAYS]: other(9) }],
  ])('of which the one with a line for each value stands, the other %s it', async (_name, texts) => {
    expect(timesOf(await readTexts({ 'sum-raw.tsv': RAW, ...texts }))[0]).toEqual(['Event', [1, 2], [3, 4]])
  })

  test.each([
    ['cut', EVENT.join('').slice(0, -2)],
    ['empty', ''],
    ['of something else', 'no metrics\n'],
  ])('of which the first is %s: the other stands', async (_name, text) => {
    const run = await readTexts({ 'sum-raw.tsv': RAW, [DENORM]: text, [ARRAYS]: other(9) })
    expect(timesOf(run)[0]).toEqual(['Event', [9, 9], [9, 9]])
    expect(run.warnings).toHaveLength(1)
  })
})

describe('what is wrong', () => {
  test('of a file that was cut a metric is used where it has a value of every repetition', async () => {
    const text = [...EVENT, value('Later', 0, 0, 1), value('Later', 0, 1, 1), value('Later', 1, 0, 1)].join('')
    const run = await readTexts({ 'sum-raw.tsv': RAW, [DENORM]: `${text}sum\t0\tLater\t1\tsum.query0.run1\t1` })
    expect(timesOf(run).map(([metric]) => metric)).toEqual(['Event', 'client_time'])
    expect(run.warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'truncated-line: the last line has no newline, so it may be cut off: skipped',
      'invalid-value: 1 metric lacking some repetitions in a file that was cut off: left out',
    ])
  })

  test.each([
    ['malformed-line', 'sum'],
    ['malformed-line', 'sum\t0\tEvent'],
    ['malformed-line', 'sum\t0\tEvent\t0'],
    ['malformed-line', 'sum\t0\tEvent\t0\tsum.query0.run0'],
    ['malformed-line', 'sum\t0\tEvent\t2\tsum.query0.run0\t1'],
    ['malformed-line', 'sum\t0\tEvent\t0\t\t1'],
    ['malformed-line', 'sum\t-1\tEvent\t0\tsum.query0.run0\t1'],
    ['malformed-line', '\t0\tEvent\t0\tsum.query0.run0\t1'],
    ['malformed-line', 'sum\t0\t\t0\tsum.query0.run0\t1'],
    ['malformed-line', `sum\t0\t${'E'.repeat(201)}\t0\tsum.query0.run0\t1`],
    ['invalid-value', 'sum\t0\tOther\t0\tsum.query0.run0\t'],
    ['invalid-value', 'sum\t0\tOther\t0\tsum.query0.run0\tnan'],
    ['invalid-value', 'sum\t0\tOther\t0\tsum.query0.run0\t1\t2'],
    ['duplicate-sample', 'sum\t0\tEvent\t0\tsum.query0.run0\t5'],
  ])('%s: %s', async (code, line) => {
    const run = await readTexts({ 'sum-raw.tsv': RAW, [DENORM]: `${EVENT.join('')}${line}\n` })
    expect(codes(run)).toEqual([`${code} ${DENORM}:5`])
    expect(timesOf(run)[0]).toEqual(['Event', [1, 2], [3, 4]])
  })

  test.each([
    ['malformed-line', "sum\t0\t0\tsum.query0.run0\t['A']"],
    ['malformed-line', "sum\t0\t0\tsum.query0.run0\t['A']\t[1,2]"],
    ['malformed-line', "sum\t0\t0\tsum.query0.run0\t['A'\t[1]"],
    ['malformed-line', "sum\t0\t0\tsum.query0.run0\t['']\t[1]"],
    ['malformed-line', "sum\tx\t0\tsum.query0.run0\t['A']\t[1]"],
    ['malformed-line', "sum\t0\t7\tsum.query0.run0\t['A']\t[1]"],
    ['invalid-value', "sum\t0\t0\tsum.query0.run0\t['A']\t['one']"],
  ])('%s: %s', async (code, line) => {
    const run = await readTexts({
      'sum-raw.tsv': RAW,
      [ARRAYS]: `${line}\nsum\t0\t0\tsum.query0.run1\t['A','B']\t[3,NULL]\n`,
    })
    expect(codes(run)).toEqual([`${code} ${ARRAYS}:1`])
    expect(timesOf(run)[0]).toEqual(['A', [3], []])
  })
})

describe('limits', () => {
  test('of places and of names end the file, not the run', async () => {
    for (const limits of [{ metricValues: 300 }, { metricText: 12 }]) {
      const lines = [...EVENT, value('Event', 0, 0, 1, 'another'), value('Event', 0, 0, 1, 'third')]
      const run = await readTexts({ [DENORM]: lines.join(''), 'sum-raw.tsv': RAW }, { limits })
      expect(codes(run)[0]).toBe(`limit-reached ${DENORM}`)
      expect(timesOf(run).at(-1)).toEqual(['client_time', [0.1, 0.1], [0.1, 0.1]])
    }
  })

  test('of measurements and samples leave out what comes last', async () => {
    const many = ['A', 'B', 'C'].flatMap((metric) =>
      [0, 1].flatMap((side) => [0, 1].map((run) => value(metric, side, run, 1))),
    )
    for (const limits of [{ measurements: 3 }, { samples: 12 }]) {
      const run = await readTexts({ 'sum-raw.tsv': RAW, [DENORM]: many.join('') }, { limits })
      expect(timesOf(run).map(([metric]) => metric)).toEqual(['A', 'B', 'client_time'])
      expect(codes(run)).toEqual([`limit-reached ${DENORM}`])
    }
  })

  test('a table of one column for each line and one line for each column ends at the limit', async () => {
    const lines = [
      ...Array.from({ length: 3000 }, (_, run) => value('Wide', 0, run, 1)),
      ...Array.from({ length: 3000 }, (_, metric) => value(`M${metric}`, 0, 0, 1)),
    ]
    const run = await readTexts(
      { 'sum-raw.tsv': RAW, [DENORM]: lines.join('') },
      { limits: { metricValues: 1_000_000 } },
    )
    expect(codes(run)).toContain(`limit-reached ${DENORM}`)
    expect(timesOf(run)).toHaveLength(1)
  })
})

test('no file makes a run fail, and none adds to what the raw file says', async () => {
  const field = fc.constantFrom(
    'sum',
    '0',
    '1',
    '2',
    'Event',
    'client_time',
    'sum.query0.run0',
    'x',
    "['Event','A']",
    '[1,2]',
    '-0',
    'nan',
    '\\N',
    '',
    '1e999',
    '\\',
  )
  const line = fc.oneof(
    fc.array(field, { maxLength: 8 }).map((fields) => fields.join('\t')),
    fc.constantFrom(...EVENT.map((one) => one.trimEnd()), ...EVENT.map((one) => `${one.trimEnd()}5`)),
    fc.string({ unit: anyCodePoint, maxLength: 30 }),
  )
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([lines, ended]) => lines.join('\n') + (ended ? '\n' : ''))
  await fc.assert(
    fc.asyncProperty(text, text, async (denorm, arrays) => {
      const run = await readTexts({ 'sum-raw.tsv': RAW, [DENORM]: denorm, [ARRAYS]: arrays })
      expect(run.measurements.filter(({ metric }) => metric === 'client_time')).toEqual([
        expect.objectContaining({ old: [0.1, 0.1], new: [0.1, 0.1], unit: 's' }),
      ])
      for (const { old, new: fresh } of run.measurements) {
        expect(old.length).toBeLessThanOrEqual(2)
        expect(fresh.length).toBeLessThanOrEqual(2)
        expect([...old, ...fresh].some((given) => Number.isNaN(given))).toBe(false)
      }
    }),
    { numRuns: 300 },
  )
})

test('whatever was measured comes back from either file, but for what is 0 everywhere', async () => {
  const name = fc.constantFrom('sum', "it's", 'a\\b', 'run1', 'sum.query0', 'ü')
  const counts = fc.constantFrom(0, 0, 1, 3, 2 ** 40, 0.5)
  const query = fc
    .record({
      test: name,
      queryIndex: fc.nat(12),
      old: fc.nat(12),
      fresh: fc.nat(12),
      seed: fc.array(counts, { minLength: 1 }),
    })
    .filter(({ old, fresh }) => old + fresh > 0)
  const queries = fc.uniqueArray(query, {
    maxLength: 5,
    minLength: 1,
    selector: ({ test: of, queryIndex }) => `${queryIndex} ${of}`,
  })
  await fc.assert(
    fc.asyncProperty(queries, async (given) => {
      const made = given.flatMap((one): Measurement[] => {
        const { test: of, queryIndex, seed } = one
        const id = {
          test: of,
          queryIndex,
          queryName: `SELECT ${queryIndex}`,
          architecture: null,
          reportThreshold: null,
          rounded: false,
          problems: [],
          ...(one.old === one.fresh && { clock: true as const }),
        }
        const values = (length: number, from: number) =>
          Array.from({ length }, (_, at) => seed[(at + from) % seed.length]!)
        const events = ['EventBytes', 'Other', 'memory_usage'].map((metric, from) => ({
          ...id,
          metric,
          unit: unitOf(metric),
          old: values(one.old, from),
          new: values(one.fresh, from + 1),
        }))
        const times = {
          old: values(one.old, 0).map((_, at) => at + 1),
          new: values(one.fresh, 0).map((_, at) => at + 2),
        }
        return [...events, { ...id, metric: 'client_time', unit: 's', ...times }]
      })
      const texts = clickhouseFiles(made)
      const expected = made.filter(({ old, new: fresh }) => [...old, ...fresh].some((value) => value !== 0))
      const keyOf = (one: Measurement) => `${one.test} ${one.queryIndex} ${one.metric}`
      for (const file of [DENORM, ARRAYS]) {
        const wanted = Object.entries(texts).filter(([path]) => path === file || path.endsWith('-raw.tsv'))
        const run = await readTexts(Object.fromEntries(wanted))
        expect(run.warnings).toEqual([])
        expect(new Map(run.measurements.map((one) => [keyOf(one), one]))).toEqual(
          new Map(expected.map((one) => [keyOf(one), one])),
        )
      }
    }),
    { numRuns: 100 },
  )
})

test.each([
  ['client_time', 's'],
  ['server_time', 's'],
  ['RealTimeMicroseconds', 'us'],
  ['ZooKeeperWaitMilliseconds', 'ms'],
  ['SomethingNanoseconds', 'ns'],
  ['SelectedBytes', 'bytes'],
  ['ExternalProcessingCompressedBytesTotal', 'bytes'],
  ['memory_usage', 'bytes'],
  ['MemoryTrackerPeakUsage', 'bytes'],
  ['cpu_time', 's'],
  ['SelectedRows', null],
  ['OSReadChars', null],
  ['MicrosecondsOfSomething', null],
])('the unit of %s: %s', (metric, unit) => expect(unitOf(metric)).toBe(unit))

describe('clickhouse array', () => {
  test.each([
    ['[]', []],
    ["['client_time','SelectedRows']", ['client_time', 'SelectedRows']],
    ['[1,2.5,-0,nan,1e21]', ['1', '2.5', '-0', 'nan', '1e21']],
    ["['a,b','c]','d\\'e','f\\\\']", ['a,b', 'c]', "d'e", 'f\\']],
    ["['']", ['']],
    ['[NULL]', ['NULL']],
  ])('%s', (field, elements) => expect(parseArray(field)).toEqual(elements))

  test.each([
    '',
    '[',
    ']',
    '1,2',
    '[1,2',
    '[,]',
    '[1,]',
    '[,1]',
    "['a]",
    "['a'b]",
    "[a'b']",
    '[[1],[2]]',
    "['a' ,'b']",
    "['a\\']",
    `[${'1'.repeat(1001)}]`,
  ])('%s is no array', (field) => expect(parseArray(field)).toBeNull())

  test('what ClickHouse writes comes back, and nothing makes it fail', () => {
    const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\t', '\\t')}'`
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })), (elements) => {
        expect(parseArray(`[${elements.map(quoted).join(',')}]`)).toEqual(elements)
      }),
    )
    const pieces = fc.array(fc.constantFrom('[', ']', "'", ',', '\\', '1', 'a', 'NULL'))
    fc.assert(fc.property(pieces, (parts) => void parseArray(parts.join(''))))
  })

  test('a megabyte of it takes no time and no stack', () => {
    const started = computed()
    expect(parseArray(`['${"\\'".repeat(500_000)}']`)).toBeNull()
    expect(parseArray(`[${"'".repeat(1_000_000)}]`)).toBeNull()
    expect(parseArray(`[${'1,'.repeat(500_000)}1]`)).toHaveLength(500_001)
    expect(computed() - started).toBeLessThan(2000)
  })
})
