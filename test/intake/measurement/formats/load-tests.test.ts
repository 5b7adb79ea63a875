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

const k6Failing = async (failed: number, of: number) => {
  const data = JSON.parse(outputFile('k6-data.json')) as { metrics: Record<string, { values: Record<string, number> }> }
  data.metrics['http_req_failed']!.values = { rate: failed / of, passes: failed, fails: of - failed }
  const answered = data.metrics['http_req_duration{expected_response:true}']!
  answered.values = { ...answered.values, med: 777 }
  const { measurements, warnings } = await readTexts({ 'new.json': JSON.stringify(data) })
  return {
    warnings,
    of: (name: string) => measurements.find(({ queryName, metric }) => queryName === name && metric !== 'p95')!,
  }
}

test('k6: where all requests failed, their time and their rate say nothing', async () => {
  const { of, warnings } = await k6Failing(120, 120)
  const problems = (name: string) => of(name).problems.map(({ message }) => message)
  expect([of('http_req_duration').new, problems('http_req_duration')]).toEqual([[], ['120 of 120 requests failed']])
  expect([of('http_reqs').new, problems('http_reqs')]).toEqual([[], ['too many requests failed']])
  expect(warnings.map(({ message }) => message)).toEqual([
    '120 of 120 requests of http_req_duration failed: not counted',
  ])
})

test('k6: where some failed, the time of the others counts', async () => {
  const { of, warnings } = await k6Failing(30, 120)
  expect(of('http_req_duration').new).toEqual([0.777])
  expect(of('http_req_duration').problems).toMatchObject([{ reason: 'run-error', side: 'new' }])
  expect(of('http_reqs').new).toEqual([])
  expect((await k6Failing(6, 120)).of('http_reqs').new).toHaveLength(1)
  expect(warnings.map(({ message }) => message)).toEqual([
    '30 of 120 requests of http_req_duration failed: not counted',
  ])
  expect((await k6Failing(0, 120)).of('http_req_duration').new).not.toEqual([0.777])
})

test('k6: where a summary gives the share of failed requests alone, their number is of all requests', async () => {
  const data = JSON.parse(outputFile('k6-data.json')) as { metrics: Record<string, { values: Record<string, number> }> }
  data.metrics['http_req_failed']!.values = { rate: 0.6 }
  const { measurements, warnings } = await readTexts({ 'new.json': JSON.stringify(data) })
  expect(measurements.find(({ metric }) => metric === 'throughput')!.new).toEqual([])
  const { count } = data.metrics['http_reqs']!.values
  expect(warnings[0]!.message).toMatch(new RegExp(`^${Math.round(0.6 * count!)} of ${count} requests`))
})

test('wrk: errors are counted in its times: a warning, and many of them are a failure', async () => {
  const run = outputFile('wrk.txt')
  const withErrors = (errors: number) =>
    readTexts({ 'new.txt': run.replace('Requests/sec:', `  Non-2xx or 3xx responses: ${errors}\nRequests/sec:`) })
  const requests = Number(/(\d+) requests in/.exec(run)![1])
  const few = await withErrors(3)
  expect(few.warnings).toMatchObject([{ code: 'run-error', message: expect.stringMatching(/^3 of .* still counted$/) }])
  const throughput = ({ measurements }: typeof few) => measurements.find(({ metric }) => metric === 'throughput')!
  expect([throughput(few).new.length, throughput(few).problems.length]).toEqual([1, 0])
  const many = throughput(await withErrors(Math.ceil(requests / 50)))
  expect([many.new.length, many.problems.length]).toEqual([1, 1])
  const all = throughput(await withErrors(requests))
  expect([all.new.length, all.problems.length]).toEqual([0, 1])
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
  for (const file of ['oha.json', 'oha.txt']) {
    expect(await readTexts({ [`new/${file}`]: outputFile(file) })).toMatchObject({ decides: 'throughput' })
  }
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
