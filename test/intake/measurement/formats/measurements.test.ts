import { describe, expect, test } from 'vitest'
import { codes, readTexts, summaries } from '../read-text.ts'

const lines = (...objects: readonly object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join('')
const read = (text: string, options = {}) => readTexts({ 'measurements.jsonl': text }, options)

test('the example of the documentation', async () => {
  const { measurements } = await read(
    '{"test":"sum","queryIndex":8,"queryName":"SELECT …","metric":"client_time","unit":"s","side":"old","repetition":0,"value":0.0213,"architecture":"arm"}\n',
  )
  expect(measurements).toEqual([
    {
      test: 'sum',
      queryIndex: 8,
      queryName: 'SELECT …',
      metric: 'client_time',
      unit: 's',
      architecture: 'arm',
      old: [0.0213],
      new: [],
      reportThreshold: null,
      rounded: false,
      problems: [],
    },
  ])
})

test('test, side and value are enough', async () => {
  const { measurements, warnings } = await read(
    lines(
      { test: 'a', side: 'old', value: 1 },
      { test: 'a', side: 'old', value: 1 },
      { test: 'a', side: 'new', value: 2 },
    ),
  )
  expect(measurements).toMatchObject([
    { test: 'a', queryIndex: null, queryName: null, metric: 'client_time', unit: 's', old: [1, 1], new: [2] },
  ])
  expect(warnings).toEqual([])
})

test('metrics and architectures are measurements of their own', async () => {
  const one = { test: 'a', side: 'old', value: 1 }
  const { measurements } = await read(
    lines(one, { ...one, metric: 'memory', unit: 'bytes' }, { ...one, architecture: 'arm' }, { ...one, queryIndex: 0 }),
  )
  expect(
    measurements.map(({ metric, unit, architecture, queryIndex }) => [metric, unit, architecture, queryIndex]),
  ).toEqual([
    ['client_time', 's', null, null],
    ['client_time', 's', 'arm', null],
    ['memory', 'bytes', null, null],
    ['client_time', 's', null, 0],
  ])
})

test('samples stand in the order of their repetitions', async () => {
  const at = (repetition: number) => ({ test: 'a', side: 'old', repetition, value: repetition * 10 })
  const { measurements } = await read(lines(at(2), at(0), at(1)))
  expect(measurements[0]?.old).toEqual([0, 10, 20])
})

test('a repetition that is there twice counts once', async () => {
  const one = { test: 'a', side: 'old', repetition: 5, value: 1 }
  const contents = await read(lines(one, { ...one, value: 2 }, { ...one, side: 'new' }))
  expect(contents.measurements).toMatchObject([{ old: [1], new: [1] }])
  expect(codes(contents)).toEqual(['duplicate-sample measurements.jsonl:2'])
})

describe('what is wrong is a warning', () => {
  const one = { test: 'a', side: 'old', value: 1 }
  test.each([
    ['no JSON', 'x\n', 'malformed-line'],
    ['no object', '[1]\n', 'malformed-line'],
    ['no test', lines({ ...one, test: undefined }), 'malformed-line'],
    ['no side', lines({ ...one, side: undefined }), 'malformed-line'],
    ['another side', lines({ ...one, side: 'left' }), 'malformed-line'],
    ['no value', lines({ ...one, value: null }), 'invalid-value'],
    ['a value that is a word', lines({ ...one, value: 'fast' }), 'invalid-value'],
    ['a test that is a number', lines({ ...one, test: 1 }), 'malformed-line'],
    ['an index that is not a whole number', lines({ ...one, queryIndex: 1.5 }), 'malformed-line'],
    ['another unit for the same query', lines({ ...one, unit: 'ms' }), 'invalid-value'],
  ])('%s', async (_, text, code) => {
    const contents = await read(lines(one) + text + lines({ ...one, side: 'new' }))
    expect(contents.measurements).toMatchObject([{ old: [1], new: [1] }])
    expect(codes(contents)).toEqual([`${code} measurements.jsonl:2`])
  })

  test('a cut last line is not read, a whole one that only lacks its end is', async () => {
    const text = lines({ ...one, value: 123 })
    expect(summaries((await read(text.trimEnd())).measurements)).toEqual(['a #null client_time: 1 + 0'])
    for (let length = 1; length < text.length - 1; length += 1) {
      const contents = await read(text.slice(0, length))
      expect(contents.measurements).toEqual([])
      expect(codes(contents)).toEqual(['truncated-line measurements.jsonl:1'])
    }
  })

  test('NaN and Infinity as Python writes them are samples', async () => {
    const { measurements } = await read(
      '{"test":"a","side":"old","value": NaN}\n{"test":"a","side":"new","value":-Infinity}\n',
    )
    expect(measurements).toMatchObject([{ old: [Number.NaN], new: [Number.NEGATIVE_INFINITY] }])
  })
})

describe('a file of one side', () => {
  test('lines without a side take that of the file, lines of the other side are refused', async () => {
    const contents = await read(lines({ test: 'a', value: 1 }, { test: 'a', value: 2, side: 'old' }), { side: 'new' })
    expect(contents.measurements).toMatchObject([{ old: [], new: [1] }])
    expect(codes(contents)).toEqual(['malformed-line measurements.jsonl:2'])
  })

  test('a format with both sides in each file is refused', async () => {
    await expect(readTexts({ 'sum-raw.tsv': 'query\t0\tx\t0\t1\n' }, { side: 'old' })).rejects.toThrow(
      'clickhouse-raw has both sides in one file',
    )
  })
})

test('several files add up; a copy of one is read once', async () => {
  const first = lines({ test: 'a', side: 'old', value: 1 })
  const contents = await readTexts({
    'a.jsonl': first,
    'b.jsonl': lines({ test: 'a', side: 'new', value: 2 }),
    'copy/a.jsonl': first,
  })
  expect(contents.measurements).toMatchObject([{ old: [1], new: [2] }])
  expect(codes(contents)).toEqual(['refused-member copy/a.jsonl'])
})

test('which way a metric is better', async () => {
  const line = (better: unknown) => `${JSON.stringify({ test: 'a', side: 'new', unit: '1/s', value: 1, better })}\n`
  const { measurements } = await readTexts({ 'measurements.jsonl': line('higher') + line('higher') })
  expect(measurements).toMatchObject([{ better: 'higher', new: [1, 1] }])
  const mixed = await readTexts({ 'measurements.jsonl': line('lower') + line('higher') + line('more') })
  expect(mixed.measurements).toMatchObject([{ new: [1] }])
  expect(codes(mixed)).toEqual(['malformed-line measurements.jsonl:2', 'malformed-line measurements.jsonl:3'])
})
