import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ENVIRONMENT_FIELDS } from '../../../src/intake/measurement/environment.ts'
import { perfTriage } from './capture.ts'

/** What people have reported of results from several environments, rebuilt as small outputs, and real outputs of tools that name theirs. */
const CASES = join(import.meta.dirname, '../../data/tool-cases')
const REAL = join(import.meta.dirname, '../../data/environments')

const OF_ENVIRONMENTS = ['F2-cpu-differs-between-sides', 'F3-matrix-merged-go-os', 'F4-cpu-suffix-differs']

const expectedSchema = z.object({
  args: z.array(z.string()),
  counts: z.record(z.string(), z.number()).default({}),
  differences: z.array(z.number()).default([]),
  says: z.string().optional(),
  mustNotSay: z.string().optional(),
})

const ofSide = z.partialRecord(z.enum(ENVIRONMENT_FIELDS), z.array(z.string()))
const documentSchema = z.object({
  counts: z.record(z.string(), z.number()),
  queries: z.array(
    z.object({
      queryName: z.string().nullable(),
      architecture: z.string().nullable(),
      metric: z.string(),
      outcome: z.string().nullable(),
      direction: z.string().nullable(),
      difference: z.number().nullable(),
      status: z.string(),
    }),
  ),
  environments: z
    .array(z.object({ architecture: z.string().nullable(), old: ofSide, new: ofSide, differing: z.array(z.string()) }))
    .optional(),
})

async function classified(...argv: readonly string[]) {
  const { code, stdout } = await perfTriage(['classify', '--json', ...argv])
  expect(code).toBe(0)
  return documentSchema.parse(JSON.parse(stdout))
}

async function printed(command: 'classify' | 'comment', ...argv: readonly string[]): Promise<string> {
  const { code, stdout } = await perfTriage([command, ...argv])
  expect(code).toBe(0)
  return stdout
}

const sides = (tool: string, old: string, fresh: string) => [
  '--old',
  join(REAL, tool, old),
  '--new',
  join(REAL, tool, fresh),
]

test('the cases of environments are there', () => {
  expect(readdirSync(CASES)).toEqual(expect.arrayContaining(OF_ENVIRONMENTS))
})

describe.each(OF_ENVIRONMENTS)('%s', (name) => {
  const folder = join(CASES, name)
  const expected = expectedSchema.parse(JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')))
  const argv = expected.args.map((arg) => join(folder, arg))

  test('has the counts and differences', async () => {
    const { counts, queries } = await classified(...argv)
    expect(counts).toMatchObject(expected.counts)
    const changed = queries.flatMap(({ outcome, difference }) => (outcome === 'changed' ? [difference] : []))
    for (const difference of expected.differences) {
      expect(changed.some((found) => Math.abs(found! - difference) < 0.05)).toBe(true)
    }
  })

  test('says what is to be said, and not what is not', async () => {
    const comment = await printed('comment', ...argv)
    if (expected.says !== undefined) expect(comment).toMatch(new RegExp(expected.says, 'i'))
    if (expected.mustNotSay !== undefined) expect(comment).not.toMatch(new RegExp(expected.mustNotSay, 'i'))
  })
})

describe('sides of different machines', () => {
  const argv = ['old.txt', 'new.txt'].map((file) => join(CASES, 'F2-cpu-differs-between-sides', file))

  test('are named in one line by classify and by the comment, where no row is a regression and nothing is to be accepted', async () => {
    expect(await printed('classify', ...argv)).toContain('\nnot comparable: old on EPYC 9V74, new on EPYC 7763\n')
    const comment = await printed('comment', ...argv)
    expect(comment).toContain('\nNot comparable: old on `EPYC 9V74`, new on `EPYC 7763`.\n')
    expect(comment).toContain(
      '### The two builds were not measured alike; 2 of 2 benchmarks may be slower and need a rerun',
    )
    expect(comment).toContain('"verdict":"needs-rerun"')
    expect(comment).not.toMatch(/"verdict":"regression"|Meant\?/)
  })

  test('decide no --fail-on: neither what is slower nor that nothing is', async () => {
    for (const condition of ['slower', 'failed']) {
      const { code, stderr } = await perfTriage(['classify', ...argv, '--fail-on', condition])
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('EPYC 9V74') })
    }
  })
})

