import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readTexts } from './read-text.ts'

interface Place {
  readonly goos?: string
  readonly goarch?: string
  readonly cpu?: string
  readonly go?: string
}

/** What `go test -bench` prints, three times each. */
function go(names: readonly string[], { goos = 'linux', goarch = 'amd64', cpu, go: version }: Place = {}): string {
  const head = [
    ...(version === undefined ? [] : [`go version ${version} ${goos}/${goarch}`]),
    `goos: ${goos}`,
    `goarch: ${goarch}`,
    'pkg: ex.test/a',
    ...(cpu === undefined ? [] : [`cpu: ${cpu}`]),
  ]
  const lines = names.flatMap((name) => [100, 101, 102].map((time) => `${name}\t1000\t${time} ns/op`))
  return `${[...head, ...lines, 'PASS'].join('\n')}\n`
}

async function rowsOf(files: Readonly<Record<string, string>>) {
  const { measurements } = await readTexts(files)
  return measurements.map(
    ({ queryName, architecture, old, new: fresh }) =>
      `${queryName}${architecture === null ? '' : ` on ${architecture}`}: ${old.length} + ${fresh.length}`,
  )
}

async function environmentsOf(files: Readonly<Record<string, string>>) {
  return (await readTexts(files)).environments
}

const MAC = { goos: 'darwin', goarch: 'arm64', cpu: 'Apple M1' } as const

describe('environments of one side', () => {
  test('are rows of their own, by system and architecture, in files and in blocks of one file', async () => {
    const [linux, mac] = [go(['BenchmarkX-4']), go(['BenchmarkX-4'], MAC)]
    const rows = ['BenchmarkX-4 on darwin/arm64: 3 + 3', 'BenchmarkX-4 on linux/amd64: 3 + 3']
    expect(
      await rowsOf({ 'old/l.txt': linux, 'old/m.txt': mac, 'new/l.txt': `${linux} `, 'new/m.txt': `${mac} ` }),
    ).toEqual(rows)
    expect(await rowsOf({ 'old.txt': linux + mac, 'new.txt': mac + linux })).toEqual(rows)
  })

  test('are told apart though Go’s number of CPUs differs as well', async () => {
    const side = (four: string) => ({ l: go([`BenchmarkX-${four}`]), m: go(['BenchmarkX-3'], MAC) })
    const [old, fresh] = [side('4'), side('16')]
    expect(
      await rowsOf({ 'old/l.txt': old.l, 'old/m.txt': old.m, 'new/l.txt': fresh.l, 'new/m.txt': fresh.m }),
    ).toEqual(['BenchmarkX-16 on linux/amd64: 3 + 3', 'BenchmarkX-3 on darwin/arm64: 3 + 3'])
  })

  test('name what every row of the run is of, also of a benchmark that one system alone has', async () => {
    const linux = go(['BenchmarkX-4', 'BenchmarkOfLinux-4'])
    const mac = go(['BenchmarkX-4'], MAC)
    expect(await rowsOf({ 'old.txt': linux + mac, 'new.txt': linux + mac })).toContain(
      'BenchmarkOfLinux-4 on linux/amd64: 3 + 3',
    )
  })

  test('of which only a part of the versions differs are paired by what tells them apart', async () => {
    const versions = (patch: number) =>
      go(['BenchmarkX-4'], { go: `go1.24.${patch}` }) + go(['BenchmarkX-4'], { go: `go1.25.${patch}` })
    const files = { 'old.txt': versions(1), 'new.txt': versions(2) }
    expect(await rowsOf(files)).toEqual(['BenchmarkX-4 on go1.24: 3 + 3', 'BenchmarkX-4 on go1.25: 3 + 3'])
    expect(await environmentsOf(files)).toMatchObject([
      {
        architecture: 'go1.24',
        old: { runtime: ['go1.24.1'] },
        new: { runtime: ['go1.24.2'] },
        differing: ['runtime'],
      },
      { architecture: 'go1.25', differing: ['runtime'] },
    ])
  })

  test('are split by no more than is needed: a runtime that goes with the system is none of its name', async () => {
    const side = go(['BenchmarkX-4'], { go: 'go1.24.1' }) + go(['BenchmarkX-4'], { ...MAC, go: 'go1.25.1' })
    expect(await rowsOf({ 'old.txt': side, 'new.txt': side })).toEqual([
      'BenchmarkX-4 on darwin/arm64: 3 + 3',
      'BenchmarkX-4 on linux/amd64: 3 + 3',
    ])
  })

  test('that are other CPUs or hosts are repetitions', async () => {
    const side = go(['BenchmarkX-4'], { cpu: 'A' }) + go(['BenchmarkX-4'], { cpu: 'B' })
    const files = { 'old.txt': side, 'new.txt': side }
    expect(await rowsOf(files)).toEqual(['BenchmarkX-4: 6 + 6'])
    expect(await environmentsOf(files)).toMatchObject([{ old: { cpu: ['A', 'B'] }, differing: [] }])
  })

  test('that are of different benchmarks are not split: nothing is put together there', async () => {
    const [side, again] = [go(['BenchmarkX-4']) + go(['BenchmarkY-4'], MAC), go(['BenchmarkX-4'])]
    const files = { 'old/1.txt': side, 'old/2.txt': again, 'new/1.txt': `${side} `, 'new/2.txt': `${again} ` }
    expect(await rowsOf(files)).toEqual(['BenchmarkX-4: 6 + 6', 'BenchmarkY-4: 3 + 3'])
  })

  test('that differ between the sides alone are one row', async () => {
    const files = {
      'old.txt': go(['BenchmarkX-4'], { go: 'go1.24.1' }),
      'new.txt': go(['BenchmarkX-4'], { go: 'go1.25.1' }),
    }
    expect(await rowsOf(files)).toEqual(['BenchmarkX-4: 3 + 3'])
    expect(await environmentsOf(files)).toMatchObject([{ architecture: null, differing: ['runtime'] }])
  })
})

