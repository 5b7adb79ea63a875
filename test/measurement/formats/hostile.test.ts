import { describe, expect, test } from 'vitest'
import type { Limits } from '../../../src/measurement/limits.ts'
import { SourceError } from '../../../src/measurement/source.ts'
import { readTexts } from '../read-text.ts'

/** Of each format a small file that is read, and the part of it that is repeated for a large one. */
interface Sample {
  readonly fileName: string
  /** A file of so many benchmarks, whose value is that text. */
  readonly file: (count: number, value: string) => string
}

const list = (count: number, item: (index: number) => string, between = ',') =>
  Array.from({ length: count }, (_, index) => item(index)).join(between)

const FORMATS: Readonly<Record<string, Sample>> = {
  go: { fileName: 'go.txt', file: (n, v) => list(n, (i) => `BenchmarkX${i}-8 1 ${v} ns/op\n`, '') },
  'google-benchmark': {
    fileName: 'gbench.json',
    file: (n, v) =>
      `{"context":{"library_build_type":"release"},"benchmarks":[${list(n, (i) => `{"name":"b${i}","real_time":${v},"cpu_time":${v}}`)}]}\n`,
  },
  hyperfine: {
    fileName: 'hyperfine.json',
    file: (n, v) => `{"results":[${list(n, (i) => `{"command":"c${i}","mean":${v},"times":[${v}]}`)}]}\n`,
  },
  'hyperfine ': {
    fileName: 'hyperfine.csv',
    file: (n, v) => `command,mean,stddev,median,user,system,min,max\n${list(n, (i) => `c${i},${v},0,0,0,0,0,0\n`, '')}`,
  },
  'pytest-benchmark': {
    fileName: 'pytest.json',
    file: (n, v) =>
      `{"machine_info":{"python_implementation":"CPython"},"benchmarks":[${list(n, (i) => `{"name":"t${i}","stats":{"mean":${v}}}`)}]}\n`,
  },
  'github-action-benchmark': {
    fileName: 'custom.json',
    file: (n, v) => `[${list(n, (i) => `{"name":"t${i}","unit":"ns","value":${v}}`)}]\n`,
  },
  'github-action-benchmark ': {
    fileName: 'data.js',
    file: (n, v) =>
      `window.BENCHMARK_DATA = {"entries":{"s":[{"benches":[${list(n, (i) => `{"name":"t${i}","unit":"ns","value":${v}}`)}]}]}}\n`,
  },
  bencher: { fileName: 'bmf.json', file: (n, v) => `{${list(n, (i) => `"b${i}":{"latency":{"value":${v}}}`)}}\n` },
}

const read = (fileName: string, text: string, limits: Partial<Limits> = {}) =>
  readTexts({ [fileName]: text }, { side: 'new', direct: true, limits })

/** What is said of a file that cannot be read: one line. */
async function refusal(fileName: string, text: string, limits: Partial<Limits> = {}): Promise<string> {
  const error: unknown = await read(fileName, text, limits).then(
    ({ measurements }) => new Error(`read ${measurements.length} measurements`),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(SourceError)
  const { message } = error as SourceError
  expect(message).toMatch(new RegExp(`^${fileName}: [^\\n]{10,400}$`))
  return message
}

describe.each(Object.entries(FORMATS))('%s', (_, { fileName, file }) => {
  test('a file that is whole is read', async () => {
    const { measurements } = await read(fileName, file(3, '1.5'))
    expect(new Set(measurements.map(({ queryName }) => queryName)).size).toBe(3)
    expect(measurements[0]!.new).toHaveLength(1)
  })

  test.each([0.3, 0.9, 0.97])('cut after %d of it', async (share) => {
    const whole = file(2, '12345.5')
    await refusal(fileName, whole.slice(0, Math.floor(whole.length * share)))
  })

  test.each(['NaN', 'true', '"x"', '[1]', '{"a":1}', '1e999', '-'])('a value that is %s', async (value) => {
    await refusal(fileName, file(2, value))
  })

  test('nothing in it', async () => {
    await refusal(fileName, file(0, '1'))
  })
})

describe.each(Object.entries(FORMATS).filter(([, { fileName }]) => fileName.endsWith('.json')))(
  '%s',
  (_, { fileName, file }) => {
    test('lists inside each other', async () => {
      const deep = file(1, `${'['.repeat(100_000)}${']'.repeat(100_000)}`)
      expect(await refusal(fileName, deep)).toContain('more than 64 lists and objects inside each other')
    })
  },
)

test.each(Object.entries(FORMATS))('more names than the limit: %s', async (_, { fileName, file }) => {
  const message = await refusal(fileName, file(2000, '1'), { measurements: 1000 })
  expect(message).toContain('more than 1,000 distinct queries, metrics and architectures')
})
