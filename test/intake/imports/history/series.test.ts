import { Buffer } from 'node:buffer'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { delimiterOf, splitFields } from '../../../../src/intake/imports/history/delimited.ts'
import { readSeries, SERIES_LIMITS, type SeriesLimits } from '../../../../src/intake/imports/history/series.ts'
import { parseHistoryTime } from '../../../../src/intake/imports/parse-time.ts'

async function* chunks(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const read = (text: string, values: readonly string[] = [], limits: Partial<SeriesLimits> = {}) =>
  readSeries(chunks(text), 'h.csv', { values }, { limits: { ...SERIES_LIMITS, ...limits } })
const valuesOf = async (text: string, columns?: readonly string[]) =>
  (await read(text, columns)).map(({ name, points }) => [name, points.map(({ value }) => value)])

describe('columns', () => {
  test('in any order and case; others are passed over', async () => {
    const [series] = await read('branch,VALUE,Commit,time\nmain,1.5,abc,2026-01-01\nmain,2,def,2026-01-02\n')
    expect(series).toEqual({
      name: null,
      sorted: false,
      points: [
        { commit: 'abc', time: '2026-01-01', value: 1.5 },
        { commit: 'def', time: '2026-01-02', value: 2 },
      ],
    })
  })

  test('the value alone will do', async () => {
    expect(await read('value\n1\n2')).toEqual([
      {
        name: null,
        sorted: false,
        points: [
          { commit: null, time: null, value: 1 },
          { commit: null, time: null, value: 2 },
        ],
      },
    ])
  })

  test('several series, in the order in which they begin', async () => {
    expect(await valuesOf('series,value\nb,1\na,2\nb,3\n')).toEqual([
      ['b', [1, 3]],
      ['a', [2]],
    ])
  })

  test('named columns', async () => {
    expect(await valuesOf('p50,p99\n1,9\n2,8\n', ['p99'])).toEqual([[null, [9, 8]]])
    expect(await valuesOf('series,p50,p99\nq,1,9\n', ['p50', 'p99'])).toEqual([
      ['q p50', [1]],
      ['q p99', [9]],
    ])
  })

  test('of other names for time, commit and the series', async () => {
    const text =
      'event_time,new_sha,test,query_index,ms\n2026-01-02,b,sum,3,2\n2026-01-01,a,sum,3,1\n2026-01-01,a,sum,4,9\n'
    const warnings: string[] = []
    const wanted = { values: ['ms'], time: 'event_time', commit: 'NEW_SHA', series: ['test', 'query_index'] }
    const warn = (message: string) => warnings.push(message)
    expect(await readSeries(chunks(text), 'h.csv', wanted, { warn })).toEqual([
      {
        name: 'sum 3',
        sorted: true,
        points: [
          { time: '2026-01-01', commit: 'a', value: 1 },
          { time: '2026-01-02', commit: 'b', value: 2 },
        ],
      },
      { name: 'sum 4', sorted: false, points: [{ time: '2026-01-01', commit: 'a', value: 9 }] },
    ])
    expect(warnings).toEqual([])
    await readSeries(chunks(text), 'h.csv', { values: ['ms'] }, { warn })
    expect(warnings).toEqual([
      'all rows count as one series, although there are columns test and query_index; separate them with --series test --series query_index',
    ])
    await expect(readSeries(chunks(text), 'h.csv', { values: ['ms'], time: 'when' })).rejects.toThrow(
      'h.csv:1: no column "when"',
    )
  })

  test('tabs, semicolons, quotes, a byte order mark, CRLF, remarks before the header', async () => {
    expect(await valuesOf('series\tvalue\na\\tb\t1\na\\tb\t\\N\n')).toEqual([['a\tb', [1, Number.NaN]]])
    expect(await valuesOf('series;value\r\na,b;1\r\n')).toEqual([['a,b', [1]]])
    expect(await valuesOf('\ufeff# taken from\n# somewhere\n\nseries,value\n"a ""b"", c",1\n')).toEqual([
      ['a "b", c', [1]],
    ])
    expect(await read('value\n')).toEqual([])
  })
})

test('what was not measured', async () => {
  const [, values] = (await valuesOf('commit,value\na,\nb,NaN\nc,null\nd,inf\ne,-1e3\nf, 2 \n'))[0]!
  expect(values).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN, -1000, 2])
})