test('a file may have the results of several environments, which are not told apart by their order', async () => {
  const result = (jdkVersion: string) => ({
    benchmark: 'a.B',
    jdkVersion,
    primaryMetric: { scoreUnit: 'ns/op', rawData: [[1, 2, 3]] },
  })
  const both = JSON.stringify([result('17.0.1'), result('21.0.1')])
  expect(await rowsOf({ 'old.json': both, 'new.json': `${both} ` })).toEqual([
    'B on JDK 17: 3 + 3',
    'B on JDK 21: 3 + 3',
  ])
  const twice = JSON.stringify([result('17.0.1'), result('17.0.1')])
  expect(await rowsOf({ 'old.json': twice, 'new.json': `${twice} ` })).toEqual(['B: 3 + 3', 'B (no. 2): 3 + 3'])
})

describe('sides of different machines', () => {
  test('are told by the pairs of each benchmark, not by what all of a side has', async () => {
    const side = (x: string, y: string) => go(['BenchmarkX-4'], { cpu: x }) + go(['BenchmarkY-4'], { cpu: y })
    expect(await environmentsOf({ 'old.txt': side('A', 'B'), 'new.txt': side('A', 'B') })).toMatchObject([
      { differing: [] },
    ])
    expect(await environmentsOf({ 'old.txt': side('A', 'B'), 'new.txt': side('B', 'A') })).toMatchObject([
      { old: { cpu: ['A', 'B'] }, new: { cpu: ['A', 'B'] }, differing: ['cpu'] },
    ])
  })

  test('are of the block that names them: one without a CPU has none', async () => {
    const [named, unnamed] = [go(['BenchmarkX-4'], { cpu: 'A' }), go(['BenchmarkY-4'])]
    const files = { 'old.txt': named + unnamed, 'new.txt': named + go(['BenchmarkY-4'], { cpu: 'B' }) }
    expect(await environmentsOf(files)).toMatchObject([
      { old: { cpu: ['A'] }, new: { cpu: ['A', 'B'] }, differing: [] },
    ])
  })

  test('are not told where a side does not say it', async () => {
    const files = { 'old.txt': go(['BenchmarkX-4'], { cpu: 'A' }), 'new.txt': go(['BenchmarkX-4']) }
    expect(await environmentsOf(files)).toMatchObject([{ old: { cpu: ['A'] }, differing: [] }])
  })

  test('of a run that has one side are the place of that side', async () => {
    const environments = await environmentsOf({ 'new/a.txt': go(['BenchmarkX-4'], { cpu: 'A' }) })
    expect(environments).toEqual([
      {
        architecture: null,
        old: {},
        new: { cpu: ['A'], cpus: ['4'], os: ['linux'], architecture: ['amd64'] },
        differing: [],
      },
    ])
  })

  test('are a value for each side and field of bounded length and number', async () => {
    const blocks = Array.from({ length: 30 }, (_, index) =>
      go(['BenchmarkX-4'], { cpu: `${index} ${'x'.repeat(1000)}` }),
    )
    const [environments] = (await environmentsOf({ 'new/a.txt': blocks.join('') })) ?? []
    expect(environments?.new.cpu).toHaveLength(20)
    expect(Math.max(...environments!.new.cpu!.map(({ length }) => length))).toBe(300)
  })
})

