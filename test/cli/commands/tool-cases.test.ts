import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReadWarning } from '../../../src/intake/measurement/run.ts'
import type { ClassifiedQuery, OutcomeCounts } from '../../../src/judge/verdict/classified-query.ts'
import { perfTriage } from './capture.ts'

/** What benchmark tools write of failed runs, bad entries, equal names and rates, from the command line to what is printed. */

const CASES = join(import.meta.dirname, '../../data/tool-cases')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tool-cases-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
})

interface Classified {
  readonly counts: OutcomeCounts
  readonly queries: readonly ClassifiedQuery[]
  readonly warnings: readonly ReadWarning[]
}

async function classify(args: readonly string[]): Promise<Classified> {
  const { stdout, stderr } = await perfTriage(['classify', ...args, '--json'])
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Classified
}

let places = 0
/** Two folders of one file each. */
async function sides(name: string, old: unknown, fresh: unknown): Promise<readonly string[]> {
  places += 1
  const paths = [`${places}/old/${name}`, `${places}/new/${name}`].map((path) => join(folder, path))
  for (const [path, content] of [
    [paths[0]!, old],
    [paths[1]!, fresh],
  ] as const) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  }
  return paths.map((path) => dirname(path))
}

const real = (name: string) => readFileSync(join(CASES, 'real', name), 'utf8')

async function ofReal(old: string, fresh: string): Promise<Classified> {
  return await classify(await sides(`x${old.slice(old.lastIndexOf('.'))}`, real(old), real(fresh)))
}

const named = ({ queries }: Classified, name: string, metric = 'time') =>
  queries.find((one) => one.queryName === name && one.metric === metric)

interface Expected {
  readonly args: readonly string[]
  readonly counts?: Partial<OutcomeCounts>
  readonly says?: string
  readonly mustNotSay?: string
}

describe('each case', () => {
  const names = readdirSync(CASES).filter((name) => existsSync(join(CASES, name, 'expected.json')))
  test('is there', () => expect(names).toHaveLength(7))

  test.each(names)('%s', async (name) => {
    const { args, counts, says, mustNotSay } = JSON.parse(
      readFileSync(join(CASES, name, 'expected.json'), 'utf8'),
    ) as Expected
    const paths = args.map((path) => join(CASES, name, path))
    if (counts !== undefined) expect((await classify(paths)).counts).toMatchObject(counts)
    const { stdout } = await perfTriage(['comment', ...paths])
    if (says !== undefined) expect(stdout).toMatch(new RegExp(says, 'i'))
    if (mustNotSay !== undefined) expect(stdout).not.toMatch(new RegExp(mustNotSay, 'i'))
  })
})