describe('order', () => {
  test('of time, where every time can be understood', async () => {
    const text = 'time,value\n2026-01-03,3\n2026-01-01,1\n2026-01-02T10:00:00Z,2\n2026-01-01,1.5\n'
    const [series] = await read(text)
    expect(series!.sorted).toBe(true)
    expect(series!.points.map(({ value }) => value)).toEqual([1, 1.5, 2, 3])
  })

  test('of the file, where one cannot', async () => {
    const [series] = await read('time,value\n2026-01-03,3\nyesterday,1\n2026-01-01,2\n')
    expect(series!.sorted).toBe(false)
    expect(series!.points.map(({ value }) => value)).toEqual([3, 1, 2])
  })

  test.each([
    ['2026-11-21', Date.UTC(2026, 10, 21)],
    ['2024.01.01 3:00:00 +0100', Date.UTC(2024, 0, 1, 2)],
    ['2023-04-07 00:55:33.422461033+00:00', Date.UTC(2023, 3, 7, 0, 55, 33) + 422.461033],
    ['2026-11-21T10:30:00-02:30', Date.UTC(2026, 10, 21, 13)],
    ['1609466400', 1_609_466_400_000],
    ['1609466400123', 1_609_466_400_123],
    ['1609466400123456', 1_609_466_400_123.456],
    ['r17', null],
    ['2026-13-99', null],
    ['2026-02-29', null],
    ['2026-01-01 25:00', null],
    ['2024-02-29T23:59:60Z', Date.UTC(2024, 2, 1)],
    ['', null],
    ['12', null],
  ])('%j', (text, expected) => {
    if (expected === null) expect(parseHistoryTime(text)).toBeNull()
    else expect(parseHistoryTime(text)).toBeCloseTo(expected, 2)
  })
})

describe('says what, where and what to do', () => {
  test.each([
    ['', 'h.csv is empty; its first line names the columns: time, commit, value and, for several series, series'],
    ['# nothing\n', 'h.csv is empty'],
    [
      'time,commit,ms\na,b,1\n',
      'h.csv:1: no column "value": the header has time, commit, ms; name the column with the values with --value',
    ],
    ['value,value\n1,2\n', 'h.csv:1: the header has value more than once'],
    ['time,value\na,1\na,fast\n', 'h.csv:3: value "fast" is not a number; leave it empty where nothing was measured'],
    ['time,value\na,1,5\n', 'h.csv:2: 3 fields but the header has 2; quote fields that contain the separator'],
    ['time,value\na\n', 'h.csv:2: 1 field but the header has 2; the line is cut off, or has a different separator'],
    ['[{"value": 1}]\n', 'h.csv:1: this is JSON; a CSV or TSV starts with a line that names its columns'],
    ['\u0000\u0001,value\n1,2\n', 'h.csv:1: this is not text'],
    ['commit,value\n"a\nb",1\n', 'h.csv:2: a quoted field does not end on its line; remove the line break from it'],
  ])('%j', async (text, message) => {
    await expect(readSeries(chunks(text), 'h.csv')).rejects.toThrow(message)
  })

  test('compressed files are read; one that is cut is told', async () => {
    const text = `value\n${Array.from({ length: 500 }, (_, i) => `${Math.sin(i)}\n`).join('')}`
    for (const compressed of [gzipSync(text), zstdCompressSync(text)]) {
      expect((await readSeries(single(compressed), 'h'))[0]!.points).toHaveLength(500)
      await expect(readSeries(single(compressed.subarray(0, -2000)), 'h')).rejects.toThrow(
        'h: can’t be read completely',
      )
    }
    await expect(
      readSeries(single(gzipSync('value\n111111\n')), 'h', {}, { limits: { ...SERIES_LIMITS, bytes: 8 } }),
    ).rejects.toThrow('more than 8 bytes')
  })

  test('limits', async () => {
    await expect(read('value\n1\n2\n3\n', [], { points: 2 })).rejects.toThrow('h.csv:4: more than 2 points')
    await expect(read('series,value\na,1\nb,2\n', [], { series: 1 })).rejects.toThrow('h.csv:3: more than 1 series')
    await expect(read('value\n111111\n', [], { bytes: 8 })).rejects.toThrow('more than 8 bytes')
    await expect(read('value\n1\n1111111111\n', [], { lineLength: 8 })).rejects.toThrow(
      'h.csv:3: a line has more than 8',
    )
  })

  async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    yield bytes
  }
})

test('what is quoted comes back', () => {
  const field = fc.string({ unit: fc.constantFrom('a', '"', ',', ' ', 'é') })
  fc.assert(
    fc.property(fc.array(field, { minLength: 1 }), (fields) => {
      const line = fields.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')
      expect(splitFields(line, ',')).toEqual(fields)
    }),
  )
  expect(delimiterOf('a;b')).toBe(';')
  expect(delimiterOf('a;b,c')).toBe(',')
  expect(splitFields('"a"b,c', ',')).toBeNull()
  expect(splitFields('a,"b",', ',')).toEqual(['a', 'b', ''])
})

test('whatever the text is, there are series or one line that says why not', async () => {
  const text = fc.string({ unit: fc.constantFrom('value', 'time', ',', '\t', '\n', '"', '1', '-', 'x', '\0', '#') })
  await fc.assert(
    fc.asyncProperty(text, async (junk) => {
      try {
        expect(await read(junk)).toBeInstanceOf(Array)
      } catch (error) {
        expect(error).toMatchObject({ name: 'SourceError', message: expect.stringMatching(/^h\.csv/) })
      }
    }),
    { numRuns: 300 },
  )
})