describe('a number of CPUs in the names', () => {
  const joined = async (old: readonly string[], fresh: readonly string[]) =>
    await rowsOf({ 'old.txt': go(old), 'new.txt': go(fresh) })

  test('that differs as a whole is of the machine: the benchmarks are compared, with the names of the new side', async () => {
    const names = (cpus: number) => [`BenchmarkX-${cpus}`, `BenchmarkY/n=10-${cpus}`]
    const files = { 'old.txt': go(names(8)), 'new.txt': go([...names(16), 'BenchmarkAdded-16']) }
    expect(await rowsOf(files)).toEqual([
      'BenchmarkAdded-16: 0 + 3',
      'BenchmarkX-16: 3 + 3',
      'BenchmarkY/n=10-16: 3 + 3',
    ])
    expect(await environmentsOf(files)).toMatchObject([
      { old: { cpus: ['8'] }, new: { cpus: ['16'] }, differing: ['cpus'] },
    ])
  })

  test('is none on one CPU', async () => {
    expect(await joined(['BenchmarkX', 'BenchmarkY'], ['BenchmarkX-4', 'BenchmarkY-4'])).toEqual([
      'BenchmarkX-4: 3 + 3',
      'BenchmarkY-4: 3 + 3',
    ])
    expect(await joined(['BenchmarkX-4', 'BenchmarkY-4'], ['BenchmarkX', 'BenchmarkY'])).toEqual([
      'BenchmarkX: 3 + 3',
      'BenchmarkY: 3 + 3',
    ])
    const files = { 'old.txt': go(['BenchmarkX']), 'new.txt': go(['BenchmarkX-4']) }
    expect(await environmentsOf(files)).toMatchObject([
      { old: { cpus: ['1'] }, new: { cpus: ['4'] }, differing: ['cpus'] },
    ])
  })

  test.each([
    ['of -cpu 1,8 and -cpu 1,16', ['BenchmarkX', 'BenchmarkX-8'], ['BenchmarkX', 'BenchmarkX-16']],
    ['of -cpu 2,8 and -cpu 4,16', ['BenchmarkX-2', 'BenchmarkX-8'], ['BenchmarkX-4', 'BenchmarkX-16']],
    ['of -cpu 1,8 and -cpu 16', ['BenchmarkX', 'BenchmarkX-8'], ['BenchmarkX-16']],
    ['of other benchmarks', ['BenchmarkX-8'], ['BenchmarkY-16']],
    ['that a name has on both sides', ['BenchmarkX-8', 'BenchmarkY-8'], ['BenchmarkX-8', 'BenchmarkY']],
    ['that some names have on both sides', ['BenchmarkX-8', 'BenchmarkY-8'], ['BenchmarkX-16', 'BenchmarkY-8']],
  ])('%s stays as it is', async (_, old, fresh) => {
    const names = new Set([...old, ...fresh])
    const of = (name: string) => `${name}: ${old.includes(name) ? 3 : 0} + ${fresh.includes(name) ? 3 : 0}`
    expect(await joined(old, fresh)).toEqual([...names].sort().map(of))
  })

  test('of Google Benchmark is of the machine where it is that of its CPUs', async () => {
    const result = (cpus: number, threads: number) =>
      JSON.stringify({
        context: { executable: './b', num_cpus: cpus, mhz_per_cpu: 2500, library_build_type: 'release' },
        benchmarks: [
          { name: `BM_x/threads:${threads}`, run_type: 'iteration', real_time: 5, cpu_time: 5, time_unit: 'ns' },
        ],
      })
    const rows = async (old: string, fresh: string) => [
      ...new Set(await rowsOf({ 'old.json': old, 'new.json': fresh })),
    ]
    expect(await rows(result(8, 8), result(16, 16))).toEqual(['BM_x/threads:16: 1 + 1'])
    expect(await rows(result(8, 4), result(8, 8))).toEqual(['BM_x/threads:4: 1 + 0', 'BM_x/threads:8: 0 + 1'])
    expect(await rows(result(8, 8), result(16, 4))).toHaveLength(2)
    // without a number of CPUs nobody can say what those threads are
    const unsaid = result(8, 8).replace('"num_cpus":8,', '').replace('"mhz_per_cpu":2500,', '')
    expect((await environmentsOf({ 'new/a.json': unsaid }))?.[0]?.new).toEqual({ build: ['release'] })
  })
})