describe('what tools write of where they measured', () => {
  test.each([
    ['jmh', ['JDK 17', 'JDK 25'], 4],
    ['pytest', ['CPython 3.11', 'CPython 3.12'], 2],
    ['pyperf', ['CPython 3.11', 'CPython 3.12'], 2],
  ])('%s: runtimes of one side are rows of their own', async (tool, architectures, rows) => {
    const { queries } = await classified(join(REAL, tool))
    expect(queries).toHaveLength(rows)
    expect(new Set(queries.map(({ architecture }) => architecture))).toEqual(new Set(architectures))
    expect(new Set(queries.map(({ status }) => status))).toEqual(new Set(['compared']))
  })

  test.each([
    ['jmh', 'old/jdk17.json', 'new/jdk25.json', 'JDK 17.0.15 → JDK 25.0.2'],
    ['pytest', 'old/3.11.7.json', 'new/3.12.1.json', 'CPython 3.11.7 → CPython 3.12.1'],
    ['pyperf', 'old/3.11.7.json', 'new/3.12.1.json', 'CPython 3.11.7 → CPython 3.12.1'],
    ['go', 'go1.24.0.txt', 'go1.25.0.txt', 'go1.24.0 → go1.25.0'],
  ])('%s: another runtime of the new side may be the change, and is judged', async (tool, old, fresh, words) => {
    const text = await printed('classify', ...sides(tool, old, fresh))
    expect(text).toContain(`\n${words} may be the change`)
    expect(text).not.toContain('not comparable')
    const { queries } = await classified(...sides(tool, old, fresh))
    expect(new Set(queries.map(({ architecture, status }) => `${architecture} ${status}`))).toEqual(
      new Set(['null compared']),
    )
  })

  test('google-benchmark: compilers that a project names are rows of their own on one side, and may be the change on two', async () => {
    const [one, two] = ['O1.json', 'O2.json'].map((file) => join(REAL, 'google-benchmark', file))
    const { queries } = await classified('--old', one!, two!, '--new', one!, two!)
    expect(new Set(queries.map(({ architecture, status }) => `${architecture} ${status}`))).toEqual(
      new Set(['g++ 12 -O1 compared', 'g++ 12 -O2 compared']),
    )
    const text = await printed('classify', '--old', one!, '--new', two!)
    expect(text).toContain('\ng++ 12 -O1 → g++ 12 -O2 may be the change')
  })

  test('benchmark.js: the description of its platform', async () => {
    const text = await printed('classify', ...sides('benchmarkjs', 'node20.txt', 'node24.txt'))
    expect(text).toContain('\nNode.js 20.20.2 → Node.js 24.21.0 may be the change')
  })

  test('a runtime that the old side alone was measured with is told as such, not as a build that does not run', async () => {
    const old = ['jdk17', 'jdk25'].map((file) => join(REAL, 'jmh/old', `${file}.json`))
    const comment = await printed('comment', '--old', ...old, '--new', join(REAL, 'jmh/new/jdk25.json'))
    expect(comment).toContain('Measure the new build on `JDK 17` too: the old one was measured there.')
    expect(comment).not.toContain('Find out why')
  })

  test('go: GOMAXPROCS is no part of the name where it differs as a whole', async () => {
    const argv = sides('go', 'maxprocs1.txt', 'maxprocs2.txt')
    const { queries } = await classified(...argv)
    expect(new Set(queries.map(({ queryName, status }) => `${queryName} ${status}`))).toEqual(
      new Set(['BenchmarkRepeat-2 compared', 'BenchmarkSplit-2 compared']),
    )
    expect(await printed('comment', ...argv)).toContain('Not comparable: old with 1 CPU, new with 2 CPUs.')
  })

  test.each([
    ['jmh', 'new/jdk17.json', { runtime: ['JDK 17.0.15'], flags: ['none'] }],
    [
      'pytest',
      'new/3.12.1.json',
      {
        cpu: ['AMD EPYC'],
        cpus: ['2'],
        os: ['Linux'],
        architecture: ['amd64'],
        runtime: ['CPython 3.12.1'],
        compiler: ['GCC 12.2.0'],
        host: ['vm'],
      },
    ],
    [
      'pyperf',
      'new/3.12.1.json',
      {
        cpu: ['AMD EPYC'],
        cpus: ['2'],
        os: ['Linux'],
        architecture: ['amd64'],
        runtime: ['CPython 3.12.1'],
        compiler: ['GCC 12.2.0'],
        host: ['vm'],
      },
    ],
    [
      'go',
      'go1.25.0.txt',
      { cpu: ['AMD EPYC'], cpus: ['2'], os: ['linux'], architecture: ['amd64'], runtime: ['go1.25.0'] },
    ],
    [
      'google-benchmark',
      'debug.json',
      {
        caches: ['L1 Data 48 KiB, L1 Instruction 32 KiB, L2 Unified 1024 KiB, L3 Unified 32768 KiB'],
        clock: ['2.6 GHz'],
        cpus: ['2'],
        build: ['debug'],
        host: ['vm'],
      },
    ],
    [
      'google-benchmark',
      'console.txt',
      {
        caches: ['L1 Data 48 KiB, L1 Instruction 32 KiB, L2 Unified 1024 KiB, L3 Unified 32768 KiB'],
        clock: ['2.6 GHz'],
        cpus: ['2'],
        build: ['debug'],
      },
    ],
  ])('%s: %s', async (tool, file, environment) => {
    const { environments } = await classified(...sides(tool, file, file))
    expect(environments).toEqual([{ architecture: null, old: environment, new: environment, differing: [] }])
  })
})

