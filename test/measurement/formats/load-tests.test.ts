import { expect, test } from 'vitest'
import { codes, readTexts } from '../read-text.ts'
import { outline, outputFile } from './output-files.ts'

const figures = async (file: string, name = `new/${file}`) => {
  const { measurements } = await readTexts({ [name]: outputFile(file) })
  return Object.fromEntries(measurements.map((one) => [`${one.queryName} ${one.metric}`, one.new[0]]))
}

test.each([
  ['k6-data.json', 's'],
  ['k6-machine-readable.json', 's'],
  // it does not say that a trend of the script is a time
  ['k6-export.json', null],
])('k6: %s', async (file, unit) => {
  const { measurements, decides } = await readTexts({ 'new/login-new.json': outputFile(file) })
  expect(decides).toBe('time')
  expect(outline(measurements)).toEqual([
    'login | body_size | value null: 0 + 1',
    'login | body_size | value p95 null: 0 + 1',
    'login | checks | passed 1 (higher): 0 + 1',
    'login | http_req_duration | p95 s: 0 + 1',
    'login | http_req_duration | time s: 0 + 1',
    'login | http_req_duration{name:items} | p95 s: 0 + 1',
    'login | http_req_duration{name:items} | time s: 0 + 1',
    'login | http_req_failed | failed 1: 0 + 1',
    'login | http_reqs | throughput 1/s (higher): 0 + 1',
    'login | iteration_duration | p95 s: 0 + 1',
    'login | iteration_duration | time s: 0 + 1',
    'login | iterations | throughput 1/s (higher): 0 + 1',
    ...(unit === null
      ? ['login | parse_time | value null: 0 + 1', 'login | parse_time | value p95 null: 0 + 1']
      : ['login | parse_time | p95 s: 0 + 1', 'login | parse_time | time s: 0 + 1']),
  ])
})

test('k6: its numbers in base units', async () => {
  expect(await figures('k6-data.json')).toMatchObject({
    'http_req_duration time': 0.000_074_987,
    'http_req_duration p95': Number('0.4714057999999988e-3'),
    'http_reqs throughput': 6285.072998765978,
    'body_size value': 5,
    'http_req_failed failed': 0,
    'checks passed': 1,
  })
  expect(await figures('k6-export.json')).toMatchObject({
    'http_req_duration time': 0.000_070_980_5,
    'http_reqs throughput': 5937.948144987474,
    'http_req_failed failed': 0,
    'checks passed': 1,
  })
  // the number of requests by the duration
  const { 'http_reqs throughput': rate } = await figures('k6-machine-readable.json')
  expect(rate).toBeCloseTo(120 / 0.025005386, 9)
})

test('k6: where all requests failed their time says nothing', async () => {
  const data = JSON.parse(outputFile('k6-data.json')) as { metrics: Record<string, { values: Record<string, number> }> }
  data.metrics['http_req_failed']!.values = { rate: 1, passes: 120, fails: 0 }
  const { measurements } = await readTexts({ 'new.json': JSON.stringify(data) })
  const duration = measurements.find(({ queryName }) => queryName === 'http_req_duration')!
  expect([duration.new, duration.problems.map(({ message }) => message)]).toEqual([[], ['all requests failed']])
})

test('wrk: rate, latency and errors; several runs of an address are repetitions, whatever its port', async () => {
  const run = outputFile('wrk.txt')
  const other = run.replace(':18932/', ':18933/').replace('37502.32', '30000.5')
  const { measurements, decides } = await readTexts({ 'wrk-new.txt': run + other })
  expect(decides).toBe('throughput')
  expect(outline(measurements)).toEqual([
    'wrk | / | errors 1: 0 + 2',
    'wrk | / | p99 s: 0 + 2',
    'wrk | / | throughput 1/s (higher): 0 + 2',
    'wrk | / | time s: 0 + 2',
  ])
  const [errors, p99, throughput, time] = measurements
  expect([errors!.new, p99!.new, throughput!.new, time!.new]).toEqual([
    [0, 0],
    [0.05, 0.05],
    [37502.32, 30000.5],
    [0.002_17, 0.002_17],
  ])
  expect(throughput!.taken!.new!.processes).toBeUndefined()
  const once = await readTexts({ 'new.txt': run })
  expect(once.measurements.at(-1)!.given!.new).toMatchObject({ kind: 'mean', spread: 0.008_25 / 0.002_17 })
})

test('wrk: of a run without a good answer there is no rate and no latency', async () => {
  const { measurements } = await readTexts({ 'new.txt': outputFile('wrk-errors.txt') })
  expect(
    measurements.map(({ queryName, metric, new: values, problems }) => [queryName, metric, values, problems.length]),
  ).toEqual([
    ['/missing', 'errors', [27_526], 0],
    ['/missing', 'throughput', [], 1],
  ])
  const sockets = outputFile('wrk.txt').replace(
    'Requests/sec',
    '  Socket errors: connect 1, read 2, write 3, timeout 4\nRequests/sec',
  )
  const some = await readTexts({ 'new.txt': sockets.replace('127.0.0.1:18932', 'shop:80') })
  expect(some.measurements.map(({ queryName, metric, new: [value] }) => [queryName, metric, value])).toContainEqual([
    'http://shop:80/',
    'errors',
    10,
  ])
})

test('oha: as JSON and as text', async () => {
  expect(await figures('oha.json', 'new.json')).toEqual({
    'null errors': 0,
    'null p99': 0.000_988_244,
    'null throughput': 44_414.575_149_161_356,
    'null time': 0.000_062_303,
  })
  expect(await figures('oha.txt', 'home-new.txt')).toEqual({
    'home errors': 0,
    'home p99': 0.000_275_7,
    'home throughput': 41_850.7524,
    'home time': 0.000_082_9,
  })
})

test('oha: a run without a good answer, and one with some bad ones', async () => {
  const text = outputFile('oha.txt')
  const bad = await readTexts({ 'new.txt': text.replace('[200]', '[503]') })
  expect(bad.measurements.map(({ metric, new: values, problems }) => [metric, values, problems.length])).toEqual([
    ['errors', [2000], 0],
    ['throughput', [], 1],
  ])
  const some = await readTexts({
    'new.txt': `${text}  [503] 7 responses\n\nError distribution:\n  [12] Connection refused (os error 111)\n`,
  })
  expect(some.measurements.find(({ metric }) => metric === 'errors')!.new).toEqual([19])
  const data = { ...(JSON.parse(outputFile('oha.json')) as object), errorDistribution: { 'Connection refused': 12 } }
  const { measurements } = await readTexts({ 'new.json': JSON.stringify(data) })
  expect(measurements.find(({ metric }) => metric === 'errors')!.new).toEqual([12])
})

test('files of turns are repetitions, files of other names other benchmarks', async () => {
  const text = outputFile('oha.json')
  const again = text.replace('44414.575149161356', '40000.5')
  const run = await readTexts({
    'new/1.json': text,
    'new/2.json': again,
    'new/home-1.json': text.replace('44414.575149161356', '50000.5'),
    'old/home.2.json': again,
  })
  const rates = run.measurements.filter(({ metric }) => metric === 'throughput')
  expect(outline(rates)).toEqual([
    'oha | null | throughput 1/s (higher): 0 + 2',
    'oha | home | throughput 1/s (higher): 1 + 1',
  ])
  expect(codes(run)).toEqual([])
})
