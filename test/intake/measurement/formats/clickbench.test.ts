import { describe, expect, test } from 'vitest'
import { readTexts } from '../read-text.ts'

type Times = readonly (number | null)[]

const result = (machine: string, times: readonly Times[], more: object = {}) =>
  JSON.stringify({
    system: 'ClickHouse',
    date: '2022-07-01',
    machine,
    cluster_size: 1,
    tags: ['C++'],
    load_time: 475.529,
    data_size: 14_345_515_782,
    result: times,
    ...more,
  })
const TIMES: readonly Times[] = [
  [0.027, 0.001, 0.002],
  [null, null, null],
  [1.5, null, 0.3],
]

test('the first time is cold, the others are hot, null is failed', async () => {
  const { measurements, labels, decides } = await readTexts({
    'ebs-old.json': result('EBS', TIMES),
    'nvme-new.json': result('NVMe', TIMES, { cluster_size: 'serverless' }),
  })
  const shown = measurements.map(({ queryIndex, metric, unit, old, new: fresh, problems }) => [
    queryIndex,
    metric,
    unit,
    [...old, ...fresh],
    problems.length,
  ])
  expect(shown).toEqual([
    [null, 'data_size', 'bytes', [14_345_515_782, 14_345_515_782], 0],
    [null, 'load_time', 's', [475.529, 475.529], 0],
    [0, 'cold', 's', [0.027, 0.027], 0],
    [0, 'hot', 's', [0.001, 0.002, 0.001, 0.002], 0],
    [1, 'cold', 's', [], 2],
    [1, 'hot', 's', [], 2],
    [2, 'cold', 's', [1.5, 1.5], 0],
    [2, 'hot', 's', [0.3, 0.3], 2],
  ])
  expect(labels).toEqual({ kind: 'machine', old: ['EBS'], new: ['NVMe'] })
  expect(decides).toBe('hot')
  expect(measurements.every(({ architecture }) => architecture === null)).toBe(true)
})

test('a cluster has the number of its machines, and a system its name where the sides ran different ones', async () => {
  const of = async (old: object, fresh: object) =>
    (await readTexts({ 'a-old.json': result('m6i', TIMES, old), 'a-new.json': result('m6i', TIMES, fresh) })).labels
  expect(await of({ cluster_size: 3 }, { cluster_size: '2' })).toEqual({
    kind: 'machine',
    old: ['3 × m6i'],
    new: ['2 × m6i'],
  })
  expect(await of({}, { system: 'DuckDB' })).toEqual({ kind: 'program', old: ['ClickHouse'], new: ['DuckDB'] })
  expect(await of({}, { system: 'DuckDB', machine: 'c7g' })).toEqual({
    kind: 'program',
    old: ['ClickHouse on m6i'],
    new: ['DuckDB on c7g'],
  })
})

test('a first time that is not cold is none', async () => {
  const text = result('m6i', TIMES, { tags: ['C++', 'lukewarm-cold-run'], load_time: null, concurrent_qps: 0.008 })
  const { measurements, warnings } = await readTexts({ 'a-old.json': text, 'a-new.json': text })
  expect(new Set(measurements.map(({ metric }) => metric))).toEqual(new Set(['data_size', 'hot']))
  expect(warnings[0]!.message).toBe('the tag lukewarm-cold-run says that the first times are not cold: skipped')
})

test('several files a side are repetitions; one machine on both is the architecture', async () => {
  const { measurements, labels } = await readTexts({
    'old/1.json': result('m6i', TIMES),
    'old/2.json': result('m6i', TIMES, { date: '2022-07-02' }),
    'new/1.json': result('m6i', TIMES),
  })
  expect(labels).toBeUndefined()
  expect(measurements.find(({ metric }) => metric === 'hot')).toMatchObject({
    old: [0.001, 0.002, 0.001, 0.002],
    new: [0.001, 0.002],
    architecture: 'm6i',
  })
})

describe('hostile', () => {
  const good = result('m6i', TIMES)
  test.each<[string, string, string]>([
    ['texts alone', result('m6i', [], { result: [['0.027'], [-1]] }), 'result.0.0'],
    ['no result', result('m6i', TIMES, { result: null }), 'result'],
    ['a million queries', result('m6i', Array<Times>(100_000).fill([1])), 'result'],
    ['huge', good.replace('"C++"', `"a",\n`.repeat(250_000) + '"b"'), 'more than 1,048,576 characters'],
  ])('%s is one line of error', async (_, text, message) => {
    const reading = readTexts({ 'a.json': text }, { direct: true, side: 'new' })
    await expect(reading).rejects.toThrow(message)
    await expect(reading).rejects.toMatchObject({ name: 'SourceError' })
  })
})