describe('what differs is told by each field', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  /** A real output against the same with a word of it replaced. */
  async function against(file: string, from: string | RegExp, to: string): Promise<string> {
    const text = readFileSync(join(REAL, file), 'utf8')
    const changed = text.replaceAll(from instanceof RegExp ? new RegExp(from, 'g') : from, to)
    expect(changed).not.toBe(text)
    const path = join(folder, `new-${file.replaceAll('/', '-')}`)
    await writeFile(path, changed)
    return await printed('classify', '--old', join(REAL, file), '--new', path)
  }

  test.each([
    [
      'google-benchmark/debug.json',
      '"debug"',
      '"release"',
      'not comparable: old as a debug build, new as a release build',
    ],
    [
      'google-benchmark/debug.json',
      '"num_cpus": 2',
      '"num_cpus": 4',
      'not comparable: old with 2 CPUs, new with 4 CPUs',
    ],
    [
      'google-benchmark/debug.json',
      '"mhz_per_cpu": 2596',
      '"mhz_per_cpu": 3700',
      'not comparable: old at 2.6 GHz, new at 3.7 GHz',
    ],
    ['google-benchmark/debug.json', '"size": 33554432', '"size": 16777216', 'not comparable: old with the caches L1'],
    ['google-benchmark/debug.json', '"host_name": "vm"', '"host_name": "other"', '\nhost vm → other'],
    ['pytest/old/3.12.1.json', '"AMD EPYC"', '"Xeon"', 'not comparable: old on AMD EPYC, new on Xeon'],
    ['pytest/old/3.12.1.json', '"GCC 12.2.0"', '"Clang 17"', '\nGCC 12.2.0 → Clang 17 may be the change'],
    [
      'pytest/old/3.12.1.json',
      '"system": "Linux"',
      '"system": "Darwin"',
      'not comparable: old on Linux, new on Darwin',
    ],
    ['pyperf/old/3.12.1.json', '"AMD EPYC"', '"Xeon"', 'not comparable: old on AMD EPYC, new on Xeon'],
    ['pyperf/old/3.12.1.json', '"hostname":"vm"', '"hostname":"b"', '\nhost vm → b'],
    ['jmh/old/jdk17.json', /"jvmArgs" : \[\s*\]/, '"jvmArgs": ["-Xmx1g"]', '\nnone → -Xmx1g may be the change'],
    [
      'jmh/old/jdk17.json',
      '"OpenJDK 64-Bit Server VM"',
      '"Eclipse OpenJ9 VM"',
      '\nJDK 17.0.15 → JDK 17.0.15 of Eclipse OpenJ9 VM may be the change',
    ],
    ['go/go1.25.0.txt', 'cpu: AMD EPYC', 'cpu: Xeon', 'not comparable: old on AMD EPYC, new on Xeon'],
    ['go/go1.25.0.txt', 'goarch: amd64', 'goarch: arm64', 'not comparable: old on amd64, new on arm64'],
  ])('%s: %s', async (file, from, to, words) => {
    expect(await against(file, from, to)).toContain(words)
  })
})

