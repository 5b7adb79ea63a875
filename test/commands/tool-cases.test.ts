import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ReadWarning } from '../../src/measurement/run.ts'
import type { ClassifiedQuery, OutcomeCounts } from '../../src/verdict/classified-query.ts'
import { perfTriage } from './capture.ts'

/** What benchmark tools write of failed runs, bad entries, equal names and rates, from the command line to what is printed. */

const CASES = join(import.meta.dirname, '../data/tool-cases')

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
    expect(stdout).toMatch(/^### .*quer(?:y|ies) without a result in the new build/m)
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
    expect(stdout).toMatch(/^### .*1 query failed in some repetitions of the new build/m)
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
    expect(none.warnings.map(({ message }) => message)).toEqual(['BM_a has no time: not read'])
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
        message: expect.stringContaining(`the name ${name} stands twice`) as string,
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
    expect(stdout).toMatch(/^### 1 of 2 queries slower/m)
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
      expect(stdout).toMatch(/^### .*1 of 2 queries changed, better or worse not known/m)
      expect(stdout).toContain('`better` in `.github/perf-triage.yml`')
      expect(stdout).toContain('- outcomes: 0 slower, 1 faster, 1 changed, better or worse not known, ')
      expect((await perfTriage(['classify', ...paths, '--fail-on', 'changed'])).stderr).toContain('2 changed')
      expect((await perfTriage(['classify', ...paths])).stdout).toContain('1 changed, better or worse not known')
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
    expect(stdout).toContain('\nGive the results of the new build: only those of the old one were found.\n')
  })

  test('where nothing was compared it is not said that nothing is to be done', async () => {
    const of = (time: number) => go(Array.from({ length: 5 }, () => time))
    const { stdout } = await perfTriage(['comment', ...(await sides('bench.txt', of(0), of(300)))])
    expect(stdout).toContain('\nNothing to judge: no query could be compared, for the reasons below.\n')
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