describe('a failed run', () => {
  test.each<[string, string, string, metric?: string]>([
    ['hyperfine-old.json', 'hyperfine-all-failed.json', './maybe.sh'],
    ['google-benchmark-old.json', 'google-benchmark-new.json', 'BM_open'],
    ['google-benchmark-old.txt', 'google-benchmark-new.txt', 'BM_open'],
    ['catch2-old.txt', 'catch2-new.txt', 'fails'],
    ['catch2-old.xml', 'catch2-new.xml', 'fails'],
    ['criterion-old.txt', 'criterion-panic.txt', 'sum 1000'],
    ['go-old.txt', 'go-fatal.txt', 'BenchmarkSecond-2'],
    ['go-old.txt', 'go-panic.txt', 'BenchmarkSecond-2'],
    ['go-old.txt', 'go-panic-late.txt', 'BenchmarkSecond-2'],
  ])('of %s and %s is a failure of the new build', async (old, fresh, name) => {
    const found = await ofReal(old, fresh)
    expect(named(found, name)).toMatchObject({ status: 'failed', statusReason: 'run-error', failedIn: 'new' })
    expect(found.warnings.some(({ code, message }) => code === 'run-error' && message.includes(name))).toBe(true)
    const paths = await sides(`x${old.slice(old.lastIndexOf('.'))}`, real(old), real(fresh))
    const { stdout } = await perfTriage(['comment', ...paths])
    expect(stdout).toMatch(/^### .*(?:benchmarks?|query|queries) without a result in the new build/m)
    expect(stdout).not.toContain('Nothing to do')
  })

  test('among good ones costs its time alone', async () => {
    const paths = await sides('x.json', real('hyperfine-old.json'), real('hyperfine-some-failed.json'))
    const found = await classify(paths)
    expect(named(found, './maybe.sh')).toMatchObject({ status: 'compared', new: { repetitions: 6 } })
    expect(named(found, './maybe.sh')!.notes).toContain('run-errors')
    expect(found.warnings.map(({ message }) => message)).toContain(
      '4 of 10 runs of ./maybe.sh failed (exit code 3): not counted',
    )
    const { stdout } = await perfTriage(['comment', ...paths])
    expect(stdout).toMatch(/^### .*1 (?:benchmark|query) failed in some repetitions of the new build/m)
    expect(stdout).toMatch(/Find out why some repetitions of `.*maybe.sh` fail in the new build\.$/m)
  })

  test('that a signal ended has no exit code', async () => {
    const ended = JSON.parse(real('hyperfine-all-failed.json')) as { results: { exit_codes: (number | null)[] }[] }
    for (const result of ended.results) result.exit_codes = result.exit_codes.map(() => null)
    const { warnings } = await classify(await sides('x.json', real('hyperfine-old.json'), ended))
    expect(warnings.map(({ message }) => message)).toContain(
      '10 of 10 runs of ./maybe.sh failed (ended by a signal): not counted',
    )
  })

  test('that kills a package of Go takes those behind it along, and none before it', async () => {
    for (const fresh of ['go-panic.txt', 'go-panic-late.txt']) {
      const found = await ofReal('go-old.txt', fresh)
      expect(named(found, 'BenchmarkFirst-2')).toMatchObject({ status: 'compared' })
      expect(named(found, 'BenchmarkFirst-2')!.notes).not.toContain('run-errors')
      expect(named(found, 'BenchmarkThird-2')).toMatchObject({ status: 'failed', failedIn: 'new' })
    }
    const inJson = await classify(
      await sides('x.json', real('go-panic.json').replace(/[^\n]*panic[\s\S]*/, ''), real('go-panic.json')),
    )
    expect(named(inJson, 'BenchmarkSecond-2')).toMatchObject({ failedIn: 'new' })
    const unbuilt = await ofReal('go-old.txt', 'go-build.txt')
    expect(unbuilt.queries.map(({ failedIn }) => failedIn)).toEqual(['new', 'new', 'new'])
  })

  test('of Google Benchmark that was skipped, or has no time, has none of 0', async () => {
    const google = (more: object) => ({
      context: { library_build_type: 'release' },
      benchmarks: ['BM_a', 'BM_b'].map((name) => ({
        name,
        run_type: 'iteration',
        real_time: 5,
        ...(name === 'BM_a' && more),
      })),
    })
    const skipped = await classify(
      await sides('x.json', google({}), google({ skipped: true, skip_message: 'no GPU', real_time: 0 })),
    )
    expect(named(skipped, 'BM_a')).toMatchObject({ status: 'failed', failedIn: 'new' })
    expect(skipped.warnings[0]!.message).toContain('no GPU')
    const none = await classify(await sides('x.json', google({}), google({ real_time: null })))
    expect(named(none, 'BM_a')).toMatchObject({ status: 'only-old' })
    expect(none.warnings.map(({ message }) => message)).toEqual(['BM_a has no time: skipped'])
  })

  test('of BenchmarkDotNet has no statistics, one of vitest a name alone', async () => {
    const bdn = (statistics: unknown) => ({
      HostEnvironmentInfo: { BenchmarkDotNetVersion: '0.14.0' },
      Benchmarks: [
        { FullName: 'A.B.Sum(N: 1)', Namespace: 'A', Type: 'B', Statistics: { OriginalValues: [1, 2, 3, 4, 5] } },
        { FullName: 'A.B.Sum(N: 2)', Namespace: 'A', Type: 'B', Statistics: statistics },
      ],
    })
    const failed = await classify(await sides('x.json', bdn({ OriginalValues: [1, 2, 3, 4, 5] }), bdn(null)))
    expect(named(failed, 'Sum(N: 2)')).toMatchObject({ status: 'failed', failedIn: 'new' })
    expect(named(failed, 'Sum(N: 1)')).toMatchObject({ status: 'compared' })
    const vitest = (more: object) => ({
      files: [
        { filepath: 'a.bench.ts', groups: [{ fullName: 'a.bench.ts', benchmarks: [{ name: 'sort', ...more }] }] },
      ],
    })
    const found = await classify(await sides('x.json', vitest({ mean: 1 }), vitest({})))
    expect(named(found, 'sort')).toMatchObject({ status: 'failed', failedIn: 'new' })
  })
})

describe('two benchmarks of one name', () => {
  test.each<[string, string, string, repetitions: number | null]>([
    ['google-benchmark-old.json', 'google-benchmark-new.json', 'BM_map', 6],
    ['google-benchmark-old.txt', 'google-benchmark-new.txt', 'BM_map', 6],
    ['google-benchmark-once-old.txt', 'google-benchmark-once-new.txt', 'BM_map', 1],
    ['hyperfine-old.json', 'hyperfine-old.json', 'true', 10],
    ['catch2-old.txt', 'catch2-new.txt', 'twice', 20],
    ['catch2-old.xml', 'catch2-new.xml', 'twice', 20],
  ])('in %s stay two, and so do their repetitions', async (old, fresh, name, repetitions) => {
    const found = await ofReal(old, fresh)
    for (const one of [name, `${name} (no. 2)`]) expect(named(found, one)?.old.repetitions, one).toBe(repetitions)
    expect(named(found, `${name} (no. 3)`)).toBeUndefined()
    expect(found.warnings).toContainEqual(
      expect.objectContaining({
        code: 'same-name',
        message: expect.stringContaining(`the name ${name} appears twice`) as string,
      }),
    )
  })

  test('are told apart by parameters that the name has not', async () => {
    for (const file of ['hyperfine-named.json', 'hyperfine-named.csv']) {
      const found = await ofReal(file, file)
      const times = found.queries.filter(({ metric }) => metric === 'time')
      expect(new Set(times.map(({ queryName }) => queryName))).toEqual(new Set(['nap (t = 0.004)', 'nap (t = 0.012)']))
      expect(found.warnings).toEqual([])
    }
  })

  test('are one where its tool writes a line for each repetition', async () => {
    const go = await ofReal('go-old.txt', 'go-old.txt')
    expect(go.queries.map(({ old }) => old.repetitions)).toEqual([6, 6, 6])
    const table = real('google-benchmark-once-old.txt')
    const appended = await classify(await sides('x.txt', table.repeat(5), table.repeat(5)))
    expect(named(appended, 'BM_map (no. 2)')!.old.repetitions).toBe(5)
    const cases = await classify(
      await sides('x.txt', real('catch2-old.txt').repeat(3), real('catch2-old.txt').repeat(3)),
    )
    for (const name of ['after', 'twice', 'twice (no. 2)']) expect(named(cases, name)!.old.repetitions).toBe(3)
    const bench = 'test sum ... bench:         100 ns/iter (+/- 3)\n'
    const rust = await classify(await sides('x.txt', bench.repeat(5), bench.repeat(5)))
    expect(rust.queries).toHaveLength(1)
    expect(rust.queries[0]!.old.repetitions).toBe(5)
  })

  test('of a commit that was measured twice are repetitions, and no baseline of it', async () => {
    const entry = (id: string, value: number) => ({
      commit: { id },
      tool: 'go',
      benches: [{ name: 'BenchmarkSum', unit: 'ns/op', value }],
    })
    const path = join(folder, 'data.js')
    const entries = { Suite: [entry('a', 10), entry('a', 11), entry('b', 20), entry('b', 21), entry('b', 22)] }
    await writeFile(path, `window.BENCHMARK_DATA = ${JSON.stringify({ lastUpdate: 1, entries })}`)
    const { queries } = await classify([path])
    expect(queries).toHaveLength(1)
    expect(queries[0]).toMatchObject({ old: { repetitions: 2 }, new: { repetitions: 3 } })
    await writeFile(
      path,
      `window.BENCHMARK_DATA = ${JSON.stringify({ lastUpdate: 1, entries: { Suite: [entry('a', 10), entry('a', 20)] } })}`,
    )
    expect((await classify([path])).queries[0]).toMatchObject({ status: 'only-new' })
  })
})

describe('a bad entry costs itself alone', () => {
  const jmh = (name: string, rawData: unknown) => ({
    benchmark: `a.B.${name}`,
    mode: 'avgt',
    primaryMetric: { score: 1, scoreUnit: 'ns/op', rawData },
  })
  const iterations = (bad = false) => [jmh('good', [[1, 2, 3]]), jmh('bad', bad ? [1, 2, 3] : [[1, 2, 3]])]
  const google = (bad: unknown) => ({
    context: { library_build_type: 'release' },
    benchmarks: ['good', 'bad'].map((name) => ({ name, real_time: name === 'bad' ? bad : 1, time_unit: 'ns' })),
  })
  const pyperf = (bad: unknown) => ({
    benchmarks: ['good', 'bad'].map((name) => ({
      metadata: { name },
      runs: [{ values: [1, 2, name === 'bad' ? bad : 3], warmups: [] }],
    })),
  })
  const pytest = (bad: unknown) => ({
    machine_info: { python_implementation: 'CPython' },
    benchmarks: ['good', 'bad'].map((name) => ({
      name,
      fullname: `t.py::${name}`,
      stats: name === 'bad' ? bad : { mean: 1 },
    })),
  })
  const bencher = (bad: unknown) => ({ good: { latency: { value: 1 } }, bad: { latency: { value: bad } } })
  const custom = (bad: unknown) =>
    ['good', 'bad'].map((name) => ({ name, unit: 'ns', value: name === 'bad' ? bad : 1 }))
  const hyperfine = (bad: unknown) => ({
    results: ['good', 'bad'].map((command) => ({ command, mean: 1, times: command === 'bad' ? bad : [1, 2, 3] })),
  })
  const vitest = (bad: unknown) => ({
    files: [
      {
        filepath: 'a',
        groups: [
          { fullName: 'a', benchmarks: ['good', 'bad'].map((name) => ({ name, mean: name === 'bad' ? bad : 1 })) },
        ],
      },
    ],
  })
  const bdn = (bad: unknown) => ({
    HostEnvironmentInfo: { BenchmarkDotNetVersion: '0.14.0' },
    Benchmarks: ['good', 'bad'].map((FullName) => ({ FullName, Statistics: { Mean: FullName === 'bad' ? bad : 1 } })),
  })

  test.each<[string, old: unknown, fresh: unknown]>([
    ['jmh', iterations(true), iterations()],
    ['google-benchmark', google('x'), google(1)],
    ['pyperf', pyperf('x'), pyperf(3)],
    ['pytest-benchmark', pytest(null), pytest({ mean: 1 })],
    ['bencher', bencher(null), bencher(1)],
    ['github-action-benchmark', custom(null), custom(1)],
    ['hyperfine', hyperfine(['x']), hyperfine([1, 2, 3])],
    ['vitest', vitest('x'), vitest(1)],
    ['benchmarkdotnet', bdn('x'), bdn(1)],
  ])('in %s', async (_, old, fresh) => {
    const { queries, warnings } = await classify(await sides('x.json', old, fresh))
    const of = (name: string) => queries.find(({ queryName }) => queryName?.endsWith(name))!
    expect(['compared', 'measured-once']).toContain(of('good').status)
    expect(of('bad').status).toBe('only-new')
    expect(warnings).toHaveLength(1)
    expect(warnings[0]!.message).toMatch(/bad/)
    expect(warnings[0]!.message).not.toContain('good')
  })

  test('and where none is good, the file is what is said', async () => {
    const paths = await sides('x.json', custom(1), [{ name: 'bad', unit: 'ns', value: null }])
    const { warnings } = await classify(paths)
    expect(warnings.map(({ code }) => code)).toContain('unreadable-member')
  })
})

describe('the metric that decides', () => {
  const go = (unit: string, values: readonly number[]) =>
    `goos: linux\npkg: x\n${values.map((value) => `BenchmarkPlain-8 100 ${value / 7} ns/op\nBenchmarkQ-8 100 ${value} ${unit}\n`).join('')}`
  const [high, low] = [
    [100, 101, 102, 99, 98, 100.5, 99.5],
    [50, 51, 52, 49, 48, 50.5, 49.5],
  ] as const

  test.each([
    'widgets/s',
    'x/sec',
    'req/s',
    'Mgas/s',
    'frames/second',
    'fps',
    'IOPS',
    'kIOPS',
    'GFLOPS',
    'items_per_second',
    'txn/min',
    'MB/s',
  ])('%s is better when it is higher, and decides of a benchmark that has no time', async (unit) => {
    const { counts, queries } = await classify(await sides('x.txt', go(unit, high), go(unit, low)))
    const rate = queries.find(({ queryName, metric }) => queryName === 'BenchmarkQ-8' && metric !== 'time')!
    expect(rate).toMatchObject({ better: 'higher', direction: 'slower', outcome: 'changed' })
    expect(counts).toMatchObject({ slower: 1, faster: 1, notCompared: 0 })
    expect(queries).toHaveLength(2)
    const { stdout } = await perfTriage(['comment', ...(await sides('x.txt', go(unit, high), go(unit, low)))])
    expect(stdout).toMatch(/BenchmarkQ-8/)
    expect(stdout).toMatch(/^### 1 of 2 benchmarks got slower/m)
  })

  test.each(['points', 'widgets/op', 'ratio', 'errors/s'])(
    '%s has no direction: a change is said as such',
    async (unit) => {
      const paths = await sides('x.txt', go(unit, high), go(unit, low))
      const { counts, queries } = await classify(paths)
      const score = queries.find(({ queryName, metric }) => queryName === 'BenchmarkQ-8' && metric === unit)!
      expect(score).toMatchObject({ better: null, direction: null, outcome: 'changed' })
      expect(counts).toMatchObject({ slower: 0, faster: 1, changed: 1 })
      const { stdout } = await perfTriage(['comment', ...paths])
      expect(stdout).toMatch(/^### .*1 of 2 benchmarks changed, unknown whether better or worse/m)
      expect(stdout).toContain('`better` in `.github/perf-triage.yml`')
      expect(stdout).toContain('- outcomes: 0 slower, 1 faster, 1 changed, unknown whether better or worse, ')
      expect((await perfTriage(['classify', ...paths, '--fail-on', 'changed'])).stderr).toContain('2 changed')
      expect((await perfTriage(['classify', ...paths])).stdout).toContain('1 changed, unknown whether better or worse')
    },
  )
})

test.each([
  [
    'ClickBench',
    { system: 's', machine: 'm', result: [[9, 1, 1.01]] },
    { system: 's', machine: 'm', result: [[9, 2, 2.01]] },
  ],
  [
    'hyperfine',
    { results: [{ command: 'a', mean: 1, times: [1, 1.01] }] },
    { results: [{ command: 'a', mean: 2, times: [2, 2.01, 2.02, 2.03, 2.01, 2.02] }] },
  ],
])('two repetitions of %s on a side change nothing', async (_, old, fresh) => {
  const paths = await sides('x.json', old, fresh)
  const { counts, queries } = await classify(paths)
  expect(counts).toMatchObject({ slower: 0, faster: 0, unstable: 1 })
  expect(queries.find(({ outcome }) => outcome !== null)).toMatchObject({ outcome: 'unstable', threshold: null })
  const { stdout } = await perfTriage(['comment', ...paths])
  expect(stdout).not.toContain('too noisy to judge')
})

describe('what a whole side or run lacks', () => {
  const go = (times: readonly number[], processes = 1) =>
    `goos: linux\npkg: a/b\ncpu: AMD EPYC\n${times.map((time) => `BenchmarkX-2 100 ${time} ns/op\n`).join('')}PASS\n`.repeat(
      processes,
    )
  const old = [100, 101, 102]
  const fresh = [300, 301, 302]

  test('three processes a side are not called one', async () => {
    const args = await sides('bench.txt', go(old, 3), go(fresh, 3))
    for (const command of ['classify', 'comment']) {
      const { stdout } = await perfTriage([command, ...args])
      expect(stdout).toContain('3 + 3 processes')
      expect(stdout).not.toContain('one process')
    }
  })

  test('a file without results is no other machine', async () => {
    const [place] = await sides('bench.txt', go(old), '')
    const { stdout } = await perfTriage(['comment', dirname(place!)])
    expect(stdout).toMatch(
      /^Look at what .* Provide results of the new build: only those of the old one were found\.$/m,
    )
    expect(stdout).toContain('`local: new/bench.txt`: a file can’t be read: `the file is empty, so')
    expect(stdout).not.toContain('machine')
  })

  test('where nothing was compared it is not said that nothing is to be done', async () => {
    const of = (time: number) => go(Array.from({ length: 5 }, () => time))
    const { stdout } = await perfTriage(['comment', ...(await sides('bench.txt', of(0), of(300)))])
    expect(stdout).toContain('\nNothing to judge: no benchmark could be compared, for the reasons below.\n')
    expect(stdout).toContain('the old time is zero')
  })
})

test('a rate is written with its prefix, in a comment as in the terminal', async () => {
  const go = (rate: number) => {
    const lines = [0, 1, 2, 3, 4, 5].map((at) => `BenchmarkQ 1 ${rate + at} MB/s ${12_000 * rate + at} ops/s`)
    return `goos: linux\npkg: e/x\n${lines.join('\n')}\n`
  }
  const paths = await sides('x.txt', go(100), go(50))
  const comment = async (metric: string) =>
    (await perfTriage(['comment', ...paths, '--metric', metric])).stdout.replaceAll('\u00a0', ' ')
  expect(await comment('throughput')).toContain('98.2 → 50.5 MiB/s')
  expect(await comment('ops/s')).toContain('1,200 → 600 k/s')
})

describe('what fails in another way', () => {
  const TIMES = [1.5, 1.51, 1.49, 1.52, 1.5, 1.48]
  const failedIn = (found: Classified) => found.queries.map(({ status, failedIn: build }) => `${status} ${build}`)

  test.each<[string, (time: number) => string]>([
    ['GNU time', (time) => `Command exited with non-zero status 1\nreal ${time}\nuser 0.01\nsys 0.00\n`],
    ['a shell', (time) => `Segmentation fault (core dumped)\n\nreal\t0m${time}s\nuser\t0m0.01s\nsys\t0m0.00s\n`],
    ['a missing program', (time) => `bash: ./sort: No such file or directory\nreal ${time}\nuser 0.01\nsys 0.00\n`],
  ])('%s says it before the time, which counts for nothing', async (_, failing) => {
    const good = TIMES.map((time) => `$ time ./sort\n\nreal\t0m${time}s\nuser\t0m1s\nsys\t0m0.01s\n`).join('')
    const paths = await sides('time.txt', good, TIMES.map((time) => failing(time / 100)).join(''))
    const found = await classify(paths)
    expect(new Set(failedIn(found))).toEqual(new Set(['failed new']))
    expect(found.warnings.map(({ message }) => message).join()).toMatch(/^6 runs of .* failed \(.*\): not counted$/)
  })

  test('perf stat tells of a signal', async () => {
    const run = (time: number, before = '') =>
      `${before}\n Performance counter stats for './sort':\n\n  ${time * 1000} msec task-clock\n\n  ${time} seconds time elapsed\n\n`
    const crashed = TIMES.map((time) => run(time / 100, './sort: Segmentation fault')).join('')
    const found = await classify(await sides('perf.txt', TIMES.map((time) => run(time)).join(''), crashed))
    expect(new Set(failedIn(found))).toEqual(new Set(['failed new']))
    const one = await classify(
      await sides(
        'perf.txt',
        TIMES.map((time) => run(time)).join(''),
        TIMES.map((time) => run(time)).join('') + run(0.01, './sort: Aborted'),
      ),
    )
    expect(one.queries[0]).toMatchObject({ status: 'compared', new: { repetitions: 6 } })
  })

  test('what a shell says of other programs is no failure of the one that is measured', async () => {
    const run = (time: number, before = '') =>
      `${before}\n Performance counter stats for './sort':\n\n  ${time * 1000} msec task-clock\n\n  ${time} seconds time elapsed\n\n`
    const runs = (by: number, before = '') => TIMES.map((time) => run(time * by, before)).join('')
    for (const before of [
      './bench.sh: line 3: /sys/devices/system/cpu/cpu0/scaling_governor: Permission denied',
      'old server: Terminated\nstarting the new one',
    ]) {
      const found = await classify(await sides('perf.txt', runs(1), runs(1.5, before)))
      expect([before, ...failedIn(found)].filter((text) => text.startsWith('failed'))).toEqual([])
      expect(found.queries.length).toBeGreaterThan(0)
    }
    const missing = await classify(
      await sides('perf.txt', runs(1), runs(0.01, 'bash: line 1: ./sort: command not found')),
    )
    expect(new Set(failedIn(missing))).toEqual(new Set(['failed new']))
  })

  test('most requests of a load test failed: an error is answered fast, and is no gain', async () => {
    const wrk = (failed: number, latency: number) =>
      `Running 5s test @ http://localhost:8080/items\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     ${latency}ms  100.00us   9.00ms   90.00%\n  50000 requests in 5.00s, 6.00MB read\n${failed === 0 ? '' : `  Non-2xx or 3xx responses: ${failed}\n`}Requests/sec:  ${10000 / latency}\nTransfer/sec:      1.20MB\n`
    const of = (failed: number, latency: number) => TIMES.map((time) => wrk(failed, latency * time)).join('')
    const found = await classify(await sides('wrk.txt', of(0, 10), of(40_000, 1)))
    expect(found.counts).toMatchObject({ slower: 0, faster: 0 })
    expect(found.warnings[0]!.message).toBe('240,000 of 300,000 requests of /items failed: not counted')
    const few = await classify(await sides('wrk.txt', of(0, 10), of(2000, 1)))
    expect(few.counts).toMatchObject({ faster: 1 })
  })

  test('a benchmark of divan that panics, a variant of PHPBench that throws', async () => {
    const row = (name: string, cells: string) => `${name}        82.58 ns      │ 1.915 µs      │ ${cells}\n`
    const head = 'b           fastest       │ slowest       │ median        │ mean          │ samples │ iters\n'
    const good = '90.01 ns      │ 91.2 ns       │ 100     │ 3200'
    const panic = `╰─ z        thread 'main' panicked at benches/b.rs:5:3:\nboom\n`
    const divan = await classify(
      await sides('divan.txt', head + row('├─ a', good) + row('╰─ z', good), head + row('├─ a', good) + panic),
    )
    expect(named(divan, 'z')).toMatchObject({ status: 'failed', failedIn: 'new' })
    expect(divan.warnings.map(({ message }) => message)).toEqual(['1 run of z failed: it panicked: not counted'])
    const php = (inside: string) =>
      `<?xml version="1.0"?>\n<phpbench version="1.2.15"><suite><benchmark class="\\B"><subject name="s"><variant revs="1">${inside}</variant></subject></benchmark></suite></phpbench>`
    const thrown = await classify(
      await sides(
        'php.xml',
        php('<iteration time-avg="5"/>'),
        php('<errors><error exception-class="E">boom</error></errors>'),
      ),
    )
    expect(thrown.warnings.map(({ message }) => message)).toEqual(['1 run of s failed: E: boom: not counted'])
  })

  const command = (name: string) => ({ command: name, mean: 1, times: [1, 1.01, 0.99, 1, 1] })
  const ended =
    "Benchmark 1: ./a\nError: Command terminated with non-zero exit code: 1. Use the '-i'/'--ignore-failure' option\n"

  test('hyperfine ends at a command that fails: what it printed says so, and where that is not there, the comment', async () => {
    const paths = await sides('h.json', { results: [command('./a')] }, { results: [] })
    await writeFile(join(paths[1]!, 'h.log'), ended)
    const said = await classify(paths)
    expect(named(said, './a')).toMatchObject({ status: 'failed', failedIn: 'new' })
    expect(said.warnings.map(({ message }) => message)).toEqual([
      'there are no results in it, so results of the new build are missing',
      'hyperfine: it ended at ./a: Command terminated with non-zero exit code: 1 (-i continues after failures)',
    ])
    const unsaid = await sides('h.json', { results: [command('./a'), command('./b')] }, { results: [command('./a')] })
    const { stdout } = await perfTriage(['comment', ...unsaid])
    expect(stdout).toMatch(
      /^Find out why .*hyperfine .\/b`: `.* hyperfine stops at the first command that fails, unless it has -i`\.$/m,
    )
    const empty = await classify(await sides('h.json', { results: [command('./a')] }, ''))
    expect(empty.warnings.map(({ message }) => message)[0]).toBe('the file is empty')
  })

  test('what panicked is named in the comment once, and not that the old build has a result where it has none', async () => {
    const head = 'goos: linux\ngoarch: amd64\npkg: x\n'
    const good = 'BenchmarkA-8\t1000\t100 ns/op\n'
    const panic = `${head}${good}BenchmarkB-8\tpanic: runtime error: index out of range\n\nx.BenchmarkB(0x1)\nFAIL\tx\t1s\nFAIL\n`
    const paths = await sides('bench.txt', `${head}${good}--- SKIP: BenchmarkB\nPASS\n`, panic.repeat(5))
    const { stdout: comment } = await perfTriage(['comment', ...paths])
    expect(comment).toContain(
      'Find out why the new build has no result for `x BenchmarkB-8`: `BenchmarkB-8: panic: runtime error',
    )
    expect(comment).not.toContain('the old one has')
    const { stdout } = await perfTriage(['classify', ...paths])
    expect(stdout.match(/^warning: .*$/gm)).toEqual([
      expect.stringMatching(/bench\.txt:5 and 4 others: BenchmarkB-8: panic: runtime error: index out of range$/),
    ])
  })
})

describe('how text is kept', () => {
  const go =
    'goos: linux\npkg: x\nBenchmarkA-8\t1000\t100 ns/op\nBenchmarkA-8\t1000\t101 ns/op\nBenchmarkA-8\t1000\t99 ns/op\nPASS\n'
  const stamped = (text: string) => text.replaceAll(/^(?=.)/gm, '2026-01-02T03:04:05.1234567Z ')

  test('in colours, with another end of lines, or with what npm prints before it', async () => {
    const esc = String.fromCodePoint(27)
    const coloured = go.replaceAll(/^(.+)$/gm, `${esc}[32m$1${esc}[0m`)
    for (const text of [coloured, go.replaceAll('\n', '\r\n'), `\ufeff${go}`, stamped(coloured)]) {
      const found = await classify(await sides('bench.txt', go, text))
      expect(found.queries.map(({ status, new: fresh }) => [status, fresh.repetitions])).toEqual([['compared', 3]])
    }
    const tasks = JSON.stringify([{ name: 'a', result: { latency: { samples: [5, 6, 7] } } }])
    const found = await classify(await sides('bench.json', tasks, `\n> x@1.0.0 bench\n> node bench.js\n\n${tasks}`))
    expect(found.queries[0]).toMatchObject({ status: 'compared' })
  })

  test('in an archive of logs, which has the log of a job beside those of its steps: once', async () => {
    const paths = await sides('bench.txt', go, go)
    for (const path of paths) {
      await writeFile(join(path, '0_build (1).txt'), stamped(`Set up\n${go}`))
      await mkdir(join(path, 'build (1)'))
      await writeFile(join(path, 'build (1)', '3_Run benchmarks.txt'), stamped(go))
      await rm(join(path, 'bench.txt'))
    }
    const { queries } = await classify(paths)
    expect(queries.map(({ old, new: fresh }) => [old.repetitions, fresh.repetitions])).toEqual([[3, 3]])
    // what no step has is in the log of the job alone
    const alone = go.replaceAll(/Benchmark\w+/g, 'BenchmarkAlone')
    for (const path of paths) await writeFile(join(path, '0_build (1).txt'), stamped(`${go}${alone}`))
    expect((await classify(paths)).queries.some(({ queryName }) => queryName?.includes('Alone'))).toBe(true)
  })
})

describe('more that a bad entry leaves standing', () => {
  const k6 = (more: object) => ({
    metrics: { http_req_duration: { med: 5, avg: 5 }, http_reqs: { count: 5, rate: 1 }, ...more },
  })
  const mitata = (layout: unknown) => ({
    layout: [{ name: null }, layout],
    context: { runtime: 'node', version: 'v22.1.0' },
    benchmarks: [{ group: 0, runs: [{ name: 'good', stats: { samples: [5, 6, 7] } }] }],
  })
  const event = (output: string) => `${JSON.stringify({ Action: 'output', Package: 'x', Output: output })}\n`
  const go = event('BenchmarkGood-8\t1000\t100 ns/op\n').repeat(3)
  const task = (name?: string) => ({ ...(name !== undefined && { name }), result: { latency: { samples: [5, 6, 7] } } })
  const csv = 'command,mean,stddev,median,user,system,min,max\ngood,0.5,0.01,0.5,0.4,0.1,0.49,0.51\n'
  const data = (more: object) =>
    `window.BENCHMARK_DATA = ${JSON.stringify({ lastUpdate: 1, entries: { S: [{ benches: [{ name: 'good', unit: 'ns', value: 1 }] }], ...more } })}`
  const catch2 = (more: string) =>
    `<?xml version="1.0"?>\n<Catch2TestRun name="t"><TestCase name="c"><BenchmarkResults name="good"><mean value="1"/></BenchmarkResults>${more}</TestCase></Catch2TestRun>`

  test.each<[string, file: string, bad: unknown, good: unknown, message: RegExp]>([
    ['k6', 'good-1.json', k6({ x: null }), k6({}), /^metrics\.x: /],
    ['mitata', 'x.json', mitata({ name: { x: 1 } }), mitata({ name: 'g' }), /^$/],
    ['go test -json', 'x.json', `${go}{"Action": broken\n`, go, /not an event of go test -json/],
    ['tinybench', 'x.json', [task('good'), task()], [task('good'), task('b')], /^tasks\.1 has no name/],
    ['the CSV of hyperfine', 'x.csv', `${csv}bad,1\n`, csv, /have the columns of the first line/],
    ['the cut CSV of hyperfine', 'x.csv', `${csv}bad,1`, csv, /may be cut off/],
    ['data.js', 'data.js', data({ T: null }), data({}), /^entries\.T: /],
    [
      'the XML of Catch2',
      'x.xml',
      catch2('<BenchmarkResults name="b"><mean value="nan"/></BenchmarkResults>'),
      catch2(''),
      /^b has no mean/,
    ],
  ])('%s', async (_, file, bad, good, message) => {
    const { queries, warnings } = await classify(await sides(file, good, bad))
    expect(queries.some(({ status }) => status === 'compared' || status === 'measured-once')).toBe(true)
    expect(warnings.map((one) => one.message).join('\n')).toMatch(message)
  })
})

test.each([
  [
    'benchmark.js',
    'concat x 1,431,759 ops/sec ±0.74% (93 runs sampled)\nconcat x 3,759 ops/sec ±0.74% (93 runs sampled)\n',
  ],
  ['libtest', 'test sum ... bench:         100 ns/iter (+/- 3)\ntest sum ... bench:      40,000 ns/iter (+/- 3)\n'],
  ['Go without its package', 'BenchmarkSum-8\t100\t5 ns/op\nBenchmarkSum-8\t100\t5000 ns/op\n'],
])('values of one name that are far apart in %s are told', async (_, text) => {
  const { stdout } = await perfTriage(['comment', ...(await sides('x.txt', text, text))])
  expect(stdout).toMatch(/values of \S+ are in two groups, [\d,]+ times apart: 2 benchmarks with the same name\?/)
})

test('the neutral format is judged by what it has, each benchmark by its own metric', async () => {
  const line = (queryName: string, metric: string, unit: string, value: number) =>
    `${JSON.stringify({ test: 't', queryName, metric, unit, value })}\n`
  const side = (factor: number) =>
    [1, 1.01, 0.99, 1.02, 0.98, 1, 1.01, 0.99]
      .map((value) => line('a', 'time', 's', value) + line('b', 'rows_per_second', '1/s', value * factor))
      .join('')
  const { counts } = await classify(await sides('x.jsonl', side(10), side(5)))
  expect(counts).toMatchObject({ slower: 1, notSignificant: 1 })
})

test('a score beside a rate that fell is no sign of a slow host', async () => {
  const lines = (name: string, unit: string, factor: number) =>
    [100, 101, 99, 100.5, 99.5, 100.2, 99.8, 100.1].map((value) => `Benchmark${name}-8 100 ${value * factor} ${unit}\n`)
  const go = (factor: number) =>
    `goos: linux\npkg: x\n${[
      ...lines('A', 'ns/op', 1),
      ...lines('S', 'points', factor),
      ...lines('P', 'p99-ns', factor),
      ...lines('R', 'req/ms', factor),
    ].join('')}`
  const { stdout } = await perfTriage(['comment', ...(await sides('x.txt', go(1), go(0.5)))])
  expect(stdout).not.toContain('the host slowed')
  expect(stdout).toContain('1 of 4 benchmarks got slower')
})