describe('places that a tool does not say', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
  })
  const times = (center: number) => [1, 1.01, 0.99, 1.02, 0.98, 1, 1.01].map((factor) => factor * center)
  const hyperfine = (center: number) =>
    JSON.stringify({ results: [{ command: './a', mean: center, times: times(center) }] })
  const jmh = (center: number, jvmArgs: readonly string[]) =>
    JSON.stringify([
      {
        benchmark: 'a.B.x',
        mode: 'avgt',
        jvmArgs,
        primaryMetric: { score: center, scoreUnit: 'ns/op', rawData: times(center).map((value) => [value]) },
      },
    ])
  async function of(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const root = await mkdtemp(join(folder, 'run-'))
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    const { queries } = await classified(root)
    return queries
      .filter(({ metric }) => metric === 'time')
      .map(({ architecture, outcome, direction }) => `${architecture} ${direction ?? outcome}`)
      .toSorted()
  }

  test.each([
    ['ubuntu-22.04', 'macos-14'],
    ['linux-x64', 'linux-arm64'],
    ['node20', 'node22'],
    ['gcc-12', 'clang-17'],
  ])('are those of the paths, %s and %s, where both sides have both', async (one, two) => {
    const both = await of({
      [`bench-${one}/old.json`]: hyperfine(1),
      [`bench-${one}/new.json`]: hyperfine(1.5),
      [`bench-${two}/old.json`]: hyperfine(2),
      [`bench-${two}/new.json`]: hyperfine(2),
    })
    expect(new Set(both.map((text) => text.split(' ')[1]))).toEqual(new Set(['not-significant', 'slower']))
    expect(both).toHaveLength(2)
    expect(await of({ [`${one}/old.json`]: hyperfine(1), [`${two}/new.json`]: hyperfine(1.5) })).toEqual([
      'null slower',
    ])
  })

  test('names of hosts are no places', async () => {
    const files = ['node1', 'node2'].flatMap((host) => [
      [`bench-${host}/old.json`, hyperfine(1)] as const,
      [`bench-${host}/new.json`, hyperfine(1)] as const,
    ])
    expect(await of(Object.fromEntries(files))).toEqual(['null not-significant'])
  })

  test('flags that both sides have are rows of their own, others may be the change', async () => {
    const [first, second] = [['-XX:+UseG1GC'], ['-XX:+UseParallelGC']]
    const both = { '1/old.json': jmh(10, first), '1/new.json': jmh(15, first), '2/old.json': jmh(30, second) }
    expect(await of({ ...both, '2/new.json': jmh(30, second) })).toEqual([
      '-XX:+UseG1GC slower',
      '-XX:+UseParallelGC not-significant',
    ])
    expect(await of({ 'old.json': jmh(10, first), 'new.json': jmh(15, second) })).toEqual(['null slower'])
  })
})

test('more than twenty hosts of a side are compared as a whole', async () => {
  const run = (host: number) =>
    JSON.stringify({
      benchmarks: [{ metadata: { name: 'a', hostname: `h${host + 100}` }, runs: [{ values: [1, 1.1, 1.2] }] }],
    })
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
  const files = (side: string, hosts: readonly number[]) =>
    hosts.map(async (host) => {
      await mkdir(join(folder, side), { recursive: true })
      await writeFile(join(folder, side, `${host}.json`), run(host))
    })
  const hosts = Array.from({ length: 21 }, (_, host) => host)
  await Promise.all([...files('old', hosts), ...files('new', [...hosts.slice(0, 20), 99])])
  const { environments } = await classified(folder)
  expect(environments![0]!.differing).toEqual(['host'])
  await rm(folder, { recursive: true })
})

test('-cpu 1,8 on one machine and 1,16 on another blames no build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
  const text = (cpus: number) =>
    `goos: linux\npkg: x\n${`BenchmarkX 100 5 ns/op\nBenchmarkX-${cpus} 100 5 ns/op\n`.repeat(5)}`
  for (const [side, cpus] of [
    ['old', 8],
    ['new', 16],
  ] as const)
    await writeFile(join(folder, `${side}.txt`), text(cpus))
  const comment = await printed('comment', folder)
  expect(comment).toContain(
    '\nMeasure both builds with the same number of CPUs: `x BenchmarkX-8` has a result for the old build only.\n',
  )
  await rm(folder, { recursive: true })
})