describe('of tools that did not run here', () => {
  const place = async (file: string, text: string) => (await environmentsOf({ [`new/${file}`]: text }))?.[0]?.new

  test('BenchmarkDotNet tells its host', async () => {
    const report = {
      HostEnvironmentInfo: {
        OsVersion: 'Windows 11 (10.0.22621.2715/22H2/2022Update/SunValley2)',
        ProcessorName: '12th Gen Intel Core i7-12700H',
        LogicalCoreCount: 20,
        RuntimeVersion: '.NET 8.0.1 (8.0.123.58001)',
        Architecture: 'X64',
        Configuration: 'RELEASE',
      },
      Benchmarks: [{ FullName: 'A.B', Statistics: { OriginalValues: [1, 2, 3] } }],
    }
    expect(await place('a.json', JSON.stringify(report))).toEqual({
      cpu: ['12th Gen Intel Core i7-12700H'],
      cpus: ['20'],
      os: ['Windows 11'],
      architecture: ['amd64'],
      build: ['release'],
      runtime: ['.NET 8.0.1'],
    })
  })

  test('benchmark-ips tells its interpreter', async () => {
    const text =
      'ruby 3.3.0 (2023-12-25 revision 5124f9ac75) +YJIT [x86_64-linux]\n     sort    1.234k (± 2.0%) i/s -      6.250k in   5.067s\n'
    expect(await place('a.txt', text)).toEqual({
      runtime: ['Ruby 3.3.0 +YJIT'],
      os: ['linux'],
      architecture: ['amd64'],
    })
  })

  test.each([
    ['mitata.json', { cpu: ['AMD EPYC'], os: ['linux'], architecture: ['amd64'], runtime: ['Node.js 24.21.0'] }],
    ['benchmarktools-by-hand.json', { runtime: ['Julia 1.11.2'] }],
    ['phpbench-by-hand.xml', { os: ['Linux'], architecture: ['amd64'], runtime: ['PHP 8.2.1'] }],
  ])('%s', async (file, environment) => {
    const text = readFileSync(new URL(`../../data/format-outputs/${file}`, import.meta.url), 'utf8')
    expect(await place(file, text)).toEqual(environment)
  })

  test('asv tells the machine, whose name alone says nothing', async () => {
    const result = (machine: string, cpu: string, python: string) =>
      JSON.stringify({
        commit_hash: 'a'.repeat(40),
        env_name: `virtualenv-py${python}`,
        params: { machine, cpu, num_cpu: '8', os: 'Linux 6.1.0', arch: 'x86_64', python, ram: '16' },
        result_columns: ['result'],
        results: { 'benchmarks.Sums.time_sum': [[0.1]] },
      })
    const environments = await environmentsOf({
      'old/a.json': result('one', 'EPYC 9V74', '3.11'),
      'new/a.json': result('two', 'EPYC 7763', '3.12'),
    })
    expect(environments).toEqual([
      {
        architecture: null,
        old: {
          cpu: ['EPYC 9V74'],
          cpus: ['8'],
          os: ['Linux'],
          architecture: ['amd64'],
          runtime: ['Python 3.11'],
          host: ['one'],
        },
        new: {
          cpu: ['EPYC 7763'],
          cpus: ['8'],
          os: ['Linux'],
          architecture: ['amd64'],
          runtime: ['Python 3.12'],
          host: ['two'],
        },
        differing: ['cpu', 'runtime', 'host'],
      },
    ])
  })

  test('github-action-benchmark keeps the number of CPUs that Go had', async () => {
    const bench = (procs: number) => ({
      name: 'BenchmarkX',
      unit: 'ns/op',
      value: 5,
      extra: `100 times\n${procs} procs`,
    })
    const data = { entries: { Go: [8, 16].map((procs) => ({ tool: 'go', benches: [bench(procs)] })) } }
    expect(await environmentsOf({ 'data.js': `window.BENCHMARK_DATA = ${JSON.stringify(data)}` })).toMatchObject([
      { old: { cpus: ['8'] }, new: { cpus: ['16'] }, differing: ['cpus'] },
    ])
  })

  test('a place that is no text or number costs nothing but itself', async () => {
    const report = {
      HostEnvironmentInfo: { ProcessorName: ['A'], OsVersion: 7, Architecture: 'X64' },
      Benchmarks: [{ FullName: 'A.B', Statistics: { OriginalValues: [1] } }],
    }
    expect(await place('a.json', JSON.stringify(report))).toEqual({ architecture: ['amd64'] })
    const result = [
      { benchmark: 'a.B', jdkVersion: 17, jvmArgs: 'x', primaryMetric: { scoreUnit: 'ns/op', rawData: [[1]] } },
    ]
    expect(await place('b.json', JSON.stringify(result))).toBeUndefined()
  })

  test.each([
    ['C:\\\\a\\\\b.exe', 'windows'],
    ['/Users/runner/b', 'darwin'],
    ['/home/runner/b', 'linux'],
    ['./b', undefined],
  ])('Google Benchmark: the path of the program tells the system: %s', async (executable, os) => {
    const text = `{"context": {"num_cpus": 2, "executable": "${executable}"}, "benchmarks": [{"name": "x", "real_time": 5, "cpu_time": 5, "time_unit": "ns"}]}`
    expect((await place('a.json', text))?.os?.[0]).toBe(os)
  })
})
